"""Random small scenarios: everything that the rules treat specially turns up often."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from flexsched.core.cluster import NO_TASK_LIMIT, Cluster
from flexsched.core.workload import Provenance, Workload
from oracle import Settings

NAMES = ("cpu", "memory", "gpu")


@dataclass(frozen=True)
class NodeSpec:
    """One node of a scenario."""

    name: str
    capacity: tuple[float, ...]
    from_s: float = 0.0
    until_s: float = math.inf
    max_tasks: int | None = None


@dataclass(frozen=True)
class TaskSpec:
    """One task of a scenario; ``usage`` empty: usage = request."""

    source: str
    submit_s: float
    duration_s: float
    request: tuple[float, ...]
    usage: tuple[tuple[float, ...], ...] = ()
    window_s: float = 300.0
    running_on: int = -1


@dataclass(frozen=True)
class Scenario:
    """Nodes and tasks, printed by hypothesis in a form that can be pasted into a test."""

    resources: tuple[str, ...]
    nodes: tuple[NodeSpec, ...]
    tasks: tuple[TaskSpec, ...]
    usage_type: str = "float64"

    def workload(self, scale: float = 1.0) -> Workload:
        """The scenario as the product's input; ``scale`` multiplies every amount."""
        width = len(self.resources)
        sources = sorted({task.source for task in self.tasks})
        lengths = np.array([len(task.usage) for task in self.tasks], np.int64)
        rows = [row for task in self.tasks for row in task.usage]
        count = len(self.tasks)
        return Workload(
            name="scenario",
            resources=self.resources,
            task_names=[f"t{j}" for j in range(count)],
            source=np.array([sources.index(task.source) for task in self.tasks], np.int64),
            source_names=sources,
            priority=np.zeros(count, np.int16),
            task_class=np.zeros(count, np.int8),
            class_names=("all",),
            submit_s=np.array([task.submit_s for task in self.tasks], np.float64),
            duration_s=np.array([task.duration_s for task in self.tasks], np.float64),
            start_node=np.array([task.running_on for task in self.tasks], np.int32),
            trace_task=np.arange(count, dtype=np.int64),
            request=scale
            * np.array([task.request for task in self.tasks], np.float64).reshape(count, width),
            usage=(scale * np.array(rows, np.float64).reshape(len(rows), width)).astype(
                self.usage_type
            ),
            usage_offset=np.cumsum(lengths) - lengths,
            usage_length=lengths,
            window_s=np.array([task.window_s for task in self.tasks], np.float64),
            nodes=self.cluster(scale),
            provenance=Provenance(source="random scenario", usage_kind="synthetic"),
        )

    def cluster(self, scale: float = 1.0) -> Cluster:
        """The scenario's nodes."""
        limits = [NO_TASK_LIMIT if n.max_tasks is None else n.max_tasks for n in self.nodes]
        return Cluster.from_arrays(
            scale
            * np.array([n.capacity for n in self.nodes], np.float64).reshape(
                len(self.nodes), len(self.resources)
            ),
            names=[node.name for node in self.nodes],
            resources=self.resources,
            from_s=np.array([node.from_s for node in self.nodes], np.float64),
            until_s=np.array([node.until_s for node in self.nodes], np.float64),
            max_tasks=np.array(limits, np.int64),
        )


def amounts(top: int, dyadic: bool) -> st.SearchStrategy[float]:
    """0 to ``top`` in quarters (sums are exact), or in tenths (they are not)."""
    steps = 4 if dyadic else 10
    return st.integers(0, top * steps).map(lambda k: k / steps)


@st.composite
def scenarios(
    draw: st.DrawFn,
    *,
    dyadic: bool = True,
    running_on: bool = True,
    life_spans: bool = True,
    max_nodes: int = 6,
    max_tasks: int = 25,
) -> Scenario:
    """Clusters of 1 to 6 nodes and up to 25 tasks, small enough to read when they fail."""
    resources = draw(st.sampled_from([("memory",), ("cpu", "memory"), NAMES]))
    nodes = draw(
        st.lists(node_specs(len(resources), dyadic, life_spans), min_size=1, max_size=max_nodes)
    )
    # Names whose lexical order is not the order of the file.
    order = draw(st.permutations(range(len(nodes))))
    named = tuple(
        NodeSpec(f"n{k}", n.capacity, n.from_s, n.until_s, n.max_tasks)
        for k, n in zip(order, nodes, strict=True)
    )
    hosts = range(len(named)) if running_on else ()
    count = draw(st.integers(1, max_tasks))
    tasks = draw(
        st.lists(task_specs(len(resources), dyadic, tuple(hosts)), min_size=count, max_size=count)
    )
    usage_type = draw(st.sampled_from(["float64", "float32"]))
    return Scenario(resources, named, tuple(tasks), usage_type)


