"""LeastFit: the node with the smallest largest-requested fraction (paper, section 5)."""

from __future__ import annotations

from typing import ClassVar, Literal

from flexsched.core.policies._base import Rule
from flexsched.core.policies._request import (
    AuthorsLeastRequestedRule,
    LeastRequestedRule,
    RequestPolicy,
)


class LeastFit(RequestPolicy):
    """Admit by requests up to capacity, spread by the most requested resource.

    Attributes:
        score: exact, or the integer score of the authors' simulator.
    """

    name: ClassVar[str] = "least-fit"
    title: ClassVar[str] = "LeastFit"
    summary: ClassVar[str] = "requests up to capacity; least requested node first"

    score: Literal["exact", "authors"] = "exact"

    def rule(self) -> Rule:
        return (
            AuthorsLeastRequestedRule(1.0) if self.score == "authors" else LeastRequestedRule(1.0)
        )
