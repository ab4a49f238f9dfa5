"""Figures of all usage windows of a workload, from one pass in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flexsched.core.workload import Workload
from flexsched.traces._series import series_blocks

#: Usage is float32 and requests are not: what rounding adds is no excess.
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class UsageFigures:
    """Counts and sums over task windows, each (R,); a window weighs the same in every task.

    Attributes:
        windows: how many windows there are.
        total: sum of usage.
        largest: largest usage, 0 without windows.
        zero: windows with usage 0.
        above: windows with usage above the request.
        ratio_total: sum of usage / request over windows with a request > 0.
        ratio_count: windows in that sum; the others have no ratio.
        zero_example: first task with such a window, -1 for none.
        above_example: first task with such a window, -1 for none.
    """

    windows: int
    total: NDArray[np.float64]
    largest: NDArray[np.float64]
    zero: NDArray[np.int64]
    above: NDArray[np.int64]
    ratio_total: NDArray[np.float64]
    ratio_count: NDArray[np.int64]
    zero_example: NDArray[np.int64]
    above_example: NDArray[np.int64]


def usage_figures(workload: Workload) -> UsageFigures:
    """Go through every window of every task once."""
    width = len(workload.resources)
    figures = UsageFigures(
        windows=int(workload.usage_length.sum()),
        total=np.zeros(width),
        largest=np.zeros(width),
        zero=np.zeros(width, np.int64),
        above=np.zeros(width, np.int64),
        ratio_total=np.zeros(width),
        ratio_count=np.zeros(width, np.int64),
        zero_example=np.full(width, -1, np.int64),
        above_example=np.full(width, -1, np.int64),
    )
    for block in series_blocks(workload):
        for resource in range(width):
            usage = block.usage[:, resource].astype(np.float64)
            request = workload.request[block.task, resource]
            _add(figures, resource, block.task, usage, request)
    return figures


def _add(
    figures: UsageFigures,
    resource: int,
    task: NDArray[np.int64],
    usage: NDArray[np.float64],
    request: NDArray[np.float64],
) -> None:
    """Add one block's windows of one resource."""
    figures.total[resource] += usage.sum()
    figures.largest[resource] = usage.max(initial=figures.largest[resource])
    asked = request > 0
    figures.ratio_total[resource] += (usage[asked] / request[asked]).sum()
    figures.ratio_count[resource] += np.count_nonzero(asked)
    for mask, count, example in (
        (usage == 0, figures.zero, figures.zero_example),
        (usage > request * (1 + _ROUNDING), figures.above, figures.above_example),
    ):
        count[resource] += np.count_nonzero(mask)
        if example[resource] < 0 and mask.any():
            example[resource] = task[np.argmax(mask)]
