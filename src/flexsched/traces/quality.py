"""What a workload holds and what it is good for (``flexsched trace info``).

Times are seconds and hours on the data set's own clock; a calendar date appears only
where the source states what its zero is.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexsched.core.workload import Workload
from flexsched.traces._findings import Finding, check, larger_than_every_node
from flexsched.traces._stored_document import Resource
from flexsched.traces._usage_figures import UsageFigures, usage_figures

__all__ = ["Finding", "check", "describe"]

_GOOD_FOR = {
    "measured": "usage is measured: good for comparing policies and for judging their QoS",
    "hybrid": "not all usage is measured: good for comparing policies, "
    "not for the QoS of this very cluster",
    "synthetic": "usage is synthetic: good for comparing policies, "
    "not for statements on one particular cluster",
    "request": "no usage is known: good for policies that place by request; "
    "those that place by usage would take requests for usage",
}


def describe(workload: Workload) -> dict[str, Any]:
    """Describe a workload in figures that JSON can hold (no NaN, no infinity, no -0).

    Returns:
        name, source, licence, usage_kind, counts, time, duration, resources (per
        resource: unit, request, usage), tasks_larger_than_every_node (None without
        nodes), assumptions, quirks, calibration, and a verdict in one sentence. Means over
        nothing are None. Shares are of tasks for requests and lengths, of task
        windows for usage; a window without a request has no ratio and is left out of
        ``to_request_mean``, and counted.
    """
    facts = workload.provenance
    figures = usage_figures(workload)
    larger = None if workload.nodes is None else int(larger_than_every_node(workload).sum())
    return {
        "name": workload.name,
        "source": facts.source,
        "licence": facts.licence,
        "usage_kind": facts.usage_kind,
        "counts": _counts(workload),
        "time": _time(workload),
        "duration": _duration(workload),
        "resources": {
            name: {
                "unit": Resource.of(name).unit,
                "request": _request(workload.request[:, index]),
                "usage": _usage(figures, index),
            }
            for index, name in enumerate(workload.resources)
        },
        "tasks_larger_than_every_node": larger,
        "assumptions": list(facts.assumptions),
        "quirks": dict(facts.quirks),
        "calibration": [dict(row) for row in facts.calibration],
        "verdict": _verdict(workload),
    }


def _counts(workload: Workload) -> dict[str, int]:
    return {
        "tasks": len(workload),
        "traced_tasks": len(np.unique(workload.trace_task)),
        "sources": len(np.unique(workload.source)),
        "running_at_start": int(np.count_nonzero(workload.start_node >= 0)),
        "nodes": 0 if workload.nodes is None else len(workload.nodes),
        "tasks_with_usage": int(np.count_nonzero(workload.usage_length)),
        "usage_rows": len(workload.usage),
    }


def _time(workload: Workload) -> dict[str, Any]:
    origin = workload.provenance.time_origin
    if not len(workload):
        return {"origin": origin, "first_submit_s": None, "last_submit_s": None,
                "last_end_s": None, "span_s": None, "span_hours": None}  # fmt: skip
    first_s, last_s = workload.submit_s.min(), workload.submit_s.max()
    end_s = workload.submit_s + workload.duration_s
    last_end_s = end_s[np.isfinite(end_s)].max(initial=last_s)
    span_s = last_end_s - first_s
    times = {
        "origin": origin,
        "first_submit_s": _plain(first_s),
        "last_submit_s": _plain(last_s),
        "last_end_s": _plain(last_end_s),
        "span_s": _plain(span_s),
        "span_hours": _plain(span_s / 3600),
    }
    if origin is not None:
        zero = datetime.fromisoformat(origin)
        times["first_submit"] = (zero + timedelta(seconds=float(first_s))).isoformat()
        times["last_end"] = (zero + timedelta(seconds=float(last_end_s))).isoformat()
    return times


def _duration(workload: Workload) -> dict[str, float | None]:
    """Lengths of the tasks that end; endless ones have only their share."""
    duration_s = workload.duration_s
    finite_s = duration_s[np.isfinite(duration_s)]
    return {
        "mean_s": _mean(finite_s.sum(), len(finite_s)),
        "p50_s": _plain(np.median(finite_s)) if len(finite_s) else None,
        "max_s": _plain(finite_s.max()) if len(finite_s) else None,
        "zero_length_share": _mean(int(np.count_nonzero(duration_s == 0)), len(duration_s)),
        "endless_share": _mean(len(duration_s) - len(finite_s), len(duration_s)),
    }


def _request(request: NDArray[np.float64]) -> dict[str, float | None]:
    return {
        "mean": _mean(request.sum(), len(request)),
        "max": _plain(request.max(initial=0.0)),
        "zero_share": _mean(int(np.count_nonzero(request == 0)), len(request)),
    }


def _usage(figures: UsageFigures, resource: int) -> dict[str, float | None] | None:
    windows = figures.windows
    if not windows:
        return None
    with_request = int(figures.ratio_count[resource])
    return {
        "mean": _mean(figures.total[resource], windows),
        "max": _plain(figures.largest[resource]),
        "zero_share": _mean(figures.zero[resource], windows),
        "above_request_share": _mean(figures.above[resource], windows),
        "to_request_mean": _mean(figures.ratio_total[resource], with_request),
        "to_request_left_out": windows - with_request,
    }


def _verdict(workload: Workload) -> str:
    if not len(workload):
        return "There are no tasks: nothing to simulate."
    good_for = _GOOD_FOR[workload.provenance.usage_kind]
    nodes = "" if workload.nodes is not None else "; it has no nodes, so name a cluster"
    return f"{good_for[0].upper()}{good_for[1:]}{nodes}."


def _mean(total: float, count: int) -> float | None:
    return _plain(total / count) if count else None


def _plain(value: float) -> float:
    """Return a Python float; adding zero turns -0.0 into 0.0."""
    return float(value) + 0.0
