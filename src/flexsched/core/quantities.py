"""Quantities and durations as people write them, and as reports show them.

The grammar of quantities is that of Kubernetes resource quantities: a decimal
number, then at most one of a decimal suffix (n u m k M G T P E), a binary suffix
(Ki Mi Gi Ti Pi Ei) or an exponent (e6, E-3). ``E`` with digits behind it is an
exponent, alone it is exa.

A text is evaluated as an exact fraction and rounded once, to the nearest float64.
That is also the rule for thousandths of a byte: ``107374182400m`` stays
107374182.4 bytes and is not rounded up to a whole byte.
"""

from __future__ import annotations

import re
from fractions import Fraction

from flexsched.core.errors import InputError

#: Amounts of a resource that sums and ratios can be made of without leaving float64.
SMALLEST_AMOUNT, LARGEST_AMOUNT = 1e-30, 1e30

_SUFFIXES = {
    "": Fraction(1),
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 10**3),
    **{suffix: Fraction(10 ** (3 * i)) for i, suffix in enumerate("kMGTPE", start=1)},
    **{f"{suffix}i": Fraction(2 ** (10 * i)) for i, suffix in enumerate("KMGTPE", start=1)},
}
_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_QUANTITY = re.compile(rf"([+-]?)({_NUMBER})(?:[eE]([+-]?[0-9]+)|([numkMGTPE]|[KMGTPE]i)?)")
_DURATION = re.compile(
    rf"(-?)(?:({_NUMBER})d)?(?:({_NUMBER})h)?(?:({_NUMBER})m)?(?:({_NUMBER})s)?(?:({_NUMBER})ms)?"
)
_SECONDS = re.compile(rf"(-?)({_NUMBER}(?:[eE][+-]?[0-9]+)?)")
_UNITS_S = (Fraction(86400), Fraction(3600), Fraction(60), Fraction(1), Fraction(1, 1000))
#: No sensible text is longer; the limit keeps hostile ones from costing time.
_MAX_LENGTH = 100
_MAX_EXPONENT = 400
_BINARY_UNITS = ("Ki", "Mi", "Gi", "Ti", "Pi", "Ei")


def parse_quantity(text: str) -> float:
    """Read a Kubernetes quantity, in the resource's own unit (cores, bytes, pieces).

    Args:
        text: for instance ``500m``, ``1.5``, ``129e6``, ``64Mi``, ``107374182400m``.

    Returns:
        The float64 nearest to the exact value; finite, >= 0, never ``-0.0``.

    Raises:
        InputError: the text is no quantity, is negative, or is beyond LARGEST_AMOUNT.
    """
    match = _QUANTITY.fullmatch(text.strip()) if len(text) <= _MAX_LENGTH else None
    if match is None:
        raise InputError(
            f"expected a quantity such as 500m, 1.5, 129e6 or 64Mi, got {_shown(text)}",
            remedy="write a number with one suffix (n u m k M G T P E, Ki Mi Gi Ti Pi Ei) "
            "or with one exponent, not both",
        )
    sign, number, exponent, suffix = match.groups()
    if sign == "-":
        raise InputError(f"expected a quantity >= 0, got {_shown(text)}")
    power = _power_of_ten(exponent or "0", text)
    value = Fraction(number) * power * _SUFFIXES[suffix or ""]
    if value > LARGEST_AMOUNT:
        raise InputError(f"expected a quantity up to {LARGEST_AMOUNT:g}, got {_shown(text)}")
    return _rounded(value, text)


def parse_duration_s(text: str, *, allow_negative: bool = False) -> float:
    """Read a duration: ``90s``, ``10m``, ``1h30m``, ``2d``, ``250ms`` or plain seconds.

    Units go from large to small and each comes at most once; numbers may have decimals.

    Returns:
        Seconds, finite, never ``-0.0``; >= 0 unless ``allow_negative``.

    Raises:
        InputError: the text is no duration, or negative where that has no meaning.
    """
    stripped = text.strip() if len(text) <= _MAX_LENGTH else ""
    if match := _SECONDS.fullmatch(stripped):
        number, _, exponent = match[2].lower().partition("e")
        seconds = Fraction(number) * _power_of_ten(exponent or "0", text)
    elif (match := _DURATION.fullmatch(stripped)) and any(match.groups()[1:]):
        parts = zip(match.groups()[1:], _UNITS_S, strict=True)
        seconds = sum((Fraction(part) * unit for part, unit in parts if part), Fraction(0))
    else:
        raise InputError(
            f"expected a duration such as 90s, 10m, 1h30m or seconds, got {_shown(text)}",
            remedy="use d, h, m, s and ms, from large to small",
        )
    if match[1] and not allow_negative:
        raise InputError(f"expected a duration >= 0, got {_shown(text)}")
    return _rounded(-seconds if match[1] else seconds, text)


def format_bytes(value: float) -> str:
    """Write bytes in the largest fitting binary unit with one decimal, such as ``102.4Mi``.

    Rounded, not cut; below 1Ki a plain number to the thousandth of a byte, never ``-0``.
    """
    size, unit = value, ""
    for larger in _BINARY_UNITS:
        # The unit is chosen after rounding: 1023.96Ki is 1.0Mi, not 1024.0Ki.
        if round(abs(size), 1 if unit else 3) < 1024:
            break
        size, unit = size / 1024, larger
    return f"{size:.1f}{unit}" if unit else _plain(value)


def format_cores(value: float) -> str:
    """Write cores to the thousandth, such as ``0.1`` or ``64``; no trailing zeros, never ``-0``."""
    return _plain(value)


def format_duration(seconds: float) -> str:
    """Write a duration as :func:`parse_duration_s` reads it, to the millisecond; inf: endless."""
    if seconds == float("inf"):
        return "endless"
    milliseconds = round(abs(seconds) * 1000)
    whole, fraction = divmod(milliseconds, 1000)
    parts = []
    for unit, length in (("d", 86400), ("h", 3600), ("m", 60)):
        count, whole = divmod(whole, length)
        if count:
            parts.append(f"{count}{unit}")
    if whole or fraction or not parts:
        parts.append(f"{_plain(whole + fraction / 1000)}s")
    return ("-" if seconds < 0 and milliseconds else "") + "".join(parts)


def _plain(value: float) -> str:
    """At most three decimals, no trailing zeros, no minus before a zero."""
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _power_of_ten(exponent: str, text: str) -> Fraction:
    power = int(exponent)
    if abs(power) > _MAX_EXPONENT:
        raise InputError(
            f"expected an exponent within ±{_MAX_EXPONENT}, got {exponent} in {_shown(text)}"
        )
    return Fraction(10) ** power


def _rounded(value: Fraction, text: str) -> float:
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"expected a value below 1.8e308, got {_shown(text)}") from None


def _shown(text: str) -> str:
    return repr(text if len(text) <= _MAX_LENGTH else text[:_MAX_LENGTH] + "…")
