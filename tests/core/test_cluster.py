"""What a cluster is and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flexsched.core.cluster import NO_TASK_LIMIT, Cluster
from flexsched.core.errors import InputError


def cluster(**changed: Any) -> Cluster:
    values: dict[str, Any] = {
        "capacity": np.array([[4.0, 8.0], [0.0, 2.0]]),
        "names": ["a", "b"],
    }
    return Cluster.from_arrays(**(values | changed))


def test_uniform_nodes_are_the_papers() -> None:
    nodes = Cluster.uniform(3)
    assert len(nodes) == 3
    assert nodes.resources == ("cpu", "memory")
    assert nodes.capacity.tolist() == [[64.0, 137438953472.0]] * 3
    assert list(nodes.names) == ["node-0", "node-1", "node-2"]


def test_nodes_are_there_throughout_and_unlimited_by_default() -> None:
    nodes = cluster()
    assert nodes.from_s.tolist() == [0.0, 0.0]
    assert nodes.until_s.tolist() == [np.inf, np.inf]
    assert nodes.max_tasks.tolist() == [NO_TASK_LIMIT] * 2


def test_any_number_of_resources() -> None:
    nodes = cluster(capacity=np.ones((2, 4)), resources=("cpu", "memory", "gpu", "disk"))
    assert nodes.capacity.shape == (2, 4)
    with pytest.raises(InputError, match=r"shape \(2, 3\), got \(2, 4\)"):
        cluster(capacity=np.ones((2, 4)), resources=("cpu", "memory", "gpu"))


def test_an_empty_cluster_can_be_described() -> None:
    assert len(Cluster.uniform(0)) == 0


def test_capacities_become_contiguous_floats() -> None:
    nodes = cluster(capacity=np.array([[4, 8], [0, 2]], np.int32).T[::-1])
    assert nodes.capacity.dtype == np.float64
    assert nodes.capacity.flags.c_contiguous
    assert nodes.capacity.tolist() == [[8.0, 2.0], [4.0, 0.0]]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"capacity": np.ones((3, 2))}, r"shape \(2, 2\), got \(3, 2\)"),
        ({"capacity": np.array([[1.0, -1.0], [1.0, 1.0]])}, "expected a capacity of 0, or from"),
        ({"capacity": np.array([[1.0, np.nan], [1.0, 1.0]])}, "expected a capacity of 0, or from"),
        ({"capacity": np.array([[1.0, np.inf], [1.0, 1.0]])}, "expected a capacity of 0, or from"),
        ({"names": ["a", "a"]}, "distinct node names"),
        ({"from_s": np.array([0.0, 60.0]), "until_s": np.array([9.0, 60.0])},
         "node b: expected from < until, got 60 s and 60 s"),
        ({"from_s": np.array([np.nan, 0.0])}, "node a: expected from < until, got nan s"),
    ],
)  # fmt: skip
def test_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        cluster(**changed)
