"""What one run of the oracle may be told."""

from __future__ import annotations

from dataclasses import dataclass

FLEX = ("flex-f", "flex-l")
REQUEST_BASED = ("least-fit", "oversub", "first-fit", "best-fit")


@dataclass(frozen=True)
class Settings:
    """One policy with its settings, and the clock.

    ``controller``: flex (raise by beta * (P - 1)), paper (beta * (P - P_min)), fixed (P stays
    at its start) or none (no penalty at all, P counts as 1).
    """

    policy: str
    tick_s: float = 60.0
    horizon_s: float | None = None
    target_qos: float = 0.99
    penalty_start: float = 1.5
    penalty_min: float = 1.1
    penalty_max: float = 3.0
    alpha: float = 0.99
    beta: float = 1.0
    controller: str = "flex"
    same_source_weight: float = 0.01
    tie: str = "first"
    order: str = "memory"
    attempts_per_tick: int | None = None
    backoff: str = "none"
    contention: str = "share"
    factor: float = 2.0

    @property
    def is_flex(self) -> bool:
        """Whether the policy places by penalised usage."""
        return self.policy in FLEX

    @property
    def overbooking(self) -> float:
        """How many times its capacity a node may be requested (request-based policies)."""
        return self.factor if self.policy == "oversub" else 1.0
