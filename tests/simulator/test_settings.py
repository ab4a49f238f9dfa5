"""Settings of a run, and times that no run could reach."""

from __future__ import annotations

from pathlib import Path

import pytest

import flexsched as fs

ONE_TASK = """
horizon: 10m
nodes: [{name: n, cpu: 4, memory: 8Gi}]
tasks: [{name: a, requests: {cpu: 1}, duration: LENGTH, submit: SUBMIT}]
"""


def workload(folder: Path, *, length: str = "60s", submit: str = "0s") -> fs.Workload:
    path = folder / "one.yaml"
    path.write_text(ONE_TASK.replace("LENGTH", length).replace("SUBMIT", submit))
    return fs.read_workload(path)


@pytest.mark.parametrize(
    ("changed", "what"),
    [({"length": "1e300"}, "length of a task"), ({"submit": "1e30"}, "submit time of a task")],
)
def test_times_beyond_every_tick_are_refused(
    tmp_path: Path, changed: dict[str, str], what: str
) -> None:
    with pytest.raises(fs.SettingError, match=f"within 1,073,741,824 ticks .* as {what}"):
        fs.simulate(workload(tmp_path, **changed), policy="least-fit")


def test_a_tick_too_short_for_the_times_is_refused(tmp_path: Path) -> None:
    with pytest.raises(fs.SettingError, match="take a longer tick"):
        fs.simulate(workload(tmp_path), policy="least-fit", tick_s=1e-300)


@pytest.mark.parametrize(
    ("setting", "value"),
    [("tick_s", 0.0), ("tick_s", float("inf")), ("horizon_s", -1.0), ("seed", -1),
     ("demand_scale", 0.0), ("contention", "kill")],
)  # fmt: skip
def test_out_of_range_is_refused(setting: str, value: object) -> None:
    name = setting.removesuffix("_s")
    with pytest.raises(fs.SettingError, match=f"{name}: expected"):
        fs.Settings(**{setting: value})  # type: ignore[arg-type]
