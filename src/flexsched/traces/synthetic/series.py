"""The shape of usage over time, one job at a time.

A task's usage is its level times what its job does (a slow wave, daily and random, common to
all tasks of the job) times what it does by itself (faster variation and bursts). Both random
parts are autoregressive. Chance comes from one seed per job and per task, so the bytes do not
depend on who computes which job.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from flexsched.core.jit import kernel

#: Correlation of neighbouring windows of a job's and of a task's own variation.
JOB_MEMORY = 0.97
OWN_MEMORY = 0.7
#: Columns of the array that describes one resource of one profile.
JOB_STD, OWN_STD, SWING, BURST_PROBABILITY, BURST_FACTOR = range(5)
SHAPE_COLUMNS = 5


@kernel
def _next_bits(state: np.uint64) -> np.uint64:
    """One step of Marsaglia's xorshift generator with 64 bits (2003)."""
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    return state


@kernel
def _noise(bits: np.uint64, resource: int) -> float:
    """Mean 0, variance 1 (a triangle), from 32 of the 64 bits."""
    part = bits >> np.uint64(32 * resource)
    low = float(part & np.uint64(0xFFFF))
    high = float((part >> np.uint64(16)) & np.uint64(0xFFFF))
    return (low + high - 65535.0) * (2.449489742783178 / 65536.0)


@kernel
def _job_wave(
    wave: NDArray[np.float64],
    seed: np.uint64,
    submit_day: float,
    window_day: float,
    shape: NDArray[np.float64],
) -> None:
    """Fill (W, 2): the factor common to all tasks of a job, mean 1."""
    bits = seed
    keep = np.sqrt(1.0 - JOB_MEMORY * JOB_MEMORY)
    state = np.zeros(2)
    for window in range(len(wave)):
        bits = _next_bits(bits)
        daily = np.sin(2.0 * np.pi * (submit_day + (window + 0.5) * window_day))
        for resource in range(2):
            noise = _noise(bits, resource)
            state[resource] = noise if window == 0 else JOB_MEMORY * state[resource] + keep * noise
            std = shape[resource, JOB_STD]
            random = np.exp(std * state[resource] - std * std / 2.0)
            wave[window, resource] = random * (1.0 + shape[resource, SWING] * daily)


@kernel
def _task_series(
    rows: NDArray[np.float32],
    wave: NDArray[np.float64],
    level: NDArray[np.float64],
    limit: NDArray[np.float64],
    seed: np.uint64,
    shape: NDArray[np.float64],
) -> None:
    """Fill (W, 2) with one task's usage, each value within [0, limit]."""
    bits = seed
    keep = np.sqrt(1.0 - OWN_MEMORY * OWN_MEMORY)
    own = np.zeros(2)
    for window in range(len(rows)):
        bits = _next_bits(bits)
        for resource in range(2):
            noise = _noise(bits, resource)
            own[resource] = noise if window == 0 else OWN_MEMORY * own[resource] + keep * noise
            varied = max(0.0, 1.0 + shape[resource, OWN_STD] * own[resource])
            usage = level[resource] * wave[window, resource] * varied
            if shape[resource, BURST_PROBABILITY] > 0.0:
                bits = _next_bits(bits)
                if float(bits >> np.uint64(11)) < shape[resource, BURST_PROBABILITY] * 2.0**53:
                    usage *= shape[resource, BURST_FACTOR]
            rows[window, resource] = min(usage, limit[resource])


@kernel
def fill_jobs(
    rows: NDArray[np.float32],
    first_task: NDArray[np.int64],
    windows: NDArray[np.int64],
    level: NDArray[np.float64],
    limit: NDArray[np.float64],
    submit_day: NDArray[np.float64],
    window_day: float,
    profile: NDArray[np.int64],
    shapes: NDArray[np.float64],
    job_seeds: NDArray[np.uint64],
    task_seeds: NDArray[np.uint64],
) -> None:
    """Fill the usage rows of some jobs, one task after the other.

    Args:
        rows: (W, 2) output, the windows of all tasks of these jobs.
        first_task: (J + 1,) first task of each job, then the number of tasks.
        windows: (T,) windows of each task.
        level: (T, 2) mean usage of each task, in the unit of ``rows``.
        limit: (2,) largest value.
        submit_day: (J,) submission of each job, in days.
        window_day: length of one window, in days.
        profile: (J,) index into ``shapes``.
        shapes: (P, 2, SHAPE_COLUMNS) per profile and resource.
        job_seeds: (J,) not 0.
        task_seeds: (T,) not 0.
    """
    row = 0
    for job in range(len(submit_day)):
        start, stop = first_task[job], first_task[job + 1]
        wave = np.empty((windows[start:stop].max(), 2))
        shape = shapes[profile[job]]
        _job_wave(wave, job_seeds[job], submit_day[job], window_day, shape)
        for task in range(start, stop):
            end = row + windows[task]
            _task_series(rows[row:end], wave, level[task], limit, task_seeds[task], shape)
            row = end
