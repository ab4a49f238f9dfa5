"""Requests: which (CPU, memory) pairs occur, how often, and which job gets which.

Requests of the trace are discrete, and the two resources and the priority go together;
``requests.csv`` therefore holds whole pairs with their numbers of tasks.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib import resources
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from flexsched.core.jit import kernel

RUNNING = "running"
PENDING = "pending"
ARRIVING = "arriving"
#: Populations in the order in which their tasks stand in the workload.
POPULATIONS = (RUNNING, PENDING, ARRIVING)
#: Random ways of giving pairs to jobs, of which the nearest to the mean request is kept.
WAYS = 32


@dataclass(frozen=True)
class Cell:
    """The tasks of one population and one priority.

    Attributes:
        population: one of :data:`POPULATIONS`.
        priority: 0 to 11.
        pairs: (K, 2) requested fraction of the largest machine's CPU and memory.
        tasks: (K,) tasks of the trace that requested each pair.
    """

    population: str
    priority: int
    pairs: NDArray[np.float64]
    tasks: NDArray[np.float64]


def read_cells() -> tuple[Cell, ...]:
    """The table of requests, in the order of the file."""
    text = (resources.files(__package__) / "requests.csv").read_text("utf-8")
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    cells = []
    for (population, priority), group in groupby(rows, lambda r: (r["population"], r["priority"])):
        members = list(group)
        pairs = [(float(r["cpu_fraction"]), float(r["memory_fraction"])) for r in members]
        tasks = [float(r["tasks"]) for r in members]
        cells.append(Cell(population, int(priority), np.array(pairs), np.array(tasks)))
    return tuple(cells)


def assign_pairs(
    cell: Cell, sizes: NDArray[np.int64], generator: np.random.Generator
) -> NDArray[np.float64]:
    """(J, 2) one pair of the cell for each job, so that tasks meet the cell's frequencies.

    A few jobs cannot meet them all; of some random ways the one whose mean request comes
    nearest is taken, so that a small workload is as heavy as a large one.

    Args:
        cell: the pairs and how often each occurs.
        sizes: (J,) tasks of each job, in descending order.
        generator: decides among the pairs that still have room.
    """
    share = cell.tasks / cell.tasks.sum()
    mean = share @ cell.pairs

    def distance(chosen: NDArray[np.int64]) -> float:
        got = sizes @ cell.pairs[chosen] / sizes.sum()
        return float(np.abs(got / mean - 1).sum())

    ways = [_fill(sizes, share * sizes.sum(), generator.random(len(sizes))) for _ in range(WAYS)]
    return cell.pairs[min(ways, key=distance)]


@kernel
def _fill(
    sizes: NDArray[np.int64], quota: NDArray[np.float64], draws: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Give each job, the largest first, a pair drawn by what is left of the quotas.

    Args:
        sizes: (J,) tasks of each job.
        quota: (K,) tasks that each pair should get in all; used up here.
        draws: (J,) in [0, 1).
    """
    chosen = np.empty(len(sizes), np.int64)
    for job in range(len(sizes)):
        # Pairs with room for half of the job, if there are any, keep rare pairs rare.
        least = sizes[job] / 2.0 if quota.max() >= sizes[job] / 2.0 else 0.0
        room = quota[quota >= least].sum()
        best = int(np.argmax(quota))
        target = draws[job] * room
        for pair in range(len(quota)):
            if quota[pair] >= least:
                target -= quota[pair]
                if target < 0.0:
                    best = pair
                    break
        quota[best] -= sizes[job]
        chosen[job] = best
    return chosen
