"""One scan of the queue: every pending task is tried once, in queue order (paper, algorithm 3).

While a scan runs, loads only grow. So a request that is nowhere smaller than one that just failed
fails too, and is not searched for again; the result is that of trying every task in full.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexsched.core.jit import kernel
from flexsched.core.placement import (
    NodeIndex,
    add_load,
    best_node,
    change_source,
    mix,
    room_ignoring_task_limits,
)
from flexsched.core.reasons import Reason
from flexsched.core.reasons import State as TaskState
from flexsched.simulator.lifecycle import start
from flexsched.simulator.state import NONE, Floats, Ints, State

#: Failed requests remembered in one scan; beyond that, failures are searched for again.
REMEMBERED_FAILURES = 256
#: First and longest wait of the Kubernetes back-off.
BACKOFF_START_S, BACKOFF_MAX_S = 1.0, 10.0

_PENDING = int(TaskState.PENDING)
_FINISHED = int(TaskState.FINISHED)
_FAILED = int(TaskState.FAILED)
_EVICTED = int(TaskState.EVICTED)
_NO_REASON = int(Reason.NONE)
_NO_NODE = int(Reason.NO_NODE)
_TASK_LIMIT = int(Reason.TASK_LIMIT)


class ScanSettings(NamedTuple):
    """What stays the same over a run.

    Attributes:
        seed: of the ties drawn, >= 0; < 0: the first node in tie order wins.
        by_source: whether the rule looks at ``same_source``.
        short_reason: code of a failure for lack of resources.
        max_attempts: tries per scan.
        max_failures: failures per scan.
        limited: whether either limit is set; tasks are then tried in rounds.
        backs_off: whether failed tasks wait longer and longer.
        gives_up: whether a failure is final.
    """

    seed: int
    by_source: bool
    short_reason: int
    max_attempts: int
    max_failures: int
    limited: bool
    backs_off: bool
    gives_up: bool


class Failures(NamedTuple):
    """Requests that failed in this scan, none of them covering another of the same reason."""

    request: Floats
    reason: Ints
    known: Ints


@kernel
def covers(larger: Floats, smaller: Floats) -> bool:
    """Whether a request is no smaller than another in every resource."""
    covered = True
    for resource in range(larger.shape[0]):
        covered &= larger[resource] >= smaller[resource]
    return covered


@kernel
def _known_reason(failures: Failures, request: Floats, short_reason: int) -> int:
    """Why the request must fail, going by earlier failures; lack of resources first."""
    found = _NO_REASON
    for entry in range(failures.known[0]):
        if covers(request, failures.request[entry]):
            found = failures.reason[entry]
            if found == short_reason:
                # Requests repeat: keep those that answer most often in front.
                for resource in range(request.shape[0]):
                    swapped = failures.request[0, resource]
                    failures.request[0, resource] = failures.request[entry, resource]
                    failures.request[entry, resource] = swapped
                failures.reason[entry] = failures.reason[0]
                failures.reason[0] = short_reason
                return short_reason
    return found


@kernel
def _remember(failures: Failures, request: Floats, reason: int) -> None:
    kept = 0
    for entry in range(failures.known[0]):
        if failures.reason[entry] == reason and covers(failures.request[entry], request):
            continue
        failures.request[kept] = failures.request[entry]
        failures.reason[kept] = failures.reason[entry]
        kept += 1
    if kept < failures.reason.shape[0]:
        failures.request[kept] = request
        failures.reason[kept] = reason
        kept += 1
    failures.known[0] = kept


@kernel
def _why_not(
    rule: Any, index: NodeIndex, failures: Failures, request: Floats, known: int, short: int
) -> int:
    """Reason of a failure; ``known`` is what earlier failures alone say of it."""
    reason = _TASK_LIMIT if room_ignoring_task_limits(rule, index, request) else short
    if reason != known:
        _remember(failures, request, reason)
    return reason


@kernel
def _count_source(rule: Any, index: NodeIndex, state: State, source: int, hosts: Ints) -> None:
    """Make the index count the running tasks of this source."""
    count = 0
    task = state.lists.source_head[source]
    while task != NONE:
        hosts[count] = state.book.node[task]
        count += 1
        task = state.book.next_of_source[task]
    touched = change_source(rule, index, state.counters.touched[0], hosts, count)
    state.counters.touched[0] = touched
    state.counters.source[0] = source


@kernel
def _bind(
    rule: Any, index: NodeIndex, state: State, task: int, node: int, t_s: float, tick_s: float
) -> None:
    state.counters.placed[0] += 1
    state.book.wait_s[task] += t_s - state.book.pending_since_s[task]
    if state.tasks.duration_s[task] == 0.0:
        # Needs room, but is over before anything else can notice.
        state.book.state[task] = _FINISHED
        state.book.node[task] = node
        state.book.start_s[task] = t_s
        state.book.end_s[task] = t_s
        state.counters.finished[0] += 1
        return
    start(state, task, node, t_s, tick_s)
    source = state.tasks.source[task]
    if state.counters.source[0] == source:
        if index.same_source[node] == 0:
            index.touched[state.counters.touched[0]] = node
            state.counters.touched[0] += 1
        index.same_source[node] += 1
    add_load(rule, index, node, state.tasks.request[task])


@kernel
def _fail(state: State, settings: ScanSettings, task: int, reason: int, t_s: float) -> None:
    book = state.book
    book.reason[task] = reason
    book.failures[task] += 1
    if settings.backs_off:
        wait_s = BACKOFF_START_S * 2.0 ** min(book.failures[task] - 1, 30)
        book.next_try_s[task] = t_s + min(wait_s, BACKOFF_MAX_S)
    if settings.gives_up:
        book.wait_s[task] += t_s - book.pending_since_s[task]
        if book.node[task] == NONE:
            book.state[task] = _FAILED
            state.counters.failed[0] += 1
        else:
            book.state[task] = _EVICTED
            state.counters.evicted[0] += 1


@kernel
def scan(
    rule: Any,
    index: NodeIndex,
    state: State,
    settings: ScanSettings,
    order: Ints,
    pending: Ints,
    hosts: Ints,
    tick: int,
    tick_s: float,
) -> int:
    """Try the pending tasks; bind those that fit somewhere.

    Args:
        rule: policy rule.
        index: the nodes, with the loads the policy sees; updated by every bind.
        state: the simulation; needs as many free slots as tasks are pending.
        settings: of the run.
        order: (T,) tasks by rank.
        pending: ranks of the pending tasks, ascending; those left are moved to its front.
        hosts: scratch, one entry per running table slot.
        tick: number of the tick.
        tick_s: length of a tick.

    Returns:
        How many tasks are left pending.
    """
    book, t_s = state.book, tick * tick_s
    width = state.tasks.request.shape[1]
    failures = Failures(
        np.empty((REMEMBERED_FAILURES, width)),
        np.empty(REMEMBERED_FAILURES, np.int64),
        np.zeros(1, np.int64),
    )
    anything_present = index.block_capacity.max() >= 0.0
    attempts, failed = 0, 0
    for _ in range(2 if settings.limited else 1):
        for position in range(pending.shape[0]):
            task = order[pending[position]]
            if settings.limited:
                if attempts >= settings.max_attempts or failed >= settings.max_failures:
                    break
                untried = book.tried_round[task] != state.counters.round[0]
                if book.state[task] != _PENDING or book.last_try[task] == tick or not untried:
                    continue
            if settings.backs_off and book.next_try_s[task] > t_s:
                continue
            attempts += 1
            book.attempts[task] += 1
            book.last_try[task] = tick
            book.tried_round[task] = state.counters.round[0]
            request = state.tasks.request[task]
            reason, node = _NO_NODE, NONE
            if anything_present:
                reason = _known_reason(failures, request, settings.short_reason)
                if reason == _NO_REASON:
                    source = state.tasks.source[task]
                    draw = mix(settings.seed, task, tick) if settings.seed >= 0 else -1
                    if settings.by_source and source != state.counters.source[0]:
                        _count_source(rule, index, state, source, hosts)
                    node = best_node(rule, index, request, draw)
                if node == NONE and reason != settings.short_reason:
                    reason = _why_not(
                        rule, index, failures, request, reason, settings.short_reason
                    )
            if node != NONE:
                _bind(rule, index, state, task, node, t_s, tick_s)
            else:
                failed += 1
                _fail(state, settings, task, reason, t_s)
        else:
            # Everything was tried: those tried from here on belong to the next round.
            state.counters.round[0] += 1
    state.counters.attempts[0] += attempts
    left = 0
    for position in range(pending.shape[0]):
        if book.state[order[pending[position]]] == _PENDING:
            pending[left] = pending[position]
            left += 1
    return left
