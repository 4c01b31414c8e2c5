"""What an assessment says beside its values: origin, threshold, times, and what looks wrong."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from abovechance import Binary, Multiclass, Numeric, Survival, assess, compare, report
from abovechance.inference.confusion_tables import only_when_right
from abovechance.inference.remarks import (
    ENOUGH_TO_BALANCE,
    _perfect,
    _reversed,
    advice_on_tests,
    balances_its_cases,
    repeated_rows,
)
from abovechance.measures import Law, find
from abovechance.measures.catalogue import every
from abovechance.predictions import Predictions


def _cases(n: int = 120, seed: int = 1, sign: float = 1.0, **options: object) -> Binary:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = (rng.random(n) < 1 / (1 + np.exp(-1.5 * x))).astype(int)
    return Binary(y, probability=1 / (1 + np.exp(-sign * x)), pos_label=1, **options)


def _codes(cases: Predictions, *names: str) -> dict[str, str]:
    found = assess(cases, list(names) or ["auc"], rng=1, draws=99)
    return {a.code: a.text for a in found.advice}


# ---------------------------------------------------------------- origin


def test_an_origin_that_nobody_stated_is_said_to_be_unstated() -> None:
    unstated, stated = _cases(), _cases(origin="test")
    found = [assess(c, ["auc"], rng=1, draws=99) for c in (unstated, stated)]
    assert [(a.origin, a.to_dict()["origin_stated"]) for a in found] == [
        ("test", False),
        ("test", True),
    ]
    assert "origin not stated" in str(found[0])
    texts = [report(a, predictions=c).html for a, c in zip(found, (unstated, stated), strict=True)]
    assert "independent test set" not in texts[0]
    assert "origin not stated" in texts[0]
    assert "independent test set" in texts[1]


def test_folds_state_the_origin() -> None:
    assert _cases(fold=np.arange(120) % 5).origin_stated
    assert not _cases().take(slice(0, 50)).origin_stated


# ---------------------------------------------------------------- threshold and times


def test_one_threshold_for_labels_and_for_net_benefit() -> None:
    cases = _cases(threshold=0.2)
    found = assess(cases, ["sensitivity", "net_benefit"], rng=1, draws=99)
    row = found["net_benefit"]
    label = cases.probability > 0.2
    worth = (label & cases.positive).mean() - (label & ~cases.positive).mean() * 0.25
    assert row.value == pytest.approx(worth)
    assert "0.2" in row.title
    assert found.to_dict()["threshold"] == 0.2
    html = report(found, predictions=cases).html
    assert "Cases above a threshold of 0.2 were called positive" in html
    assert "Cases above 0.2 are called 1" in html


def test_a_threshold_of_its_own_is_kept() -> None:
    found = assess(_cases(threshold=0.2), ["net_benefit(0.3)"], rng=1, draws=99)
    assert [e.measure for e in found] == ["net_benefit(0.3)"]
    half = assess(_cases(threshold=0.2), ["net_benefit(0.5)"], rng=1, draws=99)
    assert [e.measure for e in half] == ["net_benefit(0.5)"]


@pytest.mark.parametrize("name", [m for m, of in every().items() if "threshold" in of.parameters])
def test_a_stated_threshold_stands_beside_that_of_the_labels(name: str) -> None:
    cases = _cases(threshold=0.2)
    both = assess(cases, [name, f"{name}(threshold=0.3)", f"{name}(0.5)"], rng=1, draws=99)
    assert [e.measure for e in both] == [f"{name}({t})" for t in (0.2, 0.3, 0.5)]
    for e, t in zip(both, (0.2, 0.3, 0.5), strict=True):
        assert e.value == find(name, threshold=t).of(cases)
        assert f"threshold={t}" in e.title
    assert find(name)(cases) == both[f"{name}(0.2)"].value
    usual = assess(_cases(), [name, f"{name}(0.5)"], rng=1, draws=99)
    assert usual[name].value == usual[f"{name}(0.5)"].value
    assert "0.5" in usual[f"{name}(0.5)"].title
    primary = compare({"a": cases, "b": cases}, [name], primary=name, rng=1, draws=99).primary
    assert primary == f"{name}(0.2)"


def test_models_are_compared_at_their_threshold() -> None:
    models = {"a": _cases(threshold=0.2), "b": _cases(threshold=0.2, sign=0.5)}
    found = compare(models, ["net_benefit"], rng=1, draws=99)
    assert found.differences[0].measure == "net_benefit(0.2)"


def test_a_comparison_says_above_what_cases_are_positive() -> None:
    models = {"a": _cases(threshold=0.2), "b": _cases(threshold=0.2, sign=0.5)}
    found = compare(models, ["sensitivity", "accuracy"], rng=1, draws=99)
    said = "Cases above 0.2 are called positive."
    assert said in " ".join(str(found).split())
    assert said in " ".join(str(assess(models["a"], ["accuracy"], rng=1, draws=99)).split())
    assert found.to_dict()["threshold"] == 0.2
    html = report(found).html
    assert said in html
    assert "Cases above a threshold of 0.2 were called positive" in html
    ranks = compare(models, ["auc"], rng=1, draws=99)
    assert "called positive" not in str(ranks)


def test_models_with_thresholds_of_their_own_are_remarked_on() -> None:
    models = {"a": _cases(threshold=0.2), "b": _cases(sign=0.5)}
    found = compare(models, ["sensitivity"], rng=1, draws=99)
    assert found.threshold is None
    assert "a 0.2, b 0.5" in next(a.text for a in found.advice if a.code == "AC160")


def test_measures_at_a_time_name_it() -> None:
    rng = np.random.default_rng(3)
    risk, time = rng.normal(size=60), rng.exponential(size=60)
    times = [0.5, 1.0]
    curve = np.exp(-np.outer(np.exp(risk), times))
    cases = Survival(time, np.ones(60), risk=risk, survival=curve, times=times)
    found = assess(cases, ["brier_at", "brier_at(0.5)"], rng=1, draws=19)
    assert [e.title for e in found] == ["Brier score at time 1", "Brier score at time 0.5"]
    assert [e.to_dict()["time"] for e in found] == [1.0, 0.5]
    assert str(found.estimates[0].remark).startswith("the last of 2 predicted times")
    assert "Brier score at time 1" in report(found).html


# ---------------------------------------------------------------- results that look wrong


def test_a_reversed_order_is_remarked_on() -> None:
    assert "reversed" in _codes(_cases(sign=-1.0))["AC023"]
    assert "AC023" not in _codes(_cases())
    rng = np.random.default_rng(4)
    noise = Binary(np.arange(100) % 2, probability=rng.random(100), pos_label=1)
    assert "AC023" not in _codes(noise)


def test_perfect_results_are_asked_about() -> None:
    y = np.arange(60) % 2
    perfect = Binary(y, probability=np.where(y, 0.8, 0.2) + 0.1 * np.sin(np.arange(60)))
    assert "trained on" in _codes(perfect, "auc", "accuracy")["AC024"]
    assert "AC024" not in _codes(_cases(), "auc", "accuracy")


def _kinds(spoiled: int | None = None, turned: bool = False) -> dict[str, Predictions]:
    """Predictions of every kind that are right, or the wrong way round; one case may be spoiled."""
    rng = np.random.default_rng(5)
    n = 60
    two, three, near = np.arange(n) % 2, np.arange(n) % 3, 0.05 * rng.random(n)
    value, noise = np.exp(rng.normal(size=n)), 0.05 * rng.normal(size=n)
    wrong = np.full(n, turned) ^ (np.arange(n) == (-1 if spoiled is None else spoiled))
    p = np.where((two == 1) ^ wrong, 0.9, 0.1) + near
    guess = (three + wrong) % 3
    mirrored = value.max() + value.min() - value + noise
    predicted = np.where(wrong, mirrored if turned else value + 1.0, value)
    risk = value if turned else -value
    return {
        "probability": Binary(two, probability=p, pos_label=1),
        "label": Binary(two, label=two ^ wrong, pos_label=1),
        "classes": Multiclass(three, label=guess),
        "numeric": Numeric(value, predicted),
        "survival": Survival(value, np.ones(n), risk=np.where(wrong & (not turned), 9.0, risk)),
    }


@pytest.mark.parametrize("kind", list(_kinds()))
def test_whatever_is_reversed_is_remarked_on_by_every_measure(kind: str) -> None:
    cases = _kinds(turned=True)[kind]
    found = assess(cases, rng=1, draws=199)
    said = 0
    for row in (e for e in found if e.by is e.class_ is None):
        codes = {a.code for a in advice_on_tests([row], cases.kind)}
        assert "AC024" not in codes, row.measure
        against = row.p_value is not None and row.chance is not None and row.p_value > 0.99
        if against and (row.interval is None or row.chance not in row.interval):
            if find(row.measure).extreme:
                continue
            assert "AC023" in codes, row.measure
            said += 1
    assert said >= (1 if kind == "survival" else 4)
    assert "AC023" in {a.code for a in found.advice}


@pytest.mark.parametrize("kind", list(_kinds()))
def test_whatever_only_right_predictions_reach_is_asked_about(kind: str) -> None:
    cases = _kinds()[kind]
    found = assess(cases, rng=1, draws=199)
    spoiled = [_kinds(i)[kind] for i in range(4)]
    asked = 0
    for row in (e for e in found if e.by is e.class_ is None):
        m = find(row.measure).for_outcome(cases.kind)
        if m.higher_is_better is None or m.law is Law.CALIBRATION or not m.attainable:
            continue
        reached = np.isclose(row.value, m.best, rtol=0, atol=1e-12)
        perfect = reached and all(m.of(p) != m.best for p in spoiled)
        codes = {a.code for a in advice_on_tests([row], cases.kind)}
        assert ("AC024" in codes) == perfect, row.measure
        asked += perfect
    assert asked >= (1 if kind == "survival" else 5)


def test_noise_is_not_called_reversed() -> None:
    said = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y, x = np.arange(40) % 2, rng.normal(size=40)
        for cases in (
            Binary(y, probability=rng.random(40), pos_label=1),
            Numeric(x, rng.normal(size=40)),
        ):
            found = assess(cases, rng=1, draws=199)
            said += "AC023" in {a.code for a in found.advice}
    assert said <= 2  # at .01 on one side, of measures that mostly agree


def test_a_stated_rate_that_is_not_reached_is_no_reversal() -> None:
    found = assess(_cases(), ["accuracy"], rate=0.95, rng=1, draws=99)
    assert found["accuracy"].p_value > 0.99
    assert "AC023" not in {a.code for a in found.advice}


def test_few_arrangements_are_no_reversal() -> None:
    few = Binary(np.arange(30) == 0, label=np.arange(30) == 1, pos_label=True)
    assert assess(few, ["sensitivity"], rng=1)["sensitivity"].p_value == 1.0
    assert "AC023" not in {a.code for a in assess(few, rng=1).advice}


def test_copies_are_remarked_on() -> None:
    cases = _cases(332)
    assert "AC004" not in _codes(cases)
    five = cases.take(np.tile(np.arange(332), 5))
    assert "occurs 5 times" in _codes(five)["AC004"]
    drawn = cases.take(np.random.default_rng(1).integers(332, size=20_000))
    assert "332 different ones" in _codes(drawn)["AC004"]


def test_copies_are_remarked_on_where_models_are_compared() -> None:
    first, second = _cases(200), _cases(200, sign=0.5)
    at = np.random.default_rng(1).integers(200, size=5000)

    def codes(models: dict[str, Binary], **options: object) -> dict[str, str]:
        found = compare(models, ["auc"], rng=1, draws=99, **options)
        return {a.code: a.text for a in found.advice}

    assert "AC004" not in codes({"a": first, "b": second})
    drawn = {"a": first.take(at), "b": second.take(at)}
    assert "200 different ones" in codes(drawn)["AC004"]
    assert "200 different ones" in codes(drawn, paired=False)["AC004"]
    few = np.bincount(at, minlength=200)
    outcome = np.asarray(first.positive).astype(int)
    counted = {
        name: Binary(outcome, probability=p.probability, pos_label=1, counts=few)
        for name, p in (("a", first), ("b", second))
    }
    assert "AC004" not in codes(counted)
    # one model is a tree that predicts few values, the other tells its cases apart
    tree = Binary(outcome, probability=np.where(outcome, 0.7, 0.3), pos_label=1)
    assert "AC004" not in codes({"tree": tree, "b": second})


def test_scores_on_a_coarse_scale_are_no_copies() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=2000)
    p = np.clip(np.round(0.3 * y + 0.7 * rng.random(2000), 2), 0.01, 0.99)
    assert "AC004" not in _codes(Binary(y, probability=p, pos_label=1))
    assert "AC004" not in _codes(Binary(y, label=y, pos_label=1), "accuracy")


def test_accuracy_as_the_primary_measure_is_advised_against() -> None:
    assert "AC025" in _codes(_cases(), "accuracy")
    assert "AC025" not in _codes(_cases(), "accuracy", "log_score")
    assert "AC025" in _codes(Multiclass(["a", "b", "c"] * 9, label=["a", "b", "b"] * 9), "accuracy")


def test_one_case_was() -> None:
    cases = Binary([0, 1, 0, 1], probability=[0.1, 0.9, np.nan, 0.7], missing="drop")
    said = _codes(cases)
    assert said["AC001"].startswith("1 case with a missing value was dropped")
    assert "the smallest class has 1 case:" in said["AC030"]


# ---------------------------------------------------------------- few cases


def _followed(n: int = 300, seed: int = 1) -> Survival:
    """Most are censored early: many events in all, few cases that are still seen at the end."""
    rng = np.random.default_rng(seed)
    risk = rng.normal(size=n)
    time, limit = rng.exponential(np.exp(-risk)), rng.exponential(0.4, size=n)
    times = np.array([0.2, 1.0])
    survival = np.exp(-np.exp(risk)[:, None] * times)
    return Survival(np.minimum(time, limit), time <= limit, survival=survival, times=times)


def test_few_cases_that_are_seen_up_to_a_time_are_said_of_measures_at_that_time() -> None:
    cases = _followed()
    assert cases.event.sum() >= 50
    free = int((cases.time > 1.0).sum())
    said = _codes(cases, "calibration_slope_at")["AC030"]
    assert said.startswith(f"{free} cases had no event until after time 1: below 50")
    assert "AC030" not in _codes(cases, "c_index")
    assert "AC030" not in _codes(cases, "calibration_slope_at(0.2)")
    found = compare({"a": cases, "b": _followed()}, ["brier_at"], rng=1, draws=99)
    assert said in [a.text for a in found.advice]


def test_squared_errors_are_spoken_of_only_where_they_are_compared() -> None:
    rng = np.random.default_rng(4)
    y = rng.normal(size=120)
    models = {name: Numeric(y, y + rng.normal(size=120)) for name in "ab"}
    for names, told in (
        (["mae"], False),
        (["mae", "medae", "rae", "kendall"], False),
        (["mae", "rmse"], True),
        (["r2"], True),
    ):
        found = compare(models, names, rng=1, draws=99)
        assert any(a.code == "AC158" for a in found.advice) == told, names
        said = _codes(models["a"], *names)
        assert ("AC033" in said) == told, names


def test_counts_are_cases_when_a_class_is_called_small_in_a_comparison() -> None:
    rows = _cases(40)
    some = rows.with_cases(counts=np.full(40, 10))
    found = compare({"a": some, "b": some}, ["accuracy", "auc"], rng=1, draws=99)
    assert "AC158" not in [a.code for a in found.advice]


def test_a_mean_over_classes_says_which_class_no_case_was_seen_of() -> None:
    rows = _cases(80)
    part = np.where(rows.positive, "mixed", np.where(np.arange(80) % 2 == 0, "mixed", "well"))
    told = "left out 1: no case of the class was observed"
    found = assess(rows, ["balanced_accuracy", "specificity"], by=part, rng=1, draws=99)
    remarks = {(e.measure, e.by): e.remark for e in found.estimates}
    assert remarks["balanced_accuracy", "well"] == told
    assert remarks["balanced_accuracy", "mixed"] is None
    assert remarks["specificity", "well"] is None
    other = Binary(rows.positive.astype(int), probability=1 - rows.probability, pos_label=1)
    both = compare({"a": rows, "b": other}, ["balanced_accuracy"], by=part, rng=1, draws=99)
    within = {d.by: d.undefined for d in both.differences}
    assert told in str(within["well"])
    assert within["mixed"] is None


@pytest.mark.parametrize("clusters", [0, 25])
def test_a_value_at_a_time_without_interval_says_why_and_at_which_time(clusters: int) -> None:
    cases = _followed()
    groups = np.arange(cases.n) % clusters if clusters else None
    found = assess(cases.with_cases(groups=groups), rng=1, draws=99)
    bare = [e for e in found.estimates if e.interval is None and np.isfinite(e.value)]
    assert {e.measure for e in bare} >= {"ici_at"}
    assert clusters == 0 or {e.measure for e in bare} >= {"calibration_slope_at"}
    for e in bare:
        assert str(e.remark).startswith("the last of 2 predicted times"), e
        assert "; no interval: " in str(e.remark), e


def test_subgroups_of_few_cases_are_named() -> None:
    y = np.arange(400) % 2
    p = 0.5 + 0.3 * np.sin(np.arange(400)) + 0.1 * y
    by = np.repeat(["few", "rest"], [30, 370])
    made = Binary(y, probability=p, pos_label=1)
    (said,) = (a for a in assess(made, ["auc"], by=by, rng=1).advice if a.code == "AC037")
    assert "few: 15 cases of a class)" in said.text
    other = Binary(y, probability=p**2, pos_label=1)
    found = compare({"a": made, "b": other}, ["auc"], by=by, rng=1)
    (said,) = (a for a in found.advice if a.code == "AC162")
    assert "few: 15 cases of a class)" in said.text
    clustered = Binary(y, probability=p, pos_label=1, groups=np.arange(400) // 5)
    (said,) = (a for a in assess(clustered, ["auc"], by=by, rng=1).advice if a.code == "AC037")
    assert "few: 6 clusters)" in said.text
    numbers = Numeric(p, np.roll(p, 1))
    (said,) = (a for a in assess(numbers, ["mse"], by=by, rng=1).advice if a.code == "AC037")
    assert "few: 30 cases, rest: 370 cases)" in said.text


def test_weights_count_as_many_cases_as_they_are_worth() -> None:
    y = np.arange(200) % 2
    p = 0.5 + 0.3 * np.sin(np.arange(200)) + 0.1 * y
    even = Binary(y, probability=p, pos_label=1, sample_weight=np.full(200, 2.0))
    assert "AC030" not in [a.code for a in assess(even, ["auc"], rng=1).advice]
    few = Binary(y, probability=p, pos_label=1, sample_weight=np.where(np.arange(200) < 40, 50, 1))
    (said,) = (a for a in assess(few, ["auc"], rng=1).advice if a.code == "AC030")
    # of each class 20 cases of weight 50 and 80 of weight 1: 1080² / (20 · 2500 + 80)
    assert said.text.startswith("the smallest class is worth 23 cases by their weights: below 50")
    numbers = Numeric(p, np.roll(p, 1), sample_weight=np.exp(-np.arange(200) / 10.0))
    (said,) = (a for a in assess(numbers, ["mse"], rng=1).advice if a.code == "AC033")
    assert said.text.startswith("20 cases by their weights: below 50")


def test_times_in_a_row_are_said_to_tell_less() -> None:
    value = np.sin(np.arange(1200.0))
    for n, said in ((300, True), (1200, False)):
        made = Numeric(value[:n], np.roll(value[:n], 1), order=np.arange(n))
        assert ("AC029" in [a.code for a in assess(made, ["mse"], rng=1).advice]) == said


@pytest.mark.parametrize(("name", "sign"), [("auc", 1.0), ("brier", -1.0)])
def test_an_interval_that_ends_at_chance_has_not_left_it_behind(name: str, sign: float) -> None:
    def row(end: float) -> Any:
        ends = sorted([0.5 - 0.2 * sign, end])
        interval = SimpleNamespace(low=ends[0], high=ends[1])
        value = 0.5 - 0.1 * sign
        return SimpleNamespace(
            chance=0.5, value=value, p_value=0.999, interval=interval, hypothesis="chance"
        )

    assert not _reversed(row(0.5), find(name))
    assert _reversed(row(0.5 - 1e-9 * sign), find(name))


def test_only_measures_of_all_errors_tell_that_everything_is_right() -> None:
    assert all(only_when_right(find(name)) for name in ("accuracy", "mcc", "balanced_accuracy"))
    assert not any(only_when_right(find(name)) for name in ("sensitivity", "specificity", "ppv"))


@pytest.mark.parametrize(("largest", "told"), [(4.0, False), (4.05, True)])
def test_thirteen_twentieths_of_the_squares_are_not_yet_most_of_them(
    largest: float, told: bool
) -> None:
    # three of 64 cases hold 16 + 9 + 1 of the 40 squared differences
    gaps = np.r_[largest, -3.0, [1.0] * 7, [-1.0] * 8, np.zeros(47)]
    models = {"a": Numeric(np.zeros(64), 5.0 + gaps), "b": Numeric(np.zeros(64), np.full(64, 5.0))}
    found = compare(models, measures=["mae"], rng=1, draws=99)
    assert ("AC159" in {a.code for a in found.advice}) == told


def test_copies_are_seen_where_one_of_two_models_predicts_few_values() -> None:
    rng = np.random.default_rng(1)
    y, p = np.tile(rng.integers(2, size=60), 3), np.tile(rng.random(60), 3)
    tree = Binary(y, probability=np.where(p > 0.5, 0.7, 0.3), pos_label=1, origin="test")
    fine = Binary(y, probability=p, pos_label=1, origin="test")
    assert "occurs 3 times" in repeated_rows(fine)
    assert "occurs 3 times" in repeated_rows(tree, fine)
    assert repeated_rows(tree) == repeated_rows(tree, tree) == ""


@pytest.mark.parametrize(("name", "best", "short"), [("auc", 1.0, 0.999), ("brier", 0.0, 0.001)])
def test_only_the_best_value_is_perfect(name: str, best: float, short: float) -> None:
    for value, said in ((best, True), (best + 1e-13, True), (short, False), (0.5, False)):
        row: Any = SimpleNamespace(value=value, p_value=None)
        assert _perfect(row, find(name)) is said
        for p, shown in ((0.049, said), (0.05, False)):
            assert _perfect(SimpleNamespace(value=value, p_value=p), find(name)) is shown


# ---------------------------------------------------------------- the cases a model was fitted to


def _fitted(outcome: Any, features: Any) -> Any:
    """Newton's method for a logistic regression, to the last digit."""
    x = np.column_stack([np.ones(len(features)), features])
    beta = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ beta))
        beta += np.linalg.solve((x.T * (p * (1 - p))) @ x, x.T @ (outcome - p))
    return lambda new: 1 / (1 + np.exp(-(beta[0] + new @ beta[1:])))


