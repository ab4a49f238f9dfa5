"""``workload.json``: what a stored workload is, beside its tables."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from flexsched.core.cluster import CPU, MEMORY
from flexsched.core.errors import InputError
from flexsched.core.workload import UsageKind

DOCUMENT = "workload.json"
FORMAT: Final = "flexsched-workload"
FORMAT_VERSION: Final = 1
_COLUMNS = {CPU: ("cpu_cores", "cores"), MEMORY: ("memory_bytes", "bytes")}

_Count = Annotated[int, Field(ge=0)]


def _iso_8601(text: str) -> str:
    datetime.fromisoformat(text)
    return text


_Moment = Annotated[str, AfterValidator(_iso_8601)]
_Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Resource(BaseModel):
    """A resource, its unit, and its column in usage and nodes (``request_`` + column in tasks)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    unit: str
    column: str

    @classmethod
    def of(cls, name: str) -> Resource:
        """Describe a resource by its name; other ones than CPU and memory count pieces."""
        column, unit = _COLUMNS.get(name, (name, "pieces"))
        return cls(name=name, unit=unit, column=column)


class Rows(BaseModel):
    """Rows of each table; ``nodes`` is None where the workload has no nodes of its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tasks: _Count
    usage: _Count
    nodes: _Count | None


class Document(BaseModel):
    """The content of ``workload.json``; times in seconds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["flexsched-workload"]
    format_version: Literal[1]
    name: str
    source: str
    licence: str
    time_origin: _Moment | None
    resources: Annotated[list[Resource], Field(min_length=1)]
    usage_kind: UsageKind
    window_s: _Seconds
    rows: Rows
    sources: _Count
    classes: list[str]
    tick_s: _Seconds | None
    horizon_s: _Seconds | None
    assumptions: list[str]
    counts: dict[str, int]
    quirks: dict[str, int]
    calibration: list[dict[str, Any]]

    def write(self, folder: Path) -> None:
        """Write strict JSON (no NaN) with a final newline."""
        text = json.dumps(self.model_dump(), indent=2, allow_nan=False, default=float)
        (folder / DOCUMENT).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> Document:
        """Read and check ``workload.json``.

        Raises:
            InputError: missing, unreadable, or not of this format and version.
        """
        path = folder / DOCUMENT
        try:
            return cls.model_validate_json(path.read_bytes())
        except OSError as error:
            raise InputError(
                f"expected a stored workload, cannot read: {error.strerror}",
                where=str(path),
                remedy="write one with flexsched trace import or trace synthesize",
            ) from error
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            got = "" if first["type"] == "missing" else f", got {str(first['input'])[:100]!r}"
            raise InputError(
                f"{first['msg']}{got}",
                where=f"{path}, field {field}" if field else str(path),
            ) from None
