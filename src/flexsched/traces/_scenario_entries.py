"""The entries of a scenario file, each checked by itself."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flexsched.core.cluster import NO_TASK_LIMIT, STANDARD_RESOURCES
from flexsched.traces._marks import Marked

#: More tasks or nodes than this do not come from a file that one mails.
MAX_COUNT = 10_000_000
DEFAULT_WINDOW_S = 300.0
_NODE_KEYS = ("name", "count", "from", "until", "max_tasks")
_TASK_KEYS = ("name", "source", "submit", "duration", "priority", "count", "running_on",
              "requests", "usage", "usage_window")  # fmt: skip
_RESOURCE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
#: Names at least this much alike are taken for one, misspelt (``gpu`` and ``cpu``: 0.67).
_ALIKE = 0.75


@dataclass(frozen=True, eq=False)
class NodeEntry:
    """One entry of ``nodes``; ``count`` is None where the bare name is meant."""

    mark: Marked
    name: str
    count: int | None
    capacity: dict[str, float]
    from_s: float
    until_s: float
    max_tasks: int


@dataclass(frozen=True, eq=False)
class TaskEntry:
    """One entry of ``tasks``; usage is 0-d for one value, 1-d for a series."""

    mark: Marked
    name: str
    count: int | None
    source: str
    submit_s: float
    duration_s: float
    priority: int
    running_on: Marked | None
    request: dict[str, float]
    usage: dict[str, NDArray[np.float64]]
    window_s: float


def read_node_entry(mark: Marked) -> NodeEntry:
    """Read one node entry.

    Raises:
        InputError: a key is missing or unknown, or a value is out of range.
    """
    keys = mark.mapping()
    capacity = {
        key: value.quantity()
        for key, value in keys.items()
        if key not in _NODE_KEYS and _is_resource(key, value, (*STANDARD_RESOURCES, *_NODE_KEYS))
    }
    from_s = keys["from"].duration_s() if "from" in keys else 0.0
    until_s = keys["until"].duration_s() if "until" in keys else np.inf
    if until_s <= from_s:
        raise keys["until"].error(f"expected until > from, got {until_s:g} s and {from_s:g} s")
    return NodeEntry(
        mark=mark,
        name=_name(mark, keys),
        count=_count(keys),
        capacity=capacity,
        from_s=from_s,
        until_s=until_s,
        max_tasks=(
            keys["max_tasks"].integer(0, NO_TASK_LIMIT) if "max_tasks" in keys else NO_TASK_LIMIT
        ),
    )


def read_task_entry(mark: Marked, default_duration_s: float) -> TaskEntry:
    """Read one task entry; without a duration of its own it takes the given one.

    Raises:
        InputError: a key is missing or unknown, or a value is out of range.
    """
    keys = mark.mapping(_TASK_KEYS)
    name = _name(mark, keys)
    priorities = np.iinfo(np.int16)
    return TaskEntry(
        mark=mark,
        name=name,
        count=_count(keys),
        source=keys["source"].name() if "source" in keys else name,
        submit_s=_submit_s(keys),
        duration_s=keys["duration"].duration_s() if "duration" in keys else default_duration_s,
        priority=(
            keys["priority"].integer(priorities.min, priorities.max) if "priority" in keys else 0
        ),
        running_on=keys.get("running_on"),
        request={key: value.quantity() for key, value in _resources(keys, "requests").items()},
        usage={key: _series(value) for key, value in _resources(keys, "usage").items()},
        window_s=_window_s(keys),
    )


def _name(mark: Marked, keys: dict[str, Marked]) -> str:
    if "name" not in keys:
        raise mark.error("expected the key name")
    return keys["name"].name()


def _count(keys: dict[str, Marked]) -> int | None:
    return keys["count"].integer(0, MAX_COUNT) if "count" in keys else None


def _submit_s(keys: dict[str, Marked]) -> float:
    """Before the start only for a task that is already running then, and never after it."""
    if "submit" not in keys:
        return 0.0
    running = "running_on" in keys
    submit_s = keys["submit"].duration_s(allow_negative=running)
    if running and submit_s > 0:
        raise keys["submit"].error(
            f"expected a time <= 0 for a task running at the start, got {submit_s:g} s",
            remedy="leave out running_on, or submit",
        )
    return submit_s


def _window_s(keys: dict[str, Marked]) -> float:
    if "usage_window" not in keys:
        return DEFAULT_WINDOW_S
    window_s = keys["usage_window"].duration_s()
    if window_s == 0:
        raise keys["usage_window"].error("expected a window > 0, got 0")
    return window_s


def _resources(keys: dict[str, Marked], key: str) -> dict[str, Marked]:
    if key not in keys:
        return {}
    values = keys[key].mapping()
    return {
        name: value
        for name, value in values.items()
        if _is_resource(name, value, STANDARD_RESOURCES)
    }


def _series(value: Marked) -> NDArray[np.float64]:
    if not value.is_list():
        return np.array(value.quantity(), np.float64)
    items = value.items()
    if not items:
        raise value.error("expected at least one value, got an empty list")
    return np.array([item.quantity() for item in items], np.float64)


def _is_resource(name: str, value: Marked, known: tuple[str, ...]) -> bool:
    """Take any other word for a resource of its own, unless it looks like a known key misspelt.

    Raises:
        InputError: the word is close to a known key, or cannot name a resource.
    """
    if name in STANDARD_RESOURCES:
        return True
    folded = {key.casefold(): key for key in known}
    near = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=_ALIKE)
    near += [key for key in folded if len(name) > 2 and key.startswith(name.casefold())]
    if near:
        raise value.error(f"unknown key {name!r}", remedy=f"did you mean {folded[near[0]]}?")
    if name in _NODE_KEYS or not _RESOURCE_NAME.fullmatch(name):
        raise value.error(
            f"unknown key {name!r}", remedy="cpu, memory, or a resource name such as gpu"
        )
    return True
