"""From attempts to the rows of a workload: order, lengths, requests, merging."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexsched.core.errors import InputError
from flexsched.traces.google2011.events import AttemptStream
from flexsched.traces.google2011.lives import NEVER, Attempts
from flexsched.traces.google2011.quirks import RESUBMITS, Quirks
from flexsched.traces.google2011.schema import US_PER_S


@dataclass(frozen=True)
class TaskRows:
    """T rows of the workload, made from A attempts.

    Attributes:
        attempts: (A,) records in the order of their first events.
        ordinal: (A,) 0 for the first attempt of a task, 1 for the second, ...
        row: (A,) row of the workload that the attempt belongs to.
        clock_us: (A,) time of the trace at which the row's own clock would read 0; the
            start, unless earlier attempts were merged into the row.
        first, last: (T,) first and last attempt of each row.
        duration_s: (T,) inf if the row outlives the data.
        request: (T, 2) CPU and memory as fractions of the largest machine.
    """

    attempts: Attempts
    ordinal: NDArray[np.int64]
    row: NDArray[np.int64]
    clock_us: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    duration_s: NDArray[np.float64]
    request: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.first)

    def of_first(self, name: str) -> NDArray[Any]:
        """(T,) a field of each row's first attempt (whole records would be copied whole)."""
        return np.asarray(self.attempts[name][self.first])

    def of_last(self, name: str) -> NDArray[Any]:
        """(T,) a field of each row's last attempt."""
        return np.asarray(self.attempts[name][self.last])


def collect(stream: AttemptStream) -> Attempts:
    """All attempts of the stream, in the order of their first events."""
    attempts = np.concatenate(list(stream))
    return attempts[np.argsort(attempts["row"])]


def to_rows(
    attempts: Attempts, *, merge: bool, fallback_duration_s: float, quirks: Quirks
) -> TaskRows:
    """Lay attempts out as rows: one each, or one per task with ``merge``.

    A merged row is submitted with its first attempt and lasts as long as all its attempts
    ran together. Its request and priority are those of the last attempt.

    Raises:
        InputError: no row tells any request.
    """
    by_task = np.lexsort((attempts["row"], attempts["key"]))
    ordinal = _ordinals(attempts, by_task)
    _count_attempts(attempts, by_task, quirks)
    ran_us = _ran_us(attempts)
    if merge:
        first = np.flatnonzero(ordinal == 0)
        _, of_key = np.unique(attempts["key"], return_inverse=True)
        row = np.argsort(attempts["key"][first])[of_key]
    else:
        first = row = np.arange(len(attempts))
    clock_us: NDArray[np.int64] = attempts["start_us"].copy()
    if merge:
        clock_us -= _ran_before_us(ran_us, by_task, ordinal)
    last = np.empty(len(first), np.int64)
    last[row] = np.arange(len(attempts))
    return TaskRows(
        attempts=attempts,
        ordinal=ordinal,
        row=row,
        clock_us=clock_us,
        first=first,
        last=last,
        duration_s=_durations_s(attempts, ran_us, row, len(first), fallback_duration_s),
        request=_requests(attempts, quirks)[last],
    )


def _ordinals(attempts: Attempts, by_task: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of earlier attempts of the same task."""
    keys = attempts["key"][by_task]
    place = np.arange(len(keys))
    starts = np.concatenate(([True], keys[1:] != keys[:-1])) if len(keys) else place == 0
    ordinal = np.empty(len(keys), np.int64)
    ordinal[by_task] = place - np.maximum.accumulate(np.where(starts, place, 0))
    return ordinal


def _count_attempts(attempts: Attempts, by_task: NDArray[np.int64], quirks: Quirks) -> None:
    keys, ends = attempts["key"][by_task], attempts["end_event"][by_task]
    resubmitted_after = ends[:-1][keys[1:] == keys[:-1]]
    for event, name in RESUBMITS.items():
        quirks[name] += int((resubmitted_after == event).sum())
    waiting, open_ended = attempts["start_us"] == NEVER, attempts["end_us"] == NEVER
    quirks["never_started"] += int((waiting & ~open_ended).sum())
    quirks["never_started_pending_at_end"] += int((waiting & open_ended).sum())


def _ran_us(attempts: Attempts) -> NDArray[np.int64]:
    """How long each attempt ran; 0 if it never did, or has not ended."""
    ended = (attempts["start_us"] != NEVER) & (attempts["end_us"] != NEVER)
    return np.where(ended, attempts["end_us"] - attempts["start_us"], 0)


def _ran_before_us(
    ran_us: NDArray[np.int64], by_task: NDArray[np.int64], ordinal: NDArray[np.int64]
) -> NDArray[np.int64]:
    """How long the earlier attempts of the same task ran."""
    before = np.cumsum(ran_us[by_task]) - ran_us[by_task]
    place = np.arange(len(by_task)) - ordinal[by_task]
    result = np.empty(len(by_task), np.int64)
    result[by_task] = before - before[place]
    return result


def _durations_s(
    attempts: Attempts,
    ran_us: NDArray[np.int64],
    row: NDArray[np.int64],
    rows: int,
    fallback_duration_s: float,
) -> NDArray[np.float64]:
    started = attempts["start_us"] != NEVER
    total_us = np.zeros(rows, np.int64)
    np.add.at(total_us, row, ran_us)
    ever_started, endless = np.zeros(rows, np.bool_), np.zeros(rows, np.bool_)
    ever_started[row[started]] = True
    endless[row[started & (attempts["end_us"] == NEVER)]] = True
    duration_s = np.where(ever_started, total_us / US_PER_S, fallback_duration_s)
    return np.where(endless, np.inf, duration_s)


def _requests(attempts: Attempts, quirks: Quirks) -> NDArray[np.float64]:
    """(A, 2) requests; what no row told is filled with the median of what was told."""
    request = np.stack((attempts["cpu"], attempts["memory"]), axis=1)
    unknown = np.isnan(request)
    if unknown.any():
        quirks["request_filled_with_median"] += int(unknown.any(axis=1).sum())
        for resource in range(request.shape[1]):
            known = request[~unknown[:, resource], resource]
            if not len(known):
                raise InputError(
                    "expected at least one task_events row with CPU and memory request, got none"
                )
            request[unknown[:, resource], resource] = np.median(known)
    return request
