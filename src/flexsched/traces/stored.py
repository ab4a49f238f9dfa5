"""Stored workloads: a folder of Parquet tables, readable without flexsched.

``workload.json`` says what it is; ``tasks.parquet``, ``usage.parquet`` and (where the
workload has nodes of its own) ``nodes.parquet`` hold one row per task, task window and
node. Beyond the columns that every stored workload has, resources other than CPU and
memory add ``request_NAME`` and ``NAME``, sources whose names are not their numbers add
``source`` to the tasks, and task limits add ``max_tasks`` to the nodes.

All work is on whole columns; usage passes through in row groups, so that memory does
not grow with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from flexsched._folder import new_folder
from flexsched.core.cluster import NO_TASK_LIMIT, Cluster
from flexsched.core.errors import InputError
from flexsched.core.workload import Provenance, Workload
from flexsched.traces._columns import Columns
from flexsched.traces._stored_document import (
    DOCUMENT,
    FORMAT,
    FORMAT_VERSION,
    Document,
    Resource,
    Rows,
)
from flexsched.traces._stored_tables import (
    MAX_TASKS,
    SOURCE,
    node_table,
    numbers_as_text,
    write_tasks,
)
from flexsched.traces._usage_file import read_usage, write_usage
from flexsched.traces._windows import uniform_usage

_TASK_COLUMNS = ("task_id", "name", "source_id", "priority", "class", "submit_s", "start_node",
                 "duration_s", "trace_task", "usage_offset", "usage_length")  # fmt: skip
_NODE_COLUMNS = ("node_id", "name", "from_s", "until_s")


def write_workload(workload: Workload, folder: Path, *, force: bool = False) -> None:
    """Store a workload; usage is rounded to float32.

    Args:
        workload: what to store; its usage may be memory-mapped and of any size.
        folder: a new folder. It appears in full or not at all.
        force: replace an older stored workload.

    Raises:
        OutputError: the folder exists, or cannot be written (disk full, no permission).
        InputError: usage windows differ without a common divisor, a value does not fit
            float32, no task refers to the usage, or a resource has the name of
            another column.
    """
    resources = [Resource.of(name) for name in workload.resources]
    _check_resources(workload, resources)
    if len(workload.usage) and not workload.usage_length.any():
        raise InputError(
            f"expected tasks that refer to the {len(workload.usage)} usage rows, got none",
            where=f"workload {workload.name}",
        )
    usage = uniform_usage(workload)
    with new_folder(folder, marker=DOCUMENT, force=force) as aside:
        columns = [resource.column for resource in resources]
        usage_rows = write_usage(aside / "usage.parquet", columns, usage.blocks)
        write_tasks(workload, resources, usage, aside / "tasks.parquet")
        if workload.nodes is not None:
            nodes = node_table(workload.nodes, resources)
            pq.write_table(nodes, aside / "nodes.parquet", compression="zstd")
        _document(workload, resources, usage.window_s, usage_rows).write(aside)


def read_workload(folder: Path) -> Workload:
    """Read a stored workload.

    Usage comes as float32, from 64 MiB on mapped from a scratch file (see
    :func:`flexsched.traces._usage_file.read_usage`). Names are Arrow string arrays.

    Raises:
        InputError: a file or column is missing, truncated or of another type, a value
            is out of range, or no task refers to the usage; names file, row and field.
        OutputError: no room for the scratch file.
    """
    document = Document.read(folder)
    resources, rows = document.resources, document.rows
    nodes, node_ids = None, pa.array([], pa.int64())
    if rows.nodes is not None:
        nodes, node_ids = _read_nodes(folder / "nodes.parquet", resources, rows.nodes)
    requests = [f"request_{resource.column}" for resource in resources]
    tasks = Columns.read(
        folder / "tasks.parquet", [*_TASK_COLUMNS, *requests], rows.tasks, optional=[SOURCE]
    )
    offset, length = _read_series(tasks, rows.usage, folder)
    usage_columns = [resource.column for resource in resources]
    source = _read_ids(tasks, "source_id", document.sources)
    start_node = tasks.codes("start_node", node_ids, "a node_id of nodes.parquet", null=True)
    submit_s = tasks.numbers("submit_s", negative=True)
    tasks.refuse("submit_s", (submit_s < 0) & (start_node < 0), "a time >= 0 without start_node")
    return Workload(
        name=document.name,
        resources=tuple(resource.name for resource in resources),
        task_names=tasks.texts("name"),
        source=source,
        source_names=_read_source_names(tasks, source, document.sources),
        priority=tasks.integers("priority", np.int16),
        task_class=tasks.codes(
            "class", pa.array(document.classes, pa.string()), "a class of workload.json"
        ).astype(np.int8),
        class_names=tuple(document.classes),
        submit_s=submit_s,
        duration_s=tasks.numbers("duration_s", null=np.inf),
        start_node=start_node,
        trace_task=tasks.integers("trace_task"),
        request=_stacked([tasks.numbers(column) for column in requests], len(submit_s)),
        usage=read_usage(folder / "usage.parquet", usage_columns, rows.usage),
        usage_offset=offset,
        usage_length=length,
        window_s=np.full(len(submit_s), document.window_s),
        nodes=nodes,
        provenance=_provenance(document),
        tick_s=document.tick_s,
        horizon_s=document.horizon_s,
    )


def read_nodes(folder: Path) -> Cluster:
    """Read only the nodes of a stored workload.

    Raises:
        InputError: it has none, or a file is missing or breaks the format.
    """
    document = Document.read(folder)
    if document.rows.nodes is None:
        raise InputError(
            "expected a stored workload with nodes, got one without",
            where=str(folder),
            remedy="name a scenario file with nodes, or give their number with --nodes",
        )
    cluster, _ = _read_nodes(folder / "nodes.parquet", document.resources, document.rows.nodes)
    return cluster


def _check_resources(workload: Workload, resources: Sequence[Resource]) -> None:
    """Refuse resources whose columns would be taken for others."""
    if workload.nodes is not None and workload.nodes.resources != workload.resources:
        raise InputError(
            f"expected nodes with the resources {', '.join(workload.resources)}, "
            f"got {', '.join(workload.nodes.resources)}"
        )
    columns = [resource.column for resource in resources]
    taken = {*_NODE_COLUMNS, MAX_TASKS}
    for index, column in enumerate(columns):
        if column in taken or column in columns[:index]:
            raise InputError(
                f"expected resource names that are no column of the format, got {column!r}"
            )


def _document(
    workload: Workload, resources: list[Resource], window_s: float, usage_rows: int
) -> Document:
    facts = workload.provenance
    return Document(
        format=FORMAT,
        format_version=FORMAT_VERSION,
        name=workload.name,
        source=facts.source,
        licence=facts.licence,
        time_origin=facts.time_origin,
        resources=resources,
        usage_kind=facts.usage_kind,
        window_s=window_s,
        rows=Rows(
            tasks=len(workload),
            usage=usage_rows,
            nodes=None if workload.nodes is None else len(workload.nodes),
        ),
        sources=len(workload.source_names),
        classes=list(workload.class_names),
        tick_s=workload.tick_s,
        horizon_s=workload.horizon_s,
        assumptions=list(facts.assumptions),
        counts={name: int(count) for name, count in facts.counts.items()},
        quirks={name: int(count) for name, count in facts.quirks.items()},
        calibration=list(facts.calibration),
    )


def _provenance(document: Document) -> Provenance:
    return Provenance(
        source=document.source,
        usage_kind=document.usage_kind,
        licence=document.licence,
        time_origin=document.time_origin,
        assumptions=tuple(document.assumptions),
        counts=document.counts,
        quirks=document.quirks,
        calibration=tuple(document.calibration),
    )


def _read_nodes(path: Path, resources: list[Resource], rows: int) -> tuple[Cluster, pa.Array]:
    """Read the nodes, and the ``node_id`` of each."""
    columns = [resource.column for resource in resources]
    table = Columns.read(path, [*_NODE_COLUMNS, *columns], rows, optional=[MAX_TASKS])
    node_id = table.integers("node_id")
    table.refuse("node_id", _repeats(node_id), "distinct numbers")
    max_tasks = None
    if table.has(MAX_TASKS):
        max_tasks = table.integers(MAX_TASKS, null=NO_TASK_LIMIT)
        table.refuse(MAX_TASKS, max_tasks < 0, "a number >= 0")
    cluster = Cluster.from_arrays(
        _stacked([table.numbers(column) for column in columns], rows),
        names=table.texts("name").to_pylist(),
        resources=tuple(resource.name for resource in resources),
        from_s=table.numbers("from_s"),
        until_s=table.numbers("until_s", null=np.inf),
        max_tasks=max_tasks,
    )
    return cluster, pa.array(node_id)


def _read_series(
    tasks: Columns, usage_rows: int, folder: Path
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Read which usage rows each task has."""
    tasks.refuse("task_id", _repeats(tasks.integers("task_id")), "distinct numbers")
    offset, length = tasks.integers("usage_offset"), tasks.integers("usage_length")
    inside = f"a series inside the {usage_rows} rows of usage.parquet"
    tasks.refuse("usage_length", (length < 0) | (length > usage_rows), inside)
    tasks.refuse("usage_offset", (offset < 0) | (offset > usage_rows - length), inside)
    if usage_rows and not length.any():
        raise InputError(
            f"expected tasks that refer to these {usage_rows} rows, got none "
            f"(usage_length is 0 throughout {tasks.path.name})",
            where=str(folder / "usage.parquet"),
        )
    return offset, length


