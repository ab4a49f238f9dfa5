"""Last measured usage: the future is the present (paper, section 5, "Estimator")."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from flexsched.core.estimators._base import Estimator, Measurement


class Last(Estimator):
    """Sum of the last measured usage of the tasks that are still running."""

    name: ClassVar[str] = "last"
    summary: ClassVar[str] = "last measured usage of the running tasks (the paper's)"

    def update(self, measurement: Measurement) -> None:
        """Nothing to keep: ``estimate`` is handed what it needs."""

    def estimate(self, still_running: NDArray[np.float64]) -> NDArray[np.float64]:
        """``still_running`` as it is."""
        return still_running
