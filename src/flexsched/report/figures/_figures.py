"""The paper's figures 6 to 9, one function each, with its axes and its order of policies.

Every function takes runs in display order and their styles, one per run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import altair as alt
import numpy as np
from numpy.typing import NDArray

from flexsched.report.figures._data import csv_data
from flexsched.report.figures._lines import (
    Axis,
    Line,
    Mark,
    line_chart,
    policy_colour,
    policy_names,
    value_scale,
)
from flexsched.report.figures._style import HEIGHT, WIDTH, PolicyStyle
from flexsched.report.figures._time import time_frame
from flexsched.report.records import RunRecord, column, target_qos
from flexsched.report.wording import number, percent, quality, resource_name

_PERCENT_LABEL = ".3~%"
_QOS_LABEL = ".5~%"
_QOS_TITLE = "QoS (satisfied tasks, % of running)"
#: Hover stops along the QoS axis.
_QOS_STOPS = 101
#: Above so many policies, labels on bars would overlap.
_MAX_LABELLED = 5
#: QoS axis where nothing ran and no target is known.
_QOS_FLOOR = 0.95


def share_over_time(
    runs: Sequence[RunRecord], styles: Sequence[PolicyStyle], quantity: str, resource: str
) -> alt.LayerChart:
    """Figure 6: ``request`` or ``usage`` of the whole cluster / capacity over time."""
    written = {"request": "requested", "usage": "used"}[quantity]
    title = f"{resource_name(resource)} {written}, % of capacity"
    axis = Axis(title, _PERCENT_LABEL, percent, zero=True)
    return _over_time(runs, styles, f"{quantity}_{resource}_fraction", axis, mark=Mark(1.0, "y"))


def qos_distribution(runs: Sequence[RunRecord], styles: Sequence[PolicyStyle]) -> alt.LayerChart:
    """Figure 7a: cumulative distribution of QoS over the rows in which something ran."""
    target = target_qos(runs)
    samples = [column(run, "qos")[column(run, "running") > 0] for run in runs]
    floor = min([target or _QOS_FLOOR, *(float(s.min()) for s in samples if len(s))])
    start = floor - 0.02 * (1 - floor)
    return line_chart(
        "qos_distribution",
        [
            Line(style, *_cumulative(values, start))
            for style, values in zip(styles, samples, strict=True)
        ],
        x=Axis(_QOS_TITLE, _QOS_LABEL, lambda q: f"QoS ≤ {quality(q)}"),
        y=Axis("% of time at or below", _PERCENT_LABEL, percent, zero=True),
        stops=np.linspace(start, 1.0, _QOS_STOPS),
        mark=None if target is None else Mark(target, "x"),
        step=True,
    )


def violations(
    runs: Sequence[RunRecord], styles: Sequence[PolicyStyle], what: Literal["tasks", "time"]
) -> alt.LayerChart:
    """Figure 7b: share of running tasks violated, or of time below the QoS target."""
    key, title = {
        "tasks": ("violated_task_fraction", "violated tasks, % of running"),
        "time": ("violated_time_fraction", "time below target, %"),
    }[what]
    shares = [run.summary["qos"][key] for run in runs]
    rows = [
        (place, f"{share:.6g}", percent(share))
        for place, share in enumerate(shares)
        if share is not None
    ]
    labelled = len(runs) <= _MAX_LABELLED
    names = [style.name for style in styles]
    scale = value_scale([np.array([s for s in shares if s is not None])], zero=True)
    base = (
        alt.Chart(csv_data(("p", "y", "text_value"), rows))
        .transform_calculate(policy=policy_names(styles))
        .encode(
            x=alt.X("policy:N", title=None, sort=names)
            .scale(domain=names)
            .axis(labels=labelled, ticks=False, labelAngle=0, labelLimit=80),
            y=alt.Y("y:Q", title=title, scale=scale).axis(format=_PERCENT_LABEL),
            tooltip=[
                alt.Tooltip("policy:N", title="title"),
                alt.Tooltip("text_value:N", title=title),
            ],
        )
    )
    layers = [base.mark_bar().encode(color=policy_colour(styles))]
    if labelled:
        layers.append(base.mark_text(dy=-6, fontSize=11).encode(text="text_value:N"))
    return alt.LayerChart(layer=layers, width=WIDTH, height=HEIGHT)


def qos_over_time(runs: Sequence[RunRecord], styles: Sequence[PolicyStyle]) -> alt.LayerChart:
    """Figure 8, upper half: QoS over time, with its target."""
    target = target_qos(runs)
    mark = None if target is None else Mark(target, "y")
    return _over_time(runs, styles, "qos", Axis(_QOS_TITLE, _QOS_LABEL, quality), mark=mark)


def penalty_over_time(runs: Sequence[RunRecord], styles: Sequence[PolicyStyle]) -> alt.LayerChart:
    """Figure 8, lower half: estimation penalty over time, of runs that have one."""
    return _over_time(runs, styles, "penalty", Axis("estimation penalty", "~g", number))


def imbalance_over_time(
    runs: Sequence[RunRecord], styles: Sequence[PolicyStyle], resource: str
) -> alt.LayerChart:
    """Figure 9: standard deviation over nodes / mean of usage, over time."""
    title = f"{resource_name(resource)} usage, deviation / mean"
    axis = Axis(title, "~g", number, zero=True)
    return _over_time(runs, styles, f"imbalance_{resource}", axis)


def _over_time(
    runs: Sequence[RunRecord],
    styles: Sequence[PolicyStyle],
    quantity: str,
    y: Axis,
    mark: Mark | None = None,
) -> alt.LayerChart:
    """A column of the ticks of every run over time."""
    frame = time_frame(runs)
    return line_chart(
        # Vega accepts only word characters in a name, a resource may have others.
        re.sub(r"\W", "_", quantity),
        [frame.line(run, style, quantity) for run, style in zip(runs, styles, strict=True)],
        x=frame.axis,
        y=y,
        stops=frame.stops,
        band=frame.band,
        mark=mark,
    )


def _cumulative(
    values: NDArray[np.float64], start: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Steps of the empirical distribution from (start, 0) to (1, 1); no values, no steps."""
    if not len(values):
        return np.empty(0), np.empty(0)
    at, rows = np.unique(values, return_counts=True)
    share = np.cumsum(rows) / len(values)
    if at[-1] < 1.0:
        at, share = np.append(at, 1.0), np.append(share, 1.0)
    return np.append(start, at), np.append(0.0, share)
