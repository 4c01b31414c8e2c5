"""Weights that go with the class: as good as classes sampled apart, whose shares are stated.

Cases of two classes, drawn at different rates and weighted for it, hold what a case-control sample
does. Only how frequent the classes are is then an estimate, so that intervals may be a little
wider: never narrower, which would pass over errors not seen, nor many times as wide.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

import abovechance as ac
from abovechance.measures import applicable

PREVALENCE, STRENGTH = 0.05, 1.5
NARROWEST, WIDEST = 0.75, 5.0


@cache
def _both(threshold: float) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    y = np.arange(240) % 2
    score = rng.normal(size=240) + STRENGTH * y
    odds = np.log(PREVALENCE / (1.0 - PREVALENCE)) + STRENGTH * (score - STRENGTH / 2.0)
    given = {"probability": expit(odds), "threshold": threshold, "pos_label": 1}
    apart = ac.Binary(y, **given)
    weighted = ac.Binary(y, sample_weight=np.where(y == 1, 1.0, 1.0 / PREVALENCE - 1.0), **given)
    names = [m.name for m in applicable(weighted)]
    return (
        ac.assess(weighted, names, rng=1, draws=99),
        ac.assess(apart, names, rng=1, draws=99, sampling="case-control", prevalence=PREVALENCE),
    )


@pytest.mark.parametrize("threshold", [0.05, 0.3, 0.6])
def test_weights_that_go_with_the_class_are_worth_a_stated_prevalence(threshold: float) -> None:
    weighted, stated = _both(threshold)
    compared = 0
    for row in weighted:
        beside = stated[row.measure].interval
        if row.interval is None or beside is None or not np.isfinite(beside.high - beside.low):
            continue
        assert row.value == pytest.approx(stated[row.measure].value, rel=1e-6), row.measure
        times = (row.interval.high - row.interval.low) / (beside.high - beside.low)
        assert NARROWEST <= times <= WIDEST, (row.measure, times)
        compared += 1
    assert compared > 30


def _limits(y: Any, names: list[str], **given: Any) -> dict[str, tuple[float, float, float]]:
    found = ac.assess(ac.Binary(y, pos_label=1, **given), names, rng=1, draws=99)
    return {
        e.measure.partition("(")[0]: (e.value, e.interval.low, e.interval.high)
        for e in found
        if e.interval is not None
    }


@pytest.mark.parametrize("calls", [20.0, 0.05])
def test_cases_called_that_weigh_alike_are_a_share_like_any_other(calls: float) -> None:
    """Weights that go with the call, as where one in twenty calls was verified."""
    y = np.r_[np.ones(22), np.zeros(100)].astype(int)
    label = np.r_[np.ones(20), np.zeros(102)].astype(int)
    weight = np.where(label == 1, calls, 1.0)
    names = ["ppv", "npv", "false_discovery_rate", "false_omission_rate"]
    weighted = _limits(y, names, label=label, sample_weight=weight)
    plain = _limits(y, names, label=label)
    assert weighted.keys() == plain.keys() == set(names)
    for name, limits in plain.items():
        assert weighted[name] == pytest.approx(limits, abs=1e-9), name


@pytest.mark.parametrize("heavy", [1.0, 49.0])
def test_an_error_that_nobody_made_would_weigh_what_its_class_weighs(heavy: float) -> None:
    """Without an error of either kind weights by class and by call cannot be told apart."""
    y = np.tile([0, 1], 60)
    p = np.where(y == 1, 0.9, 0.1)
    limits = {}
    for missed in (0, 1):
        p[1] = 0.1 if missed else 0.9
        weight = np.where(y == 1, 1.0, heavy)
        limits[missed] = _limits(y, ["ppv", "npv"], probability=p, sample_weight=weight)
    low = [limits[missed]["ppv"][1] for missed in (0, 1)]
    assert low[0] == pytest.approx(low[1], abs=0.01)
    share = 0.94 / (0.94 + 0.06 * heavy)
    assert low[0] == pytest.approx(share, abs=0.01)


def test_sensitivity_counts_cases_by_what_their_call_weighs() -> None:
    """One in ten of those not called was verified: a missed positive weighs ten."""
    rng = np.random.default_rng(7)
    held = []
    for _ in range(200):
        y = (rng.random(1000) < 0.1).astype(int)
        label = (rng.random(1000) < np.where(y == 1, 0.9, 0.1)).astype(int)
        kept = (label == 1) | (rng.random(1000) < 0.1)
        y, label = y[kept], label[kept]
        found = _limits(
            y, ["sensitivity"], label=label, sample_weight=np.where(label == 1, 1.0, 10.0)
        )
        held.append(found["sensitivity"][1] <= 0.9 <= found["sensitivity"][2])
    assert np.mean(held) > 0.9


def test_net_benefit_over_clusters_of_weighted_cases_allows_for_errors_not_seen() -> None:
    y, group = np.arange(120) % 2, np.arange(120) // 4
    p = np.where((y == 1) & (np.arange(120) % 10 < 8), 0.9, 0.1)
    weight = np.where(y == 1, 1.0, 19.0)
    given = {"probability": p, "threshold": 0.5, "sample_weight": weight}
    alone, clustered = (_limits(y, ["net_benefit"], **given, **g) for g in ({}, {"groups": group}))
    for value, low, high in (alone["net_benefit"], clustered["net_benefit"]):
        assert low < value - 0.02  # three false positives of 60 would cost as much
        assert high > value


def _sampled(n: int = 160) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(11)
    y = np.arange(n) % 2
    odds = rng.normal(size=n) + 1.2 * y - 2.0
    return y, {"probability": expit(odds), "threshold": 0.3}


_ANY = {"probability": [0.2, 0.6, 0.7, 0.3] * 5, "sample_weight": [1.0, 2.0] * 10}
NAMES = tuple(m.name for m in applicable(ac.Binary([0, 1, 1, 0, 1] * 4, pos_label=1, **_ANY)))


def test_weights_that_are_all_alike_are_none() -> None:
    y, given = _sampled()
    plain = _limits(y, list(NAMES), **given)
    for weight in (1.0, 2.5):
        weighted = _limits(y, list(NAMES), sample_weight=np.full(len(y), weight), **given)
        for name in ("ppv", "npv", "net_benefit", "expected_cost", "accuracy", *LINES):
            assert weighted[name] == pytest.approx(plain[name], rel=1e-6, abs=1e-9), name


LINES = ("calibration_slope", "calibration_intercept", "calibration_in_the_large")


@pytest.mark.parametrize("change", ["cases without weight", "rounding", "unit"])
def test_what_says_nothing_changes_no_interval_of_weighted_cases(change: str) -> None:
    y, given = _sampled()
    weight = np.where(y == 1, 1.0, 19.0)
    expected = _limits(y, list(NAMES), sample_weight=weight, **given)
    if change == "rounding":
        weight = weight * (1.0 + 1e-13 * np.random.default_rng(2).normal(size=len(y)))
    elif change == "unit":
        weight = weight * 1e-3
    else:
        others, more = np.tile([0, 1], 20), np.linspace(0.05, 0.9, 40)
        y, weight = np.r_[y, others], np.r_[weight, np.zeros(40)]
        given = {**given, "probability": np.r_[given["probability"], more]}
    found = _limits(y, list(NAMES), sample_weight=weight, **given)
    drawn = {"average_precision", "partial_auc"}  # from resamples, which differ
    close = 1e-3 if change == "cases without weight" else 1e-9  # jackknives count them in n
    for name in expected.keys() - (drawn if change == "cases without weight" else set()):
        assert found[name] == pytest.approx(expected[name], rel=1e-6, abs=close), name


def test_a_class_without_weight_has_no_net_benefit_and_the_reason_is_said() -> None:
    y, given = _sampled()
    cases = ac.Binary(y, pos_label=1, sample_weight=np.where(y == 1, 1.0, 0.0), **given)
    row = ac.assess(cases, ["net_benefit"], rng=1)["net_benefit"]
    assert row.interval is None
    assert "of one class no case has any weight" in str(row.undefined or row.remark)


def test_weights_of_few_calls_are_remarked_on_in_comparisons() -> None:
    rng = np.random.default_rng(5)
    y = np.arange(100) % 2
    few, many = np.zeros(100, dtype=int), (rng.random(100) < 0.4).astype(int)
    few[:3] = 1
    weight = {"sample_weight": np.where(y == 1, 1.0, 19.0)}
    models = {
        name: ac.Binary(y, label=label, pos_label=1, **weight)
        for name, label in (("few", few), ("many", many))
    }
    said = [a.text for a in ac.compare(models, ["ppv", "sensitivity"], rng=1).advice]
    assert [text[:19] for text in said if "may cover less" in text] == ["model 'few' calls 3"]
    said = [a.text for a in ac.compare(models, ["sensitivity"], rng=1).advice]
    assert not any("calls" in text for text in said)
    turned = {
        name: ac.Binary(y, label=1 - p.label, pos_label=1, **weight) for name, p in models.items()
    }
    for asked, number in (("ppv", 0), ("npv", 1)):
        said = [a.text for a in ac.compare(turned, [asked], rng=1).advice]
        assert sum("calls 3 cases '0'" in text for text in said) == number
    said = [a.text for a in ac.compare(turned, ["f1"], rng=1).advice]
    assert not any("calls 3" in text for text in said)
    alike = {
        n: ac.Binary(y, label=p.label, pos_label=1, sample_weight=np.full(100, 2.0))
        for n, p in models.items()
    }
    assert "AC165" not in {a.code for a in ac.compare(alike, ["ppv"], rng=1).advice}
    plain = {name: ac.Binary(y, label=p.label, pos_label=1) for name, p in models.items()}
    said = [a.text for a in ac.compare(plain, ["ppv"], rng=1).advice]
    assert not any("calls 3" in text for text in said)
