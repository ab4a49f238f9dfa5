"""The penalty controller against hand-made numbers and a slow second version."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flexsched.core.errors import SettingError
from flexsched.core.penalty import PenaltyController
from flexsched.core.policies import FlexF

DEFAULTS: dict[str, float] = {
    "target_qos": 0.99, "penalty": 1.5, "penalty_min": 1.1, "penalty_max": 3.0,
    "alpha": 0.99, "beta": 1.0, "raise_from": 1.0, "period_s": 60.0,
}  # fmt: skip
QUALITY = st.one_of(
    st.floats(0.0, 1.0), st.sampled_from([1.0, 0.99, 0.989, 0.98, 0.5, 0.495, 0.49, 0.0])
)


def controller(**changed: float) -> PenaltyController:
    return PenaltyController(**(DEFAULTS | changed))


def slow_trajectory(setting: dict[str, float], qualities: list[float]) -> tuple[list[float], int]:
    """P after each update, found by looking back over the whole history; and stuck updates."""
    penalties, moves, stuck = [setting["penalty"]], ["decay"], 0
    for number, quality in enumerate(qualities):
        now = penalties[-1]
        before = qualities[number - 1] if number else 1.0
        last_move = next(move for move in reversed(moves) if move != "hold")
        if quality >= setting["target_qos"]:
            factor = setting["alpha"] ** (setting["period_s"] / 60.0)
            penalties.append(max(now * factor, setting["penalty_min"]))
            moves.append("decay")
        elif last_move == "decay" or quality < 0.99 * before:
            step = setting["beta"] * (now - setting["raise_from"])
            penalties.append(min(now + step, setting["penalty_max"]))
            moves.append("raise")
            stuck += now + step == now and now < setting["penalty_max"]
        else:
            penalties.append(now)
            moves.append("hold")
    return penalties[1:], stuck


@given(
    qualities=st.lists(QUALITY, max_size=40),
    floor=st.sampled_from([1.0, 1.1, 1.4]),
    from_floor=st.booleans(),
    alpha=st.sampled_from([0.5, 0.9, 0.99]),
    beta=st.sampled_from([0.25, 1.0, 4.0]),
    period_s=st.sampled_from([5.0, 60.0, 300.0]),
)
@settings(max_examples=300, deadline=None)
def test_trajectory_equals_the_slow_version(
    qualities: list[float],
    floor: float,
    from_floor: bool,
    alpha: float,
    beta: float,
    period_s: float,
) -> None:
    setting = DEFAULTS | {
        "penalty_min": floor,
        "raise_from": floor if from_floor else 1.0,
        "alpha": alpha,
        "beta": beta,
        "period_s": period_s,
    }
    ours = PenaltyController(**setting)
    could_change, got = [], []
    for quality in qualities:
        got.append(ours.update(quality))
        could_change.append(ours.can_change())
    right, stuck = slow_trajectory(setting, qualities)
    assert got == right
    assert ours.stuck_updates == stuck
    assert all(floor <= penalty <= 3.0 for penalty in got)
    for length, flag in enumerate(could_change, start=1):
        again = [*qualities[:length], qualities[length - 1]]
        repeated, _ = slow_trajectory(setting, again)
        assert flag == (repeated[-1] != repeated[-2])


def test_hand_made_trajectory() -> None:
    ours = controller()
    steps = [
        (1.0, 1.485),  # 1.5 * 0.99
        (0.99, 1.47015),  # the target itself is met
        (0.5, 1.9403),  # 1.47015 + 0.47015
        (0.5, 1.9403),  # not falling, nothing decayed: hold
        (0.496, 1.9403),  # down by less than 1 %: hold
        (0.4, 2.8806),  # falling: 1.9403 + 0.9403
        (0.3, 3.0),  # falling: 4.7612, cut at the maximum
        (0.2, 3.0),  # at the maximum
        (1.0, 2.97),  # decays again
        (0.98, 3.0),  # so the next miss raises, however small
    ]
    for quality, expected in steps:
        assert ours.update(quality) == pytest.approx(expected, rel=1e-12), quality
    assert ours.stuck_updates == 0  # at the maximum is not stuck


def test_first_miss_raises_even_without_a_fall() -> None:
    # At the start "decayed since the last raise" holds, and 0.985 is no fall from 1.
    assert controller().update(0.9899) == 2.0


def test_falls_to_its_floor_and_stays() -> None:
    ours = controller()
    for _ in range(100):
        ours.update(1.0)
    assert ours.penalty == 1.1
    assert not ours.can_change()
    # A tick at the target counts as decay even at the floor: the next miss raises.
    assert ours.update(0.98) == pytest.approx(1.2, rel=1e-12)


@pytest.mark.parametrize(
    ("period_s", "after"), [(60.0, 1.485), (120.0, 1.5 * 0.9801), (30.0, 1.5 * 0.99**0.5)]
)
def test_alpha_is_per_60_s(period_s: float, after: float) -> None:
    assert controller(period_s=period_s).update(1.0) == pytest.approx(after, rel=1e-12)


def test_a_minute_in_twelve_updates_decays_as_in_one() -> None:
    ours = controller(period_s=5.0)
    for _ in range(12):
        ours.update(1.0)
    assert ours.penalty == pytest.approx(1.485, rel=1e-12)


def test_raises_are_per_update_whatever_the_period() -> None:
    assert controller(period_s=5.0).update(0.5) == controller(period_s=600.0).update(0.5) == 2.0


def test_paper_controller_is_stuck_at_its_floor_and_counts_it() -> None:
    ours = controller(penalty=1.0, penalty_min=1.0)
    assert [ours.update(q) for q in (0.9, 0.9, 0.5, 1.0, 0.2)] == [1.0] * 5
    # Due: the first miss, the fall to 0.5, the miss after a decay; not the hold in between.
    assert ours.stuck_updates == 3


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("target_qos", 0.0), ("target_qos", 1.01), ("alpha", 1.0), ("alpha", 0.0), ("beta", 0.0),
        ("penalty_min", 0.0), ("penalty_max", 1.0), ("period_s", 0.0),
        ("target_qos", float("nan")), ("beta", float("nan")),
    ],
)  # fmt: skip
def test_values_out_of_range_are_refused_by_name(field: str, value: float) -> None:
    with pytest.raises(SettingError, match=f"{field}: expected .*, got {value}"):
        controller(**{field: value})


@pytest.mark.parametrize("start", [1.0, 3.5])
def test_start_outside_the_bounds_is_refused(start: float) -> None:
    with pytest.raises(SettingError, match=r"penalty_start: expected 1\.1 to 3\.0, got"):
        controller(penalty=start)


@pytest.mark.parametrize("floor", [1.0, 0.5])
def test_policy_that_would_stick_is_refused_with_the_reason(floor: float) -> None:
    with pytest.raises(SettingError, match=r"penalty_min: expected > 1, got .* stay there") as info:
        FlexF(penalty_min=floor)
    assert "controller=paper" in info.value.remedy


def made(**setting: Any) -> tuple[PenaltyController | None, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ours = FlexF(**setting).make_controller(60.0)
    return ours, [str(warning.message) for warning in caught]


def test_defaults_of_the_policy() -> None:
    ours, warned = made()
    assert ours == controller()
    assert warned == []


def test_the_papers_controller_is_allowed_and_warns() -> None:
    ours, warned = made(controller="paper")
    assert ours is not None
    assert (ours.penalty_min, ours.raise_from) == (1.0, 1.0)
    assert len(warned) == 1


def test_the_papers_controller_warns_at_any_floor() -> None:
    ours, warned = made(controller="paper", penalty_min=1.2)
    assert ours is not None
    assert ours.raise_from == 1.2
    assert len(warned) == 1


@pytest.mark.parametrize(("kind", "fixed"), [("fixed", 1.5), ("none", 1.0)])
def test_without_a_controller_p_is_constant(kind: str, fixed: float) -> None:
    ours, warned = made(controller=kind)
    assert ours is None
    assert warned == []
    assert FlexF(controller=kind).fixed_penalty() == fixed
