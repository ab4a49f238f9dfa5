"""The workload as handed out: columns, names, and what a reader of results must know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from flexsched.core.cluster import STANDARD_RESOURCES
from flexsched.core.workload import Provenance, UsageKind, Workload
from flexsched.traces.google2011.attempts import TaskRows
from flexsched.traces.google2011.events import AttemptStream
from flexsched.traces.google2011.hybrid import CPU_LEVEL, MEMORY_LEVEL
from flexsched.traces.google2011.machines import Capacity, Machines
from flexsched.traces.google2011.quirks import Quirks
from flexsched.traces.google2011.schema import INDEX_BITS, US_PER_S
from flexsched.traces.google2011.series import WINDOW_US

SOURCE = "Google cluster trace clusterdata-2011-2 (Reiss, Wilkes, Hellerstein)"
LICENCE = "CC-BY 4.0"
#: The trace begins at 19:00 EDT on 1 May 2011, which is its time 600 s.
TIME_ORIGIN = "2011-05-01T18:50:00-04:00"
#: Classes of the Flex paper (section 2), lowest priority first.
CLASS_NAMES = ("batch", "production", "system")
#: Lowest priorities of production and of system (10: monitoring, 11: infrastructure).
_CLASS_BOUNDS = (9, 10)


@dataclass(frozen=True)
class UsageTable:
    """Series of T rows, as fractions of the largest machine.

    Attributes:
        kind: how they came about.
        table: (W, 2) CPU and memory.
        offset, length: (T,) windows of each row in ``table``.
        measured, drawn: rows with a measured and with a drawn series.
        rows_read, rows_joined: usage rows of the files, and those that found their attempt.
    """

    kind: UsageKind
    table: NDArray[np.float32]
    offset: NDArray[np.int64]
    length: NDArray[np.int64]
    measured: int
    drawn: int
    rows_read: int
    rows_joined: int


def runs_at_start(tasks: TaskRows) -> NDArray[np.bool_]:
    """(T,) whether a row was running when the trace began."""
    return np.asarray(tasks.of_first("start_us") == 0)


def to_workload(
    tasks: TaskRows,
    machines: Machines | None,
    series: UsageTable,
    node: Capacity,
    stream: AttemptStream,
) -> Workload:
    """Put everything together; ``series.table`` is scaled in place to cores and bytes."""
    key, priority = tasks.of_first("key"), tasks.of_last("priority")
    jobs, source = np.unique(key >> INDEX_BITS, return_inverse=True)
    start_node = np.full(len(tasks), -1, np.int32)
    running = runs_at_start(tasks)
    if machines is not None:
        start_node[running] = machines.at_start(tasks.of_first("machine")[running])
    names = _names(key, tasks.ordinal[tasks.first])
    said = _assumptions(tasks, machines, series, node)
    if machines is not None:
        said += _requests_above_machine(tasks, machines, names, node, stream.quirks)
    table = series.table
    table *= np.array(node, np.float32)
    return Workload(
        name="google2011",
        resources=STANDARD_RESOURCES,
        task_names=names,
        source=source.astype(np.int64),
        source_names=jobs.astype(str).tolist(),
        priority=priority,
        task_class=np.digitize(priority, _CLASS_BOUNDS).astype(np.int8),
        class_names=CLASS_NAMES,
        submit_s=tasks.of_first("submit_us") / US_PER_S,
        duration_s=tasks.duration_s,
        start_node=start_node,
        trace_task=key,
        request=tasks.request * node,
        usage=table,
        usage_offset=series.offset,
        usage_length=series.length,
        window_s=np.full(len(tasks), WINDOW_US / US_PER_S),
        nodes=None if machines is None else machines.cluster,
        provenance=_provenance(tasks, machines, series, stream, said),
        # What was read tells nothing of later times; runs of any policy cover the same time.
        horizon_s=float(stream.end_us // US_PER_S + 1),
    )


def _names(key: NDArray[np.int64], ordinal: NDArray[np.int64]) -> Any:
    """Arrow strings such as 3418309-0, and 3418309-0#2 for the second attempt."""
    job = pa.array(key >> INDEX_BITS).cast(pa.string())
    index = pa.array(key & (1 << INDEX_BITS) - 1).cast(pa.string())
    number = pc.binary_join_element_wise("#", pa.array(ordinal + 1).cast(pa.string()), "")
    suffix = pc.if_else(pa.array(ordinal == 0), "", number)
    return pc.binary_join_element_wise(pc.binary_join_element_wise(job, index, "-"), suffix, "")


