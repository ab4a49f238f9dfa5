"""Policies side by side on one workload."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from flexsched.core.cluster import Cluster
from flexsched.core.errors import SettingError
from flexsched.core.policies import Policy
from flexsched.core.workload import Workload
from flexsched.experiments.comparison import Comparison
from flexsched.experiments.side_by_side import Stop, side_by_side
from flexsched.simulator import Contention, Row, Run, check_policies, simulate

#: Called with a policy's label and each of its rows, from the thread of its run.
RunProgress = Callable[[str, Row], None]
#: Called with each run as it ends, from its thread.
RunEnd = Callable[[Run], None]


def compare(
    workload: Workload,
    policies: Sequence[Policy],
    *,
    cluster: Cluster | None = None,
    tick_s: float | None = None,
    horizon_s: float | None = None,
    seed: int = 0,
    contention: Contention = "share",
    demand_scale: float = 1.0,
    jobs: int | None = None,
    progress: RunProgress | None = None,
    on_end: RunEnd | None = None,
) -> Comparison:
    """Run policies over one workload, side by side in threads that share it.

    Results do not depend on ``jobs`` or on the order in which runs end.

    Args:
        workload: the tasks.
        policies: at least one, with distinct labels.
        cluster: the nodes; the workload's own if not given.
        tick_s: length of a tick; what the workload's file asks for, else 60 s.
        horizon_s: rows end before this time; what the workload's file asks for, else None.
        seed: of every draw, >= 0; each run starts from it.
        contention: see :class:`flexsched.Settings`.
        demand_scale: factor on every usage series.
        jobs: runs at a time, >= 1; as many as there are cores if not given.
        progress: called once per tick of each run; what it raises ends all runs.
        on_end: called with each run as it ends; what it raises ends all runs.

    Raises:
        SettingError: no policy or one twice, no cluster, or a setting is out of range.
    """
    if not policies:
        raise SettingError("expected at least one policy, got none")
    if jobs is not None and jobs < 1:
        raise SettingError(f"jobs: expected a number >= 1, got {jobs}")
    check_policies(policies)

    def piece(policy: Policy) -> Callable[[Stop], Run]:
        label = policy.label()

        def run(stop: Stop) -> Run:
            def on_row(row: Row) -> None:
                stop.check()
                if progress is not None:
                    progress(label, row)

            done = simulate(
                workload,
                cluster,
                policy,
                tick_s=tick_s,
                horizon_s=horizon_s,
                seed=seed,
                contention=contention,
                demand_scale=demand_scale,
                progress=on_row,
            )
            if on_end is not None:
                on_end(done)
            return done

        return run

    _share(workload)
    runs = side_by_side([piece(policy) for policy in policies], jobs or os.cpu_count() or 1)
    return Comparison(tuple(runs))


def _share(workload: Workload) -> None:
    """Compute what all runs ask the workload for once, instead of once per thread."""
    _ = workload.request_kind, workload.digest
