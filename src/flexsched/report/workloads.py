"""What a workload is called beside its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flexsched.report.records import RunRecord
from flexsched.report.wording import count


def name_and_size(workload: Mapping[str, Any]) -> str:
    """Its name, with the number of tasks unless the name has it already."""
    name, tasks = str(workload["name"]), workload.get("tasks")
    if tasks is None or f"{count(tasks)} tasks" in name:
        return name
    return f"{name}, {count(tasks)} tasks"


def kind_chip(workload: Mapping[str, Any]) -> str:
    """How it came about: ``measured usage``; a synthetic one has no part that is not."""
    kind = workload["usage_kind"]
    return f"{kind} workload" if kind == "synthetic" else f"{kind} usage"


def workload_line(runs: Sequence[RunRecord]) -> str:
    """Which workload a chart shows and how it came about."""
    workload = runs[0].info["workload"]
    if workload["usage_kind"] == "synthetic":
        return f"{kind_chip(workload)} {workload['name']}"
    return f"workload {workload['name']}, {kind_chip(workload)}"
