"""Interrupts, full disks and missing permissions: a message, a status, and nothing left behind."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

#: A million ticks: it runs until it is told to stop.
LONG = """
tick: 1s
horizon: 12d
nodes: [{name: n, cpu: 4, memory: 8Gi, count: 50}]
tasks:
  - {name: t, count: 100, requests: {cpu: 1, memory: 1Gi}, usage: {cpu: [0.5, 1.5], memory: 1Gi}}
"""
POLICIES = ("--policies", "least-fit,oversub,flex-f")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "words",
    [("compare", *POLICIES), ("simulate", "--policy", "flex-f", "--node-history")],
    ids=["compare", "simulate"],
)
def test_an_interrupt_leaves_nothing_behind(
    tmp_path: Path, words: tuple[str, ...], number: signal.Signals
) -> None:
    scenario = tmp_path / "long.yaml"
    scenario.write_text(LONG)
    place = tmp_path / "place"
    command, *options = words
    with subprocess.Popen(
        [sys.executable, "-m", "flexsched", command, scenario, *options, "--out", place / "out"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if "simulating" in line:
                break
        sleep(1.0)
        assert list(place.iterdir())  # the folder aside
        running.send_signal(number)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 128 + number
    assert err.splitlines()[-1].startswith(f"interrupted by {number.name}")
    assert "Traceback" not in err
    assert out == ""
    assert list(place.iterdir()) == []


PREPARED = """
import os, resource, sys
from flexsched.cli import main
scenario, place, limit = sys.argv[1:]
words = ["compare", scenario, "--policies", "least-fit,flex-f"]
assert main([*words, "--out", place + "/first"]) == 0
if limit == "disk":
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
elif os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
sys.exit(main([*words, "--out", place + "/second"]))
"""


def _prepared(scenario: Path, place: Path, limit: str) -> subprocess.CompletedProcess[str]:
    """A first comparison, which loads and compiles everything, then one under a limit."""
    place.mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, "-c", PREPARED, scenario, place, limit],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_a_full_disk_leaves_nothing_behind(crowded: Path, tmp_path: Path) -> None:
    done = _prepared(crowded, tmp_path / "place", "disk")
    assert done.returncode == 1
    message = done.stderr.splitlines()[-2:]
    assert message[0].startswith("error: ")
    assert "File too large" in message[0]
    assert "free" in message[1]
    assert [path.name for path in (tmp_path / "place").iterdir()] == ["first"]


@pytest.mark.skipif(os.name != "posix", reason="file modes are those of POSIX")
def test_no_permission_to_read_or_write(crowded: Path, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    if os.geteuid() == 0:
        tmp_path.chmod(0o755)
        done = _prepared(crowded, place, "user")
        assert done.returncode == 1
        assert "error: " in done.stderr
        assert "ermission denied" in done.stderr
        assert [path.name for path in place.iterdir()] == ["first"]
    else:
        place.chmod(0o555)
        done = _prepared(crowded, place, "user")
        place.chmod(0o755)
        assert "ermission denied" in done.stderr
        assert list(place.iterdir()) == []


def test_a_terminal_gets_bars(crowded: Path, tmp_path: Path) -> None:
    scenario = tmp_path / "long.yaml"
    scenario.write_text(LONG.replace("12d", "2h"))
    shown = _on_a_terminal("compare", str(scenario), "--policies", "least-fit,flex-f")
    assert "least-fit" in shown
    assert "of 2h" in shown
    assert "tasks/s" in shown
    for policy in ("least-fit", "flex-f"):
        assert re.search(rf"\* {policy} .*100 %  done, 100 tasks in \d+ s", _plain(shown))
    assert "\x1b[" in shown


def _plain(shown: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)


def _on_a_terminal(*words: str) -> str:
    """What a command writes to a stderr that is a terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    with subprocess.Popen(
        [sys.executable, "-m", "flexsched", *words],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env=environment,
    ) as running:
        os.close(theirs)
        shown = _read_all(ours, deadline=monotonic() + 240)
        assert running.wait(timeout=60) == 0
    os.close(ours)
    return shown


def _read_all(terminal: int, deadline: float) -> str:
    parts = []
    while monotonic() < deadline:
        if select.select([terminal], [], [], 1.0)[0]:
            try:
                part = os.read(terminal, 65536)
            except OSError:  # how Linux says that the other side is closed
                break
            if not part:
                break
            parts.append(part)
    return b"".join(parts).decode(errors="replace")


def test_elsewhere_there_are_plain_lines(process: Callable[..., Any], crowded: Path) -> None:
    done = process("compare", crowded, "--policies", "least-fit,flex-f")
    assert done.code == 0
    lines = [line for line in done.err.splitlines() if "compiling" not in line]
    assert lines[:2] == ["reading the workload ...", "simulating ..."]
    assert {re.sub(r"\d+ s$", "N s", line) for line in lines[2:]} == {
        "least-fit: done, 3 tasks in N s", "flex-f: done, 3 tasks in N s"
    }  # fmt: skip
    assert "\x1b" not in done.err + done.out
