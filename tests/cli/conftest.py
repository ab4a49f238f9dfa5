"""Runs command lines, in this process or in one of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from flexsched.cli import main

#: One node with room for two of the three tasks that come; usage is half the request.
CROWDED = """
tick: 60s
nodes: [{name: n1, cpu: 4, memory: 8Gi}]
tasks:
  - {name: t, count: 3, duration: 10m, requests: {cpu: 2, memory: 1Gi},
     usage: {cpu: 1, memory: 512Mi}}
"""
#: 7 of 10 fit and none ever finishes.
ENDLESS = """
nodes: [{name: n1, cpu: 7, memory: 16Gi}]
tasks: [{name: t, count: 10, requests: {cpu: 1, memory: 1Gi}}]
"""


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def flexsched(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """flexsched("simulate", ...): runs a command in this process."""

    def run(*arguments: str | Path) -> Outcome:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Outcome(code, printed.out, printed.err)

    return run


@pytest.fixture
def process() -> Callable[..., Outcome]:
    """process("simulate", ...): runs a command in a process of its own."""

    def run(*arguments: str | Path) -> Outcome:
        done = subprocess.run(
            [sys.executable, "-m", "flexsched", *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def crowded(tmp_path: Path) -> Path:
    """A scenario file in which a task waits for room, and all finish."""
    path = tmp_path / "crowded.yaml"
    path.write_text(CROWDED)
    return path


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """A scenario file in which three tasks never find room."""
    path = tmp_path / "endless.yaml"
    path.write_text(ENDLESS)
    return path
