"""``flexsched compare``: several policies on one workload."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from typing import Annotated

import typer

from flexsched.cli.inputs import open_cluster, open_workload
from flexsched.cli.options import (
    ClusterFile,
    Force,
    Jobs,
    Json,
    Nodes,
    Out,
    Seed,
    Workload,
    example,
)
from flexsched.cli.progress import expected_end_s, make_progress, tell_of_compilation
from flexsched.cli.settings import parse_policies

EXAMPLE = example(
    "flexsched compare scenario.yaml --policies least-fit,flex-f:alpha=0.98 --out result"
)


def compare(
    context: typer.Context,
    workload: Workload,
    policies: Annotated[
        str,
        typer.Option(
            metavar="A,B,...",
            help="Names, each with settings if need be: flex-f:alpha=0.98,beta=2.",
            show_default=False,
        ),
    ],
    nodes: Nodes = None,
    cluster: ClusterFile = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    out: Out = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Simulate several policies on a workload.

    Prints them side by side. With --out: every run, summary.json, report.html and the
    figures as SVG, PDF and PNG.
    """
    from flexsched import experiments  # noqa: PLC0415
    from flexsched.cli.results import check_result, print_results, result_folder  # noqa: PLC0415
    from flexsched.experiments.output import write_comparison  # noqa: PLC0415

    chosen = parse_policies(policies)
    machines = open_cluster(nodes, cluster)
    check_result(out, force=force)
    with ExitStack() as stack:
        progress = stack.enter_context(make_progress())
        tasks = open_workload(workload, progress)
        folder = stack.enter_context(result_folder(out, force=force))
        stack.enter_context(tell_of_compilation(progress))
        progress.begin_runs(expected_end_s(tasks))
        comparison = experiments.compare(
            tasks,
            chosen,
            cluster=machines,
            seed=seed,
            jobs=jobs,
            progress=progress,
            on_end=progress.take_end,
        )
        comparison.note_command(shlex.join(["flexsched", *context.obj]))
        if folder is not None:
            progress.phase("drawing the report")
            write_comparison(comparison.runs, folder)
    print_results(comparison, as_json=as_json)
    if out is not None and not as_json:
        print(f"\nReport: {out / 'report.html'}")
