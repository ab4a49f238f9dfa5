"""The result of one simulation, in memory and as a folder (docs: run folder)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ValidationError

from flexsched._folder import new_folder
from flexsched.core.errors import InputError

_TABLES = ("ticks", "tasks", "nodes")
#: Columns without which a table is not one of ours (resources add more).
_COLUMNS = {
    "ticks": {"t_s", "running", "pending", "attempts", "qos", "penalty"},
    "tasks": {"name", "state", "reason", "reason_detail", "attempts", "wait_s", "violated_s"},
    "nodes": {"name", "count"},
}


class _Named(BaseModel):
    name: str
    usage_kind: str


class _Nodes(BaseModel):
    nodes: int


class _Info(BaseModel):
    """What every ``run.json`` has."""

    label: str
    policy: str
    seed: int
    tick_s: float
    settings: dict[str, Any]
    workload: _Named
    cluster: _Nodes


class _Qos(BaseModel):
    mean: float | None
    min: float | None
    violated_time_fraction: float
    violated_task_fraction: float


class _Summary(BaseModel):
    """What every policy's entry of ``summary.json`` has, whatever the resources."""

    qos: _Qos
    penalty: dict[str, float] | None
    counts: dict[str, int]
    wait_s: dict[str, float | None]


class _Document(BaseModel):
    policies: dict[str, dict[str, Any]]


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """What one policy did with one workload on one cluster.

    Attributes:
        label: policy name, with the settings that differ ("flex-f:alpha=0.98").
        ticks: one row per tick (cluster sums, QoS, penalty).
        tasks: one row per submitted task, in input order.
        nodes: one row per node (mean, std, min, max, count of usage and request).
        summary: this policy's entry of ``summary.json``'s "policies".
        info: everything needed to repeat the run (``run.json``): version, label,
            seed, tick_s, policy and its settings, workload (name, hash, provenance,
            offered load), cluster, notes.
    """

    label: str
    ticks: pa.Table
    tasks: pa.Table
    nodes: pa.Table
    summary: dict[str, Any]
    info: dict[str, Any]

    def __repr__(self) -> str:
        counts = ", ".join(f"{n:,} {state}" for state, n in self.summary["counts"].items() if n)
        return f"<Run {self.label} on {self.info['workload']['name']}: {counts}>"

    def save(self, folder: str | Path, *, force: bool = False) -> None:
        """Write the run folder, whole or not at all.

        Args:
            folder: a folder that does not exist yet; its parents are made.
            force: replace an older run there.

        Raises:
            OutputError: the folder exists, or cannot be written.
        """
        with new_folder(Path(folder), marker="run.json", force=force) as content:
            self.write_into(content)

    def write_into(self, folder: Path) -> None:
        """Write run.json, summary.json and the three tables into an existing folder."""
        for name in _TABLES:
            pq.write_table(getattr(self, name), folder / f"{name}.parquet", compression="zstd")
        write_json(folder / "run.json", self.info)
        write_json(folder / "summary.json", summary_document([self]))

    @classmethod
    def load(cls, folder: str | Path) -> Run:
        """Read a run folder.

        Raises:
            InputError: a file of the folder is missing or unreadable.
        """
        folder = Path(folder)
        try:
            info = json.loads((folder / "run.json").read_text())
            label = _Info.model_validate(info).label
            document = json.loads((folder / "summary.json").read_text())
            summary = _Document.model_validate(document).policies[label]
            _Summary.model_validate(summary)
            tables = {name: pq.read_table(folder / f"{name}.parquet") for name in _TABLES}
            for name, columns in _COLUMNS.items():
                if missing := sorted(columns - set(tables[name].column_names)):
                    raise KeyError(f"{name}.parquet without {', '.join(missing)}")
            return cls(label=label, summary=summary, info=info, **tables)
        except (OSError, ValueError, KeyError, pa.ArrowInvalid) as error:
            got = _first_fault(error) if isinstance(error, ValidationError) else error
            raise InputError(
                f"expected a run folder (run.json, summary.json and three tables), got: {got}",
                where=str(folder),
                remedy="write one with flexsched simulate, compare or reproduce",
            ) from error


def _first_fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    return f"{'.'.join(map(str, fault['loc'])) or 'file'}: {fault['msg']}"


def summary_document(runs: list[Run]) -> dict[str, Any]:
    """The ``summary.json`` of one or more runs over the same workload and cluster."""
    first = runs[0].info
    return {
        "workload": first["workload"],
        "cluster": first["cluster"],
        "tick_s": first["tick_s"],
        "seed": first["seed"],
        "policies": {run.label: run.summary for run in runs},
    }


def write_json(path: Path, document: dict[str, Any]) -> None:
    """Write strict JSON (no NaN) with a final newline."""
    path.write_text(json.dumps(document, indent=2, allow_nan=False) + "\n")
