"""Reading a workload of any kind, by what its name says."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, get_type_hints
from urllib.parse import parse_qsl

from pydantic import TypeAdapter, ValidationError

from flexsched.core.errors import InputError, SettingError
from flexsched.core.suggest import suggestion
from flexsched.core.workload import Workload
from flexsched.traces import stored, synthetic
from flexsched.traces.scenario import read_scenario

_SCENARIO_SUFFIXES = (".yaml", ".yml", ".json")
_SYNTHETIC = "synthetic:"


def read_workload(where: str | Path) -> Workload:
    """Read a workload of any kind.

    Args:
        where: a stored workload (folder), a scenario file (``.yaml``, ``.yml``, ``.json``),
            or ``synthetic:NAME?key=value&...`` with the arguments of
            :func:`flexsched.traces.synthetic.synthesize`.

    Raises:
        InputError: nothing of the kind is there, or its content breaks the format.
        SettingError: an unknown key or a bad value of a synthetic workload.
        OutputError: no room for the scratch file of a large stored workload.
    """
    if isinstance(where, str) and where.startswith(_SYNTHETIC):
        name, _, query = where.removeprefix(_SYNTHETIC).partition("?")
        return synthetic.synthesize(name, **_arguments(query, where))
    path = Path(where)
    if path.is_dir():
        return stored.read_workload(path)
    if path.suffix in _SCENARIO_SUFFIXES:
        return read_scenario(path)
    raise InputError(
        f"expected a workload, got {'another kind of file' if path.exists() else 'no such file'}",
        where=str(path),
        remedy="name a stored workload (folder), a scenario file (.yaml, .yml, .json) "
        "or synthetic:google2011",
    )


def _arguments(query: str, where: str) -> dict[str, Any]:
    """Read ``key=value&...`` as arguments of ``synthesize``, of the types that it declares."""
    hints = get_type_hints(synthetic.synthesize)
    known = [key for key in inspect.signature(synthetic.synthesize).parameters if key != "name"]
    arguments: dict[str, Any] = {}
    for key, text in parse_qsl(query, keep_blank_values=True):
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
