"""Policies of other packages that lack what every policy must define."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any, ClassVar

import pytest

from flexsched.core.errors import SettingError
from flexsched.core.policies import ENTRY_POINTS, Policy, make_policy


class Nameless(Policy):
    """Has a rule and nothing else."""

    def rule(self) -> Any:
        return None


class OfNoKnownLoad(Nameless):
    """Goes by something that the simulator does not keep."""

    name: ClassVar[str] = "odd"
    title: ClassVar[str] = "Odd"
    summary: ClassVar[str] = "odd"
    load: ClassVar[Any] = "temperature"


def test_what_is_missing_is_named() -> None:
    with pytest.raises(SettingError, match="to define name, title, summary, load") as refused:
        Nameless()
    assert "test_incomplete_policies.Nameless" in refused.value.where
    with pytest.raises(SettingError, match="load: expected usage or request, got 'temperature'"):
        OfNoKnownLoad()


def test_what_is_registered_and_no_policy_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("mine", "collections:OrderedDict", ENTRY_POINTS)
    monkeypatch.setattr("flexsched.core.policies.entry_points", lambda group: [entry])
    with pytest.raises(SettingError, match="expected a subclass of Policy") as refused:
        make_policy("mine")
    assert refused.value.where == f"entry point mine of {ENTRY_POINTS}"
