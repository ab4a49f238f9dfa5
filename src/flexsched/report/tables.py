"""Rows of the report's other tables, computed from a run and free of any markup."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from flexsched.core.errors import InputError
from flexsched.report.records import RunRecord, column, display_names
from flexsched.report.wording import (
    duration,
    number,
    percent,
    quality,
    relative_difference,
    resource_name,
    sentence_start,
)

#: States of tasks that did not get to run, as far as the run goes.
UNPLACED_STATES = ("pending", "rejected", "failed", "evicted")
#: A synthetic workload misses a published figure from this relative difference on.
MISSES_FRACTION = 0.25


@dataclass(frozen=True)
class CapacityRow:
    """Where the capacity of one resource went, mean over the rows that have capacity.

    All values are fractions of capacity and >= 0. ``idle_fraction`` is what nobody
    used; room for requests and overcommitment are figures of their own and never
    offset each other.
    """

    resource: str
    requested_fraction: float
    used_fraction: float
    idle_fraction: float
    free_to_request_fraction: float
    overcommit_fraction: float


@dataclass(frozen=True)
class UnplacedRow:
    """Tasks of one state that were not placed for one reason.

    ``reason`` is the code of the last failed try ("" where a task never failed one),
    ``example`` the name and the sentence of the first such task.
    """

    state: str
    reason: str
    tasks: int
    example_name: str
    example_detail: str


def overview_rows(
    runs: Sequence[RunRecord], resources: Sequence[str]
) -> list[tuple[str, list[str]]]:
    """The main results in words: (quantity, one value per run)."""
    rows = [
        (
            f"{sentence_start(resource_name(resource))} {written}, mean",
            [percent(run.summary[f"{key}_{resource}"]["mean"]) for run in runs],
        )
        for key, written in (("request", "requested"), ("usage", "used"))
        for resource in resources
    ]
    rows += [
        (title, [quality(run.summary["qos"][key]) for run in runs])
        for title, key in (("QoS, mean", "mean"), ("QoS, lowest", "min"))
    ]
    rows += [
        (title, [percent(run.summary["qos"][key]) for run in runs])
        for title, key in (
            ("Time below the QoS target", "violated_time_fraction"),
            ("Violated tasks, share of running", "violated_task_fraction"),
        )
    ]
    rows += [
        (title, [duration(run.summary["wait_s"][key]) for run in runs])
        for title, key in (("Wait, median", "p50"), ("Wait, 95 of 100 tasks below", "p95"))
    ]
    rows.append(
        (
            "Estimation penalty, mean",
            [number((r.summary["penalty"] or {}).get("mean")) for r in runs],
        )
    )
    return rows


def capacity_rows(run: RunRecord, resources: Sequence[str]) -> list[CapacityRow]:
    """Idle, free and overcommitted capacity per resource; NaN where no row has capacity."""
    rows = []
    for resource in resources:
        requested = column(run, f"request_{resource}_fraction")
        used = column(run, f"usage_{resource}_fraction")
        rows.append(
            CapacityRow(
                resource=resource,
                requested_fraction=_mean(requested),
                used_fraction=_mean(used),
                idle_fraction=_mean(np.maximum(1.0 - used, 0.0)),
                free_to_request_fraction=_mean(np.maximum(1.0 - requested, 0.0)),
                overcommit_fraction=_mean(np.maximum(requested - 1.0, 0.0)),
            )
        )
    return rows


def unplaced_rows(run: RunRecord) -> list[UnplacedRow]:
    """Why tasks did not run: one row per state and reason, counted in the table of tasks.

    Raises:
        InputError: the table of tasks and the summary do not count the same.
    """
    tasks = pa.table(
        {name: run.tasks[name].cast(pa.string()) for name in ("name", "state", "reason")}
    )
    groups = tasks.group_by(["state", "reason"]).aggregate([([], "count_all")]).to_pylist()
    unplaced = [group for group in groups if group["state"] in UNPLACED_STATES]
    _check_counts(run, unplaced)
    unplaced.sort(key=lambda group: (UNPLACED_STATES.index(group["state"]), -group["count_all"]))
    return [_unplaced_row(run.tasks, tasks, group) for group in unplaced]


def calibration_rows(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, str, str]]:
    """The fit of a synthetic workload in words: figure, target, got, relative difference.

    Args:
        rows: those of :class:`~flexsched.core.workload.Provenance`.
    """
    return [
        (str(row["figure"]), _plain(row["target"]), _plain(row["got"]),
         _miss(row.get("difference")))
        for row in rows
    ]  # fmt: skip


def ends_sentence(runs: Sequence[RunRecord]) -> str | None:
    """What to know of means where runs ended at different times; None where none did."""
    ends_s = [float(column(run, "t_s").max(initial=0.0)) + run.info["tick_s"] for run in runs]
    if len(set(ends_s)) == 1:
        return None
    shown = display_names([run.label for run in runs])
    ends = ", ".join(
        f"{name} after {duration(end_s)}" for name, end_s in zip(shown, ends_s, strict=True)
    )
    return f"The runs ended at different times ({ends}): means are over each run’s own time."


def flat_settings(document: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Nested settings as (dotted name, value as JSON or plain text)."""
    for key, value in document.items():
        if isinstance(value, Mapping):
            yield from flat_settings(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value if isinstance(value, str) else json.dumps(value)


def _plain(value: object) -> str:
    """A calibration value in words, whatever its type."""
    return number(value) if isinstance(value, (int, float)) else str(value)


def _miss(difference: float | None) -> str:
    text = relative_difference(difference)
    return f"{text}, misses" if abs(difference or 0.0) > MISSES_FRACTION else text


def _mean(values: NDArray[np.float64]) -> float:
    """Mean over the rows that have a value, NaN without any."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _check_counts(run: RunRecord, groups: Sequence[Mapping[str, Any]]) -> None:
    for state in UNPLACED_STATES:
        listed = sum(group["count_all"] for group in groups if group["state"] == state)
        counted = run.summary["counts"][state]
        if listed != counted:
            raise InputError(
                f"expected the summary's {counted} {state} tasks, got {listed}",
                where=f"tasks of run {run.label}",
                remedy="run the simulation again: its files do not belong together",
            )


def _unplaced_row(table: pa.Table, tasks: pa.Table, group: Mapping[str, Any]) -> UnplacedRow:
    """The row of a group, with its first task as the example."""
    same_state = pc.equal(tasks["state"], group["state"])
    reason = group["reason"]
    same_reason = (
        pc.is_null(tasks["reason"]) if reason is None else pc.equal(tasks["reason"], reason)
    )
    first = pc.index(pc.and_(same_state, pc.fill_null(same_reason, False)), True).as_py()
    return UnplacedRow(
        state=group["state"],
        reason=reason or "",
        tasks=group["count_all"],
        example_name=tasks["name"][first].as_py(),
        example_detail=table["reason_detail"][first].as_py() or "",
    )
