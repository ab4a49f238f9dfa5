"""Charts, tables and the page of a comparison.

``comparison_rows``, ``headline`` and ``offered_load`` need nothing but a summary and
load at once. What draws (``charts``, ``overview``, ``write_figures``, ``write_report``)
loads Altair on first use, which takes about a second.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from flexsched.report.comparison import ComparisonRow, comparison_rows
from flexsched.report.headline import headline, offered_load
from flexsched.report.records import RunRecord

if TYPE_CHECKING:
    from flexsched.report.export import write_figures
    from flexsched.report.figures import charts, overview
    from flexsched.report.page import write_report

__all__ = [
    "ComparisonRow",
    "RunRecord",
    "charts",
    "comparison_rows",
    "headline",
    "offered_load",
    "overview",
    "write_figures",
    "write_report",
]


def __getattr__(name: str) -> Any:
    """Import what draws charts when it is first asked for."""
    if name in ("charts", "overview"):
        return getattr(import_module("flexsched.report.figures"), name)
    if name == "write_figures":
        return import_module("flexsched.report.export").write_figures
    if name == "write_report":
        return import_module("flexsched.report.page").write_report
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
