"""One door to every kind of workload, and the table of trace readers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import flexsched.traces
from flexsched.core.errors import InputError, SettingError
from flexsched.traces import _formats, _read, read_workload, trace_format, write_workload
from flexsched.traces.schema import TraceFormat

EXAMPLE = Path(__file__).parents[1] / "data" / "scenarios" / "interface.yaml"


def test_scenario_files_and_stored_workloads(tmp_path: Path) -> None:
    scenario = read_workload(str(EXAMPLE))
    write_workload(scenario, tmp_path / "stored")
    stored = read_workload(tmp_path / "stored")
    assert stored.request.tolist() == scenario.request.tolist()


@pytest.mark.parametrize("name", ["nothing", "other.csv", "nothing.yaml"])
def test_what_is_no_workload_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "other.csv").write_text("a,b")
    with pytest.raises(InputError, match=name):
        read_workload(tmp_path / name)
    with pytest.raises(InputError, match=r"workload\.json"):
        read_workload(tmp_path)


@pytest.fixture
def arguments(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the synthetic workload is asked for."""
    seen: dict[str, Any] = {}

    def synthesize(
        name: str = "google2011", *, tasks: int = 5, hours: float = 24.0, seed: int | None = None
    ) -> str:
        seen.update(name=name, tasks=tasks, hours=hours, seed=seed)
        return "made"

    monkeypatch.setattr(_read.synthetic, "synthesize", synthesize, raising=False)
    return seen


def test_synthetic_workloads_take_their_arguments_from_the_name(arguments: dict[str, Any]) -> None:
    assert read_workload("synthetic:google2011?tasks=1000&hours=2.5&seed=7") == "made"
    assert arguments == {"name": "google2011", "tasks": 1000, "hours": 2.5, "seed": 7}
    read_workload("synthetic:other")
    assert arguments == {"name": "other", "tasks": 5, "hours": 24.0, "seed": None}


@pytest.mark.parametrize(
    ("query", "reason"),
    [("task=5", "did you mean tasks"), ("tasks=many", "key tasks"), ("tasks=", "key tasks"),
     ("tasks=1.5", "key tasks"), ("seed=1&seed=2", "once"), ("name=x", "unknown key"),
     ("tasks", "key tasks")],
)  # fmt: skip
def test_bad_arguments_are_refused(arguments: dict[str, Any], query: str, reason: str) -> None:
    with pytest.raises(SettingError, match=reason) as caught:
        read_workload(f"synthetic:google2011?{query}")
    assert query in caught.value.where
    assert arguments == {}


class OtherFormat:
    name = "other"
    title = "Another trace"
    licence = "CC0"
    units = "cores and bytes"
    description = "one file"

    def read(self, paths: object) -> None:
        """Read nothing."""


def test_readers_of_other_packages_are_listed_and_cannot_hide_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Entry:
        def __init__(self, name: str) -> None:
            self.name = name

        def load(self) -> OtherFormat:
            return OtherFormat()

    monkeypatch.setattr(
        _formats, "entry_points", lambda group: [Entry("other"), Entry("google2011")]
    )
    known = flexsched.traces.formats()
    assert list(known) == ["google2011", "other"]
    assert known["google2011"].title != "Another trace"
    assert all(isinstance(reader, TraceFormat) for reader in known.values())
    assert trace_format("other").licence == "CC0"
    with pytest.raises(SettingError, match="did you mean google2011"):
        trace_format("google2012")


def test_every_public_name_is_there_and_none_other() -> None:
    for name in flexsched.traces.__all__:
        assert getattr(flexsched.traces, name) is not None
    assert dir(flexsched.traces) == flexsched.traces.__all__
    with pytest.raises(AttributeError, match="nonsense"):
        _ = flexsched.traces.nonsense


def test_the_package_alone_loads_nothing_heavy() -> None:
    code = "import sys, flexsched.traces; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numba", "pyarrow", "ruamel.yaml", "pydantic"} & set(run.stdout.split())
