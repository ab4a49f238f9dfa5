"""``flexsched report``: the report of runs that are already there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flexsched.cli.options import Force, Json, Out, example
from flexsched.cli.progress import make_progress
from flexsched.cli.tables import print_json

EXAMPLE = example("flexsched report runs/a runs/b --out both")


def report(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="DIR...", help="Results of simulate, compare or reproduce.",
                       show_default=False),
    ],
    out: Out = None,
    force: Force = False,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Rebuild the report of one or more results.

    Draws report.html and the figures from their runs. Without --out they go into the one
    folder named; with it, all runs and their report go into a new folder.
    """
    from flexsched.cli.results import check_result  # noqa: PLC0415
    from flexsched.experiments import Comparison  # noqa: PLC0415
    from flexsched.experiments.output import rewrite_report  # noqa: PLC0415

    if out is None and len(folders) > 1:
        raise typer.BadParameter("several results need --out DIR for their common report")
    check_result(out, force=force)
    with make_progress() as progress:
        progress.phase("reading")
        comparison = Comparison.load(folders)
        progress.phase("drawing the report")
        if out is None:
            path = rewrite_report(comparison.runs, folders[0])
        else:
            comparison.save(out, force=force)
            path = out / "report.html"
    if as_json:
        figures = sorted(str(figure) for figure in (path.parent / "figures").iterdir())
        print_json({"report": str(path), "figures": figures, "summary": comparison.summary})
    else:
        print(f"Report: {path}")
