"""The cache of the authors' simulator: last tick's demand, ended tasks included."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from flexsched.core.estimators._base import Estimator, Measurement


class PreviousTick(Estimator):
    """Demand of each node at the last tick, whatever ended since.

    A task bound at that tick is in it with the demand of its first moments only: the
    authors' cache forgets a bind at the next tick.
    """

    name: ClassVar[str] = "previous-tick"
    summary: ClassVar[str] = "demand of the last tick, ended tasks included (the authors' cache)"

    def __init__(self) -> None:
        self._demand: NDArray[np.float64] | None = None

    def update(self, measurement: Measurement) -> None:
        """Keep the demand."""
        self._demand = measurement.demand.copy()

    def estimate(self, still_running: NDArray[np.float64]) -> NDArray[np.float64]:
        """The kept demand; before the first measurement, what is handed in."""
        return still_running if self._demand is None else self._demand
