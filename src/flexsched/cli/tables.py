"""Tables and JSON on stdout."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

#: Lines in pipes and files are not wrapped, so that each row is one line.
_UNLIMITED_WIDTH = 10_000


def print_json(document: Any) -> None:
    """Strict JSON, indented."""
    print(json.dumps(document, indent=2, allow_nan=False))


def print_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Sequence[int] = ()
) -> None:
    """Aligned columns; on a terminal they wrap to its width.

    Args:
        header: titles; all empty: no line for them.
        rows: cells, as many as titles.
        numbers: positions of the columns that are set flush right.
    """
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
        header_style="bold",
        show_header=any(header),
    )
    for position, title in enumerate(header):
        table.add_column(title, justify="right" if position in numbers else "left")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    width = None if sys.stdout.isatty() else _UNLIMITED_WIDTH
    Console(file=sys.stdout, width=width, highlight=False).print(table)
