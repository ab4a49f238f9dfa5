"""Google cluster trace of May 2011 (clusterdata-2011-2): one cell of 12,500 machines, 29 days.

The folder holds one file per topic: ``parts`` (which files), ``tables`` (rows), ``lives`` and
``events`` (events to attempts), ``attempts`` (attempts to rows), ``machines``, ``usage``
(measured), ``hybrid`` (drawn), ``result`` (the workload). ``quirks.RULES`` lists every
irregularity that is counted, with the rule followed there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from flexsched.core.workload import Workload

__all__ = ["FORMAT", "read"]


def read(
    paths: str | Path | Sequence[str | Path],
    *,
    node_cores: float = 64.0,
    node_memory_bytes: float = 128 * 2.0**30,
    until_s: float | None = None,
    seed: int = 0,
    merge_attempts: bool = False,
    fallback_duration_s: float = 259.0,
    usage: Literal["auto", "request"] = "auto",
) -> Workload:
    """Read any number of files of the trace as a workload.

    One row is one attempt that the trace shows: submitted at its SUBMIT event, as long as
    from SCHEDULE to the event that ended it, endless if nothing did. Times are seconds on
    the trace's own clock: 0 for what was there at the start, 600 for the first real event.
    What ran at time 0 keeps its machine as ``start_node``. The request is that of the
    SCHEDULE row; updates count up to there. Every irregularity is counted by name
    (:data:`flexsched.traces.google2011.quirks.RULES`).

    Memory while events are read follows the tasks alive; to lay out the result
    takes about 300 bytes per attempt at the peak, and 8 bytes per window of usage.

    Args:
        paths: folders (the trace's root, or one table's) and files, plain or gzip, in any
            order; the table is told by the name of the file or of its folder.
        node_cores: CPU cores that the trace's largest machine stands for, > 0.
        node_memory_bytes: memory bytes of it, > 0.
        until_s: read events before this time of the trace only, and no file further.
        seed: of the drawn usage, >= 0.
        merge_attempts: one row per task instead of one per attempt.
        fallback_duration_s: length of attempts that the trace never started, >= 0; by
            default the median of those that started and ended in the first 5.6 h.
        usage: ``auto`` takes measured usage where task_usage has any and draws the rest;
            ``request`` reads no usage: every task uses its request.

    Returns:
        The workload, with the trace's machines as its nodes (None without machine_events).

    Raises:
        InputError: a file is missing, cut off, given twice, out of order or breaks the
            schema, or no usage row finds its task.
        SettingError: an argument is out of range.
    """
    # Numba and Arrow are loaded only where a trace is read.
    from flexsched.traces.google2011.reader import read_trace  # noqa: PLC0415

    return read_trace(
        [Path(path) for path in ([paths] if isinstance(paths, (str, Path)) else paths)],
        node=(node_cores, node_memory_bytes),
        until_s=until_s,
        seed=seed,
        merge_attempts=merge_attempts,
        fallback_duration_s=fallback_duration_s,
        usage=usage,
    )


@dataclass(frozen=True)
class _Format:
    """The reader and what a list of readers shows (:class:`flexsched.traces.schema.TraceFormat`).

    Attributes:
        name: as used on the command line.
        title: name of the data set.
        licence: its terms.
        units: what its figures are in.
        description: which files it takes.
        read: paths and settings to a workload.
    """

    name: str
    title: str
    licence: str
    units: str
    description: str
    read: Callable[..., Workload]


FORMAT = _Format(
    name="google2011",
    title="Google cluster trace, May 2011 (clusterdata-2011-2)",
    licence="CC-BY 4.0",
    units="microseconds; CPU and memory as fractions of the largest machine",
    description="task_events, with machine_events and task_usage where there are any; "
    "folders or any number of parts, plain or gzip",
    read=read,
)
