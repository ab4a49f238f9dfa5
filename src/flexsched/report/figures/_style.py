"""Colours, dashes and the look of the charts.

The first four colours are those of Okabe and Ito's palette for colour-blind
readers that keep a contrast of at least 3 to 1 on white and on the dark page
alike; every policy also has a dash pattern, so that lines differ in grey print.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flexsched.report.records import display_names, paper_rank

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8C7A00", "#7A7A7A", "#2F8FC4")
_DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3), (12, 4))
_PAPER_POLICIES = 4
#: Plot height of every chart, in pixels.
HEIGHT = 240
#: Plot width in exported files and notebooks; on the page the container decides.
WIDTH = 480

_AXIS = {"labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": "normal", "tickCount": 6}
#: Vega thins out even ticks that were asked for, down to this many.
_AXIS_X = {"tickCount": 10}
#: For files and notebooks: dark ink on white, legend inside the chart.
PAPER_CONFIG: dict[str, Any] = {
    "font": "sans-serif",
    "background": "white",
    "view": {"stroke": None},
    "axis": {**_AXIS, "gridColor": "#dddddd", "domainColor": "#666666", "tickColor": "#666666"},
    "axisX": _AXIS_X,
    "legend": {
        "orient": "top",
        "title": None,
        "columns": 4,
        "labelFontSize": 11,
        "symbolSize": 200,
    },
    "title": {"anchor": "start", "fontSize": 13, "subtitleFontSize": 11},
}
#: For the page: the ink is the text's own colour, so that a theme needs no second drawing.
PAGE_CONFIG: dict[str, Any] = {
    "font": "system-ui, sans-serif",
    "background": None,
    "view": {"stroke": None},
    "axis": {
        **_AXIS,
        "labelColor": "currentColor",
        "titleColor": "currentColor",
        "gridColor": "currentColor",
        "gridOpacity": 0.15,
        "domainColor": "currentColor",
        "tickColor": "currentColor",
    },
    "axisX": _AXIS_X,
    "legend": {"disable": True},
    "text": {"color": "currentColor"},
    "rule": {"color": "currentColor"},
}


@dataclass(frozen=True)
class PolicyStyle:
    """How one policy is drawn in every chart.

    ``dash`` alternates drawn and blank pixels.
    """

    name: str
    colour: str
    dash: tuple[int, ...]


def policy_styles(labels: Sequence[str]) -> list[PolicyStyle]:
    """Styles for labels, in the same order.

    The paper's four policies keep their colour whatever else is compared.
    """
    taken = {rank for label in labels if (rank := paper_rank(label)) < _PAPER_POLICIES}
    spare = (slot for slot in range(_PAPER_POLICIES + len(labels)) if slot not in taken)
    unused = set(taken)
    styles = []
    for label, name in zip(labels, display_names(labels), strict=True):
        rank = paper_rank(label)
        slot = rank if rank in unused else next(spare)
        unused.discard(rank)
        styles.append(
            PolicyStyle(name, _COLOURS[slot % len(_COLOURS)], _DASHES[slot % len(_DASHES)])
        )
    return styles
