"""Running something in a process of its own, with its time and peak memory.

The parent stays small on purpose: a child's peak starts at its parent's size.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

#: The checkout, from which children can import this package.
ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Measured:
    """What a process took; memory-mapped pages it touched count in its peak."""

    wall_s: float
    cpu_s: float
    peak_bytes: int
    output: str
    errors: str


def run(
    arguments: Sequence[str], *, folder: Path = ROOT, environment: dict[str, str] | None = None
) -> Measured:
    """Run ``python ARGUMENTS`` to its end.

    Raises:
        RuntimeError: it failed; the message holds what it wrote.
    """
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        # As for a user, whose Python keeps compiled modules.
        normal = {key: x for key, x in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        began = perf_counter()
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=folder,
            env=normal | (environment or {}),
            stdout=output,
            stderr=errors,
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        measured = Measured(
            wall_s,
            usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss * 1024,
            output.read(),
            errors.read(),
        )
    if process.returncode:
        raise RuntimeError(
            f"{' '.join(arguments)} ended with {process.returncode}:\n"
            f"{measured.output}{measured.errors}"
        )
    return measured


def run_module(module: str, **settings: Any) -> tuple[dict[str, Any], Measured]:
    """Run a module of this package, which is handed settings and answers, both as JSON."""
    measured = run(["-m", f"benchmarks.{module}", json.dumps(settings)])
    return json.loads(measured.output), measured
