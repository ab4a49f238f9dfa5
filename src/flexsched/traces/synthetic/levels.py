"""Usage levels: how much of its request a task uses on average."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from flexsched.traces.synthetic.jobs import Jobs
from flexsched.traces.synthetic.published import CLASSES, PROFILES
from flexsched.traces.synthetic.requests import POPULATIONS
from flexsched.traces.synthetic.strata import Strata, mixed_order

#: How far jobs with larger requests use more of them (0: not, 1: sorted), by resource. In the
#: trace the ratio of the sums lies well above the mean ratio, for CPU only.
REQUEST_WEIGHT = (0.6, 0.0)
#: Spread of log(level) among the tasks of one job, by resource. The trace's one window shows
#: 0.28 and 0.16, in which the tasks' own variation over time is contained.
WITHIN_JOB_STD = (0.2, 0.08)
#: Few tasks may not meet a level by chance: no more than this factor is corrected.
LARGEST_CORRECTION = 2.0


def profile_of(priority: NDArray[np.int64]) -> NDArray[np.int64]:
    """Index into ``PROFILES`` for each priority."""
    table = np.zeros(12, np.int64)
    for index, profile in enumerate(PROFILES):
        table[list(profile.priorities)] = index
    return table[priority]


def class_of(priority: NDArray[np.int64]) -> NDArray[np.int64]:
    """Index into ``CLASSES`` for each priority."""
    classes = np.array([CLASSES.index(profile.task_class) for profile in PROFILES])
    return classes[profile_of(priority)]


def draw_levels(
    jobs: Jobs, windows: NDArray[np.int64], generator: np.random.Generator
) -> NDArray[np.float64]:
    """(T, 2) mean usage / request of each task, for CPU and memory.

    Args:
        jobs: the jobs whose tasks they are.
        windows: (T,) usage windows of each task, its weight in its profile's level.
        generator: source of chance.
    """
    profile = profile_of(jobs.priority)
    ratios = np.empty((len(windows), 2))
    for resource, name in enumerate(("cpu", "memory")):
        described = [getattr(entry, name) for entry in PROFILES]
        score = mixed_order(jobs.request[:, resource], REQUEST_WEIGHT[resource], generator)
        group = profile * len(POPULATIONS) + jobs.population
        position = Strata.lay(jobs.tasks, group, score).of_jobs()
        drawn = np.empty(len(jobs))
        for index, entry in enumerate(described):
            drawn[profile == index] = entry.ratio(position[profile == index])
        spread = np.exp(WITHIN_JOB_STD[resource] * generator.standard_normal(len(windows)))
        ratio = np.repeat(drawn, jobs.tasks) * spread
        request = np.repeat(jobs.request[:, resource], jobs.tasks) * windows
        level = np.array([entry.level / entry.burst_mean for entry in described])
        factor = _correction(ratio, request, np.repeat(profile, jobs.tasks), level)
        ratios[:, resource] = ratio * np.repeat(factor[profile], jobs.tasks)
    return ratios


def _correction(
    ratio: NDArray[np.float64],
    request: NDArray[np.float64],
    profile: NDArray[np.int64],
    level: NDArray[np.float64],
) -> NDArray[np.float64]:
    """(P,) factor that brings each profile's use / request to its level."""
    requested = np.bincount(profile, weights=request, minlength=len(level))
    used = np.bincount(profile, weights=request * ratio, minlength=len(level))
    factor = np.divide(level * requested, used, out=np.ones(len(level)), where=used > 0)
    return np.clip(factor, 1 / LARGEST_CORRECTION, LARGEST_CORRECTION)
