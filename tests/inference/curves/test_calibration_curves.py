"""Calibration curves: R's curve, bands, bins, steps, and every kind of predictions."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance.errors import NotApplicable
from abovechance.inference.curves.calibration_curves import QUANTILES, SHARES
from abovechance.inference.intervals import clopper_pearson
from abovechance.numerics.smooth import loess

Reference = Callable[[str], Any]


def binary(n: int = 600, seed: int = 1, **extra: Any) -> ac.Binary:
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 2, n)
    return ac.Binary(rng.random(n) < p, probability=p, **extra)


def test_up_to_a_thousand_cases_the_curve_is_that_of_r(reference: Reference) -> None:
    spans = []
    for case in reference("calibration")["cases"]:
        y, p = (np.array(case["input"][k], dtype=float) for k in "yp")
        predictions = ac.Binary(y, probability=p)
        found, fixed = (ac.curves.calibration(predictions, span=span) for span in (None, 0.75))
        wanted = np.clip(loess(p).curve(y, fixed.x), 0, 1)
        assert fixed.y == pytest.approx(wanted, abs=1e-12)
        assert (fixed.x[0], fixed.x[-1]) == (p.min(), p.max())
        spans.append(float(found.method.split("span ")[1].split(",")[0]))
        # a narrower one only where the cases depart from R's curve, or are grades
        if len(np.unique(p)) > 40:
            assert (spans[-1] < 0.75) == ("AC255" in {a.code for a in fixed.advice})
        if spans[-1] == 0.75:
            assert found.y.tolist() == fixed.y.tolist()
    assert spans.count(0.75) > len(spans) / 2


def test_beyond_a_thousand_cases_neighbourhoods_shrink() -> None:
    predictions = binary(16_000)
    curve = ac.curves.calibration(predictions)
    assert "span 0.38" in curve.method  # 0.75 · (1000/16000)^¼ = 0.375
    fixed = ac.curves.calibration(predictions, span=0.75)
    assert "span 0.75" in fixed.method
    assert (curve.high - curve.low).mean() > (fixed.high - fixed.low).mean()


def test_the_band_is_wilsons_at_the_effective_number_of_cases() -> None:
    y, p = np.tile([0.0, 0, 1, 1, 1], 20), np.full(100, 0.4)
    curve = ac.curves.calibration(ac.Binary(y, probability=p))
    assert curve.low is not None
    assert curve.high is not None
    wanted = ac.intervals.wilson(60, 100)
    assert curve.y.tolist() == pytest.approx([0.6])
    assert (curve.low[0], curve.high[0]) == pytest.approx((wanted.low, wanted.high), rel=1e-10)


def test_places_are_dense_where_probabilities_crowd() -> None:
    rng = np.random.default_rng(9)
    p = np.concatenate([rng.uniform(0.0, 0.004, 800), rng.uniform(0.3, 0.9, 200)])
    curve = ac.curves.calibration(ac.Binary(rng.random(1000) < p, probability=p))
    within = np.histogram(p, curve.x)[0]
    assert within.max() <= 2 * 1000 / 40  # a fortieth of the cases, and what borders it
    assert (np.diff(curve.x) <= (p.max() - p.min()) / 100 + 1e-12).all()
    assert (curve.x[0], curve.x[-1]) == (p.min(), p.max())


def test_the_band_holds_a_bend_that_is_one_of_log_odds() -> None:
    odds = np.linspace(-9.0, 9.0, 2000)
    true = 1.0 / (1.0 + np.exp(-0.6 * odds))
    y = np.diff(np.floor(np.cumsum(true)), prepend=0.0)  # as often as is true everywhere
    p = 1.0 / (1.0 + np.exp(-odds))
    curve = ac.curves.calibration(ac.Binary(y, probability=p), span=0.63)
    assert curve.low is not None
    assert curve.high is not None
    at = np.linspace(-7.0, 7.0, 29)
    low, high, y = (
        np.interp(1.0 / (1.0 + np.exp(-at)), curve.x, v) for v in (curve.low, curve.high, curve.y)
    )
    true = 1.0 / (1.0 + np.exp(-0.6 * at))
    assert ((low <= true) & (true <= high)).all()
    assert (abs(y - true) > 0.03).any()  # the curve itself does not follow it


def test_limits_enclose_the_curve_and_stay_between_0_and_1() -> None:
    for method in ("loess", "isotonic", "binned"):
        curve = ac.curves.calibration(binary(), method=method)
        assert curve.low is not None
        assert curve.high is not None
        assert (curve.low >= 0).all()
        assert (curve.high <= 1).all()
        if method != "isotonic":
            assert (curve.low <= curve.y).all()
            assert (curve.y <= curve.high).all()


def test_few_cases_are_remarked_on() -> None:
    assert ac.curves.calibration(binary(100)).advice[0].code == "AC250"
    assert ac.curves.calibration(binary(600)).advice == ()


def test_bins_have_exact_limits() -> None:
    predictions = binary(90)
    curve = ac.curves.calibration(predictions, method="binned", bins=3)
    cuts = np.quantile(predictions.probability, [1 / 3, 2 / 3])
    place = np.searchsorted(cuts, predictions.probability)
    for k in range(3):
        inside = place == k
        limits = clopper_pearson(predictions.positive[inside].sum(), inside.sum())
        assert curve.columns["cases"][k] == inside.sum()
        assert curve.x[k] == pytest.approx(predictions.probability[inside].mean())
        assert curve.y[k] == pytest.approx(predictions.positive[inside].mean())
        assert (curve.low[k], curve.high[k]) == (limits.low, limits.high)
    wide = ac.curves.calibration(predictions, method="binned", bins=4, binning="width")
    assert wide.columns["cases"].sum() == 90


def pool_adjacent_violators(y: np.ndarray) -> np.ndarray:
    """Isotonic regression by definition: the max over starts of the min over ends of means."""
    n = len(y)
    return np.array(
        [max(min(y[i : j + 1].mean() for j in range(k, n)) for i in range(k + 1)) for k in range(n)]
    )


def test_the_isotonic_curve_is_the_best_rising_one() -> None:
    rng = np.random.default_rng(2)
    p = np.sort(rng.random(40))
    y = (rng.random(40) < p).astype(float)
    curve = ac.curves.calibration(ac.Binary(y, probability=p), method="isotonic")
    assert curve.x.tolist() == p.tolist()
    assert curve.y == pytest.approx(pool_adjacent_violators(y), abs=1e-12)
    assert curve.advice[0].code == "AC250"


def drop_at(y: np.ndarray, k: int, value: float) -> float:
    """Twice the log-likelihood ratio of a rising curve whose k-th value is fixed.

    The best such curve is the best rising one of each side, cut off at the fixed value (Banerjee
    & Wellner 2001, section 2).
    """
    below = np.minimum(pool_adjacent_violators(y[:k]), value)
    above = np.maximum(pool_adjacent_violators(y[k + 1 :]), value)
    fixed = np.concatenate([below, [value], above])

    def log_likelihood(curve: np.ndarray) -> float:
        return float(np.log(np.where(y == 1.0, curve, 1.0 - curve)).sum())

    return 2.0 * (log_likelihood(pool_adjacent_violators(y)) - log_likelihood(fixed))


def test_isotonic_limits_are_where_the_likelihood_has_dropped_enough() -> None:
    y = np.array([0.0, 1, 0, 0, 1, 0, 1, 1, 0, 1])
    p = np.linspace(0.05, 0.95, 10)
    curve = ac.curves.calibration(ac.Binary(y, probability=p), method="isotonic")
    assert curve.low is not None
    assert curve.high is not None
    for k in (2, 5, 7):
        for value in (curve.low[k], curve.high[k]):
            assert drop_at(y, k, value) == pytest.approx(2.287, abs=1e-3)


def test_places_shared_by_many_cases_have_limits_of_shares() -> None:
    """Three well separated places: each has the likelihood interval of its own share."""
    y = np.concatenate([np.arange(100) < k for k in (10, 50, 90)])
    p = np.repeat([0.1, 0.5, 0.9], 100)
    curve = ac.curves.calibration(ac.Binary(y, probability=p), method="isotonic")
    assert curve.low is not None
    drop = 2 * (50 * np.log(0.5 / curve.low[1]) + 50 * np.log(0.5 / (1 - curve.low[1])))
    assert drop == pytest.approx(3.8415, abs=1e-3)


def test_the_quantiles_of_a_rising_curve_are_those_of_a_simulation() -> None:
    from scipy.optimize import isotonic_regression

    rng = np.random.default_rng(4)
    half, found = 150, []
    for _ in range(4000):
        y = 0.02 * np.arange(-half, half + 1) + rng.normal(size=2 * half + 1)
        free = isotonic_regression(y).x
        below = np.minimum(isotonic_regression(y[:half]).x, 0.0)
        above = np.maximum(isotonic_regression(y[half + 1 :]).x, 0.0)
        kept = np.concatenate([below, [0.0], above])
        found.append(((y - kept) ** 2 - (y - free) ** 2).sum())
    for share, quantile in zip(SHARES[1:6], QUANTILES[1:6], strict=True):
        error = np.sqrt(share * (1 - share) / len(found))
        assert np.mean(np.array(found) <= quantile) == pytest.approx(share, abs=4 * error)


def test_many_probabilities_are_gathered_in_cells() -> None:
    curve = ac.curves.calibration(binary(30_000), method="isotonic")
    assert len(curve.x) == 2000
    assert (np.diff(curve.y) >= -1e-12).all()
    assert curve.low is not None
    assert curve.high is not None
    assert (curve.low <= curve.y + 1e-9).all()
    assert (curve.y <= curve.high + 1e-9).all()


def test_clusters_widen_bands() -> None:
    predictions = binary(400)
    four = predictions.take(np.repeat(np.arange(400), 4))
    groups = np.repeat(np.arange(400), 4)
    clustered = ac.Binary(four.positive, probability=four.probability, groups=groups)
    for method in ("loess", "isotonic"):
        naive = ac.curves.calibration(four, method=method, span=0.75)
        wide = ac.curves.calibration(clustered, method=method, span=0.75)
        ratio = np.mean(wide.high - wide.low) / np.mean(naive.high - naive.low)
        assert 1.6 < ratio < 2.4
        assert wide.y == pytest.approx(naive.y, abs=1e-10)
    assert ac.curves.calibration(clustered, method="binned").advice[0].code == "AC252"


def test_clusters_that_agree_by_chance_do_not_narrow_a_band() -> None:
    y, p = [0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.6, 0.4, 0.8, 0.9]
    groups = [1, 1, 2, 2, 3, 3]
    for method in ("loess", "isotonic"):
        alone = ac.curves.calibration(ac.Binary(y, probability=p), method=method)
        found = ac.curves.calibration(ac.Binary(y, probability=p, groups=groups), method=method)
        assert found.high is not None
        assert alone.high is not None
        assert (found.high >= alone.high - 1e-9).all()
        assert [a.text for a in found.advice] == [
            "2 clusters with cases of 0 are few for a curve: its band may cover less than it says."
        ]


def test_certain_and_constant_probabilities_have_a_curve() -> None:
    certain = ac.curves.calibration(ac.Binary([0, 1, 1, 0], probability=[0.0, 1, 1, 0]))
    assert certain.at(0.0)["y"] == pytest.approx(0.0)
    assert certain.at(1.0)["y"] == pytest.approx(1.0)
    constant = ac.curves.calibration(ac.Binary([0, 1, 1], probability=np.full(3, 0.5)))
    assert constant.y.tolist() == pytest.approx([2 / 3])


def test_classes_are_taken_by_label_or_by_their_top() -> None:
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.ones(3), 120)
    y = np.array([rng.choice(3, p=row) for row in p])
    several = ac.Multiclass(y, probability=p)
    one = ac.curves.calibration(several, pos_label=1)
    alone = ac.curves.calibration(several.against_rest(1))
    assert one.y.tolist() == alone.y.tolist()
    top = ac.curves.calibration(several)
    right = ac.Binary(p.argmax(axis=1) == y, probability=p.max(axis=1))
    assert top.y.tolist() == ac.curves.calibration(right).y.tolist()
    assert top.x_name == "Probability of the top label"


def test_survival_without_censoring_is_a_binary_curve() -> None:
    rng = np.random.default_rng(4)
    rate = rng.uniform(0.1, 1, 90)
    time = rng.exponential(1 / rate)
    predicted = np.exp(-np.outer(rate, [1.0, 2.0]))
    alive = ac.Survival(time, np.ones(90), survival=predicted, times=[1.0, 2.0])
    curve = ac.curves.calibration(alive, t=1.0)
    plain = ac.curves.calibration(ac.Binary(time <= 1.0, probability=1 - predicted[:, 0]))
    assert curve.y == pytest.approx(plain.y, abs=1e-12)
    assert curve.x_name == "Predicted risk by 1"


def test_numbers_have_a_curve_with_normal_limits() -> None:
    rng = np.random.default_rng(5)
    value = rng.normal(size=300)
    curve = ac.curves.calibration(ac.Numeric(value + rng.normal(size=300), value))
    middle = curve.at(0.0)
    assert middle["low"] < 0.0 < middle["high"]
    assert middle["high"] - middle["low"] < 0.6


def test_what_has_no_probabilities_has_no_curve() -> None:
    labels = ac.Binary([0, 1], label=[0, 1])
    with pytest.raises(NotApplicable, match="needs probabilities"):
        ac.curves.calibration(labels)
    with pytest.raises(NotApplicable, match="method must be"):
        ac.curves.calibration(binary(), method="spline")
    weighted = binary(30, sample_weight=np.linspace(1, 2, 30))
    with pytest.raises(NotApplicable, match="unweighted"):
        ac.curves.calibration(weighted, method="binned")


def test_a_curve_exports_its_points() -> None:
    curve = ac.curves.calibration(binary(), method="binned", bins=4)
    facts = json.loads(curve.to_json())
    assert facts["abovechance"] == ac.__version__
    assert (facts["kind"], facts["curve"]) == ("curve", "calibration")
    assert facts["x"] == pytest.approx(curve.x.tolist())
    assert len(curve.to_csv().splitlines()) == 5
    assert list(curve.to_frame().columns) == ["x", "y", "low", "high", "cases"]
    assert isinstance(curve, ac.curves.Curve)
    assert "4 points" in str(curve)


@pytest.mark.parametrize("units", ["cases", "weights", "clusters"])
def test_a_curve_follows_the_cases_or_says_that_it_does_not(units: str) -> None:
    rng, n = np.random.default_rng(7), 3000
    p = rng.uniform(size=n)
    facts: dict[str, Any] = {
        "cases": {},
        "weights": {"sample_weight": rng.uniform(0.5, 2.0, n)},
        "clusters": {"groups": np.arange(n) % 300},
    }[units]
    straight = ac.Binary(rng.random(n) < p, probability=p, pos_label=True, **facts)
    assert "AC255" not in {a.code for a in ac.curves.calibration(straight, span=0.57).advice}
    bent = ac.Binary(rng.random(n) < _bent(p), probability=p, pos_label=True, **facts)
    stiff, free = (ac.curves.calibration(bent, span=span) for span in (0.57, None))
    (said,) = (a.text for a in stiff.advice if a.code == "AC255")
    assert said.startswith("the curve is smoother than the cases are (p ")
    assert "AC255" not in {a.code for a in free.advice}
    assert _held(free) > 0.85 > _held(stiff)


def _bent(p: Any) -> Any:
    return 0.1 + 0.85 / (1 + np.exp(-40 * (p - 0.85)))


def _held(curve: ac.curves.Curve) -> float:
    assert curve.low is not None
    assert curve.high is not None
    true = _bent(curve.x)
    return float(((curve.low <= true) & (true <= curve.high)).mean())


def test_grades_are_smoothed_less() -> None:
    rng = np.random.default_rng(13)
    p = rng.choice(np.linspace(0.05, 0.95, 13), 400)
    y = rng.random(400) < p
    assert "span 0.5," in ac.curves.calibration(ac.Binary(y, probability=p)).method
    each = p + rng.uniform(0.0, 1e-6, 400)
    assert "span 0.75," in ac.curves.calibration(ac.Binary(y, probability=each)).method


@pytest.mark.parametrize("power", [12, 100, 300])
def test_probabilities_next_to_nothing_have_a_band(power: int) -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(8, 80))
        p = 10.0 ** -rng.uniform(power / 2, power, n)
        p = np.where(rng.random(n) < 0.9, p, rng.random(n))
        y = rng.random(n) < 0.3
        y[:4] = [False, True, False, True]
        curve = ac.curves.calibration(ac.Binary(y, probability=p, pos_label=True))
        assert curve.low is not None
        assert curve.high is not None
        assert (curve.low <= curve.high).all()


def test_grades_that_no_curve_follows_are_said() -> None:
    rng = np.random.default_rng(3)
    grade = rng.choice(8, 1000, p=[0.6, 0.2, 0.1, 0.04, 0.02, 0.02, 0.01, 0.01])
    y = rng.random(1000) < np.where(grade < 4, 0.08, 0.7)
    curve = ac.curves.calibration(ac.Binary(y, probability=np.linspace(0.05, 0.95, 8)[grade]))
    assert "AC255" in {a.code for a in curve.advice}


def test_classes_the_other_way_round_mirror_the_curve() -> None:
    rng = np.random.default_rng(4)
    for n in (300, 800, 1500):
        odds = rng.normal(-3, 2, n)
        p = 1.0 / (1.0 + np.exp(-odds))
        y = rng.random(n) < 1.0 / (1.0 + np.exp(-odds - 1.0))
        one = ac.curves.calibration(ac.Binary(y, probability=p, pos_label=True))
        other = ac.curves.calibration(ac.Binary(~y, probability=1.0 - p, pos_label=True))
        assert one.method == other.method
        assert one.low is not None
        assert other.high is not None
        turned = np.interp(one.x, 1.0 - other.x[::-1], 1.0 - other.high[::-1])
        assert np.abs(one.low - turned).max() < 0.04  # loess halves cases from one side


def test_a_curve_of_tied_or_rare_probabilities_is_not_said_to_be_too_smooth() -> None:
    rng = np.random.default_rng(8)
    for p in (np.round(rng.random(1000), 1), rng.beta(0.3, 6, 1000)):
        y = rng.random(1000) < p
        order = np.argsort(y, kind="stable")
        found = ac.curves.calibration(
            ac.Binary(y[order], probability=p[order], pos_label=True), span=0.75
        )
        assert "AC255" not in {a.code for a in found.advice}
