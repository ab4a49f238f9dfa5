"""How a suite says that a contract is broken."""

from __future__ import annotations

from flexsched.core.errors import FlexschedError


class ConformanceError(FlexschedError, AssertionError):
    """A policy or estimator breaks its contract; the message holds the numbers."""


def require(holds: bool, who: str, contract: str, numbers: str = "", remedy: str = "") -> None:
    """Raise unless a contract holds.

    Args:
        holds: whether it does.
        who: class that is being checked.
        contract: what was expected, in one sentence.
        numbers: the case that breaks it.
        remedy: what to do about it.

    Raises:
        ConformanceError: it does not hold.
    """
    if not holds:
        case = f", got {numbers}" if numbers else ""
        raise ConformanceError(f"expected that {contract}{case}", where=who, remedy=remedy)
