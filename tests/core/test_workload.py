"""What a workload is, what it refuses, and when two are the same."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_workloads import workload

from flexsched.core.cluster import Cluster
from flexsched.core.errors import InputError

TWO = [[1.0, 2.0], [3.0, 4.0]]


def test_length_is_the_number_of_tasks() -> None:
    assert len(workload(TWO)) == 2
    assert len(workload([])) == 0


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"source": np.zeros(3, np.int64)}, r"column source: expected shape \(2,\), got \(3,\)"),
        ({"window_s": np.ones((2, 1))}, r"column window_s: expected shape \(2,\), got \(2, 1\)"),
        ({"request": np.ones((2, 3))}, r"request: expected \(2, 2\), got \(2, 3\)"),
        ({"usage": np.ones(4)}, r"usage: expected \(rows, 2\), got \(4,\)"),
        ({"usage": np.ones((4, 1))}, r"usage: expected \(rows, 2\), got \(4, 1\)"),
        ({"submit_s": np.array([0.0, np.nan])}, "task t1, field submit_s: expected a finite time"),
        ({"submit_s": np.array([0.0, -1.0])},
         "task t1, field submit_s: expected a time >= 0 .* got -1"),
        ({"duration_s": np.array([-2.0, 1.0])},
         r"task t0, field duration_s: expected a length >= 0, got -2\.0"),
        ({"duration_s": np.array([1.0, np.nan])}, "task t1, field duration_s"),
        ({"window_s": np.array([300.0, 0.0])}, "task t1, field window_s: expected a window > 0"),
        ({"request": np.array([[1.0, 2.0], [np.inf, 0.0]])},
         "task t1, field request: expected requests from 0 to"),
        ({"request": np.array([[1.0, -2.0], [1.0, 0.0]])}, "task t0, field request"),
        ({"usage_length": np.array([0, 1])},
         "task t1, field usage_offset: expected a series inside the 0 usage rows"),
        ({"usage_offset": np.array([-1, 0])}, "task t0, field usage_offset"),
        ({"start_node": np.array([0, -1], np.int32)},
         "task t0, field start_node: expected one of 0 nodes, got 0"),
    ],
)  # fmt: skip
def test_refused(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        workload(TWO, **columns)


def test_a_task_there_at_the_start_was_submitted_before() -> None:
    there = {"start_node": np.array([0, -1], np.int32), "nodes": Cluster.uniform(1)}
    made = workload(TWO, submit_s=np.array([-900.0, 0.0]), **there)
    assert made.submit_s[0] == -900.0
    with pytest.raises(InputError, match="a time <= 0 for a task that is running at the start"):
        workload(TWO, submit_s=np.array([1.0, 0.0]), **there)


def test_endless_and_zero_length_tasks_are_legal() -> None:
    assert workload(TWO, duration_s=np.array([np.inf, 0.0])).duration_s.tolist() == [np.inf, 0.0]


AMOUNT = st.sampled_from([0.0, 0.25, 1.0, 1e9])


@given(st.lists(st.tuples(AMOUNT, AMOUNT, AMOUNT), max_size=25))
@settings(max_examples=100, deadline=None)
def test_request_kinds_are_the_distinct_rows(rows: list[tuple[float, float, float]]) -> None:
    kind = workload(rows, resources=("cpu", "memory", "gpu")).request_kind
    assert len(set(kind.tolist())) == len(set(rows))
    assert all(0 <= code < max(len(set(rows)), 1) for code in kind)
    for first, row in enumerate(rows):
        for second, other in enumerate(rows):
            assert (kind[first] == kind[second]) == (row == other)


SERIES = {
    "usage": np.array([[0.5, 1.0], [0.25, 1.0]]),
    "usage_offset": np.array([0, 1]),
    "usage_length": np.array([1, 1]),
}


def test_the_digest_goes_by_the_numbers() -> None:
    made = workload(TWO, **SERIES)
    assert made.digest == workload(TWO, **SERIES).digest
    renamed = dataclasses.replace(made, name="other", task_names=["x", "y"])
    assert renamed.digest == made.digest


@pytest.mark.parametrize(
    "column",
    ["submit_s", "duration_s", "source", "priority", "request", "window_s", "usage", "usage_offset",
     "usage_length"],
)  # fmt: skip
def test_the_digest_changes_with_every_number(column: str) -> None:
    made = workload(TWO, **SERIES)
    values = getattr(made, column).copy()
    if column == "usage_offset":
        values[:] = values[::-1]
    elif column == "usage_length":
        values[0] = 2
    else:
        values.flat[-1] += 1
    changed = {"source_names": ["job", "second"], column: values}
    assert dataclasses.replace(made, **changed).digest != made.digest


def test_the_digest_counts_the_workloads_own_nodes() -> None:
    digests = {workload(TWO, nodes=nodes).digest for nodes in (None, Cluster.uniform(1),
                                                               Cluster.uniform(2))}  # fmt: skip
    assert len(digests) == 3


def test_the_digest_counts_life_spans_and_limits_of_nodes() -> None:
    plain = Cluster.uniform(1)
    changed = [
        dataclasses.replace(plain, until_s=np.array([600.0])),
        dataclasses.replace(plain, from_s=np.array([60.0])),
        dataclasses.replace(plain, max_tasks=np.array([1])),
    ]
    assert len({workload(TWO, nodes=nodes).digest for nodes in (plain, *changed)}) == 4
