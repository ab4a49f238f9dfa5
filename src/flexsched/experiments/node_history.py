"""Every node at every tick, written to a file while the simulation runs."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from flexsched.core.cluster import Cluster
from flexsched.simulator import TickView

#: Node samples that are kept in memory before they go to the file as one row group.
_ROWS_AT_ONCE = 200_000


class NodeHistory:
    """An observer of :func:`flexsched.simulate` that writes one row per present node and tick.

    Columns: ``t_s``, ``node`` (its name), and per resource R ``request_R`` and ``usage_R``
    (sums over the node's running tasks). Memory is bounded: rows pass through in groups.

    Args:
        cluster: the cluster of the run.
        path: a new Parquet file; complete once the ``with`` block ends.
    """

    def __init__(self, cluster: Cluster, path: Path) -> None:
        self._cluster = cluster
        self._names = pa.array(list(cluster.names), pa.string())
        columns = [
            pa.field(f"{kind}_{name}", pa.float64())
            for name in cluster.resources
            for kind in ("request", "usage")
        ]
        self._schema = pa.schema(
            [
                pa.field("t_s", pa.float64()),
                pa.field("node", pa.dictionary(pa.int32(), pa.string())),
                *columns,
            ]
        )
        self._writer = pq.ParquetWriter(path, self._schema, compression="zstd")
        self._batches: list[pa.RecordBatch] = []
        self._rows = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self._flush()
        finally:
            self._writer.close()

    def __call__(self, tick: TickView) -> None:
        """Take the settled state of one tick."""
        cluster = self._cluster
        present = np.flatnonzero((cluster.from_s <= tick.t_s) & (tick.t_s < cluster.until_s))
        columns: list[Any] = [
            np.full(len(present), tick.t_s),
            pa.DictionaryArray.from_arrays(pa.array(present, pa.int32()), self._names),
        ]
        for position in range(len(cluster.resources)):
            columns += [tick.requested[present, position], tick.usage[present, position]]
        self._batches.append(
            pa.record_batch([pa.array(column) for column in columns], schema=self._schema)
        )
        self._rows += len(present)
        if self._rows >= _ROWS_AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        self._writer.write_table(pa.Table.from_batches(self._batches, self._schema))
        self._batches, self._rows = [], 0
