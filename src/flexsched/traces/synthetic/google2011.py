"""The first day of the Google 2011 trace as a synthetic workload (paper, section 5)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from flexsched.core.cluster import STANDARD_RESOURCES
from flexsched.core.workload import Provenance, Workload
from flexsched.traces.synthetic.jobs import Jobs, draw_jobs, nodes_for
from flexsched.traces.synthetic.levels import class_of, draw_levels
from flexsched.traces.synthetic.lifetimes import draw_durations
from flexsched.traces.synthetic.published import (
    CLASSES,
    HOUR_S,
    NODE_CPU_CORES,
    NODE_MEMORY_BYTES,
    WINDOW_S,
)
from flexsched.traces.synthetic.requests import POPULATIONS
from flexsched.traces.synthetic.usage import UsagePlan, compute_usage

NAME = "google2011"
_NODE = np.array([NODE_CPU_CORES, NODE_MEMORY_BYTES])
_ASSUMPTIONS = (
    "Usage series are synthetic: levels and spreads follow published figures; their shape over "
    "time (random waves common to a job, own variation, bursts, a daily wave) is assumed.",
    "One task is one attempt; resubmissions of the trace are part of the arrivals.",
    "What happened after the trace's first 5.6 h is extrapolated so that the requests running "
    "at once stay level.",
    "A node is the trace's largest machine: 64 cores and 128 GiB.",
    "No job holds more than 3 % of the tasks there at the start or 1 % of the arrivals.",
    "Tasks there at the start are submitted at time 0 and bound to no node.",
    "Usage of one task never exceeds one node.",
)


def generate(
    tasks: int,
    hours: float,
    seed: int,
    nodes: int | None,
    demand_scale: float,
    scratch: Path | None,
    workers: int | None = None,
) -> Workload:
    """The workload without its fit table; arguments as in ``synthesize``, checked there.

    Args:
        tasks: number of tasks.
        hours: span of the arrivals.
        seed: same seed, same bytes.
        nodes: cluster size that the fit is expressed in (None: the paper's load).
        demand_scale: factor on usage.
        scratch: folder for a large usage array.
        workers: threads; the bytes do not depend on it.
    """
    chance = np.random.default_rng(seed)
    jobs = draw_jobs(tasks, hours, chance)
    duration_s = draw_durations(jobs, hours, chance)
    submit_s = np.repeat(jobs.submit_s, jobs.tasks)
    windows = _windows(duration_s, submit_s, hours)
    request = np.repeat(jobs.request * _NODE, jobs.tasks, axis=0)
    plan = UsagePlan(
        jobs=jobs,
        windows=windows,
        level=draw_levels(jobs, windows, chance) * request,
        demand_scale=demand_scale,
        job_seeds=_seeds(len(jobs), chance),
        task_seeds=_seeds(tasks, chance),
    )
    job = np.repeat(np.arange(len(jobs)), jobs.tasks)
    source_names = pc.binary_join_element_wise(
        "job", pa.array(np.arange(len(jobs))).cast("string"), "-"
    )
    return Workload(
        name=f"{NAME} ({tasks:,} tasks, {hours:g} h, seed {seed})",
        resources=STANDARD_RESOURCES,
        task_names=_task_names(jobs, source_names, job),
        source=job,
        source_names=source_names,
        priority=np.repeat(jobs.priority, jobs.tasks).astype(np.int16),
        task_class=np.repeat(class_of(jobs.priority), jobs.tasks).astype(np.int8),
        class_names=CLASSES,
        submit_s=submit_s,
        duration_s=duration_s,
        start_node=np.full(tasks, -1, np.int32),
        trace_task=np.arange(tasks),
        request=request,
        usage=compute_usage(plan, scratch, workers),
        usage_offset=np.cumsum(windows) - windows,
        usage_length=windows,
        window_s=np.full(tasks, WINDOW_S),
        nodes=None,
        provenance=_provenance(jobs, nodes or nodes_for(tasks, hours), demand_scale),
        horizon_s=hours * HOUR_S,
    )


def _windows(
    duration_s: NDArray[np.float64], submit_s: NDArray[np.float64], hours: float
) -> NDArray[np.int64]:
    """(T,) usage windows from each task's submission to its end or the workload's, at least 1."""
    seen_s = np.minimum(duration_s, hours * HOUR_S - submit_s)
    return np.maximum(np.ceil(seen_s / WINDOW_S), 1).astype(np.int64)


def _seeds(count: int, chance: np.random.Generator) -> NDArray[np.uint64]:
    return chance.integers(1, 2**64, count, np.uint64)


def _task_names(jobs: Jobs, source_names: Any, job: NDArray[np.int64]) -> Any:
    """Arrow strings "job-17/3": the job, and the task's number in it from 0."""
    number = np.arange(len(job)) - np.repeat(np.cumsum(jobs.tasks) - jobs.tasks, jobs.tasks)
    return pc.binary_join_element_wise(
        source_names.take(pa.array(job)), pa.array(number).cast("string"), "/"
    )


def _provenance(jobs: Jobs, nodes: int, demand_scale: float) -> Provenance:
    counts = {"nodes": nodes, "jobs": len(jobs), "tasks": int(jobs.tasks.sum())}
    for index, population in enumerate(POPULATIONS):
        counts[f"tasks {population}"] = int(jobs.tasks[jobs.population == index].sum())
    scaled = f"Usage is scaled by {demand_scale:g}; requests are not."
    return Provenance(
        source="synthetic, after the Google cluster trace 2011-2 (CC-BY 4.0) and the Flex paper",
        usage_kind="synthetic",
        assumptions=_ASSUMPTIONS + ((scaled,) if demand_scale != 1 else ()),
        counts=counts,
    )
