"""The paper's figures as Altair charts: for the page, for files and for notebooks.

Names of the charts, which are also the names of the exported files (R: a resource):

- ``figure-6-request-R``, ``figure-6-usage-R``: whole cluster / capacity over time
- ``figure-7a-qos-cdf``, ``figure-7b-violations`` (tasks), ``figure-7b-time``
- ``figure-8-qos``, ``figure-8-penalty`` (the latter only if a policy has a penalty)
- ``figure-9-imbalance-R``: deviation / mean of usage over the nodes (memory first, as in
  the paper, then the other resources)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from flexsched.report.figures import _figures
from flexsched.report.figures._lines import without_hover
from flexsched.report.figures._style import PAGE_CONFIG, PAPER_CONFIG, PolicyStyle, policy_styles
from flexsched.report.records import RunRecord, ordered, resources
from flexsched.report.wording import resource_name, sentence_start
from flexsched.report.workloads import workload_line

__all__ = ["PAGE_CONFIG", "Figure", "charts", "figures", "overview", "without_hover"]


@dataclass(frozen=True)
class Figure:
    """A chart with its place in the paper.

    Attributes:
        key: name of the chart and of its files.
        number: figure of the paper (6 to 9).
        title: what it shows, in words.
        chart: the chart without title and configuration.
        styles: the policies it shows, in legend order.
    """

    key: str
    number: str
    title: str
    chart: alt.LayerChart
    styles: list[PolicyStyle]


def figures(runs: Sequence[RunRecord]) -> list[Figure]:
    """The figures of a comparison in the paper's order.

    Args:
        runs: one or more runs of one workload, in any order.

    Raises:
        InputError: there is no run, or a table lacks a column.
    """
    runs = ordered(runs)
    styles, names = policy_styles([run.label for run in runs]), resources(runs)
    found = [
        Figure(
            f"figure-6-{quantity}-{_file_part(resource)}",
            "6",
            f"{sentence_start(resource_name(resource))} {written}, share of capacity",
            _figures.share_over_time(runs, styles, quantity, resource),
            styles,
        )
        for quantity, written in (("request", "requested"), ("usage", "used"))
        for resource in names
    ]
    found += [
        Figure("figure-7a-qos-cdf", "7a", "Distribution of QoS over time",
               _figures.qos_distribution(runs, styles), styles),
        Figure("figure-7b-violations", "7b", "Violated tasks, share of running tasks",
               _figures.violations(runs, styles, "tasks"), styles),
        Figure("figure-7b-time", "7b", "Time below the QoS target",
               _figures.violations(runs, styles, "time"), styles),
        Figure("figure-8-qos", "8", "QoS over time",
               _figures.qos_over_time(runs, styles), styles),
        *_penalty_figure(runs, styles),
    ]  # fmt: skip
    found += [
        Figure(
            f"figure-9-imbalance-{_file_part(resource)}",
            "9",
            f"Spread of {resource_name(resource)} usage over the nodes",
            _figures.imbalance_over_time(runs, styles, resource),
            styles,
        )
        for resource in sorted(names, key=lambda resource: resource != "memory")
    ]
    return found


def charts(runs: Sequence[RunRecord]) -> dict[str, alt.LayerChart]:
    """The figures by name, each titled and ready for a notebook or a file.

    Args:
        runs: one or more runs of one workload, in any order.

    Raises:
        InputError: there is no run, or a table lacks a column.
    """
    found = figures(runs)
    subtitle = workload_line(runs)
    return {
        figure.key: figure.chart.properties(
            title=alt.Title(figure.title, subtitle=subtitle)
        ).configure(**PAPER_CONFIG)
        for figure in found
    }


def overview(runs: Sequence[RunRecord]) -> alt.ConcatChart:
    """All figures side by side in one chart, which a notebook displays.

    Args:
        runs: one or more runs of one workload, in any order.

    Raises:
        InputError: there is no run, or a table lacks a column.
    """
    views = [figure.chart.properties(title=figure.title) for figure in figures(runs)]
    combined: alt.ConcatChart = (
        alt.concat(*views, columns=2)
        .resolve_scale(color="independent", strokeDash="independent")
        .properties(title=workload_line(runs))
        .configure(**PAPER_CONFIG)
    )
    return combined


def _penalty_figure(runs: Sequence[RunRecord], styles: Sequence[PolicyStyle]) -> list[Figure]:
    """The lower half of figure 8 with the policies that have a penalty; nothing without any."""
    penalised = [
        (run, style)
        for run, style in zip(runs, styles, strict=True)
        if run.ticks["penalty"].null_count < run.ticks.num_rows
    ]
    if not penalised:
        return []
    with_penalty, drawn = zip(*penalised, strict=True)
    chart = _figures.penalty_over_time(with_penalty, drawn)
    return [Figure("figure-8-penalty", "8", "Estimation penalty over time", chart, list(drawn))]


def _file_part(resource: str) -> str:
    """A resource's name as part of a file name: ``nvidia.com/gpu`` becomes ``nvidia.com-gpu``."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", resource)
