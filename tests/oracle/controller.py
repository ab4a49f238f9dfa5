"""The penalty P and how each tick's QoS moves it."""

from __future__ import annotations

from oracle.settings import Settings


class Controller:
    """P with its memory: the previous QoS, and whether P has decayed since the last raise."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.penalty = settings.penalty_start
        self.previous_qos = 1.0
        self.decayed = True
        if settings.controller == "none":
            self.penalty = 1.0

    def update(self, qos: float) -> None:
        """One period of ``tick_s`` seconds has ended with this QoS."""
        s = self.settings
        if s.controller in ("none", "fixed"):
            return
        if qos >= s.target_qos:
            self.penalty = max(self.penalty * s.alpha ** (s.tick_s / 60.0), s.penalty_min)
            self.decayed = True
        elif qos < 0.99 * self.previous_qos or self.decayed:
            floor = s.penalty_min if s.controller == "paper" else 1.0
            raised = self.penalty + s.beta * (self.penalty - floor)
            self.penalty = min(raised, s.penalty_max)
            self.decayed = False
        self.previous_qos = qos

    def would_change(self, qos: float) -> bool:
        """Whether P still moves if the QoS stays as it is."""
        trial = Controller(self.settings)
        trial.penalty = self.penalty
        trial.previous_qos = self.previous_qos
        trial.decayed = self.decayed
        trial.update(qos)
        return trial.penalty != self.penalty
