"""Runs made up for the report's tests, with exactly the columns of a run folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

CAPACITY = {"cpu": 256_000.0, "memory": 4000 * 128 * 2.0**30}
#: Mean requested CPU and memory, used CPU and memory, and typical lack of QoS.
LEVELS: Mapping[str, tuple[float, float, float, float, float]] = {
    "least-fit": (0.98, 0.75, 0.42, 0.44, 0.0),
    "oversub": (1.72, 1.30, 0.68, 0.69, 0.025),
    "flex-f": (1.74, 1.31, 0.69, 0.69, 0.006),
    "flex-l": (1.73, 1.30, 0.68, 0.68, 0.006),
}
UNPLACED: Mapping[tuple[str, str | None], int] = {
    ("pending", "request"): 5,
    ("pending", None): 1,
    ("rejected", "too_large"): 2,
}


@dataclass(frozen=True)
class FabricatedRun:
    label: str
    ticks: pa.Table
    tasks: pa.Table
    nodes: pa.Table
    summary: dict[str, Any]
    info: dict[str, Any]


def fabricate(
    label: str = "flex-f",
    *,
    rows: int = 1440,
    levels: tuple[float, float, float, float, float] | None = None,
    unplaced: Mapping[tuple[str, str | None], int] = UNPLACED,
    workload: Mapping[str, Any] | None = None,
    running: int = 1000,
    task_prefix: str = "task-",
) -> FabricatedRun:
    """A plausible run of one policy; noise is seeded by the label."""
    levels = levels or LEVELS.get(label.partition(":")[0], LEVELS["flex-f"])
    ticks = make_ticks(label, rows, levels, running)
    tasks = make_tasks(unplaced, finished=20, running=3, prefix=task_prefix)
    return FabricatedRun(
        label=label,
        ticks=ticks,
        tasks=tasks,
        nodes=pa.table({"name": ["node-0"], "count": [1]}),
        summary=summarise(ticks, tasks),
        info={
            "version": "0.1.0",
            "label": label,
            "seed": 7,
            "tick_s": 60.0,
            "policy": label.partition(":")[0],
            "settings": {"target_qos": 0.99} if label.startswith("flex") else {},
            "workload": {**WORKLOAD, **(workload or {})},
            "cluster": {"nodes": 4000, "cpu_cores": 256_000, "memory_bytes": CAPACITY["memory"]},
            "notes": ["the cluster was replaced by another"],
        },
    )


def paper_runs(rows: int = 1440, workload: Mapping[str, Any] | None = None) -> list[FabricatedRun]:
    return [fabricate(label, rows=rows, workload=workload) for label in LEVELS]


#: What the built-in workload says of itself in full size.
BUILT_IN: Mapping[str, Any] = {
    "name": "google2011 (714,030 tasks, 24 h, seed 0)",
    "usage_kind": "synthetic",
}


WORKLOAD: Mapping[str, Any] = {
    "name": "google2011",
    "hash": "0123456789abcdef",
    "tasks": 714_030,
    "usage_kind": "hybrid",
    "source": "Google cluster trace 2011",
    "licence": "CC-BY",
    "time_origin": None,
    "assumptions": ["usage shapes were drawn from virtual machines"],
    "counts": {"task_events": 123_456},
    "quirks": {"rows_without_request": 17},
    "calibration": [
        {"figure": "mean CPU request", "target": 0.053, "got": 0.0541, "difference": 0.0208}
    ],
    "offered_load": {"request_cpu_fraction": 1.87, "request_memory_fraction": 1.37},
}


def make_ticks(
    label: str, rows: int, levels: tuple[float, float, float, float, float], running: int
) -> pa.Table:
    rng = np.random.default_rng(sum(map(ord, label)))
    t = np.arange(rows) * 60.0
    day = 0.04 * np.sin(2 * np.pi * t / 86400.0)
    columns: dict[str, Any] = {"t_s": t}
    columns["running"] = np.full(rows, running)
    for name in ("pending", "arrivals", "placed", "finished", "rejected", "failed", "evicted"):
        columns[name] = np.zeros(rows, np.int64)
    columns["attempts"] = np.zeros(rows, np.int64)
    for number, resource in enumerate(("cpu", "memory")):
        request = np.minimum(levels[number] * (1 + day), 2.0) if running else np.zeros(rows)
        usage = levels[2 + number] * (1 + day + 0.005 * rng.standard_normal(rows)) * bool(running)
        shares = {"request": request, "usage": usage, "demand": usage * 1.01}
        for quantity, share in shares.items():
            columns[f"{quantity}_{resource}"] = share * CAPACITY[resource]
            columns[f"{quantity}_{resource}_fraction"] = share
        imbalance = 0.2 + 0.05 * levels[0] + 0.005 * rng.random(rows)
        columns[f"imbalance_{resource}"] = pa.array(
            imbalance if running else [None] * rows, pa.float64()
        )
    # Dips that last a while, a few times a day.
    decay = np.exp(-np.arange(30) / 8) / 8
    dips = levels[4] * np.convolve(rng.gamma(0.02, 50.0, rows), decay)[:rows]
    columns["qos"] = np.clip(1.0 - dips, 0.8, 1.0) if running else np.ones(rows)
    penalty = 1.1 + 0.4 * np.exp(-t / 7200) + 0.3 * (dips > 0.02)
    has_penalty = label.startswith("flex")
    columns["penalty"] = pa.array(penalty if has_penalty else [None] * rows, pa.float64())
    return pa.table(columns)


def make_tasks(
    unplaced: Mapping[tuple[str, str | None], int], *, finished: int, running: int, prefix: str
) -> pa.Table:
    kinds: list[tuple[str, str | None]] = [("finished", None)] * finished
    kinds += [("running", "usage")] * running
    kinds += [kind for kind, tasks in unplaced.items() for _ in range(tasks)]
    details = [f"memory short on 4000 of 4000 nodes ({reason})" for _, reason in kinds]
    return pa.table(
        {
            "name": [f"{prefix}{i}" for i in range(len(kinds))],
            "source": ["job"] * len(kinds),
            "submit_s": np.zeros(len(kinds)),
            "wait_s": np.zeros(len(kinds)),
            "attempts": np.ones(len(kinds), np.int64),
            "violated_s": np.zeros(len(kinds)),
            "state": pa.array([state for state, _ in kinds]).dictionary_encode(),
            "reason": pa.array([reason for _, reason in kinds], pa.string()).dictionary_encode(),
            "reason_detail": [
                None if kind[1] is None else detail
                for kind, detail in zip(kinds, details, strict=True)
            ],
        }
    )


def summarise(ticks: pa.Table, tasks: pa.Table) -> dict[str, Any]:
    states: Sequence[str] = tasks["state"].cast(pa.string()).to_pylist()
    order = ("finished", "running", "pending", "rejected", "failed", "evicted")
    counts = {"submitted": len(states)} | {state: states.count(state) for state in order}
    qos = ticks["qos"].to_numpy()
    summary: dict[str, Any] = {
        f"{quantity}_{resource}": spread(ticks[f"{quantity}_{resource}_fraction"])
        for quantity in ("request", "usage", "demand")
        for resource in ("cpu", "memory")
    }
    any_running = bool(ticks["running"].to_numpy().any())
    return summary | {
        "qos": {
            "mean": float(qos.mean()),
            "min": float(qos.min()),
            "violated_time_fraction": float((qos < 0.99).mean()) if any_running else None,
            "violated_task_fraction": float(1 - qos.mean()) if any_running else None,
        },
        "penalty": spread(ticks["penalty"]),
        "imbalance_cpu": (spread(ticks["imbalance_cpu"]) or {}).get("mean"),
        "imbalance_memory": (spread(ticks["imbalance_memory"]) or {}).get("mean"),
        "counts": counts,
        "wait_s": {"mean": 40.0, "p50": 0.0, "p95": 120.0, "p99": 700.0},
        "wall_s": {"total": 1.0, "placement": 0.5, "demand": 0.4, "other": 0.1},
        "peak_rss_bytes": 10**9,
    }


def spread(values: pa.ChunkedArray) -> dict[str, float] | None:
    known = [value for value in values.to_pylist() if value is not None]
    return {"mean": sum(known) / len(known), "max": max(known)} if known else None
