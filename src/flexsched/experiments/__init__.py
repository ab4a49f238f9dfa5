"""Several policies on one workload: comparisons, and the paper's own."""

from __future__ import annotations

from flexsched.experiments.compare import RunProgress, compare
from flexsched.experiments.comparison import Comparison
from flexsched.experiments.node_history import NodeHistory
from flexsched.experiments.reproduce import reproduce

__all__ = ["Comparison", "NodeHistory", "RunProgress", "compare", "reproduce"]
