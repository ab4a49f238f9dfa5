"""Settings and policies as people write them on a command line."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, cast

from flexsched.cli.errors import from_command_line
from flexsched.core.errors import InputError, SettingError
from flexsched.core.quantities import parse_duration_s
from flexsched.core.suggest import suggestion

if TYPE_CHECKING:
    from flexsched.core.policies import Policy
    from flexsched.simulator import Contention

#: Keys of ``--set`` that belong to the simulation, not to the policy.
SIMULATION_KEYS = ("tick", "horizon", "contention", "demand_scale")


class SimulationSettings(TypedDict, total=False):
    """Arguments of :func:`flexsched.simulate` that ``--set`` can give."""

    tick_s: float
    horizon_s: float
    contention: Contention
    demand_scale: float


@dataclass(frozen=True)
class Chosen:
    """A policy and the settings of the simulation."""

    policy: Policy
    simulation: SimulationSettings


def key_values(texts: Sequence[str]) -> dict[str, str]:
    """Split ``key=value`` texts.

    Raises:
        SettingError: a text has no ``=``, or a key comes twice.
    """
    pairs: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise SettingError(
                f"expected key=value, got {text!r}", where="--set", remedy="--set alpha=0.98"
            )
        if key in pairs:
            raise SettingError(f"expected each key once, got {key} again", where="--set")
        pairs[key] = value
    return pairs


def choose(policy: str, texts: Sequence[str]) -> Chosen:
    """A policy by name with the settings of ``--set``, each where it belongs.

    Raises:
        WrongUsageError: no such policy or key, or a value out of range.
    """
    with from_command_line():
        return _choose(policy, texts)


def _choose(policy: str, texts: Sequence[str]) -> Chosen:
    from flexsched.core.policies import make_policy  # noqa: PLC0415
    from flexsched.simulator import Settings  # noqa: PLC0415

    pairs = key_values(texts)
    own = sorted(type(make_policy(policy)).model_fields)
    known = [*own, *SIMULATION_KEYS]
    _refuse_unknown(policy, pairs, known, where="--set")
    chosen = make_policy(policy, {key: pairs[key] for key in pairs if key in own})
    simulation = _simulation(pairs)
    Settings(**simulation)  # refuses now what a simulation would refuse later
    return Chosen(chosen, simulation)


def parse_policies(text: str) -> list[Policy]:
    """Policies from a list such as ``least-fit,flex-f:alpha=0.98,beta=2,flex-l``.

    A part with ``=`` but without a policy's name is one more setting of the policy before
    it, so that the label of a run is also a way to ask for it.

    Raises:
        WrongUsageError: no such policy or setting, one policy twice, or a value out of range.
    """
    from flexsched.simulator import check_policies  # noqa: PLC0415

    with from_command_line():
        chosen = [_policy(name, settings) for name, *settings in _specifications(text)]
        check_policies(chosen)
    return chosen


def _specifications(text: str) -> list[list[str]]:
    """Per policy its name and its ``key=value`` texts."""
    specifications: list[list[str]] = []
    for part in text.split(","):
        name, _, setting = part.strip().partition(":")
        if "=" in name and specifications:
            specifications[-1].append(part.strip())
        else:
            specifications.append([name, *filter(None, [setting])])
    return specifications


def _policy(name: str, texts: Sequence[str]) -> Policy:
    from flexsched.core.policies import make_policy  # noqa: PLC0415

    pairs = key_values(texts)
    known = sorted(type(make_policy(name)).model_fields)
    _refuse_unknown(name, pairs, known, where="--policies")
    return make_policy(name, pairs)


def _refuse_unknown(
    policy: str, keys: Collection[str], known: Collection[str], *, where: str
) -> None:
    """Refuse a key that is not known, with the policies that do know it."""
    from flexsched.core.policies import policies  # noqa: PLC0415

    for key in keys:
        if key not in known:
            owners = [name for name, kind in policies().items() if key in kind.model_fields]
            remedy = f"{key} is a setting of {', '.join(owners)}" if owners else ""
            raise SettingError(
                f"unknown setting {key!r} of {policy}",
                where=where,
                remedy=remedy or suggestion(key, known),
            )


def _simulation(pairs: dict[str, str]) -> SimulationSettings:
    settings: SimulationSettings = {}
    if "tick" in pairs:
        settings["tick_s"] = _duration_s("tick", pairs["tick"])
    if "horizon" in pairs:
        settings["horizon_s"] = _duration_s("horizon", pairs["horizon"])
    if "contention" in pairs:
        # The simulator refuses what it does not know.
        settings["contention"] = cast("Contention", pairs["contention"])
    if "demand_scale" in pairs:
        settings["demand_scale"] = _number("demand_scale", pairs["demand_scale"])
    return settings


def _duration_s(key: str, text: str) -> float:
    try:
        return parse_duration_s(text)
    except InputError as error:
        raise SettingError(f"{key}: {error.message}", where="--set", remedy=error.remedy) from None


def _number(key: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise SettingError(f"{key}: expected a number, got {text!r}", where="--set") from None
