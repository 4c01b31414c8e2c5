"""Learning curves: nested parts, power laws, goals, and what is refused."""

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB

import abovechance as ac
from abovechance.errors import DataError, NotApplicable
from abovechance.inference.learning_curves import (
    LearningPoint,
    _extended,
    _size,
    growing,
    power_laws,
    sizes_of,
)
from abovechance.learning.learner_tasks import task_of


def two_classes(n=120, features=4, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, features))
    return X, (X[:, 0] + rng.normal(size=n) > 0.8).astype(int)


X, Y = two_classes()


def test_parts_are_nested_hold_every_class_and_have_their_size():
    task = task_of(GaussianNB(), X, Y)
    part = (np.arange(120) < 100).astype(int)
    for seed in range(20):
        parts = growing(part, (6, 20, 60), task, np.random.default_rng(seed))
        assert [one.sum() for one in parts] == [6, 20, 60]
        for small, large in pairwise(parts):
            assert (small <= large).all()
        assert all(len(np.unique(Y[one > 0])) == 2 for one in parts)
        assert all((one <= part).all() for one in parts)


def test_groups_are_trained_on_as_wholes():
    groups = np.repeat(np.arange(24), 5)
    task = task_of(GaussianNB(), X, Y, groups=groups)
    parts = growing(np.ones(120, dtype=int), (12, 40), task, np.random.default_rng(1))
    for one in parts:
        assert (one.reshape(24, 5).std(axis=1) == 0).all()
    assert parts[0].sum() >= 12


def test_a_power_law_is_found_again():
    sizes = np.array([20.0, 40, 80, 160, 320])
    for limit, gain, rate in ((0.85, 1.2, 0.7), (0.2, -0.9, 0.5)):
        law = power_laws(sizes, (limit - gain * sizes**-rate)[None], (0.0, 1.0))
        assert law.limit[0] == pytest.approx(limit, abs=1e-6)
        assert law.rate[0] == pytest.approx(rate)
        assert law.at([640])[0, 0] == pytest.approx(limit - gain * 640**-rate, abs=1e-6)
        wanted = limit - gain * 1000**-rate
        assert law.reaching(np.array([wanted]))[0] == pytest.approx(1000.0, rel=1e-4)
    steep = power_laws(sizes, (1.3 - 2.0 * sizes**-0.3)[None], (0.0, 1.0))
    assert steep.limit[0] == 1.0  # no area is larger


def test_the_last_point_is_the_cross_validated_value_at_that_size():
    found = ac.learning_curve(
        GaussianNB(), X, Y, sizes=[24, 48, 96], measures=["brier", "nagelkerke_r2"], draws=3, rng=2
    )
    curve = found["brier"]
    assert [point.size for point in curve.points] == [24.0, 48.0, 96.0]
    assert curve.points[-1].interval.low < curve.points[-1].value < curve.points[-1].interval.high
    assert curve.points[0].value > curve.points[-1].value > curve.points[-1].apparent
    assert found["nagelkerke_r2"].points[0].interval is None
    assert "biased in small folds" in found["nagelkerke_r2"].no_band
    full = ac.validate(
        GaussianNB(), X, Y, measures="brier", method="repeated_cv", cv=5, draws=3, rng=2
    )
    assert curve.points[-1].value == pytest.approx(full["brier"].corrected, abs=0.01)


def test_the_curve_is_continued_with_limits_and_goals_have_a_size():
    asked = {"measures": ["auc"], "draws": 4, "rng": 3}
    easy, hard = "auc>=.55", "auc>=.999"
    found = ac.learning_curve(LogisticRegression(), X, Y, goals=[easy, hard], **asked)["auc"]
    assert found.continued[-1].size == pytest.approx(480)
    for one in found.continued:
        assert 0.0 <= one.low <= one.value <= one.high <= 1.0
    first, second = found.goals
    assert first.size == found.points[0].size
    assert second.size is None
    assert second.high is None


def test_a_curve_is_continued_from_sizes_that_its_model_is_not_too_rich_for():
    """Least squares with as many coefficients as cases is far worse than any power law says."""
    rng = np.random.default_rng(2)
    features = rng.normal(size=(150, 15))
    y = features @ np.full(15, 0.4) + rng.normal(size=150)
    found = ac.learning_curve(
        LinearRegression(), features, y, measures=["mse", "mae"], draws=4, rng=1
    )
    for name, least in (("mse", 1.0), ("mae", np.sqrt(2 / np.pi))):  # with the true coefficients
        last, beyond = found[name].points[-1].value, found[name].continued[-1]
        assert 0.8 * least < beyond.value < last
        assert beyond.low < least * (1 + 15 / 600) < beyond.high


