"""From the files of the trace to a workload."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from flexsched.core.errors import InputError, SettingError
from flexsched.core.workload import Workload
from flexsched.traces.google2011.attempts import TaskRows, collect, to_rows
from flexsched.traces.google2011.events import AttemptStream, until_us
from flexsched.traces.google2011.hybrid import series_lengths, write_drawn
from flexsched.traces.google2011.machines import Capacity, Machines, read_machines
from flexsched.traces.google2011.parts import Parts, find_parts
from flexsched.traces.google2011.quirks import Quirks
from flexsched.traces.google2011.result import UsageTable, runs_at_start, to_workload
from flexsched.traces.google2011.usage import Measured, read_usage, refuse_lost_usage

UsageMode = Literal["auto", "request"]


def read_trace(
    paths: Sequence[Path],
    *,
    node: Capacity,
    until_s: float | None,
    seed: int,
    merge_attempts: bool,
    fallback_duration_s: float,
    usage: UsageMode,
) -> Workload:
    """See :func:`flexsched.traces.google2011.read`; ``node`` is cores and bytes."""
    _check_settings(node, seed, fallback_duration_s, usage)
    quirks = Quirks()
    parts = find_parts(paths, quirks)
    stream = AttemptStream(parts.task_events, until_us(until_s), quirks)
    attempts = collect(stream)
    if not len(attempts):
        raise InputError(
            "expected task events before the end of the hours asked for, got none that "
            "begins an attempt",
            where=str(parts.task_events[0]),
        )
    tasks = to_rows(
        attempts, merge=merge_attempts, fallback_duration_s=fallback_duration_s, quirks=quirks
    )
    machines = _machines(parts, tasks, stream.end_us, node, quirks)
    series = _usage(parts, tasks, stream, usage, seed)
    return to_workload(tasks, machines, series, node, stream)


def _check_settings(
    node: Capacity, seed: int, fallback_duration_s: float, usage: UsageMode
) -> None:
    for name, value, holds, expected in (
        ("node_cores", node[0], 0 < node[0] < np.inf, "a finite number > 0"),
        ("node_memory_bytes", node[1], 0 < node[1] < np.inf, "a finite number > 0"),
        ("seed", seed, seed >= 0, "an integer >= 0"),
        ("fallback_duration_s", fallback_duration_s, fallback_duration_s >= 0, "a length >= 0"),
        ("usage", usage, usage in get_args(UsageMode), " or ".join(get_args(UsageMode))),
    ):
        if not holds:
            raise SettingError(f"{name}: expected {expected}, got {value}")


def _machines(
    parts: Parts, tasks: TaskRows, end_us: int, node: Capacity, quirks: Quirks
) -> Machines | None:
    if not parts.machine_events:
        return None
    return read_machines(
        parts.machine_events,
        end_us=end_us,
        running_at_start=tasks.of_first("machine")[runs_at_start(tasks)],
        node=node,
        quirks=quirks,
    )


def _usage(
    parts: Parts, tasks: TaskRows, stream: AttemptStream, mode: UsageMode, seed: int
) -> UsageTable:
    count, quirks = len(tasks), stream.quirks
    if mode == "request":
        nothing = np.zeros(count, np.int64)
        return UsageTable("request", np.empty((0, 2), np.float32), nothing, nothing, 0, 0, 0, 0)
    measured: Measured | None = None
    measured_length = np.zeros(count, np.int64)
    if parts.task_usage:
        measured = read_usage(parts.task_usage, tasks, limit_us=stream.until_us, quirks=quirks)
        refuse_lost_usage(measured, tasks, parts.task_events, parts.task_usage)
        measured_length = measured.length
    drawn = measured_length == 0
    drawn_length = series_lengths(tasks, drawn, end_us=stream.end_us, quirks=quirks)
    length = measured_length + drawn_length
    offset = np.cumsum(length) - length
    table = np.zeros((int(length.sum()), 2), np.float32)
    if measured is not None:
        measured.write(offset, table, quirks)
    write_drawn(tasks, offset, drawn_length, table, seed)
    return UsageTable(
        kind="hybrid" if drawn.any() else "measured",
        table=table,
        offset=offset,
        length=length,
        measured=int((~drawn).sum()),
        drawn=int(drawn.sum()),
        rows_read=0 if measured is None else measured.rows_read,
        rows_joined=0 if measured is None else len(measured.row),
    )
