"""Sentences that say, with numbers, why tasks were not placed."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from flexsched.core.cluster import CPU, MEMORY
from flexsched.core.policies import FIT_TOLERANCE
from flexsched.core.quantities import format_bytes, format_cores
from flexsched.core.reasons import Reason
from flexsched.core.reasons import State as TaskState
from flexsched.simulator.engine import Simulation


def amount(value: float, resource: str) -> str:
    """A quantity with its unit: ``2 cores of CPU``, ``1.5Gi of memory``."""
    if resource == CPU:
        return f"{format_cores(value)} core{'' if value == 1 else 's'} of CPU"
    if resource == MEMORY:
        return f"{format_bytes(value)} of memory"
    return f"{value:g} of {resource}"


def reason_details(simulation: Simulation, tasks: NDArray[np.int64]) -> pa.Array:
    """A sentence for each task that has a reason, else null."""
    book = simulation.state.book
    state, reason = book.state[tasks], book.reason[tasks]
    details = np.full(len(tasks), None, object)
    waited = np.flatnonzero((reason != int(Reason.NONE)) & np.isin(
        state, (int(TaskState.RUNNING), int(TaskState.FINISHED))))  # fmt: skip
    details[waited] = _placed_later(
        book.attempts[tasks[waited]], book.life.start_s[tasks[waited]]
    ).to_numpy(zero_copy_only=False)
    stuck = np.flatnonzero((reason != int(Reason.NONE)) & ~np.isin(
        state, (int(TaskState.RUNNING), int(TaskState.FINISHED))))  # fmt: skip
    for code in np.unique(reason[stuck]):
        group = stuck[reason[stuck] == code]
        kinds = simulation.workload.request_kind[tasks[group]]
        _, first, which = np.unique(kinds, return_index=True, return_inverse=True)
        requests = simulation.workload.request[tasks[group[first]]]
        sentences = np.array([_sentence(simulation, Reason(code), row) for row in requests], object)
        details[group] = sentences[which]
    return pa.array(details, pa.string())


def _placed_later(attempts: NDArray[np.int32], start_s: NDArray[np.float64]) -> pa.Array:
    return pc.binary_join_element_wise(
        pc.cast(pa.array(attempts - 1), pa.string()),
        " failed tries before a node had room at ",
        pc.cast(pa.array(start_s), pa.string()),
        " s",
        "",
    )


def _sentence(simulation: Simulation, reason: Reason, request: NDArray[np.float64]) -> str:
    if reason == Reason.HORIZON:
        end_s = simulation.settings.horizon_s or simulation.last_t_s
        return f"the run ended at {end_s:g} s, before the first try"
    if reason == Reason.NO_NODE:
        return f"none of the {len(simulation.cluster)} nodes was present at the last try"
    if reason == Reason.TOO_LARGE:
        return _larger_than_all(simulation, request)
    if reason == Reason.TASK_LIMIT:
        return "every node with room was at its limit of running tasks"
    return _short(simulation, request)


def _larger_than_all(simulation: Simulation, request: NDArray[np.float64]) -> str:
    resources, capacity = simulation.cluster.resources, simulation.cluster.capacity
    parts = [
        f"asks {amount(request[position], name)}, the largest node has "
        f"{amount(capacity[:, position].max(), name)}"
        for position, name in enumerate(resources)
        if request[position] > capacity[:, position].max() * (1.0 + FIT_TOLERANCE)
    ]
    if not parts:
        asked = " and ".join(amount(v, n) for v, n in zip(request, resources, strict=True))
        largest = ", ".join(
            amount(capacity[:, position].max(), name) for position, name in enumerate(resources)
        )
        return f"no single node has {asked} together (largest per resource: {largest})"
    return "; ".join(parts)


def _short(simulation: Simulation, request: NDArray[np.float64]) -> str:
    """How many present nodes lack what, by the loads at the end of the last scan."""
    index, resources = simulation.index, simulation.cluster.resources
    present = index.present
    limit = index.capacity[present] * simulation.policy.claimed_factor()
    load = index.load[present]
    lacking = load + request > limit * (1.0 + FIT_TOLERANCE)
    parts = []
    for position, name in enumerate(resources):
        count = int(lacking[:, position].sum())
        if count:
            free = max(float((limit - load)[:, position].max()), 0.0)
            free = _free_cores(free) if name == CPU else free
            title = "CPU" if name == CPU else name
            parts.append(
                f"{title} short on {count} of {int(present.sum())} nodes "
                f"(asks {amount(request[position], name)}, at most {amount(free, name)} free)"
            )
    everywhere = bool((lacking.sum(axis=0) == len(lacking)).any())
    if parts and not everywhere and lacking.any(axis=1).all():
        parts.append("no node has room in all of them at once")
    return "; ".join(parts) or "no node had room at the last try"


def _free_cores(cores: float) -> float:
    """Cores cut to tenths: a request larger than what is free must not read as equal to it."""
    return math.floor(10.0 * cores * (1.0 + FIT_TOLERANCE)) / 10.0 if cores >= 1.0 else cores
