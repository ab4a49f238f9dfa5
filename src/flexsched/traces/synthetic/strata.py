"""Stratified draws: every marginal is met almost exactly, whatever the size of the jobs.

A few jobs hold most tasks, so independent draws per job would leave the sums over tasks
to chance. Here the jobs of one group are laid end to end in a (partly) random order, each as
long as its number of tasks; a task's place on that line, divided by the line's length, is its
position in (0, 1), and a quantile function turns positions into values. Tasks of one job
lie side by side and so get similar values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Quantiles:
    """A positive distribution known by some quantiles, log-linear between them.

    Attributes:
        at: probabilities, rising from 0 to 1.
        values: value at each probability, > 0.
    """

    at: tuple[float, ...]
    values: tuple[float, ...]

    def __call__(self, position: NDArray[np.float64]) -> NDArray[np.float64]:
        """The value at each probability (any shape)."""
        return np.exp(np.interp(position, self.at, np.log(self.values)))


def apportion(weights: NDArray[np.float64], total: int) -> NDArray[np.int64]:
    """Whole numbers that add up to ``total``, proportional to ``weights`` (largest remainder)."""
    exact = weights / weights.sum() * total
    shares = np.floor(exact).astype(np.int64)
    missing = total - int(shares.sum())
    shares[np.argsort(shares - exact, kind="stable")[:missing]] += 1
    return shares


def mixed_order(
    key: NDArray[np.float64], weight: float, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Scores whose order follows ``key`` to the degree ``weight`` (0: random, 1: fully).

    Equal keys are in random order, so that none of them is preferred.
    """
    rank = np.empty(len(key))
    rank[np.lexsort((generator.random(len(key)), key))] = np.arange(len(key)) / max(len(key), 1)
    return weight * rank + (1 - weight) * generator.random(len(key))


@dataclass(frozen=True)
class Strata:
    """Jobs laid end to end within each group.

    Attributes:
        tasks: (J,) length of each job.
        start: (J,) tasks of the same group before the job.
        total: (J,) tasks of the job's group.
    """

    tasks: NDArray[np.int64]
    start: NDArray[np.int64]
    total: NDArray[np.int64]

    @classmethod
    def lay(
        cls, tasks: NDArray[np.int64], group: NDArray[np.int64], score: NDArray[np.float64]
    ) -> Strata:
        """Lay the jobs of each group end to end by rising score (all (J,))."""
        order = np.lexsort((score, group))
        before = np.cumsum(tasks[order]) - tasks[order]
        sizes = np.bincount(group, weights=tasks).astype(np.int64)
        group_start = np.cumsum(sizes) - sizes
        start = np.empty_like(tasks)
        start[order] = before - group_start[group[order]]
        return cls(tasks, start, sizes[group])

    def of_jobs(self) -> NDArray[np.float64]:
        """(J,) position of the middle of each job, in (0, 1)."""
        return (self.start + self.tasks / 2) / self.total

    def of_tasks(self) -> NDArray[np.float64]:
        """(T,) position of each task, in (0, 1), job by job."""
        first = np.cumsum(self.tasks) - self.tasks
        place = np.arange(int(self.tasks.sum())) + np.repeat(self.start - first, self.tasks)
        return (place + 0.5) / np.repeat(self.total, self.tasks)
