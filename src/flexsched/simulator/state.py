"""What a running simulation knows, as named tuples of arrays that kernels change in place.

T tasks, N nodes (in tie order, see :class:`~flexsched.core.placement.NodeIndex`), R resources,
S sources, K distinct requests; a slot is a place in the table of running tasks, which is kept
in bind order, so that every per-node sum is the plain sum over the node's tasks in the order in
which they were bound.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from flexsched.core.workload import Workload

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Links = NDArray[np.int32]
#: Tasks by rank, or ranks of tasks.
Ranks = NDArray[np.int32]
Flags = NDArray[np.bool_]
#: (W, R) usage rows, float32 or float64.
Series = NDArray[Any]
#: An array of records, (n,); a field of it is an array of its own.
Records = Any

#: Slots of the ring of ending tasks; a task ending later goes round more than once.
RING_TICKS = 4096
#: "No task" in linked lists, "no node" in tables.
NONE = -1
#: ``check_tick`` of a series that will not change any more.
NEVER = np.iinfo(np.int64).max


class TaskInputs(NamedTuple):
    """What the workload says, read-only; shapes as in ``Workload``.

    The usage rows are not in it: they come in two types, and only the measurement reads them.
    """

    request: Floats
    request_kind: NDArray[np.int32]
    source: Ints
    duration_s: Floats
    usage_offset: Ints
    usage_length: Ints
    window_s: Floats


class TaskBook(NamedTuple):
    """What happened to each task, (T,) each: what every try touches, and the rest in ``life``.

    ``last_try`` is a tick number; not kept where every pending task is tried at every tick.
    """

    state: NDArray[np.int8]
    reason: NDArray[np.int8]
    attempts: NDArray[np.int32]
    last_try: NDArray[np.int32]
    life: Records


#: One record per task. ``node`` is the row of the last placement or NONE, ``slot`` its place in
#: the running table; ``pending_since_s`` and ``wait_s`` make up the time spent pending;
#: ``failures`` counts failed tries since it last became pending, ``tried_round`` is the round of
#: the queue in which it was last tried (attempt limits only), ``next_try_s`` ends its back-off;
#: the last three link the lists in :class:`Lists`.
LIFE = np.dtype(
    [
        ("start_s", np.float64),
        ("end_s", np.float64),
        ("pending_since_s", np.float64),
        ("wait_s", np.float64),
        ("violated_s", np.float64),
        ("next_try_s", np.float64),
        ("node", np.int32),
        ("slot", np.int32),
        ("failures", np.int32),
        ("tried_round", np.int32),
        ("next_of_source", np.int32),
        ("previous_of_source", np.int32),
        ("next_ending", np.int32),
    ],
    align=True,
)


class Lists(NamedTuple):
    """Heads of linked lists through tasks: running ones per source, and ending ones per tick."""

    source_head: Links
    ending_head: Links


class RunningTable(NamedTuple):
    """Running tasks by slot; ``node`` is NONE where a task has ended.

    ``demand`` and ``usage`` are of the last measurement; at ``check_tick`` the demand may change.
    ``series`` repeats what finding it takes, so that a pass over the slots reads memory in order.
    """

    node: NDArray[np.int32]
    task: NDArray[np.int32]
    check_tick: Ints
    series: Records
    request: Floats
    demand: Floats
    usage: Floats


#: A running task's usage series: when it began, its window, first row and number of rows.
SERIES = np.dtype(
    [("start_s", np.float64), ("window_s", np.float64), ("first", np.int64), ("length", np.int64)]
)


class NodeTotals(NamedTuple):
    """Sums over each node's running tasks, (N, R); flags (N,); scratch of one measurement.

    ``dirty``: a task ended or left since the sums were made. ``contended``: some demand exceeded
    capacity at the last measurement. ``guaranteed`` and ``unmet`` are scratch.
    """

    request: Floats
    usage: Floats
    demand: Floats
    dirty: Flags
    contended: Flags
    guaranteed: Floats
    unmet: Floats


class Count(IntEnum):
    """Positions in the array of single numbers that kernels change.

    ``SLOTS``: used slots of the running table, holes too. ``LIVE``: running tasks; ``ENDLESS``:
    those without an end. ``SOURCE``: source that the index counts now, ``TOUCHED``: on how many
    nodes. ``ROUND``: of the queue. The rest count events of the current tick.
    """

    SLOTS = 0
    LIVE = 1
    ENDLESS = 2
    SOURCE = 3
    TOUCHED = 4
    ROUND = 5
    ATTEMPTS = 6
    PLACED = 7
    FINISHED = 8
    FAILED = 9
    EVICTED = 10


#: The last failure of each distinct request: its tick number and reason, and how many tasks that
#: tick had placed before it.
KIND = np.dtype([("failed_tick", np.int32), ("reason", np.int32), ("placed", np.int64)])


class State(NamedTuple):
    """Everything above in one piece."""

    tasks: TaskInputs
    book: TaskBook
    lists: Lists
    running: RunningTable
    totals: NodeTotals
    counters: Ints
    kinds: Records


def make_state(workload: Workload, nodes: int) -> State:
    """The state before anything was submitted."""
    count, width = workload.request.shape
    book = TaskBook(
        state=np.zeros(count, np.int8),
        reason=np.zeros(count, np.int8),
        attempts=np.zeros(count, np.int32),
        last_try=np.full(count, NONE, np.int32),
        life=np.zeros(count, LIFE).view(np.recarray),
    )
    for name in ("start_s", "end_s"):
        book.life[name] = np.nan
    for name in ("node", "slot", "tried_round", "next_of_source", "previous_of_source",
                 "next_ending"):  # fmt: skip
        book.life[name] = NONE
    book.life.next_try_s = -np.inf
    counters = np.zeros(len(Count), np.int64)
    counters[Count.SOURCE] = NONE
    kinds = np.zeros(int(workload.request_kind.max(initial=-1)) + 1, KIND).view(np.recarray)
    kinds.failed_tick = NONE
    return State(
        tasks=TaskInputs(*(read_only(getattr(workload, name)) for name in TaskInputs._fields)),
        book=book,
        lists=Lists(
            source_head=np.full(len(workload.source_names), NONE, np.int32),
            ending_head=np.full(RING_TICKS, NONE, np.int32),
        ),
        running=make_running(0, width),
        totals=NodeTotals(
            request=np.zeros((nodes, width)),
            usage=np.zeros((nodes, width)),
            demand=np.zeros((nodes, width)),
            dirty=np.zeros(nodes, np.bool_),
            contended=np.zeros(nodes, np.bool_),
            guaranteed=np.zeros((nodes, width)),
            unmet=np.zeros((nodes, width)),
        ),
        counters=counters,
        kinds=kinds,
    )


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view that cannot be written through, of one type for kernels wherever it came from."""
    view = np.ascontiguousarray(np.asarray(array)).view()
    view.flags.writeable = False
    return view


def make_running(slots: int, width: int) -> RunningTable:
    """A table of running tasks with so many unused slots."""
    return RunningTable(
        node=np.full(slots, NONE, np.int32),
        task=np.full(slots, NONE, np.int32),
        check_tick=np.zeros(slots, np.int64),
        series=np.zeros(slots, SERIES).view(np.recarray),
        request=np.zeros((slots, width)),
        demand=np.zeros((slots, width)),
        usage=np.zeros((slots, width)),
    )


def with_room(state: State, more: int) -> State:
    """The state with at least so many unused slots; its running table may have moved."""
    used = int(state.counters[Count.SLOTS])
    if used + more <= len(state.running.node):
        return state
    larger = make_running(2 * (used + more), state.running.request.shape[1])
    for column in RunningTable._fields:
        getattr(larger, column)[:used] = getattr(state.running, column)[:used]
    return state._replace(running=larger)
