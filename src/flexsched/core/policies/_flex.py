"""The Flex algorithm (paper, algorithm 3): estimated usage times a learned penalty."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator

from flexsched.core.errors import SettingError
from flexsched.core.estimators import Estimator, make_estimator
from flexsched.core.jit import inlined
from flexsched.core.penalty import PenaltyController
from flexsched.core.policies._base import LoadKind, Matrix, Policy, Rule
from flexsched.core.policies._request import request_fits


@inlined
def least_free_fraction(load: Matrix, node: int, capacity: Matrix) -> float:
    """Smallest (C - u) / C over the resources that the node has; 0 if it has none."""
    least = np.inf
    for resource in range(capacity.shape[1]):
        room = capacity[node, resource]
        if room > 0.0:
            least = min(least, (room - load[node, resource]) / room)
    return least if least < np.inf else 0.0


class FlexRule(NamedTuple):
    """Most free by penalised usage, less a term for running tasks of the same source."""

    same_source_weight: float

    def fits(self, load: Matrix, node: int, request: Matrix, capacity: Matrix) -> bool:
        return request_fits(load, node, request, capacity, 1.0)

    def score(
        self, load: Matrix, node: int, request: Matrix, capacity: Matrix, same_source: float
    ) -> float:
        free = least_free_fraction(load, node, capacity)
        return free - self.same_source_weight * same_source

    def ceiling(self, load: Matrix, node: int, capacity: Matrix, same_source: float) -> float:
        # The score does not depend on the request, so the key is exact.
        free = least_free_fraction(load, node, capacity)
        return free - self.same_source_weight * same_source

    def block_ceiling(
        self, key: float, load: Matrix, block: int, request: Matrix, capacity: Matrix
    ) -> float:
        return key


class AuthorsFlexRule(NamedTuple):
    """min over resources of floor(100 * (C - u) / C), plus 100 less the source's tasks there."""

    source_points: float

    def fits(self, load: Matrix, node: int, request: Matrix, capacity: Matrix) -> bool:
        return request_fits(load, node, request, capacity, 1.0)

    def score(
        self, load: Matrix, node: int, request: Matrix, capacity: Matrix, same_source: float
    ) -> float:
        free = np.floor(100.0 * least_free_fraction(load, node, capacity))
        return free + self.source_points - same_source

    def ceiling(self, load: Matrix, node: int, capacity: Matrix, same_source: float) -> float:
        free = np.floor(100.0 * least_free_fraction(load, node, capacity))
        return free + self.source_points - same_source

    def block_ceiling(
        self, key: float, load: Matrix, block: int, request: Matrix, capacity: Matrix
    ) -> float:
        return key


class Flex(Policy):
    """Settings that both versions of Flex share.

    Attributes:
        target_qos: rho, in (0, 1].
        penalty_start: P at the start.
        penalty_min: lower bound of P; 1.1, or 1 with the paper's controller.
        penalty_max: upper bound of P.
        alpha: factor per 60 s while the target is met, in (0, 1).
        beta: size of a raise, > 0.
        controller: flex (raise by beta * (P - 1)); paper (by beta * (P - penalty_min), which
            sticks at P = penalty_min: warned about and counted); fixed (P = penalty_start);
            none (P = 1).
        estimator: name of the usage estimator.
        same_source_weight: score lost per running task of the same source, >= 0.
        score: exact, or the integer score of the authors' simulator.
    """

    load: ClassVar[LoadKind] = "usage"

    target_qos: float = Field(default=0.99, gt=0, le=1)
    penalty_start: float = Field(default=1.5, gt=0, allow_inf_nan=False)
    penalty_min: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    penalty_max: float = Field(default=3.0, gt=0, allow_inf_nan=False)
    alpha: float = Field(default=0.99, gt=0, lt=1)
    beta: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    controller: Literal["flex", "paper", "fixed", "none"] = "flex"
    estimator: str = "last"
    same_source_weight: float = Field(default=0.01, ge=0, allow_inf_nan=False)
    score: Literal["exact", "authors"] = "exact"

    @model_validator(mode="after")
    def _refuse_stuck_controller(self) -> Self:
        if self.controller == "flex" and self.lower_bound() <= 1.0:
            raise SettingError(
                f"penalty_min: expected > 1, got {self.lower_bound():g}: at P = penalty_min a "
                "raise by beta * (P - 1) is 0 or less, and P would stay there for good",
                where=f"policy {self.name}",
                remedy="raise penalty_min, or use controller=paper to study just that",
            )
        if self.controller in ("flex", "paper"):
            self._controller(60.0)
        make_estimator(self.estimator)
        return self

    def lower_bound(self) -> float:
        """``penalty_min``, or its default for the chosen controller."""
        if self.penalty_min is not None:
            return self.penalty_min
        return 1.0 if self.controller == "paper" else 1.1

    def effective_settings(self) -> dict[str, Any]:
        return {**self.model_dump(), "penalty_min": self.lower_bound()}

    def rule(self) -> Rule:
        if self.score == "authors":
            return AuthorsFlexRule(100.0)
        return FlexRule(self.same_source_weight)

    def make_controller(self, tick_s: float) -> PenaltyController | None:
        if self.controller in ("fixed", "none"):
            return None
        if self.controller == "paper":
            warnings.warn(
                "the paper's controller cannot raise P once it has fallen to penalty_min; "
                "the run counts the ticks in which it is stuck",
                stacklevel=2,
            )
        return self._controller(tick_s)

    def _controller(self, period_s: float) -> PenaltyController:
        return PenaltyController(
            target_qos=self.target_qos,
            penalty=self.penalty_start,
            penalty_min=self.lower_bound(),
            penalty_max=self.penalty_max,
            alpha=self.alpha,
            beta=self.beta,
            raise_from=self.lower_bound() if self.controller == "paper" else 1.0,
            period_s=period_s,
        )

    def fixed_penalty(self) -> float:
        return 1.0 if self.controller == "none" else self.penalty_start

    def make_estimator(self) -> Estimator | None:
        return make_estimator(self.estimator)
