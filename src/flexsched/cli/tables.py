"""Tables and JSON on stdout."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

#: Rows in pipes and files are one line each, unless they hold sentences.
_UNLIMITED_WIDTH = 10_000
_SENTENCES_WIDTH = 160


def print_json(document: Any) -> None:
    """Strict JSON, indented."""
    print(json.dumps(document, indent=2, allow_nan=False))


def print_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers: Sequence[int] = (),
    sentences: Sequence[int] = (),
) -> None:
    """Aligned columns; on a terminal they wrap to its width.

    Args:
        header: titles; all empty: no line for them.
        rows: cells, as many as titles.
        numbers: positions of the columns that are set flush right.
        sentences: positions of the columns that wrap in pipes and files, too.
    """
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    terminal = sys.stdout.isatty()
    table = Table(
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
        header_style="bold",
        show_header=any(header),
    )
    for position, title in enumerate(header):
        table.add_column(
            title,
            justify="right" if position in numbers else "left",
            no_wrap=not terminal and position not in sentences,
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    if terminal:
        Console(file=sys.stdout, highlight=False).print(table)
        return
    console = Console(width=_SENTENCES_WIDTH if sentences else _UNLIMITED_WIDTH, highlight=False)
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        print(line.rstrip())
