"""Oversub: LeastFit on nodes that pretend to be larger (paper, section 5)."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from flexsched.core.policies._base import Rule
from flexsched.core.policies._request import (
    AuthorsLeastRequestedRule,
    LeastRequestedRule,
    RequestPolicy,
)


class Oversub(RequestPolicy):
    """Admit by requests up to ``factor`` times capacity, spread like LeastFit.

    Attributes:
        factor: claimed over real capacity, > 0; 2 in the paper.
        score: exact, or the integer score of the authors' simulator.
    """

    name: ClassVar[str] = "oversub"
    title: ClassVar[str] = "Oversub"
    summary: ClassVar[str] = "requests up to twice the capacity; least requested node first"

    factor: float = Field(default=2.0, gt=0, allow_inf_nan=False)
    score: Literal["exact", "authors"] = "exact"

    def rule(self) -> Rule:
        if self.score == "authors":
            return AuthorsLeastRequestedRule(self.factor)
        return LeastRequestedRule(self.factor)

    def claimed_factor(self) -> float:
        return self.factor
