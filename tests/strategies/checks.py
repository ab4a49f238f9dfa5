"""What must hold of every run, and how two runs are compared so that a failure can be read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

Table = Sequence[dict[str, Any]]

_GONE = ("finished", "rejected", "failed", "evicted")


def check_accounting(rows: Table, counts: dict[str, int]) -> None:
    """The identities that hold in every row and at the end, whatever the scenario."""
    arrivals = gone = 0
    for row in rows:
        arrivals += row["arrivals"]
        gone += sum(row[event] for event in _GONE)
        assert row["running"] >= 0, row
        assert row["pending"] >= 0, row
        assert arrivals == row["running"] + row["pending"] + gone, row
    assert counts["submitted"] == sum(n for state, n in counts.items() if state != "submitted")


def differences(
    got: Table, expected: Table, *, rel: float = 0.0, skip: tuple[str, ...] = ()
) -> list[str]:
    """One line per cell that differs; numbers may differ by ``rel`` of the larger one."""
    lines = []
    if len(got) != len(expected):
        lines.append(f"{len(got)} rows instead of {len(expected)}")
    for k, (ours, theirs) in enumerate(zip(got, expected, strict=False)):
        if missing := set(theirs) ^ set(ours) - set(skip):
            lines.append(f"row {k}: columns on one side only: {sorted(missing)}")
        lines += [
            f"row {k} ({_label(theirs)}) {name}: got {ours[name]!r}, expected {value!r}"
            for name, value in theirs.items()
            if name in ours and not _equal(ours[name], value, rel)
        ]
    return lines


def _label(row: dict[str, Any]) -> str:
    return str(row["name"]) if "name" in row else f"t={row['t_s']:g}"


def _equal(got: Any, expected: Any, rel: float) -> bool:
    if isinstance(got, float) and isinstance(expected, float):
        return got == expected or math.isclose(got, expected, rel_tol=rel, abs_tol=rel)
    return bool(got == expected) and (got is None) == (expected is None)