def _draws(n: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    return x, (rng.random(n) < 1 / (1 + np.exp(1.0 - x[:, 0]))).astype(int)


def test_a_model_judged_by_the_cases_it_was_fitted_to_is_noticed() -> None:
    x, y = _draws(150, 1)
    new, outcome = _draws(150, 2)
    model = _fitted(y, x)
    own = Binary(y, probability=np.round(model(x), 4))
    assert "fitted" in _codes(own)["AC006"]
    assert "AC006" not in _codes(Binary(outcome, probability=model(new)))
    two = compare({"own": own, "other": Binary(y, probability=model(x) ** 1.1)}, ["auc"], rng=1)
    said = [a.text for a in two.advice if a.code == "AC006"]
    assert [text.startswith("own: predictions") for text in said] == [True]


def test_rows_that_stand_for_several_cases_are_looked_at_as_these_cases() -> None:
    x, y = _draws(200, 3)
    x = np.round(x[:, :1])
    p = _fitted(y, x)(x)
    cells, counts = np.unique(np.column_stack([p, y]), axis=0, return_counts=True)
    few = Binary(cells[:, 1], probability=cells[:, 0], counts=counts)
    assert balances_its_cases(Binary(y, probability=p))
    assert few.n < ENOUGH_TO_BALANCE
    assert balances_its_cases(few)


def test_least_squares_and_three_classes_are_noticed_on_their_own_cases_alone() -> None:
    rng = np.random.default_rng(4)
    x = np.column_stack([np.ones(200), rng.normal(size=(200, 2))])
    y = x @ [1.0, 1.0, 0.0] + rng.standard_t(4, size=200)
    half, rest = slice(0, 100), slice(100, None)
    value = x @ np.linalg.lstsq(x[half], y[half], rcond=None)[0]
    assert balances_its_cases(Numeric(y[half], value[half]))
    assert not balances_its_cases(Numeric(y[rest], value[rest]))

    groups = rng.integers(0, 4, 400)  # the likeliest probabilities of a group are its shares
    classes = (groups + (rng.random(400) < 0.5) * rng.integers(0, 3, 400)) % 3
    shares = np.array([[np.mean(classes[groups == g] == k) for k in range(3)] for g in range(4)])
    other = rng.permutation(classes)
    assert balances_its_cases(Multiclass(classes, probability=shares[groups]))
    assert not balances_its_cases(Multiclass(other, probability=shares[groups]))


def test_predicting_the_same_for_every_case_needs_no_fit() -> None:
    y = np.arange(60) % 3
    assert not balances_its_cases(Binary(y == 0, probability=np.full(60, 1 / 3)))
    assert not balances_its_cases(Multiclass(y, probability=np.full((60, 3), 1 / 3)))
    assert not balances_its_cases(Numeric(y + 0.1, np.full(60, 1.1)))


def test_probabilities_that_are_right_are_hardly_ever_taken_for_a_fit() -> None:
    rng = np.random.default_rng(5)
    seen = 0
    for _ in range(2000):
        p = rng.beta(2, 3, size=60)
        seen += balances_its_cases(Binary(rng.random(60) < p, probability=p))
    assert seen == 0  # 1.6 in 100 000 are expected


def _of_spread(spread: float, n: int = 1200, rare: int = 80, **options: Any) -> Binary:
    """Probabilities that say nothing, whose odds are the more skewed the greater the spread."""
    rng = np.random.default_rng(9)
    p = 1.0 / (1.0 + np.exp(3.5 - np.exp(spread * rng.normal(size=n))))
    return Binary((np.arange(n) < rare).astype(int), probability=p, pos_label=1, **options)


@pytest.mark.parametrize("options", [{}, {"sample_weight": np.full(1200, 0.5)}])
def test_probabilities_that_few_cases_of_a_class_spread_are_said(options: dict[str, Any]) -> None:
    skewed, even = _of_spread(1.0, **options), _of_spread(0.05, **options)
    p = skewed.probability[skewed.positive]
    squares = (p - p.mean()) ** 2
    few = squares.sum() ** 2 / (squares**2).sum()
    assert few < 15
    said = _codes(skewed, "tjur_r2", "auc")["AC043"]
    assert said.startswith("Tjur's R²: how far the probabilities of 80 positive cases vary")
    assert f"about {few:.0f} of them" in said
    assert "AC043" not in _codes(skewed, "auc", "brier")
    assert "AC043" not in _codes(even, "tjur_r2")
    found = compare({"a": even, "b": skewed}, ["tjur_r2"], rng=1, draws=99)
    assert [a.text[:15] for a in found.advice if a.code == "AC164"] == ["Tjur's R² (b): "]


def test_probabilities_of_few_cases_are_remarked_on_once() -> None:
    said = _codes(_of_spread(1.0, rare=40), "tjur_r2")
    assert "AC030" in said
    assert "AC043" not in said


def _until(end: float, n: int = 400) -> Survival:
    """Events at a constant rate, all still observed at the end censored there."""
    rng = np.random.default_rng(4)
    time = rng.exponential(size=n)
    return Survival(np.minimum(time, end), time <= end, risk=-time + rng.normal(size=n))


def test_concordance_of_all_times_says_where_the_follow_up_ends() -> None:
    short, long = _until(1.0), _until(4.0)
    free = np.mean(short.time[short.event].max() < short.time)
    said = _codes(short, "uno_c", "c_index")["AC044"]
    assert said.startswith(f"Uno's concordance: {free:.0%} are expected to be free of the event")
    assert "state a tau" in said.lower()
    assert "AC044" not in _codes(long, "uno_c")
    assert "AC044" not in _codes(short, "c_index")
    assert "AC044" not in _codes(short, "uno_c(0.8)")
    parts = np.where(np.arange(400) % 2, "x", "y")
    found = assess(short, ["uno_c"], by=parts, rng=1, draws=99)
    said = [a.text for a in found.advice if a.code == "AC044"]
    assert [text.partition(":")[0] for text in said] == [
        "Uno's concordance",
        "Uno's concordance (x)",
    ]


def test_few_times_are_said_of_samples_compared_with_each_other() -> None:
    ordered = {n: _cases(n, order=np.arange(n)) for n in (120, 1500)}
    for sizes, said in (((120, 1500), True), ((1500, 1500), False)):
        models = dict(zip("ab", (ordered[n] for n in sizes), strict=True))
        found = compare(models, ["sensitivity"], paired=False, rng=1, draws=99)
        assert ("AC029" in {a.code for a in found.advice}) is said
        times = [a.text for a in found.advice if a.code == "AC029"]
        assert all(text.startswith("120 times: below 1000") for text in times)
