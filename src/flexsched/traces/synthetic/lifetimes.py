"""Durations: a long-lived base, and arrivals of which most are short.

Arrivals replace what ends of the base, so that the requests that run at once stay level, as
they do in the trace; that fixes the share and the life of the long ones among the arrivals
(by the arithmetic of requests and durations alone).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from flexsched.traces.synthetic.jobs import Jobs
from flexsched.traces.synthetic.load import running_requests
from flexsched.traces.synthetic.published import (
    ENDED_SHARE,
    HOUR_S,
    OBSERVED_S,
    SHORT_LIFE_S,
    TRACE_S,
)
from flexsched.traces.synthetic.requests import ARRIVING, PENDING, POPULATIONS
from flexsched.traces.synthetic.strata import Quantiles, Strata, mixed_order

#: Of the tasks there at the start, the share that has ended by t is 1 - exp(-c t**BASE_SHAPE).
BASE_SHAPE = 0.7
#: Share of arriving tasks that live for hours, and how long they live.
LONG_SHARE = 0.16
LONG_LIFE_S = Quantiles(
    (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0),
    tuple(hours * HOUR_S for hours in (2.7, 4.0, 6.5, 10.7, 19.5, 51.5, 696.0)),
)
#: How far the long ones are the larger jobs, and how far larger jobs live longer than smaller
#: ones among the others (0: not, 1: sorted): most jobs of the trace are small and short.
LONG_SIZE_WEIGHT = 0.6
SHORT_SIZE_WEIGHT = 0.28
#: Arrivals within each span of this length show all lifetimes.
BLOCK_S = 4 * HOUR_S
#: Random orders tried; the one with the most level requests over time is kept.
TRIALS = 16


def draw_durations(jobs: Jobs, hours: float, generator: np.random.Generator) -> NDArray[np.float64]:
    """(T,) seconds > 0, task by task in job order; inf beyond the length of the trace."""
    trials = [_lay(jobs, generator) for _ in range(TRIALS)]
    best = min(trials, key=lambda strata: _unevenness(jobs, strata, hours))
    population, priority = (
        np.repeat(column, jobs.tasks) for column in (jobs.population, jobs.priority)
    )
    return _life_s(best.of_tasks(), population, priority)


def remaining_life_s(
    position: NDArray[np.float64], priority: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Time to the end of tasks there at the start, by position in (0, 1) and priority."""
    surviving = np.zeros(max(ENDED_SHARE) + 1)
    for level, ended in ENDED_SHARE.items():
        surviving[level] = np.log1p(-ended)
    return OBSERVED_S * (np.log1p(-position) / surviving[priority]) ** (1 / BASE_SHAPE)


def arriving_life_s(position: NDArray[np.float64]) -> NDArray[np.float64]:
    """Duration of arriving tasks by position in (0, 1)."""
    short = 1 - LONG_SHARE
    return np.where(
        position < short,
        SHORT_LIFE_S(np.minimum(position / short, 1.0)),
        LONG_LIFE_S(np.maximum((position - short) / LONG_SHARE, 0.0)),
    )


def _lay(jobs: Jobs, generator: np.random.Generator) -> Strata:
    """Jobs end to end by rising life, apart for each population, priority and time of arrival."""
    sizes = jobs.tasks.astype(np.float64)
    block = (jobs.submit_s // BLOCK_S).astype(np.int64)
    kind = jobs.population * (max(ENDED_SHARE) + 1) + jobs.priority
    group = block * (kind.max() + 1) + kind
    by_size = Strata.lay(jobs.tasks, group, mixed_order(sizes, LONG_SIZE_WEIGHT, generator))
    is_long = by_size.of_jobs() > 1 - LONG_SHARE
    score = is_long + mixed_order(sizes, SHORT_SIZE_WEIGHT, generator)
    at_start = jobs.population != POPULATIONS.index(ARRIVING)
    score[at_start] = generator.random(int(at_start.sum()))
    return Strata.lay(jobs.tasks, group, score)


def _unevenness(jobs: Jobs, strata: Strata, hours: float) -> float:
    """How far requests at once stray from their start, relative, over hours and resources."""
    counted = jobs.population != POPULATIONS.index(PENDING)
    life_s = _life_s(strata.of_jobs(), jobs.population, jobs.priority)
    request = jobs.request * jobs.tasks[:, None]
    sums = running_requests(
        jobs.submit_s[counted], life_s[counted], request[counted], np.arange(hours) * HOUR_S
    )
    level = np.where(sums[0] > 0, sums[0], np.maximum(sums.max(axis=0), 1.0))
    return float(np.square(sums / level - 1).mean())


def _life_s(
    position: NDArray[np.float64], population: NDArray[np.int64], priority: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Seconds by position in (0, 1), population and priority."""
    arriving = population == POPULATIONS.index(ARRIVING)
    life_s = np.empty(len(position))
    life_s[arriving] = arriving_life_s(position[arriving])
    life_s[~arriving] = remaining_life_s(position[~arriving], priority[~arriving])
    return np.where(life_s > TRACE_S, np.inf, life_s)
