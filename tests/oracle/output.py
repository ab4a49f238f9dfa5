"""Rows and records in the columns of the run folder."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from oracle.contention import sum_of
from oracle.state import Node, Task

if TYPE_CHECKING:
    from oracle.engine import _Simulation

STATES = ("finished", "running", "pending", "rejected", "failed", "evicted")


def node_sums(node: Node, r: int, t_s: float) -> tuple[float, float, float]:
    """Requests, usage and demand of one node's running tasks, in bind order."""
    return (
        node.requested(r),
        sum_of([task.allocation[r] for task in node.tasks if task.allocation is not None]),
        sum_of([task.demand(t_s)[r] for task in node.tasks]),
    )


def row(sim: _Simulation, t_s: float, qos: float) -> dict[str, Any]:
    """The row of one tick."""
    result: dict[str, Any] = {
        "t_s": t_s,
        "running": len(sim.running()),
        "pending": len(sim.queue.pending),
        **sim.events,
    }
    present = [node for node in sim.nodes if node.present]
    for r, name in enumerate(sim.resources):
        capacity = sum_of([node.capacity[r] for node in present])
        sums = [node_sums(node, r, t_s) for node in present]
        for k, kind in enumerate(("request", "usage", "demand")):
            total = sum_of([figures[k] for figures in sums])
            result[f"{kind}_{name}"] = total
            result[f"{kind}_{name}_fraction"] = total / capacity if capacity > 0 else None
        result[f"imbalance_{name}"] = imbalance(
            [s[1] / n.capacity[r] for s, n in zip(sums, present, strict=True) if n.capacity[r] > 0]
        )
    result["qos"] = qos
    has_penalty = sim.settings.is_flex and sim.settings.controller != "none"
    result["penalty"] = sim.controller.penalty if has_penalty else None
    return result


def imbalance(loads: list[float]) -> float | None:
    """Population standard deviation over mean; null where there is no load."""
    if not loads or sum(loads) == 0:
        return None
    mean = sum(loads) / len(loads)
    return math.sqrt(sum((x - mean) ** 2 for x in loads) / len(loads)) / mean


def sample_nodes(sim: _Simulation) -> None:
    """Keep every node's sums of this tick (the full history, small runs only)."""
    for node in sim.nodes:
        if node.present:
            sample = {}
            for r, name in enumerate(sim.resources):
                sample[f"request_{name}"] = node.requested(r)
                sample[f"usage_{name}"] = sum_of([t.allocation[r] for t in node.tasks])  # type: ignore[index]
            sim.outcome.samples[node.name].append(sample)


def records(tasks: list[Task]) -> list[dict[str, Any]]:
    """One record per submitted task, in input order."""
    return [
        {
            "name": task.name,
            "source": task.source,
            "submit_s": task.submit_s,
            "start_s": task.start_s,
            "end_s": task.end_s if task.state == "finished" else None,
            "node": task.node,
            "state": task.state,
            "attempts": task.attempts,
            "reason": task.reason,
            "wait_s": task.wait_s,
            "violated_s": task.violated_s,
        }
        for task in tasks
        if task.state != "unsubmitted"
    ]


def counts(task_records: list[dict[str, Any]]) -> dict[str, int]:
    """Final states, and how many tasks there were in all."""
    result = {state: sum(1 for x in task_records if x["state"] == state) for state in STATES}
    return {"submitted": len(task_records), **result}
