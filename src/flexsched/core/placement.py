"""The exact best node for a request, without looking at every node.

Nodes are kept in blocks of about sqrt(N), those of similar load together. Each block knows the
least load and the largest capacity among its nodes and the best key (a bound on the score that no
request can lift).
Because a rule's ``fits`` never gets better with more load, and rounding is monotone too, a
block whose combined best case does not fit, or whose bound does not beat the best score so
far, can be passed over without changing the result: the answer is that of the full scan.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from flexsched.core.jit import inlined, kernel

#: Shades of load that grouping tells apart.
GROUPS = 1024


class NodeIndex(NamedTuple):
    """N nodes of R resources as the scheduler sees them during one scan.

    Nodes stand in tie order here: row 0 wins among equal scores.

    Attributes:
        load: (N, R) load seen by the policy, in the resource's unit; 0 where a node has none of
            a resource, so that a request of 0 fits there whatever runs.
        capacity: (N, R).
        present: (N,) bool.
        tasks: (N,) running tasks.
        max_tasks: (N,) limit on ``tasks``.
        same_source: (N,) running tasks of the source being placed.
        key: (N,) upper bound of the score for any request; -inf where nothing can go.
        member: (N,) node at each place; a block is a run of places.
        place: (N,) place of each node.
        block_first: (B,) first node of a block in tie order.
        block_load: (B, R) least load among the present nodes of a block.
        block_capacity: (B, R) largest capacity among them; -1 if none is present.
        block_key: (B,) largest key of a block.
        block_bound: (B,) scratch of one search.
        block_stale: (B,) bool, scratch of a change of source.
        touched: (N,) scratch: the nodes with ``same_source`` > 0.
    """

    load: NDArray[np.float64]
    capacity: NDArray[np.float64]
    present: NDArray[np.bool_]
    tasks: NDArray[np.int64]
    max_tasks: NDArray[np.int64]
    same_source: NDArray[np.int64]
    key: NDArray[np.float64]
    member: NDArray[np.int64]
    place: NDArray[np.int64]
    block_first: NDArray[np.int64]
    block_load: NDArray[np.float64]
    block_capacity: NDArray[np.float64]
    block_key: NDArray[np.float64]
    block_bound: NDArray[np.float64]
    block_stale: NDArray[np.bool_]
    touched: NDArray[np.int64]


def _block_size(nodes: int) -> int:
    """Nodes per block: the square root balances blocks to look at against nodes in one."""
    return max(1, int(np.ceil(np.sqrt(nodes))))


#: The same inside kernels; calling it from outside would compile it at every start.
block_size = inlined(_block_size)


def make_index(capacity: NDArray[np.float64], max_tasks: NDArray[np.int64]) -> NodeIndex:
    """An index of N absent, empty nodes; fill it in, then call :func:`rebuild`."""
    nodes, width = capacity.shape
    blocks = -(-nodes // _block_size(nodes))
    return NodeIndex(
        load=np.zeros((nodes, width)),
        capacity=np.ascontiguousarray(capacity),
        present=np.zeros(nodes, np.bool_),
        tasks=np.zeros(nodes, np.int64),
        max_tasks=np.ascontiguousarray(max_tasks),
        same_source=np.zeros(nodes, np.int64),
        key=np.full(nodes, -np.inf),
        member=np.arange(nodes),
        place=np.arange(nodes),
        block_first=np.zeros(blocks, np.int64),
        block_load=np.zeros((blocks, width)),
        block_capacity=np.full((blocks, width), -1.0),
        block_key=np.full(blocks, -np.inf),
        block_bound=np.zeros(blocks),
        block_stale=np.zeros(blocks, np.bool_),
        touched=np.zeros(nodes, np.int64),
    )


@inlined
def refresh_key(rule: Any, index: NodeIndex, node: int) -> None:
    """Recompute one node's key after its load, tasks or presence changed."""
    if index.present[node] and index.tasks[node] < index.max_tasks[node]:
        index.key[node] = rule.ceiling(
            index.load, node, index.capacity, float(index.same_source[node])
        )
    else:
        index.key[node] = -np.inf


