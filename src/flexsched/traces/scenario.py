"""Scenario files: a whole experiment small enough to mail, in YAML or JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexsched.core.cluster import STANDARD_RESOURCES, Cluster
from flexsched.core.suggest import suggestion
from flexsched.core.workload import Provenance, UsageKind, Workload
from flexsched.traces._marks import Marked, read_marked
from flexsched.traces._scenario_entries import (
    MAX_COUNT,
    NodeEntry,
    TaskEntry,
    read_node_entry,
    read_task_entry,
)

DEFAULT_TICK_S = 60.0
_TOP_KEYS = ("tick", "horizon", "defaults", "nodes", "tasks")
_DEFAULT_KEYS = ("duration",)
#: The format has no classes of tasks.
_CLASS_NAMES = ("unclassified",)


def read_scenario(path: Path) -> Workload:
    """Read a scenario file; every value is kept as written (usage in float64).

    A task without a duration takes the file's default, and without one of those it
    is endless. A resource that a node or a request does not name is 0 there; one that
    a task's ``usage`` does not name is used as requested. Series of one task that
    differ in length are filled with their last value, and the filled values counted.

    Args:
        path: a ``.yaml``, ``.yml`` or ``.json`` file.

    Returns:
        The workload, its nodes (None if the file has none), tick and horizon.

    Raises:
        InputError: the file breaks a rule of the format; names file, line and key.
    """
    top = read_marked(path)
    keys = top.mapping(_TOP_KEYS)
    if "tasks" not in keys:
        raise top.error("expected the key tasks", remedy="tasks: [] is a scenario without tasks")
    tick_s = _positive_s(keys["tick"]) if "tick" in keys else DEFAULT_TICK_S
    horizon_s = _positive_s(keys["horizon"]) if "horizon" in keys else None
    defaults = keys["defaults"].mapping(_DEFAULT_KEYS) if "defaults" in keys else {}
    default_duration_s = defaults["duration"].duration_s() if defaults else np.inf
    tasks = [read_task_entry(item, default_duration_s) for item in keys["tasks"].items()]
    if "nodes" not in keys:
        return _workload(path, tasks, _resources([], tasks), None, tick_s, horizon_s)
    node_entries = [read_node_entry(item) for item in keys["nodes"].items()]
    resources = _resources(node_entries, tasks)
    nodes = _cluster(keys["nodes"], node_entries, resources)
    return _workload(path, tasks, resources, nodes, tick_s, horizon_s)


def read_nodes(path: Path) -> Cluster:
    """Read only the nodes of a scenario file, which may be all that it holds.

    Raises:
        InputError: the file names no node or breaks a rule of the format.
    """
    top = read_marked(path)
    keys = top.mapping(_TOP_KEYS)
    if "nodes" not in keys:
        raise top.error("expected the key nodes", remedy="or give their number with --nodes")
    entries = [read_node_entry(item) for item in keys["nodes"].items()]
    return _cluster(keys["nodes"], entries, _resources(entries, ()))


def _workload(
    path: Path,
    entries: Sequence[TaskEntry],
    resources: tuple[str, ...],
    nodes: Cluster | None,
    tick_s: float,
    horizon_s: float | None,
) -> Workload:
    usage, lengths, held = _usage_rows(entries, resources)
    counts = _counts(entries)
    sources = {name: i for i, name in enumerate(dict.fromkeys(entry.source for entry in entries))}
    tasks = int(counts.sum())

    def spread(values: Iterable[float], dtype: type[np.generic]) -> NDArray[Any]:
        return np.repeat(np.array(list(values), dtype), counts)

    return Workload(
        name=path.stem,
        resources=resources,
        task_names=_expanded_names(entries, "task"),
        source=spread((sources[entry.source] for entry in entries), np.int64),
        source_names=tuple(sources),
        priority=spread((entry.priority for entry in entries), np.int16),
        task_class=np.zeros(tasks, np.int8),
        class_names=_CLASS_NAMES,
        submit_s=spread((entry.submit_s for entry in entries), np.float64),
        duration_s=spread((entry.duration_s for entry in entries), np.float64),
        start_node=spread(_start_nodes(entries, nodes), np.int32),
        trace_task=np.arange(tasks, dtype=np.int64),
        request=np.repeat(_matrix([entry.request for entry in entries], resources), counts, axis=0),
        usage=usage,
        usage_offset=np.repeat(np.cumsum(lengths) - lengths, counts),
        usage_length=np.repeat(lengths, counts),
        window_s=spread((entry.window_s for entry in entries), np.float64),
        nodes=nodes,
        provenance=_provenance(path, entries, nodes, resources, held),
        tick_s=tick_s,
        horizon_s=horizon_s,
    )


def _positive_s(value: Marked) -> float:
    seconds = value.duration_s()
    if seconds == 0:
        raise value.error("expected a duration > 0, got 0")
    return seconds


def _resources(nodes: Iterable[NodeEntry], tasks: Iterable[TaskEntry]) -> tuple[str, ...]:
    """CPU and memory first, then the others in the order of the file."""
    named = dict.fromkeys(STANDARD_RESOURCES)
    for node in nodes:
        named.update(dict.fromkeys(node.capacity))
    for task in tasks:
        named.update(dict.fromkeys([*task.request, *task.usage]))
    return tuple(named)


def _matrix(rows: Sequence[dict[str, float]], resources: tuple[str, ...]) -> NDArray[np.float64]:
    values = [[row.get(resource, 0.0) for resource in resources] for row in rows]
    return np.array(values, np.float64).reshape(len(rows), len(resources))


def _expanded_names(entries: Sequence[NodeEntry] | Sequence[TaskEntry], what: str) -> list[str]:
    """NAME, or NAME-0 to NAME-(n-1) where a count is given; each one once."""
    names: list[str] = []
    seen: dict[str, int] = {}
    for entry in entries:
        if len(names) + (entry.count or 1) > MAX_COUNT:
            raise entry.mark.error(f"expected at most {MAX_COUNT} {what}s in all")
        new = (
            [entry.name]
            if entry.count is None
            else [f"{entry.name}-{i}" for i in range(entry.count)]
        )
        for name in new:
            if name in seen:
                raise entry.mark.error(
                    f"expected distinct {what} names, got {name!r} again, "
                    f"first in line {seen[name]}"
                )
            seen[name] = entry.mark.line
        names += new
    return names


def _counts(entries: Sequence[NodeEntry] | Sequence[TaskEntry]) -> NDArray[np.int64]:
    return np.array([1 if entry.count is None else entry.count for entry in entries], np.int64)


def _cluster(mark: Marked, entries: Sequence[NodeEntry], resources: tuple[str, ...]) -> Cluster:
    counts = _counts(entries)
    if not counts.sum():
        raise mark.error(
            "expected at least one node", remedy="leave nodes out to choose them later"
        )
    return Cluster.from_arrays(
        np.repeat(_matrix([entry.capacity for entry in entries], resources), counts, axis=0),
        names=_expanded_names(entries, "node"),
        resources=resources,
        from_s=np.repeat(np.array([entry.from_s for entry in entries], np.float64), counts),
        until_s=np.repeat(np.array([entry.until_s for entry in entries], np.float64), counts),
        max_tasks=np.repeat(np.array([entry.max_tasks for entry in entries], np.int64), counts),
    )


def _usage_rows(
    entries: Sequence[TaskEntry], resources: tuple[str, ...]
) -> tuple[NDArray[np.float64], NDArray[np.int64], int]:
    """Stack the series of all entries; the tasks of one entry share their rows.

    Returns:
        (W, R) usage, rows of each entry (0 without usage), and how many values were
        filled in because a series is shorter than another one of the same task.
    """
    blocks = [np.zeros((0, len(resources)))]
    lengths = np.zeros(len(entries), np.int64)
    held = 0
    for index, entry in enumerate(entries):
        if not entry.usage or entry.count == 0:
            continue
        length = max(series.size for series in entry.usage.values())
        block = np.empty((length, len(resources)))
        for column, resource in enumerate(resources):
            series = entry.usage.get(resource)
            if series is None:
                block[:, column] = entry.request.get(resource, 0.0)
                continue
            values = np.atleast_1d(series)
            block[: len(values), column] = values
            block[len(values) :, column] = values[-1]
            held += length - len(values) if series.ndim else 0
        blocks.append(block)
        lengths[index] = length
    return np.concatenate(blocks), lengths, held


def _start_nodes(entries: Sequence[TaskEntry], nodes: Cluster | None) -> list[int]:
    """Index of the node that each entry runs on at the start, -1 for none."""
    index = {} if nodes is None else {name: i for i, name in enumerate(nodes.names)}
    found = []
    for entry in entries:
        if entry.running_on is None:
            found.append(-1)
            continue
        name = entry.running_on.name()
        if nodes is None or name not in index:
            raise entry.running_on.error(
                f"expected the name of a node of this file, got {name!r}",
                remedy=suggestion(name, index) if index else "list the nodes in this file",
            )
        if nodes.from_s[index[name]] > 0:
            raise entry.running_on.error(
                f"expected a node that is there at the start, got {name!r}, "
                f"which joins at {nodes.from_s[index[name]]:g} s"
            )
        found.append(index[name])
    return found


def _provenance(
    path: Path,
    entries: Sequence[TaskEntry],
    nodes: Cluster | None,
    resources: tuple[str, ...],
    held: int,
) -> Provenance:
    counts = _counts(entries)
    whole = np.array([_usage_is_whole(entry) for entry in entries], bool)
    some = np.array([bool(entry.usage) for entry in entries], bool)
    empty = np.array([entry.duration_s == 0 for entry in entries], bool)
    tasks, measured, partly, zero_length = (
        int(counts[mask].sum()) for mask in (counts > 0, whole, some, empty)
    )
    kind: UsageKind = "request" if not partly else "measured" if measured == tasks else "hybrid"
    assumptions = list(_unmatched(entries, nodes, resources))
    if measured < tasks:
        assumptions.append(
            f"usage = request where a task names no usage: {tasks - measured} of {tasks} tasks"
        )
    return Provenance(
        source=f"scenario file {path.name}",
        usage_kind=kind,
        assumptions=tuple(assumptions),
        counts={
            "tasks": tasks,
            "zero_length": zero_length,
            "nodes": 0 if nodes is None else len(nodes),
        },
        quirks={"series_values_held": held} if held else {},
    )


def _usage_is_whole(entry: TaskEntry) -> bool:
    """Tell whether usage is given for every resource that the task asks for."""
    asked = {resource for resource, value in entry.request.items() if value > 0}
    return bool(entry.usage) and asked <= set(entry.usage)


def _unmatched(
    entries: Sequence[TaskEntry], nodes: Cluster | None, resources: tuple[str, ...]
) -> Iterable[str]:
    """Say which resources of the file's own are on one side only: perhaps a slip."""
    requested = {
        resource for entry in entries for resource, value in entry.request.items() if value
    }
    for column, resource in enumerate(resources):
        if resource in STANDARD_RESOURCES or nodes is None:
            continue
        if resource not in requested:
            yield f"no task requests {resource}, which nodes offer"
        elif not nodes.capacity[:, column].any():
            yield f"no node offers {resource}, which tasks request"
