"""The estimation penalty P, learned from the cluster's QoS (paper, sections 4.2 and 4.3).

P shrinks by a factor while the quality is at the target and jumps up when it is not: the
congestion window of TCP turned upside down.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from flexsched.core.errors import SettingError

#: The period that ``alpha`` is stated for; other periods are rescaled to it.
ALPHA_PERIOD_S = 60.0
#: Below this share of the previous quality, quality counts as falling.
FALLING = 0.99


@dataclass
class PenaltyController:
    """Multiplicative decrease, jump on violation.

    Attributes:
        target_qos: rho in (0, 1].
        penalty: P, the value for the next scan; start value first.
        penalty_min: P never falls below.
        penalty_max: P never rises above.
        alpha: factor per 60 s while the target is met, in (0, 1).
        beta: size of a raise, > 0.
        raise_from: a raise adds beta * (P - raise_from); 1 in section 4.3 of the paper,
            ``penalty_min`` in its section 4.2.
        period_s: time between two updates.
        stuck_updates: updates in which a raise was due, but beta * (P - raise_from) was 0.

    Raises:
        SettingError: a value is out of range.
    """

    target_qos: float
    penalty: float
    penalty_min: float
    penalty_max: float
    alpha: float
    beta: float
    raise_from: float
    period_s: float
    stuck_updates: int = 0
    _previous_qos: float = field(default=1.0, repr=False)
    _decayed: bool = field(default=True, repr=False)

    def __post_init__(self) -> None:
        for name, holds, expected in (
            ("target_qos", 0 < self.target_qos <= 1, "in (0, 1]"),
            ("alpha", 0 < self.alpha < 1, "in (0, 1)"),
            ("beta", self.beta > 0, "> 0"),
            ("penalty_min", self.penalty_min > 0, "> 0"),
            ("penalty_max", self.penalty_max >= self.penalty_min, ">= penalty_min"),
            ("period_s", self.period_s > 0, "> 0"),
        ):
            if not holds:
                raise SettingError(f"{name}: expected {expected}, got {getattr(self, name)}")
        if not self.penalty_min <= self.penalty <= self.penalty_max:
            raise SettingError(
                f"penalty_start: expected {self.penalty_min} to {self.penalty_max}, "
                f"got {self.penalty}"
            )

    def update(self, qos: float) -> float:
        """Take the quality of one period, return P for the next.

        Args:
            qos: Q in [0, 1]; 1 when nothing runs.
        """
        if qos >= self.target_qos:
            self.penalty = self._lowered()
            self._decayed = True
        elif self._decayed or qos < FALLING * self._previous_qos:
            raised = self._raised()
            self.stuck_updates += raised == self.penalty < self.penalty_max
            self.penalty = raised
            self._decayed = False
        self._previous_qos = qos
        return self.penalty

    def can_change(self) -> bool:
        """Whether P would ever move again if quality stayed what it was at the last update."""
        if self._previous_qos >= self.target_qos:
            return self._lowered() != self.penalty
        return self._decayed and self._raised() != self.penalty

    def _lowered(self) -> float:
        factor = self.alpha ** (self.period_s / ALPHA_PERIOD_S)
        return max(self.penalty * factor, self.penalty_min)

    def _raised(self) -> float:
        raised = self.penalty + self.beta * (self.penalty - self.raise_from)
        return min(raised, self.penalty_max)
