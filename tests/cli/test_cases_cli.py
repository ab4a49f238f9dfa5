"""Cases that are about what a command says and how it exits, by running the command."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from flexsched.core.reasons import Reason

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("flexsched.cli") is None
    or importlib.util.find_spec("flexsched.cli").origin is None,  # type: ignore[union-attr]
    reason="the commands are not installed",
)

#: 7 of 10 fit and none ever finishes.
WHAT_IF = """
nodes: [{name: n1, cpu: 7, memory: 16Gi}]
tasks: [{name: t, count: 10, requests: {cpu: 1, memory: 1Gi}}]
"""
#: Left over: two for want of room, one for the task limit of the only node it fits, three larger
#: than every node.
UNFINISHED = """
nodes: [{name: n1, cpu: 4, memory: 8Gi}, {name: full, cpu: 8, memory: 8Gi, max_tasks: 1}]
tasks:
  - {name: a, running_on: n1, requests: {cpu: 3, memory: 1Gi}}
  - {name: b, running_on: full, requests: {cpu: 1, memory: 7Gi}}
  - {name: room, count: 2, requests: {cpu: 4, memory: 2Gi}}
  - {name: limit, requests: {cpu: 4, memory: 1Gi}}
  - {name: large, count: 3, requests: {cpu: 9, memory: 1Gi}}
"""
LEFT = {("pending", "request"): 2, ("pending", "task_limit"): 1, ("rejected", "too_large"): 3}


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    code = "import sys; from flexsched.cli import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def _scenario(folder: Path, text: str) -> str:
    path = folder / "scenario.yaml"
    path.write_text(text)
    return str(path)


def test_c6_the_exit_status_tells_unplaced_from_failed(tmp_path: Path) -> None:
    scenario = _scenario(tmp_path, WHAT_IF)
    asked = ["simulate", scenario, "--policy", "least-fit"]
    strict = _run(*asked, "--require-all", "--out", str(tmp_path / "strict"))
    assert strict.returncode == 3, strict.stderr
    for name in ("t-7", "t-8", "t-9"):
        assert name in strict.stdout + strict.stderr
    plain = _run(*asked, "--out", str(tmp_path / "plain"))
    assert plain.returncode == 0, plain.stderr
    broken = _run("simulate", str(tmp_path / "missing.yaml"), "--policy", "least-fit",
                  "--require-all", "--out", str(tmp_path / "broken"))  # fmt: skip
    assert broken.returncode == 1
    assert not (tmp_path / "broken").exists()


def test_e2_all_outputs_agree_on_what_was_left(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = _run("compare", _scenario(tmp_path, UNFINISHED), "--policies", "least-fit",
                "--out", str(out))  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert _from_tables(out) == LEFT
    assert _from_page((out / "report.html").read_text()) == sorted(
        (count, state) for (state, _), count in LEFT.items()
    )
    _check_exit_summary(done.stdout)


def test_e2_simulate_says_what_was_left(tmp_path: Path) -> None:
    done = _run("simulate", _scenario(tmp_path, UNFINISHED), "--policy", "least-fit",
                "--out", str(tmp_path / "out"))  # fmt: skip
    assert done.returncode == 0, done.stderr
    _check_exit_summary(done.stdout)


def _from_tables(out: Path) -> dict[tuple[str, str], int]:
    (run,) = (out / "runs").iterdir()
    tasks = pq.read_table(run / "tasks.parquet").to_pylist()
    counts = json.loads((out / "summary.json").read_text())["policies"][run.name]["counts"]
    left = Counter(
        (task["state"], task["reason"])
        for task in tasks
        if task["state"] in ("pending", "rejected")
    )
    assert (counts["pending"], counts["rejected"]) == (3, 3)
    return dict(left)


def _from_page(page: str) -> list[tuple[int, str]]:
    """(count, state) of every table row about tasks that did not run."""
    rows = re.findall(r"<td>(\d+)</td>\s*<td>(pending|rejected|failed|evicted)</td>", page)
    return sorted((int(count), state) for count, state in rows)


def _check_exit_summary(text: str) -> None:
    """A line for every reason, with its count."""
    for (_, reason), count in LEFT.items():
        assert Reason[reason.upper()]  # the codes that tables carry
        words = reason.replace("_", "[_ ]")
        lines = [line for line in text.splitlines() if re.search(words, line, re.IGNORECASE)]
        assert any(re.search(rf"\b{count}\b", line) for line in lines), (reason, text)
