"""How one node's capacity is shared when demand exceeds it (paper, section 3).

Symbols as in the paper: C capacity, r request, d demand, a allocation; R and D are sums
over the node's running tasks. The scalar functions are what the simulator's kernel calls.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from flexsched.core.jit import inlined


@inlined
def guarantee(demand: float, request: float, capacity: float, requested: float) -> float:
    """What a task gets in any case: min(d, r, C*r/R); 0 where nothing is requested.

    Args:
        demand: d of the task.
        request: r of the task.
        capacity: C of the node.
        requested: R of the node.
    """
    if requested <= 0.0:
        return 0.0
    return min(demand, min(request, capacity * request / requested))


@inlined
def wrapped_guarantee(demand: float, request: float, capacity: float, requested: float) -> float:
    """:func:`guarantee` with C*r in 64-bit integer bytes, as in the authors' simulator.

    The product wraps once it passes 2**63 (r above 64 MiB on a 128 GiB node), which leaves
    an arbitrary guarantee, here cut at 0. Only for explaining their published numbers.
    """
    if requested <= 0.0:
        return 0.0
    half, whole = 9223372036854775808.0, 18446744073709551616.0
    product = np.floor(capacity) * np.floor(request)
    wrapped = product - np.floor((product + half) / whole) * whole
    return max(0.0, min(demand, min(request, wrapped / requested)))


@inlined
def allocation(
    demand: float, guaranteed: float, capacity: float, sum_guaranteed: float, sum_unmet: float
) -> float:
    """Guarantee plus the task's share of the leftover, in proportion to its unmet demand."""
    if sum_unmet <= 0.0:
        return guaranteed
    leftover = max(0.0, capacity - sum_guaranteed)
    return min(demand, guaranteed + (demand - guaranteed) * (leftover / sum_unmet))


def allocate(
    demand: NDArray[np.float64], request: NDArray[np.float64], capacity: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Allocations of all tasks of one node.

    Args:
        demand: (n, R) demand of the node's n running tasks, >= 0.
        request: (n, R) their requests, >= 0.
        capacity: (R,) capacity of the node, >= 0.

    Returns:
        (n, R) allocations, 0 <= a <= d, summing to min(C, D) per resource up to rounding.
    """
    allocated = demand.astype(np.float64, copy=True)
    for resource, available in enumerate(capacity):
        wanted, asked = demand[:, resource], request[:, resource]
        if wanted.sum() <= available:
            continue
        total = asked.sum()
        ensured = np.array(
            [guarantee(d, r, available, total) for d, r in zip(wanted, asked, strict=True)]
        )
        unmet = float((wanted - ensured).sum())
        allocated[:, resource] = [
            allocation(d, g, available, ensured.sum(), unmet)
            for d, g in zip(wanted, ensured, strict=True)
        ]
    return allocated
