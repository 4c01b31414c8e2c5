"""Decision curves: R's dcurves, limits as of the measure, and differences of two models."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import abovechance as ac
from abovechance.errors import NotApplicable
from abovechance.inference.curves.curve import Sweep
from abovechance.measures import find
from abovechance.settings import Settings

Reference = Callable[[str], Any]


def binary(n: int = 300, seed: int = 1, **extra: Any) -> ac.Binary:
    rng = np.random.default_rng(seed)
    p = rng.beta(2, 5, n)
    return ac.Binary(rng.random(n) < p, probability=p, **extra)


def test_curves_equal_dcurves(reference: Reference) -> None:
    for case in reference("clinical_utility")["cases"]:
        expected = case["expected"]
        at = expected["thresholds"]["exact"]
        predictions = ac.Binary(case["input"]["y"], probability=case["input"]["p"])
        curve = ac.curves.decision(predictions, at, draws=20, rng=1)
        assert curve.x.tolist() == at
        for column, key in (
            (curve.y, "net_benefit"),
            (curve.columns["treat_all"], "net_benefit_treat_all"),
            (curve.columns["treat_none"], "net_benefit_treat_none"),
            (curve.columns["standardised"], "standardized_net_benefit"),
            (curve.columns["interventions_avoided"], "net_interventions_avoided"),
        ):
            assert column == pytest.approx(expected[key]["exact"], rel=1e-10, abs=1e-13)
            assert column == pytest.approx(expected[key]["dcurves"], rel=1e-8, abs=1e-10)


def test_limits_are_those_of_the_measure() -> None:
    predictions = binary()
    curve = ac.curves.decision(predictions, [0.2, 0.4], draws=20_000, rng=1)
    assert curve.low is not None
    assert curve.high is not None
    for k, t in enumerate((0.2, 0.4)):
        row = ac.assess(predictions, [f"net_benefit({t})"], draws=20_000, rng=2)[
            f"net_benefit({t})"
        ]
        assert row.interval is not None
        width = row.interval.high - row.interval.low
        assert curve.low[k] == pytest.approx(row.interval.low, abs=0.05 * width)
        assert curve.high[k] == pytest.approx(row.interval.high, abs=0.05 * width)
        assert row.skill is not None
        assert row.skill.difference == pytest.approx(curve.columns["gain"][k])


def test_the_gain_is_over_the_better_of_all_and_none() -> None:
    curve = ac.curves.decision(binary(), draws=50, rng=1)
    default = np.maximum(curve.columns["treat_all"], 0.0)
    assert curve.columns["gain"] == pytest.approx(curve.y - default, abs=1e-14)
    assert len(curve.x) == 99


@pytest.mark.parametrize("extra", ["sample_weight", "groups"])
def test_weights_and_clusters_have_limits_too(extra: str) -> None:
    columns = {"sample_weight": np.linspace(0.5, 2, 300), "groups": np.repeat(np.arange(60), 5)}
    predictions = binary(**{extra: columns[extra]})
    curve = ac.curves.decision(predictions, [0.1, 0.3], draws=200, rng=1)
    assert curve.low is not None
    assert curve.high is not None
    for k, t in enumerate((0.1, 0.3)):
        value = find("net_benefit", threshold=t).of(predictions)
        assert curve.y[k] == pytest.approx(value, rel=1e-12)
        assert curve.low[k] < value < curve.high[k]


def two_models(n: int = 250) -> tuple[ac.Binary, ac.Binary]:
    rng = np.random.default_rng(4)
    p = rng.beta(2, 4, n)
    y = rng.random(n) < p
    blurred = np.clip(p + rng.normal(0, 0.2, n), 0.01, 0.99)
    return ac.Binary(y, probability=p), ac.Binary(y, probability=blurred)


def test_differences_are_of_the_two_curves() -> None:
    first, second = two_models()
    at = [0.1, 0.3, 0.6]
    curve = ac.curves.decision_difference(first, second, at, draws=100, rng=1)
    one, other = (ac.curves.decision(p, at, draws=5, rng=1).y for p in (first, second))
    assert curve.y == pytest.approx(one - other, abs=1e-14)
    turned = ac.curves.decision_difference(second, first, at, draws=100, rng=1)
    assert turned.y == pytest.approx(-curve.y, abs=1e-14)
    same = ac.curves.decision_difference(first, first, at, draws=100, rng=1)
    assert (same.low == 0).all()
    assert (same.high == 0).all()


def test_limits_of_differences_are_those_of_drawing_cases() -> None:
    first, second = two_models()
    curve = ac.curves.decision_difference(first, second, [0.3], draws=8000, rng=1)
    rng, measure = np.random.default_rng(2), find("net_benefit", threshold=0.3)
    slow = []
    for _ in range(2000):
        rows = rng.integers(250, size=250)
        slow.append(measure.of(first.take(rows)) - measure.of(second.take(rows)))
    low, high = np.quantile(slow, [0.025, 0.975])
    assert curve.low[0] == pytest.approx(low, abs=0.1 * (high - low))
    assert curve.high[0] == pytest.approx(high, abs=0.1 * (high - low))


def test_clusters_are_drawn_whole_in_differences() -> None:
    first, second = two_models()
    rows = np.repeat(np.arange(250), 4)
    clustered = [
        ac.Binary(p.positive[rows], probability=p.probability[rows], groups=rows)
        for p in (first, second)
    ]
    wide = ac.curves.decision_difference(*clustered, [0.3], draws=1000, rng=1)
    plain = ac.curves.decision_difference(first, second, [0.3], draws=1000, rng=1)
    ratio = (wide.high - wide.low) / (plain.high - plain.low)
    assert ratio[0] == pytest.approx(1.0, abs=0.15)
    assert wide.y == pytest.approx(plain.y)


def test_wrong_comparisons_and_thresholds_are_refused() -> None:
    first, second = two_models()
    with pytest.raises(NotApplicable, match="same cases"):
        ac.curves.decision_difference(first, second.take(slice(0, 200)))
    with pytest.raises(NotApplicable, match="between 0 and 1"):
        ac.curves.decision(first, [0.0, 0.5])
    with pytest.raises(NotApplicable, match="needs probabilities"):
        ac.curves.decision(ac.Binary([0, 1], score=[0.2, 3.0]))


def _over_clusters(count: int) -> Sweep:
    rng = np.random.default_rng(1)
    y = np.arange(10 * count) % 2
    p = np.clip(0.3 * y + 0.35 + 0.2 * rng.normal(size=len(y)), 0.01, 0.99)
    cases = ac.Binary(y, probability=p, groups=np.arange(len(y)) // 10)
    settings = Settings.of("decision", {"rng": 1})
    return Sweep(cases, p, np.array([0.3, 0.5]), settings)


def test_bands_over_few_clusters_are_as_wide_as_students_t_asks_for() -> None:
    for count in (5, 10, 40):
        reach = stats.t.ppf(0.975, count - 1) * np.sqrt(count / (count - 1))
        assert stats.norm.ppf(0.5 + _over_clusters(count).level / 2.0) == pytest.approx(reach)


def test_weights_count_for_what_those_of_a_class_are_worth() -> None:
    rng = np.random.default_rng(1)
    y, p = np.arange(90) % 3 == 0, rng.random(90)
    weight = np.where(np.arange(90) < 45, 3.0, 1.0)
    cases = ac.Binary(y.astype(int), probability=p, sample_weight=weight)
    sweep = Sweep(cases, p, np.array([0.5]), Settings.of("decision", {"rng": 1}))
    assert sweep.units == pytest.approx((15 * 3 + 15) ** 2 / (15 * 9 + 15))
    said = [str(a) for a in ac.curves.decision(cases, [0.5], rng=1).advice]
    assert any("worth 24 cases" in one for one in said)
    plain = ac.Binary(y.astype(int), probability=p)
    assert not ac.curves.decision(plain, [0.5], rng=1).advice
