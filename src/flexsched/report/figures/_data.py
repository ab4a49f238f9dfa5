"""Series thinned for drawing, and the CSV in which charts carry them.

Inline CSV is a third of the size of inline JSON records, and Altair need not
check every value of it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

import altair as alt
import numpy as np
from numpy.typing import NDArray

#: Points drawn per line at most.
MAX_POINTS = 1500


def thin(
    x: NDArray[np.float64], y: NDArray[np.float64], most: int = MAX_POINTS
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """At most ``most`` points of a series, its extremes among them.

    Short series come back unchanged. Longer ones are cut into equal stretches, of
    which the lowest and the highest point stay, as well as the first and the last
    point of all; a stretch without any value stays one gap.

    Args:
        x: (n,) increasing.
        y: (n,), NaN where there is no value.
        most: bound on the points returned, >= 4.

    Raises:
        ValueError: ``most`` is below 4.
    """
    if most < 4:
        raise ValueError(f"expected a bound of at least 4 points, got {most}")
    if len(x) <= most:
        return x, y
    keep = {0, len(x) - 1}
    for stretch in np.array_split(np.arange(len(x)), (most - 2) // 2):
        values = y[stretch]
        if np.isnan(values).all():
            keep.add(int(stretch[0]))
        else:
            keep.update((int(stretch[np.nanargmin(values)]), int(stretch[np.nanargmax(values)])))
    kept = np.array(sorted(keep))
    return x[kept], y[kept]


def values_at(
    x: NDArray[np.float64], y: NDArray[np.float64], stops: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Value of a series at each stop: that of the last point at or before it.

    NaN before the first and after the last point.
    """
    if not len(x):
        return np.full(len(stops), np.nan)
    found = y[np.maximum(np.searchsorted(x, stops, side="right") - 1, 0)]
    return np.where((stops >= x[0]) & (stops <= x[-1]), found, np.nan)


def bands(stops: NDArray[np.float64], least: float) -> tuple[NDArray[np.float64], ...]:
    """Edges (left, right) of touching bands around increasing stops.

    The outermost bands end at their stop; a lone stop gets ``least`` as its width.
    """
    if len(stops) < 2:
        return stops - least / 2, stops + least / 2
    middle = (stops[1:] + stops[:-1]) / 2
    return np.append(stops[:1], middle), np.append(middle, stops[-1:])


def csv_data(header: Sequence[str], rows: Iterable[Sequence[object]]) -> alt.InlineData:
    """Rows as inline data: columns of text named ``text...`` or ``title``, all others numbers."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    parse = {name: "string" if name.startswith(("text", "title")) else "number" for name in header}
    return alt.InlineData(
        values=buffer.getvalue(), format=alt.CsvDataFormat(type="csv", parse=parse)
    )


def rounded(values: NDArray[np.float64]) -> list[str]:
    """Numbers with six significant digits (a pixel needs four); NaN is an empty cell."""
    return ["" if np.isnan(value) else f"{value:.6g}" for value in values.tolist()]
