"""Kernels that join usage rows to attempts and lay them out in windows of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexsched.core.jit import kernel

#: Window of the trace's measurements, and of the series made from them.
WINDOW_US = 300_000_000
#: What :func:`find_attempts` says of a row without an attempt.
NO_TASK, NOT_RUNNING = -1, -2


@kernel
def find_attempts(
    keys: NDArray[np.int64],
    starts_us: NDArray[np.int64],
    ends_us: NDArray[np.int64],
    machines: NDArray[np.int64],
    row_key: NDArray[np.int64],
    row_from_us: NDArray[np.int64],
    row_until_us: NDArray[np.int64],
    row_machine: NDArray[np.int64],
    found: NDArray[np.int64],
) -> None:
    """Find the attempt that each of N usage rows measures.

    That is the latest attempt of the task that ran within the row's window on the row's
    machine, or else the latest that ran within it at all.

    Args:
        keys: (A,) tasks of the attempts that started, sorted by task and start.
        starts_us: (A,) their starts.
        ends_us: (A,) their ends, past every row if an attempt outlives the data.
        machines: (A,) their machines.
        row_key: (N,) tasks of the usage rows.
        row_from_us: (N,) starts of their windows.
        row_until_us: (N,) ends of their windows.
        row_machine: (N,) their machines.
        found: (N,) receives the place of the attempt, NO_TASK or NOT_RUNNING.
    """
    first = np.searchsorted(keys, row_key, side="left")
    behind = np.searchsorted(keys, row_key, side="right")
    for i in range(len(row_key)):
        found[i] = NO_TASK if first[i] == behind[i] else NOT_RUNNING
        for at in range(behind[i] - 1, first[i] - 1, -1):
            if ends_us[at] <= row_from_us[i]:
                break
            if starts_us[at] >= row_until_us[i] or starts_us[at] == ends_us[at]:
                continue
            if machines[at] == row_machine[i]:
                found[i] = at
                break
            if found[i] < 0:
                found[i] = at


@kernel
def lay_out(
    offset: NDArray[np.int64],
    from_us: NDArray[np.int64],
    until_us: NDArray[np.int64],
    value: NDArray[np.float64],
    total: NDArray[np.float64],
    covered_us: NDArray[np.float64],
) -> None:
    """Add N measurements to the windows that they overlap, weighted by the overlap.

    Args:
        offset: (N,) place of the first window of the measurement's series.
        from_us: (N,) start of the measurement in the series' own time, >= 0.
        until_us: (N,) its end.
        value: (N, R) measured means.
        total: (W, R) receives the sums of value times microseconds.
        covered_us: (W,) receives the microseconds measured.
    """
    for i in range(len(offset)):
        window = from_us[i] // WINDOW_US
        while window * WINDOW_US < until_us[i]:
            begin = max(from_us[i], window * WINDOW_US)
            end = min(until_us[i], (window + 1) * WINDOW_US)
            at = offset[i] + window
            covered_us[at] += end - begin
            for r in range(value.shape[1]):
                total[at, r] += value[i, r] * (end - begin)
            window += 1


@kernel
def settle(
    offset: NDArray[np.int64],
    length: NDArray[np.int64],
    total: NDArray[np.float64],
    covered_us: NDArray[np.float64],
    usage: NDArray[Any],
) -> int:
    """Turn weighted sums into means, and fill windows that nothing measured.

    Args:
        offset: (T,) first window of each series.
        length: (T,) its windows; 0 without any measurement.
        total: (W, R) from :func:`lay_out`.
        covered_us: (W,) from :func:`lay_out`.
        usage: (W, R) receives the mean of each window. A window without measurement holds
            the value before it, or at the beginning the first one measured.

    Returns:
        How many windows were filled.
    """
    filled = 0
    for t in range(len(offset)):
        source = -1
        for at in range(offset[t], offset[t] + length[t]):
            if covered_us[at] > 0:
                source = at
                break
        for at in range(offset[t], offset[t] + length[t]):
            if covered_us[at] > 0:
                source = at
            else:
                filled += 1
            for r in range(usage.shape[1]):
                usage[at, r] = total[source, r] / covered_us[source]
    return filled


@kernel
def draw_out(
    offset: NDArray[np.int64],
    length: NDArray[np.int64],
    phase: NDArray[np.int64],
    shape: NDArray[np.int64],
    level: NDArray[np.float64],
    shapes: NDArray[np.float64],
    usage: NDArray[Any],
) -> None:
    """Write T series of a given level, each following a shape that repeats.

    Args:
        offset: (T,) first window of each series.
        length: (T,) its windows; 0 is left alone.
        phase: (T,) window of the shape at which the series begins.
        shape: (T,) which shape.
        level: (T, R) mean of the series over one round of the shape.
        shapes: (S, P, R) shapes of P windows, each of mean 1.
        usage: (W, R) receives the series.
    """
    period = shapes.shape[1]
    for t in range(len(offset)):
        for window in range(length[t]):
            step = (phase[t] + window) % period
            for r in range(usage.shape[1]):
                usage[offset[t] + window, r] = level[t, r] * shapes[shape[t], step, r]
