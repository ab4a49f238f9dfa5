"""The estimators on hand-made measurements."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import numpy as np
import pytest

from flexsched.core.errors import SettingError
from flexsched.core.estimators import (
    ENTRY_POINTS,
    Last,
    Measurement,
    PreviousTick,
    estimators,
    make_estimator,
)

STILL_RUNNING = np.array([[1.0, 8.0], [0.0, 0.0]])


def measurement(t_s: float, usage: float, demand: float) -> Measurement:
    return Measurement(
        t_s, np.full((2, 2), usage), np.full((2, 2), demand), request=np.full((2, 2), 9.0)
    )


def test_last_is_what_the_running_tasks_used() -> None:
    last = Last()
    assert last.estimate(STILL_RUNNING).tolist() == STILL_RUNNING.tolist()
    last.update(measurement(0.0, usage=3.0, demand=5.0))
    # Only of the tasks that still run: the measured sums include tasks that ended since.
    assert last.estimate(STILL_RUNNING).tolist() == STILL_RUNNING.tolist()


def test_previous_tick_is_demand_with_ended_tasks() -> None:
    previous = PreviousTick()
    assert previous.estimate(STILL_RUNNING).tolist() == STILL_RUNNING.tolist()
    first = measurement(0.0, usage=3.0, demand=5.0)
    previous.update(first)
    first.demand[:] = 77.0  # the simulator reuses its arrays
    assert previous.estimate(STILL_RUNNING).tolist() == [[5.0, 5.0], [5.0, 5.0]]
    previous.update(measurement(60.0, usage=1.0, demand=2.0))
    assert previous.estimate(STILL_RUNNING).tolist() == [[2.0, 2.0], [2.0, 2.0]]


def test_by_name() -> None:
    assert list(estimators())[:2] == ["last", "previous-tick"]
    assert isinstance(make_estimator("last"), Last)
    assert make_estimator("previous-tick") is not make_estimator("previous-tick")


def test_an_estimator_of_another_package_is_known_by_its_entry_point(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entry = EntryPoint("mine", "flexsched.core.estimators.last:Last", ENTRY_POINTS)
    monkeypatch.setattr(
        "flexsched.core.estimators.entry_points", lambda group: [entry] * (group == ENTRY_POINTS)
    )
    assert isinstance(make_estimator("mine"), Last)


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(SettingError) as info:
        make_estimator("previous")
    assert info.value.message == "unknown estimator previous, did you mean previous-tick?"
    assert info.value.remedy == "installed: last, previous-tick"
