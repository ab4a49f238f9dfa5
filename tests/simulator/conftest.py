"""Runs one scenario through the product and through the oracle, for the same expectations."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import flexsched as fs
import oracle
from flexsched.core.cluster import Cluster
from flexsched.core.workload import Workload
from strategies.checks import check_accounting
from strategies.product import simulate as product_simulate


@dataclass
class Result:
    """Rows by tick, records by task name, final counts."""

    rows: list[dict[str, Any]]
    tasks: dict[str, dict[str, Any]]
    counts: dict[str, int]

    def row(self, t_s: float) -> dict[str, Any]:
        """The one row of a tick."""
        (found,) = [row for row in self.rows if row["t_s"] == t_s]
        return found

    def column(self, name: str) -> list[Any]:
        """One column of all rows."""
        return [row[name] for row in self.rows]


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str], Workload]:
    """Reads a scenario given as YAML text."""

    def read_text(text: str) -> Workload:
        path = tmp_path / "scenario.yaml"
        path.write_text(text)
        return fs.read_workload(path)

    return read_text


@pytest.fixture(params=["product", "oracle"])
def simulate(
    request: pytest.FixtureRequest, read: Callable[[str], Workload]
) -> Callable[..., Result]:
    """simulate(YAML text, policy, cluster=..., **settings): by both implementations."""

    def run(
        text: str, policy: str = "least-fit", *, cluster: Cluster | None = None, **settings: Any
    ) -> Result:
        workload = read(text)
        chosen = oracle.Settings(
            policy, tick_s=workload.tick_s or 60.0, horizon_s=workload.horizon_s, **settings
        )
        if request.param == "oracle":
            outcome = oracle.simulate(workload, cluster, chosen)
            rows, records, counts = outcome.rows, outcome.records, outcome.counts
        else:
            run = product_simulate(workload, cluster, chosen)
            rows, records = run.ticks.to_pylist(), run.tasks.to_pylist()
            counts = run.summary["counts"]
        by_name = {record["name"]: record for record in records}
        assert len(by_name) == len(records)
        check_accounting(rows, counts)
        return Result(rows, by_name, counts)

    return run
