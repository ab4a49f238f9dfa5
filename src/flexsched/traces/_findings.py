"""What looks wrong in a workload (``flexsched trace check``)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from flexsched.core.workload import Workload
from flexsched.traces._series import unreferenced_rows
from flexsched.traces._usage_figures import usage_figures

Severity = Literal["note", "warning", "error"]
#: As in the placement rule: sums of floats may exceed a capacity by rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Finding:
    """One rule and what breaks it.

    Attributes:
        rule: name of the rule.
        count: tasks, nodes, windows or rows concerned.
        share: of all of their kind, None where that is not known.
        example: the first one's name, "" where it has none.
        severity: note (legal, but worth knowing), warning (results may surprise),
            error (a simulation makes no sense).
    """

    rule: str
    count: int
    share: float | None
    example: str
    severity: Severity


def check(workload: Workload) -> list[Finding]:
    """Find what a reader of results should know: errors first, then warnings, then notes."""
    order: tuple[Severity, ...] = ("error", "warning", "note")
    found = [*_tasks(workload), *_usage(workload), *_nodes(workload), *_quirks(workload)]
    return sorted(found, key=lambda finding: order.index(finding.severity))


def larger_than_every_node(workload: Workload) -> NDArray[np.bool_]:
    """Tell which tasks no node of the workload holds, all resources taken together.

    Returns:
        (T,) bool; all False without nodes.
    """
    if workload.nodes is None:
        return np.zeros(len(workload), bool)
    homeless = np.ones(len(workload), bool)
    for capacity in np.unique(workload.nodes.capacity, axis=0):
        homeless &= (workload.request > capacity * (1 + _ROUNDING)).any(axis=1)
    return homeless


def _tasks(workload: Workload) -> Iterator[Finding]:
    if not len(workload):
        yield Finding("no_tasks", 0, None, "", "error")
        return
    larger = larger_than_every_node(workload)
    yield from _found(workload, "larger_than_every_node", larger,
                      "error" if larger.all() else "warning")  # fmt: skip
    yield from _found(workload, "zero_length", workload.duration_s == 0)
    yield from _found(workload, "endless", np.isinf(workload.duration_s))
    for index, resource in enumerate(workload.resources):
        yield from _found(workload, f"zero_request_{resource}", workload.request[:, index] == 0)


def _usage(workload: Workload) -> Iterator[Finding]:
    length = workload.usage_length
    yield from _found(workload, "usage_is_request", length == 0, "warning")
    ends_early = (length > 1) & (length * workload.window_s < workload.duration_s)
    yield from _found(workload, "series_shorter_than_task", ends_early)
    if orphans := unreferenced_rows(workload):
        share = orphans / len(workload.usage)
        yield Finding("usage_row_of_no_task", orphans, share, "", "warning")
    figures = usage_figures(workload)
    for index, resource in enumerate(workload.resources):
        for rule, count, task in (
            ("zero_usage", figures.zero[index], figures.zero_example[index]),
            ("usage_above_request", figures.above[index], figures.above_example[index]),
        ):
            if count:
                name = str(workload.task_names[task])
                share = float(count / figures.windows)
                yield Finding(f"{rule}_{resource}", int(count), share, name, "note")


def _nodes(workload: Workload) -> Iterator[Finding]:
    nodes = workload.nodes
    if nodes is None:
        return
    running = workload.start_node >= 0
    at = workload.start_node[running]
    load = np.column_stack(
        [
            np.bincount(at, weights=workload.request[running, index], minlength=len(nodes))
            for index in range(len(workload.resources))
        ]
    )
    overfull = (load > nodes.capacity * (1 + _ROUNDING)).any(axis=1)
    empty = (nodes.capacity == 0).all(axis=1)
    for rule, mask in (("node_overfull_at_start", overfull), ("node_without_capacity", empty)):
        if mask.any():
            count = int(np.count_nonzero(mask))
            name = nodes.names[int(np.argmax(mask))]
            yield Finding(rule, count, count / len(nodes), name, "warning")


def _quirks(workload: Workload) -> Iterator[Finding]:
    """Repeat what the reader skipped, mended or filled in."""
    for rule, count in workload.provenance.quirks.items():
        yield Finding(rule, count, None, "", "note")


def _found(
    workload: Workload, rule: str, mask: NDArray[np.bool_], severity: Severity = "note"
) -> Iterator[Finding]:
    """Yield one finding on tasks if the mask holds any."""
    if mask.any():
        count = int(np.count_nonzero(mask))
        name = str(workload.task_names[int(np.argmax(mask))])
        yield Finding(rule, count, count / len(mask), name, severity)
