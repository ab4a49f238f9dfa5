"""Workloads of a few tasks, for tests that care about two or three of their columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexsched.core.workload import Provenance, Workload


def workload(
    request: Any, /, *, resources: tuple[str, ...] = ("cpu", "memory"), **columns: Any
) -> Workload:
    """T tasks named t0, t1, ... from (T, R) requests; other columns as in ``Workload``."""
    asked = np.array(request, np.float64).reshape(-1, len(resources))
    count = len(asked)
    values: dict[str, Any] = {
        "name": "small",
        "resources": resources,
        "task_names": [f"t{task}" for task in range(count)],
        "source": np.zeros(count, np.int64),
        "source_names": ["job"],
        "priority": np.zeros(count, np.int16),
        "task_class": np.zeros(count, np.int8),
        "class_names": ("all",),
        "submit_s": np.zeros(count),
        "duration_s": np.full(count, 600.0),
        "start_node": np.full(count, -1, np.int32),
        "trace_task": np.arange(count),
        "request": asked,
        "usage": np.zeros((0, len(resources))),
        "usage_offset": np.zeros(count, np.int64),
        "usage_length": np.zeros(count, np.int64),
        "window_s": np.full(count, 300.0),
        "nodes": None,
        "provenance": Provenance(source="test", usage_kind="request"),
    }
    return Workload(**(values | columns))
