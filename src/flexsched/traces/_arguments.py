"""Settings given as text, as arguments of a function that declares its types."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from flexsched.core.errors import SettingError
from flexsched.core.suggest import suggestion
from flexsched.core.workload import Workload


def typed_arguments(
    function: Callable[..., Workload],
    pairs: Iterable[tuple[str, str]],
    *,
    given: Sequence[str],
    where: str,
) -> dict[str, Any]:
    """Read (key, text) pairs as keyword arguments, each of the type that the function declares.

    Args:
        function: makes or reads a workload.
        pairs: names of its parameters and values as people write them.
        given: parameters that the caller fills itself.
        where: what the pairs belong to, for errors.

    Raises:
        SettingError: an unknown key, one that comes twice, or a value of another type.
    """
    # Readers import the class only for type checkers, to load fast.
    hints = get_type_hints(function, localns={"Workload": Workload})
    known = [key for key in inspect.signature(function).parameters if key not in given]
    arguments: dict[str, Any] = {}
    for key, text in pairs:
        if key not in known:
            raise SettingError(f"unknown key {key!r}", where=where, remedy=suggestion(key, known))
        if key in arguments:
            raise SettingError(f"expected each key once, got {key} again", where=where)
        try:
            arguments[key] = TypeAdapter(hints[key]).validate_python(text)
        except ValidationError as error:
            reason = error.errors()[0]["msg"]
            raise SettingError(f"key {key}: {reason}, got {text!r}", where=where) from None
    return arguments
