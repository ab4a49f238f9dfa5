"""FirstFit: the first node in file order that has room."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from flexsched.core.policies._base import Matrix, Rule
from flexsched.core.policies._request import RequestPolicy, request_fits


class AnyFitRule(NamedTuple):
    """Every node with room is as good as any other; the tie rule decides."""

    factor: float

    def fits(self, load: Matrix, node: int, request: Matrix, capacity: Matrix) -> bool:
        return request_fits(load, node, request, capacity, self.factor)

    def score(
        self, load: Matrix, node: int, request: Matrix, capacity: Matrix, same_source: float
    ) -> float:
        return 0.0

    def ceiling(self, load: Matrix, node: int, capacity: Matrix, same_source: float) -> float:
        return 0.0

    def block_ceiling(
        self, key: float, load: Matrix, block: int, request: Matrix, capacity: Matrix
    ) -> float:
        return key


class FirstFit(RequestPolicy):
    """Admit by requests up to capacity, on the first node that has room."""

    name: ClassVar[str] = "first-fit"
    title: ClassVar[str] = "FirstFit"
    summary: ClassVar[str] = "requests up to capacity; first node with room"
    searches_by_load: ClassVar[bool] = False

    def rule(self) -> Rule:
        return AnyFitRule(1.0)
