"""Events to attempts, one row and one dictionary at a time: slow, and obvious."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from google2011_rows import (
    AFTER_END,
    LOST,
    SCHEDULE,
    SUBMIT,
    UPDATE_PENDING,
)


@dataclass
class Attempt:
    job: int
    index: int
    submit_us: int
    cpu: float | None
    memory: float | None
    priority: int
    start_us: int | None = None
    end_us: int | None = None
    machine: int | None = None
    end_event: int | None = None


def attempts(rows: Iterable[str]) -> tuple[list[Attempt], Counter[str]]:
    """All attempts in the order of their first rows, and the anomalies met."""
    every: list[Attempt] = []
    current: dict[tuple[int, int], Attempt] = {}
    met: Counter[str] = Counter()
    for row in rows:
        (time, _, job, index, machine, kind, _, _, priority, cpu, memory, _, _) = row.split(",")
        if int(time) == AFTER_END:
            met["after_trace_end_rows"] += 1
            continue
        task = int(job), int(index)
        asks = (float(cpu) if cpu else None, float(memory) if memory else None)
        now, kind_number = int(time), int(kind)
        attempt = current.get(task)

        def begin() -> Attempt:
            fresh = Attempt(*task, now, *asks, int(priority))  # noqa: B023
            every.append(fresh)
            current[task] = fresh  # noqa: B023
            return fresh

        def override(known: Attempt) -> None:
            known.cpu = known.cpu if asks[0] is None else asks[0]  # noqa: B023
            known.memory = known.memory if asks[1] is None else asks[1]  # noqa: B023

        if kind_number == SUBMIT:
            if attempt is None:
                begin()
            elif attempt.start_us is None:
                met["submit_while_pending"] += 1
            else:
                met["submit_while_running"] += 1
                attempt.end_us, attempt.end_event = now, LOST
                begin()
        elif kind_number == SCHEDULE:
            if attempt is not None and attempt.start_us is not None:
                met["schedule_while_running"] += 1
                continue
            if attempt is None:
                met["schedule_without_submit"] += 1
                attempt = begin()
            override(attempt)
            attempt.start_us = now
            attempt.machine = int(machine) if machine else -1
        elif kind_number < UPDATE_PENDING:
            if attempt is None:
                met["end_without_submit"] += 1
            else:
                attempt.end_us, attempt.end_event = now, kind_number
                del current[task]
        elif attempt is None:
            met["update_without_submit"] += 1
        elif attempt.start_us is None:
            met["update_pending"] += 1
            override(attempt)
            attempt.priority = int(priority)
        else:
            met["update_running"] += 1
    return every, met
