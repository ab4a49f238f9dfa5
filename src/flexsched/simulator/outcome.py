"""What became of each task and node, as the tables ``tasks.parquet`` and ``nodes.parquet``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from flexsched.core.reasons import Reason
from flexsched.core.reasons import State as TaskState
from flexsched.simulator.engine import Simulation
from flexsched.simulator.explain import reason_details
from flexsched.simulator.state import NONE

_STATES = pa.array([state.name.lower() for state in TaskState])
_REASONS = pa.array([None, *(reason.name.lower() for reason in Reason if reason)], pa.string())


def submitted_tasks(simulation: Simulation) -> NDArray[np.int64]:
    """Tasks that have a record, in input order."""
    return np.flatnonzero(simulation.state.book.state != int(TaskState.UNSUBMITTED))


def task_table(simulation: Simulation) -> pa.Table:
    """One row per submitted task, in input order."""
    workload, book = simulation.workload, simulation.state.book
    tasks = submitted_tasks(simulation)
    node = book.life.node[tasks]
    nowhere = node == NONE
    file_row = simulation.order[np.where(nowhere, 0, node)]
    ended = book.state[tasks] == int(TaskState.FINISHED)
    return pa.table(
        {
            "name": _take(workload.task_names, tasks),
            "source": _take(workload.source_names, workload.source[tasks]),
            "submit_s": workload.submit_s[tasks],
            "start_s": pa.array(book.life.start_s[tasks], mask=np.isnan(book.life.start_s[tasks])),
            "end_s": pa.array(book.life.end_s[tasks], mask=~ended),
            "node": _take(simulation.cluster.names, file_row, mask=nowhere),
            "state": _STATES.take(pa.array(book.state[tasks])),
            "attempts": book.attempts[tasks].astype(np.int64),
            "reason": _REASONS.take(pa.array(book.reason[tasks])),
            "reason_detail": reason_details(simulation, tasks),
            "wait_s": book.life.wait_s[tasks],
            "violated_s": book.life.violated_s[tasks],
        }
    )


def node_table(simulation: Simulation) -> pa.Table:
    """One row per node in file order: summaries of usage and request over its rows."""
    statistics, resources = simulation.statistics, simulation.cluster.resources
    row = np.empty_like(simulation.order)
    row[simulation.order] = np.arange(len(simulation.order))
    rows = statistics.rows[row]
    absent = rows == 0
    columns: dict[str, Any] = {
        "name": pa.array(list(simulation.cluster.names), pa.string()),
        "count": rows,
    }
    spread = np.sqrt(statistics.squares / np.maximum(statistics.rows, 1)[:, np.newaxis])
    for kind, name in enumerate(("usage", "request")):
        for position, resource in enumerate(resources):
            figures = {"mean": statistics.mean, "std": spread,
                       "min": statistics.least, "max": statistics.most}  # fmt: skip
            for figure, values in figures.items():
                column = values[kind, row, position]
                columns[f"{name}_{resource}_{figure}"] = pa.array(column, mask=absent)
    return pa.table(columns)


def held_windows(simulation: Simulation) -> int:
    """Windows past the end of a task's series in which its last value was held (case T6).

    A series of one value is a constant, not a short series, and is not counted.
    """
    workload, book = simulation.workload, simulation.state.book
    ran = ~np.isnan(book.life.start_s) & (workload.usage_length > 1)
    start_s = book.life.start_s[ran]
    until_s = np.fmin(book.life.end_s[ran], simulation.last_t_s + simulation.settings.tick_s)
    windows = np.ceil((until_s - start_s) / workload.window_s[ran])
    return int(np.maximum(windows - workload.usage_length[ran], 0).sum())


def _take(
    names: Any, rows: NDArray[np.int64], mask: NDArray[np.bool_] | None = None
) -> pa.Array | pa.ChunkedArray:
    column = names if isinstance(names, (pa.Array, pa.ChunkedArray)) else pa.array(
        [str(name) for name in names], pa.string())  # fmt: skip
    return pc.cast(column.take(pa.array(rows, mask=mask)), pa.string())
