"""``flexsched reproduce``: the paper's main experiment."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from flexsched.cli.options import Force, Hours, Jobs, Json, Seed, example
from flexsched.cli.progress import make_progress, tell_of_compilation

EXAMPLE = example("flexsched reproduce --tasks 20000 --out small")
_FIGURES = "6-9"


def _check_figures(asked: str) -> None:
    if asked == "all":
        raise typer.BadParameter(
            "--figures: 10 and 11 come with the sweep command, which this version does not have; "
            f"use {_FIGURES}"
        )
    if asked != _FIGURES:
        raise typer.BadParameter(f"--figures: expected {_FIGURES}, got {asked}")


def reproduce(
    context: typer.Context,
    nodes: Annotated[
        int | None,
        typer.Option(min=1, help="Nodes of 64 cores and 128 GiB.",
                     show_default="the paper's load per node: 4000 for 714030 tasks"),
    ] = None,
    tasks: Annotated[int, typer.Option(min=1, help="Tasks to synthesize.")] = 714_030,
    hours: Hours = 24.0,
    seed: Seed = 0,
    figures: Annotated[str, typer.Option(help="Figures of the paper: 6-9.")] = _FIGURES,
    jobs: Jobs = None,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="New folder for runs, report and figures.")
    ] = Path("flexsched-reproduce"),
    force: Force = False,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Repeat the paper's main experiment.

    Simulates LeastFit, Oversub, FlexF and FlexL on the built-in synthetic workload, and
    prints the results beside the paper's.
    """
    from flexsched import experiments  # noqa: PLC0415
    from flexsched.cli.results import print_results  # noqa: PLC0415
    from flexsched.experiments.output import new_result, write_comparison  # noqa: PLC0415

    _check_figures(figures)
    with (
        new_result(out, force=force) as folder,
        make_progress() as progress,
        tell_of_compilation(progress),
    ):
        progress.begin_runs(hours * 3600.0, preparing="making the workload")
        comparison = experiments.reproduce(
            nodes=nodes,
            tasks=tasks,
            hours=hours,
            seed=seed,
            jobs=jobs,
            progress=progress,
            on_end=progress.take_end,
        )
        comparison.note_command(shlex.join(["flexsched", *context.obj]))
        progress.phase("drawing the report")
        write_comparison(comparison.runs, folder)
    print_results(comparison, as_json=as_json, beside_paper=True)
    if not as_json:
        print(f"\nReport: {out / 'report.html'}")
