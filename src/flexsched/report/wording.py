"""Numbers as people read them: few digits, units, and never a minus zero."""

from __future__ import annotations

import math
import re

from flexsched.core.quantities import format_bytes

#: Stands for a value that does not exist.
MISSING = "–"
#: A fraction this close to 0 is rounding error of a sum, not a quantity.
_ROUNDING_FRACTION = 1e-9
_NAMES = {"cpu": "CPU"}


def resource_name(resource: str) -> str:
    """A resource as written in a sentence: ``CPU``, ``memory``."""
    return _NAMES.get(resource, resource)


def sentence_start(text: str) -> str:
    """The text with a capital first letter, the rest untouched."""
    return text[:1].upper() + text[1:]


def percent(fraction: float | None) -> str:
    """A fraction as percent: ``171 %``, ``4.3 %``, ``0.70 %``, ``<0.01 %``, ``0 %``."""
    if fraction is None or math.isnan(fraction):
        return MISSING
    if abs(fraction) < _ROUNDING_FRACTION:
        return "0 %"
    value = 100 * fraction
    if abs(value) < 0.01:
        return "<0.01 %" if value > 0 else ">-0.01 %"
    return f"{value:.{_decimals(value)}f} %"


def quality(fraction: float | None) -> str:
    """A QoS as percent with the digits that tell it from 100 %: ``99.2 %``, ``99.97 %``."""
    if fraction is None or math.isnan(fraction):
        return MISSING
    value = 100 * fraction
    if value >= 100 * (1 - _ROUNDING_FRACTION):
        return "100 %"
    for decimals in (1, 2, 3):
        if round(value, decimals) < 100:
            return f"{value:.{decimals}f} %"
    return ">99.999 %"


def points(difference: float | None) -> str:
    """A difference of two fractions in percentage points: ``+0.30 points``."""
    if difference is None or math.isnan(difference):
        return MISSING
    value = 100 * difference
    if abs(value) < 0.005:
        return "0 points"
    return f"{value:+.{_decimals(value)}f} points"


def signed(difference: float | None) -> str:
    """A difference of two ratios with its sign: ``+0.04``, ``0.00``, ``+22``."""
    if difference is None or math.isnan(difference):
        return MISSING
    decimals = _ratio_decimals(difference)
    return "0.00" if abs(difference) < 0.005 else f"{difference:+.{decimals}f}"


def relative_difference(difference: float | None) -> str:
    """A difference relative to its target: ``+1.3 %``, ``-12 %``, ``0.0 %``."""
    if difference is None or math.isnan(difference):
        return MISSING
    value = 100 * difference
    return "0.0 %" if abs(value) < 0.05 else f"{value:+.{min(_decimals(value), 1)}f} %"


def ratio(value: float | None) -> str:
    """A ratio: ``1.74x``, ``26x``."""
    if value is None or math.isnan(value):
        return MISSING
    return f"{value:.{_ratio_decimals(value)}f}x"


def number(value: float | None) -> str:
    """A plain number with three significant digits: ``1.25``, ``0.0312``, ``0``."""
    if value is None or math.isnan(value):
        return MISSING
    if abs(value) < _ROUNDING_FRACTION:
        return "0"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def decimal(value: float | None) -> str:
    """A plain number with three decimals, for columns: ``0.290``."""
    return MISSING if value is None or math.isnan(value) else f"{value:.3f}"


def size(value_bytes: float) -> str:
    """Bytes with a decimal only where it says something: ``500Ti``, ``1.5Gi``."""
    return re.sub(r"\.0(?=[A-Z])", "", format_bytes(value_bytes))


def count(value: int) -> str:
    """A count with thousands separators: ``714,030``."""
    return f"{value:,}"


def duration(seconds: float | None) -> str:
    """A length of time in its two largest units: ``45 s``, ``12 min``, ``3 h 25 min``."""
    if seconds is None or math.isnan(seconds):
        return MISSING
    if abs(seconds) < 60:
        return f"{number(seconds)} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(round(seconds / 3600), 24)
    return f"{days} d {hours} h" if hours else f"{days} d"


def _ratio_decimals(value: float) -> int:
    """Decimals for a ratio: two below 10, else none."""
    return 2 if abs(value) < 9.995 else 0


def _decimals(value: float) -> int:
    """Decimals for a percentage: none from 10 on, one from 1 on, else two."""
    size = abs(value)
    return 0 if size >= 9.95 else 1 if size >= 0.995 else 2
