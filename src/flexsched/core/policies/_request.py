"""Pieces shared by the policies that go by requests alone."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from flexsched.core.jit import inlined
from flexsched.core.policies._base import FIT_TOLERANCE, LoadKind, Matrix, Policy


@inlined
def request_fits(load: Matrix, node: int, request: Matrix, capacity: Matrix, factor: float) -> bool:
    """R + r <= factor * C in every resource."""
    for resource in range(request.shape[0]):
        limit = factor * capacity[node, resource] * (1.0 + FIT_TOLERANCE)
        if load[node, resource] + request[resource] > limit:
            return False
    return True


@inlined
def fullest_fraction(load: Matrix, node: int, request: Matrix, capacity: Matrix) -> float:
    """Largest (R + r) / C over the resources that the node has; 1 if it has none."""
    fullest = -1.0
    for resource in range(request.shape[0]):
        if capacity[node, resource] > 0.0:
            total = load[node, resource] + request[resource]
            fullest = max(fullest, total / capacity[node, resource])
    return fullest if fullest >= 0.0 else 1.0


class LeastRequestedRule(NamedTuple):
    """Smallest largest-requested-fraction wins (paper, section 5: LeastFit and Oversub)."""

    factor: float

    def fits(self, load: Matrix, node: int, request: Matrix, capacity: Matrix) -> bool:
        return request_fits(load, node, request, capacity, self.factor)

    def score(
        self, load: Matrix, node: int, request: Matrix, capacity: Matrix, same_source: float
    ) -> float:
        return -fullest_fraction(load, node, request, capacity)

    def ceiling(self, load: Matrix, node: int, capacity: Matrix, same_source: float) -> float:
        fullest = -1.0
        for resource in range(capacity.shape[1]):
            if capacity[node, resource] > 0.0:
                fullest = max(fullest, load[node, resource] / capacity[node, resource])
        return -fullest if fullest >= 0.0 else -1.0

    def block_ceiling(
        self, key: float, load: Matrix, block: int, request: Matrix, capacity: Matrix
    ) -> float:
        return min(key, -fullest_fraction(load, block, request, capacity))


class AuthorsLeastRequestedRule(NamedTuple):
    """Mean over resources of floor(100 * (C - R') / C), R' with the incoming task."""

    factor: float

    def fits(self, load: Matrix, node: int, request: Matrix, capacity: Matrix) -> bool:
        return request_fits(load, node, request, capacity, self.factor)

    def score(
        self, load: Matrix, node: int, request: Matrix, capacity: Matrix, same_source: float
    ) -> float:
        total, count = 0.0, 0
        for resource in range(request.shape[0]):
            room = capacity[node, resource]
            if room > 0.0:
                free = room - (load[node, resource] + request[resource])
                total += np.floor(100.0 * free / room)
                count += 1
        return total / count if count > 0 else 0.0

    def ceiling(self, load: Matrix, node: int, capacity: Matrix, same_source: float) -> float:
        return np.inf

    def block_ceiling(
        self, key: float, load: Matrix, block: int, request: Matrix, capacity: Matrix
    ) -> float:
        return key


class RequestPolicy(Policy):
    """A policy whose load is the sum of the running tasks' requests."""

    load: ClassVar[LoadKind] = "request"
