"""The table of installed trace readers."""

from __future__ import annotations

from importlib.metadata import entry_points

from flexsched.core.errors import SettingError
from flexsched.core.suggest import suggestion
from flexsched.traces.google2011 import FORMAT as GOOGLE2011
from flexsched.traces.schema import TraceFormat

#: Entry point group in which other packages register a :class:`TraceFormat`.
ENTRY_POINTS = "flexsched.traces"


def formats() -> dict[str, TraceFormat]:
    """Return the installed trace readers by name, those of other packages last."""
    found: dict[str, TraceFormat] = {GOOGLE2011.name: GOOGLE2011}
    for entry in entry_points(group=ENTRY_POINTS):
        found.setdefault(entry.name, entry.load())
    return found


def trace_format(name: str) -> TraceFormat:
    """Return the trace reader of this name.

    Raises:
        SettingError: none of this name is installed.
    """
    known = formats()
    if name not in known:
        raise SettingError(f"unknown trace format {name!r}", remedy=suggestion(name, known))
    return known[name]
