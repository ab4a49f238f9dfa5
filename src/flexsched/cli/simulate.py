"""``flexsched simulate``: one policy on one workload."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import flexsched as fs
from flexsched.cli.inputs import open_cluster, open_workload
from flexsched.cli.options import ClusterFile, Force, Json, Nodes, Out, Seed, Set, Workload, example
from flexsched.cli.progress import Progress, expected_end_s, make_progress, tell_of_compilation
from flexsched.cli.settings import Chosen, choose

if TYPE_CHECKING:
    from flexsched.simulator import Row

EXAMPLE = example(
    "flexsched simulate scenario.yaml --policy flex-f --set target_qos=0.95 --out result"
)
#: Exit status: done, but tasks were left unplaced and the user wanted none to be.
LEFT_UNPLACED = 3


def simulate(
    context: typer.Context,
    workload: Workload,
    policy: Annotated[
        str, typer.Option(metavar="NAME", help="See flexsched policies.", show_default=False)
    ],
    settings: Set = None,
    nodes: Nodes = None,
    cluster: ClusterFile = None,
    seed: Seed = 0,
    require_all: Annotated[
        bool, typer.Option("--require-all", help="Exit with 3 if tasks were left unplaced.")
    ] = False,
    node_history: Annotated[
        bool,
        typer.Option(
            "--node-history", help="Also write node_history.parquet: every node at every tick."
        ),
    ] = False,
    out: Out = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Simulate one policy on a workload.

    Settings are those of the policy (see flexsched policies) and of the simulation: tick,
    horizon, contention (share, paper), demand_scale.
    """
    from flexsched.cli.results import (  # noqa: PLC0415
        check_result,
        print_results,
        result_folder,
        unplaced_tasks,
    )
    from flexsched.experiments import Comparison  # noqa: PLC0415

    if node_history and out is None:
        raise typer.BadParameter("--node-history needs --out DIR to write to")
    chosen = choose(policy, settings or [])
    machines = open_cluster(nodes, cluster)
    check_result(out, force=force)
    with ExitStack() as stack:
        progress = stack.enter_context(make_progress())
        tasks = open_workload(workload, progress)
        folder = stack.enter_context(result_folder(out, force=force))
        run = _run(tasks, machines, chosen, seed, progress, folder if node_history else None)
        comparison = Comparison((run,))
        comparison.note_command(shlex.join(["flexsched", *context.obj]))
        if folder is not None:
            run.write_into(folder)
    print_results(comparison, as_json=as_json)
    if out is not None and not as_json:
        print(f"\nRun: {out}")
    left = unplaced_tasks(run)
    if require_all and left:
        typer.echo(f"{left} tasks were left unplaced, and --require-all was given", err=True)
        raise typer.Exit(LEFT_UNPLACED)


def _run(
    workload: fs.Workload,
    cluster: fs.Cluster | None,
    chosen: Chosen,
    seed: int,
    progress: Progress,
    history: Path | None,
) -> fs.Run:
    """The run; every node at every tick goes to a file in the folder ``history``."""
    from flexsched.experiments import NodeHistory  # noqa: PLC0415

    label = chosen.policy.label()
    progress.begin_runs(expected_end_s(workload, chosen.simulation.get("horizon_s")))

    def on_row(row: Row) -> None:
        progress(label, row)

    with ExitStack() as stack:
        stack.enter_context(tell_of_compilation(progress))
        nodes = cluster or workload.nodes
        observers = []
        if history is not None and nodes is not None:
            path = history / "node_history.parquet"
            observers.append(stack.enter_context(NodeHistory(nodes, path)))
        run = fs.simulate(
            workload,
            cluster,
            chosen.policy,
            seed=seed,
            observers=observers,
            progress=on_row,
            **chosen.simulation,
        )
    progress.take_end(run)
    return run
