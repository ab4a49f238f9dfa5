"""One scan of the queue: every pending task is tried once, in queue order (paper, algorithm 3).

While a scan runs, loads only grow. So a request that is nowhere smaller than one that just failed
fails too, and is not searched for again; the result is that of trying every task in full.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexsched.core.jit import inlined, kernel
from flexsched.core.placement import (
    NodeIndex,
    add_load,
    best_node,
    change_source,
    group_by_load,
    mix,
    refresh_blocks,
    room_ignoring_task_limits,
)
from flexsched.core.reasons import Reason
from flexsched.core.reasons import State as TaskState
from flexsched.simulator.lifecycle import start
from flexsched.simulator.state import NONE, Count, Floats, Ints, Ranks, Records, State

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
        by_load: whether to keep nodes of similar load together in the index.
        task_limits: whether any node limits its number of tasks.
        short_reason: code of a failure for lack of resources.
        max_attempts: tries per scan.
        max_failures: failures per scan.
        limited: whether either limit is set; tasks are then tried in rounds.
        every_tick: whether each pending task is tried at every tick.
        backs_off: whether failed tasks wait longer and longer.
        gives_up: whether a failure is final.
    """

    seed: int
    by_source: bool
    by_load: bool
    task_limits: bool
    short_reason: int
    max_attempts: int
    max_failures: int
    limited: bool
    every_tick: bool
    backs_off: bool
    gives_up: bool


class Failures(NamedTuple):
    """Requests that failed in this scan, none of them covering another of the same reason."""

    request: Floats
    reason: Ints
    known: Ints


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
    """Keep a failure, and drop those of the same reason that it implies."""
    requests, reasons, known = failures.request, failures.reason, failures.known
    width = request.shape[0]
    kept = 0
    for entry in range(known[0]):
        implied = reasons[entry] == reason
        for resource in range(width):
            implied &= requests[entry, resource] >= request[resource]
        if implied:
            continue
        for resource in range(width):
            requests[kept, resource] = requests[entry, resource]
        reasons[kept] = reasons[entry]
        kept += 1
    if kept < reasons.shape[0]:
        for resource in range(width):
            requests[kept, resource] = request[resource]
        reasons[kept] = reason
        kept += 1
    known[0] = kept


@inlined
def _count_source(
    rule: Any,
    index: NodeIndex,
    counters: Ints,
    life: Records,
    head: int,
    source: int,
    hosts: Ints,
) -> None:
    """Make the index count the running tasks of this source."""
    count = 0
    task = head
    while task != NONE:
        hosts[count] = life[task].node
        count += 1
        task = life[task].next_of_source
    counters[Count.TOUCHED] = change_source(rule, index, counters[Count.TOUCHED], hosts, count)
    counters[Count.SOURCE] = source


@kernel
def _bind(state: State, index: NodeIndex, task: int, node: int, t_s: float, tick_s: float) -> bool:
    """Start a task; whether it takes room, which a task of no length does not."""
    life, counters = state.book.life, state.counters
    counters[Count.PLACED] += 1
    life[task].wait_s += t_s - life[task].pending_since_s
    if state.tasks.duration_s[task] == 0.0:
        # Needs room, but is over before anything else can notice.
        state.book.state[task] = _FINISHED
        life[task].node = node
        life[task].start_s = t_s
        life[task].end_s = t_s
        counters[Count.FINISHED] += 1
        return False
    start(state, task, node, t_s, tick_s)
    if counters[Count.SOURCE] == state.tasks.source[task]:
        if index.same_source[node] == 0:
            index.touched[counters[Count.TOUCHED]] = node
            counters[Count.TOUCHED] += 1
        index.same_source[node] += 1
    return True


@kernel
def _give_up(state: State, task: int, t_s: float) -> None:
    life = state.book.life
    life[task].wait_s += t_s - life[task].pending_since_s
    if life[task].node == NONE:
        state.book.state[task] = _FAILED
        state.counters[Count.FAILED] += 1
    else:
        state.book.state[task] = _EVICTED
        state.counters[Count.EVICTED] += 1


