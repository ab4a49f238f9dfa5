"""Walking through the usage series of all tasks, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexsched.core.workload import Workload

_BLOCK_ROWS = 1 << 20


@dataclass(frozen=True, eq=False)
class SeriesBlock:
    """Usage rows of some tasks: ``usage[i]`` (n, R) is a window of task ``task[i]``."""

    task: NDArray[np.int64]
    usage: NDArray[Any]


def series_blocks(workload: Workload) -> Iterator[SeriesBlock]:
    """Yield every window of every task, task by task; shared rows come once for each task."""
    ends = np.cumsum(workload.usage_length)
    start = 0
    while start < len(workload):
        before = int(ends[start] - workload.usage_length[start])
        stop = max(start + 1, int(np.searchsorted(ends, before + _BLOCK_ROWS, side="right")))
        length = workload.usage_length[start:stop]
        first = np.repeat(workload.usage_offset[start:stop] - (np.cumsum(length) - length), length)
        rows = first + np.arange(len(first))
        yield SeriesBlock(
            task=np.repeat(np.arange(start, stop), length), usage=workload.usage[rows]
        )
        start = stop


def unreferenced_rows(workload: Workload) -> int:
    """Count the usage rows that belong to no task."""
    used = workload.usage_length > 0
    offset, length = workload.usage_offset[used], workload.usage_length[used]
    order = np.argsort(offset, kind="stable")
    start, stop = offset[order], (offset + length)[order]
    # Rows that a series adds beyond all series which begin before it.
    covered_until = np.concatenate([[0], np.maximum.accumulate(stop)[:-1]])[: len(start)]
    new = np.maximum(stop - np.maximum(start, covered_until), 0)
    return int(len(workload.usage) - new.sum())
