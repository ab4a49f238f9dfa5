"""The order in which pending tasks are tried (paper, algorithms 1 and 2).

An order is a rank per task, computed once: a task that fails or is displaced keeps its rank,
so requeueing is merging two sorted lists of ranks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from flexsched.core.cluster import MEMORY, Cluster
from flexsched.core.errors import SettingError
from flexsched.core.workload import Workload

#: Tasks by rank, or ascending ranks of tasks.
Order = NDArray[np.int32]


def first_in_first_out(workload: Workload) -> Order:
    """(T,) tasks by submission time, then input order."""
    return np.argsort(workload.submit_s, kind="stable").astype(np.int32)


def largest_first(workload: Workload, size: NDArray[np.float64]) -> Order:
    """(T,) tasks by decreasing size, then submission time, then input order."""
    return np.lexsort((workload.submit_s, -size)).astype(np.int32)


def memory_size(workload: Workload) -> NDArray[np.float64]:
    """(T,) memory request in bytes.

    Raises:
        SettingError: the workload has no memory.
    """
    if MEMORY not in workload.resources:
        raise SettingError(
            f"expected a workload with memory to order by, got {', '.join(workload.resources)}",
            remedy="use order=dominant",
        )
    return workload.request[:, workload.resources.index(MEMORY)]


def dominant_size(workload: Workload, cluster: Cluster) -> NDArray[np.float64]:
    """(T,) largest share that the request takes of the whole cluster, over resources."""
    total = cluster.capacity.sum(axis=0)
    there = total > 0
    if not there.any():
        return np.zeros(len(workload))
    return (workload.request[:, there] / total[there]).max(axis=1)


def merge(pending: Order, requeued: Order) -> Order:
    """Two ascending lists of ranks as one."""
    if requeued.size == 0:
        return pending
    merged = np.concatenate((pending, requeued))
    if pending.size and requeued[0] < pending[-1]:
        merged.sort(kind="stable")
    return merged
