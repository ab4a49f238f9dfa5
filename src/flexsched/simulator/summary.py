"""A policy's entry of ``summary.json``, and the load that a workload offers a cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from flexsched.core.reasons import State as TaskState
from flexsched.simulator.engine import Simulation
from flexsched.simulator.outcome import submitted_tasks

_COUNTED = ("finished", "running", "pending", "rejected", "failed", "evicted")


def summarise_run(
    simulation: Simulation, ticks: pa.Table, violated: int, target_qos: float
) -> dict[str, Any]:
    """Means over all rows and counts over all tasks; timing is the caller's to add.

    Args:
        simulation: an ended simulation.
        ticks: its table of rows.
        violated: sum over rows of the running tasks that were violated.
        target_qos: rho, for ``violated_time_fraction``.
    """
    entry: dict[str, Any] = {}
    for kind in ("request", "usage", "demand"):
        for resource in simulation.cluster.resources:
            column = ticks[f"{kind}_{resource}_fraction"]
            entry[f"{kind}_{resource}"] = {
                "mean": pc.mean(column).as_py(),
                "max": pc.max(column).as_py(),
            }
    entry["qos"] = _qos(ticks, violated, target_qos)
    penalty = ticks["penalty"]
    shown = penalty.null_count < len(penalty)
    entry["penalty"] = (
        {"mean": pc.mean(penalty).as_py(), "max": pc.max(penalty).as_py()} if shown else None
    )
    for resource in simulation.cluster.resources:
        entry[f"imbalance_{resource}"] = pc.mean(ticks[f"imbalance_{resource}"]).as_py()
    entry["counts"] = _counts(simulation)
    entry["wait_s"] = _wait(simulation)
    return entry


def _qos(ticks: pa.Table, violated: int, target_qos: float) -> dict[str, Any]:
    running = ticks["running"].to_numpy()
    qos = ticks["qos"].to_numpy()
    busy = running > 0
    return {
        "mean": float(qos.mean()) if len(qos) else None,
        "min": float(qos.min()) if len(qos) else None,
        "violated_time_fraction": float((qos[busy] < target_qos).mean()) if busy.any() else 0.0,
        "violated_task_fraction": (float(violated / running.sum()) if busy.any() else 0.0),
    }


def _counts(simulation: Simulation) -> dict[str, int]:
    states = simulation.state.book.state[submitted_tasks(simulation)]
    counts = {name: int((states == TaskState[name.upper()]).sum()) for name in _COUNTED}
    return {"submitted": len(states), **counts}


def _wait(simulation: Simulation) -> dict[str, float | None]:
    """Waits of the tasks that started, without those that were running at the start."""
    book = simulation.state.book
    started = np.isin(book.state, (int(TaskState.RUNNING), int(TaskState.FINISHED)))
    waits = book.life.wait_s[started & (book.attempts > 0)]
    if waits.size == 0:
        return {"mean": None, "p50": None, "p95": None, "p99": None}
    p50, p95, p99 = np.percentile(waits, (50, 95, 99))
    return {"mean": float(waits.mean()), "p50": float(p50), "p95": float(p95), "p99": float(p99)}


def offered_load(simulation: Simulation) -> dict[str, Any]:
    """Mean requests if every task started when submitted, over the capacity of the same time.

    Tasks larger than every node are left out. The time is that of the horizon, or up to the
    last submission.

    Returns:
        ``request_R_fraction`` per resource, None where the cluster has none of it; ``is_bound``:
        whether no policy can admit more (a horizon, and the same nodes throughout).
    """
    workload, cluster, settings = simulation.workload, simulation.cluster, simulation.settings
    until_s = settings.horizon_s or float(workload.submit_s.max(initial=0.0)) + settings.tick_s
    begin = np.clip(workload.submit_s, 0.0, until_s)
    end = np.clip(workload.submit_s + workload.duration_s, 0.0, until_s)
    length_s = np.where(simulation.too_large, 0.0, end - begin)
    offered = length_s @ workload.request
    present_s = np.clip(cluster.until_s, 0.0, until_s) - np.clip(cluster.from_s, 0.0, until_s)
    available = present_s @ cluster.capacity
    load: dict[str, Any] = {
        f"request_{name}_fraction": float(offered[position] / available[position])
        if available[position] > 0
        else None
        for position, name in enumerate(cluster.resources)
    }
    load["is_bound"] = settings.horizon_s is not None and bool((present_s == until_s).all())
    return load
