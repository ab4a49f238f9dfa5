"""Policies at paper size within one process: alone, with a standing queue, side by side."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from benchmarks.figures import Figure
from benchmarks.processes import run_module

if TYPE_CHECKING:
    from flexsched import Policy, Workload

_LEAST_QUEUE = 100_000


def figures(tasks: int | None = None) -> Iterator[Figure]:
    """From one child process that makes the workload once."""
    found, measured = run_module("paper_size", tasks=tasks)
    alone, queued = found["alone"], found["queued"]
    yield Figure("a single policy", _slowest_s(alone), 10.0, "s", _each(alone))
    shortest = min(one["longest_queue"] for one in queued)
    longest = f"longest queues: {shortest} tasks and more"
    if shortest < _LEAST_QUEUE:
        longest += f", LESS THAN {_LEAST_QUEUE}"
    name = "a single policy, standing queue"
    yield Figure(name, _slowest_s(queued), 10.0, "s", f"{_each(queued)}; {longest}")
    alone_s, together_s = found["one_at_a_time_s"], found["side_by_side_s"]
    note = f"{together_s:.1f} s in {found['jobs']} threads, {alone_s:.1f} s in one"
    yield Figure("policies side by side over one at a time", together_s / alone_s, 0.65, "x", note)
    note = "one copy of the workload for all runs"
    yield Figure("peak of that process", measured.peak_bytes / 2**30, 3.0, "GiB", note)


def _slowest_s(runs: list[dict[str, Any]]) -> float:
    return max(float(one["wall_s"]) for one in runs)


def _each(runs: list[dict[str, Any]]) -> str:
    return ", ".join(
        f"{one['policy']} {one['wall_s']:.1f} ({one['cpu_s']:.1f} s of CPU)" for one in runs
    )


def main(tasks: int | None) -> dict[str, Any]:
    """In the child: everything timed is compiled before, by runs over a small workload."""
    import flexsched as fs  # noqa: PLC0415

    policies = [fs.LeastFit(), fs.Oversub(), fs.FlexF(), fs.FlexL()]
    fs.compare(fs.synthesize(tasks=2000), policies, cluster=fs.Cluster.uniform(12))
    workload = fs.synthesize(tasks=tasks)
    nodes = round(4000 * len(workload) / 714_030)
    _ = workload.digest, workload.request_kind
    alone = [_time(workload, policy, nodes) for policy in policies]
    queued = [_time(workload, policy, nodes * 3 // 4, demand_scale=1.5) for policy in policies]
    began = perf_counter()
    jobs = min(2, os.cpu_count() or 1)
    fs.compare(workload, policies, cluster=fs.Cluster.uniform(nodes), jobs=jobs)
    return {
        "alone": alone,
        "queued": queued,
        "jobs": jobs,
        "one_at_a_time_s": sum(one["wall_s"] for one in alone),
        "side_by_side_s": perf_counter() - began,
    }


def _time(
    workload: Workload, policy: Policy, nodes: int, demand_scale: float = 1.0
) -> dict[str, Any]:
    import flexsched as fs  # noqa: PLC0415

    began, cpu_began = perf_counter(), process_time()
    run = fs.simulate(workload, fs.Cluster.uniform(nodes), policy, demand_scale=demand_scale)
    return {
        "policy": policy.name,
        "wall_s": perf_counter() - began,
        "cpu_s": process_time() - cpu_began,
        "phases_s": run.summary["wall_s"],
        "longest_queue": max(run.ticks["pending"].to_pylist()),
    }


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.argv[1]))))
