"""How far a command is: bars on a terminal, a line now and then elsewhere; always on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, ClassVar, Self

from flexsched.core.quantities import format_duration

if TYPE_CHECKING:
    from rich.progress import TaskID

    from flexsched.core.workload import Workload
    from flexsched.simulator import Row, Run


_SIMULATING = "simulating"


@dataclass
class _Track:
    """What is known of one run."""

    end_s: float | None
    began: float = field(default_factory=monotonic)
    shown: float = field(default_factory=monotonic)
    placed: int = 0
    t_s: float = 0.0

    def take(self, row: Row, period_s: float) -> bool:
        """Count a row; whether it is time to show it."""
        self.placed += row.placed
        self.t_s = row.t_s
        now = monotonic()
        if now - self.shown < period_s:
            return False
        self.shown = now
        return True

    @property
    def elapsed_s(self) -> float:
        """Time since the first row."""
        return monotonic() - self.began

    @property
    def rate(self) -> float:
        """Tasks placed per second."""
        return self.placed / max(self.elapsed_s, 1e-3)

    @property
    def left_s(self) -> float | None:
        """Time left, if simulated time passes as fast as it did so far."""
        if self.end_s is None or self.t_s <= 0.0:
            return None
        return max(self.end_s / self.t_s - 1.0, 0.0) * self.elapsed_s

    def clock(self) -> str:
        """Simulated time, of how much where that is known."""
        now = format_duration(self.t_s)
        return now if self.end_s is None else f"{now} of {format_duration(self.end_s)}"


class Progress:
    """Phases of a command and rows of its runs; this base class shows nothing.

    Called from the threads of the runs; use it as a context manager.
    """

    #: Least time between two updates of one run.
    _period_s: ClassVar[float] = 0.0

    def __init__(self) -> None:
        self._tracks: dict[str, _Track] = {}
        self._end_s: float | None = None
        self._preparing = False
        self._lock = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._done()

    def phase(self, text: str) -> None:
        """Begin something without a known length."""

    def notice(self, text: str) -> None:
        """Say something once."""

    def begin_runs(self, end_s: float | None, preparing: str | None = None) -> None:
        """Begin runs that end at this simulated time, if it is known.

        Args:
            end_s: the end, or None.
            preparing: what goes on until the first row, if it is not simulating yet.
        """
        self._end_s = end_s
        self._preparing = preparing is not None
        self.phase(preparing or _SIMULATING)

    def take_end(self, run: Run) -> None:
        """Take a run that is over."""
        tasks = run.summary["counts"]["submitted"]
        with self._lock:
            self._end_run(run.label, self._track(run.label), tasks)

    def __call__(self, label: str, row: Row) -> None:
        """Take one row of one run."""
        with self._lock:
            track = self._track(label)
            if track.take(row, self._period_s):
                self._show(label, track)

    def _track(self, label: str) -> _Track:
        """What is known of a run, which begins here if nothing is."""
        if label not in self._tracks:
            if self._preparing:
                self._preparing = False
                self.phase(_SIMULATING)
            self._tracks[label] = _Track(self._end_s)
            self._begin_run(label)
        return self._tracks[label]

    def _begin_run(self, label: str) -> None:
        """Make room for a run, just before its first row is shown."""

    def _show(self, label: str, track: _Track) -> None:
        """Show how far a run is."""

    def _end_run(self, label: str, track: _Track, tasks: int) -> None:
        """Show that a run is over."""

    def _done(self) -> None:
        """Stop showing anything."""


class Lines(Progress):
    """Plain lines, for files and pipes."""

    _period_s = 10.0

    def phase(self, text: str) -> None:
        self.notice(f"{text} ...")

    def notice(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def _show(self, label: str, track: _Track) -> None:
        left = "" if track.left_s is None else f", {track.left_s:.0f} s left"
        self.notice(f"{label}: {track.clock()}, {track.rate:,.0f} tasks/s{left}")

    def _end_run(self, label: str, track: _Track, tasks: int) -> None:
        self.notice(f"{label}: {_done_in(track, tasks)}")


class Bars(Progress):
    """One bar per policy, on a terminal."""

    _period_s = 0.1

    def __init__(self) -> None:
        super().__init__()
        from rich.console import Console  # noqa: PLC0415
        from rich.progress import BarColumn, SpinnerColumn, TextColumn  # noqa: PLC0415
        from rich.progress import Progress as RichProgress  # noqa: PLC0415

        self._bars = RichProgress(
            SpinnerColumn(finished_text="*"),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[state]}"),
            console=Console(stderr=True),
            transient=True,
        )
        self._shown: dict[str, TaskID] = {}
        self._bars.start()

    def phase(self, text: str) -> None:
        for bar in self._bars.task_ids:
            self._bars.remove_task(bar)
        self._phase: TaskID | None = self._bars.add_task(text, total=None, state="")

    def notice(self, text: str) -> None:
        self._bars.console.print(text, markup=False, highlight=False)

    def _begin_run(self, label: str) -> None:
        if self._phase is not None:
            self._bars.remove_task(self._phase)
            self._phase = None
        self._shown[label] = self._bars.add_task(label, total=self._end_s, state="")

    def _show(self, label: str, track: _Track) -> None:
        left = "" if track.left_s is None else f"  {format_duration(round(track.left_s))} left"
        self._bars.update(
            self._shown[label],
            completed=self._before_the_end(track),
            state=f"{track.clock()}  {track.rate:,.0f} tasks/s{left}",
        )

    def _end_run(self, label: str, track: _Track, tasks: int) -> None:
        self._bars.update(
            self._shown[label], total=1.0, completed=1.0, state=f"100 %  {_done_in(track, tasks)}"
        )

    @staticmethod
    def _before_the_end(track: _Track) -> float:
        """Simulated time, less than all of it: the expected end can pass and the run go on."""
        return track.t_s if track.end_s is None else min(track.t_s, 0.999 * track.end_s)

    def _done(self) -> None:
        self._bars.stop()


def _done_in(track: _Track, tasks: int) -> str:
    return f"done, {tasks:,} tasks in {track.elapsed_s:.0f} s"


def make_progress() -> Progress:
    """What suits this process's stderr."""
    return Bars() if sys.stderr.isatty() else Lines()


def expected_end_s(workload: Workload, horizon_s: float | None = None) -> float | None:
    """Simulated time at which a run ends if nothing waits; None if tasks are endless or missing."""
    end_s = horizon_s or workload.horizon_s
    if end_s is not None:
        return end_s
    latest_s = float((workload.submit_s + workload.duration_s).max(initial=0.0))
    return latest_s if 0.0 < latest_s < float("inf") else None


@contextmanager
def tell_of_compilation(progress: Progress) -> Iterator[None]:
    """Say so when a kernel is compiled in here, because that takes a while."""
    from flexsched.core.jit import compilation_told  # noqa: PLC0415

    def tell() -> None:
        progress.notice("compiling (once per installation and kind of policy, up to a minute) ...")

    with compilation_told(tell):
        yield
