import math

import pytest

from flexsched.report import wording


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        (1.7412, "174 %"),
        (0.0996, "10 %"),
        (0.0432, "4.3 %"),
        (0.00996, "1.0 %"),
        (0.0070, "0.70 %"),
        (0.00004, "<0.01 %"),
        (0.0, "0 %"),
        (-0.0, "0 %"),
        (None, "–"),
        (math.nan, "–"),
    ],
)
def test_percentages_carry_few_digits(fraction, text):
    assert wording.percent(fraction) == text


def test_r1_rounding_error_prints_as_zero():
    assert wording.percent(1 - 10.0000000001 / 10) == "0 %"
    assert wording.number(-1e-12) == "0"
    assert wording.points(-1e-12) == "0 points"
    assert wording.signed(-0.0) == "0.00"


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        (0.9923, "99.2 %"),
        (0.9997, "99.97 %"),
        (0.999992, "99.999 %"),
        (0.9999999, ">99.999 %"),
        (1.0, "100 %"),
        (0.8, "80.0 %"),
        (None, "–"),
    ],
)
def test_a_qos_below_one_never_reads_as_100_percent(fraction, text):
    assert wording.quality(fraction) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (45, "45 s"),
        (60, "1 min"),
        (12_300, "3 h 25 min"),
        (7_200, "2 h"),
        (86_400, "1 d"),
        (100_000, "1 d 4 h"),
        (None, "–"),
    ],
)
def test_durations_name_their_two_largest_units(seconds, text):
    assert wording.duration(seconds) == text


def test_differences_carry_a_sign():
    assert wording.points(0.0017) == "+0.17 points"
    assert wording.points(-0.12) == "-12 points"
    assert wording.signed(0.041) == "+0.04"
    assert wording.signed(None) == "–"


def test_large_ratios_and_whole_sizes_carry_no_decimals():
    assert [wording.ratio(value) for value in (1.974, 9.994, 26.19)] == ["1.97x", "9.99x", "26x"]
    assert wording.signed(22.49) == "+22"
    assert wording.size(500 * 2.0**40) == "500Ti"
    assert wording.size(1.5 * 2**30) == "1.5Gi"
    assert wording.size(0.05) == "0.05"


def test_relative_differences_carry_a_sign():
    assert wording.relative_difference(0.0124) == "+1.2 %"
    assert wording.relative_difference(-0.0001) == "0.0 %"
    assert wording.relative_difference(-0.31) == "-31 %"
    assert wording.relative_difference(None) == "–"


def test_names_of_resources_and_sentences():
    assert wording.sentence_start(wording.resource_name("cpu")) == "CPU"
    assert wording.sentence_start(wording.resource_name("memory")) == "Memory"
    assert wording.resource_name("nvidia.com/gpu") == "nvidia.com/gpu"
