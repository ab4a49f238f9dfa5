"""Workloads and clusters that commands are asked to work on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

import flexsched as fs
from flexsched import traces
from flexsched.cli.errors import from_command_line

if TYPE_CHECKING:
    from flexsched.cli.progress import Progress


def open_workload(where: str, progress: Progress) -> fs.Workload:
    """Read or make the workload.

    Raises:
        InputError: it is not there, or breaks its format.
        WrongUsageError: an unknown key or bad value of a synthetic one.
    """
    if not where.startswith("synthetic:"):
        progress.phase("reading the workload")
        return fs.read_workload(where)
    progress.phase("making the workload")
    with from_command_line():
        return fs.read_workload(where)


def open_cluster(nodes: int | None, cluster: str | None) -> fs.Cluster | None:
    """The cluster asked for, or None for the workload's own.

    Raises:
        typer.BadParameter: both ways of naming one are used.
        InputError: the file has no nodes, or breaks its format.
    """
    if cluster is None:
        return None if nodes is None else fs.Cluster.uniform(nodes)
    if nodes is not None:
        raise typer.BadParameter("give --nodes or --cluster, not both")
    return traces.read_cluster(cluster)
