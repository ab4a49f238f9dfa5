"""Tasks and nodes of the oracle: plain objects that hold everything known about them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from flexsched.core.cluster import Cluster
from flexsched.core.workload import Workload


@dataclass(eq=False)
class Task:
    """One task: what the input says, and what has happened to it so far."""

    index: int
    name: str
    source: str
    submit_s: float
    duration_s: float
    window_s: float
    start_node: int
    request: list[float]
    series: list[list[float]]

    state: str = "unsubmitted"
    node: str | None = None
    start_s: float | None = None
    end_s: float | None = None
    allocation: list[float] | None = None  # None: not measured since it was placed
    attempts: int = 0
    reason: str | None = None
    wait_s: float = 0.0
    pending_since_s: float = 0.0
    violated_s: float = 0.0
    displaced: bool = False
    failures_in_a_row: int = 0
    next_try_s: float = -math.inf

    def window(self, t_s: float) -> int:
        """Index into the series at a time, the last value holding past the end."""
        assert self.start_s is not None
        return min(math.floor((t_s - self.start_s) / self.window_s), len(self.series) - 1)

    def demand(self, t_s: float) -> list[float]:
        """What the task would use, per resource."""
        return self.series[self.window(t_s)] if self.series else self.request

    def usage_will_change(self, t_s: float) -> bool:
        """Whether a later value of the series differs from the current one."""
        if not self.series:
            return False
        now = self.window(t_s)
        return any(value != self.series[now] for value in self.series[now + 1 :])


@dataclass(eq=False)
class Node:
    """One node with its running tasks in the order in which they were bound."""

    index: int
    name: str
    capacity: list[float]
    from_s: float
    until_s: float
    max_tasks: int
    present: bool = False
    tasks: list[Task] = field(default_factory=list)

    def requested(self, resource: int) -> float:
        """Sum of the running tasks' requests."""
        total = 0.0
        for task in self.tasks:
            total += task.request[resource]
        return total

    def seen_load(self, resource: int, penalty: float) -> float:
        """Penalised usage of the measured tasks plus requests of those not yet measured."""
        usage = 0.0
        for task in self.tasks:
            if task.allocation is not None:
                usage += task.allocation[resource]
        load = penalty * usage
        for task in self.tasks:
            if task.allocation is None:
                load += task.request[resource]
        return load


def read_tasks(workload: Workload) -> list[Task]:
    """The workload's tasks as objects, in input order."""
    tasks = []
    for j in range(len(workload)):
        first = int(workload.usage_offset[j])
        rows = range(first, first + int(workload.usage_length[j]))
        tasks.append(
            Task(
                index=j,
                name=str(workload.task_names[j]),
                source=str(workload.source_names[int(workload.source[j])]),
                submit_s=float(workload.submit_s[j]),
                duration_s=float(workload.duration_s[j]),
                window_s=float(workload.window_s[j]),
                start_node=int(workload.start_node[j]),
                request=[float(x) for x in workload.request[j]],
                series=[[float(x) for x in workload.usage[row]] for row in rows],
            )
        )
    return tasks


def read_nodes(cluster: Cluster) -> list[Node]:
    """The cluster's nodes as objects, in file order."""
    return [
        Node(
            index=i,
            name=str(cluster.names[i]),
            capacity=[float(x) for x in cluster.capacity[i]],
            from_s=float(cluster.from_s[i]),
            until_s=float(cluster.until_s[i]),
            max_tasks=int(cluster.max_tasks[i]),
        )
        for i in range(len(cluster))
    ]
