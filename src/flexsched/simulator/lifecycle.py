"""Starting, ending and displacing tasks: the only places where the running table changes."""

from __future__ import annotations

import numpy as np

from flexsched.core.jit import inlined, kernel
from flexsched.core.placement import NodeIndex
from flexsched.core.reasons import State as TaskState
from flexsched.simulator.state import (
    NONE,
    RING_TICKS,
    Count,
    Flags,
    Ints,
    Links,
    Records,
    RunningTable,
    State,
)

_PENDING = int(TaskState.PENDING)
_RUNNING = int(TaskState.RUNNING)
_FINISHED = int(TaskState.FINISHED)


@inlined
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
    running, counters, life = state.running, state.counters, state.book.life
    slot = counters[Count.SLOTS]
    counters[Count.SLOTS] += 1
    counters[Count.LIVE] += 1
    running.node[slot] = node
    running.task[slot] = task
    running.check_tick[slot] = NONE
    series = running.series[slot]
    series.start_s = start_s
    series.window_s = state.tasks.window_s[task]
    series.first = state.tasks.usage_offset[task]
    series.length = state.tasks.usage_length[task]
    for resource in range(running.request.shape[1]):
        request = state.tasks.request[task, resource]
        running.request[slot, resource] = request
        running.demand[slot, resource] = 0.0
        running.usage[slot, resource] = 0.0
        state.totals.request[node, resource] += request
    state.book.state[task] = _RUNNING
    end_s = start_s + state.tasks.duration_s[task]
    life[task].node = node
    life[task].slot = slot
    life[task].failures = 0
    life[task].start_s = start_s
    life[task].end_s = end_s
    source = state.tasks.source[task]
    head = state.lists.source_head[source]
    life[task].next_of_source = head
    life[task].previous_of_source = NONE
    if head != NONE:
        life[head].previous_of_source = task
    state.lists.source_head[source] = task
    if end_s == np.inf:
        counters[Count.ENDLESS] += 1
    else:
        ring = first_tick_at(end_s, tick_s) % RING_TICKS
        life[task].next_ending = state.lists.ending_head[ring]
        state.lists.ending_head[ring] = task


@kernel
def _leave(state: State, index: NodeIndex, task: int) -> None:
    """Take a task out of its slot, its node and its source's list."""
    life, counters = state.book.life, state.counters
    node = life[task].node
    state.running.node[life[task].slot] = NONE
    state.totals.dirty[node] = True
    index.tasks[node] -= 1
    counters[Count.LIVE] -= 1
    if counters[Count.SOURCE] == state.tasks.source[task]:
        # The index would go on counting the task.
        counters[Count.SOURCE] = NONE
    if life[task].end_s == np.inf:
        counters[Count.ENDLESS] -= 1
    after, before = life[task].next_of_source, life[task].previous_of_source
    if after != NONE:
        life[after].previous_of_source = before
    if before != NONE:
        life[before].next_of_source = after
    else:
        state.lists.source_head[state.tasks.source[task]] = after


@kernel
def complete_due(state: State, index: NodeIndex, tick: int, t_s: float) -> None:
    """End every task whose end has come; its room is free from here on."""
    life, ending_head = state.book.life, state.lists.ending_head
    ring = tick % RING_TICKS
    task = ending_head[ring]
    ending_head[ring] = NONE
    while task != NONE:
        following = life[task].next_ending
        if life[task].end_s <= t_s:
            _leave(state, index, task)
            state.book.state[task] = _FINISHED
            state.counters[Count.FINISHED] += 1
        else:
            life[task].next_ending = ending_head[ring]
            ending_head[ring] = task
        task = following


@kernel
def _forget_end(life: Records, ending_head: Links, task: int, tick_s: float) -> None:
    """Take a task out of the ring of ending tasks."""
    if life[task].end_s == np.inf:
        return
    ring = first_tick_at(life[task].end_s, tick_s) % RING_TICKS
    current = ending_head[ring]
    if current == task:
        ending_head[ring] = life[task].next_ending
        return
    while life[current].next_ending != task:
        current = life[current].next_ending
    life[current].next_ending = life[task].next_ending


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
    life = state.book.life
    count = 0
    for slot in range(state.counters[Count.SLOTS]):
        node = state.running.node[slot]
        if node == NONE or not leaving[node]:
            continue
        task = state.running.task[slot]
        _forget_end(life, state.lists.ending_head, task, tick_s)
        _leave(state, index, task)
        state.book.state[task] = _PENDING
        life[task].pending_since_s = t_s
        life[task].next_try_s = -np.inf
        life[task].end_s = np.nan
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
            for resource in range(request.shape[1]):
                request[node, resource] = 0.0
                usage[node, resource] = 0.0
    for slot in range(counters[Count.SLOTS]):
        node = node_of[slot]
        if node != NONE and dirty[node]:
            for resource in range(request.shape[1]):
                request[node, resource] += requests[slot, resource]
                usage[node, resource] += usages[slot, resource]
    for node in range(dirty.shape[0]):
        dirty[node] = False
    if counters[Count.SLOTS] - counters[Count.LIVE] > 64 + counters[Count.LIVE] // 8:
        _close_holes(state.running, counters, state.book.life)


@kernel
def _close_holes(running: RunningTable, counters: Ints, life: Records) -> None:
    node_of, task_of, check_tick = running.node, running.task, running.check_tick
    request, demand, usage = running.request, running.demand, running.usage
    series = running.series
    kept = 0
    for slot in range(counters[Count.SLOTS]):
        if node_of[slot] == NONE:
            continue
        if kept != slot:
            node_of[kept] = node_of[slot]
            task_of[kept] = task_of[slot]
            check_tick[kept] = check_tick[slot]
            series[kept] = series[slot]
            for resource in range(request.shape[1]):
                request[kept, resource] = request[slot, resource]
                demand[kept, resource] = demand[slot, resource]
                usage[kept, resource] = usage[slot, resource]
            life[task_of[slot]].slot = kept
        kept += 1
    for slot in range(kept, counters[Count.SLOTS]):
        node_of[slot] = NONE
    counters[Count.SLOTS] = kept
