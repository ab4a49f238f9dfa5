"""What a placement policy is.

A policy is two things: settings (a pydantic model that names, validates and stores them) and a
rule (a named tuple whose methods say for one node whether a request fits and how good it
is). Rules are plain Python; kernels that are handed one are compiled for it by Numba.
"""

from __future__ import annotations

import difflib
from abc import abstractmethod
from typing import Any, ClassVar, Literal, Protocol, Self, get_args

import numpy as np
from numba.core import types
from numba.extending import overload_method
from numpy.typing import NDArray
from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    PositiveInt,
    ValidationError,
    model_validator,
)

from flexsched.core.cluster import Cluster
from flexsched.core.errors import SettingError
from flexsched.core.estimators import Estimator
from flexsched.core.jit import inlined
from flexsched.core.penalty import PenaltyController
from flexsched.core.queues import Order, first_in_first_out
from flexsched.core.workload import Workload

#: A sum counts as fitting up to this relative excess; absorbs rounding only.
FIT_TOLERANCE = 1e-9
#: What the policy's load is made of: penalised estimated usage, or summed requests.
LoadKind = Literal["usage", "request"]
Matrix = NDArray[np.float64]


class Rule(Protocol):
    """What a policy says of one node: a named tuple with at least one field and these methods.

    Compiled code calls them for every node looked at: index the arrays as shown and allocate
    nothing. ``load`` and ``capacity`` are (N, R), ``request`` is (R,), ``node`` is the row.
    """

    def fits(self, load: Matrix, node: int, request: Matrix, capacity: Matrix) -> bool:
        """Whether the request has room; more load or less capacity never makes it fit."""

    def score(
        self, load: Matrix, node: int, request: Matrix, capacity: Matrix, same_source: float
    ) -> float:
        """How good the node is, the highest wins; ``same_source``: its tasks of this source."""

    def ceiling(self, load: Matrix, node: int, capacity: Matrix, same_source: float) -> float:
        """No request scores above this on the node; ``inf`` is right, a tight value is fast."""

    def block_ceiling(
        self, key: float, load: Matrix, block: int, request: Matrix, capacity: Matrix
    ) -> float:
        """No node of a block scores above this: best key, least loads, largest capacities."""


class Policy(BaseModel):
    """Settings that every policy has.

    Attributes:
        tie: who wins among equal scores: the first node in file order, a seeded draw, or
            the last by name (the authors' simulator).
        attempts_per_tick: tries of one tick at most; those not tried since the last full
            round go first in the next.
        failures_per_tick: the scan of a tick stops after so many failures (the authors: 1000).
        backoff: what a failed task does: be tried at every tick, wait as in Kubernetes
            (1 s, doubling to 10 s), or fail for good.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    load: ClassVar[LoadKind]
    #: Whether to look for nodes by their load; off where file order alone decides. For speed only.
    searches_by_load: ClassVar[bool] = True

    tie: Literal["first", "seeded", "last-lexical"] = "first"
    attempts_per_tick: PositiveInt | None = None
    failures_per_tick: PositiveInt | None = None
    backoff: Literal["none", "kubernetes", "fail"] = "none"

    @model_validator(mode="wrap")
    @classmethod
    def _one_error_tree(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        cls.check_complete()
        try:
            return handler(data)
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(map(str, first["loc"])) or cls.name
            known = sorted(cls.model_fields)
            near = difflib.get_close_matches(key, known, n=1)
            remedy = f"settings of {cls.name}: {', '.join(known)}"
            if first["type"] == "extra_forbidden":
                message = f"unknown setting {key}" + (f", did you mean {near[0]}?" if near else "")
            else:
                message = f"{key}: {first['msg']}, got {first['input']!r}"
            raise SettingError(message, where=f"policy {cls.name}", remedy=remedy) from None

    @classmethod
    def check_complete(cls) -> None:
        """Refuse a class that does not say all that a policy must.

        Raises:
            SettingError: name, title, summary, load or rule is missing, or load is neither
                "usage" nor "request".
        """
        missing = [key for key in ("name", "title", "summary", "load") if not hasattr(cls, key)]
        missing += ["rule()"] * ("rule" in cls.__abstractmethods__)
        loads = get_args(LoadKind)
        if missing:
            message = f"expected a policy to define {', '.join(missing)}"
        elif cls.load not in loads:
            message = f"load: expected {' or '.join(loads)}, got {cls.load!r}"
        else:
            return
        raise SettingError(
            message,
            where=f"policy class {cls.__module__}.{cls.__qualname__}",
            remedy='add them to the class, for instance load: ClassVar[LoadKind] = "usage"',
        )

    @abstractmethod
    def rule(self) -> Any:
        """The placement rule (see :class:`Rule`)."""

    def queue_order(self, workload: Workload, cluster: Cluster) -> Order:
        """(T,) tasks in the order in which they are tried; first come, first served."""
        return first_in_first_out(workload)

    def make_controller(self, tick_s: float) -> PenaltyController | None:
        """A fresh penalty controller for updates every ``tick_s``, or None."""
        return None

    def claimed_factor(self) -> float:
        """What the policy takes a node's capacity for, over the real one."""
        return 1.0

    def fixed_penalty(self) -> float:
        """P where there is no controller."""
        return 1.0

    def make_estimator(self) -> Estimator | None:
        """A fresh estimator of node usage, or None if the policy goes by requests."""
        return None

    def effective_settings(self) -> dict[str, Any]:
        """Every setting with the value in force, defaults that depend on others too."""
        return self.model_dump()

    def label(self) -> str:
        """Name plus the settings that differ from the defaults: ``flex-f:alpha=0.98``."""
        defaults = type(self)()
        changed = [
            f"{field}={getattr(self, field):g}"
            if isinstance(getattr(self, field), float)
            else f"{field}={getattr(self, field)}"
            for field in type(self).model_fields
            if getattr(self, field) != getattr(defaults, field)
        ]
        return ":".join((self.name, ",".join(changed))) if changed else self.name


def _let_compiled_code_call(name: str, named_tuple: type) -> None:
    """Make ``rule.name(...)`` in a kernel call the method of the rule's own class."""

    @overload_method(named_tuple, name, jit_options={"forceinline": True})  # type: ignore[call-arg]
    def call(self: Any, *arguments: Any) -> Any:
        method = getattr(self.instance_class, name, None)
        if method is None:
            return None
        compiled = inlined(method)

        def run(self: Any, *arguments: Any) -> Any:
            return compiled(self, *arguments)

        return run


for _name in ("fits", "score", "ceiling", "block_ceiling"):
    for _named_tuple in (types.NamedTuple, types.NamedUniTuple):
        _let_compiled_code_call(_name, _named_tuple)
