"""The tables of a stored workload, from a workload in memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from flexsched.core.cluster import NO_TASK_LIMIT, Cluster
from flexsched.core.workload import Workload
from flexsched.traces._stored_document import Resource
from flexsched.traces._usage_file import GROUP_ROWS
from flexsched.traces._windows import UniformUsage

#: Columns that only some stored workloads have.
SOURCE = "source"
MAX_TASKS = "max_tasks"


def write_tasks(
    workload: Workload, resources: Sequence[Resource], usage: UniformUsage, path: Path
) -> None:
    """Write ``tasks.parquet``, a row group at a time."""
    source_names = pa.array(workload.source_names, pa.string())
    derivable = source_names.equals(numbers_as_text(len(source_names)))
    schema = _task_schema(resources, with_source=not derivable)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for start in range(0, len(workload), GROUP_ROWS):
            part = slice(start, min(start + GROUP_ROWS, len(workload)))
            writer.write_table(_task_table(workload, usage, part, source_names, schema))


def _task_schema(resources: Sequence[Resource], *, with_source: bool) -> pa.Schema:
    source = [(SOURCE, pa.string())] if with_source else []
    requests = [(f"request_{resource.column}", pa.float64()) for resource in resources]
    return pa.schema(
        [
            ("task_id", pa.int64()), ("name", pa.string()), ("source_id", pa.int64()), *source,
            ("priority", pa.int16()), ("class", pa.string()), ("submit_s", pa.float64()),
            ("start_node", pa.int64()), ("duration_s", pa.float64()), ("trace_task", pa.int64()),
            *requests, ("usage_offset", pa.int64()), ("usage_length", pa.int64()),
        ]
    )  # fmt: skip


def _task_table(
    workload: Workload, usage: UniformUsage, part: slice, source_names: pa.Array, schema: pa.Schema
) -> pa.Table:
    """Rows ``part`` of the tasks."""
    source, start_node = workload.source[part], workload.start_node[part]
    duration_s = workload.duration_s[part]
    columns: dict[str, Any] = {
        "task_id": np.arange(part.start, part.stop),
        "name": pa.array(workload.task_names[part], pa.string()),
        "source_id": source,
        "priority": workload.priority[part],
        "class": pa.array(workload.class_names, pa.string()).take(workload.task_class[part]),
        "submit_s": workload.submit_s[part],
        "start_node": pa.array(start_node, pa.int64(), mask=start_node < 0),
        "duration_s": pa.array(duration_s, mask=np.isinf(duration_s)),
        "trace_task": workload.trace_task[part],
        "usage_offset": usage.offset[part],
        "usage_length": usage.length[part],
    }
    if SOURCE in schema.names:
        columns[SOURCE] = source_names.take(source)
    for index, resource in enumerate(workload.resources):
        column = f"request_{Resource.of(resource).column}"
        columns[column] = np.ascontiguousarray(workload.request[part, index])
    return pa.table([columns[name] for name in schema.names], schema=schema)


def node_table(nodes: Cluster, resources: Sequence[Resource]) -> pa.Table:
    """Build ``nodes.parquet``; a node that stays has no ``until_s``."""
    columns: dict[str, Any] = {
        "node_id": np.arange(len(nodes)),
        "name": pa.array(nodes.names, pa.string()),
    }
    for index, resource in enumerate(resources):
        columns[resource.column] = np.ascontiguousarray(nodes.capacity[:, index])
    columns["from_s"] = nodes.from_s
    columns["until_s"] = pa.array(nodes.until_s, mask=np.isinf(nodes.until_s))
    unlimited = nodes.max_tasks == NO_TASK_LIMIT
    if not unlimited.all():
        columns[MAX_TASKS] = pa.array(nodes.max_tasks, mask=unlimited)
    return pa.table(columns)


def numbers_as_text(count: int) -> pa.Array:
    """Names of sources that are called by their numbers."""
    return pc.cast(pa.array(np.arange(count)), pa.string())
