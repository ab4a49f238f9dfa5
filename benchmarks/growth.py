"""Ten times the nodes and tasks; minutes long and gigabytes large, so only on demand."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from time import perf_counter
from typing import Any

from benchmarks.figures import Figure
from benchmarks.processes import run_module

_TASKS, _NODES, _TIMES = 714_030, 4000, 10


def figures(tasks: int | None = None) -> Iterator[Figure]:
    """One policy at both sizes, each in a process of its own."""
    small = _TASKS if tasks is None else tasks
    once, one = run_module("growth", tasks=small)
    more, ten = run_module("growth", tasks=_TIMES * small)
    for phase in ("making the workload", "simulating"):
        yield Figure(
            f"ten times the size: {phase}",
            more[phase] / once[phase],
            12.0,
            "x",
            f"{once[phase]:.1f} s, then {more[phase]:.1f} s",
        )
    gib = ten.peak_bytes / 2**30
    yield Figure(
        "ten times the size: memory",
        ten.peak_bytes / one.peak_bytes,
        12.0,
        "x",
        f"{one.peak_bytes / 2**30:.2f} GiB, then {gib:.2f} GiB",
    )
    yield Figure("ten times the size: peak memory", gib, 20.0, "GiB")


def main(tasks: int) -> dict[str, Any]:
    """In the child: FlexF at the paper's load per node."""
    import flexsched as fs  # noqa: PLC0415

    fs.simulate(fs.synthesize(tasks=2000), fs.Cluster.uniform(12), fs.FlexF())
    began = perf_counter()
    workload = fs.synthesize(tasks=tasks)
    made_s = perf_counter() - began
    cluster = fs.Cluster.uniform(round(_NODES * tasks / _TASKS))
    began = perf_counter()
    fs.simulate(workload, cluster, fs.FlexF())
    return {"making the workload": made_s, "simulating": perf_counter() - began}


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.argv[1]))))
