"""Usage as measured: the rows of task_usage, joined to the attempts they measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from flexsched.core.errors import InputError
from flexsched.traces.google2011.attempts import TaskRows
from flexsched.traces.google2011.lives import NEVER
from flexsched.traces.google2011.parts import begins_before
from flexsched.traces.google2011.quirks import Quirks
from flexsched.traces.google2011.schema import AFTER_END_US, INDEX_BITS, TASK_USAGE
from flexsched.traces.google2011.series import (
    NO_TASK,
    NOT_RUNNING,
    WINDOW_US,
    find_attempts,
    lay_out,
    settle,
)
from flexsched.traces.google2011.tables import Block, read_blocks


@dataclass(frozen=True)
class Measured:
    """Measurements of U usage rows that found their attempt.

    Attributes:
        rows_read: usage rows in the files, joined or not.
        rows_in_time: those that begin within the hours asked for.
        row: (U,) row of the workload.
        from_us, until_us: (U,) span in the row's own time.
        value: (U, 2) CPU and memory as fractions of the largest machine.
        length: (T,) windows of each row's series; 0: never measured.
    """

    rows_read: int
    rows_in_time: int
    row: NDArray[np.int64]
    from_us: NDArray[np.int64]
    until_us: NDArray[np.int64]
    value: NDArray[np.float64]
    length: NDArray[np.int64]

    def write(self, offset: NDArray[np.int64], usage: NDArray[np.float32], quirks: Quirks) -> None:
        """Write the series of measured rows to (W, 2) ``usage``, still as fractions."""
        begin = np.cumsum(self.length) - self.length
        windows = int(self.length.sum())
        total, covered_us = np.zeros((windows, 2)), np.zeros(windows)
        lay_out(begin[self.row], self.from_us, self.until_us, self.value, total, covered_us)
        quirks["series_windows_overlapping"] += int((covered_us > WINDOW_US).sum())
        means = np.empty((windows, 2), np.float32)
        quirks["series_windows_filled"] += settle(begin, self.length, total, covered_us, means)
        within = np.arange(windows) - np.repeat(begin, self.length)
        usage[np.repeat(offset, self.length) + within] = means


def read_usage(
    paths: Sequence[Path], tasks: TaskRows, *, limit_us: int, quirks: Quirks
) -> Measured:
    """Join the usage rows that begin before ``limit_us`` to the attempts they measure.

    An attempt that the events leave running is taken to run on, whatever rows show of it.

    Raises:
        InputError: a row breaks the schema.
    """
    index = _AttemptIndex.of(tasks)
    joined = [_NOTHING_JOINED]
    joined += [_join(block, index, limit_us, quirks) for block in _blocks(paths, limit_us, quirks)]
    columns = [np.concatenate(column) for column in zip(*(j.columns for j in joined), strict=True)]
    row, from_us, until_us, value = columns
    length = np.zeros(len(tasks), np.int64)
    np.maximum.at(length, row, -(-until_us // WINDOW_US))
    _count_ratios(tasks.request[row], quirks)
    past = (length > 0) & (length * (WINDOW_US / 1e6) < tasks.duration_s)
    quirks["series_past_measurement"] += int(past.sum())
    return Measured(
        rows_read=sum(j.rows_read for j in joined),
        rows_in_time=sum(j.rows_in_time for j in joined),
        row=row,
        from_us=from_us,
        until_us=until_us,
        value=value,
        length=length,
    )


def refuse_lost_usage(
    measured: Measured, tasks: TaskRows, event_files: Sequence[Path], usage_files: Sequence[Path]
) -> None:
    """Refuse usage files of which not one row found its task.

    Raises:
        InputError: naming a file of each kind and one of its tasks.
    """
    if len(measured.row) or not measured.rows_in_time:
        return
    block = next(_blocks(usage_files, AFTER_END_US, Quirks()))
    of_usage = f"{block['job ID'][0]}-{block['task index'][0]}"
    key = int(tasks.attempts["key"][0])
    of_events = f"{key >> INDEX_BITS}-{key & (1 << INDEX_BITS) - 1}"
    raise InputError(
        f"expected usage rows of tasks that run at the time, got none that joins: "
        f"{usage_files[0]} has task {of_usage}, {event_files[0]} has task {of_events}",
        where=str(usage_files[0]),
        remedy='give the parts that belong together, or usage="request" to do without usage',
    )


@dataclass(frozen=True)
class _AttemptIndex:
    """Attempts that started, sorted by task and start."""

    keys: NDArray[np.int64]
    starts_us: NDArray[np.int64]
    ends_us: NDArray[np.int64]
    machines: NDArray[np.int64]
    row: NDArray[np.int64]
    clock_us: NDArray[np.int64]

    @classmethod
    def of(cls, tasks: TaskRows) -> _AttemptIndex:
        started = np.flatnonzero(tasks.attempts["start_us"] != NEVER)
        found = tasks.attempts[started]
        order = np.lexsort((found["start_us"], found["key"]))
        found = found[order]
        return cls(
            keys=np.ascontiguousarray(found["key"]),
            starts_us=np.ascontiguousarray(found["start_us"]),
            ends_us=np.where(found["end_us"] == NEVER, AFTER_END_US, found["end_us"]),
            machines=np.ascontiguousarray(found["machine"]),
            row=tasks.row[started][order],
            clock_us=tasks.clock_us[started][order],
        )


@dataclass(frozen=True)
class _Joined:
    rows_read: int
    rows_in_time: int
    columns: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


_NOTHING_JOINED = _Joined(
    0, 0, (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, 2)))
)


def _blocks(paths: Sequence[Path], limit_us: int, quirks: Quirks) -> Iterator[Block]:
    for path in paths:
        if begins_before(path, limit_us):
            yield from read_blocks(path, TASK_USAGE, quirks)


def _join(block: Block, index: _AttemptIndex, limit_us: int, quirks: Quirks) -> _Joined:
    _count_rows(block, quirks)
    value = np.stack((block["CPU rate"], block["canonical memory usage"]), axis=1)
    from_us, until_us = block["start time"], block["end time"]
    in_time = from_us < limit_us
    quirks["usage_after_end"] += int((~in_time).sum())
    usable = in_time & (from_us < until_us) & ~np.isnan(value).any(axis=1)
    key = ((block["job ID"] << INDEX_BITS) | block["task index"])[usable]
    machine, from_us, value = block["machine ID"][usable], from_us[usable], value[usable]
    until_us = np.minimum(until_us[usable], from_us + WINDOW_US)
    at = np.empty(len(key), np.int64)
    find_attempts(
        index.keys, index.starts_us, index.ends_us, index.machines,
        key, from_us, until_us, machine, at,
    )  # fmt: skip
    quirks["usage_without_task"] += int((at == NO_TASK).sum())
    quirks["usage_outside_attempt"] += int((at == NOT_RUNNING).sum())
    found, at = at >= 0, at[at >= 0]
    quirks["usage_other_machine"] += int((index.machines[at] != machine[found]).sum())
    from_us = np.maximum(from_us[found], index.starts_us[at]) - index.clock_us[at]
    until_us = np.minimum(until_us[found], index.ends_us[at]) - index.clock_us[at]
    return _Joined(
        len(in_time), int(in_time.sum()), (index.row[at], from_us, until_us, value[found])
    )


def _count_rows(block: Block, quirks: Quirks) -> None:
    """Count what can be told from single rows."""
    span_us = block["end time"] - block["start time"]
    cpu, memory, peak = (
        block["CPU rate"],
        block["canonical memory usage"],
        block["maximum CPU rate"],
    )
    for name, rows in (
        ("usage_window_short", (span_us > 0) & (span_us < WINDOW_US)),
        ("usage_window_long", span_us > WINDOW_US),
        ("usage_window_empty", span_us <= 0),
        ("usage_value_empty", np.isnan(cpu) | np.isnan(memory)),
        ("usage_cpu_zero", cpu == 0),
        ("usage_memory_zero", memory == 0),
        ("usage_peak_below_mean", peak < cpu),
        ("usage_max_io_empty", np.isnan(block["maximum disk IO time"])),
        ("usage_cpi_empty", np.isnan(block["cycles per instruction"])),
        ("usage_mai_empty", np.isnan(block["memory accesses per instruction"])),
    ):
        quirks[name] += int(rows.sum())


def _count_ratios(request: NDArray[np.float64], quirks: Quirks) -> None:
    """Count joined rows whose usage/request ratio does not exist."""
    quirks["usage_ratio_cpu_left_out"] += int((request[:, 0] == 0).sum())
    quirks["usage_ratio_memory_left_out"] += int((request[:, 1] == 0).sum())
