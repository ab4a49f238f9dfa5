"""A measured figure beside its target, and the table of all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Figure:
    """One line of the table; every target is an upper limit.

    Attributes:
        name: what was measured.
        got: the value.
        limit: the target, None where a figure is there for information.
        unit: of both.
        note: what else a reader should know.
    """

    name: str
    got: float
    limit: float | None
    unit: str
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target holds, None without one."""
        return None if self.limit is None else self.got <= self.limit


def document(machine: dict[str, Any], figures: Iterable[Figure]) -> dict[str, Any]:
    """The table for machines."""
    return {"machine": machine, "figures": [asdict(one) | {"met": one.met} for one in figures]}


def print_table(machine: dict[str, Any], figures: Iterable[Figure]) -> None:
    """The table for people."""
    console = Console(width=150, highlight=False)
    for name, value in machine.items():
        console.print(f"{name}: {value}")
    table = Table("figure", "target", "got", "met", "note")
    for one in figures:
        target = "" if one.limit is None else f"at most {one.limit:g} {one.unit}"
        verdict = {None: "", True: "yes", False: "NO"}[one.met]
        table.add_row(one.name, target, f"{one.got:.3g} {one.unit}", verdict, one.note)
    console.print(table)
