"""Built-in workloads that need no download, fitted to published figures of real traces."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from flexsched.core.errors import SettingError
from flexsched.core.workload import Workload

__all__ = ["catalogue", "fit_table", "paper_nodes", "synthesize"]

_CATALOGUE = ("google2011",)


def catalogue() -> tuple[str, ...]:
    """Names that :func:`synthesize` knows."""
    return _CATALOGUE


def paper_nodes(tasks: int, hours: float = 24.0) -> int:
    """Nodes on which a synthetic workload is the paper's load per node (4000 for 714,030 in 24 h).

    The base that is there at the start belongs to the nodes and does not grow with ``hours``,
    so a shorter span holds fewer tasks for the same nodes.

    Raises:
        SettingError: a value is out of range.
    """
    from flexsched.traces.synthetic.jobs import nodes_for  # noqa: PLC0415

    _check(tasks=tasks, hours=hours)
    return nodes_for(tasks, hours)


def synthesize(
    name: str = "google2011",
    *,
    tasks: int | None = None,
    hours: float = 24.0,
    seed: int = 0,
    nodes: int | None = None,
    demand_scale: float = 1.0,
    scratch: Path | None = None,
) -> Workload:
    """A workload like the first day of the Google 2011 trace (paper, section 5).

    Tasks are in the order of submission: those that run in the trace at time 0, those that
    wait there at time 0 (all submitted at 0 and bound to no node), then the arrivals.

    Args:
        name: one of :func:`catalogue`.
        tasks: number of tasks, at least 1; by default 714,030, or what ``nodes`` asks for.
        hours: span of the arrivals and horizon of the workload, > 0.
        seed: same seed, same bytes, on any number of cores.
        nodes: cluster the load is meant for; by default the paper's load per node. With
            ``tasks`` too it changes no task: the fit table shows the heavier or lighter load.
        demand_scale: factor on usage, > 0; requests stay (paper, figure 11).
        scratch: folder for the usage series of a large workload (a file without a name);
            by default the system's folder for temporary files.

    Raises:
        SettingError: the name is unknown or a value is out of range.
        OutputError: the usage series do not fit into the scratch folder.
    """
    if name not in _CATALOGUE:
        raise SettingError(
            f"expected one of {', '.join(_CATALOGUE)}, got {name!r}", where="synthetic workload"
        )
    _check(tasks=tasks, hours=hours, seed=seed, nodes=nodes, demand_scale=demand_scale)
    from flexsched.traces.synthetic.google2011 import generate  # noqa: PLC0415
    from flexsched.traces.synthetic.jobs import tasks_for  # noqa: PLC0415

    if tasks is None:
        tasks = tasks_for(nodes, hours)
    workload = generate(tasks, hours, seed, nodes, demand_scale, scratch)
    provenance = replace(workload.provenance, calibration=fit_table(workload))
    return replace(workload, provenance=provenance)


def fit_table(workload: Workload) -> tuple[dict[str, Any], ...]:
    """Published figures beside what a synthetic workload's own arrays show.

    Returns:
        Rows of {"figure": str, "target": float, or str where only words are published,
        "got": float, "difference": (got - target) / target, or None for words}. Figures that
        need tasks the workload does not have are left out.
    """
    from flexsched.traces.synthetic.fit import measured_rows  # noqa: PLC0415

    return measured_rows(workload)


def _check(**settings: float | None) -> None:
    """Refuse what cannot be: not finite, not positive, or not whole where it must be."""
    for name, value in settings.items():
        if value is None:
            continue
        whole = name in ("tasks", "nodes", "seed")
        lowest_is_zero = name == "seed"
        fine = 0 <= value < float("inf") and (value > 0 or lowest_is_zero)
        if not fine or (whole and value != int(value)):
            kind = "a whole number" if whole else "a finite number"
            bound = ">= 0" if lowest_is_zero else "> 0"
            raise SettingError(f"expected {kind} {bound}, got {value}", where=name)
