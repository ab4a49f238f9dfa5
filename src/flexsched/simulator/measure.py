"""Measuring one tick: demand from the series, allocation under contention, who is served."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexsched.core.contention import allocation, guarantee, wrapped_guarantee
from flexsched.core.jit import kernel
from flexsched.core.placement import NodeIndex
from flexsched.core.qos import served
from flexsched.simulator.state import NEVER, NONE, Flags, Floats, Ints, RunningTable, State, TaskInputs


@kernel
def _read_demand(
    tasks: TaskInputs,
    running: RunningTable,
    slot: int,
    start_s: float,
    tick: int,
    tick_s: float,
    demand_scale: float,
) -> None:
    """Take the demand of the window that the tick falls into, and note when it may change."""
    task = running.task[slot]
    length = tasks.usage_length[task]
    width = running.demand.shape[1]
    if length == 0:
        for resource in range(width):
            running.demand[slot, resource] = tasks.request[task, resource] * demand_scale
        running.check_tick[slot] = NEVER
        return
    window_s = tasks.window_s[task]
    window = int(np.floor((tick * tick_s - start_s) / window_s))
    row = tasks.usage_offset[task] + min(window, length - 1)
    for resource in range(width):
        running.demand[slot, resource] = tasks.usage[row, resource] * demand_scale
    if window >= length - 1:
        running.check_tick[slot] = NEVER
    else:
        # Rounded down: a look too early changes nothing, one too late would.
        boundary = int(np.floor((start_s + (window + 1) * window_s) / tick_s))
        running.check_tick[slot] = max(tick + 1, boundary)


@kernel
def _demand(state: State, tick: int, tick_s: float, demand_scale: float) -> None:
    running, totals = state.running, state.totals
    width = running.demand.shape[1]
    totals.demand[:] = 0.0
    for slot in range(state.counters.slots[0]):
        node = running.node[slot]
        if node == NONE:
            continue
        if tick >= running.check_tick[slot]:
            start_s = state.book.start_s[running.task[slot]]
            _read_demand(state.tasks, running, slot, start_s, tick, tick_s, demand_scale)
            for resource in range(width):
                running.usage[slot, resource] = running.demand[slot, resource]
        for resource in range(width):
            totals.demand[node, resource] += running.demand[slot, resource]


@kernel
def measure(
    state: State,
    index: NodeIndex,
    tick: int,
    tick_s: float,
    demand_scale: float,
    wrapped_resource: int,
) -> int:
    """Measure every running task at the start of a tick's interval.

    Args:
        state: the simulation; its usage, demand and ``violated_s`` are updated.
        index: the nodes (capacity only).
        tick: number of the tick.
        tick_s: length of a tick.
        demand_scale: factor on every series.
        wrapped_resource: resource whose guarantee wraps as in the authors' code, or -1.

    Returns:
        How many running tasks are violated.
    """
    running, totals = state.running, state.totals
    nodes, width = totals.demand.shape
    _demand(state, tick, tick_s, demand_scale)
    # A node that was contended before holds usages below demand that may be over now.
    any_special = False
    special = np.zeros(nodes, np.bool_)
    for node in range(nodes):
        contended = False
        for resource in range(width):
            contended |= totals.demand[node, resource] > index.capacity[node, resource]
            totals.usage[node, resource] = totals.demand[node, resource]
        special[node] = contended or totals.contended[node]
        totals.contended[node] = contended
        any_special |= special[node]
    if not any_special:
        return 0
    for node in range(nodes):
        if special[node]:
            for resource in range(width):
                totals.guaranteed[node, resource] = 0.0
                totals.unmet[node, resource] = 0.0
                totals.usage[node, resource] = 0.0
    for slot in range(state.counters.slots[0]):
        node = running.node[slot]
        if node == NONE or not special[node]:
            continue
        for resource in range(width):
            demand = running.demand[slot, resource]
            ensured = demand
            if totals.demand[node, resource] > index.capacity[node, resource]:
                request = running.request[slot, resource]
                capacity = index.capacity[node, resource]
                requested = totals.request[node, resource]
                if resource == wrapped_resource:
                    ensured = wrapped_guarantee(demand, request, capacity, requested)
                else:
                    ensured = guarantee(demand, request, capacity, requested)
            running.usage[slot, resource] = ensured
            totals.guaranteed[node, resource] += ensured
            totals.unmet[node, resource] += demand - ensured
    return _share_leftover(state, index, special, tick * tick_s, tick_s)


@kernel
def _share_leftover(
    state: State,
    index: NodeIndex,
    special: np.ndarray,
    t_s: float,
    tick_s: float,  # type: ignore[type-arg]
) -> int:
    """Second half of the split: ``usage`` holds guarantees on entry and allocations on return."""
    running, totals = state.running, state.totals
    violated = 0
    for slot in range(state.counters.slots[0]):
        node = running.node[slot]
        if node == NONE or not special[node]:
            continue
        satisfied = True
        for resource in range(running.demand.shape[1]):
            demand = running.demand[slot, resource]
            allocated = allocation(
                demand,
                running.usage[slot, resource],
                index.capacity[node, resource],
                totals.guaranteed[node, resource],
                totals.unmet[node, resource],
            )
            running.usage[slot, resource] = allocated
            totals.usage[node, resource] += allocated
            satisfied &= served(allocated, demand, running.request[slot, resource])
        if not satisfied:
            task = running.task[slot]
            violated += 1
            state.book.violated_s[task] += min(tick_s, state.book.end_s[task] - t_s)
    return violated


class NodeStatistics(NamedTuple):
    """Running summaries per node of usage and request (Welford 1962); never a full history.

    ``rows`` is (N,), rows with the node present; the rest are (2, N, R): usage, then request.
    """

    rows: Ints
    mean: Floats
    squares: Floats
    least: Floats
    most: Floats


def make_statistics(nodes: int, width: int) -> NodeStatistics:
    """Summaries of no measurement yet."""
    shape = (2, nodes, width)
    return NodeStatistics(
        rows=np.zeros(nodes, np.int64),
        mean=np.zeros(shape),
        squares=np.zeros(shape),
        least=np.full(shape, np.inf),
        most=np.full(shape, -np.inf),
    )


@kernel
def summarise(state: State, index: NodeIndex, statistics: NodeStatistics) -> Floats:
    """Fold a measurement into the node statistics and sum it over the cluster.

    Returns:
        (5, R): request, usage, demand, capacity of the present nodes, and imbalance, the
        population standard deviation of usage/capacity over its mean (nan where that is 0).
    """
    totals = state.totals
    nodes, width = totals.request.shape
    sums = np.zeros((5, width))
    for node in range(nodes):
        if not index.present[node]:
            continue
        statistics.rows[node] += 1
        for resource in range(width):
            sums[0, resource] += totals.request[node, resource]
            sums[1, resource] += totals.usage[node, resource]
            sums[2, resource] += totals.demand[node, resource]
            sums[3, resource] += index.capacity[node, resource]
            for kind in range(2):
                value = (totals.usage if kind == 0 else totals.request)[node, resource]
                delta = value - statistics.mean[kind, node, resource]
                statistics.mean[kind, node, resource] += delta / statistics.rows[node]
                statistics.squares[kind, node, resource] += delta * (
                    value - statistics.mean[kind, node, resource]
                )
                statistics.least[kind, node, resource] = min(
                    statistics.least[kind, node, resource], value
                )
                statistics.most[kind, node, resource] = max(
                    statistics.most[kind, node, resource], value
                )
    for resource in range(width):
        count, mean, spread = 0, 0.0, 0.0
        for node in range(nodes):
            if index.present[node] and index.capacity[node, resource] > 0.0:
                count += 1
                mean += totals.usage[node, resource] / index.capacity[node, resource]
        if count > 0:
            mean /= count
        for node in range(nodes):
            if index.present[node] and index.capacity[node, resource] > 0.0:
                off = totals.usage[node, resource] / index.capacity[node, resource] - mean
                spread += off * off
        sums[4, resource] = np.sqrt(spread / count) / mean if mean > 0.0 else np.nan
    return sums


@kernel
def later_change_s(state: State) -> float:
    """Last time at which the demand of a task that runs now differs from before, or -inf."""
    latest = -np.inf
    tasks = state.tasks
    for slot in range(state.counters.slots[0]):
        if state.running.node[slot] == NONE:
            continue
        task = state.running.task[slot]
        first = tasks.usage_offset[task]
        for window in range(tasks.usage_length[task] - 1, 0, -1):
            differs = False
            for resource in range(tasks.usage.shape[1]):
                differs |= (
                    tasks.usage[first + window, resource]
                    != tasks.usage[first + window - 1, resource]
                )
            if differs:
                change_s = state.book.start_s[task] + window * tasks.window_s[task]
                latest = max(latest, change_s)
                break
    return latest
