"""What it costs to try a standing queue once more: by its length, and by the number of nodes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from benchmarks.figures import Figure
from benchmarks.processes import run_module

if TYPE_CHECKING:
    from flexsched import Workload

_SHORT, _LONG = 100_000, 1_000_000
_FEW, _MANY = 4000, 40_000
_TICKS = 10


def figures() -> Iterator[Figure]:
    """Requests that repeat, as in traces, and requests of which no two are equal."""
    found, _ = run_module("retries")
    for kind in ("repeated", "all different"):
        short_s, long_s, wide_s = (found[kind][size] for size in ("short", "long", "wide"))
        note = (
            f"{1e3 * short_s:.2f} ms a tick for {_SHORT} pending, {1e3 * long_s:.2f} for {_LONG}, "
            f"on {_FEW} nodes"
        )
        yield Figure(f"queue ten times as long, {kind} requests", long_s / short_s, 12.0, "x", note)
        note = f"{1e3 * wide_s:.2f} ms a tick for {_SHORT} pending on {_MANY} nodes"
        yield Figure(f"ten times the nodes, {kind} requests", wide_s / short_s, 3.0, "x", note)


def main() -> dict[str, Any]:
    """In the child: seconds of placement per tick, the least of three runs."""
    sizes = {"short": (_SHORT, _FEW), "long": (_LONG, _FEW), "wide": (_SHORT, _MANY)}
    return {
        kind: {
            size: min(_placement_s(pending, nodes, kind == "repeated") for _ in range(3))
            for size, (pending, nodes) in sizes.items()
        }
        for kind in ("repeated", "all different")
    }


def _placement_s(pending: int, nodes: int, repeated: bool) -> float:
    import flexsched as fs  # noqa: PLC0415

    run = fs.simulate(
        _full_cluster(pending, nodes, repeated),
        fs.Cluster.uniform(nodes, cpu_cores=1.0, memory_bytes=1.0),
        fs.FlexF(controller="none"),
        tick_s=60.0,
        horizon_s=60.0 * _TICKS,
    )
    assert run.ticks["pending"].to_pylist() == [pending] * _TICKS
    return float(run.summary["wall_s"]["placement"]) / _TICKS


def _full_cluster(pending: int, nodes: int, repeated: bool) -> Workload:
    """An endless task on each node leaves a tenth of it; nothing that waits fits there."""
    import numpy as np  # noqa: PLC0415

    import flexsched as fs  # noqa: PLC0415

    generator = np.random.default_rng(0)
    asked = generator.uniform(0.1, 1.0, (400 if repeated else pending, 2))
    asked[:, 0] += 0.001
    waiting = asked[generator.integers(0, len(asked), pending)] if repeated else asked
    request = np.concatenate((np.full((nodes, 2), 0.9), waiting))
    count = len(request)
    return fs.Workload(
        name="full cluster",
        resources=("cpu", "memory"),
        task_names=[f"t{task}" for task in range(count)],
        source=generator.integers(0, 1000, count),
        source_names=[f"s{source}" for source in range(1000)],
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