@inlined
def refresh_block(index: NodeIndex, block: int) -> None:
    """Recompute one block's summary from its nodes' keys, loads and capacities."""
    key, load, capacity, present = index.key, index.load, index.capacity, index.present
    block_load, block_capacity, member = index.block_load, index.block_capacity, index.member
    size = block_size(key.shape[0])
    best, first = -np.inf, key.shape[0]
    for resource in range(capacity.shape[1]):
        block_load[block, resource] = np.inf
        block_capacity[block, resource] = -1.0
    for place in range(block * size, min((block + 1) * size, key.shape[0])):
        node = member[place]
        first = min(first, node)
        best = max(best, key[node])
        if not present[node]:
            continue
        for resource in range(capacity.shape[1]):
            least = min(block_load[block, resource], load[node, resource])
            largest = max(block_capacity[block, resource], capacity[node, resource])
            block_load[block, resource] = least
            block_capacity[block, resource] = largest
    index.block_key[block] = best
    index.block_first[block] = first


@inlined
def group_by_load(index: NodeIndex) -> None:
    """Deal the nodes into blocks by their load of the first resource, in tie order among equals.

    What a block promises is then close to what one of its nodes has. Any grouping gives the
    same answers; summaries have to be made afresh afterwards.
    """
    load, capacity, member, place = index.load, index.capacity, index.member, index.place
    largest = 0.0
    for node in range(capacity.shape[0]):
        if capacity[node, 0] > 0.0:
            largest = max(largest, load[node, 0] / capacity[node, 0])
    ends = np.zeros(GROUPS + 1, np.int64)
    for turn in range(2):
        for node in range(capacity.shape[0]):
            group = 0
            if capacity[node, 0] > 0.0 and largest > 0.0:
                group = int(load[node, 0] / capacity[node, 0] / largest * (GROUPS - 1))
            if turn == 0:
                ends[group + 1] += 1
            else:
                place[node] = ends[group]
                member[ends[group]] = node
                ends[group] += 1
        if turn == 0:
            for group in range(GROUPS):
                ends[group + 1] += ends[group]


@inlined
def refresh_blocks(index: NodeIndex) -> None:
    """Recompute every block's summary."""
    for block in range(index.block_key.shape[0]):
        refresh_block(index, block)


@kernel
def rebuild(rule: Any, index: NodeIndex, by_load: bool = False) -> None:
    """Recompute every key and block after loads or presence changed throughout."""
    for node in range(index.key.shape[0]):
        refresh_key(rule, index, node)
    if by_load:
        group_by_load(index)
    refresh_blocks(index)


