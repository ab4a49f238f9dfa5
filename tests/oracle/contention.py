"""Who gets how much on a node that cannot satisfy all, and who is satisfied."""

from __future__ import annotations


def share(capacity: float, requests: list[float], demands: list[float]) -> list[float]:
    """Guarantees by request, then the leftover in proportion to the unmet demand."""
    if sum_of(demands) <= capacity:
        return list(demands)
    requested = sum_of(requests)
    guarantees = [
        min(d, r, capacity * r / requested) if requested > 0 else 0.0
        for r, d in zip(requests, demands, strict=True)
    ]
    leftover = capacity - sum_of(guarantees)
    unmet = [d - g for d, g in zip(demands, guarantees, strict=True)]
    missing = sum_of(unmet)
    if leftover <= 0 or missing <= 0:
        return guarantees
    return [
        min(d, g + leftover * (u / missing))
        for d, g, u in zip(demands, guarantees, unmet, strict=True)
    ]


def by_demand(capacity: float, demands: list[float]) -> list[float]:
    """Everybody the same fraction of the demand (the authors' memory split, overflow included)."""
    demanded = sum_of(demands)
    if demanded <= capacity:
        return list(demands)
    return [capacity * d / demanded for d in demands]


def is_satisfied(request: list[float], demand: list[float], allocation: list[float]) -> bool:
    """In every resource the task gets its demand, or at least its request."""
    return all(
        a >= min(d, r) * (1 - 1e-6) for r, d, a in zip(request, demand, allocation, strict=True)
    )


def sum_of(values: list[float]) -> float:
    """A left-to-right float sum."""
    total = 0.0
    for value in values:
        total += value
    return total
