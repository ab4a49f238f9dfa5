"""How a simulation runs, apart from the policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from flexsched.core.errors import SettingError

#: How demand beyond a node's capacity is shared, see :class:`Settings`.
Contention = Literal["share", "paper"]


@dataclass(frozen=True)
class Settings:
    """How a simulation runs, apart from the policy.

    Attributes:
        tick_s: length of a tick, > 0; 60 s in the paper.
        horizon_s: rows end before this time; None: until nothing can happen any more.
        seed: of every draw, >= 0.
        contention: share (semantics of the paper's text), or paper (the authors' code, in
            which the memory guarantee wraps at 64 bits).
        demand_scale: factor on every usage series, > 0 (paper, figure 11).
    """

    tick_s: float = 60.0
    horizon_s: float | None = None
    seed: int = 0
    contention: Contention = "share"
    demand_scale: float = 1.0

    def __post_init__(self) -> None:
        horizon_ok = self.horizon_s is None or 0 < self.horizon_s < np.inf
        for name, value, holds, expected in (
            ("tick", self.tick_s, 0 < self.tick_s < np.inf, "a length > 0"),
            ("horizon", self.horizon_s, horizon_ok, "a time > 0, or none"),
            ("seed", self.seed, self.seed >= 0, "an integer >= 0"),
            ("contention", self.contention, self.contention in ("share", "paper"),
             "share or paper"),
            ("demand_scale", self.demand_scale, 0 < self.demand_scale < np.inf, "a factor > 0"),
        ):  # fmt: skip
            if not holds:
                raise SettingError(f"{name}: expected {expected}, got {value}")
