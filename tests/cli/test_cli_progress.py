"""What progress lines say, from rows made by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from flexsched.cli import progress
from flexsched.cli.progress import Lines, expected_end_s
from flexsched.simulator import Row
from flexsched.traces.scenario import read_scenario


def _row(t_s: float, placed: int) -> Row:
    return Row(t_s, 0, 0, 0, placed, 0, 0, 0, 0, 0, np.zeros((5, 2)), 0, 1.0, None)


class _Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> _Clock:
    clock = _Clock()
    monkeypatch.setattr(progress, "monotonic", clock)
    monkeypatch.setattr(progress._Track, "__init__", _track_init(clock))
    return clock


def _track_init(clock: _Clock) -> Any:
    def init(self: Any, end_s: float | None) -> None:
        self.end_s, self.began, self.shown, self.placed, self.t_s = end_s, clock(), clock(), 0, 0.0

    return init


def test_a_line_now_and_then_with_rate_and_time_left(
    clock: _Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with Lines() as lines:
        lines.begin_runs(7200.0)
        for tick in range(31):
            lines("flex-f", _row(60.0 * tick, placed=10))
            clock.now += 0.5
    # 10 s after the first row 21 rows are in: 210 tasks, and 1200 of 7200 s took 10 s.
    assert capsys.readouterr().err.splitlines() == [
        "simulating ...",
        "flex-f: 20m of 2h, 21 tasks/s, 50 s left",
    ]


def test_a_run_that_is_over_and_the_phase_before_the_first_row(
    clock: _Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    run = SimpleNamespace(label="flex-f", summary={"counts": {"submitted": 714_030}})
    with Lines() as lines:
        lines.begin_runs(7200.0, preparing="making the workload")
        lines("flex-f", _row(0.0, placed=10))
        clock.now += 12.0
        lines.take_end(run)  # type: ignore[arg-type]
    assert capsys.readouterr().err.splitlines() == [
        "making the workload ...",
        "simulating ...",
        "flex-f: done, 714,030 tasks in 12 s",
    ]


def test_without_an_end_there_is_no_time_left(
    clock: _Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with Lines() as lines:
        lines.begin_runs(None)
        for _ in range(2):
            lines("flex-f", _row(90.0, placed=5))
            clock.now += 10.0
    assert capsys.readouterr().err.splitlines()[1:] == ["flex-f: 1m30s, 1 tasks/s"]


@pytest.mark.parametrize(
    ("text", "end_s"),
    [
        ("tasks: [{name: a, submit: 1m, duration: 2m}, {name: b, duration: 1m}]", 180.0),
        ("horizon: 1h\ntasks: [{name: a}]", 3600.0),
        ("tasks: [{name: a}]", None),
        ("tasks: []", None),
    ],
)
def test_the_expected_end(tmp_path: Any, text: str, end_s: float | None) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(text)
    assert expected_end_s(read_scenario(path)) == end_s
    assert expected_end_s(read_scenario(path), 60.0) == 60.0
