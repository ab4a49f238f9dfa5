"""BestFit: the fullest node that still has room."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from flexsched.core.policies._base import Matrix, Rule
from flexsched.core.policies._request import RequestPolicy, fullest_fraction, request_fits


class MostRequestedRule(NamedTuple):
    """Largest largest-requested-fraction wins."""

    factor: float

    def fits(self, load: Matrix, node: int, request: Matrix, capacity: Matrix) -> bool:
        return request_fits(load, node, request, capacity, self.factor)

    def score(
        self, load: Matrix, node: int, request: Matrix, capacity: Matrix, same_source: float
    ) -> float:
        return fullest_fraction(load, node, request, capacity)

    def ceiling(self, load: Matrix, node: int, capacity: Matrix, same_source: float) -> float:
        return np.inf

    def block_ceiling(
        self, key: float, load: Matrix, block: int, request: Matrix, capacity: Matrix
    ) -> float:
        return key


class BestFit(RequestPolicy):
    """Admit by requests up to capacity, packing the fullest nodes first."""

    name: ClassVar[str] = "best-fit"
    title: ClassVar[str] = "BestFit"
    summary: ClassVar[str] = "requests up to capacity; most requested node first"

    def rule(self) -> Rule:
        return MostRequestedRule(1.0)
