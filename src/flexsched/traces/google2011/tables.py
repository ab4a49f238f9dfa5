"""Reading one file of a table, block by block, and saying exactly what is wrong in it."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv

from flexsched.core.errors import InputError
from flexsched.traces.google2011.quirks import Quirks
from flexsched.traces.google2011.schema import AFTER_END_US, EMPTY, MAX_TIME_US, Field, Table

#: Columns of a block by official name: int64 (empty: -1) or float64 (empty: NaN).
Block = dict[str, NDArray[Any]]

#: Read at a time: enough to keep Arrow busy, little beside the tasks alive in a real trace.
BLOCK_BYTES = 4 * 2**20
#: No row is longer; a longer one is not a row of this trace.
_LONGEST_ROW_BYTES = 64 * 2**10
_GZIP_MAGIC = b"\x1f\x8b"
_INTEGER = re.compile(r"\s*-?[0-9]+\s*")
_NUMBER = re.compile(r"\s*-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*")


def read_blocks(path: Path, table: Table, quirks: Quirks) -> Iterator[Block]:
    """Stream the fields of one file (plain or gzip, whatever its name), in blocks of rows.

    Raises:
        InputError: the file cannot be read, is cut off, or a row breaks the schema;
            names file, row and field.
    """
    rows = 0
    with _opened(path) as stream:
        for text in _whole_rows(stream, path):
            try:
                batch = _parsed(text, table)
                block = _columns(batch, table, path, rows)
            except pa.ArrowInvalid as error:
                raise _explained(text, table, path, rows, str(error)) from error
            quirks[f"{table.name}_scientific_notation"] += _rows_with_exponent(batch, table)
            rows += batch.num_rows
            yield block


def first_row(path: Path) -> str | None:
    """The first row of a file that is not blank, or None.

    Raises:
        InputError: the file cannot be read.
    """
    with _opened(path) as stream:
        while line := stream.readline(_LONGEST_ROW_BYTES):
            if text := _as_text(line):
                return text
    return None


def row_problem(row: str, table: Table, path: Path, number: int) -> InputError | None:
    """What is unreadable in a row, if anything; ranges are not looked at."""
    values = row.split(",")
    if len(values) != len(table.columns):
        return InputError(
            f"expected {len(table.columns)} fields separated by commas, "
            f"got {len(values)} in {row[:80]!r}",
            where=f"{path}, row {number}",
            remedy=f"{table.name} files have no header and the columns of schema.csv",
        )
    for field in table.fields:
        value = values[table.columns.index(field.name)]
        if not _is_readable(value, field):
            return row_error(path, number, field.name, field.expected, repr(value[:80]))
    return None


def row_error(path: Path, row: int, field: str, expected: str, got: object) -> InputError:
    """Make the error for one value of one row (rows count from 1, blank lines not at all)."""
    return InputError(f"expected {expected}, got {got}", where=f"{path}, row {row}, field {field}")


def _whole_rows(stream: BinaryIO, path: Path) -> Iterator[bytes]:
    """Pieces of about BLOCK_BYTES that end with a row, so that memory holds no more than one.

    Arrow's own streaming reader would read up to 32 blocks ahead.
    """
    rest = b""
    while data := stream.read(BLOCK_BYTES):
        cut = data.rfind(b"\n") + 1
        if cut:
            yield rest + data[:cut]
            rest = b""
        rest += data[cut:]
        if len(rest) > _LONGEST_ROW_BYTES:
            raise InputError(
                f"expected rows of at most {_LONGEST_ROW_BYTES} bytes, got a longer one",
                where=str(path),
            )
    if rest:
        yield rest


def _parsed(text: bytes, table: Table) -> pa.RecordBatch:
    # Numbers come as text first: the notation is counted, and Arrow's cast is exact.
    types = {f.name: pa.string() if f.kind == "number" else pa.int64() for f in table.fields}
    return csv.read_csv(
        pa.py_buffer(text),
        read_options=csv.ReadOptions(
            column_names=table.columns, block_size=len(text) + 1, use_threads=False
        ),
        parse_options=csv.ParseOptions(quote_char=False),
        convert_options=csv.ConvertOptions(
            column_types=types,
            include_columns=[f.name for f in table.fields],
            null_values=[""],
            strings_can_be_null=True,
        ),
    ).combine_chunks()


def _columns(batch: pa.RecordBatch, table: Table, path: Path, rows_before: int) -> Block:
    """The batch as numpy columns; refuses the first value outside its range."""
    block: Block = {}
    for field in table.fields:
        column = batch.column(field.name)
        present = column.is_valid().to_numpy(False)
        if field.kind == "number":
            values = column.cast(pa.float64()).fill_null(np.nan).to_numpy(False)
            bad = present & ~(np.isfinite(values) & (values >= 0))
        else:
            values = column.fill_null(EMPTY).to_numpy(False)
            high = MAX_TIME_US if field.kind == "time" else field.high
            after_end = (values == AFTER_END_US) & (field.kind == "time")
            bad = present & ((values < 0) | (values > high)) & ~after_end
        if field.required:
            bad |= ~present
        if bad.any():
            row = int(np.argmax(bad))
            got = values[row] if present[row] else "nothing"
            raise row_error(path, rows_before + row + 1, field.name, field.expected, got)
        block[field.name] = values
    return block


def _rows_with_exponent(batch: pa.RecordBatch, table: Table) -> int:
    """Rows that write at least one number in scientific notation."""
    found = np.zeros(batch.num_rows, np.bool_)
    for field in table.fields:
        if field.kind == "number":
            marked = pc.match_substring(batch.column(field.name), "e", ignore_case=True)
            found |= marked.fill_null(False).to_numpy(False)
    return int(found.sum())


def _explained(
    text: bytes, table: Table, path: Path, rows_before: int, arrow_message: str
) -> InputError:
    """Find the row that Arrow stumbled over, in plain Python: it is done once."""
    rows = (row for line in text.splitlines() if (row := _as_text(line)))
    for number, row in enumerate(rows, rows_before + 1):
        if problem := row_problem(row, table, path, number):
            return problem
    return InputError(f"expected a {table.name} file, got: {arrow_message[:200]}", where=str(path))


def _is_readable(text: str, field: Field) -> bool:
    if not text:
        return not field.required
    if field.kind == "number":
        return _NUMBER.fullmatch(text) is not None
    return _INTEGER.fullmatch(text) is not None and abs(int(text)) <= AFTER_END_US


def _as_text(line: bytes) -> str:
    """A row without its line end; bytes that are not UTF-8 show as replacement marks."""
    return line.decode("utf-8-sig", "replace").rstrip("\r\n")


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file; plain or gzip is told by content, for people rename files."""
    try:
        with path.open("rb") as raw:
            if raw.peek(len(_GZIP_MAGIC)).startswith(_GZIP_MAGIC):
                with gzip.open(raw, "rb") as unpacked:
                    yield cast(BinaryIO, unpacked)
            else:
                yield raw
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"expected a complete, readable file, got: {error}",
            where=str(path),
            remedy="check the permissions, and fetch the file again if it is cut off",
        ) from error
