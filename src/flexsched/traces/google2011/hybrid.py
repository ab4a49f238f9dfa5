"""Usage as drawn, for attempts that nobody measured.

The level of an attempt's usage is its request times a ratio drawn from the published
distribution of usage/request; the course over time is a series measured on the same
cluster. Both are drawn per task and per job, in the order in which the trace shows them,
so a draw depends on the seed and the trace alone.
"""

from __future__ import annotations

from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexsched.traces.google2011.attempts import TaskRows
from flexsched.traces.google2011.lives import NEVER
from flexsched.traces.google2011.quirks import Quirks
from flexsched.traces.google2011.schema import INDEX_BITS, US_PER_S
from flexsched.traces.google2011.series import WINDOW_US, draw_out

#: Windows of a drawn series at most: one day, the length of the shapes.
LONGEST_SERIES = 288

#: Usage/request of 10,000 tasks between 600 and 900 s, as (share of tasks, ratio): the shape
#: of the distribution. These tasks are older than most, so its level is not used.
CPU_RATIO_QUANTILES = (
    (0.0, 0.0), (0.25, 0.06), (0.5, 0.124), (0.75, 0.17), (0.9, 0.51), (0.95, 0.74),
    (0.976, 1.0), (0.99, 1.15), (1.0, 1.15),
)  # fmt: skip
MEMORY_RATIO_QUANTILES = (
    (0.0, 0.0), (0.05, 0.1), (0.25, 0.59), (0.5, 0.73), (0.75, 0.78), (0.95, 0.9),
    (0.992, 1.0), (1.0, 1.0),
)  # fmt: skip
#: Mean usage/request of the cluster: .43/1.1 and .50/.90 of its capacity (Flex paper, figure 1).
CPU_LEVEL, MEMORY_LEVEL = 0.43 / 1.1, 0.50 / 0.90


def draw_ratios(
    uniform: NDArray[np.float64], quantiles: tuple[tuple[float, float], ...], level: float
) -> NDArray[np.float64]:
    """Turn uniform numbers in [0, 1) into ratios of the given distribution and mean.

    Between the quantiles the distribution is linear; it is then scaled so that its exact
    mean is ``level``.
    """
    share, ratio = np.array(quantiles).T
    return np.interp(uniform, share, ratio) * (level / np.trapezoid(ratio, share))


def load_shapes() -> NDArray[np.float64]:
    """(S, 288, 2) CPU and memory series of five minutes, each divided by its own mean.

    Every 25th of the 1600 series that dnhua derived from the trace's first day
    (CPU-and-Memory-resource-usage-from-Google-Cluster-Data), in order of their names.
    """
    with resources.files(__package__).joinpath("shapes.npz").open("rb") as stream:
        shapes = np.load(stream)["shapes"].astype(np.float64)
    return np.asarray(shapes / shapes.mean(axis=1, keepdims=True))


def series_lengths(
    tasks: TaskRows, drawn: NDArray[np.bool_], *, end_us: int, quirks: Quirks
) -> NDArray[np.int64]:
    """(T,) windows of the series of ``drawn`` rows: their length, from one window to a day.

    A row that outlives the data gets what is left until ``end_us``; other rows get 0.
    """
    left_s = np.maximum(end_us - _begin_us(tasks), 0) / US_PER_S
    length_s = np.where(np.isinf(tasks.duration_s), left_s, tasks.duration_s)
    windows = np.ceil(length_s / (WINDOW_US / US_PER_S))
    quirks["series_cut_at_24h"] += int((drawn & (windows > LONGEST_SERIES)).sum())
    return np.where(drawn, np.clip(windows, 1, LONGEST_SERIES), 0).astype(np.int64)


def write_drawn(
    tasks: TaskRows,
    offset: NDArray[np.int64],
    length: NDArray[np.int64],
    usage: NDArray[Any],
    seed: int,
) -> None:
    """Write drawn series, as fractions of the largest machine, where ``length`` is not 0.

    Args:
        tasks: T rows.
        offset: (T,) first window of each row in ``usage``.
        length: (T,) windows of each row.
        usage: (W, 2), changed in place.
        seed: of the draws; equal seeds draw equal series, whatever else is measured.
    """
    of_tasks, of_jobs = np.random.default_rng(seed).spawn(2)
    key = tasks.of_first("key")
    task, task_count = _by_appearance(key)
    job, job_count = _by_appearance(key >> INDEX_BITS)
    uniform = of_tasks.random((task_count, 2))[task]
    shapes = load_shapes()
    ratio = np.stack(
        (
            draw_ratios(uniform[:, 0], CPU_RATIO_QUANTILES, CPU_LEVEL),
            draw_ratios(uniform[:, 1], MEMORY_RATIO_QUANTILES, MEMORY_LEVEL),
        ),
        axis=1,
    )
    # One shape per job and the trace's own clock: tasks of a job peak together.
    shape = np.floor(of_jobs.random(job_count) * len(shapes)).astype(np.int64)[job]
    phase = _begin_us(tasks) // WINDOW_US
    draw_out(offset, length, phase, shape, ratio * tasks.request, shapes, usage)


def _begin_us(tasks: TaskRows) -> NDArray[np.int64]:
    """Time at which each row started, or was submitted if it never did."""
    start_us = tasks.of_first("start_us")
    return np.where(start_us == NEVER, tasks.of_first("submit_us"), start_us)


def _by_appearance(key: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Number equal keys equally, in the order in which they appear first; and their count."""
    _, first, of_key = np.unique(key, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[of_key], len(first)
