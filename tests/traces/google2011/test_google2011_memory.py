from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

STREAM = """
import re, sys
from collections import Counter
from pathlib import Path
from flexsched.traces.google2011.events import AttemptStream, until_us
stream = AttemptStream([Path(sys.argv[1])], until_us(None), Counter())
attempts = sum(len(ended) for ended in stream)
# Not ru_maxrss: that includes the peak of the parent process.
print(attempts, re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])
"""
TASKS_ALIVE = 900


def write_events(path: Path, rows: int) -> None:
    """SUBMIT, SCHEDULE, UPDATE_RUNNING and FINISH of tasks that live 900 arrivals long."""
    tasks = rows // 4
    number = np.arange(tasks)
    submit_us = 600_000_000 + number * 100_000
    finish_us = submit_us + TASKS_ALIVE * 100_000
    time_us = np.concatenate((submit_us, submit_us + 1, submit_us + 2, finish_us + 3))
    order = np.argsort(time_us, kind="stable")
    empty, zero = pa.nulls(rows, pa.string()), pa.array(np.zeros(rows, np.int64))
    columns = [
        pa.array(time_us[order]), empty, pa.array(np.tile(number, 4)[order]), zero,
        pa.array(np.full(rows, 5)), pa.array(np.repeat([0, 1, 8, 4], tasks)[order]), empty,
        zero, zero, pa.array(np.full(rows, 0.0125)), pa.array(np.full(rows, 0.0246)), empty, empty,
    ]  # fmt: skip
    csv.write_csv(
        pa.table(columns, names=[str(place) for place in range(13)]),
        path,
        csv.WriteOptions(include_header=False, quoting_style="none"),
    )


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_g2_memory_follows_the_tasks_alive(tmp_path):
    peak = {}
    for rows in (200_000, 2_000_000):
        path = tmp_path / f"task_events_{rows}.csv"
        write_events(path, rows)
        command = [sys.executable, "-c", STREAM, str(path)]
        # The first call may compile; only the second is measured.
        for _ in range(2 if rows == 200_000 else 1):
            done = subprocess.run(command, check=True, capture_output=True, text=True)
        attempts, peak[rows] = map(int, done.stdout.split())
        assert attempts == rows // 4
    assert peak[2_000_000] < 1.2 * peak[200_000]
