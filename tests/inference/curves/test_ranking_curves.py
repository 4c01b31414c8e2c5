"""ROC, precision–recall and cost curves: exact points, and bands like those of drawing cases."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance.errors import NotApplicable
from abovechance.inference.curves.curve import _upwards, above, resampled_above, thresholds_of
from abovechance.inference.curves.ranking_curves import (
    _from_origin,
    _reached_by_counts,
    _rightmost,
    _rightmost_of_counts,
    _where_reached,
)
from abovechance.measures import find

Reference = Callable[[str], Any]


def binary(n: int = 200, seed: int = 1, digits: int = 12, **extra: Any) -> ac.Binary:
    rng = np.random.default_rng(seed)
    p = np.round(rng.beta(2, 3, n), digits)
    return ac.Binary(rng.random(n) < p, probability=p, **extra)


def test_roc_points_and_thresholds_equal_exact_ones(reference: Reference) -> None:
    for case in reference("roc_curves")["cases"]:
        curve = ac.curves.roc(
            ac.Binary(case["input"]["y"], probability=case["input"]["p"]), draws=5, rng=1
        )
        points = np.array(case["expected"]["roc_points_fpr_tpr_all_distinct_thresholds"]["exact"])
        assert np.column_stack([curve.x, curve.y]) == pytest.approx(points, abs=1e-14)
        thresholds = case["expected"]["roc_thresholds_descending_predict_positive_if_ge"]["exact"]
        assert curve.columns["threshold"].tolist() == thresholds


def test_the_area_under_the_curve_is_the_auc() -> None:
    predictions = binary(digits=1)
    curve = ac.curves.roc(predictions, draws=5, rng=1)
    assert np.trapezoid(curve.y, curve.x) == pytest.approx(find("auc").of(predictions), rel=1e-12)


def test_precision_steps_add_up_to_average_precision() -> None:
    for digits in (1, 12):
        predictions = binary(digits=digits)
        curve = ac.curves.precision_recall(predictions, draws=5, rng=1)
        steps = np.diff(curve.x, prepend=0.0) @ curve.y
        assert steps == pytest.approx(find("average_precision").of(predictions), rel=1e-12)
        assert curve.columns["chance"][0] == pytest.approx(predictions.positive.mean())


def test_cells_count_what_cases_count() -> None:
    predictions = binary(digits=1)
    assert predictions.probability is not None
    at = np.array([0.15, 0.4, 0.7])
    found = above(predictions, predictions.probability, at)
    for k, t in enumerate(at):
        acted = predictions.probability >= t
        assert found.positives[k] == (acted & predictions.positive).sum()
        assert found.negatives[k] == (acted & ~predictions.positive).sum()
    assert found.tables.sum(axis=(-2, -1)).tolist() == [200.0] * 3


@pytest.mark.parametrize("cells", ["few", "of one case"])
@pytest.mark.parametrize("kind", ["plain", "stratified", "weights", "groups"])
def test_drawn_counts_have_the_moments_of_drawn_cases(kind: str, cells: str) -> None:
    extra: dict[str, Any] = {}
    if kind == "weights":
        extra["sample_weight"] = np.linspace(0.5, 1.5, 200)
    if kind == "groups":
        extra["groups"] = np.repeat(np.arange(50), 4)
    predictions = binary(**extra)
    p = predictions.probability
    assert p is not None
    at = np.array([0.2, 0.5]) if cells == "few" else thresholds_of(p)
    stratified = kind == "stratified"
    parts_drawn = list(
        resampled_above(predictions, p, at, np.random.default_rng(1), 4000, stratified=stratified)
    )
    positives = np.concatenate([part.positives for part in parts_drawn])
    assert len(positives) == 4000
    rng = np.random.default_rng(2)
    slow = []
    for _ in range(2000):
        if kind == "groups":
            rows = (rng.integers(50, size=50)[:, None] * 4 + np.arange(4)).ravel()
        elif stratified:
            parts = [np.flatnonzero(predictions.positive == side) for side in (False, True)]
            rows = np.concatenate([rng.choice(part, len(part)) for part in parts])
        else:
            rows = rng.integers(200, size=200)
        slow.append(above(predictions.take(rows), p[rows], at).positives)
    spread = np.std(slow, axis=0)
    assert positives.mean(axis=0) == pytest.approx(np.mean(slow, axis=0), abs=0.15 * spread.max())
    assert positives.std(axis=0) == pytest.approx(spread, rel=0.1, abs=0.02 * spread.max())
    if stratified:
        for part in parts_drawn:
            assert (part.all_positives == predictions.positive.sum()).all()


def test_many_scores_are_thinned_evenly() -> None:
    score = np.random.default_rng(3).normal(size=5000)
    at = thresholds_of(score)
    assert len(at) == 1000
    assert (at[0], at[-1]) == (score.min(), score.max())
    exact, thin = (
        ac.curves.roc(ac.Binary(np.arange(5000) % 3 == 0, score=s), draws=3, rng=1)
        for s in (np.round(score, 2), score)
    )
    x = np.linspace(0, 1, 50)
    assert np.interp(x, thin.x, thin.y) == pytest.approx(np.interp(x, exact.x, exact.y), abs=0.01)


def test_bands_enclose_curves_and_narrow_with_cases() -> None:
    for curve_of in (ac.curves.roc, ac.curves.precision_recall, ac.curves.cost):
        widths = []
        for n in (100, 1600):
            curve = curve_of(binary(n), draws=200, rng=1)
            assert curve.low is not None
            assert curve.high is not None
            # on a vertical stretch the band is that of its upper end
            upper = np.array([curve.y[curve.x == x].max() for x in curve.x])
            assert (curve.low <= upper + 1e-12).all()
            assert (upper <= curve.high + 1e-12).all()
            widths.append((curve.high - curve.low).mean())
        assert widths[1] < 0.5 * widths[0]


def test_the_cost_curve_is_the_lowest_line() -> None:
    predictions = binary(60)
    curve = ac.curves.cost(predictions, draws=50, rng=1)
    roc = ac.curves.roc(predictions, draws=5, rng=1)
    lines = (1 - roc.y)[:, None] * curve.x + roc.x[:, None] * (1 - curve.x)
    assert curve.y == pytest.approx(lines.min(axis=0), abs=1e-12)
    assert (curve.y <= curve.columns["trivial"] + 1e-12).all()
    assert (curve.y[0], curve.y[-1]) == (0.0, 0.0)


def test_perfect_scores_cost_nothing() -> None:
    predictions = ac.Binary([0, 0, 1, 1], score=[1, 2, 3, 4])
    assert ac.curves.cost(predictions, draws=20, rng=1).y == pytest.approx(np.zeros(101))
    roc = ac.curves.roc(predictions, draws=20, rng=1)
    assert roc.at(0.0)["low"] == pytest.approx(ac.intervals.wilson(2, 2).low)


def test_curves_need_two_classes_and_scores() -> None:
    for curve_of in (ac.curves.roc, ac.curves.precision_recall, ac.curves.cost):
        with pytest.raises(NotApplicable, match="both classes"):
            curve_of(ac.Binary([1, 1], probability=[0.2, 0.4]))
        with pytest.raises(NotApplicable, match="only labels"):
            curve_of(ac.Binary([0, 1], label=[0, 1]))
        with pytest.raises(NotApplicable, match="against_rest"):
            curve_of(ac.Numeric([1.0, 2.0], [1.0, 2.0]))


@pytest.mark.parametrize("name", ["roc", "precision_recall", "cost", "decision", "calibration"])
def test_a_single_cluster_has_no_band_and_few_are_named(name: str) -> None:
    one = getattr(ac.curves, name)(binary(groups=np.zeros(200)))
    assert (one.low, one.high) == (None, None)
    assert "a single cluster does not show" in one.advice[-1].text
    assert json.loads(one.to_json())["low"] is None
    few = getattr(ac.curves, name)(binary(groups=np.arange(200) % 8))
    assert few.low is not None
    assert few.advice[-1].text.startswith("8 clusters are few for a curve")
    many = getattr(ac.curves, name)(binary(groups=np.arange(200) % 50))
    assert not [a for a in many.advice if "clusters" in a.text]


def test_an_area_of_a_single_cluster_has_no_interval() -> None:
    with pytest.raises(NotApplicable, match="over clusters needs at least two"):
        ac.intervals.delong(binary(groups=np.zeros(200)))


def test_curves_read_at_once_are_those_read_one_by_one() -> None:
    rng = np.random.default_rng(5)
    steps = rng.integers(0, 2, size=(2, 6, 40))
    steps[:, :, 0] = 0  # from the origin
    x, y = (np.cumsum(each, axis=1) / each.sum(axis=1)[:, None] for each in steps)
    at = np.linspace(0.0, 1.0, 17)
    x[3] = np.nan  # a sample without negatives has no curve
    heights, reached = _rightmost(at, x, y), _where_reached(at, x, y)
    for i in range(6):
        if i == 3:
            assert np.isnan(heights[i]).all()
            assert np.isnan(reached[i]).all()
            continue
        last = np.append(np.diff(x[i]) > 0, True)
        assert heights[i] == pytest.approx(np.interp(at, x[i][last], y[i][last]), abs=1e-12)
        assert np.array_equal(reached[i], y[i][np.searchsorted(x[i], at - 1e-12)])


@pytest.mark.parametrize("often", [0.3, 1.0, 8.0])
def test_curves_of_counted_samples_are_those_of_all_their_points(often: float) -> None:
    rng = np.random.default_rng(7)
    cells = rng.poisson(often, size=(2, 40, 31)).astype(np.int32)  # class, sample, cell
    cells[..., 0] = 0  # nothing lies below the lowest threshold
    cells[:, :, 5] += 1
    falling = np.ascontiguousarray(cells[..., ::-1])
    drawn = _upwards(cells)
    rates = np.unique(np.concatenate([[0.0, 1.0], rng.random(20), drawn.false_positive_rate[3]]))
    fpr, tpr = _from_origin(drawn.false_positive_rate), _from_origin(drawn.sensitivity)
    found = _rightmost_of_counts(rates, *falling)
    np.testing.assert_array_equal(found, _rightmost(rates, fpr, tpr))
    cells[0, 11] = falling[0, 11] = 0  # no positives: no recall, and no precision at any
    drawn = _upwards(cells)
    wanted = np.unique(np.concatenate([[1.0], rng.random(20), drawn.sensitivity[3]]))
    recall, precision = drawn.sensitivity[:, ::-1], drawn.precision[:, ::-1]
    expected = _where_reached(wanted, recall, np.ascontiguousarray(precision))
    assert np.isnan(expected[11]).all()
    np.testing.assert_array_equal(_reached_by_counts(wanted, *falling), expected)


@pytest.mark.parametrize("name", ["roc", "precision_recall", "calibration", "decision", "cost"])
@pytest.mark.parametrize("kind", ["plain", "ties", "clusters", "weights", "rare", "perfect"])
def test_every_point_of_a_curve_lies_in_its_band(name: str, kind: str) -> None:
    rng = np.random.default_rng(3)
    y = np.arange(60) % (12 if kind == "rare" else 3) == 0
    score = (6.0 if kind == "perfect" else 1.2) * y + rng.normal(size=60)
    if kind == "ties":
        score = np.round(score)
    extra: dict[str, Any] = {}
    if kind == "clusters":
        extra["groups"] = rng.choice(9, 60, p=np.arange(1, 10) / 45)
    if kind == "weights":
        extra["sample_weight"] = rng.lognormal(sigma=0.8, size=60)
    cases = ac.Binary(y, probability=1.0 / (1.0 + np.exp(0.7 - score)), **extra)
    drawn = {} if name == "calibration" else {"draws": 199}
    curve = getattr(ac.curves, name)(cases, rng=1, **drawn)
    assert curve.low is not None
    known = np.isfinite(curve.low) & np.isfinite(curve.high)
    assert known.any()
    low, high, points = curve.low[known], curve.high[known], curve.y[known]
    assert (low <= points + 1e-9).all()
    assert (points <= high + 1e-9).all()
