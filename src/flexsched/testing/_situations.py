"""Random situations in which a placement rule is asked about nodes and a request."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from flexsched.core.cluster import NO_TASK_LIMIT
from flexsched.core.placement import NodeIndex, make_index
from flexsched.core.workload import Provenance, Workload

_MOST_NODES, _MOST_RESOURCES = 40, 3
_SOURCES = ("first", "second", "third")


class Situation(NamedTuple):
    """N nodes, and a request to place on one of them.

    Attributes:
        nodes: their loads, presence, tasks and counts are filled in, their keys are not.
        request: (R,) of the task to place.
    """

    nodes: NodeIndex
    request: NDArray[np.float64]


def draw_situation(generator: Generator) -> Situation:
    """A situation; amounts are often equal or exact, so that scores tie and requests just fit."""
    nodes = int(generator.integers(1, _MOST_NODES + 1))
    width = int(generator.integers(1, _MOST_RESOURCES + 1))
    scale = 2.0 ** generator.integers(-4, 38)
    coarse = generator.random() < 0.5
    capacity = _amounts(generator, (nodes, width), coarse, largest=4.0) * scale
    capacity[generator.random((nodes, width)) < 0.1] = 0.0
    limited = generator.random(nodes) < 0.2
    index = make_index(capacity, np.where(limited, 2, NO_TASK_LIMIT).astype(np.int64))
    index.load[:] = capacity * _amounts(generator, (nodes, width), coarse, largest=1.5)
    index.present[:] = generator.random(nodes) < 0.9
    index.tasks[:] = generator.integers(0, 4, nodes)
    index.same_source[:] = np.minimum(generator.integers(0, 3, nodes), index.tasks)
    request = _amounts(generator, (width,), coarse, largest=2.0) * scale
    request[generator.random(width) < 0.2] = 0.0
    return Situation(index, request)


def draw_workload(generator: Generator, tasks: int = 60) -> Workload:
    """A workload with equal submission times and equal requests among its tasks."""
    return Workload(
        name="conformance",
        resources=("cpu", "memory"),
        task_names=[f"task-{task}" for task in range(tasks)],
        source=generator.integers(0, len(_SOURCES), tasks),
        source_names=_SOURCES,
        priority=generator.integers(0, 3, tasks).astype(np.int16),
        task_class=np.zeros(tasks, np.int8),
        class_names=("all",),
        submit_s=60.0 * generator.integers(0, 10, tasks).astype(np.float64),
        duration_s=np.full(tasks, 600.0),
        start_node=np.full(tasks, -1, np.int32),
        trace_task=np.arange(tasks),
        request=_amounts(generator, (tasks, 2), coarse=True, largest=4.0),
        usage=np.zeros((0, 2)),
        usage_offset=np.zeros(tasks, np.int64),
        usage_length=np.zeros(tasks, np.int64),
        window_s=np.full(tasks, 300.0),
        nodes=None,
        provenance=Provenance(source="conformance suite", usage_kind="request"),
    )


def _amounts(
    generator: Generator, shape: tuple[int, ...], coarse: bool, largest: float
) -> NDArray[np.float64]:
    """Amounts in [0, largest]; coarse ones are multiples of a quarter."""
    if coarse:
        return generator.integers(0, int(4 * largest) + 1, shape) / 4.0
    return generator.random(shape) * largest
