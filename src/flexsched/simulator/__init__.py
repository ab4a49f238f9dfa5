"""Replaying a workload under a policy, and what comes of it."""

from __future__ import annotations

from flexsched.simulator.engine import Simulation, check_policies
from flexsched.simulator.recorder import Row
from flexsched.simulator.run import Run, summary_document, write_json
from flexsched.simulator.settings import Contention, Settings
from flexsched.simulator.simulate import TickView, simulate

__all__ = [
    "Contention",
    "Row",
    "Run",
    "Settings",
    "Simulation",
    "TickView",
    "check_policies",
    "simulate",
    "summary_document",
    "write_json",
]
