"""What it costs to try a standing queue once more: by its length, and by the number of nodes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from benchmarks.figures import Figure
from benchmarks.processes import run_module

if TYPE_CHECKING:
    from flexsched import Workload
    from flexsched.simulator import Row

_SHORT, _LONG = 100_000, 1_000_000
_FEW, _MANY = 4000, 40_000
_TICKS = 4
#: The paper's workload has about this many distinct requests.
_DISTINCT = 400
#: Running at a time; the searches under Flex depend on it.
_TASKS_OF_A_SOURCE = 4
_KINDS = ("repeated", "different", "incomparable")


def figures() -> Iterator[Figure]:
    """Requests that repeat, as in traces; all different; and of which none covers another."""
    found, _ = run_module("retries")
    for kind in _KINDS:
        short_s, long_s, wide_s = (found[kind][size] for size in ("short", "long", "wide"))
        note = (
            f"{1e3 * short_s:.2f} ms a tick for {_SHORT} pending, {1e3 * long_s:.2f} for {_LONG}, "
            f"on {_FEW} nodes"
        )
        yield Figure(f"queue ten times as long, {kind} requests", long_s / short_s, 12.0, "x", note)
        note = f"{1e3 * wide_s:.2f} ms a tick for {_SHORT} pending on {_MANY} nodes"
        yield Figure(f"ten times the nodes, {kind} requests", wide_s / short_s, 4.0, "x", note)


def main() -> dict[str, Any]:
    """In the child: seconds of placement per tick."""
    sizes = {"short": (_SHORT, _FEW), "long": (_LONG, _FEW), "wide": (_SHORT, _MANY)}
    return {
        kind: {size: _retry_s(*numbers, kind) for size, numbers in sizes.items()} for kind in _KINDS
    }


def _retry_s(pending: int, nodes: int, kind: str) -> float:
    """The least of the ticks after the first, in which the cluster fills up."""
    import flexsched as fs  # noqa: PLC0415
    from flexsched.simulator import Simulation  # noqa: PLC0415

    simulation = Simulation(
        _full_cluster(pending, nodes, kind),
        fs.Cluster.uniform(nodes, cpu_cores=1.0, memory_bytes=1.0),
        fs.FlexF(controller="none"),
        fs.Settings(horizon_s=60.0 * _TICKS),
    )
    so_far: list[float] = []

    def note(row: Row) -> None:
        assert row.pending == pending
        so_far.append(simulation.seconds["placement"])

    simulation.rows(note)
    return min(after - before for before, after in pairwise(so_far))


def _full_cluster(pending: int, nodes: int, kind: str) -> Workload:
    """An endless task on each node leaves a tenth of it; nothing that waits fits there."""
    import numpy as np  # noqa: PLC0415

    import flexsched as fs  # noqa: PLC0415

    generator = np.random.default_rng(0)
    waiting = generator.uniform(0.101, 1.0, (pending, 2))
    if kind == "repeated":
        waiting = waiting[generator.integers(0, _DISTINCT, pending)]
    elif kind == "incomparable":
        waiting[:, 1] = 1.101 - waiting[:, 0]
    request = np.concatenate((np.full((nodes, 2), 0.9), waiting))
    count, sources = len(request), nodes // _TASKS_OF_A_SOURCE
    return fs.Workload(
        name="full cluster",
        resources=("cpu", "memory"),
        task_names=[f"t{task}" for task in range(count)],
        source=np.arange(count) % sources,
        source_names=[f"s{source}" for source in range(sources)],
        priority=np.zeros(count, np.int16),
        task_class=np.zeros(count, np.int8),
        class_names=("all",),
        submit_s=np.zeros(count),
        duration_s=np.full(count, np.inf),
        start_node=np.full(count, -1, np.int32),
        trace_task=np.arange(count),
        request=request,
        usage=np.zeros((0, 2)),
        usage_offset=np.zeros(count, np.int64),
        usage_length=np.zeros(count, np.int64),
        window_s=np.full(count, 300.0),
        nodes=None,
        provenance=fs.Provenance(source="benchmark", usage_kind="request"),
    )


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.argv[1]))))