def test_where_no_power_law_fits_the_curve_ends_and_says_so():
    points = [LearningPoint(size=s, value=v, apparent=v) for s, v in CROOKED]
    units = np.array([[v for _, v in CROOKED]] * 5) + np.arange(5)[:, None] * 1e-3
    rng = np.random.default_rng(1)
    assert _extended(ac.measures.find("auc"), points, units, 1e-3, rng) is None
    straight = [replace(p, value=0.8 - p.size**-0.5) for p in points]
    units += np.array([p.value for p in straight]) - units[2]
    made = _extended(ac.measures.find("auc"), straight, units, 1e-3, rng)
    assert made.laws.limit[0] == pytest.approx(0.8, abs=1e-3)
    assert made.laws.at(made.sizes)[1:, -1].std() == pytest.approx(1e-3, rel=0.3)


CROOKED = ((20.0, 0.6), (40.0, 0.7), (60.0, 0.55), (80.0, 0.7), (100.0, 0.55), (120.0, 0.7))


def test_the_same_numbers_from_any_number_of_processes():
    asked = {"measures": ["brier"], "sizes": [20, 40, 80], "draws": 3, "rng": 5}
    one, two = (ac.learning_curve(GaussianNB(), X, Y, **asked, workers=w) for w in (1, 2))
    assert one.to_dict() == two.to_dict()


def test_a_result_survives_json_prints_and_is_reported():
    found = ac.learning_curve(
        Ridge(), X, X[:, 0] + X[:, 1], sizes=[20, 40, 80], measures=["mse"], goals="mse<=.5",
        draws=2, rng=1,
    )  # fmt: skip
    facts = json.loads(found.to_json())
    assert facts["kind"] == "learning_curve"
    assert "Learning curve" in ac.report(facts).html
    assert max(len(line) for line in str(found).splitlines()) <= 80
    assert {row["continued"] for row in found.rows()} == {True, False}


def test_sizes_and_goals_that_make_no_sense_are_refused():
    assert sizes_of(None, 100, 2)[-1] == 100
    wrong = [
        ({"sizes": [10, 200]}, DataError, "must not exceed the 96 cases that are outside a fold"),
        ({"sizes": [50]}, DataError, "two different numbers or more"),
        ({"goals": "auc in .7..0.9"}, NotApplicable, "one limit of one measure"),
        ({"goals": "auc > high"}, DataError, "cannot read the goal"),
        ({"measures": ["mae"]}, NotApplicable, "numeric outcomes, not binary"),
    ]
    for given, error, said in wrong:
        with pytest.raises(error, match=said):
            ac.learning_curve(GaussianNB(), X, Y, draws=1, rng=1, **given)
    with pytest.raises(DataError, match="needs more than 10 cases outside a fold"):
        ac.learning_curve(GaussianNB(), X[:12], np.arange(12) % 2, cv=3, draws=1, rng=1)


def test_no_more_groups_are_trained_on_than_the_size_and_the_classes_ask_for():
    groups = np.repeat(np.arange(24), 5)
    both = np.tile([0, 1, 0, 1, 0], 24)
    task = task_of(GaussianNB(), X, both, groups=groups)
    every = np.ones(120, dtype=int)
    parts = growing(every, (5, 12, 40, 41), task, np.random.default_rng(1))
    assert [int(one.sum()) for one in parts] == [5, 15, 40, 45]
    pure = np.repeat(np.arange(24) % 2, 5)  # of groups of one class until the other comes
    task = task_of(GaussianNB(), X, pure, groups=groups)
    for seed in range(5):
        (part,) = growing(every, (5,), task, np.random.default_rng(seed))
        held = np.bincount(pure[part > 0], minlength=2)
        assert held.min() == 5
        assert held.sum() < 120


def test_sizes_are_whole_cases_and_rounding_adds_none():
    assert [_size(x) for x in (99.2, 100.0, 100.0 * (1 + 1e-12), 100.1)] == [100, 100, 100, 101]
    assert _size(np.inf) is None


def test_rows_hold_every_point_with_its_limits():
    found = ac.learning_curve(LogisticRegression(), X, Y, measures=["auc"], draws=4, rng=3)
    points = found["auc"].points
    rows = [row for row in found.rows() if not row["continued"]]
    limits = [(None, None) if p.interval is None else (p.interval.low, p.interval.high)
              for p in points]  # fmt: skip
    assert any(low is not None for low, _ in limits)
    assert [(r["low"], r["high"]) for r in rows] == limits
    assert [(r["size"], r["value"], r["apparent"]) for r in rows] == [
        (p.size, p.value, p.apparent) for p in points
    ]