def _provenance(
    tasks: TaskRows,
    machines: Machines | None,
    series: UsageTable,
    stream: AttemptStream,
    said: Sequence[str],
) -> Provenance:
    attempts, running = tasks.attempts, runs_at_start(tasks)
    submit_us = tasks.of_first("submit_us")
    counts = {
        "event_rows": stream.rows,
        "jobs": len(np.unique(attempts["key"] >> INDEX_BITS)),
        "tasks": len(np.unique(attempts["key"])),
        "attempts": len(attempts),
        "running_at_start": int(running.sum()),
        "pending_at_start": int((~running & (submit_us == 0)).sum()),
        "outlive_the_data": int(np.isinf(tasks.duration_s).sum()),
        "zero_length": int((tasks.duration_s == 0).sum()),
        "nodes": 0 if machines is None else len(machines.cluster),
        "usage_rows": series.rows_read,
        "usage_rows_joined": series.rows_joined,
        "usage_measured": series.measured,
        "usage_drawn": series.drawn,
    }
    return Provenance(
        source=SOURCE,
        licence=LICENCE,
        usage_kind=series.kind,
        time_origin=TIME_ORIGIN,
        assumptions=tuple(said),
        counts=counts,
        quirks={name: count for name, count in sorted(stream.quirks.items()) if count},
    )


def _assumptions(
    tasks: TaskRows,
    machines: Machines | None,
    series: UsageTable,
    node: Capacity,
) -> list[str]:
    """Sentences that a reader of results must know."""
    cores, gib = node[0], node[1] / 2**30
    said = [
        f"The trace gives fractions of its largest machine, taken as {cores:g} cores and "
        f"{gib:g} GiB.",
        "Priorities 0 to 8 are called batch, 9 production, 10 and 11 system.",
    ]
    if len(tasks) < len(tasks.attempts):
        said.append("All attempts of a task are merged into one that runs as long as they did.")
    if machines is None:
        said.append(
            f"Without machine_events the {runs_at_start(tasks).sum()} tasks running at time 0 "
            "have no node; they are submitted at time 0."
        )
    if series.kind == "request":
        said.append("Usage was not asked for: every task uses what it requests.")
        return said
    if series.measured:
        said.append(
            f"Usage of {series.measured} tasks is measured ({series.rows_joined} rows), in "
            "windows of 300 s from the task's own start; a value holds where none was measured."
        )
    if series.drawn:
        said.append(
            f"Usage of {series.drawn} tasks is hybrid: request times a ratio drawn from the "
            f"published distribution (mean {CPU_LEVEL:.2f} CPU, {MEMORY_LEVEL:.2f} memory), "
            "over time as series of the same cluster (GCD_VMs), one per job, at most 24 h long."
        )
    return said


def _requests_above_machine(
    tasks: TaskRows, machines: Machines, names: Any, node: Capacity, quirks: Quirks
) -> list[str]:
    """Count rows that ask more than their machine ever had, and show the first of them."""
    machine = tasks.of_last("machine")
    request, most = tasks.request * node, machines.largest(machine)
    above = request > most * (1 + 1e-9)
    rows = np.flatnonzero(above.any(axis=1))
    quirks["request_above_machine"] += len(rows)
    if not len(rows):
        return []
    row = rows[0]
    resource = int(np.argmax(above[row]))
    asks, has = request[row, resource], most[row, resource]
    return [
        f"{len(rows)} tasks ask more than the machine they ran on ever had, such as {names[row]}: "
        f"{STANDARD_RESOURCES[resource]} {asks:g} on m{machine[row]} with {has:g}."
    ]
