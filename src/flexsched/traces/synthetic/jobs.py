"""The jobs of the workload: how many tasks, of which priority and request, submitted when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexsched.traces.synthetic.published import (
    ARRIVING_JOB_TASKS,
    ARRIVING_TASKS,
    DAY_S,
    HOUR_S,
    PAPER_HOURS,
    PAPER_NODES,
    STARTING_JOB_TASKS,
)
from flexsched.traces.synthetic.requests import (
    ARRIVING,
    POPULATIONS,
    Cell,
    assign_pairs,
    read_cells,
)
from flexsched.traces.synthetic.strata import Quantiles, apportion

#: No job holds more than this share of the tasks there at the start, and of those arriving:
#: small workloads keep the smooth load of large ones.
LARGEST_STARTING_SHARE = 0.03
LARGEST_ARRIVING_SHARE = 0.01
#: Arrivals of jobs follow a daily wave and vary from hour to hour (lognormal).
ARRIVAL_DAILY_SWING = 0.25
ARRIVAL_HOURLY_STD = 0.35


@dataclass(frozen=True)
class Jobs:
    """J jobs in the order of submission.

    Attributes:
        tasks: (J,) int64 > 0, tasks of the job.
        population: (J,) int64 index into ``POPULATIONS``.
        priority: (J,) int64, 0 to 11.
        submit_s: (J,) seconds; 0 for those there at the start.
        request: (J, 2) fraction of one node's CPU and memory, of each task.
    """

    tasks: NDArray[np.int64]
    population: NDArray[np.int64]
    priority: NDArray[np.int64]
    submit_s: NDArray[np.float64]
    request: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.tasks)

    def columns(self) -> tuple[NDArray[Any], ...]:
        """The columns in the order of the attributes."""
        return self.tasks, self.population, self.priority, self.submit_s, self.request

    def take(self, order: NDArray[np.int64]) -> Jobs:
        """The same jobs in another order."""
        return Jobs(*(column[order] for column in self.columns()))


def nodes_for(tasks: int, hours: float) -> int:
    """Nodes on which ``tasks`` within ``hours`` are the paper's load per node, at least 1."""
    return max(1, round(PAPER_NODES * tasks / float(_cell_weights(read_cells(), hours).sum())))


def tasks_for(nodes: int | None, hours: float) -> int:
    """Tasks within ``hours`` that are the paper's load on ``nodes`` (None: 4000), at least 1."""
    scale = 1.0 if nodes is None else nodes / PAPER_NODES
    return max(1, round(scale * float(_cell_weights(read_cells(), hours).sum())))


def draw_jobs(tasks: int, hours: float, generator: np.random.Generator) -> Jobs:
    """Jobs with ``tasks`` tasks in all, sorted by submission (running before pending)."""
    cells = read_cells()
    counts = apportion(_cell_weights(cells, hours), tasks)
    arriving = np.array([cell.population == ARRIVING for cell in cells])
    parts = []
    for cell, count in zip(cells, counts, strict=True):
        if count:
            new = cell.population == ARRIVING
            share = LARGEST_ARRIVING_SHARE if new else LARGEST_STARTING_SHARE
            largest = max(1, round(share * int(counts[arriving == new].sum())))
            parts.append(_cell_jobs(cell, int(count), largest, hours, generator))
    jobs = Jobs(
        *(np.concatenate(columns) for columns in zip(*map(Jobs.columns, parts), strict=True))
    )
    order = np.lexsort((generator.random(len(jobs)), jobs.population, jobs.submit_s))
    return jobs.take(order)


def job_sizes(quantiles: Quantiles, tasks: int, largest: int) -> NDArray[np.int64]:
    """Sizes of jobs with ``tasks`` tasks in all, descending.

    Args:
        quantiles: tasks per job.
        tasks: the sum of the sizes, > 0.
        largest: sizes above are cut to this; sizes may exceed it slightly by rounding.
    """
    middle = (np.arange(10_000) + 0.5) / 10_000
    mean = float(np.minimum(np.rint(quantiles(middle)), largest).mean())
    count = max(1, round(tasks / mean))
    drawn = np.minimum(np.rint(quantiles((np.arange(count) + 0.5) / count)), largest)
    above_one = apportion(drawn - 1 + 1e-9, tasks - count)
    return np.sort(above_one + 1)[::-1]


def arrival_times(jobs: int, hours: float, generator: np.random.Generator) -> NDArray[np.float64]:
    """(jobs,) submission times in seconds within ``hours``, in no order."""
    edges_s = np.minimum(np.arange(np.ceil(hours) + 1), hours) * HOUR_S
    middle_s = (edges_s[1:] + edges_s[:-1]) / 2
    wave = 1 + ARRIVAL_DAILY_SWING * np.sin(2 * np.pi * middle_s / DAY_S)
    rate = wave * np.exp(ARRIVAL_HOURLY_STD * generator.standard_normal(len(middle_s)))
    expected = np.concatenate([[0.0], np.cumsum(rate * np.diff(edges_s))])
    return np.interp(1 - generator.random(jobs), expected / expected[-1], edges_s)


def _cell_jobs(
    cell: Cell, tasks: int, largest: int, hours: float, generator: np.random.Generator
) -> Jobs:
    arriving = cell.population == ARRIVING
    sizes_of = ARRIVING_JOB_TASKS if arriving else STARTING_JOB_TASKS
    sizes = job_sizes(sizes_of[cell.priority], tasks, largest)
    count = len(sizes)
    return Jobs(
        tasks=sizes,
        population=np.full(count, POPULATIONS.index(cell.population)),
        priority=np.full(count, cell.priority),
        submit_s=arrival_times(count, hours, generator) if arriving else np.zeros(count),
        request=assign_pairs(cell, sizes, generator),
    )


def _cell_weights(cells: tuple[Cell, ...], hours: float) -> NDArray[np.float64]:
    """Tasks of each cell on the paper's cluster within ``hours``."""
    tasks = np.array([cell.tasks.sum() for cell in cells])
    arriving = np.array([cell.population == ARRIVING for cell in cells])
    scale = ARRIVING_TASKS / tasks[arriving].sum() * hours / PAPER_HOURS
    return np.where(arriving, tasks * scale, tasks)
