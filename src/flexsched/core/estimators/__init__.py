"""Usage estimators: what a node's load will be, from what was measured."""

from __future__ import annotations

import difflib
from importlib.metadata import entry_points

from flexsched.core.errors import SettingError
from flexsched.core.estimators._base import Estimator, Measurement
from flexsched.core.estimators.last import Last
from flexsched.core.estimators.previous_tick import PreviousTick

__all__ = ["Estimator", "Last", "Measurement", "PreviousTick", "estimators", "make_estimator"]

#: Entry point group in which other packages register an estimator class.
ENTRY_POINTS = "flexsched.estimators"


def estimators() -> dict[str, type[Estimator]]:
    """Installed estimators by name, those of other packages too."""
    found: dict[str, type[Estimator]] = {kind.name: kind for kind in (Last, PreviousTick)}
    for entry in entry_points(group=ENTRY_POINTS):
        found.setdefault(entry.name, entry.load())
    return found


def make_estimator(name: str) -> Estimator:
    """A fresh estimator.

    Raises:
        SettingError: no estimator of that name is installed.
    """
    known = estimators()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        raise SettingError(
            f"unknown estimator {name}" + (f", did you mean {near[0]}?" if near else ""),
            remedy=f"installed: {', '.join(sorted(known))}",
        )
    return known[name]()
