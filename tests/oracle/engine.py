"""The tick, step by step."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from flexsched.core.cluster import Cluster
from flexsched.core.workload import Workload
from oracle import contention, output, placing
from oracle.controller import Controller
from oracle.queueing import Queue
from oracle.settings import Settings
from oracle.state import Node, Task, read_nodes, read_tasks

EVENTS = ("arrivals", "placed", "finished", "rejected", "failed", "evicted", "attempts")


@dataclass
class Outcome:
    """Rows of ticks.parquet, records of tasks.parquet, final counts, samples per node."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    samples: dict[str, list[dict[str, float]]] = field(default_factory=dict)


def simulate(workload: Workload, cluster: Cluster | None, settings: Settings) -> Outcome:
    """Run one policy; ``cluster`` None: the workload's own nodes, running tasks included."""
    return _Simulation(workload, cluster, settings).run()


class _Simulation:
    def __init__(self, workload: Workload, cluster: Cluster | None, settings: Settings) -> None:
        own = workload.nodes if cluster is None else cluster
        assert own is not None
        self.settings = settings
        self.resources = workload.resources
        self.nodes = read_nodes(own)
        self.tasks = read_tasks(workload)
        self.controller = Controller(settings)
        self.queue = Queue(settings, workload.resources, self.nodes)
        self.events = dict.fromkeys(EVENTS, 0)
        self.unseen = [
            task
            for task in self.tasks
            if settings.horizon_s is None or task.submit_s < settings.horizon_s
        ]
        self.hopeless: set[int] = set()  # failed in exactly the situation of `situation`
        self.situation: object = None
        self.outcome = Outcome(samples={node.name: [] for node in self.nodes})
        if cluster is None:
            self.put_running_tasks()

    def run(self) -> Outcome:
        horizon_s = self.settings.horizon_s
        tick = 0
        t_s = 0.0
        while horizon_s is None or tick * self.settings.tick_s < horizon_s:
            t_s = tick * self.settings.tick_s
            self.events = dict.fromkeys(EVENTS, 0)
            self.complete(t_s)
            self.depart(t_s)
            self.join(t_s)
            self.arrive(t_s)
            self.scan(t_s)
            if horizon_s is None and self.is_empty() and not self.events["arrivals"]:
                break
            qos = self.measure(t_s)
            self.outcome.rows.append(output.row(self, t_s, qos))
            output.sample_nodes(self)
            self.controller.update(qos)
            self.note_situation()
            if horizon_s is None and self.is_stuck(t_s, qos):
                break
            tick += 1
        self.close(t_s if horizon_s is None else horizon_s)
        return self.outcome

    # --- the steps of a tick -------------------------------------------------------------

    def put_running_tasks(self) -> None:
        for task in self.tasks:
            if task.start_node >= 0:
                node = self.nodes[task.start_node]
                if node.from_s <= 0 < node.until_s:  # else it is queued at t = 0
                    self.bind(task, node, task.submit_s)

    def complete(self, t_s: float) -> None:
        for node in self.nodes:
            for task in list(node.tasks):
                if task.end_s is not None and task.end_s <= t_s:
                    node.tasks.remove(task)
                    self.finish(task)

    def depart(self, t_s: float) -> None:
        for node in self.nodes:
            if node.present and t_s >= node.until_s:
                node.present = False
                for task in node.tasks:
                    self.displace(task, t_s)
                node.tasks = []

    def join(self, t_s: float) -> None:
        for node in self.nodes:
            if node.from_s <= t_s < node.until_s:
                node.present = True

    def arrive(self, t_s: float) -> None:
        for task in list(self.unseen):
            if task.submit_s > t_s:
                continue
            self.unseen.remove(task)
            self.events["arrivals"] += 1
            if task.state in ("running", "finished") or task.displaced:
                continue  # it was there at the start
            if placing.is_too_large(task, self.nodes):
                task.state, task.reason = "rejected", "too_large"
                self.events["rejected"] += 1
            else:
                task.state = "pending"
                # A start node that was replaced: queued at t = 0, whatever its submission.
                task.pending_since_s = max(task.submit_s, 0.0)
                self.queue.pending.append(task)

    def scan(self, t_s: float) -> None:
        self.note_situation()
        trying = self.queue.next_scan(t_s)
        for task in trying:
            task.attempts += 1
            self.events["attempts"] += 1
            target = placing.choose(task, self.nodes, self.controller.penalty, self.settings)
            if isinstance(target, Node):
                self.queue.pending.remove(task)
                self.place(task, target, t_s)
                # A bind only adds load: whoever failed in this tick would fail again.
                self.situation = self.seen_by_a_scan()
            else:
                self.fail(task, target, t_s)
            self.queue.note_try(task)
        self.queue.end_scan(trying)

    def measure(self, t_s: float) -> float:
        running = satisfied = 0
        for node in self.nodes:
            demands = [task.demand(t_s) for task in node.tasks]
            split = [self.split(node, r, demands) for r in range(len(self.resources))]
            for k, task in enumerate(node.tasks):
                task.allocation = [split[r][k] for r in range(len(self.resources))]
                running += 1
                if contention.is_satisfied(task.request, demands[k], task.allocation):
                    satisfied += 1
                else:
                    left_s = math.inf if task.end_s is None else task.end_s - t_s
                    task.violated_s += min(self.settings.tick_s, left_s)
        return satisfied / running if running else 1.0

    # --- what happens to a task ----------------------------------------------------------

    def bind(self, task: Task, node: Node, t_s: float) -> None:
        task.state, task.node, task.start_s = "running", node.name, t_s
        task.end_s = None if math.isinf(task.duration_s) else t_s + task.duration_s
        task.allocation = None
        node.tasks.append(task)

    def place(self, task: Task, node: Node, t_s: float) -> None:
        self.bind(task, node, t_s)
        self.events["placed"] += 1
        task.wait_s += t_s - task.pending_since_s
        task.failures_in_a_row, task.next_try_s = 0, -math.inf
        if task.duration_s == 0:
            node.tasks.remove(task)
            self.finish(task)

    def finish(self, task: Task) -> None:
        task.state = "finished"
        self.events["finished"] += 1

    def fail(self, task: Task, reason: str, t_s: float) -> None:
        task.reason = reason
        self.hopeless.add(task.index)
        self.queue.note_failure(task, t_s)
        if self.settings.backoff != "fail":
            return
        self.queue.pending.remove(task)
        task.state = "evicted" if task.displaced else "failed"
        task.wait_s += t_s - task.pending_since_s
        self.events[task.state] += 1

    def displace(self, task: Task, t_s: float) -> None:
        task.state, task.displaced = "pending", True
        task.end_s = task.allocation = None
        task.pending_since_s = t_s
        self.queue.pending.append(task)

    # --- sums and the end ----------------------------------------------------------------

    def split(self, node: Node, r: int, demands: list[list[float]]) -> list[float]:
        wanted = [demand[r] for demand in demands]
        if self.settings.contention == "paper" and self.resources[r] == "memory":
            return contention.by_demand(node.capacity[r], wanted)
        return contention.share(node.capacity[r], [task.request[r] for task in node.tasks], wanted)

    def running(self) -> list[Task]:
        return [task for node in self.nodes for task in node.tasks]

    def is_empty(self) -> bool:
        return not self.running() and not self.queue.pending and not self.unseen

    def seen_by_a_scan(self) -> object:
        """Everything on which the outcome of a try depends, the task itself aside."""
        resources = range(len(self.resources))
        penalty = self.controller.penalty
        return [
            (
                node.present,
                len(node.tasks),
                [placing.load(node, r, penalty, self.settings) for r in resources],
            )
            for node in self.nodes
        ]

    def note_situation(self) -> None:
        """Forget which tasks failed as soon as a scan would see anything else than before."""
        seen = self.seen_by_a_scan()
        if seen != self.situation:
            self.situation = seen
            self.hopeless = set()

    def is_stuck(self, t_s: float, qos: float) -> bool:
        """Without a horizon: nothing can happen any more that would change a thing."""
        running = self.running()
        if self.unseen or any(task.end_s is not None for task in running):
            return False
        if not self.queue.pending:
            return True
        if any(task.index not in self.hopeless for task in self.queue.pending):
            return False
        if any(n.from_s > t_s or t_s < n.until_s < math.inf for n in self.nodes):
            return False
        if any(task.usage_will_change(t_s) for task in running):
            return False
        return not (self.settings.is_flex and self.controller.would_change(qos))

    def close(self, end_s: float) -> None:
        for node in self.nodes:
            for task in list(node.tasks):
                if task.end_s is not None and task.end_s <= end_s:
                    node.tasks.remove(task)
                    self.finish(task)
        for task in self.tasks:
            late = task.state == "unsubmitted" and task in self.unseen
            if late:
                task.state, task.pending_since_s = "pending", max(task.submit_s, 0.0)
            if task.state == "pending":
                task.wait_s += end_s - task.pending_since_s
                task.state = "evicted" if task.displaced else "pending"
                if task.attempts == 0:
                    task.reason = "horizon"
        self.outcome.records = output.records(self.tasks)
        self.outcome.counts = output.counts(self.outcome.records)
