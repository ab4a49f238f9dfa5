"""The product, driven by the oracle's settings."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import flexsched as fs
from flexsched.core.cluster import Cluster
from flexsched.core.workload import Workload
from flexsched.simulator.run import Run
from oracle import Settings

_CLASSES = {
    "least-fit": "LeastFit",
    "oversub": "Oversub",
    "flex-f": "FlexF",
    "flex-l": "FlexL",
    "first-fit": "FirstFit",
    "best-fit": "BestFit",
    "random": "Random",
}
_ALL = ("attempts_per_tick", "backoff")
_SCORED = ("tie",)
_FLEX = ("target_qos", "penalty_start", "penalty_min", "penalty_max", "alpha", "beta",
         "controller", "same_source_weight")  # fmt: skip
_NAMES = {
    "least-fit": _ALL + _SCORED,
    "oversub": (*_ALL, *_SCORED, "factor"),
    "flex-f": _ALL + _SCORED + _FLEX,
    "flex-l": (*_ALL, *_SCORED, *_FLEX, "order"),
    "first-fit": _ALL,
    "best-fit": _ALL + _SCORED,
    "random": _ALL,
}


def policy(settings: Settings) -> Any:
    """The product's policy object; settings at their default are left to the product."""
    default = Settings(settings.policy)
    chosen = {name: getattr(settings, name) for name in _NAMES[settings.policy]}
    changed = {name: x for name, x in chosen.items() if x != getattr(default, name)}
    return getattr(fs, _CLASSES[settings.policy])(**changed)


def simulate(
    workload: Workload,
    cluster: Cluster | None,
    settings: Settings,
    *,
    seed: int = 0,
    observers: tuple[Callable[[Any], None], ...] = (),
) -> Run:
    """One run of the product."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the paper's controller says that it can stick
        return fs.simulate(
            workload,
            cluster=cluster,
            policy=policy(settings),
            tick_s=settings.tick_s,
            horizon_s=settings.horizon_s,
            seed=seed,
            contention=settings.contention,
            observers=observers,
        )
