"""``flexsched policies | estimators | formats``: what is installed, with its settings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, get_type_hints

from flexsched.cli.docstrings import entries, entries_of_class
from flexsched.cli.options import Json, example
from flexsched.cli.tables import print_json, print_table

if TYPE_CHECKING:
    from flexsched.core.policies import Policy

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
            "settings": _described(kind),
        }
        for kind in installed().values()
    ]
    if as_json:
        print_json(found)
        return
    for policy in found:
        print(f"{policy['name']}: {policy['summary']}")
        print_table(
            *_settings_table(policy["settings"]),
            sentences=(2, 3),
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
            "settings": _reader_settings(reader.read),
        }
        for reader in installed().values()
    ]
    if as_json:
        print_json(found)
        return
    for reader in found:
        print(f"{reader['name']}: {reader['title']}")
        rows = [[f"  {key}", str(reader[key])] for key in ("description", "units", "licence")]
        print_table(["", ""], rows, sentences=(1,))
        print_table(*_settings_table(reader["settings"]), sentences=(2, 3))


def _described(policy: type[Policy]) -> dict[str, Any]:
    """JSON schemas of a policy's settings, each with what it means."""
    meanings = entries_of_class(policy, "Attributes")
    schemas = policy.model_json_schema()["properties"]
    return {
        key: {"description": meanings.get(key, ""), **schema} for key, schema in schemas.items()
    }


def _reader_settings(read: Callable[..., Any]) -> dict[str, Any]:
    """The same for what a reader takes besides the files."""
    from pydantic import TypeAdapter  # noqa: PLC0415

    from flexsched.core.workload import Workload  # noqa: PLC0415

    # Readers import the class only for type checkers, to load fast.
    hints = get_type_hints(read, localns={"Workload": Workload})
    meanings = entries(read, "Args")
    return {
        key: {
            "description": meanings.get(key, ""),
            **TypeAdapter(hints[key]).json_schema(),
            "default": parameter.default,
        }
        for key, parameter in inspect.signature(read).parameters.items()
        if key != "paths"
    }


def _settings_table(settings: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    rows = [
        [f"  {key}", _text(schema.get("default")), _values(schema), schema["description"]]
        for key, schema in settings.items()
    ]
    return ["  setting", "default", "values", "meaning"], rows


def _parameters(function: Callable[..., Any]) -> dict[str, Any]:
    """Names and defaults of a function's settings."""
    return {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
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
