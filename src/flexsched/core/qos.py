"""Quality of service: the share of running tasks that get what they need (paper, section 5)."""

from __future__ import annotations

from flexsched.core.jit import inlined

#: A task counts as served from (1 - this) of what it is owed; absorbs rounding only.
SERVED_TOLERANCE = 1e-6


@inlined
def served(allocated: float, demand: float, request: float) -> bool:
    """Whether one resource of one task is satisfied: a >= d or a >= r.

    A task is satisfied when this holds for every resource.
    """
    return allocated >= min(demand, request) * (1.0 - SERVED_TOLERANCE)


def quality(violated: int, running: int) -> float:
    """Q = satisfied / running, in [0, 1]; 1 when nothing runs."""
    return 1.0 if running == 0 else (running - violated) / running
