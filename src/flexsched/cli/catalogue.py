"""``flexsched policies | estimators | formats``: what is installed, with its settings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from flexsched.cli.options import Json, example
from flexsched.cli.tables import print_json, print_table

POLICIES_EXAMPLE = example("flexsched policies --json")
ESTIMATORS_EXAMPLE = example("flexsched estimators")
FORMATS_EXAMPLE = example("flexsched formats --json")


def policies(as_json: Json = False) -> None:
    """List the policies with their settings."""
    from flexsched.core.policies import policies as installed  # noqa: PLC0415

    found: list[dict[str, Any]] = [
        {
            "name": kind.name,
            "title": kind.title,
            "summary": kind.summary,
            "settings": kind.model_json_schema()["properties"],
        }
        for kind in installed().values()
    ]
    if as_json:
        print_json(found)
        return
    for policy in found:
        print(f"{policy['name']}: {policy['summary']}")
        print_table(
            ["  setting", "default", "values"],
            [
                [f"  {key}", _text(schema.get("default")), _values(schema)]
                for key, schema in policy["settings"].items()
            ],
        )
        print()


def estimators(as_json: Json = False) -> None:
    """List the usage estimators."""
    from flexsched.core.estimators import estimators as installed  # noqa: PLC0415

    found: list[dict[str, Any]] = [
        {"name": kind.name, "summary": kind.summary, "settings": _parameters(kind)}
        for kind in installed().values()
    ]
    if as_json:
        print_json(found)
        return
    print_table(
        ["estimator", "what it takes for usage", "settings"],
        [[kind["name"], kind["summary"], _defaults(kind["settings"])] for kind in found],
    )


def formats(as_json: Json = False) -> None:
    """List the trace readers with their settings."""
    from flexsched.traces import formats as installed  # noqa: PLC0415

    found: list[dict[str, Any]] = [
        {
            "name": reader.name,
            "title": reader.title,
            "licence": reader.licence,
            "units": reader.units,
            "description": reader.description,
            "settings": _parameters(reader.read, without=("paths",)),
        }
        for reader in installed().values()
    ]
    if as_json:
        print_json(found)
        return
    for reader in found:
        print(f"{reader['name']}: {reader['title']}")
        rows = [[f"  {key}", str(reader[key])] for key in ("description", "units", "licence")]
        print_table(["", ""], [*rows, ["  settings", _defaults(reader["settings"])]])


def _parameters(function: Callable[..., Any], without: tuple[str, ...] = ()) -> dict[str, Any]:
    """Names and defaults of a function's settings."""
    return {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if name not in without
    }


def _defaults(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={_text(value)}" for key, value in settings.items()) or "none"


def _text(value: object) -> str:
    if value is None:
        return "none"
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _values(schema: Mapping[str, Any]) -> str:
    """What a setting takes, from its JSON schema."""
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    if "const" in schema:
        return str(schema["const"])
    if "anyOf" in schema:
        return " | ".join(_values(choice) for choice in schema["anyOf"])
    bounds = {"exclusiveMinimum": ">", "minimum": ">=", "exclusiveMaximum": "<", "maximum": "<="}
    limits = [f"{sign} {_text(schema[key])}" for key, sign in bounds.items() if key in schema]
    kind = "none" if schema["type"] == "null" else str(schema["type"])
    return " ".join([kind, " and ".join(limits)]).rstrip()
