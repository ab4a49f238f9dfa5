"""Several policies on one workload: comparisons, and the paper's own."""

from __future__ import annotations

from flexsched.experiments._compare import RunEnd, RunProgress, compare
from flexsched.experiments._reproduce import reproduce
from flexsched.experiments.comparison import Comparison
from flexsched.experiments.node_history import NodeHistory

__all__ = ["Comparison", "NodeHistory", "RunEnd", "RunProgress", "compare", "reproduce"]
