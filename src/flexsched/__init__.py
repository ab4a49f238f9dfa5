"""flexsched: usage-aware cluster scheduling, evaluated on traces.

    import flexsched as fs

    workload = fs.synthesize(tasks=20_000)
    comparison = fs.compare(
        workload, policies=[fs.LeastFit(), fs.FlexF()], cluster=fs.Cluster.uniform(112)
    )
    comparison.report("report.html")

Names load on first use, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flexsched import traces
    from flexsched.core.cluster import Cluster
    from flexsched.core.errors import FlexschedError, InputError, OutputError, SettingError
    from flexsched.core.policies import (
        BestFit,
        FirstFit,
        FlexF,
        FlexL,
        LeastFit,
        Oversub,
        Policy,
        Random,
    )
    from flexsched.core.workload import Provenance, Workload
    from flexsched.experiments import Comparison, compare
    from flexsched.simulator import Run, Settings, simulate
    from flexsched.traces import read_workload, write_workload
    from flexsched.traces.synthetic import synthesize

_HOME = {
    "BestFit": "flexsched.core.policies",
    "Cluster": "flexsched.core.cluster",
    "Comparison": "flexsched.experiments",
    "FirstFit": "flexsched.core.policies",
    "FlexF": "flexsched.core.policies",
    "FlexL": "flexsched.core.policies",
    "FlexschedError": "flexsched.core.errors",
    "InputError": "flexsched.core.errors",
    "LeastFit": "flexsched.core.policies",
    "OutputError": "flexsched.core.errors",
    "Oversub": "flexsched.core.policies",
    "Policy": "flexsched.core.policies",
    "Provenance": "flexsched.core.workload",
    "Random": "flexsched.core.policies",
    "Run": "flexsched.simulator",
    "SettingError": "flexsched.core.errors",
    "Settings": "flexsched.simulator",
    "Workload": "flexsched.core.workload",
    "compare": "flexsched.experiments",
    "read_workload": "flexsched.traces",
    "simulate": "flexsched.simulator",
    "synthesize": "flexsched.traces.synthetic",
    "write_workload": "flexsched.traces",
}

__all__ = [
    "BestFit",
    "Cluster",
    "Comparison",
    "FirstFit",
    "FlexF",
    "FlexL",
    "FlexschedError",
    "InputError",
    "LeastFit",
    "OutputError",
    "Oversub",
    "Policy",
    "Provenance",
    "Random",
    "Run",
    "SettingError",
    "Settings",
    "Workload",
    "compare",
    "read_workload",
    "simulate",
    "synthesize",
    "traces",
    "write_workload",
]


def __getattr__(name: str) -> Any:
    """Load a public name from where it lives."""
    if name == "traces":
        return import_module("flexsched.traces")
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'flexsched' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
