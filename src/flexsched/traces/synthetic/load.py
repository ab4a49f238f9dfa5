"""Requests that run at once when every task starts as it is submitted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def running_requests(
    submit_s: NDArray[np.float64],
    duration_s: NDArray[np.float64],
    request: NDArray[np.float64],
    times_s: NDArray[np.float64],
) -> NDArray[np.float64]:
    """(len(times_s), R) sum of requests of tasks with submit <= t < submit + duration."""
    sums = np.empty((len(times_s), request.shape[1]))
    begins, ends = np.argsort(submit_s), np.argsort(submit_s + duration_s)
    begun = np.searchsorted(submit_s[begins], times_s, "right")
    ended = np.searchsorted((submit_s + duration_s)[ends], times_s, "right")
    for resource in range(request.shape[1]):
        added = np.concatenate([[0.0], np.cumsum(request[begins, resource])])
        removed = np.concatenate([[0.0], np.cumsum(request[ends, resource])])
        sums[:, resource] = added[begun] - removed[ended]
    return sums
