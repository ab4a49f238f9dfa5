"""Rows of a run as the table ``ticks.parquet``."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

#: Events of a tick and states after its scan, int64.
_COUNTS = ("running", "pending", "arrivals", "placed", "finished", "rejected", "failed",
           "evicted", "attempts")  # fmt: skip
#: Cluster sums in the order of ``Row.sums``.
_SUMS = ("request", "usage", "demand")
_CAPACITY, _IMBALANCE = 3, 4


class Row(NamedTuple):
    """What one tick came to.

    ``sums`` is (5, R): request, usage, demand, capacity, imbalance.
    """

    t_s: float
    running: int
    pending: int
    arrivals: int
    placed: int
    finished: int
    rejected: int
    failed: int
    evicted: int
    attempts: int
    sums: NDArray[np.float64]
    violated: int
    qos: float
    penalty: float | None


class Recorder:
    """Collects rows and makes the table; memory grows by one row per tick only."""

    def __init__(self, resources: tuple[str, ...]) -> None:
        self.resources = resources
        self.rows: list[Row] = []

    def __call__(self, row: Row) -> None:
        """Keep a row."""
        self.rows.append(row)

    @property
    def capacity(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """(rows, R) capacity of the nodes present."""
        return self._sums()[:, _CAPACITY]

    def table(self) -> pa.Table:
        """The rows as columns; fractions are null where a row has no capacity."""
        columns: dict[str, Any] = {"t_s": pa.array([row.t_s for row in self.rows], pa.float64())}
        for name in _COUNTS:
            columns[name] = pa.array([getattr(row, name) for row in self.rows], pa.int64())
        sums = self._sums()
        for resource, name in enumerate(self.resources):
            capacity = sums[:, _CAPACITY, resource]
            for position, kind in enumerate(_SUMS):
                total = sums[:, position, resource]
                columns[f"{kind}_{name}"] = total
                columns[f"{kind}_{name}_fraction"] = _fraction(total, capacity)
            imbalance = sums[:, _IMBALANCE, resource]
            columns[f"imbalance_{name}"] = pa.array(imbalance, mask=np.isnan(imbalance))
        columns["qos"] = pa.array([row.qos for row in self.rows], pa.float64())
        columns["penalty"] = pa.array([row.penalty for row in self.rows], pa.float64())
        return pa.table(columns)

    def _sums(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        shape = (len(self.rows), _IMBALANCE + 1, len(self.resources))
        return np.array([row.sums for row in self.rows], np.float64).reshape(shape)


def row_document(row: Row, resources: tuple[str, ...]) -> dict[str, Any]:
    """One row with the names of the table, for observers."""
    recorder = Recorder(resources)
    recorder(row)
    return dict(recorder.table().to_pylist()[0])


def _fraction(total: Any, capacity: Any) -> pa.Array:
    missing = capacity <= 0.0
    return pa.array(total / np.where(missing, 1.0, capacity), mask=missing)