def _read_ids(tasks: Columns, column: str, count: int) -> NDArray[np.int64]:
    ids: NDArray[np.int64] = tasks.integers(column)
    tasks.refuse(column, (ids < 0) | (ids >= count), f"a number below {count}")
    return ids


def _read_source_names(tasks: Columns, source: NDArray[np.int64], count: int) -> pa.Array:
    """Take each source's name from its first task; one without tasks is called by its number."""
    numbers = numbers_as_text(count).cast(pa.large_string())
    if not tasks.has(SOURCE):
        return numbers
    first = np.full(count, -1, np.int64)
    # Of several values for one index the last is kept: reversed, that is the first task.
    first[source[::-1]] = np.arange(len(source) - 1, -1, -1)
    named = tasks.texts(SOURCE).take(pa.array(first, mask=first < 0))
    return pc.coalesce(named, numbers)


def _repeats(ids: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark every value that came before."""
    bad = np.zeros(len(ids), bool)
    if (np.diff(ids) > 0).all():
        return bad
    order = np.argsort(ids, kind="stable")
    bad[order[1:]] = np.diff(ids[order]) == 0
    return bad


def _stacked(columns: list[NDArray[np.float64]], rows: int) -> NDArray[np.float64]:
    return np.stack(columns, axis=1).reshape(rows, len(columns))
