"""What the report reads of a run, and the order in which policies appear."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from flexsched.core.errors import InputError

#: Order of the paper's legends (section 5); other policies follow in the order given.
PAPER_ORDER = ("least-fit", "oversub", "flex-f", "flex-l")
#: QoS target of the paper's evaluation.
PAPER_TARGET_QOS = 0.99
_WRITTEN = {
    "least-fit": "LeastFit",
    "oversub": "Oversub",
    "flex-f": "FlexF",
    "flex-l": "FlexL",
    "first-fit": "FirstFit",
    "best-fit": "BestFit",
    "random": "Random",
}


class RunRecord(Protocol):
    """The part of a simulation's result that the report needs (see the run folder's format)."""

    @property
    def label(self) -> str:
        """Policy name, with the settings that differ (``flex-f:alpha=0.98``)."""

    @property
    def ticks(self) -> pa.Table:
        """One row per tick."""

    @property
    def tasks(self) -> pa.Table:
        """One row per submitted task."""

    @property
    def summary(self) -> dict[str, Any]:
        """The policy's entry of ``summary.json``."""

    @property
    def info(self) -> dict[str, Any]:
        """``run.json``: what is needed to repeat the run."""


def policy_name(label: str) -> str:
    """The registered name inside a label: ``flex-f`` for ``flex-f:alpha=0.98``."""
    return label.partition(":")[0]


def display_name(label: str) -> str:
    """A label as people write it: ``FlexF (alpha=0.98)`` for ``flex-f:alpha=0.98``."""
    name, _, settings = label.partition(":")
    written = _WRITTEN.get(name, name)
    spaced = re.sub(r",\s*", ", ", settings)
    return f"{written} ({spaced})" if settings else written


def display_names(labels: Sequence[str]) -> list[str]:
    """Names for labels in the same order; a label that comes again gets a number."""
    seen: Counter[str] = Counter()
    names = []
    for label in labels:
        seen[label] += 1
        name = display_name(label)
        names.append(name if seen[label] == 1 else f"{name} #{seen[label]}")
    return names


def paper_rank(label: str) -> int:
    """Place of a label in the paper's order; policies the paper does not know come last."""
    name = policy_name(label)
    return PAPER_ORDER.index(name) if name in PAPER_ORDER else len(PAPER_ORDER)


def ordered(runs: Sequence[RunRecord]) -> list[RunRecord]:
    """Runs in the paper's order, otherwise as given.

    Raises:
        InputError: there is no run.
    """
    if not runs:
        raise InputError(
            "expected at least one run to report on, got none",
            remedy="name run folders written by flexsched simulate, compare or reproduce",
        )
    return sorted(runs, key=lambda run: paper_rank(run.label))


def resources(runs: Sequence[RunRecord]) -> list[str]:
    """Resources that every run recorded, in the order of the first run's columns."""
    prefix, suffix = "request_", "_fraction"
    found = [
        column.removeprefix(prefix).removesuffix(suffix)
        for column in runs[0].ticks.column_names
        if column.startswith(prefix) and column.endswith(suffix)
    ]
    return [
        resource
        for resource in found
        if all(f"request_{resource}_fraction" in run.ticks.column_names for run in runs)
    ]


def target_qos(runs: Sequence[RunRecord]) -> float | None:
    """The QoS target that runs are judged by, None where their settings disagree.

    Policies without a controller set no target; where no policy does, it is the paper's.
    """
    stated = {
        float(run.info["settings"]["target_qos"])
        for run in runs
        if run.info.get("settings", {}).get("target_qos") is not None
    }
    if not stated:
        return PAPER_TARGET_QOS
    return stated.pop() if len(stated) == 1 else None


def column(run: RunRecord, name: str) -> NDArray[np.float64]:
    """A column of ``ticks`` as (rows,) float64; null becomes NaN.

    Raises:
        InputError: the table has no such column.
    """
    if name not in run.ticks.column_names:
        raise InputError(
            f"expected a column {name}, got {', '.join(run.ticks.column_names)}",
            where=f"ticks of run {run.label}",
        )
    values = run.ticks[name].cast(pa.float64()).to_numpy(zero_copy_only=False)
    return np.asarray(values, np.float64)
