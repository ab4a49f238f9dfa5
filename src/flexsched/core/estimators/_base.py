"""What a usage estimator is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Measurement(NamedTuple):
    """What was measured at one instant, summed over each node's running tasks.

    Attributes:
        t_s: when.
        usage: (N, R) allocated, in the resource's unit.
        demand: (N, R) what the tasks would use without contention.
        request: (N, R) what they asked for.
    """

    t_s: float
    usage: NDArray[np.float64]
    demand: NDArray[np.float64]
    request: NDArray[np.float64]


class Estimator(ABC):
    """Estimates each node's usage; asked before every scan, told after every measurement.

    Tasks bound since the last measurement are not its business: the scheduler counts them
    at their full request. The given arrays are reused; copy what has to be kept.
    """

    name: ClassVar[str]
    summary: ClassVar[str]

    @abstractmethod
    def update(self, measurement: Measurement) -> None:
        """Take a measurement; called once per tick, in time order."""

    @abstractmethod
    def estimate(self, still_running: NDArray[np.float64]) -> NDArray[np.float64]:
        """(N, R) estimated usage, before the penalty.

        Args:
            still_running: (N, R) last measured usage of the tasks that run now; tasks that
                ended or left since are out of it.
        """