@inlined
def _backoff_s(failures: int) -> float:
    """Wait after so many failures in a row."""
    return min(BACKOFF_START_S * 2.0 ** min(failures - 1, 30), BACKOFF_MAX_S)


@kernel
def scan(
    rule: Any,
    index: NodeIndex,
    state: State,
    settings: ScanSettings,
    order: Ranks,
    pending: Ranks,
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
    state_of, last_try = state.book.state, state.book.last_try
    tries, reason_of, life = state.book.attempts, state.book.reason, state.book.life
    requests, kind_of, source_of = state.tasks.request, state.tasks.request_kind, state.tasks.source
    kinds, counters, source_head = state.kinds, state.counters, state.lists.source_head
    failures = Failures(
        np.empty((REMEMBERED_FAILURES, requests.shape[1])),
        np.empty(REMEMBERED_FAILURES, np.int64),
        np.zeros(1, np.int64),
    )
    anything_present = index.present.any()
    short = settings.short_reason if anything_present else _NO_NODE
    attempts, failed, bound, left = 0, 0, 0, 0
    for turn in range(2 if settings.limited else 1):
        round_goes_on, tried = False, False
        for position in range(pending.shape[0]):
            task = order[pending[position]]
            if settings.limited:
                tried = life[task].tried_round == counters[Count.ROUND]
                if state_of[task] != _PENDING or last_try[task] == tick or (turn == 0 and tried):
                    continue
            if settings.backs_off and life[task].next_try_s > t_s:
                round_goes_on |= not tried
                continue
            if settings.limited:
                if attempts >= settings.max_attempts or failed >= settings.max_failures:
                    round_goes_on = True
                    break
                life[task].tried_round = counters[Count.ROUND]
            attempts += 1
            tries[task] += 1
            if not settings.every_tick:
                last_try[task] = tick
            kind = kinds[kind_of[task]]
            # Loads only grow within a scan: what failed for lack of resources fails again, and
            # so does what failed at a task limit, but its reason holds until the next bind only.
            known = kind.failed_tick == tick and (
                kind.reason == short or kind.placed == counters[Count.PLACED]
            )
            if not known:
                reason, request = _NO_NODE, requests[task]
                if anything_present:
                    reason = _known_reason(
                        failures.request, failures.reason, failures.known[0], request, short
                    )
                if reason == _NO_REASON:
                    source = source_of[task]
                    if settings.by_source and source != counters[Count.SOURCE]:
                        _count_source(
                            rule, index, counters, life, source_head[source], source, hosts
                        )
                    draw = mix(settings.seed, task, tick) if settings.seed >= 0 else -1
                    node = best_node(rule, index, request, draw)
                    if node != NONE:
                        if _bind(state, index, task, node, t_s, tick_s):
                            add_load(rule, index, node, request)
                            bound += 1
                        if settings.by_load and bound >= index.key.shape[0]:
                            # Loads have moved far from what the blocks were made for.
                            group_by_load(index)
                            refresh_blocks(index)
                            bound = 0
                        continue
                if reason != short:
                    why = short
                    if settings.task_limits and room_ignoring_task_limits(rule, index, request):
                        why = _TASK_LIMIT
                    if why != reason:
                        _remember(failures, request, why)
                    reason = why
                kind.failed_tick = tick
                kind.reason = reason
                kind.placed = counters[Count.PLACED]
            failed += 1
            reason_of[task] = kind.reason
            if settings.backs_off:
                life[task].failures += 1
                life[task].next_try_s = t_s + _backoff_s(life[task].failures)
            if settings.gives_up:
                _give_up(state, task, t_s)
        if not round_goes_on:
            # Everything was tried: those tried from here on belong to the next round.
            counters[Count.ROUND] += 1
    counters[Count.ATTEMPTS] += attempts
    if counters[Count.PLACED] == 0 and not settings.gives_up:
        return pending.shape[0]
    for position in range(pending.shape[0]):
        if state_of[order[pending[position]]] == _PENDING:
            pending[left] = pending[position]
            left += 1
    return left
