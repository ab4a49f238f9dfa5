"""Queue orders against ``sorted`` with keys, and merging against sorting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_workloads import workload

from flexsched.core.cluster import Cluster
from flexsched.core.errors import SettingError
from flexsched.core.policies import FlexF, FlexL, LeastFit, policies
from flexsched.core.queues import (
    dominant_size,
    first_in_first_out,
    largest_first,
    memory_size,
    merge,
)
from flexsched.core.workload import Workload

#: Submission time, CPU and memory of a task, from few values so that ties are common.
TASKS = st.lists(
    st.tuples(
        st.sampled_from([0.0, 1.0, 1.5, 60.0]),
        st.sampled_from([0.0, 0.5, 3.0]),
        st.sampled_from([0.0, 1.0, 2.0, 7.0]),
    ),
    max_size=30,
)
UNIFORM = Cluster.uniform(2, cpu_cores=4.0, memory_bytes=8.0)
SLOW_IS_FINE = settings(max_examples=100, deadline=None)


def tasks_of(tasks: list[tuple[float, float, float]]) -> Workload:
    return workload(
        [task[1:] for task in tasks], submit_s=np.array([task[0] for task in tasks], np.float64)
    )


@given(TASKS)
@SLOW_IS_FINE
def test_first_come_first_served(tasks: list[tuple[float, float, float]]) -> None:
    right = sorted(range(len(tasks)), key=lambda j: (tasks[j][0], j))
    assert first_in_first_out(tasks_of(tasks)).tolist() == right


@given(TASKS)
@SLOW_IS_FINE
def test_largest_memory_request_first(tasks: list[tuple[float, float, float]]) -> None:
    right = sorted(range(len(tasks)), key=lambda j: (-tasks[j][2], tasks[j][0], j))
    made = tasks_of(tasks)
    assert largest_first(made, memory_size(made)).tolist() == right
    assert FlexL().queue_order(made, UNIFORM).tolist() == right


@given(TASKS)
@SLOW_IS_FINE
def test_largest_dominant_share_first(tasks: list[tuple[float, float, float]]) -> None:
    # The cluster has 8 cores and 16 bytes.
    right = sorted(
        range(len(tasks)),
        key=lambda j: (-max(tasks[j][1] / 8, tasks[j][2] / 16), tasks[j][0], j),
    )
    assert FlexL(order="dominant").queue_order(tasks_of(tasks), UNIFORM).tolist() == right


def test_only_flex_l_reorders() -> None:
    made = workload([[1, 1], [1, 9], [1, 5]], submit_s=np.array([5.0, 9.0, 0.0]))
    orders = {name: kind().queue_order(made, UNIFORM).tolist() for name, kind in policies().items()}
    assert orders.pop("flex-l") == [1, 2, 0]
    assert set(map(tuple, orders.values())) == {(2, 0, 1)}


def test_priority_orders_nothing() -> None:
    made = workload([[1, 1], [1, 1]], priority=np.array([0, 11], np.int16))
    for policy in (LeastFit(), FlexF(), FlexL()):
        assert policy.queue_order(made, UNIFORM).tolist() == [0, 1]


def test_dominant_share_leaves_out_what_the_cluster_has_none_of() -> None:
    made = workload([[1.0, 4.0], [2.0, 0.0]])
    without_memory = Cluster.uniform(2, cpu_cores=4.0, memory_bytes=0.0)
    assert dominant_size(made, without_memory).tolist() == [1 / 8, 2 / 8]
    nothing = Cluster.uniform(1, cpu_cores=0.0, memory_bytes=0.0)
    assert dominant_size(made, nothing).tolist() == [0.0, 0.0]


def test_memory_order_needs_memory() -> None:
    made = workload([[1.0]], resources=("gpu",))
    with pytest.raises(SettingError, match="memory to order by, got gpu") as info:
        FlexL().queue_order(made, UNIFORM)
    assert info.value.remedy == "use order=dominant"


@given(st.sets(st.integers(0, 60)), st.sets(st.integers(0, 60)))
@SLOW_IS_FINE
def test_merging_is_sorting(pending: set[int], requeued: set[int]) -> None:
    waiting, back = sorted(pending), sorted(requeued - pending)
    merged = merge(np.array(waiting, np.int32), np.array(back, np.int32))
    assert merged.tolist() == sorted(waiting + back)
    assert merged.dtype == np.int32
