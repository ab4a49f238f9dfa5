"""Random: any node that has room, drawn uniformly."""

from __future__ import annotations

from typing import ClassVar, Literal

from flexsched.core.policies._base import Rule
from flexsched.core.policies._request import RequestPolicy
from flexsched.core.policies.first_fit import AnyFitRule


class Random(RequestPolicy):
    """Admit by requests up to capacity, on a node drawn from the run's seed."""

    name: ClassVar[str] = "random"
    title: ClassVar[str] = "Random"
    summary: ClassVar[str] = "requests up to capacity; a random node with room"

    tie: Literal["seeded"] = "seeded"

    def rule(self) -> Rule:
        return AnyFitRule(1.0)
