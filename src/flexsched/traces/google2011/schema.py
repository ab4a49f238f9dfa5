"""Columns of the trace's tables, in the official order (schema.csv of clusterdata-2011-2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: Microseconds per second; every time in the trace is in microseconds.
US_PER_S = 1_000_000
#: The trace's mark for "after the end".
AFTER_END_US = 2**63 - 1
#: Largest other time that is believed: the trace spans 29 days, a year is a typing error.
MAX_TIME_US = 366 * 86_400 * US_PER_S
#: A task is named by job and index; both go into one integer, job << INDEX_BITS | index.
INDEX_BITS = 20
#: What an empty integer field becomes; no integer of the trace is negative.
EMPTY = -1

# Event types of task_events (format document, version 2.1).
SUBMIT, SCHEDULE, EVICT, FAIL, FINISH, KILL, LOST, UPDATE_PENDING, UPDATE_RUNNING = range(9)
# Event types of machine_events.
MACHINE_ADD, MACHINE_REMOVE, MACHINE_UPDATE = range(3)


@dataclass(frozen=True)
class Field:
    """One column that is read.

    Attributes:
        name: the official name.
        kind: ``time`` (int64 microseconds), ``integer`` (int64) or ``number`` (float64).
        required: whether the official schema calls it mandatory.
        high: largest integer allowed; the smallest is 0. Numbers are finite and >= 0.
    """

    name: str
    kind: Literal["time", "integer", "number"]
    required: bool = False
    high: int = AFTER_END_US

    @property
    def expected(self) -> str:
        """What a value must be, for error messages."""
        empty = "" if self.required else ", or nothing"
        if self.kind == "number":
            return f"a finite number >= 0{empty}"
        if self.kind == "time":
            return f"microseconds from 0 to {MAX_TIME_US} (a year), or 2^63-1 for after the end"
        return f"an integer from 0 to {self.high}{empty}"


@dataclass(frozen=True)
class Table:
    """A kind of file: all its columns in order, and the fields that are read."""

    name: str
    columns: tuple[str, ...]
    fields: tuple[Field, ...]


_TIME = Field("time", "time", required=True)
_JOB = Field("job ID", "integer", required=True, high=2 ** (63 - INDEX_BITS) - 1)
_INDEX = Field("task index", "integer", required=True, high=2**INDEX_BITS - 1)

TASK_EVENTS = Table(
    "task_events",
    ("time", "missing info", "job ID", "task index", "machine ID", "event type", "user",
     "scheduling class", "priority", "CPU request", "memory request", "disk space request",
     "different machines restriction"),
    (_TIME, Field("missing info", "integer", high=2), _JOB, _INDEX, Field("machine ID", "integer"),
     Field("event type", "integer", required=True, high=UPDATE_RUNNING),
     Field("priority", "integer", required=True, high=2**15 - 1),
     Field("CPU request", "number"), Field("memory request", "number")),
)  # fmt: skip

MACHINE_EVENTS = Table(
    "machine_events",
    ("time", "machine ID", "event type", "platform ID", "CPUs", "Memory"),
    (_TIME, Field("machine ID", "integer", required=True),
     Field("event type", "integer", required=True, high=MACHINE_UPDATE),
     Field("CPUs", "number"), Field("Memory", "number")),
)  # fmt: skip

TASK_USAGE = Table(
    "task_usage",
    ("start time", "end time", "job ID", "task index", "machine ID", "CPU rate",
     "canonical memory usage", "assigned memory usage", "unmapped page cache",
     "total page cache", "maximum memory usage", "disk I/O time", "local disk space usage",
     "maximum CPU rate", "maximum disk IO time", "cycles per instruction",
     "memory accesses per instruction", "sample portion", "aggregation type",
     "sampled CPU usage"),
    (Field("start time", "time", required=True), Field("end time", "time", required=True),
     _JOB, _INDEX, Field("machine ID", "integer", required=True),
     Field("CPU rate", "number"), Field("canonical memory usage", "number"),
     Field("maximum CPU rate", "number"), Field("maximum disk IO time", "number"),
     Field("cycles per instruction", "number"),
     Field("memory accesses per instruction", "number")),
)  # fmt: skip

TABLES = (TASK_EVENTS, MACHINE_EVENTS, TASK_USAGE)
#: Tables of the trace that say nothing a workload holds.
UNUSED_TABLES = ("job_events", "task_constraints", "machine_attributes")
