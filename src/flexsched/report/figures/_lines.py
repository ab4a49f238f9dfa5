"""One line per policy, with the values of all of them wherever the pointer is."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
from numpy.typing import NDArray

from flexsched.report.figures._data import bands, csv_data, rounded, thin, values_at
from flexsched.report.figures._style import HEIGHT, WIDTH, PolicyStyle

#: Series this short also show their points: a single row is no line.
_SHOW_POINTS = 30
_HOVER = "hover_"


@dataclass(frozen=True)
class Line:
    """A policy's series: x (n,) increasing, y (n,) with NaN for gaps."""

    style: PolicyStyle
    x: NDArray[np.float64]
    y: NDArray[np.float64]


@dataclass(frozen=True)
class Axis:
    """An axis: title with unit, d3 number format of its labels, and a value in words.

    ``zero``: the axis includes 0. ``ticks``: where to put ticks, None to leave it to Vega.
    """

    title: str
    label_format: str
    text: Callable[[float], str]
    zero: bool = False
    ticks: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Mark:
    """A dashed reference line at a value of the x or y axis."""

    value: float
    axis: str


def line_chart(
    name: str,
    lines: Sequence[Line],
    *,
    x: Axis,
    y: Axis,
    stops: NDArray[np.float64],
    band: float = 1.0,
    mark: Mark | None = None,
    step: bool = False,
) -> alt.LayerChart:
    """Lines, an optional reference line, and bands over the plot that answer the pointer.

    Args:
        name: unique among the charts of a page.
        lines: one per policy, in legend order.
        x: axis of the lines' x.
        y: axis of the lines' y.
        stops: (k,) increasing x at which a hover tells exact values.
        band: width of the hover band of a lone stop.
        mark: reference line.
        step: draw steps (a value holds until the next) rather than straight lines.
    """
    layers = [_lines(lines, x, y, stops, band, step=step)]
    if mark is not None:
        layers.insert(0, _reference(mark))
    return alt.LayerChart(
        layer=[*layers, _hover(name, lines, x, y, stops, band)], width=WIDTH, height=HEIGHT
    )


def without_hover(chart: alt.LayerChart) -> alt.LayerChart:
    """The chart without its bands: a file cannot answer a pointer, and draws twice as fast."""
    still: alt.LayerChart = chart.copy()
    still.layer = [layer for layer in chart.layer if not str(layer.name).startswith(_HOVER)]
    still.params = alt.Undefined
    return still


def value_scale(series: Sequence[NDArray[np.float64]], *, zero: bool) -> alt.Scale:
    """Scale of a value axis; 0 to 1 where no value spans one, of which Vega would warn."""
    values = np.concatenate([*series, np.empty(0)])
    known = values[~np.isnan(values)]
    if not len(known) or (zero and not known.any()):
        return alt.Scale(domain=[0, 1])
    return alt.Scale(zero=zero)


def policy_names(styles: Sequence[PolicyStyle]) -> str:
    """Expression that turns the number in column ``p`` into the policy's name."""
    return f"{json.dumps([style.name for style in styles])}[datum.p]"


def policy_colour(styles: Sequence[PolicyStyle]) -> alt.Color:
    """Colour by policy, in legend order."""
    names, colours = [s.name for s in styles], [s.colour for s in styles]
    return alt.Color("policy:N", title=None, sort=None).scale(domain=names, range=colours)


def _lines(
    lines: Sequence[Line], x: Axis, y: Axis, stops: NDArray[np.float64], band: float, *, step: bool
) -> alt.Chart:
    thinned = [thin(line.x, line.y) for line in lines]
    rows = (
        (across, number, up)
        for number, (line_x, line_y) in enumerate(thinned)
        for across, up in zip(rounded(line_x), rounded(line_y), strict=True)
    )
    left, right = bands(stops, band)
    domain = [float(left[0]), float(right[-1])] if len(stops) else [0.0, 1.0]
    styles = [line.style for line in lines]
    dashes = alt.Scale(domain=[s.name for s in styles], range=[list(s.dash) for s in styles])
    drawn: alt.Chart = (
        alt.Chart(csv_data(("x", "p", "y"), rows))
        .transform_calculate(policy=policy_names(styles))
        .mark_line(
            strokeWidth=1.4,
            interpolate="step-after" if step else "linear",
            point=max((len(line.x) for line in lines), default=0) <= _SHOW_POINTS,
        )
        .encode(
            x=alt.X("x:Q", title=x.title)
            .scale(domain=domain, nice=False, zero=False)
            .axis(format=x.label_format, grid=False, values=x.ticks or alt.Undefined),
            y=alt.Y(
                "y:Q", title=y.title, scale=value_scale([line.y for line in lines], zero=y.zero)
            ).axis(format=y.label_format),
            color=policy_colour(styles),
            strokeDash=alt.StrokeDash("policy:N", title=None, sort=None, scale=dashes),
        )
    )
    return drawn


def _reference(mark: Mark) -> alt.Chart:
    """The reference line, drawn below the data."""
    data = csv_data(("at",), [(f"{mark.value:.6g}",)])
    rule = alt.Chart(data).mark_rule(strokeDash=[3, 3], opacity=0.6)
    placed: alt.Chart = rule.encode(x="at:Q") if mark.axis == "x" else rule.encode(y="at:Q")
    return placed


def _hover(
    name: str,
    lines: Sequence[Line],
    x: Axis,
    y: Axis,
    stops: NDArray[np.float64],
    band: float,
) -> alt.Chart:
    """Invisible bands whose tooltip holds the value of every line at their stop."""
    left, right = bands(stops, band)
    columns = [[y.text(v) for v in values_at(line.x, line.y, stops)] for line in lines]
    heads = [x.text(stop) for stop in stops]
    texts = [f"text{number}" for number in range(len(lines))]
    data = csv_data(
        ("left", "right", "title", *texts),
        zip(rounded(left), rounded(right), heads, *columns, strict=True),
    )
    tooltips = [
        alt.Tooltip(f"{text}:N", title=line.style.name)
        for text, line in zip(texts, lines, strict=True)
    ]
    pointed = alt.selection_point(
        name=f"pointed_{name}", on="pointerover", clear="pointerout", fields=["left"], empty=False
    )
    drawn: alt.Chart = (
        alt.Chart(data, name=f"{_HOVER}{name}")
        .mark_rect(color="#888888")
        .encode(
            x=alt.X("left:Q"),
            x2="right:Q",
            opacity=alt.when(pointed).then(alt.value(0.35)).otherwise(alt.value(0)),
            tooltip=[alt.Tooltip("title:N", title="title"), *tooltips],
        )
        .add_params(pointed)
    )
    return drawn
