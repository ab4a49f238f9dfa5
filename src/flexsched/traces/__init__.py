"""Workloads from files: scenarios, stored workloads, public traces, and synthetic ones.

Everything is imported on first use, to keep start-up short.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flexsched.traces import google2011, synthetic
    from flexsched.traces._formats import formats, trace_format
    from flexsched.traces._read import read_cluster, read_workload
    from flexsched.traces.schema import TraceFormat
    from flexsched.traces.stored import write_workload

__all__ = [
    "TraceFormat",
    "formats",
    "google2011",
    "read_cluster",
    "read_workload",
    "synthetic",
    "trace_format",
    "write_workload",
]

_MODULES = ("google2011", "synthetic")
_HOME = {
    "TraceFormat": "schema",
    "formats": "_formats",
    "read_cluster": "_read",
    "read_workload": "_read",
    "trace_format": "_formats",
    "write_workload": "stored",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
