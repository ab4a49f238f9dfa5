"""Who counts as served, and the quality of a cluster."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flexsched.core.qos import quality, served

AMOUNT = st.floats(0.0, 1e15, allow_subnormal=False)


@given(AMOUNT, AMOUNT, AMOUNT)
@settings(max_examples=200, deadline=None)
def test_served_means_demand_or_request(allocated: float, demand: float, request: float) -> None:
    by_definition = allocated >= demand or allocated >= request
    if by_definition:
        assert served(allocated, demand, request)
    elif allocated < min(demand, request) * (1 - 2e-6):
        assert not served(allocated, demand, request)


@pytest.mark.parametrize(
    ("allocated", "demand", "request_", "expected"),
    [
        (2.0, 2.0, 5.0, True),  # gets all it wants, below its request
        (2.0, 5.0, 2.0, True),  # gets what it asked for, below its demand
        (1.9, 5.0, 2.0, False),
        (0.0, 0.0, 2.0, True),  # wants nothing
        (0.0, 3.0, 0.0, True),  # is owed nothing
        (1.0 - 0.9e-6, 1.0, 1.0, True),  # rounding
        (1.0 - 1.1e-6, 1.0, 1.0, False),
    ],
)
def test_served_at_its_edges(
    allocated: float, demand: float, request_: float, expected: bool
) -> None:
    assert served(allocated, demand, request_) is expected


def test_quality_of_an_empty_cluster_is_perfect() -> None:
    assert quality(0, 0) == 1.0


@pytest.mark.parametrize(
    ("violated", "running", "expected"), [(0, 7, 1.0), (1, 4, 0.75), (7, 7, 0.0), (1, 100, 0.99)]
)
def test_quality_is_the_satisfied_share(violated: int, running: int, expected: float) -> None:
    assert quality(violated, running) == expected


@given(st.integers(1, 10**6), st.data())
def test_one_violation_in_a_hundred_still_meets_the_target(
    running: int, data: st.DataObject
) -> None:
    violated = data.draw(st.integers(0, running))
    # (n - v) / n is the float nearest the true share, so comparing with 0.99 is exact.
    assert (quality(violated, running) >= 0.99) == (100 * violated <= running)
