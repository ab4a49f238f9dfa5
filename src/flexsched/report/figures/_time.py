"""The time axis: hours since the trace began, or the unit that suits a shorter or longer run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flexsched.report.figures._lines import Axis, Line
from flexsched.report.figures._style import PolicyStyle
from flexsched.report.records import RunRecord, column
from flexsched.report.wording import duration

#: Hover stops along the time axis: wide enough to aim at, and ten minutes of the paper's day.
_MAX_STOPS = 144
#: Ticks on the time axis at most.
_MAX_TICKS = 9


@dataclass(frozen=True)
class _Unit:
    """A unit of time: its name, seconds, longest span shown in it, and natural tick steps."""

    name: str
    seconds: float
    longest_s: float
    steps: tuple[int, ...]


_UNITS = (
    _Unit("seconds", 1.0, 600.0, (1, 5, 10, 15, 30, 60, 120)),
    _Unit("minutes", 60.0, 3 * 3600.0, (1, 5, 10, 15, 30, 60)),
    _Unit("hours", 3600.0, 7 * 86400.0, (1, 2, 3, 6, 12, 24)),
    _Unit("days", 86400.0, np.inf, (1, 2, 7, 14, 30, 60, 90, 180, 365)),
)


@dataclass(frozen=True)
class TimeFrame:
    """What the charts over time share.

    Attributes:
        axis: the time axis; its unit suits the span of the runs.
        unit_s: seconds per unit of the axis.
        stops: (k,) times of rows at which a hover tells values, in units of the axis.
        band: length of a tick in units of the axis.
    """

    axis: Axis
    unit_s: float
    stops: NDArray[np.float64]
    band: float

    def line(self, run: RunRecord, style: PolicyStyle, quantity: str) -> Line:
        """A column of the run's ticks over time."""
        return Line(style, column(run, "t_s") / self.unit_s, column(run, quantity))


def time_frame(runs: Sequence[RunRecord]) -> TimeFrame:
    """The time axis of runs that may differ in their ticks and their ends."""
    times = np.unique(np.concatenate([column(run, "t_s") for run in runs]))
    span = float(times[-1] - times[0]) if len(times) else 0.0
    unit = next(unit for unit in _UNITS if span <= unit.longest_s)
    step = max(1, -(-len(times) // _MAX_STOPS))
    scaled = times / unit.seconds
    return TimeFrame(
        axis=Axis(
            f"{unit.name} since the start",
            "~g",
            lambda value: duration(value * unit.seconds),
            ticks=_ticks(scaled, unit.steps),
        ),
        unit_s=unit.seconds,
        stops=scaled[::step],
        band=float(runs[0].info["tick_s"]) / unit.seconds,
    )


def _ticks(times: NDArray[np.float64], steps: tuple[int, ...]) -> tuple[float, ...] | None:
    """Multiples of the smallest step that needs few enough ticks, None where none does."""
    span = float(times[-1] - times[0]) if len(times) else 0.0
    step = next((step for step in steps if span / step < _MAX_TICKS), None)
    if step is None:
        return None
    first = int(np.ceil(times[0] / step)) if len(times) else 0
    return tuple(float(step * (first + i)) for i in range(int(span // step) + 1))
