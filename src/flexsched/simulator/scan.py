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
def _known_reason(requests: Floats, reasons: Ints, known: int, request: Floats, short: int) -> int:
    """Why the request must fail, going by earlier failures; lack of resources first."""
    found = _NO_REASON
    for entry in range(known):
        covered = True
        for resource in range(request.shape[0]):
            covered &= request[resource] >= requests[entry, resource]
        if not covered:
            continue
        found = reasons[entry]
        if found == short:
            # Requests repeat: keep those that answer most often in front.
            for resource in range(request.shape[0]):
                first = requests[0, resource]
                requests[0, resource] = requests[entry, resource]
                requests[entry, resource] = first
            reasons[entry] = reasons[0]
            reasons[0] = short
            break
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
def _place(
    rule: Any,
    index: NodeIndex,
    state: State,
    settings: ScanSettings,
    failures: Failures,
    hosts: Ints,
    task: int,
    tick: int,
    tick_s: float,
) -> int:
    """Bind a task to its best node; the reason if there is none."""
    request, short = state.tasks.request[task], settings.short_reason
    reason = _known_reason(failures.request, failures.reason, failures.known[0], request, short)
    if reason == short:
        return reason
    if reason == _NO_REASON:
        source = state.tasks.source[task]
        if settings.by_source and source != state.counters.source[0]:
            _count_source(rule, index, state, source, hosts)
        draw = mix(settings.seed, task, tick) if settings.seed >= 0 else -1
        node = best_node(rule, index, request, draw)
        if node != NONE:
            _bind(rule, index, state, task, node, tick * tick_s, tick_s)
            return reason
    return _why_not(rule, index, failures, request, reason, short)


@kernel
def _give_up(state: State, task: int, t_s: float) -> None:
    state.book.wait_s[task] += t_s - state.book.pending_since_s[task]
    if state.book.node[task] == NONE:
        state.book.state[task] = _FAILED
        state.counters.failed[0] += 1
    else:
        state.book.state[task] = _EVICTED
        state.counters.evicted[0] += 1


@kernel
def _backoff_s(failures: int) -> float:
    """Wait after so many failures in a row."""
    return min(BACKOFF_START_S * 2.0 ** min(failures - 1, 30), BACKOFF_MAX_S)


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
    t_s = tick * tick_s
    state_of, last_try, tried_round = state.book.state, state.book.last_try, state.book.tried_round
    tries, reason_of, failures_of = state.book.attempts, state.book.reason, state.book.failures
    next_try_s, current_round, placed = (
        state.book.next_try_s, state.counters.round, state.counters.placed)  # fmt: skip
    requests, kind_of = state.tasks.request, state.tasks.request_kind
    failed_tick, failed_reason, failed_placed = (
        state.kinds.failed_tick, state.kinds.reason, state.kinds.placed)  # fmt: skip
    failures = Failures(
        np.empty((REMEMBERED_FAILURES, requests.shape[1])),
        np.empty(REMEMBERED_FAILURES, np.int64),
        np.zeros(1, np.int64),
    )
    anything_present = index.block_capacity.max() >= 0.0
    short = settings.short_reason if anything_present else _NO_NODE
    attempts, failed, left = 0, 0, 0
    for _ in range(2 if settings.limited else 1):
        for position in range(pending.shape[0]):
            rank = pending[position]
            task = order[rank]
            if settings.limited:
                if attempts >= settings.max_attempts or failed >= settings.max_failures:
                    break
                tried = tried_round[task] == current_round[0]
                if tried or state_of[task] != _PENDING or last_try[task] == tick:
                    continue
                tried_round[task] = current_round[0]
            if settings.backs_off and next_try_s[task] > t_s:
                continue
            attempts += 1
            tries[task] += 1
            last_try[task] = tick
            kind = kind_of[task]
            reason = failed_reason[kind]
            # Loads only grow within a scan: what failed for lack of resources fails again, and
            # so does what failed at a task limit, but its reason holds until the next bind only.
            known = failed_tick[kind] == tick and (
                reason == short or failed_placed[kind] == placed[0]
            )
            if not known:
                if anything_present:
                    reason = _place(
                        rule, index, state, settings, failures, hosts, task, tick, tick_s
                    )
                else:
                    reason = _NO_NODE
                if reason == _NO_REASON:
                    continue
                failed_tick[kind] = tick
                failed_reason[kind] = reason
                failed_placed[kind] = placed[0]
            failed += 1
            reason_of[task] = reason
            if settings.backs_off:
                failures_of[task] += 1
                next_try_s[task] = t_s + _backoff_s(failures_of[task])
            if settings.gives_up:
                _give_up(state, task, t_s)
        else:
            # Everything was tried: those tried from here on belong to the next round.
            current_round[0] += 1
    state.counters.attempts[0] += attempts
    for position in range(pending.shape[0]):
        if state_of[order[pending[position]]] == _PENDING:
            pending[left] = pending[position]
            left += 1
    return left
