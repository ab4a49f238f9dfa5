"""Checked columns of a Parquet table, as arrays that compiled code takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from flexsched.core.errors import InputError


@contextmanager
def arrow_errors(path: Path) -> Iterator[None]:
    """Turn what Arrow says about an unreadable file into an :class:`InputError`."""
    try:
        yield
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise InputError(
            f"expected a readable Parquet file, got: {reason}",
            where=str(path),
            remedy="check that it was copied in full and may be read",
        ) from error


def open_parquet(path: Path, columns: Sequence[str], rows: int) -> pq.ParquetFile:
    """Open a Parquet file that must have the given columns and number of rows.

    Raises:
        InputError: unreadable, a column is missing, or another number of rows.
    """
    with arrow_errors(path):
        file = pq.ParquetFile(path)
    present = file.schema_arrow.names
    for column in columns:
        if column not in present:
            raise InputError(
                f"expected the column {column}, got {', '.join(present)}", where=str(path)
            )
    if file.metadata.num_rows != rows:
        raise InputError(
            f"expected {rows} rows as counted in workload.json, got {file.metadata.num_rows}",
            where=str(path),
            remedy="the files of the folder do not belong together: write it again",
        )
    return file


@dataclass(frozen=True)
class Columns:
    """A table read from a file; rows in messages count from 0."""

    path: Path
    table: pa.Table

    @classmethod
    def read(
        cls, path: Path, columns: Sequence[str], rows: int, optional: Sequence[str] = ()
    ) -> Columns:
        """Read the given columns, and those of ``optional`` that are there.

        Raises:
            InputError: see :func:`open_parquet`.
        """
        file = open_parquet(path, columns, rows)
        extra = [column for column in optional if column in file.schema_arrow.names]
        with file, arrow_errors(path):
            return cls(path, file.read(columns=[*columns, *extra]))

    def has(self, column: str) -> bool:
        """Tell whether an optional column is there."""
        return column in self.table.column_names

    def refuse(self, column: str, bad: NDArray[np.bool_], expected: str) -> None:
        """Raise an InputError for the first row that breaks a rule."""
        if bad.any():
            row = int(np.argmax(bad))
            raise self.error(column, expected, str(self.table[column][row]), row)

    def error(self, column: str, expected: str, got: str, row: int | None = None) -> InputError:
        """Make an error that names file, row and field."""
        place = "" if row is None else f", row {row}"
        return InputError(
            f"expected {expected}, got {got}", where=f"{self.path}{place}, field {column}"
        )

    def integers(
        self, column: str, dtype: type[Any] = np.int64, *, null: int | None = None
    ) -> NDArray[Any]:
        """Read whole numbers that fit ``dtype``; ``null`` stands for missing ones.

        Raises:
            InputError: another type, a number out of range, or a null without a meaning.
        """
        values = self._typed(column, "whole numbers", pa.types.is_integer)
        return self._array(column, values, dtype, null)

    def numbers(
        self, column: str, *, null: float | None = None, negative: bool = False
    ) -> NDArray[np.float64]:
        """Read finite numbers, >= 0 unless ``negative``; ``null`` stands for missing ones.

        Raises:
            InputError: another type, NaN, infinite, negative, or a null without a meaning.
        """
        values = self._typed(
            column, "numbers", lambda kind: pa.types.is_floating(kind) or pa.types.is_integer(kind)
        )
        array = self._array(column, values, np.float64, null)
        missing = np.isinf(array) & np.asarray(values.is_null()) if null == np.inf else False
        bad = ~(np.isfinite(array) | missing)
        self.refuse(column, bad if negative else bad | (array < 0),
                    "a finite number" if negative else "a finite number >= 0")  # fmt: skip
        return array

    def texts(self, column: str) -> pa.Array:
        """Read texts as one Arrow array (large_string).

        Raises:
            InputError: another type, or a null.
        """
        values = self.table[column]
        if pa.types.is_dictionary(values.type):
            values = values.cast(values.type.value_type)
        if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
            raise self.error(column, "text", str(values.type))
        self._refuse_nulls(column, values)
        return values.cast(pa.large_string()).combine_chunks()

    def codes(self, column: str, known: pa.Array, expected: str, *, null: bool = False) -> Any:
        """Look every value up among ``known``: its index there, int32.

        Args:
            column: the column.
            known: distinct values.
            expected: what the values are, for the message.
            null: a missing value is allowed, and -1.

        Raises:
            InputError: a value that is not known, or missing where it must not be.
        """
        values = self.table[column]
        if pa.types.is_dictionary(values.type):
            values = values.cast(values.type.value_type)
        try:
            found = pc.index_in(values.cast(known.type), value_set=known)
        except pa.ArrowException:
            raise self.error(column, f"values of type {known.type}", str(values.type)) from None
        unknown = np.asarray(found.is_null())
        if null:
            unknown &= ~np.asarray(values.is_null())
        self.refuse(column, unknown, expected)
        return _writable(found.fill_null(-1), np.int32)

    def _typed(self, column: str, expected: str, is_right: Any) -> pa.ChunkedArray:
        values = self.table[column]
        if not is_right(values.type):
            raise self.error(column, expected, str(values.type))
        return values

    def _array(
        self, column: str, values: pa.ChunkedArray, dtype: type[Any], null: float | None
    ) -> NDArray[Any]:
        target = pa.from_numpy_dtype(dtype)
        try:
            cast = values.cast(target)
        except pa.ArrowInvalid:
            raise self.error(column, f"values that fit {target}", str(values.type)) from None
        if null is None:
            self._refuse_nulls(column, cast)
        else:
            cast = cast.fill_null(null)
        return _writable(cast, dtype)

    def _refuse_nulls(self, column: str, values: pa.ChunkedArray) -> None:
        if values.null_count:
            self.refuse(column, np.asarray(values.is_null()), "a value in every row")


def _writable(values: pa.ChunkedArray, dtype: type[Any]) -> NDArray[Any]:
    """Copy where Arrow lends read-only memory: compiled code takes writable arrays."""
    return np.require(np.asarray(values), dtype, ["C", "W"])
