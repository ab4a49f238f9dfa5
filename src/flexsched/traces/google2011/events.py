"""Task events as a stream of attempts, in memory that follows the tasks alive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from flexsched.core.errors import SettingError
from flexsched.traces.google2011.lives import ABSENT, ATTEMPT, TALLIES, Attempts, advance
from flexsched.traces.google2011.parts import begins_before
from flexsched.traces.google2011.quirks import MISSING_INFO, Quirks
from flexsched.traces.google2011.schema import (
    AFTER_END_US,
    EMPTY,
    EVICT,
    INDEX_BITS,
    LOST,
    MAX_TIME_US,
    SUBMIT,
    TASK_EVENTS,
    US_PER_S,
)
from flexsched.traces.google2011.tables import Block, read_blocks, row_error


@dataclass
class AttemptStream:
    """Iterate over it once: arrays of attempts that ended, last those that did not.

    An attempt is yielded in the block of rows that ends it. What the stream holds is one
    block of rows and one record per task alive; tasks that ended leave nothing behind,
    so its memory follows the tasks alive at once, not the rows read.

    Attributes:
        paths: task_events files in order of time.
        until_us: rows from this time on are not read, nor the files behind them.
        quirks: added to while iterating.
        rows: event rows applied so far.
        end_us: time of the last event so far.
    """

    paths: Sequence[Path]
    until_us: int
    quirks: Quirks
    rows: int = 0
    end_us: int = 0
    _live: Attempts = field(default_factory=lambda: np.empty(0, ATTEMPT), repr=False)
    _tally: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(len(TALLIES), np.int64), repr=False
    )

    def __iter__(self) -> Iterator[Attempts]:
        for block in self._blocks_in_time():
            yield self._apply(block)
        self.quirks.update(dict(zip(TALLIES, self._tally.tolist(), strict=True)))
        yield self._live

    def _blocks_in_time(self) -> Iterator[Block]:
        """Blocks up to ``until_us``, each without rows after the end of the trace."""
        for path in self.paths:
            if self.until_us < AFTER_END_US and not begins_before(path, self.until_us):
                return
            rows_before = 0
            for block in read_blocks(path, TASK_EVENTS, self.quirks):
                time_us = block["time"]
                self._refuse_disorder(time_us, path, rows_before)
                rows_before += len(time_us)
                within = int(np.searchsorted(time_us, min(self.until_us, AFTER_END_US)))
                if within:
                    self.end_us = int(time_us[within - 1])
                    yield {name: column[:within] for name, column in block.items()}
                if within < len(time_us) and time_us[within] < AFTER_END_US:
                    return
                self.quirks["after_trace_end_rows"] += len(time_us) - within

    def _refuse_disorder(self, time_us: NDArray[np.int64], path: Path, rows_before: int) -> None:
        previous = np.concatenate(([self.end_us], time_us[:-1]))
        if (time_us < previous).any():
            row = int(np.argmax(time_us < previous))
            raise row_error(
                path,
                rows_before + row + 1,
                "time",
                f"a time not before that of the previous row, {previous[row]} "
                "(do two parts overlap?)",
                time_us[row],
            )

    def _apply(self, block: Block) -> Attempts:
        _count_rows(block, self.quirks)
        keys = (block["job ID"] << INDEX_BITS) | block["task index"]
        self._live = _with_tasks(self._live, keys)
        ended = np.empty(len(keys), ATTEMPT)
        count = advance(
            np.searchsorted(self._live["key"], keys),
            block["time"],
            block["event type"],
            block["machine ID"],
            block["priority"],
            block["CPU request"],
            block["memory request"],
            self.rows,
            self._live,
            ended,
            self._tally,
        )
        self.rows += len(keys)
        self._live = self._live[self._live["phase"] != ABSENT]
        return ended[:count].copy()


def _with_tasks(live: Attempts, keys: NDArray[np.int64]) -> Attempts:
    """``live``, sorted by key, with an absent record for every key that has none."""
    ordered = np.sort(keys)
    wanted = ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))]
    place = np.searchsorted(live["key"], wanted)
    missing = np.ones(len(wanted), np.bool_)
    inside = place < len(live)
    missing[inside] = live["key"][place[inside]] != wanted[inside]
    fresh = np.zeros(int(missing.sum()), ATTEMPT)
    fresh["key"] = wanted[missing]
    fresh["phase"] = ABSENT
    return np.insert(live, place[missing], fresh)


def _count_rows(block: Block, quirks: Quirks) -> None:
    """Count what can be told from single rows."""
    event, no_machine = block["event type"], block["machine ID"] == EMPTY
    quirks["time_zero_rows"] += int((block["time"] == 0).sum())
    for code, name in enumerate(MISSING_INFO):
        quirks[name] += int((block["missing info"] == code).sum())
    cpu, memory = block["CPU request"], block["memory request"]
    quirks["request_empty_rows"] += int((np.isnan(cpu) | np.isnan(memory)).sum())
    quirks["request_cpu_zero_rows"] += int((cpu == 0).sum())
    quirks["request_memory_zero_rows"] += int((memory == 0).sum())
    quirks["machine_empty_on_submit"] += int((no_machine & (event == SUBMIT)).sum())
    ends = (event >= EVICT) & (event <= LOST)
    quirks["machine_empty_on_end"] += int((no_machine & ends).sum())


def until_us(until_s: float | None) -> int:
    """The first microsecond not to read.

    Raises:
        SettingError: the limit is not a time > 0.
    """
    if until_s is None:
        return AFTER_END_US
    if not until_s > 0:
        raise SettingError(f"until_s: expected a time > 0, got {until_s}")
    return int(min(np.ceil(until_s * US_PER_S), MAX_TIME_US + 1))
