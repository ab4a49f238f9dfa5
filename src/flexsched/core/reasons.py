"""Why a try to place a task failed, as values."""

from __future__ import annotations

from enum import IntEnum


class Reason(IntEnum):
    """Code of a task's last failed try; the order is stable because kernels store it.

    ``NONE``: never failed. ``USAGE``: penalised usage plus request exceeds every
    node. ``REQUEST``: summed requests exceed every node. ``TOO_LARGE``: larger
    than every node of the whole run. ``NO_NODE``: no node present. ``TASK_LIMIT``:
    a node had room, but its task limit was reached. ``HORIZON``: the run ended
    before the first try.
    """

    NONE = 0
    USAGE = 1
    REQUEST = 2
    TOO_LARGE = 3
    NO_NODE = 4
    TASK_LIMIT = 5
    HORIZON = 6


class State(IntEnum):
    """State of a task; submitted = the sum over all states, at every tick."""

    UNSUBMITTED = 0
    PENDING = 1
    RUNNING = 2
    FINISHED = 3
    REJECTED = 4
    FAILED = 5
    EVICTED = 6
