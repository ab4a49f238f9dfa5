"""Placement policies, one file each, and the table of those installed."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from flexsched.core.errors import SettingError
from flexsched.core.policies._base import FIT_TOLERANCE, Policy, Rule
from flexsched.core.policies.best_fit import BestFit
from flexsched.core.policies.first_fit import FirstFit
from flexsched.core.policies.flex_f import FlexF
from flexsched.core.policies.flex_l import FlexL
from flexsched.core.policies.least_fit import LeastFit
from flexsched.core.policies.oversub import Oversub
from flexsched.core.policies.random import Random

__all__ = [
    "FIT_TOLERANCE",
    "BestFit",
    "FirstFit",
    "FlexF",
    "FlexL",
    "LeastFit",
    "Oversub",
    "Policy",
    "Random",
    "Rule",
    "make_policy",
    "policies",
]

#: Entry point group in which other packages register a policy class.
ENTRY_POINTS = "flexsched.policies"


def policies() -> dict[str, type[Policy]]:
    """Installed policies by name, in the paper's order, those of other packages last.

    Raises:
        SettingError: another package registered something that is no policy class.
    """
    ours = (LeastFit, Oversub, FlexF, FlexL, FirstFit, BestFit, Random)
    found: dict[str, type[Policy]] = {kind.name: kind for kind in ours}
    for entry in entry_points(group=ENTRY_POINTS):
        found.setdefault(entry.name, _checked(entry))
    return found


def _checked(entry: EntryPoint) -> type[Policy]:
    kind = entry.load()
    if not (isinstance(kind, type) and issubclass(kind, Policy)):
        raise SettingError(
            f"expected a subclass of Policy, got {kind!r}",
            where=f"entry point {entry.name} of {ENTRY_POINTS}",
            remedy="mend or uninstall the package that registers it",
        )
    kind.check_complete()
    return kind


def make_policy(name: str, settings: Mapping[str, Any] | None = None) -> Policy:
    """A policy by name; settings may be text, as on a command line.

    Raises:
        SettingError: no such policy or setting, or a value out of range.
    """
    known = policies()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        raise SettingError(
            f"unknown policy {name}" + (f", did you mean {near[0]}?" if near else ""),
            remedy=f"installed: {', '.join(known)}",
        )
    return known[name].model_validate(dict(settings or {}))
