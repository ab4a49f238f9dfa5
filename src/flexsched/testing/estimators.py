"""The conformance suite for usage estimators."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from flexsched.core.estimators import Estimator, Measurement
from flexsched.testing._conformance import require

_NODES, _WIDTH = 5, 2
_TICK_S = 60.0


def check_estimator(make: Callable[[], Estimator], *, seed: int = 0, ticks: int = 40) -> None:
    """Hold an estimator to its contract over a random history of measurements.

    Checked at every tick, the one before the first measurement included: estimates are finite,
    >= 0 and one per node and resource; asking twice gives the same; neither call changes an
    array that it is handed; what the caller does to its arrays afterwards changes nothing
    (the simulator reuses them); and two instances with the same history agree, whatever a third
    one is told.

    Args:
        make: gives a fresh estimator, such as its class.
        seed: of the history, >= 0.
        ticks: length of the history, >= 1.

    Raises:
        ConformanceError: a contract is broken; the message says which, with the numbers.
    """
    who = f"estimator {type(make()).__name__}"
    for name in ("name", "summary"):
        text = getattr(type(make()), name, "")
        require(isinstance(text, str) and text != "", who, f"{name} is a text", repr(text))
    watched, twin, other = make(), make(), make()
    require(watched is not twin, who, "each call makes an estimator of its own")
    generator = np.random.default_rng(seed)
    for tick in range(ticks):
        still_running = generator.random((_NODES, _WIDTH)) * generator.integers(0, 2)
        first = _check_estimate(watched, still_running, who)
        other.update(_measure(generator, tick * _TICK_S))
        for mine in (watched, twin):
            again = mine.estimate(still_running.copy())
            require(np.array_equal(first, again), who,
                    "the estimate depends on this estimator's own history alone",
                    f"{first.tolist()} and {np.asarray(again).tolist()} after the same history",
                    "copy what has to be kept, and keep it in the instance")  # fmt: skip
        measurement = _measure(generator, tick * _TICK_S)
        _check_update(watched, measurement, who)
        twin.update(_copy(measurement))
        for array in measurement[1:]:
            np.add(array, 100.0, out=array)


def _check_estimate(
    watched: Estimator, still_running: NDArray[np.float64], who: str
) -> NDArray[np.float64]:
    before = still_running.copy()
    first = np.array(watched.estimate(still_running), copy=True)
    require(np.array_equal(still_running, before), who, "estimate leaves its argument as it is")
    require(first.shape == before.shape, who, f"estimates have shape {before.shape}",
            str(first.shape))  # fmt: skip
    require(bool((np.isfinite(first) & (first >= 0.0)).all()), who,
            "estimates are finite and >= 0", str(first.tolist()))  # fmt: skip
    again = watched.estimate(still_running)
    require(np.array_equal(first, again), who, "asking twice gives the same estimate",
            f"{first.tolist()}, then {np.asarray(again).tolist()}",
            "let only update change the state: the simulator asks more than once")  # fmt: skip
    return first


def _check_update(watched: Estimator, measurement: Measurement, who: str) -> None:
    before = _copy(measurement)
    watched.update(measurement)
    kept = all(map(np.array_equal, measurement[1:], before[1:]))
    require(kept, who, "update leaves the measurement as it is")


def _measure(generator: Generator, t_s: float) -> Measurement:
    """Usage within demand, as after contention; now and then a cluster on which nothing runs."""
    busy = float(generator.random() < 0.9)
    demand = generator.random((_NODES, _WIDTH)) * 8.0 * busy
    request = generator.random((_NODES, _WIDTH)) * 12.0 * busy
    return Measurement(t_s, np.minimum(demand, 4.0), demand, request)


def _copy(measurement: Measurement) -> Measurement:
    t_s, *arrays = measurement
    return Measurement(t_s, *(array.copy() for array in arrays))
