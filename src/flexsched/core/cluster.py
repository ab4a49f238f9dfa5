"""The nodes of a cluster as a structure of arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flexsched.core.errors import InputError
from flexsched.core.quantities import LARGEST_AMOUNT, SMALLEST_AMOUNT

CPU = "cpu"
MEMORY = "memory"
#: Resources in their usual order: CPU in cores, memory in bytes.
STANDARD_RESOURCES = (CPU, MEMORY)
#: ``max_tasks`` of a node without a limit.
NO_TASK_LIMIT = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False, repr=False)
class Cluster:
    """N nodes with R named resources; node order is the order of the file.

    Attributes:
        resources: R names; ``cpu`` is in cores, ``memory`` in bytes.
        names: N distinct node names.
        capacity: (N, R) float64, 0 or within SMALLEST_AMOUNT and LARGEST_AMOUNT.
        from_s: (N,) float64, the node is present from this time on.
        until_s: (N,) float64, absent from this time on (inf: stays).
        max_tasks: (N,) int64, running tasks the node takes at most.

    Raises:
        InputError: shapes disagree, names repeat, or a value is out of range.
    """

    resources: tuple[str, ...]
    names: Sequence[str]
    capacity: NDArray[np.float64]
    from_s: NDArray[np.float64]
    until_s: NDArray[np.float64]
    max_tasks: NDArray[np.int64]

    def __post_init__(self) -> None:
        count = len(self.names)
        if self.capacity.shape != (count, len(self.resources)):
            raise InputError(
                f"expected capacities of shape ({count}, {len(self.resources)}), "
                f"got {self.capacity.shape}"
            )
        usable = (self.capacity == 0) | (
            (self.capacity >= SMALLEST_AMOUNT) & (self.capacity <= LARGEST_AMOUNT)
        )
        if not usable.all():
            node, resource = (int(place[0]) for place in np.nonzero(~usable))
            raise InputError(
                f"node {self.names[node]}, {self.resources[resource]}: expected a capacity of 0, "
                f"or from {SMALLEST_AMOUNT:g} to {LARGEST_AMOUNT:g}, "
                f"got {self.capacity[node, resource]:g}"
            )
        if not (self.from_s < self.until_s).all():
            node = int(np.flatnonzero(~(self.from_s < self.until_s))[0])
            raise InputError(
                f"node {self.names[node]}: expected from < until, "
                f"got {self.from_s[node]:g} s and {self.until_s[node]:g} s"
            )
        if len(set(self.names)) != count:
            name, times = Counter(self.names).most_common(1)[0]
            raise InputError(f"expected distinct node names, got {name} {times} times")

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<Cluster: {len(self):,} nodes with {', '.join(self.resources)}>"

    @classmethod
    def uniform(
        cls, count: int, *, cpu_cores: float = 64.0, memory_bytes: float = 128 * 2.0**30
    ) -> Cluster:
        """``count`` equal nodes, present throughout; defaults are the paper's node (section 5)."""
        return cls.from_arrays(
            np.tile(np.array([cpu_cores, memory_bytes], np.float64), (count, 1)),
            names=[f"node-{i}" for i in range(count)],
        )

    @classmethod
    def from_arrays(
        cls,
        capacity: NDArray[np.float64],
        *,
        names: Sequence[str],
        resources: tuple[str, ...] = STANDARD_RESOURCES,
        from_s: NDArray[np.float64] | None = None,
        until_s: NDArray[np.float64] | None = None,
        max_tasks: NDArray[np.int64] | None = None,
    ) -> Cluster:
        """A cluster from (N, R) capacities; life spans and task limits default to none."""
        count = len(names)
        return cls(
            resources=resources,
            names=names,
            capacity=np.ascontiguousarray(capacity, np.float64),
            from_s=np.zeros(count) if from_s is None else from_s,
            until_s=np.full(count, np.inf) if until_s is None else until_s,
            max_tasks=np.full(count, NO_TASK_LIMIT, np.int64) if max_tasks is None else max_tasks,
        )
