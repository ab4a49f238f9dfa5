"""Starting, ending and displacing tasks: the only places where the running table changes."""

from __future__ import annotations

import numpy as np

from flexsched.core.jit import kernel
from flexsched.core.placement import NodeIndex
from flexsched.core.reasons import State as TaskState
from flexsched.simulator.state import NONE, RING_TICKS, Flags, Ints, Links, RunningTable, State

_PENDING = int(TaskState.PENDING)
_RUNNING = int(TaskState.RUNNING)
_FINISHED = int(TaskState.FINISHED)


@kernel
def first_tick_at(time_s: float, tick_s: float) -> int:
    """Number of the first tick at or after a time (ticks are at 0, tick_s, 2 tick_s, ...)."""
    tick = int(np.ceil(time_s / tick_s))
    while tick * tick_s < time_s:
        tick += 1
    while tick > 0 and (tick - 1) * tick_s >= time_s:
        tick -= 1
    return max(tick, 0)


@kernel
def start(state: State, task: int, node: int, start_s: float, tick_s: float) -> None:
    """Give a task a slot on a node; the node's index entry is the caller's business."""
    book, running, counters = state.book, state.running, state.counters
    slot = counters.slots[0]
    counters.slots[0] += 1
    counters.live[0] += 1
    running.node[slot] = node
    running.task[slot] = task
    running.check_tick[slot] = NONE
    for resource in range(running.request.shape[1]):
        request = state.tasks.request[task, resource]
        running.request[slot, resource] = request
        running.demand[slot, resource] = 0.0
        running.usage[slot, resource] = 0.0
        state.totals.request[node, resource] += request
    book.state[task] = _RUNNING
    book.node[task] = node
    book.slot[task] = slot
    book.failures[task] = 0
    book.start_s[task] = start_s
    book.end_s[task] = start_s + state.tasks.duration_s[task]
    source = state.tasks.source[task]
    head = state.lists.source_head[source]
    book.next_of_source[task] = head
    book.previous_of_source[task] = NONE
    if head != NONE:
        book.previous_of_source[head] = task
    state.lists.source_head[source] = task
    if book.end_s[task] == np.inf:
        counters.endless[0] += 1
    else:
        ring = first_tick_at(book.end_s[task], tick_s) % RING_TICKS
        book.next_ending[task] = state.lists.ending_head[ring]
        state.lists.ending_head[ring] = task


@kernel
def _leave(state: State, index: NodeIndex, task: int) -> None:
    """Take a task out of its slot, its node and its source's list."""
    book = state.book
    slot, node = book.slot[task], book.node[task]
    state.running.node[slot] = NONE
    state.totals.dirty[node] = True
    index.tasks[node] -= 1
    state.counters.live[0] -= 1
    if book.end_s[task] == np.inf:
        state.counters.endless[0] -= 1
    after, before = book.next_of_source[task], book.previous_of_source[task]
    if after != NONE:
        book.previous_of_source[after] = before
    if before != NONE:
        book.next_of_source[before] = after
    else:
        state.lists.source_head[state.tasks.source[task]] = after


@kernel
def complete_due(state: State, index: NodeIndex, tick: int, t_s: float) -> None:
    """End every task whose end has come; its room is free from here on."""
    ring = tick % RING_TICKS
    task = state.lists.ending_head[ring]
    state.lists.ending_head[ring] = NONE
    while task != NONE:
        following = state.book.next_ending[task]
        if state.book.end_s[task] <= t_s:
            _leave(state, index, task)
            state.book.state[task] = _FINISHED
            state.counters.finished[0] += 1
        else:
            state.book.next_ending[task] = state.lists.ending_head[ring]
            state.lists.ending_head[ring] = task
        task = following


@kernel
def _forget_end(state: State, task: int, tick_s: float) -> None:
    """Take a task out of the ring of ending tasks."""
    if state.book.end_s[task] == np.inf:
        return
    ring = first_tick_at(state.book.end_s[task], tick_s) % RING_TICKS
    current = state.lists.ending_head[ring]
    if current == task:
        state.lists.ending_head[ring] = state.book.next_ending[task]
        return
    while state.book.next_ending[current] != task:
        current = state.book.next_ending[current]
    state.book.next_ending[current] = state.book.next_ending[task]


@kernel
def displace(
    state: State, index: NodeIndex, leaving: Flags, t_s: float, tick_s: float, out: Ints
) -> int:
    """Make every task on a leaving node pending again.

    Args:
        state: the simulation.
        index: the nodes.
        leaving: (N,) nodes that are gone from now on.
        t_s: now.
        tick_s: length of a tick.
        out: receives the displaced tasks; as long as the running table.

    Returns:
        How many tasks were displaced.
    """
    count = 0
    for slot in range(state.counters.slots[0]):
        node = state.running.node[slot]
        if node == NONE or not leaving[node]:
            continue
        task = state.running.task[slot]
        _forget_end(state, task, tick_s)
        _leave(state, index, task)
        state.book.state[task] = _PENDING
        state.book.pending_since_s[task] = t_s
        state.book.next_try_s[task] = -np.inf
        state.book.end_s[task] = np.nan
        out[count] = task
        count += 1
    return count


@kernel
def settle(state: State) -> None:
    """Sum dirty nodes afresh, so that no rounding survives a task, and close up old holes."""
    dirty, counters = state.totals.dirty, state.counters
    if not dirty.any():
        return
    node_of, requests, usages = state.running.node, state.running.request, state.running.usage
    request, usage = state.totals.request, state.totals.usage
    for node in range(dirty.shape[0]):
        if dirty[node]:
            request[node] = 0.0
            usage[node] = 0.0
    for slot in range(counters.slots[0]):
        node = node_of[slot]
        if node != NONE and dirty[node]:
            for resource in range(request.shape[1]):
                request[node, resource] += requests[slot, resource]
                usage[node, resource] += usages[slot, resource]
    dirty[:] = False
    if counters.slots[0] - counters.live[0] > 64 + counters.live[0] // 8:
        _close_holes(state.running, counters.slots, state.book.slot)


@kernel
def _close_holes(running: RunningTable, slots: Ints, slot_of_task: Links) -> None:
    node_of, task_of, check_tick = running.node, running.task, running.check_tick
    request, demand, usage = running.request, running.demand, running.usage
    kept = 0
    for slot in range(slots[0]):
        if node_of[slot] == NONE:
            continue
        if kept != slot:
            node_of[kept] = node_of[slot]
            task_of[kept] = task_of[slot]
            check_tick[kept] = check_tick[slot]
            for resource in range(request.shape[1]):
                request[kept, resource] = request[slot, resource]
                demand[kept, resource] = demand[slot, resource]
                usage[kept, resource] = usage[slot, resource]
            slot_of_task[task_of[slot]] = kept
        kept += 1
    node_of[kept : slots[0]] = NONE
    slots[0] = kept
