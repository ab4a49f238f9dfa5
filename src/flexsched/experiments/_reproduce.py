"""The paper's main experiment (section 5, figures 6 to 9) on the built-in workload."""

from __future__ import annotations

from flexsched.core.cluster import Cluster
from flexsched.core.policies import FlexF, FlexL, LeastFit, Oversub
from flexsched.experiments._compare import RunEnd, RunProgress, compare
from flexsched.experiments.comparison import Comparison
from flexsched.traces.synthetic import paper_nodes, synthesize


def reproduce(
    *,
    nodes: int | None = None,
    tasks: int = 714_030,
    hours: float = 24.0,
    seed: int = 0,
    jobs: int | None = None,
    progress: RunProgress | None = None,
    on_end: RunEnd | None = None,
) -> Comparison:
    """Compare the paper's four policies on the synthetic workload.

    Args:
        nodes: number of the paper's nodes (64 cores, 128 GiB); by default as many as give
            the paper's load per node, which is 4000 for 714,030 tasks in 24 h.
        tasks: number of tasks, >= 1.
        hours: span of the arrivals and of the simulation, > 0.
        seed: of the workload and of every draw, >= 0.
        jobs: runs at a time, >= 1; as many as there are cores if not given.
        progress: called once per tick of each run; what it raises ends all runs.
        on_end: called with each run as it ends; what it raises ends all runs.

    Raises:
        SettingError: a value is out of range.
        OutputError: the usage series do not fit into the folder for temporary files.
    """
    count = paper_nodes(tasks, hours) if nodes is None else nodes
    workload = synthesize(tasks=tasks, hours=hours, seed=seed, nodes=count)
    return compare(
        workload,
        [LeastFit(), Oversub(), FlexF(), FlexL()],
        cluster=Cluster.uniform(count),
        seed=seed,
        jobs=jobs,
        progress=progress,
        on_end=on_end,
    )
