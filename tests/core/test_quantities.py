"""Quantities and durations against exact fractions, and cases.md section 1."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flexsched.core.errors import InputError
from flexsched.core.quantities import (
    LARGEST_AMOUNT,
    format_bytes,
    format_cores,
    format_duration,
    parse_duration_s,
    parse_quantity,
)

SCALES = {
    "": 1, "n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000),
    "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18,
    "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60,
}  # fmt: skip
decimals = st.decimals(
    min_value=0, max_value=10**9, allow_nan=False, allow_infinity=False, places=6
)


@pytest.mark.parametrize(
    ("text", "value"),
    [("129e6", 129000000), ("129E6", 129000000), ("0.129e9", 129000000), ("129E", 129 * 10**18)],
)
def test_q1_exponent_form(text: str, value: int) -> None:
    assert parse_quantity(text) == value


def test_q1_exponent_with_suffix_is_refused_naming_the_text() -> None:
    with pytest.raises(InputError, match="1e3m"):
        parse_quantity("1e3m")


def test_q2_thousandths_of_a_byte() -> None:
    value = parse_quantity("107374182400m")
    assert value == 107374182.4
    assert format_bytes(value) == "102.4Mi"


def test_q3_plain_bytes() -> None:
    value = parse_quantity("120586239")
    assert value == 120586239
    assert format_bytes(value) == "115.0Mi"


def test_q4_mixed_spellings() -> None:
    assert parse_quantity("100m") == 0.1
    memory = ["10Mi", "1150Mi", "107374182400m", "120586239"]
    values = [parse_quantity(text) for text in memory]
    assert values == [10485760, 1205862400, 107374182.4, 120586239]
    assert sorted(memory, key=parse_quantity) == ["10Mi", "107374182400m", "120586239", "1150Mi"]
    assert sum(values) == pytest.approx(1444308581.4)


@settings(max_examples=60)
@given(decimals, st.sampled_from(sorted(SCALES)), st.sampled_from(["", "+"]))
def test_suffixed_quantities_equal_the_nearest_float(
    number: Decimal, suffix: str, sign: str
) -> None:
    exact = Fraction(number) * SCALES[suffix]
    assert parse_quantity(f"{sign}{number:f}{suffix}") == exact.numerator / exact.denominator


@settings(max_examples=60)
@given(decimals, st.integers(-30, 30), st.sampled_from("eE"))
def test_exponents_equal_the_nearest_float(number: Decimal, power: int, letter: str) -> None:
    exact = Fraction(number) * Fraction(10) ** power
    text = f"{number:f}{letter}{power}"
    if exact > Fraction(LARGEST_AMOUNT):
        with pytest.raises(InputError, match="expected a quantity up to 1e"):
            parse_quantity(text)
    else:
        assert parse_quantity(text) == exact.numerator / exact.denominator


@settings(max_examples=200)
@given(st.text(max_size=12) | st.from_regex(r"[-+]?[0-9.]{0,4}[eEnumkMGi]{0,3}[0-9]{0,3}"))
def test_any_text_is_a_finite_quantity_or_an_input_error(text: str) -> None:
    try:
        value = parse_quantity(text)
    except InputError:
        return
    assert 0 <= value < float("inf")
    assert not str(value).startswith("-")


@pytest.mark.parametrize(
    "text",
    ["", "-1", "-0", "nan", "inf", "1 Gi", "1gi", "1KI", "Ki", ".", "1e", "1e9999999999", "1e400",
     "1" * 101, "\u0663", "0x10", "1_000", "1,5"],
)  # fmt: skip
def test_what_is_no_quantity_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_quantity(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("10m", 600), ("1h30m", 5400), ("2d", 172800), ("250ms", 0.25), ("60", 60),
     ("1.5h", 5400), ("0", 0), ("0s", 0), ("1m500ms", 60.5), ("1d1h1m1s1ms", 90061.001),
     ("1e3", 1000), ("0.1", 0.1)],
)  # fmt: skip
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration_s(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "-", "s", "30m1h", "1h1h", "10 m", "-5m", "5x", "inf", "nan", "1h30"]
)
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_duration_s(text)


def test_negative_durations_where_they_have_a_meaning() -> None:
    assert parse_duration_s("-10m", allow_negative=True) == -600
    assert str(parse_duration_s("-0s", allow_negative=True)) == "0.0"


@settings(max_examples=100)
@given(st.integers(-(10**12), 10**12))
def test_durations_come_back_from_their_text(milliseconds: int) -> None:
    seconds = milliseconds / 1000
    assert parse_duration_s(format_duration(seconds), allow_negative=True) == seconds


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (-0.0, "0s"), (-1e-9, "0s"), (90, "1m30s"), (5400, "1h30m"), (86400, "1d"),
     (59.9996, "1m"), (-600, "-10m"), (0.25, "0.25s"), (float("inf"), "endless")],
)  # fmt: skip
def test_durations_as_shown(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (-0.0, "0"), (-1e-10, "0"), (0.001, "0.001"), (512, "512"), (1023.9999, "1.0Ki"),
     (1024, "1.0Ki"), (1023.96 * 1024, "1.0Mi"), (128 * 2**30, "128.0Gi"), (-2048, "-2.0Ki"),
     (5000 * 2**60, "5000.0Ei")],
)  # fmt: skip
def test_bytes_as_shown(value: float, text: str) -> None:
    assert format_bytes(value) == text


@settings(max_examples=100)
@given(st.floats(1, 2**70))
def test_shown_bytes_are_within_the_rounding_of_their_last_digit(value: float) -> None:
    shown = parse_quantity(format_bytes(value))
    assert shown == pytest.approx(value, rel=0.05 + 1e-9)
    assert shown > 0


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.1, "0.1"), (64, "64"), (1.5, "1.5"), (-1e-10, "0"), (-0.0, "0"), (0.12345, "0.123"),
     (256000, "256000")],
)  # fmt: skip
def test_cores_as_shown(value: float, text: str) -> None:
    assert format_cores(value) == text