@inlined
def add_load(rule: Any, index: NodeIndex, node: int, request: NDArray[np.float64]) -> None:
    """Count a task just bound at its full request, unscaled (paper, algorithm 3)."""
    for resource in range(request.shape[0]):
        index.load[node, resource] += request[resource]
    index.tasks[node] += 1
    refresh_key(rule, index, node)
    refresh_block(index, index.place[node] // block_size(index.key.shape[0]))


@inlined
def _stir(value: int) -> int:
    """Scramble 31 bits (multiplications and shifts, every product below 2**62)."""
    value = ((value ^ (value >> 16)) * 0x21F0AAAD) & 0x7FFFFFFF
    value = ((value ^ (value >> 15)) * 0x735A2D97) & 0x7FFFFFFF
    return value ^ (value >> 15)


@inlined
def mix(seed: int, first: int, second: int) -> int:
    """A hash of three integers >= 0, below 2**31; the same in compiled and plain Python."""
    value = _stir(int(seed) & 0x7FFFFFFF)
    value = _stir(value ^ (int(first) & 0x7FFFFFFF))
    return _stir(value ^ (int(second) & 0x7FFFFFFF))


@inlined
def best_node(rule: Any, index: NodeIndex, request: NDArray[np.float64], draw: int) -> int:
    """The node with the highest score among those that the request fits, or -1.

    Args:
        rule: policy rule with fits, score, ceiling and block_ceiling.
        index: the nodes.
        request: (R,).
        draw: < 0: the first row wins among equal scores; >= 0: the winner is drawn
            uniformly, by the least hash of draw and node.
    """
    key, load, capacity, same_source = index.key, index.load, index.capacity, index.same_source
    block_key, block_load, block_capacity, bounds = (
        index.block_key, index.block_load, index.block_capacity, index.block_bound)  # fmt: skip
    member, block_first = index.member, index.block_first
    blocks, size = bounds.shape[0], block_size(key.shape[0])
    start = -1
    for block in range(blocks):
        bound = -np.inf
        if block_key[block] > -np.inf and rule.fits(block_load, block, request, block_capacity):
            bound = rule.block_ceiling(block_key[block], block_load, block, request, block_capacity)
        bounds[block] = bound
        if bound > -np.inf and (start < 0 or bound > bounds[start]):
            start = block
    if start < 0:
        return -1
    # The most promising block first: its best score lets most others be passed over.
    best, best_score, best_lot = -1, -np.inf, 0
    for turn in range(-1, blocks):
        block = start if turn < 0 else turn
        if turn == start or bounds[block] == -np.inf or bounds[block] < best_score:
            continue
        if bounds[block] == best_score and draw < 0 and block_first[block] > best:
            continue
        for place in range(block * size, min((block + 1) * size, key.shape[0])):
            node = member[place]
            if key[node] == -np.inf or key[node] < best_score:
                continue
            if not rule.fits(load, node, request, capacity):
                continue
            score = rule.score(load, node, request, capacity, float(same_source[node]))
            lot = (mix(draw, node, 0) << 31) + node if draw >= 0 else node
            if score > best_score or (score == best_score and (best < 0 or lot < best_lot)):
                best, best_score, best_lot = node, score, lot
    return best


@inlined
def room_ignoring_task_limits(rule: Any, index: NodeIndex, request: NDArray[np.float64]) -> bool:
    """Whether any present node has the resources, whatever its task limit says."""
    size = block_size(index.key.shape[0])
    for block in range(index.block_key.shape[0]):
        if index.block_capacity[block, 0] < 0.0 or not rule.fits(
            index.block_load, block, request, index.block_capacity
        ):
            continue
        for place in range(block * size, min((block + 1) * size, index.key.shape[0])):
            node = index.member[place]
            if index.present[node] and rule.fits(index.load, node, request, index.capacity):
                return True
    return False


@inlined
def change_source(
    rule: Any, index: NodeIndex, touched: int, hosts: NDArray[np.int64], count: int
) -> int:
    """Count the running tasks of another source per node, and refresh what that changes.

    Args:
        rule: policy rule.
        index: the nodes.
        touched: how many entries of ``index.touched`` the previous source left.
        hosts: rows of the nodes on which the new source's tasks run, one entry per task.
        count: valid entries of ``hosts``.

    Returns:
        The new number of touched nodes.
    """
    size = block_size(index.key.shape[0])
    for position in range(touched):
        node = index.touched[position]
        index.same_source[node] = 0
        refresh_key(rule, index, node)
        index.block_stale[index.place[node] // size] = True
    touched = 0
    for position in range(count):
        node = hosts[position]
        if index.same_source[node] == 0:
            index.touched[touched] = node
            touched += 1
        index.same_source[node] += 1
    for position in range(touched):
        node = index.touched[position]
        refresh_key(rule, index, node)
        index.block_stale[index.place[node] // size] = True
    for block in range(index.block_stale.shape[0]):
        if index.block_stale[block]:
            index.block_stale[block] = False
            refresh_block(index, block)
    return touched
