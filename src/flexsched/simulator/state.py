"""What a running simulation knows, as named tuples of arrays that kernels change in place.

T tasks, N nodes (in tie order, see :class:`~flexsched.core.placement.NodeIndex`), R resources,
S sources, K distinct requests; a slot is a place in the table of running tasks, which is kept
in bind order so that every per-node sum is the plain sum over the node's tasks in the order they were bound.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from flexsched.core.workload import Workload

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Links = NDArray[np.int32]
Flags = NDArray[np.bool_]

#: Slots of the ring of ending tasks; a task ending later goes round more than once.
RING_TICKS = 4096
#: "No task" in linked lists, "no node" in tables.
NONE = -1
#: ``check_tick`` of a series that will not change any more.
NEVER = np.iinfo(np.int64).max


class TaskInputs(NamedTuple):
    """What the workload says; never changed. Shapes as in ``Workload``."""

    request: Floats
    request_kind: NDArray[np.int32]
    source: Ints
    duration_s: Floats
    usage_offset: Ints
    usage_length: Ints
    window_s: Floats
    usage: NDArray[Any]


class TaskBook(NamedTuple):
    """What happened to each task, (T,) each.

    ``node`` is the row of the last placement or NONE; ``pending_since_s`` and ``wait_s`` make up
    the time spent pending; ``last_try`` is a tick number; ``tried_round`` the round of the queue
    in which it was last tried (attempt limits only); ``failures`` counts the failed tries since
    it last became pending; the last three are links of the lists in :class:`Lists`.
    """

    state: NDArray[np.int8]
    reason: NDArray[np.int8]
    attempts: NDArray[np.int32]
    failures: NDArray[np.int32]
    last_try: NDArray[np.int32]
    tried_round: NDArray[np.int32]
    node: NDArray[np.int32]
    slot: NDArray[np.int32]
    start_s: Floats
    end_s: Floats
    pending_since_s: Floats
    wait_s: Floats
    violated_s: Floats
    next_try_s: Floats
    next_of_source: Links
    previous_of_source: Links
    next_ending: Links


class Lists(NamedTuple):
    """Heads of linked lists through tasks: running ones per source, and ending ones per tick."""

    source_head: Links
    ending_head: Links


class RunningTable(NamedTuple):
    """Running tasks by slot; ``node`` is NONE where a task has ended.

    ``demand`` and ``usage`` are of the last measurement; at ``check_tick`` the demand may change.
    """

    node: NDArray[np.int32]
    task: NDArray[np.int32]
    check_tick: Ints
    request: Floats
    demand: Floats
    usage: Floats


class NodeTotals(NamedTuple):
    """Sums over each node's running tasks, (N, R); flags (N,); scratch of one measurement.

    ``dirty``: a task ended or left since the sums were made. ``contended``: some demand exceeded
    capacity at the last measurement. ``guaranteed`` and ``unmet`` are scratch.
    """

    request: Floats
    usage: Floats
    demand: Floats
    dirty: Flags
    contended: Flags
    guaranteed: Floats
    unmet: Floats


class Counters(NamedTuple):
    """Single numbers that kernels change, (1,) int64 each.

    ``slots``: used slots of the running table, holes too. ``live``: running tasks. ``endless``:
    those without an end. ``source``: source that the index counts now. ``touched``: nodes it
    counts it on. ``round``: of the queue. The rest count events of the current tick.
    """

    slots: Ints
    live: Ints
    endless: Ints
    source: Ints
    touched: Ints
    round: Ints
    attempts: Ints
    placed: Ints
    finished: Ints
    failed: Ints
    evicted: Ints


class RequestKinds(NamedTuple):
    """The last failure of each distinct request, (K,) each.

    ``failed_tick`` is its tick number, ``placed`` how many tasks that tick had placed before it.
    """

    failed_tick: NDArray[np.int32]
    reason: NDArray[np.int8]
    placed: Ints


class State(NamedTuple):
    """Everything above in one piece."""

    tasks: TaskInputs
    book: TaskBook
    lists: Lists
    running: RunningTable
    totals: NodeTotals
    counters: Counters
    kinds: RequestKinds


def make_state(workload: Workload, nodes: int) -> State:
    """The state before anything was submitted."""
    count, width = workload.request.shape
    kinds = int(workload.request_kind.max(initial=-1)) + 1
    book = TaskBook(
        state=np.zeros(count, np.int8),
        reason=np.zeros(count, np.int8),
        attempts=np.zeros(count, np.int32),
        failures=np.zeros(count, np.int32),
        last_try=np.full(count, NONE, np.int32),
        tried_round=np.full(count, NONE, np.int32),
        node=np.full(count, NONE, np.int32),
        slot=np.full(count, NONE, np.int32),
        start_s=np.full(count, np.nan),
        end_s=np.full(count, np.nan),
        pending_since_s=np.zeros(count),
        wait_s=np.zeros(count),
        violated_s=np.zeros(count),
        next_try_s=np.full(count, -np.inf),
        next_of_source=np.full(count, NONE, np.int32),
        previous_of_source=np.full(count, NONE, np.int32),
        next_ending=np.full(count, NONE, np.int32),
    )
    return State(
        tasks=TaskInputs(
            request=np.ascontiguousarray(workload.request),
            request_kind=workload.request_kind,
            source=workload.source,
            duration_s=workload.duration_s,
            usage_offset=workload.usage_offset,
            usage_length=workload.usage_length,
            window_s=workload.window_s,
            usage=workload.usage,
        ),
        book=book,
        lists=Lists(
            source_head=np.full(len(workload.source_names), NONE, np.int32),
            ending_head=np.full(RING_TICKS, NONE, np.int32),
        ),
        running=make_running(0, width),
        totals=NodeTotals(
            request=np.zeros((nodes, width)),
            usage=np.zeros((nodes, width)),
            demand=np.zeros((nodes, width)),
            dirty=np.zeros(nodes, np.bool_),
            contended=np.zeros(nodes, np.bool_),
            guaranteed=np.zeros((nodes, width)),
            unmet=np.zeros((nodes, width)),
        ),
        counters=Counters(*(np.zeros(1, np.int64) for _ in Counters._fields)),
        kinds=RequestKinds(
            failed_tick=np.full(kinds, NONE, np.int32),
            reason=np.zeros(kinds, np.int8),
            placed=np.zeros(kinds, np.int64),
        ),
    )


def make_running(slots: int, width: int) -> RunningTable:
    """A table of running tasks with so many unused slots."""
    return RunningTable(
        node=np.full(slots, NONE, np.int32),
        task=np.full(slots, NONE, np.int32),
        check_tick=np.zeros(slots, np.int64),
        request=np.zeros((slots, width)),
        demand=np.zeros((slots, width)),
        usage=np.zeros((slots, width)),
    )


def with_room(state: State, more: int) -> State:
    """The state with at least so many unused slots; its running table may have moved."""
    used = int(state.counters.slots[0])
    if used + more <= len(state.running.node):
        return state
    larger = make_running(used + max(more, used // 2), state.running.request.shape[1])
    for column in RunningTable._fields:
        getattr(larger, column)[:used] = getattr(state.running, column)[:used]
    return state._replace(running=larger)
