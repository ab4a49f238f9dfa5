"""The fit of a synthetic workload: published figures beside what its own arrays show.

Nothing here knows how the workload was made: every figure is measured on submissions,
durations, requests and usage rows. Requests and usage "at once" mean that every task starts
when it is submitted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexsched.core.workload import Workload
from flexsched.traces.synthetic import targets as published
from flexsched.traces.synthetic.load import running_requests
from flexsched.traces.synthetic.measure import UsageFigures, measure_usage
from flexsched.traces.synthetic.published import (
    NODE_CPU_CORES,
    NODE_MEMORY_BYTES,
    OBSERVED_S,
    PAPER_NODES,
    WINDOW_S,
)

_NODE = np.array([NODE_CPU_CORES, NODE_MEMORY_BYTES])
_RESOURCES = ("CPU", "memory")
_SNAPSHOT_S = 600.0


def measured_rows(workload: Workload) -> tuple[dict[str, Any], ...]:
    """Rows of {"figure", "target", "got", "difference"}; see ``fit_table``."""
    view = _View.of(workload)
    parts = (_load, _requests, _mix, _arrivals, _durations, _levels, _ratios, _classes)
    return tuple(row for part in parts for row in part(view))


@dataclass(frozen=True)
class _View:
    """A workload with what several figures need."""

    workload: Workload
    nodes: int
    starting: NDArray[np.bool_]
    running: NDArray[np.bool_]
    fraction: NDArray[np.float64]
    usage: UsageFigures

    @classmethod
    def of(cls, workload: Workload) -> _View:
        counts = workload.provenance.counts
        running = np.arange(len(workload)) < counts["tasks running"]
        starting = np.arange(len(workload)) < counts["tasks running"] + counts["tasks pending"]
        return cls(
            workload=workload,
            nodes=counts["nodes"],
            starting=starting,
            running=running,
            fraction=workload.request / _NODE,
            usage=measure_usage(workload, running | ~starting, WINDOW_S, _SNAPSHOT_S),
        )

    @property
    def ratio(self) -> NDArray[np.float64]:
        """(T, 2) usage / request in the snapshot; NaN where there is none."""
        request = self.workload.request
        snapshot = self.usage.snapshot
        return np.divide(snapshot, request, out=np.full_like(request, np.nan), where=request > 0)


def _row(figure: str, target: float | str, got: float) -> dict[str, Any]:
    """One row; the difference is relative to the target, None where the target is a phrase."""
    got = float(got)
    difference = None if isinstance(target, str) or not target else got / target - 1
    return {"figure": figure, "target": target, "got": got, "difference": difference}


def _quantile_rows(
    figure: str, targets: published.Figures, values: NDArray[Any]
) -> Iterator[dict[str, Any]]:
    """Rows for "p5", "p50", ..., "mean" and "max" of some values; none where there are none."""
    if not len(values):
        return
    for name, target in targets.items():
        yield _row(f"{figure}, {name}", target, _statistic(values, name))


def _statistic(values: NDArray[Any], name: str) -> float:
    if name == "mean":
        return float(values.mean())
    if name == "max":
        return float(values.max())
    return float(np.percentile(values, float(name[1:])))


def _load(view: _View) -> Iterator[dict[str, Any]]:
    work, counted = view.workload, view.running | ~view.starting
    span_s = work.horizon_s or float(work.submit_s.max())
    times_s = np.arange(0, span_s, WINDOW_S)
    sums = running_requests(
        work.submit_s[counted], work.duration_s[counted], view.fraction[counted], times_s
    )
    load = sums / view.nodes
    offered = view.fraction[view.starting].sum(axis=0) / view.nodes
    for index, name in enumerate(_RESOURCES):
        target = published.RUNNING_REQUESTS[name]
        label = f"running requests at once / {name} of the nodes"
        yield _row(f"{label}, mean over time", target, load[:, index].mean())
        yield _row(f"{label}, lowest", target, load[:, index].min())
        yield _row(f"{label}, highest", target, load[:, index].max())
        yield _row(f"{label}, with those pending at time 0",
                   published.STARTING_REQUESTS[name], offered[index])  # fmt: skip


def _requests(view: _View) -> Iterator[dict[str, Any]]:
    for index, name in enumerate(_RESOURCES):
        starting = view.fraction[view.starting, index]
        yield from _quantile_rows(f"{name} request at time 0", published.STARTING[name], starting)
        arriving = view.fraction[~view.starting, index]
        yield from _quantile_rows(
            f"{name} request of new tasks", published.ARRIVING[name], arriving
        )
        values, counts = np.unique(view.fraction[:, index], return_counts=True)
        commonest = values[np.argmax(counts)]
        yield _row(f"commonest {name} request", published.COMMONEST[name], commonest)


def _mix(view: _View) -> Iterator[dict[str, Any]]:
    for label, selected, targets in (
        ("at time 0", view.starting, published.STARTING_TASKS),
        ("of new tasks", ~view.starting, published.ARRIVING_TASKS),
    ):
        whole, count = sum(targets.values()), max(int(selected.sum()), 1)
        for priority, tasks in targets.items():
            got = np.count_nonzero(view.workload.priority[selected] == priority) / count
            yield _row(f"share with priority {priority} {label}", tasks / whole, got)


def _arrivals(view: _View) -> Iterator[dict[str, Any]]:
    work, scale = view.workload, PAPER_NODES / view.nodes
    submit_s = work.submit_s[~view.starting]
    if not len(submit_s):
        return
    span_s = work.horizon_s or float(submit_s.max())
    minutes = np.bincount((submit_s // 60).astype(np.int64), minlength=int(np.ceil(span_s / 60)))
    mean = minutes.mean()
    yield _row("new tasks a day (on the paper's cluster)", published.ARRIVALS_PER_DAY,
               len(submit_s) * scale * 86_400 / span_s)  # fmt: skip
    yield _row("new tasks a minute, median / mean",
               published.ARRIVALS_MEDIAN_TO_MEAN, np.median(minutes) / mean)  # fmt: skip
    yield _row("new tasks a minute, max / mean",
               published.ARRIVALS_MAX_TO_MEAN, minutes.max() / mean)  # fmt: skip
    source, first, sizes = np.unique(
        work.source[~view.starting], return_index=True, return_counts=True
    )
    hours = np.bincount((submit_s[first] // 3600).astype(np.int64)) * scale
    yield from _quantile_rows("new jobs an hour (on the paper's cluster)",
                              published.JOBS_PER_HOUR, hours)  # fmt: skip
    yield from _quantile_rows("tasks of a new job", published.JOB_TASKS, sizes)
    life_s = np.zeros(len(work.source_names))
    np.maximum.at(life_s, work.source, work.duration_s)
    yield from _quantile_rows("duration of a new job, s", published.JOB_DURATION, life_s[source])


def _durations(view: _View) -> Iterator[dict[str, Any]]:
    work = view.workload
    ended = work.submit_s + work.duration_s <= OBSERVED_S
    yield from _quantile_rows("duration of new tasks that end within 5.6 h, s",
                              published.ATTEMPT_DURATION,
                              work.duration_s[~view.starting & ended])  # fmt: skip
    for label, target in published.ENDED.items():
        selected = view.running & ((label == "all") | (work.priority == label))
        if selected.any():
            figure = f"share of tasks running at time 0 that end within 5.6 h, {label}"
            yield _row(figure, target, ended[selected].mean())


def _levels(view: _View) -> Iterator[dict[str, Any]]:
    span_s = view.workload.horizon_s or np.inf
    windows = int(min(len(view.usage.used), np.ceil(span_s / WINDOW_S)))
    used, requested = view.usage.used[:windows], view.usage.requested[:windows]
    for index, name in enumerate(_RESOURCES):
        if not requested[:, index].any():
            continue
        yield _row(f"{name} usage / request at once, over time", published.USAGE_LEVEL[name],
                   used[:, index].sum() / requested[:, index].sum())  # fmt: skip
        yield _row(f"{name} usage at once / {name} of the nodes", published.USAGE_OF_NODES[name],
                   used[:, index].mean() / (view.nodes * _NODE[index]))  # fmt: skip
    hourly = used[: windows // 12 * 12, 0].reshape(-1, 12).mean(axis=1)
    if len(hourly) >= 24:
        yield _row("CPU usage at once, busiest / quietest hour", "above 1 (diurnal)",
                   hourly.max() / hourly.min())  # fmt: skip


def _ratios(view: _View) -> Iterator[dict[str, Any]]:
    """One window, old tasks, re-weighted to the priorities of the published sample."""
    work, ratio = view.workload, view.ratio
    weight = np.zeros(len(work))
    for priority, tasks in published.SAMPLE_TASKS.items():
        selected = view.running & (work.priority == priority)
        if selected.any():
            weight[selected] = tasks / selected.sum()
    for index, name in enumerate(_RESOURCES):
        known = (weight > 0) & np.isfinite(ratio[:, index])
        if not known.any():
            continue
        values, weights = ratio[known, index], weight[known]
        request = work.request[known, index]
        level = (weights * request * values).sum() / (weights * request).sum()
        label = f"{name} usage / request in one window, in the sample's priorities"
        for quantile, target in published.RATIO_SHAPE[name].items():
            got = _weighted_quantile(values, weights, float(quantile[1:]) / 100) / level
            yield _row(f"{label}, {quantile} / level", target, got)
        above = weights[values > 1].sum() / weights.sum()
        yield _row(f"{label}, share above 1", published.ABOVE_REQUEST[name], above)
        for priority, target in published.PRIORITY_LEVEL[name].items():
            some = known & (work.priority == priority)
            if some.any():
                got = view.usage.snapshot[some, index].sum() / work.request[some, index].sum()
                yield _row(
                    f"{name} usage / request of priority {priority}, one window", target, got
                )


def _weighted_quantile(
    values: NDArray[np.float64], weights: NDArray[np.float64], at: float
) -> float:
    order = np.argsort(values)
    rising = np.cumsum(weights[order])
    return float(values[order][min(np.searchsorted(rising, at * rising[-1]), len(values) - 1)])


def _classes(view: _View) -> Iterator[dict[str, Any]]:
    """What the paper says in words about its figures 4 and 5."""
    work, usage = view.workload, view.usage
    lasting = (
        (work.usage_length >= 12) & (work.request > 0).all(axis=1) & (usage.mean > 0).all(axis=1)
    )
    variation = usage.std[lasting] / usage.mean[lasting]
    peak = usage.maximum[lasting, 0] / work.request[lasting, 0]
    task_class = work.task_class[lasting]
    is_class = {name: task_class == index for index, name in enumerate(work.class_names)}
    if len(variation):
        medians = np.median(variation, axis=0)
        yield _row("normalised std over time, median task, CPU / memory",
                   "similar (near 1)", medians[0] / medians[1])  # fmt: skip
    if is_class["batch"].any():
        cpu, memory = np.median(variation[is_class["batch"]], axis=0)
        yield _row("batch: normalised std of memory / of CPU, median task",
                   "below 1 (memory stable, CPU aggressive)", memory / cpu)  # fmt: skip
    if is_class["production"].any():
        yield _row("production: share of tasks whose CPU peak stays below request",
                   "above 0.5 (mostly)", (peak[is_class["production"]] < 1).mean())  # fmt: skip
    if is_class["system"].any():
        yield _row("system: CPU peak / request, median task", "above 1 (far above)",
                   np.median(peak[is_class["system"]]))  # fmt: skip
