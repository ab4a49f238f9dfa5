"""The life of a task, event by event: the kernel that turns event rows into attempts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexsched.core.jit import kernel
from flexsched.traces.google2011.schema import (
    EMPTY,
    LOST,
    SCHEDULE,
    SUBMIT,
)

#: ``phase`` of a task between and during its attempts.
ABSENT, PENDING, RUNNING = range(3)
#: ``start_us`` and ``end_us`` of what has not happened.
NEVER = -1

#: One attempt of a task, finished or under way.
#: key: job << INDEX_BITS | index; row: place of its first event in the trace, from 0;
#: times in microseconds, NEVER if not (yet); machine: EMPTY before the start;
#: cpu, memory: request as a fraction of the largest machine, NaN while no row told it;
#: end_event: type of the event that ended it, or EMPTY.
ATTEMPT = np.dtype(
    [
        ("key", np.int64),
        ("row", np.int64),
        ("submit_us", np.int64),
        ("start_us", np.int64),
        ("end_us", np.int64),
        ("machine", np.int64),
        ("cpu", np.float64),
        ("memory", np.float64),
        ("priority", np.int16),
        ("phase", np.int8),
        ("end_event", np.int8),
    ]
)
Attempts = np.ndarray[Any, np.dtype[np.void]]

#: What the kernel tallies, in the order of its ``tally`` argument.
TALLIES = (
    "submit_while_pending",
    "submit_while_running",
    "schedule_without_submit",
    "schedule_while_running",
    "end_without_submit",
    "update_without_submit",
    "update_pending",
    "update_running",
    "update_running_request_ignored",
    "request_changed_at_schedule",
    "request_first_known_at_schedule",
)
(
    _SUBMIT_PENDING,
    _SUBMIT_RUNNING,
    _SCHEDULE_ABSENT,
    _SCHEDULE_RUNNING,
    _END_ABSENT,
    _UPDATE_ABSENT,
    _UPDATE_PENDING,
    _UPDATE_RUNNING,
    _UPDATE_IGNORED,
    _REQUEST_CHANGED,
    _REQUEST_LATE,
) = range(len(TALLIES))


@kernel
def _begin(live: Attempts, at: int, row: int, time_us: int, priority: int) -> None:
    live["row"][at] = row
    live["submit_us"][at] = time_us
    live["start_us"][at] = NEVER
    live["end_us"][at] = NEVER
    live["machine"][at] = EMPTY
    live["cpu"][at] = np.nan
    live["memory"][at] = np.nan
    live["priority"][at] = priority
    live["phase"][at] = PENDING
    live["end_event"][at] = EMPTY


@kernel
def _differs(live: Attempts, at: int, cpu: float, memory: float) -> bool:
    """Whether a row carries another request than the attempt has; an empty field never does."""
    # Comparisons with NaN are false, so each pair holds only where both are known.
    known_cpu, known_memory = live["cpu"][at], live["memory"][at]
    return cpu < known_cpu or cpu > known_cpu or memory < known_memory or memory > known_memory


@kernel
def _take_request(live: Attempts, at: int, cpu: float, memory: float) -> None:
    if not np.isnan(cpu):
        live["cpu"][at] = cpu
    if not np.isnan(memory):
        live["memory"][at] = memory


@kernel
def _end(live: Attempts, at: int, time_us: int, event: int, ended: Attempts, count: int) -> int:
    live["end_us"][at] = time_us
    live["end_event"][at] = event
    ended[count] = live[at]
    live["phase"][at] = ABSENT
    return count + 1


@kernel
def advance(
    at_row: NDArray[np.int64],
    time_us: NDArray[np.int64],
    event: NDArray[np.int64],
    machine: NDArray[np.int64],
    priority: NDArray[np.int64],
    cpu: NDArray[np.float64],
    memory: NDArray[np.float64],
    first_row: int,
    live: Attempts,
    ended: Attempts,
    tally: NDArray[np.int64],
) -> int:
    """Apply a block of N event rows, in order, to the tasks alive.

    Args:
        at_row: (N,) place of each row's task in ``live``.
        time_us: (N,) times, ascending.
        event: (N,) event types.
        machine: (N,) machine IDs, EMPTY where a row names none.
        priority: (N,) priorities.
        cpu: (N,) CPU requests, NaN where a row has none.
        memory: (N,) memory requests, NaN where a row has none.
        first_row: place of the block's first row in the trace.
        live: one record per task, changed in place; ``phase`` ABSENT if it is not there.
        ended: (N,) receives the attempts that ended, in the order of their ends.
        tally: (len(TALLIES),) counts, added to.

    Returns:
        How many attempts ended.
    """
    count = 0
    for i in range(len(at_row)):
        at = at_row[i]
        phase = live["phase"][at]
        if event[i] == SUBMIT:
            if phase == PENDING:
                tally[_SUBMIT_PENDING] += 1
                continue
            if phase == RUNNING:
                tally[_SUBMIT_RUNNING] += 1
                count = _end(live, at, time_us[i], LOST, ended, count)
            _begin(live, at, first_row + i, time_us[i], priority[i])
            _take_request(live, at, cpu[i], memory[i])
        elif event[i] == SCHEDULE:
            if phase == RUNNING:
                tally[_SCHEDULE_RUNNING] += 1
                continue
            if phase == ABSENT:
                tally[_SCHEDULE_ABSENT] += 1
                _begin(live, at, first_row + i, time_us[i], priority[i])
                _take_request(live, at, cpu[i], memory[i])
            elif _differs(live, at, cpu[i], memory[i]):
                tally[_REQUEST_CHANGED] += 1
            elif np.isnan(live["cpu"][at]) and not np.isnan(cpu[i]):
                tally[_REQUEST_LATE] += 1
            _take_request(live, at, cpu[i], memory[i])
            live["start_us"][at] = time_us[i]
            live["machine"][at] = machine[i]
            live["phase"][at] = RUNNING
        elif event[i] <= LOST:
            if phase == ABSENT:
                tally[_END_ABSENT] += 1
                continue
            count = _end(live, at, time_us[i], event[i], ended, count)
        elif phase == ABSENT:
            tally[_UPDATE_ABSENT] += 1
        elif phase == PENDING:
            tally[_UPDATE_PENDING] += 1
            _take_request(live, at, cpu[i], memory[i])
            live["priority"][at] = priority[i]
        else:
            tally[_UPDATE_RUNNING] += 1
            tally[_UPDATE_IGNORED] += _differs(live, at, cpu[i], memory[i])
    return count
