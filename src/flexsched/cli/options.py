"""Options that several commands share."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer


def example(command: str) -> str:
    """The end of a help text: a command to copy, which click must not wrap."""
    return f"\b\nExample:\n  {command}"


def _check_hours(hours: float) -> float:
    if not 0.0 < hours < math.inf:
        raise typer.BadParameter(f"expected hours > 0, got {hours:g}")
    return hours


Workload = Annotated[
    str,
    typer.Argument(
        metavar="WORKLOAD",
        help="A stored workload (folder), a scenario file (.yaml, .json), "
        "or synthetic:google2011?tasks=20000&hours=24.",
        show_default=False,
    ),
]
Nodes = Annotated[
    int | None,
    typer.Option(
        "--nodes", min=1, help="So many of the paper's nodes (64 cores, 128 GiB).",
        show_default="the workload's own",
    ),
]  # fmt: skip
ClusterFile = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="FILE",
        help="The nodes of a scenario file or of a stored workload.",
        show_default=False,
    ),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Same seed, same results.")]
Hours = Annotated[float, typer.Option("--hours", callback=_check_hours, help="Hours to simulate.")]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs", min=1, help="Policies run at a time; results do not depend on it.",
        show_default="one per core",
    ),
]  # fmt: skip
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="New folder for the results.", show_default=False),
]
RequiredOut = Annotated[
    Path,
    typer.Option("--out", metavar="DIR", help="New folder for the result.", show_default=False),
]
Force = Annotated[bool, typer.Option("--force", help="Replace an older result in --out.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A setting; repeat for more.",
                 show_default=False),
]  # fmt: skip
