"""Tasks with their requests and usage series, as a structure of arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from flexsched.core.cluster import Cluster
from flexsched.core.errors import InputError
from flexsched.core.quantities import LARGEST_AMOUNT

#: How the usage series came about; never mixed up in any output.
UsageKind = Literal["measured", "synthetic", "hybrid", "request"]


@dataclass(frozen=True)
class Provenance:
    """What a workload is, where it came from and what was done to it.

    Attributes:
        source: data set, paper or file that it comes from.
        licence: terms of the source, "" when it has none of its own.
        usage_kind: measured (every series from the trace), synthetic, hybrid
            (some or all series drawn from published distributions), request
            (no usage known: usage = request).
        time_origin: calendar time of t = 0 (ISO 8601), None when the source withholds it.
        assumptions: sentences that a reader must know to judge a result.
        counts: rows, tasks, attempts and the like, by name.
        quirks: what was skipped, mended or filled in, by name; zero counts left out.
        calibration: rows of {"figure", "target", "got"} for synthetic workloads.
    """

    source: str
    usage_kind: UsageKind
    licence: str = ""
    time_origin: str | None = None
    assumptions: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    quirks: dict[str, int] = field(default_factory=dict)
    calibration: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Workload:
    """T tasks with R resources, and optionally the nodes they ran on.

    One task is one attempt. Arrays are parallel; input order breaks ties.

    Attributes:
        name: short label for tables.
        resources: R names, as in :class:`~flexsched.core.cluster.Cluster`.
        task_names: T names (any sequence of str; an Arrow string array is welcome).
        source: (T,) int64 in [0, S): tasks of one job or owner share it.
        source_names: S names.
        priority: (T,) int16, larger is more important.
        task_class: (T,) int8 index into ``class_names``.
        class_names: names such as batch, production, system.
        submit_s: (T,) float64, finite; < 0 only together with ``start_node``.
        duration_s: (T,) float64 >= 0; inf: outlives the trace.
        start_node: (T,) int32 index into ``nodes``: running there at the start; -1: not.
        trace_task: (T,) int64, attempts of one traced task share it.
        request: (T, R) float64, 0 to LARGEST_AMOUNT.
        usage: (W, R) float32 or float64 >= 0, one row per task window, may be memory-mapped.
        usage_offset: (T,) int64, first row of the task's series in ``usage``.
        usage_length: (T,) int64, rows of the series; 0: usage = request.
        window_s: (T,) float64 > 0, length of one window; windows count from the task's start.
        nodes: the workload's own cluster, or None.
        provenance: where it comes from and what was assumed.

    Raises:
        InputError: shapes disagree or a value is out of range.
    """

    name: str
    resources: tuple[str, ...]
    task_names: Sequence[str]
    source: NDArray[np.int64]
    source_names: Sequence[str]
    priority: NDArray[np.int16]
    task_class: NDArray[np.int8]
    class_names: tuple[str, ...]
    submit_s: NDArray[np.float64]
    duration_s: NDArray[np.float64]
    start_node: NDArray[np.int32]
    trace_task: NDArray[np.int64]
    request: NDArray[np.float64]
    usage: NDArray[Any]
    usage_offset: NDArray[np.int64]
    usage_length: NDArray[np.int64]
    window_s: NDArray[np.float64]
    nodes: Cluster | None
    provenance: Provenance
    #: Defaults that the workload's own file asks for (scenario files), else None.
    tick_s: float | None = None
    horizon_s: float | None = None

    def __post_init__(self) -> None:
        tasks, width = len(self.submit_s), len(self.resources)
        for column in ("source", "priority", "task_class", "duration_s", "start_node",
                       "trace_task", "usage_offset", "usage_length", "window_s"):  # fmt: skip
            if getattr(self, column).shape != (tasks,):
                raise InputError(
                    f"column {column}: expected shape ({tasks},), got {getattr(self, column).shape}"
                )
        if self.request.shape != (tasks, width):
            raise InputError(f"request: expected ({tasks}, {width}), got {self.request.shape}")
        if self.usage.ndim != 2 or self.usage.shape[1] != width:
            raise InputError(f"usage: expected (rows, {width}), got {self.usage.shape}")
        self._refuse(~np.isfinite(self.submit_s), "submit_s", "a finite time")
        self._refuse((self.submit_s < 0) & (self.start_node < 0), "submit_s",
                     "a time >= 0 for a task that is not running at the start")  # fmt: skip
        self._refuse((self.submit_s > 0) & (self.start_node >= 0), "submit_s",
                     "a time <= 0 for a task that is running at the start")  # fmt: skip
        self._refuse(~(self.duration_s >= 0), "duration_s", "a length >= 0")
        self._refuse(~(self.window_s > 0), "window_s", "a window > 0")
        proper = (self.request >= 0) & (self.request <= LARGEST_AMOUNT)
        self._refuse(~np.all(proper, axis=1), "request", f"requests from 0 to {LARGEST_AMOUNT:g}")
        outside = (self.usage_offset < 0) | (self.usage_length < 0)
        outside |= self.usage_offset + self.usage_length > len(self.usage)
        self._refuse(outside, "usage_offset", f"a series inside the {len(self.usage)} usage rows")
        known_nodes = 0 if self.nodes is None else len(self.nodes)
        self._refuse(self.start_node >= known_nodes, "start_node", f"one of {known_nodes} nodes")

    def _refuse(self, bad: NDArray[np.bool_], column: str, expected: str) -> None:
        """Raise for the first task that breaks a rule."""
        if bad.any():
            row = int(np.argmax(bad))
            raise InputError(
                f"expected {expected}, got {getattr(self, column)[row]}",
                where=f"workload {self.name}, task {self.task_names[row]}, field {column}",
            )

    def __len__(self) -> int:
        return len(self.submit_s)

    def __repr__(self) -> str:
        kind = self.provenance.usage_kind
        return f"<Workload {self.name}: {len(self):,} tasks, {len(self.usage):,} {kind} usage rows>"

    @cached_property
    def request_kind(self) -> NDArray[np.int32]:
        """(T,) number of the distinct request that each task has, in no particular order."""
        kind = np.zeros(len(self), np.int64)
        for column in self.request.T:
            values, code = np.unique(column, return_inverse=True)
            _, kind = np.unique(kind * max(len(values), 1) + code, return_inverse=True)
        return kind.astype(np.int32)

    @cached_property
    def digest(self) -> str:
        """A hash of every number a simulation depends on (identity of the workload)."""
        seen = hashlib.blake2b(digest_size=16)
        for array in (self.submit_s, self.duration_s, self.start_node, self.source,
                      self.priority, self.request, self.usage_offset, self.usage_length,
                      self.window_s, self.usage):  # fmt: skip
            seen.update(np.ascontiguousarray(array).data)
        if self.nodes is not None:
            for array in (self.nodes.capacity, self.nodes.from_s, self.nodes.until_s,
                          self.nodes.max_tasks):  # fmt: skip
                seen.update(np.ascontiguousarray(array).data)
        return seen.hexdigest()
