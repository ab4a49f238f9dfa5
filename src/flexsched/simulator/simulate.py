"""``simulate``: the one call that runs a policy and hands back a :class:`Run`."""

from __future__ import annotations

import resource as process_resource
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexsched.core.cluster import Cluster
from flexsched.core.errors import SettingError
from flexsched.core.policies import FlexF, Policy, make_policy
from flexsched.core.workload import Workload
from flexsched.simulator.engine import Simulation
from flexsched.simulator.outcome import held_windows, node_table, task_table
from flexsched.simulator.recorder import Recorder, Row, row_document
from flexsched.simulator.run import Run
from flexsched.simulator.settings import Contention, Settings
from flexsched.simulator.state import NONE, Count
from flexsched.simulator.summary import offered_load, summarise_run

#: The target that violations are counted against when the policy names none.
DEFAULT_TARGET_QOS = 0.99
#: Tick of the paper.
DEFAULT_TICK_S = 60.0


@dataclass(frozen=True)
class TickView:
    """The settled state of one tick, as observers see it; arrays are copies in file order.

    Attributes:
        t_s: time of the tick.
        row: the tick's row, by the names of ``ticks.parquet``.
        requested: (N, R) sums of the running tasks' requests per node.
        usage: (N, R) sums of their allocations.
        tasks: (n,) running tasks, as positions in the workload.
        nodes: (n,) their nodes, as positions in the cluster.
    """

    t_s: float
    row: dict[str, Any]
    requested: NDArray[np.float64]
    usage: NDArray[np.float64]
    tasks: NDArray[np.int64]
    nodes: NDArray[np.int64]


Observer = Callable[[TickView], None]
Progress = Callable[[Row], None]


def simulate(
    workload: Workload,
    cluster: Cluster | None = None,
    policy: Policy | str | None = None,
    *,
    tick_s: float | None = None,
    horizon_s: float | None = None,
    seed: int = 0,
    contention: Contention = "share",
    demand_scale: float = 1.0,
    observers: Sequence[Observer] = (),
    progress: Progress | None = None,
) -> Run:
    """Run one policy over a workload.

    Args:
        workload: the tasks.
        cluster: the nodes; the workload's own if not given.
        policy: the policy, or the name of one with its defaults; FlexF if not given.
        tick_s: length of a tick; what the workload's file asks for, else 60 s.
        horizon_s: rows end before this time; what the workload's file asks for, else None.
        seed: of every draw, >= 0.
        contention: see :class:`Settings`.
        demand_scale: factor on every usage series.
        observers: called once per tick with the settled state; costs copies per tick.
        progress: called once per tick with the bare row; may raise to stop the run.

    Raises:
        SettingError: no cluster, other resources than the workload's, or a setting is out
            of range.
    """
    cluster = workload.nodes if cluster is None else cluster
    if cluster is None:
        raise SettingError(
            f"expected a cluster, and workload {workload.name} brings no nodes of its own",
            remedy="pass cluster=Cluster.uniform(N), or --nodes N on the command line",
        )
    if not isinstance(policy, Policy):
        policy = make_policy(policy or FlexF.name)
    settings = Settings(
        tick_s=tick_s if tick_s is not None else workload.tick_s or DEFAULT_TICK_S,
        horizon_s=horizon_s if horizon_s is not None else workload.horizon_s,
        seed=seed,
        contention=contention,
        demand_scale=demand_scale,
    )
    began = perf_counter()
    simulation = Simulation(workload, cluster, policy, settings)
    recorder = Recorder(workload.resources)

    def on_row(row: Row) -> None:
        recorder(row)
        if progress is not None:
            progress(row)
        if observers:
            view = _view(simulation, row)
            for observer in observers:
                observer(view)

    simulation.rows(on_row)
    ticks = recorder.table()
    target_qos = float(getattr(policy, "target_qos", DEFAULT_TARGET_QOS))
    summary = summarise_run(
        simulation, ticks, sum(row.violated for row in recorder.rows), target_qos
    )
    tasks, nodes = task_table(simulation), node_table(simulation)
    info = _info(simulation)
    total = perf_counter() - began
    summary["wall_s"] = {
        "total": total,
        **simulation.seconds,
        "other": total - sum(simulation.seconds.values()),
    }
    usage = process_resource.getrusage(process_resource.RUSAGE_SELF)
    summary["peak_rss_bytes"] = usage.ru_maxrss * 1024
    return Run(policy.label(), ticks, tasks, nodes, summary, info)


def _view(simulation: Simulation, row: Row) -> TickView:
    totals, running = simulation.state.totals, simulation.state.running
    file_row = np.empty_like(simulation.order)
    file_row[simulation.order] = np.arange(len(simulation.order))
    used = running.node[: simulation.state.counters[Count.SLOTS]]
    live = used != NONE
    return TickView(
        t_s=row.t_s,
        row=row_document(row, simulation.workload.resources),
        requested=totals.request[file_row],
        usage=totals.usage[file_row],
        tasks=running.task[: len(used)][live].astype(np.int64),
        nodes=simulation.order[used[live]],
    )


def _info(simulation: Simulation) -> dict[str, Any]:
    workload, policy, settings = simulation.workload, simulation.policy, simulation.settings
    provenance = asdict(workload.provenance)
    notes = list(simulation.notes)
    held = held_windows(simulation)
    if held:
        notes.append(
            f"in {held} windows a task ran longer than its usage series, and the last value held"
        )
    stuck = 0 if simulation.controller is None else simulation.controller.stuck_updates
    if stuck:
        notes.append(f"in {stuck} ticks a raise of the penalty was due, but came to 0")
    capacity = simulation.cluster.capacity.sum(axis=0)
    return {
        "flexsched": version("flexsched"),
        "label": policy.label(),
        "policy": policy.name,
        "title": policy.title,
        "settings": policy.effective_settings(),
        "seed": settings.seed,
        "tick_s": settings.tick_s,
        "horizon_s": settings.horizon_s,
        "contention": settings.contention,
        "demand_scale": settings.demand_scale,
        "workload": {
            "name": workload.name,
            "hash": workload.digest,
            "tasks": len(workload),
            "resources": list(workload.resources),
            **provenance,
            "offered_load": offered_load(simulation),
        },
        "cluster": {
            "nodes": len(simulation.cluster),
            **{
                _capacity_name(name): float(capacity[position])
                for position, name in enumerate(simulation.cluster.resources)
            },
        },
        "held_windows": held,
        "stuck_ticks": stuck,
        "notes": notes,
    }


def _capacity_name(resource: str) -> str:
    return {"cpu": "cpu_cores", "memory": "memory_bytes"}.get(resource, resource)