@st.composite
def node_specs(draw: st.DrawFn, width: int, dyadic: bool, life_spans: bool) -> NodeSpec:
    """A node, sometimes without some resource, sometimes with a life span or a task limit."""
    capacity = draw(st.tuples(*[st.one_of(amounts(6, dyadic), st.just(4.0))] * width))
    from_s, until_s = 0.0, math.inf
    if life_spans:
        from_s = draw(st.sampled_from([0.0] * 5 + [45.0, 120.0]))
        until_s = from_s + draw(st.sampled_from([math.inf] * 5 + [30.0, 180.0, 240.0]))
    limit = draw(st.sampled_from([None] * 5 + [0, 1, 2, 4]))
    return NodeSpec("", capacity, from_s, until_s, limit)


@st.composite
def task_specs(draw: st.DrawFn, width: int, dyadic: bool, hosts: tuple[int, ...]) -> TaskSpec:
    """A task: zero-length, endless, already running, without requests, bursting, as it comes."""
    values = st.tuples(*[amounts(3, dyadic)] * width)
    running_on = -1
    submit_s = draw(st.sampled_from([0.0, 0.0, 10.0, 60.0, 75.0, 120.0, 240.0]))
    if hosts and draw(st.integers(0, 4)) == 0:
        running_on = draw(st.sampled_from(hosts))
        submit_s = draw(st.sampled_from([0.0, -15.0, -60.0, -100.0]))
    return TaskSpec(
        source=draw(st.sampled_from("ABC")),
        submit_s=submit_s,
        duration_s=draw(st.sampled_from([0.0, 15.0, 60.0, 90.0, 120.0, 200.0, 600.0, math.inf])),
        request=draw(values),
        usage=tuple(draw(st.lists(values, max_size=4))),
        window_s=draw(st.sampled_from([30.0, 60.0, 100.0])),
        running_on=running_on,
    )


@st.composite
def settings(draw: st.DrawFn, policy: str, resources: tuple[str, ...] = NAMES) -> Settings:
    """Settings of one policy, defaults as often as not."""
    chosen: dict[str, object] = {
        "tick_s": draw(st.sampled_from([60.0, 60.0, 30.0, 45.0])),
        "horizon_s": draw(st.sampled_from([None, None, 300.0, 400.0])),
    }
    # Rounds and back-off together are a test of their own.
    match draw(st.sampled_from(["plain", "limit", "backoff"])):
        case "limit":
            chosen["attempts_per_tick"] = draw(st.sampled_from([1, 2, 5]))
        case "backoff":
            chosen["backoff"] = draw(st.sampled_from(["kubernetes", "fail"]))
    if policy != "first-fit":
        chosen["tie"] = draw(st.sampled_from(["first", "last-lexical"]))
    if policy == "oversub":
        chosen["factor"] = draw(st.sampled_from([2.0, 1.5, 3.0]))
    if policy in ("flex-f", "flex-l"):
        chosen |= draw(flex_settings())
    if policy == "flex-l":
        chosen["order"] = draw(st.sampled_from(["memory", "dominant"]))
    return Settings(policy, **chosen)  # type: ignore[arg-type]


@st.composite
def flex_settings(draw: st.DrawFn) -> dict[str, object]:
    """What only the Flex policies take."""
    controller = draw(st.sampled_from(["flex", "flex", "paper", "fixed", "none"]))
    lowest = 1.0 if controller == "paper" else draw(st.sampled_from([1.1, 1.25]))
    return {
        "controller": controller,
        "penalty_min": lowest,
        "penalty_start": draw(st.sampled_from([1.5, 2.0])),
        "penalty_max": draw(st.sampled_from([3.0, 2.0])),
        "alpha": draw(st.sampled_from([0.99, 0.9, 0.5])),
        "beta": draw(st.sampled_from([1.0, 0.5])),
        "target_qos": draw(st.sampled_from([0.99, 0.8])),
        "same_source_weight": draw(st.sampled_from([0.01, 0.0, 0.25])),
    }
