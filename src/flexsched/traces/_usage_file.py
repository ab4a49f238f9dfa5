"""``usage.parquet``: series of any size, written and read in bounded memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from flexsched.core.errors import InputError, OutputError
from flexsched.traces._columns import arrow_errors, open_parquet

#: Rows of one row group, and at most so many are in memory while writing or reading.
GROUP_ROWS = 1 << 20
#: Usage above this size is mapped from a scratch file instead of held in memory.
IN_MEMORY_BYTES = 64 * 2**20


def row_blocks(usage: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Cut (W, R) usage into blocks of at most :data:`GROUP_ROWS` rows."""
    for start in range(0, len(usage), GROUP_ROWS):
        yield usage[start : start + GROUP_ROWS]


def write_usage(path: Path, columns: Sequence[str], blocks: Iterable[NDArray[Any]]) -> int:
    """Write blocks of (n, R) usage as float32, one column per resource.

    Returns:
        Rows written.

    Raises:
        InputError: a value is NaN, negative, or beyond float32.
        OSError: the disk is full.
    """
    schema = pa.schema([(column, pa.float32()) for column in columns])
    rows = 0
    # No dictionary: measured values hardly repeat, so building one only costs time.
    with pq.ParquetWriter(path, schema, compression="zstd", use_dictionary=False) as writer:
        for block in blocks:
            with np.errstate(over="ignore"):
                values = np.asarray(block, np.float32)
            _refuse_bad(values, rows, path.name, columns)
            arrays = [np.ascontiguousarray(values[:, i]) for i in range(len(columns))]
            writer.write_table(pa.table(arrays, schema=schema), row_group_size=GROUP_ROWS)
            rows += len(values)
    return rows


def read_usage(path: Path, columns: Sequence[str], rows: int) -> NDArray[np.float32]:
    """Read usage as a writable (W, R) float32 array in C order.

    Above :data:`IN_MEMORY_BYTES` the array is mapped from a scratch file in the
    folder for temporary files (``TMPDIR``), which has no name any more and goes
    with the array. Writing to the array never changes ``path``.

    Raises:
        InputError: unreadable, or a value is missing, NaN, infinite or negative.
        OutputError: no room for the scratch file.
    """
    file = open_parquet(path, columns, rows)
    shape = (rows, len(columns))
    with file:
        blocks = _checked_blocks(file, path, columns)
        if 4 * rows * len(columns) > IN_MEMORY_BYTES:
            return _spilled(blocks, shape)
        usage = np.empty(shape, np.float32)
        start = 0
        for block in blocks:
            usage[start : start + len(block)] = block
            start += len(block)
    return usage


def _checked_blocks(
    file: pq.ParquetFile, path: Path, columns: Sequence[str]
) -> Iterator[NDArray[np.float32]]:
    for column in columns:
        kind = file.schema_arrow.field(column).type
        if not pa.types.is_floating(kind):
            raise InputError(f"expected numbers, got {kind}", where=f"{path}, field {column}")
    start = 0
    batches = _batches(file, columns)
    while True:
        with arrow_errors(path):
            batch = next(batches, None)
        if batch is None:
            return
        block = np.empty((batch.num_rows, len(columns)), np.float32)
        for index, column in enumerate(columns):
            # A null becomes NaN here, and is refused as such.
            block[:, index] = batch.column(column).to_numpy(zero_copy_only=False)
        _refuse_bad(block, start, str(path), columns)
        yield block
        start += batch.num_rows


def _batches(file: pq.ParquetFile, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """One row group after the other: Arrow's own walk through a file keeps them all."""
    for group in range(file.num_row_groups):
        yield from file.iter_batches(GROUP_ROWS, row_groups=[group], columns=list(columns))


def _spilled(blocks: Iterable[NDArray[np.float32]], shape: tuple[int, int]) -> NDArray[np.float32]:
    try:
        with tempfile.TemporaryFile(prefix="flexsched-usage-") as scratch:
            for block in blocks:
                # Written, not mapped: a full disk is then an error instead of a crash.
                scratch.write(block.data)
            scratch.flush()
            return np.memmap(scratch, np.float32, "r+", shape=shape).view(np.ndarray)
    except OSError as error:
        raise OutputError(
            f"cannot keep {4 * shape[0] * shape[1]} bytes of usage aside: {error.strerror}",
            where=tempfile.gettempdir(),
            remedy="set TMPDIR to a folder with more room",
        ) from error


def _refuse_bad(values: NDArray[np.float32], start: int, file: str, columns: Sequence[str]) -> None:
    good = (values >= 0) & (values < np.inf)
    if not good.all():
        row, column = (int(index) for index in np.argwhere(~good)[0])
        raise InputError(
            f"expected a finite value >= 0, got {values[row, column]}",
            where=f"{file}, row {start + row}, field {columns[column]}",
        )
