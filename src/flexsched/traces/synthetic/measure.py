"""Measurements of any workload's usage series: one pass over its rows."""

from __future__ import annotations

import mmap
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flexsched.core.jit import kernel
from flexsched.core.workload import Workload

#: Rows measured at a time by one thread.
CHUNK_ROWS = 1 << 22


@dataclass(frozen=True)
class UsageFigures:
    """What the series of T tasks with R resources show.

    Attributes:
        mean, maximum, std: (T, R) over the windows of each task, in cores and bytes.
        snapshot: (T, R) usage at ``snapshot_s``; NaN for tasks that do not run then.
        used, requested: (G, R) sums over the tasks that run in each window of time, if every
            task starts when it is submitted; windows begin at 0.
    """

    mean: NDArray[np.float64]
    maximum: NDArray[np.float64]
    std: NDArray[np.float64]
    snapshot: NDArray[np.float64]
    used: NDArray[np.float64]
    requested: NDArray[np.float64]


def measure_usage(
    workload: Workload, counted: NDArray[np.bool_], window_s: float, snapshot_s: float
) -> UsageFigures:
    """Measure the usage series of a workload.

    Args:
        workload: T tasks, each with at least one usage row.
        counted: (T,) tasks that are part of ``used`` and ``requested``.
        window_s: length of a window of time.
        snapshot_s: when the snapshot is taken.
    """
    tasks, width = workload.request.shape
    # A task counts for the window of time in which it is submitted and those that follow.
    begin = (workload.submit_s // window_s).astype(np.int64)
    grid = (int((begin + workload.usage_length).max()), width)
    per_task = np.full((4, tasks, width), np.nan)
    bounds = np.searchsorted(
        workload.usage_offset, np.arange(0, len(workload.usage), CHUNK_ROWS), "left"
    )
    parts = list(zip(bounds, [*bounds[1:], tasks], strict=True))
    snapshot = int(snapshot_s // window_s)

    def measure(part: tuple[int, int]) -> NDArray[np.float64]:
        some = slice(*part)
        sums = np.zeros((2, *grid))
        _measure(workload.usage, workload.usage_offset[some], workload.usage_length[some],
                 workload.request[some], begin[some], counted[some], snapshot,
                 per_task[:, some], sums)  # fmt: skip
        _release(workload.usage)
        return sums

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        used, requested = np.sum(list(pool.map(measure, parts)), axis=0)
    mean, maximum, std, snapshot_usage = per_task
    return UsageFigures(mean, maximum, std, snapshot_usage, used, requested)


def _release(usage: NDArray[np.floating]) -> None:
    """Let go of the pages of a mapped file that were read: they need not stay in memory."""
    if isinstance(usage.base, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        usage.base.madvise(mmap.MADV_DONTNEED)


@kernel
def _measure(
    usage: NDArray[np.float32],
    offset: NDArray[np.int64],
    length: NDArray[np.int64],
    request: NDArray[np.float64],
    begin: NDArray[np.int64],
    counted: NDArray[np.bool_],
    snapshot: int,
    per_task: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """Fill (4, T, R) mean, maximum, std, snapshot; add to (2, G, R) used, requested."""
    for task in range(len(offset)):
        for resource in range(request.shape[1]):
            total, squares, largest = 0.0, 0.0, 0.0
            for window in range(length[task]):
                value = np.float64(usage[offset[task] + window, resource])
                total += value
                squares += value * value
                largest = max(largest, value)
                if counted[task]:
                    sums[0, begin[task] + window, resource] += value
                    sums[1, begin[task] + window, resource] += request[task, resource]
            mean = total / length[task]
            per_task[0, task, resource] = mean
            per_task[1, task, resource] = largest
            per_task[2, task, resource] = np.sqrt(max(squares / length[task] - mean * mean, 0.0))
            if begin[task] <= snapshot < begin[task] + length[task]:
                row = offset[task] + snapshot - begin[task]
                per_task[3, task, resource] = usage[row, resource]
