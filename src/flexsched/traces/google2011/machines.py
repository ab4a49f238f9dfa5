"""Machine events as nodes: one node for each stretch of time a machine had one capacity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from flexsched.core.cluster import Cluster
from flexsched.core.errors import InputError
from flexsched.traces.google2011.quirks import Quirks
from flexsched.traces.google2011.schema import (
    MACHINE_ADD,
    MACHINE_EVENTS,
    MACHINE_REMOVE,
    US_PER_S,
)
from flexsched.traces.google2011.tables import read_blocks, row_error

#: CPU and memory as fractions of the largest machine.
Capacity = tuple[float, float]


@dataclass
class _Presence:
    """One machine at one capacity, from one time to another."""

    machine: int
    number: int
    capacity: Capacity | None
    from_us: int
    until_us: int | None = None

    @property
    def name(self) -> str:
        return f"m{self.machine}" if self.number == 1 else f"m{self.machine}#{self.number}"


@dataclass(frozen=True)
class Machines:
    """The nodes of the trace and which of them each machine was.

    Attributes:
        cluster: N nodes in the order in which they appear; names m<machine ID>, and
            m<machine ID>#2 and so on for later presences of the same machine.
        machine: (N,) machine ID of each node.
    """

    cluster: Cluster
    machine: NDArray[np.int64]

    def at_start(self, machines: NDArray[np.int64]) -> NDArray[np.int32]:
        """Nodes that the given machines were at time 0; -1 for those that were none."""
        present = np.flatnonzero(self.cluster.from_s == 0)
        order = present[np.argsort(self.machine[present])]
        place = np.searchsorted(self.machine[order], machines)
        place = np.minimum(place, len(order) - 1)
        node = np.where(self.machine[order][place] == machines, order[place], -1)
        return node.astype(np.int32)

    def largest(self, machines: NDArray[np.int64]) -> NDArray[np.float64]:
        """(M, 2) most that each machine ever had of each resource; inf for unknown machines."""
        ids, of_node = np.unique(self.machine, return_inverse=True)
        most = np.zeros((len(ids), 2))
        np.maximum.at(most, of_node, self.cluster.capacity)
        place = np.minimum(np.searchsorted(ids, machines), len(ids) - 1)
        return np.where((ids[place] == machines)[:, None], most[place], np.inf)


def read_machines(
    paths: Sequence[Path],
    *,
    end_us: int,
    running_at_start: NDArray[np.int64],
    node: Capacity,
    quirks: Quirks,
) -> Machines:
    """Read the machine table up to ``end_us``, the time of the last task event.

    Args:
        paths: machine_events files in order of time, at least one.
        end_us: rows after this time tell capacities, but change nothing.
        running_at_start: IDs of machines that run tasks at time 0 and so must be there.
        node: cores and bytes that a fraction of 1 stands for.
        quirks: added to.

    Raises:
        InputError: a row breaks the schema, comes out of order, or no machine is left.
    """
    history = _History(quirks)
    rows = list(_rows(paths, quirks))
    known = {
        machine for time_us, machine, event, _ in rows if time_us == 0 and event == MACHINE_ADD
    }
    for machine in sorted(set(running_at_start.tolist()) - known):
        quirks["machine_inferred"] += 1
        history.add(0, machine, None)
    for time_us, machine, event, capacity in rows:
        history.note_capacity(machine, capacity)
        quirks["machine_add_without_capacity"] += event == MACHINE_ADD and capacity is None
        if time_us > end_us:
            quirks["machine_event_after_end"] += 1
        elif event == MACHINE_ADD:
            history.add(time_us, machine, capacity)
        elif event == MACHINE_REMOVE:
            history.remove(time_us, machine)
        else:
            history.update(time_us, machine, capacity)
    return _to_machines(history.presences(), node, paths)


def _rows(paths: Sequence[Path], quirks: Quirks) -> Iterable[tuple[int, int, int, Capacity | None]]:
    """Rows as time, machine, event and capacity; the table is small enough for plain Python."""
    previous_us = 0
    for path in paths:
        number = 0
        for block in read_blocks(path, MACHINE_EVENTS, quirks):
            columns = (block[field.name].tolist() for field in MACHINE_EVENTS.fields)
            for time_us, machine, event, cpu, memory in zip(*columns, strict=True):
                number += 1
                if time_us < previous_us:
                    expected = f"a time not before that of the previous row, {previous_us}"
                    raise row_error(path, number, "time", expected, time_us)
                previous_us = time_us
                unknown = np.isnan(cpu) or np.isnan(memory)
                yield time_us, machine, event, None if unknown else (cpu, memory)


class _History:
    """Presences of all machines, built row by row."""

    def __init__(self, quirks: Quirks) -> None:
        self._quirks = quirks
        self._of_machine: dict[int, list[_Presence]] = {}
        self._in_order: list[_Presence] = []
        self._told: dict[int, Capacity] = {}
        self._commonest: Counter[Capacity] = Counter()

    def note_capacity(self, machine: int, capacity: Capacity | None) -> None:
        """Remember what rows say, whenever they say it, for presences that do not know."""
        if capacity is not None and machine not in self._told:
            self._told[machine] = capacity
            self._commonest[capacity] += 1

    def add(self, time_us: int, machine: int, capacity: Capacity | None) -> None:
        if self._present(machine) is not None:
            self._quirks["machine_add_while_present"] += 1
            return
        self._quirks["machine_returned"] += machine in self._of_machine
        self._begin(time_us, machine, capacity)

    def remove(self, time_us: int, machine: int) -> None:
        presence = self._present(machine)
        if presence is None:
            self._quirks["machine_remove_while_absent"] += 1
        else:
            presence.until_us = time_us

    def update(self, time_us: int, machine: int, capacity: Capacity | None) -> None:
        presence = self._present(machine)
        if presence is None:
            self._quirks["machine_update_while_absent"] += 1
        elif presence.capacity is None:
            presence.capacity = capacity
        elif capacity is None or capacity == presence.capacity:
            self._quirks["machine_update_same"] += 1
        else:
            self._quirks["machine_update_changed"] += 1
            presence.until_us = time_us
            self._begin(time_us, machine, capacity)

    def presences(self) -> list[_Presence]:
        """All presences in order of appearance, with capacities filled and empty ones left out."""
        for presence in self._in_order:
            if presence.capacity is None:
                presence.capacity = self._told.get(presence.machine)
            if presence.capacity is None and self._commonest:
                self._quirks["machine_capacity_filled"] += 1
                presence.capacity = self._commonest.most_common(1)[0][0]
        lasting = [p for p in self._in_order if p.until_us is None or p.until_us > p.from_us]
        self._quirks["machine_presence_empty"] += len(self._in_order) - len(lasting)
        return lasting

    def _begin(self, time_us: int, machine: int, capacity: Capacity | None) -> None:
        earlier = self._of_machine.setdefault(machine, [])
        presence = _Presence(machine, len(earlier) + 1, capacity, time_us)
        earlier.append(presence)
        self._in_order.append(presence)

    def _present(self, machine: int) -> _Presence | None:
        earlier = self._of_machine.get(machine)
        return earlier[-1] if earlier and earlier[-1].until_us is None else None


def _to_machines(presences: list[_Presence], node: Capacity, paths: Sequence[Path]) -> Machines:
    if not presences or any(p.capacity is None for p in presences):
        raise InputError(
            "expected machines with a capacity, got none", where=", ".join(map(str, paths))
        )
    capacity = np.array([p.capacity for p in presences], np.float64) * node
    cluster = Cluster.from_arrays(
        capacity,
        names=[p.name for p in presences],
        from_s=np.array([p.from_us / US_PER_S for p in presences]),
        until_s=np.array(
            [np.inf if p.until_us is None else p.until_us / US_PER_S for p in presences]
        ),
    )
    return Machines(cluster, np.array([p.machine for p in presences], np.int64))
