"""Stratified draws: exact sums, exact marginals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flexsched.traces.synthetic.jobs import arrival_times, job_sizes
from flexsched.traces.synthetic.lifetimes import (
    LONG_SHARE,
    arriving_life_s,
    remaining_life_s,
)
from flexsched.traces.synthetic.published import ARRIVING_JOB_TASKS, OBSERVED_S, STARTING_JOB_TASKS
from flexsched.traces.synthetic.requests import RUNNING, assign_pairs, read_cells
from flexsched.traces.synthetic.strata import Quantiles, Strata, apportion, mixed_order

WEIGHTS = st.lists(st.floats(0.1, 100), min_size=1, max_size=8)


@given(WEIGHTS, st.integers(0, 1000))
@settings(max_examples=50, deadline=None)
def test_apportioned_shares_add_up_and_are_within_one(weights: list[float], total: int) -> None:
    given_weights = np.array(weights)
    shares = apportion(given_weights, total)
    assert shares.sum() == total
    assert (np.abs(shares - given_weights / given_weights.sum() * total) < 1).all()


def test_quantiles_are_log_linear_between_knots() -> None:
    quantiles = Quantiles((0.0, 0.5, 1.0), (1.0, 10.0, 1000.0))
    np.testing.assert_allclose(
        quantiles(np.array([0.0, 0.25, 0.5, 0.75])), [1, 10**0.5, 10, 100], rtol=1e-12
    )


def test_positions_by_hand() -> None:
    # Group 0 holds jobs 0 and 2 in the order 2, 0; group 1 holds job 1.
    strata = Strata.lay(np.array([2, 3, 2]), np.array([0, 1, 0]), np.array([0.9, 0.5, 0.1]))
    np.testing.assert_allclose(
        strata.of_tasks(), [2.5 / 4, 3.5 / 4, 0.5 / 3, 1.5 / 3, 2.5 / 3, 0.5 / 4, 1.5 / 4]
    )
    np.testing.assert_allclose(strata.of_jobs(), [3 / 4, 1 / 2, 1 / 4])


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 2)), min_size=1, max_size=20))
@settings(max_examples=50, deadline=None)
def test_positions_of_a_group_cover_the_line_evenly(jobs: list[tuple[int, int]]) -> None:
    tasks, group = (np.array(column) for column in zip(*jobs, strict=True))
    score = np.random.default_rng(0).random(len(tasks))
    position = Strata.lay(tasks, group, score).of_tasks()
    for number in set(group.tolist()):
        inside = np.sort(position[np.repeat(group, tasks) == number])
        np.testing.assert_allclose(inside, (np.arange(len(inside)) + 0.5) / len(inside))


def test_mixed_order_follows_the_key_fully_or_not_at_all() -> None:
    key = np.random.default_rng(1).random(2000)
    generator = np.random.default_rng(2)
    assert (np.argsort(mixed_order(key, 1.0, generator)) == np.argsort(key)).all()
    assert abs(np.corrcoef(key, mixed_order(key, 0.0, generator))[0, 1]) < 0.1


@given(st.sampled_from([*ARRIVING_JOB_TASKS.values(), *STARTING_JOB_TASKS.values()]),
       st.integers(1, 5000), st.integers(1, 400))  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_job_sizes_hold_all_tasks(sizes_of: Quantiles, tasks: int, largest: int) -> None:
    sizes = job_sizes(sizes_of, tasks, largest)
    assert sizes.sum() == tasks
    assert sizes.min() >= 1
    assert (np.diff(sizes) <= 0).all()


def test_arrivals_lie_within_the_hours_and_none_at_the_start() -> None:
    times = arrival_times(10_000, 2.5, np.random.default_rng(0))
    assert times.min() > 0
    assert times.max() <= 2.5 * 3600


def test_table_of_requests_adds_up_to_the_published_load() -> None:
    # calibration: 132,982 running tasks request 187 % CPU, 137 % memory of 4000 nodes.
    running = [cell for cell in read_cells() if cell.population == RUNNING]
    assert sum(cell.tasks.sum() for cell in running) == 132_982
    load = sum(cell.tasks @ cell.pairs for cell in running) / 4000
    np.testing.assert_allclose(load, [1.87, 1.37], atol=0.005)


def test_pairs_of_jobs_meet_the_mean_request() -> None:
    cell = max(read_cells(), key=lambda cell: cell.tasks.sum())
    sizes = np.sort(np.random.default_rng(0).integers(1, 200, 300))[::-1]
    pairs = assign_pairs(cell, sizes, np.random.default_rng(3))
    wanted = cell.tasks @ cell.pairs / cell.tasks.sum()
    np.testing.assert_allclose(sizes @ pairs / sizes.sum(), wanted, rtol=0.03)


def test_share_that_ends_is_the_published_one() -> None:
    position = (np.arange(100_000) + 0.5) / 100_000
    for priority, ended in ((0, 0.356), (9, 0.0184), (11, 0.0018)):
        life_s = remaining_life_s(position, np.full(len(position), priority))
        assert np.mean(life_s <= OBSERVED_S) == pytest.approx(ended, abs=1e-4)


def test_arriving_lives_are_short_or_long_and_rise_within_each() -> None:
    position = np.linspace(0, 1, 1001)
    life_s = arriving_life_s(position)
    is_long = position >= 1 - LONG_SHARE
    assert (np.diff(life_s[~is_long]) >= 0).all()
    assert (np.diff(life_s[is_long]) >= 0).all()
    assert life_s[is_long].min() >= 2.7 * 3600
