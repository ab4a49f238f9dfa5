"""The split under contention against exact arithmetic, and the wrapped guarantee."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from flexsched.core.contention import allocate, guarantee, wrapped_guarantee
from flexsched.core.qos import served

AMOUNT = st.one_of(
    st.integers(0, 8).map(lambda eighths: eighths / 8),  # ties, zeros, exact sums
    st.floats(0.0, 1e12, allow_subnormal=False),
)
TASKS = st.lists(st.tuples(AMOUNT, AMOUNT), min_size=1, max_size=12)
SLOW_IS_FINE = settings(max_examples=200, deadline=None)


def exact_split(
    demand: list[float], request: list[float], capacity: float
) -> tuple[list[Fraction], list[Fraction]]:
    """Allocations and guarantees in rational numbers, straight from the definition."""
    wanted, asked = [Fraction(d) for d in demand], [Fraction(r) for r in request]
    room, total = Fraction(capacity), sum(Fraction(r) for r in request)
    if sum(wanted) <= room:
        return wanted, wanted
    ensured = [
        min(d, r, room * r / total) if total else Fraction(0)
        for d, r in zip(wanted, asked, strict=True)
    ]
    missing = sum(wanted) - sum(ensured)
    left = room - sum(ensured)
    gained = [
        g + left * (d - g) / missing if missing else g for d, g in zip(wanted, ensured, strict=True)
    ]
    return gained, ensured


def one_resource(demand: list[float], request: list[float], capacity: float) -> NDArray[np.float64]:
    return allocate(
        np.array(demand)[:, np.newaxis], np.array(request)[:, np.newaxis], np.array([capacity])
    )[:, 0]


@given(TASKS, AMOUNT)
@SLOW_IS_FINE
def test_split_is_conservative_and_exact_up_to_rounding(
    tasks: list[tuple[float, float]], capacity: float
) -> None:
    demand, request = [d for d, _ in tasks], [r for _, r in tasks]
    got = one_resource(demand, request, capacity)
    scale = max(capacity, sum(demand), 1e-300)
    assert (got >= 0).all()
    assert (got <= demand).all()
    assert got.sum() == pytest.approx(min(capacity, sum(demand)), rel=1e-9, abs=1e-12 * scale)
    exact, ensured = exact_split(demand, request, capacity)
    for ours, right, least in zip(got, exact, ensured, strict=True):
        assert ours == pytest.approx(float(right), rel=1e-9, abs=1e-12 * scale)
        assert ours >= float(least) * (1 - 1e-9)


@given(TASKS)
@SLOW_IS_FINE
def test_demand_that_just_fits_is_met_to_the_bit(tasks: list[tuple[float, float]]) -> None:
    demand, request = [d for d, _ in tasks], [r for _, r in tasks]
    capacity = float(np.array(demand).sum())
    assert one_resource(demand, request, capacity).tolist() == demand


@given(st.integers(1, 12), AMOUNT, AMOUNT, AMOUNT)
@SLOW_IS_FINE
def test_equal_tasks_get_equal_shares(
    count: int, demand: float, request: float, capacity: float
) -> None:
    got = one_resource([demand] * count, [request] * count, capacity)
    assert len(set(got.tolist())) == 1
    assert got[0] == pytest.approx(min(demand, capacity / count), rel=1e-9)


@given(TASKS, st.floats(1.0, 2.0))
@SLOW_IS_FINE
def test_with_requests_within_capacity_everyone_is_served(
    tasks: list[tuple[float, float]], slack: float
) -> None:
    demand, request = [d for d, _ in tasks], [r for _, r in tasks]
    got = one_resource(demand, request, sum(request) * slack)
    assert all(served(a, d, r) for a, d, r in zip(got, demand, request, strict=True))


@given(TASKS, AMOUNT, TASKS, AMOUNT)
@SLOW_IS_FINE
def test_resources_do_not_touch_each_other(
    first: list[tuple[float, float]],
    first_room: float,
    second: list[tuple[float, float]],
    second_room: float,
) -> None:
    pairs = list(zip(first, second, strict=False))
    demand = np.array([[a[0], b[0]] for a, b in pairs])
    request = np.array([[a[1], b[1]] for a, b in pairs])
    both = allocate(demand, request, np.array([first_room, second_room]))
    for resource, room in enumerate((first_room, second_room)):
        alone = one_resource(demand[:, resource].tolist(), request[:, resource].tolist(), room)
        assert both[:, resource].tolist() == alone.tolist()


def test_c1_usage_never_above_capacity() -> None:
    assert one_resource([1.0] * 4, [1.0] * 4, 2.0).tolist() == [0.5] * 4


def test_c2_smallest_contention() -> None:
    got = one_resource([1.0, 1.0], [1.0, 1.0], 1.0)
    assert got.tolist() == [0.5, 0.5]
    assert got.sum() == 1.0


def test_leftover_goes_by_unmet_demand() -> None:
    # C = 10, R = 8: guarantees min(2, 4, 5) = 2 and min(12, 4, 5) = 4; the 4 left over go to
    # the only task with unmet demand.
    assert one_resource([2.0, 12.0], [4.0, 4.0], 10.0).tolist() == [2.0, 8.0]
    # C = 9, R = 4: guarantees 1 and 3; 5 left for unmet 3 and 7 (3:7).
    assert one_resource([4.0, 10.0], [1.0, 3.0], 9.0).tolist() == pytest.approx([2.5, 6.5])


def test_overfull_node_splits_by_request_first() -> None:
    # C = 6, R = 12: guarantees 6 * 9 / 12 = 4.5 and 6 * 3 / 12 = 1.5 use it up.
    assert one_resource([9.0, 9.0], [9.0, 3.0], 6.0).tolist() == [4.5, 1.5]


def test_without_requests_demand_decides() -> None:
    assert guarantee(3.0, 0.0, 2.0, 0.0) == 0.0
    assert one_resource([3.0, 1.0], [0.0, 0.0], 2.0).tolist() == [1.5, 0.5]


def test_without_capacity_nobody_gets_anything() -> None:
    assert one_resource([3.0, 1.0], [2.0, 0.0], 0.0).tolist() == [0.0, 0.0]
    assert one_resource([0.0], [2.0], 0.0).tolist() == [0.0]


# -- the memory guarantee as the authors compute it, in signed 64-bit integers ------------------

NODE_BYTES = 128 * 2**30


def wrap_to_int64(value: int) -> int:
    """What a signed 64-bit register keeps of an integer."""
    return (value + 2**63) % 2**64 - 2**63


def bigint_guarantee(demand: int, request: int, capacity: int, requested: int) -> Fraction:
    wrapped = Fraction(wrap_to_int64(capacity * request), requested)
    return max(Fraction(0), min(Fraction(demand), Fraction(request), wrapped))


@given(
    demand=st.integers(0, NODE_BYTES),
    request=st.integers(1, NODE_BYTES),
    others=st.integers(0, 4 * NODE_BYTES),
    power=st.integers(30, 40),
)
@SLOW_IS_FINE
def test_wrapped_guarantee_equals_integers_on_power_of_two_nodes(
    demand: int, request: int, others: int, power: int
) -> None:
    # C a power of two: C * r is exact in floats, so the wrap is too.
    got = wrapped_guarantee(float(demand), float(request), float(2**power), float(request + others))
    right = bigint_guarantee(demand, request, 2**power, request + others)
    assert got == pytest.approx(float(right), rel=1e-12)


@given(
    demand=st.integers(0, NODE_BYTES),
    request=st.integers(1, NODE_BYTES),
    capacity=st.integers(2**20, 2**42),
)
@SLOW_IS_FINE
def test_wrapped_guarantee_is_near_the_integers_on_any_node(
    demand: int, request: int, capacity: int
) -> None:
    product = capacity * request
    rounding = product // 2**52 + 1
    from_jump = (product + 2**63) % 2**64
    got = wrapped_guarantee(float(demand), float(request), float(capacity), float(request))
    assert 0.0 <= got <= min(demand, request)
    if rounding < from_jump < 2**64 - rounding:
        right = float(bigint_guarantee(demand, request, capacity, request))
        assert got == pytest.approx(right, rel=1e-12, abs=rounding / request)


def test_wrapped_guarantee_turns_at_64_mib_on_a_128_gib_node() -> None:
    room, edge = float(NODE_BYTES), float(64 * 2**20)
    below = edge - 1.0
    assert wrapped_guarantee(edge, below, room, room) == guarantee(edge, below, room, room) == below
    # At 64 MiB the product is 2**63, which wraps to the most negative integer.
    assert guarantee(edge, edge, room, room) == edge
    assert wrapped_guarantee(edge, edge, room, room) == 0.0
    # At 128 MiB it is 2**64: wrapped to 0, so memory is shared by demand alone.
    assert wrapped_guarantee(2 * edge, 2 * edge, room, room) == 0.0


def test_wrapped_guarantee_without_requests_is_nothing() -> None:
    assert wrapped_guarantee(1.0, 0.0, 4.0, 0.0) == 0.0
