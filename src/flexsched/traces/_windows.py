"""One window length for all series of a workload, without changing what they say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexsched.core.errors import InputError
from flexsched.core.workload import Workload
from flexsched.traces._usage_file import GROUP_ROWS, row_blocks

#: A common divisor that makes a series longer than this many times is no sensible one.
_MAX_REPEAT = 1000
#: Written where there is no task to have a window.
_ANY_WINDOW_S = 300.0
_MAX_WINDOW_S = 1e12


@dataclass(frozen=True, eq=False)
class UniformUsage:
    """Usage in windows of one length.

    Attributes:
        window_s: length of every window.
        offset: (T,) int64 first row of each task's series.
        length: (T,) int64 rows of each task's series.
        blocks: (n, R) blocks of the rows, in order.
    """

    window_s: float
    offset: NDArray[np.int64]
    length: NDArray[np.int64]
    blocks: Iterator[NDArray[Any]]


def uniform_usage(workload: Workload) -> UniformUsage:
    """Bring all series to the longest window that divides each of them.

    A series of one value holds it for ever, so its window does not matter. Where
    windows differ, every value is repeated for as many windows as it lasted.

    Raises:
        InputError: no whole number of milliseconds divides the windows, or series
            would grow more than a thousandfold.
    """
    varying = workload.usage_length > 1
    if not varying.any():
        varying = np.ones(len(workload), bool)
    windows_s = np.unique(workload.window_s[varying])
    if len(windows_s) <= 1:
        return UniformUsage(
            window_s=float(windows_s[0]) if len(windows_s) else _ANY_WINDOW_S,
            offset=workload.usage_offset,
            length=workload.usage_length,
            blocks=row_blocks(workload.usage),
        )
    window_s = _common_divisor_s(windows_s)
    repeat = np.where(workload.usage_length > 1, np.rint(workload.window_s / window_s), 1).astype(
        np.int64
    )
    # Tasks that share a series keep sharing it.
    series, task_series = np.unique(
        np.column_stack([workload.usage_offset, workload.usage_length, repeat]),
        axis=0, return_inverse=True,
    )  # fmt: skip
    task_series = task_series.ravel()
    lengths = series[:, 1] * series[:, 2]
    return UniformUsage(
        window_s=window_s,
        offset=(np.cumsum(lengths) - lengths)[task_series],
        length=lengths[task_series],
        blocks=_repeated(workload.usage, series),
    )


def _common_divisor_s(windows_s: NDArray[np.float64]) -> float:
    milliseconds = np.rint(np.minimum(windows_s, _MAX_WINDOW_S) * 1000).astype(np.int64)
    divisor = int(np.gcd.reduce(milliseconds))
    exact = bool((milliseconds / 1000 == windows_s).all())
    if not exact or milliseconds.max() > divisor * _MAX_REPEAT:
        shown = ", ".join(f"{window:g}" for window in windows_s[:5])
        raise InputError(
            f"expected usage windows with a common divisor in whole milliseconds, at most "
            f"{_MAX_REPEAT} times shorter than the longest; got {shown} s",
            remedy="bring the series to one window before storing them",
        )
    return divisor / 1000


def _repeated(usage: NDArray[Any], series: NDArray[np.int64]) -> Iterator[NDArray[Any]]:
    """Rows of (S, 3) series (offset, length, repeat), each row repeated, in bounded blocks."""
    offset, length, repeat = series.T
    group = np.cumsum(length * repeat) // GROUP_ROWS
    for start, stop in _runs(group):
        lengths = length[start:stop]
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        rows = np.repeat(offset[start:stop], lengths) + within
        yield usage[np.repeat(rows, np.repeat(repeat[start:stop], lengths))]


def _runs(values: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Start and stop of each run of equal values."""
    edges = [0, *(np.flatnonzero(np.diff(values)) + 1).tolist(), len(values)]
    return pairwise(edges)
