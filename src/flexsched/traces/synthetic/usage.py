"""The usage rows of all tasks: in memory when small, else in a scratch file without a name."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import IO

import numpy as np
from numpy.typing import NDArray

from flexsched.core.errors import OutputError
from flexsched.traces.synthetic.jobs import Jobs
from flexsched.traces.synthetic.levels import profile_of
from flexsched.traces.synthetic.published import (
    DAY_S,
    NODE_CPU_CORES,
    NODE_MEMORY_BYTES,
    PROFILES,
    WINDOW_S,
)
from flexsched.traces.synthetic.series import SHAPE_COLUMNS, fill_jobs

#: Rows computed at a time by one thread (16 MiB).
CHUNK_ROWS = 1 << 21
#: Arrays up to this size stay in memory.
LARGEST_IN_MEMORY_BYTES = 64 << 20
_ROW_BYTES = 8


@dataclass(frozen=True)
class UsagePlan:
    """All that determines the usage rows, so that any part can be computed by itself.

    Attributes:
        jobs: J jobs with T tasks.
        windows: (T,) int64, windows of each task.
        level: (T, 2) mean usage in cores and bytes.
        demand_scale: factor on every value.
        job_seeds, task_seeds: (J,) and (T,) uint64, not 0.
    """

    jobs: Jobs
    windows: NDArray[np.int64]
    level: NDArray[np.float64]
    demand_scale: float
    job_seeds: NDArray[np.uint64]
    task_seeds: NDArray[np.uint64]

    def fill(self, first_job: int, last_job: int, rows: NDArray[np.float32]) -> None:
        """Compute the rows of jobs ``first_job`` to ``last_job`` (exclusive)."""
        bounds = np.concatenate([[0], np.cumsum(self.jobs.tasks)])[first_job : last_job + 1]
        tasks, some = slice(bounds[0], bounds[-1]), slice(first_job, last_job)
        limit = np.array([NODE_CPU_CORES, NODE_MEMORY_BYTES]) * self.demand_scale
        fill_jobs(
            rows, bounds - bounds[0], self.windows[tasks], self.level[tasks] * self.demand_scale,
            limit, self.jobs.submit_s[some] / DAY_S, WINDOW_S / DAY_S,
            profile_of(self.jobs.priority[some]), _shapes(),
            self.job_seeds[some], self.task_seeds[tasks],
        )  # fmt: skip

    def chunks(self) -> Iterator[tuple[int, int, int, int]]:
        """First and last job, first and last row of parts of about ``CHUNK_ROWS`` rows."""
        task_ends = np.concatenate([[0], np.cumsum(self.windows)])
        row_bounds = task_ends[np.concatenate([[0], np.cumsum(self.jobs.tasks)])]
        first = 0
        while first < len(self.jobs):
            full = np.searchsorted(row_bounds, row_bounds[first] + CHUNK_ROWS, "right") - 1
            last = max(first + 1, int(full))
            yield first, last, int(row_bounds[first]), int(row_bounds[last])
            first = last


def compute_usage(
    plan: UsagePlan, scratch: Path | None, workers: int | None = None
) -> NDArray[np.float32]:
    """(W, 2) float32 usage in cores and bytes; read-only from a file when large.

    Args:
        plan: what to compute.
        scratch: folder for the file (None: the system's folder for temporary files); the
            file has no name there and goes when the array goes.
        workers: threads, by default one for each core; the bytes do not depend on it.

    Raises:
        OutputError: the file cannot be written.
    """
    count = int(plan.windows.sum())
    if count * _ROW_BYTES <= LARGEST_IN_MEMORY_BYTES:
        usage = np.empty((count, 2), np.float32)
        _run(
            plan, lambda first, last, start, end: plan.fill(first, last, usage[start:end]), workers
        )
        return usage
    try:
        with tempfile.TemporaryFile(dir=scratch) as file:
            _run(plan, _FileWriter(plan, file), workers)
            file.flush()
            return np.memmap(file, np.float32, "r", shape=(count, 2))
    except OSError as error:
        raise OutputError(
            f"expected room for {count * _ROW_BYTES / 2**20:.0f} MiB of usage series, got: {error}",
            where=str(scratch or tempfile.gettempdir()),
            remedy="name a scratch folder with more room, or set TMPDIR to one",
        ) from error


class _FileWriter:
    """Compute parts into memory and write each to its place in the file."""

    def __init__(self, plan: UsagePlan, file: IO[bytes]) -> None:
        self._plan, self._file, self._lock = plan, file, Lock()

    def __call__(self, first: int, last: int, start: int, end: int) -> None:
        rows = np.empty((end - start, 2), np.float32)
        self._plan.fill(first, last, rows)
        with self._lock:
            self._file.seek(start * _ROW_BYTES)
            self._file.write(rows.data)


def _run(plan: UsagePlan, task: Callable[[int, int, int, int], None], workers: int | None) -> None:
    """Do all parts, several at a time; the first error ends it."""
    pool = ThreadPoolExecutor(workers or os.cpu_count())
    try:
        for future in [pool.submit(task, *chunk) for chunk in plan.chunks()]:
            future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _shapes() -> NDArray[np.float64]:
    """(P, 2, SHAPE_COLUMNS) the profiles as the kernel wants them."""
    rows = [
        (entry.job_std, entry.own_std, entry.daily_swing, entry.burst_probability,
         entry.burst_factor)
        for profile in PROFILES for entry in (profile.cpu, profile.memory)
    ]  # fmt: skip
    return np.array(rows).reshape(len(PROFILES), 2, SHAPE_COLUMNS)
