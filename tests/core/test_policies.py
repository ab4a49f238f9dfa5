"""What each policy chooses and scores, by hand; its settings, labels and refusals."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any

import numpy as np
import pytest

from flexsched.core.errors import SettingError
from flexsched.core.policies import (
    ENTRY_POINTS,
    BestFit,
    FirstFit,
    FlexF,
    FlexL,
    LeastFit,
    Oversub,
    Policy,
    Random,
    make_policy,
    policies,
)

#: Three nodes of 10 cores and 100 bytes, a small one, and one without memory.
CAPACITY = np.array([[10.0, 100.0], [10.0, 100.0], [10.0, 100.0], [4.0, 40.0], [10.0, 0.0]])
LOAD = np.array([[5.0, 20.0], [2.0, 70.0], [8.0, 10.0], [0.0, 0.0], [1.0, 0.0]])
REQUEST = np.array([2.0, 20.0])


def fits(policy: Policy, request: Any = REQUEST, load: Any = LOAD) -> list[bool]:
    rule = policy.rule()
    return [bool(rule.fits(load, node, request, CAPACITY)) for node in range(len(CAPACITY))]


def scores(policy: Policy, same_source: float = 0.0) -> list[float]:
    rule = policy.rule()
    return [
        float(rule.score(LOAD, node, REQUEST, CAPACITY, same_source))
        for node in range(len(CAPACITY))
    ]


@pytest.mark.parametrize("policy", [LeastFit(), FirstFit(), BestFit(), Random(), FlexF(), FlexL()])
def test_fits_up_to_capacity_in_every_resource(policy: Policy) -> None:
    assert fits(policy) == [True, True, True, True, False]
    assert fits(policy, np.array([2.0, 31.0])) == [True, False, True, True, False]
    assert fits(policy, np.array([2.5, 0.0])) == [True, True, False, True, True]


def test_oversub_fits_up_to_twice_the_capacity() -> None:
    assert Oversub().claimed_factor() == 2.0
    assert fits(Oversub(), np.array([12.0, 130.0])) == [True, True, True, False, False]
    assert fits(Oversub(factor=0.5)) == [False, False, False, True, False]


def test_the_tolerance_absorbs_rounding_only() -> None:
    thirds = np.array([[0.1 + 0.2, 0.0]] * 5)
    assert fits(LeastFit(), np.array([9.7, 0.0]), thirds)[0]
    assert fits(LeastFit(), np.array([10.0 * (1 + 0.9e-9), 0.0]), np.zeros((5, 2)))[0]
    assert not fits(LeastFit(), np.array([10.0 * (1 + 1.1e-9), 0.0]), np.zeros((5, 2)))[0]


def test_least_fit_scores_by_the_fullest_resource_with_the_task() -> None:
    # (5+2)/10 against (20+20)/100; (70+20)/100; (8+2)/10; (0+2)/4 = (0+20)/40; (1+2)/10.
    assert scores(LeastFit()) == pytest.approx([-0.7, -0.9, -1.0, -0.5, -0.3])
    assert scores(Oversub()) == scores(LeastFit())
    assert scores(BestFit()) == [-score for score in scores(LeastFit())]


def test_flex_scores_by_the_least_free_resource_without_the_task() -> None:
    # 1 - 5/10; 1 - 70/100; 1 - 8/10; all free; 1 - 1/10.
    assert scores(FlexF()) == pytest.approx([0.5, 0.3, 0.2, 1.0, 0.9])
    assert scores(FlexF(), same_source=3) == pytest.approx([0.47, 0.27, 0.17, 0.97, 0.87])
    heavy = FlexF(same_source_weight=0.5)
    assert scores(heavy, same_source=1) == pytest.approx([0.0, -0.2, -0.3, 0.5, 0.4])


def test_first_fit_and_random_like_all_nodes_equally() -> None:
    assert scores(FirstFit()) == scores(Random()) == [0.0] * 5


def test_authors_request_score_is_the_mean_of_whole_percents() -> None:
    # (floor 30 + floor 60)/2; (floor 60 + floor 10)/2; (0 + 70)/2; (50 + 50)/2; CPU alone: 70.
    assert scores(LeastFit(score="authors")) == [45.0, 35.0, 35.0, 50.0, 70.0]
    assert scores(Oversub(score="authors")) == [45.0, 35.0, 35.0, 50.0, 70.0]


def test_authors_request_score_below_zero_is_floored_downwards() -> None:
    rule = Oversub(score="authors").rule()
    load = np.array([[3.0, 0.0]])
    # free of CPU: (2 - 3.01)/2 = -50.5 % -> -51; of memory: 0.75 -> 75.
    score = rule.score(load, 0, np.array([0.01, 1.0]), np.array([[2.0, 4.0]]), 0.0)
    assert score == (-51 + 75) / 2


def test_authors_flex_score_is_whole_percents_plus_a_hundred_less_the_tasks() -> None:
    load = LOAD + np.array([0.05, 0.0])
    rule = FlexF(score="authors").rule()
    got = [float(rule.score(load, node, REQUEST, CAPACITY, 3.0)) for node in range(5)]
    # floor(49.5), floor(30.0), floor(19.5), floor(98.75), floor(89.5), each + 100 - 3.
    assert got == [146.0, 127.0, 116.0, 195.0, 186.0]


def test_a_node_without_any_resource_scores_as_full() -> None:
    nothing, zeros = np.zeros((1, 2)), np.zeros(2)
    assert FlexF().rule().score(nothing, 0, zeros, nothing, 0.0) == 0.0
    assert LeastFit().rule().score(nothing, 0, zeros, nothing, 0.0) == -1.0
    assert BestFit().rule().score(nothing, 0, zeros, nothing, 0.0) == 1.0
    assert LeastFit(score="authors").rule().score(nothing, 0, zeros, nothing, 0.0) == 0.0


# -- settings ------------------------------------------------------------------------------------


def test_the_papers_policies_come_first() -> None:
    assert list(policies())[:7] == [
        "least-fit", "oversub", "flex-f", "flex-l", "first-fit", "best-fit", "random",
    ]  # fmt: skip
    assert all(kind.name == name for name, kind in policies().items())


def test_a_policy_of_another_package_is_known_by_its_entry_point(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entry = EntryPoint("spread", "flexsched.core.policies.least_fit:LeastFit", ENTRY_POINTS)
    monkeypatch.setattr(
        "flexsched.core.policies.entry_points", lambda group: [entry] * (group == ENTRY_POINTS)
    )
    assert list(policies())[-1] == "spread"
    assert make_policy("spread") == LeastFit()


def test_settings_may_be_text() -> None:
    made = make_policy("flex-f", {"target_qos": "0.95", "attempts_per_tick": "7"})
    assert made == FlexF(target_qos=0.95, attempts_per_tick=7)


@pytest.mark.parametrize(
    ("policy", "label"),
    [
        (FlexF(), "flex-f"),
        (FlexF(alpha=0.98), "flex-f:alpha=0.98"),
        (FlexF(alpha=0.99), "flex-f"),
        (Oversub(factor=1.0), "oversub:factor=1"),
        (FlexL(order="dominant"), "flex-l:order=dominant"),
    ],
)
def test_labels_name_the_settings_that_differ(policy: Policy, label: str) -> None:
    assert policy.label() == label


def test_a_label_names_all_of_them() -> None:
    label = FlexF(beta=2, tie="seeded", target_qos=0.9).label()
    name, _, settings = label.partition(":")
    assert name == "flex-f"
    assert set(settings.split(",")) == {"tie=seeded", "target_qos=0.9", "beta=2"}


def refusal(name: str, **settings: Any) -> SettingError:
    with pytest.raises(SettingError) as info:
        make_policy(name, settings)
    return info.value


def test_unknown_policy_with_the_nearest_name() -> None:
    error = refusal("flex_f")
    assert error.message == "unknown policy flex_f, did you mean flex-f?"
    assert error.remedy.startswith("installed: least-fit, oversub, flex-f")
    assert refusal("zzz").message == "unknown policy zzz"


def test_unknown_setting_with_the_nearest_name() -> None:
    error = refusal("oversub", facter=2)
    assert error.message == "unknown setting facter, did you mean factor?"
    assert error.where == "policy oversub"
    assert error.remedy.startswith("settings of oversub: attempts_per_tick, backoff, factor")


@pytest.mark.parametrize(
    ("name", "setting", "value"),
    [
        ("oversub", "factor", 0), ("oversub", "factor", float("inf")), ("oversub", "factor", "x"),
        ("flex-f", "target_qos", 1.5), ("flex-f", "alpha", 1.0), ("flex-f", "beta", 0),
        ("flex-f", "controller", "pid"), ("flex-f", "same_source_weight", -1),
        ("flex-f", "penalty_max", float("nan")), ("least-fit", "tie", "last"),
        ("least-fit", "attempts_per_tick", 0), ("least-fit", "failures_per_tick", -1),
        ("least-fit", "backoff", "linear"), ("flex-l", "order", "cpu"), ("random", "tie", "first"),
    ],
)  # fmt: skip
def test_values_out_of_range_name_setting_and_value(name: str, setting: str, value: Any) -> None:
    error = refusal(name, **{setting: value})
    assert error.message.startswith(f"{setting}: ")
    assert error.message.endswith(f", got {value!r}")
    assert error.where == f"policy {name}"


def test_contradicting_penalty_bounds_are_refused() -> None:
    assert "penalty_max: expected >= penalty_min" in str(refusal("flex-f", penalty_max=1.05))
    assert "penalty_start: expected 1.1 to 3.0" in str(refusal("flex-f", penalty_start=4))


def test_an_unknown_estimator_is_refused_with_the_policy() -> None:
    assert "unknown estimator lst, did you mean last?" in str(refusal("flex-f", estimator="lst"))


def test_only_flex_estimates_and_controls() -> None:
    for name, kind in policies().items():
        flex = name.startswith("flex")
        policy = kind()
        assert (policy.make_estimator() is not None) == flex
        assert (policy.make_controller(60.0) is not None) == flex
        assert policy.load == ("usage" if flex else "request")
        assert policy.claimed_factor() == (2.0 if name == "oversub" else 1.0)


def test_policies_cannot_be_changed_after_they_were_made() -> None:
    policy = FlexF()
    with pytest.raises(ValueError, match="frozen"):
        policy.alpha = 0.5  # type: ignore[misc]
