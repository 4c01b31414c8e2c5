"""Intervals and comparisons over cross-validation folds."""

import numpy as np
import pytest

import abovechance as ac
from abovechance import assess, examples
from abovechance.errors import DataError, NotApplicable
from abovechance.inference.comparison import compare
from abovechance.inference.folds import (
    _distance,
    _unseen_by_folds,
    _without_ends,
    correlated_t,
    five_by_two,
    fold_gaps,
    interval_over_cases,
)
from abovechance.inference.influence import Gap
from abovechance.measures import Law, applicable, find
from abovechance.measures.sample import COUNTING
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions

# ----------------------------------------------------------------------------------------------
# Intervals over folds are of means and pairs; what cannot be averaged is refused and said.
# ----------------------------------------------------------------------------------------------


def _cv(n: int = 103, folds: int = 5, repeats: int = 1) -> ac.Binary:
    rng = np.random.default_rng(2)
    y = np.tile((np.arange(n) % 3 == 0).astype(int), repeats)
    p = np.clip(0.3 + 0.25 * y + rng.normal(0, 0.2, len(y)), 0.02, 0.98)
    how = {"repeat": np.repeat(np.arange(repeats), n)} if repeats > 1 else {}
    fold = np.concatenate([rng.permutation(np.arange(n) // 3 % folds) for _ in range(repeats)])
    return ac.Binary(y, probability=p, pos_label=1, fold=fold, **how)


@pytest.mark.parametrize("repeats", [1, 4])
def test_a_small_class_is_said_over_folds_too_however_often_they_are_repeated(repeats: int) -> None:
    few, enough = _cv(103, repeats=repeats), _cv(240, repeats=repeats)
    for made, told in ((few, True), (enough, False)):
        alone = ac.assess(made, ["brier"], rng=1).advice
        both = compare({"a": made, "b": _other(made)}, ["brier"], rng=1).advice
        for advice in (alone, both):
            assert any("smallest class has 35 cases" in a.text for a in advice) == told


def _other(made: ac.Binary) -> ac.Binary:
    cases = {"fold": made.cases.fold, "repeat": made.cases.repeat}
    y = made.positive.astype(int)
    return ac.Binary(y, probability=0.9 * made.probability, pos_label=1, **cases)


@pytest.mark.parametrize("hits", [0, 1, 2, 5])
def test_a_rare_hit_is_allowed_for_though_folds_hardly_vary(hits: int) -> None:
    """Where one positive in 25 is found, folds vary less than the count of hits does."""
    y = np.tile(np.r_[1, np.zeros(7)], 25).astype(int)
    p = np.full(200, 0.2)
    p[np.flatnonzero(y)[:: 25 // max(hits, 1)][:hits]] = 0.8
    found = ac.assess(
        ac.Binary(y, probability=p, pos_label=1, fold=np.arange(200) // 8 % 5), ["sensitivity"]
    )["sensitivity"]
    wilson = ac.intervals.wilson(hits, 25)
    assert found.interval.low <= wilson.low + 1e-12
    assert found.interval.high >= wilson.high - 1e-12
    assert found.interval.low <= found.value <= found.interval.high


@pytest.mark.parametrize("hits", [0, 1, 5, 12, 24, 25])
def test_limits_over_cases_hold_those_of_counts_and_say_where_they_are_theirs(hits: int) -> None:
    y = np.tile(np.r_[1, np.zeros(7)], 25).astype(int)
    p = np.full(200, 0.2)
    p[np.flatnonzero(y)[:hits]] = 0.8
    made = ac.Binary(y, probability=p, pos_label=1, fold=np.arange(200) // 8 % 5)
    found = interval_over_cases(find("sensitivity"), made, hits / 25, None, 0.0)
    wilson = ac.intervals.wilson(hits, 25)
    assert found.low <= wilson.low + 1e-12
    assert found.high >= wilson.high - 1e-12
    assert ("widened to Wilson" in found.method) == (hits in (0, 25))


def test_every_value_lies_in_its_interval_or_says_why_there_is_none() -> None:
    found = ac.assess(_cv(), rng=1)
    for row in found:
        if row.interval is not None:
            assert row.value in row.interval, row.measure
        elif np.isfinite(row.value) and row.family != "calibration":
            assert "no interval" in (row.remark or ""), row.measure


def test_means_over_cases_keep_the_value_of_all_cases() -> None:
    cases = _cv()
    found = ac.assess(cases, ["accuracy", "brier", "log_score"], rng=1)
    for row in found:
        assert row.value == pytest.approx(find(row.measure).of(cases))
        assert row.remark is None


@pytest.mark.parametrize("name", ["average_precision", "f1", "mcc", "partial_auc", "scaled_brier"])
def test_what_small_folds_bias_is_refused(name: str) -> None:
    with pytest.raises(NotApplicable, match="biased"):
        ac.intervals.nadeau_bengio(find(name), _cv())


def test_a_root_of_a_mean_is_averaged_before_the_root() -> None:
    rng = np.random.default_rng(1)
    y, fold = rng.normal(size=60), np.arange(60) % 6
    cases = ac.Numeric(y + rng.normal(size=60), y, fold=fold)
    root, plain = (ac.intervals.nadeau_bengio(find(n), cases) for n in ("rmse", "mse"))
    assert (root.low**2, root.high**2) == pytest.approx((plain.low, plain.high))


def test_repeats_count_a_case_once() -> None:
    assert ac.assess(_cv(repeats=4), ["accuracy"], rng=1).n == 103


@pytest.mark.parametrize("curve", ["roc", "precision_recall", "decision", "cost", "calibration"])
def test_curves_of_pooled_folds_have_no_band_and_say_why(curve: str) -> None:
    options = {} if curve == "calibration" else {"draws": 19, "rng": 1}
    found = getattr(ac.curves, curve)(_cv(), **options)
    assert found.low is None
    assert found.high is None
    assert "AC251" in {a.code for a in found.advice}


def test_posteriors_of_pooled_folds_say_so() -> None:
    cases = _cv()
    for found in (
        ac.posterior.accuracy(cases),
        ac.posterior.balanced_accuracy(cases),
        ac.posterior.of("f1", cases, draws=200),
        ac.posterior.paired_difference(cases, cases, draws=200),
    ):
        assert [a.code for a in found.advice] == ["AC260"]
        assert "AC260" in str(found)
        assert found.to_dict()["advice"]
    assert ac.posterior.accuracy(9, 1).advice == ()


# ----------------------------------------------------------------------------------------------
# Comparisons over cross-validation folds and by 5 × 2 cross-validation.
# ----------------------------------------------------------------------------------------------


def cross_validated(repeats: int = 1, n: int = 50, k: int = 5) -> dict[str, Numeric]:
    rng = np.random.default_rng(1)
    y = np.tile(rng.normal(size=n), repeats)
    fold = np.concatenate([rng.permutation(n) % k for _ in range(repeats)])
    repeat = np.repeat(np.arange(repeats), n)
    facts = {"fold": fold, "id": np.tile(np.arange(n), repeats)}
    if repeats > 1:
        facts["repeat"] = repeat
    return {
        name: Numeric(y, y + s * rng.normal(size=n * repeats), **facts)
        for name, s in (("old", 1.2), ("new", 0.8))
    }


def fold_differences(models: dict[str, Numeric], measure: str) -> np.ndarray:
    first, second = models.values()
    repeat = first.cases.repeat if first.cases.repeat is not None else np.zeros(first.n)
    return np.array(
        [
            find(measure).of(first.take(at)) - find(measure).of(second.take(at))
            for r in np.unique(repeat)
            for f in np.unique(first.cases.fold)
            for at in [(repeat == r) & (first.cases.fold == f)]
        ]
    )


@pytest.mark.parametrize("repeats", [1, 4])
def test_corrected_t_is_nadeau_and_bengios(repeats: int) -> None:
    from scipy.stats import t

    models = cross_validated(repeats)
    d = fold_differences(models, "mae")
    total = len(d)
    error = np.sqrt((1 / total + 1 / 4) * d.var(ddof=1))
    row = compare(models, ["mae"], rng=1)["mae"]
    assert row.difference == pytest.approx(d.mean(), rel=1e-12)
    expected = 2 * t.sf(abs(d.mean() / error), total - 1)
    assert row.p_value == pytest.approx(expected, rel=1e-9)
    half = t.ppf(0.975, total - 1) * error
    limits = (row.interval.low, row.interval.high)
    assert limits == pytest.approx((d.mean() - half, d.mean() + half))
    assert row.test == f"corrected resampled t, {total} folds"


def test_naive_t_only_on_request_and_with_advice() -> None:
    from scipy.stats import ttest_1samp

    models = cross_validated()
    d = fold_differences(models, "mae")
    found = compare(models, ["mae"], naive=True, rng=1)
    assert found["mae"].p_value == pytest.approx(ttest_1samp(d, 0).pvalue, rel=1e-9)
    assert "not corrected" in found["mae"].test
    assert [a.code for a in found.advice] == ["AC145"]
    corrected = compare(models, ["mae"], rng=1)
    assert corrected["mae"].p_value > found["mae"].p_value
    assert [a.code for a in corrected.advice] == ["AC144"]


def test_posterior_is_the_bayesian_twin_of_the_corrected_t() -> None:
    row = compare(cross_validated(), ["mae"], alternative="less", rope=0.1, rng=1)["mae"]
    assert row.posterior.p_better == pytest.approx(row.p_value, rel=1e-9)
    parts = (row.posterior.p_first, row.posterior.p_equal, row.posterior.p_second)
    assert sum(parts) == pytest.approx(1.0)
    assert row.posterior.p_second > 0.5


def test_posterior_at_a_worked_example() -> None:
    # Student's t with 9 degrees of freedom, location .02, scale .01, by R's pt
    found = correlated_t(Gap(0.02, 0.01, 9), 1.0, rope=0.01)
    assert found.p_better == pytest.approx(0.9617236, abs=1e-6)
    assert found.p_first == pytest.approx(0.8282818, abs=1e-6)
    assert found.p_second == pytest.approx(0.0074782, abs=1e-6)
    certain = correlated_t(Gap(0.0, 0.0, 9), 1.0, rope=0.01)
    assert (certain.p_better, certain.p_equal) == (0.5, 1.0)


def test_values_are_means_over_folds() -> None:
    models = cross_validated()
    found = compare(models, ["mae", "r2"], rng=1)
    values = {(e.measure, e.model): e.value for e in found.estimates}
    for name in ("mae", "r2"):
        gap = values[name, "old"] - values[name, "new"]
        assert gap == pytest.approx(found[name].difference)
    assert values["r2", "old"] == find("r2").of(models["old"])  # biased in small folds


def test_identical_algorithms_have_p_one() -> None:
    model = examples.diabetes()
    row = compare({"a": model, "b": model}, ["mse"], rng=1)["mse"]
    assert (row.difference, row.p_value) == (0.0, 1.0)
    assert row.posterior.p_better == 0.5
    assert row.identical


def test_folds_that_all_differ_by_the_same_show_no_spread() -> None:
    """Algorithms that hardly err are not known to be alike: "0 to 0, p = 1" would say so."""
    fold, y = np.repeat(np.arange(5), 8), np.tile([0, 1], 20)
    p = np.where(y == 1, 0.8, 0.2)
    other = np.where(y == 1, 0.9, 0.3)
    models = {
        "a": Binary(y, probability=p, fold=fold),
        "b": Binary(y, probability=other, fold=fold),
    }
    found = compare(models, ["accuracy", "auc", "brier"], rng=1)
    for name in ("accuracy", "auc"):
        row = found[name]
        assert (row.difference, row.interval, row.p_value) == (0.0, None, 1.0)
        assert "no spread in these cases" in row.undefined
        assert not row.identical
        assert row.posterior is None
    brier = found["brier"]  # each case differs by as much as its like in any other fold
    assert (brier.interval, brier.p_value) == (None, None)


def test_folds_must_be_the_same() -> None:
    models = cross_validated()
    other = models["new"]
    moved = Numeric(
        other.outcome[0], other.value[0], fold=(other.cases.fold + 1) % 5, id=other.cases.id
    )
    with pytest.raises(DataError, match="fold must be the same"):
        compare({"old": models["old"], "new": moved})


def test_folds_that_cannot_be_compared_say_why() -> None:
    y = np.arange(12) % 2
    two = {"a": np.linspace(0.1, 0.9, 12), "b": np.linspace(0.1, 0.9, 12) ** 2}
    leave_one_out = {k: Binary(y, probability=p, fold=np.arange(12)) for k, p in two.items()}
    row = compare(leave_one_out, ["brier"], rng=1)["brier"]
    assert row.p_value is None
    assert "leave-one-out" in row.undefined
    no_folds = {k: Binary(y, probability=p, origin="cv") for k, p in two.items()}
    assert "--fold" in compare(no_folds, ["brier"], rng=1)["brier"].undefined
    with pytest.raises(NotApplicable, match="cross-validated"):
        compare(cross_validated(), paired=False)


def test_five_by_two_is_alpaydins_f() -> None:
    from scipy.stats import f
    from sklearn.base import clone
    from sklearn.linear_model import LinearRegression, Ridge
    from sklearn.model_selection import RepeatedKFold

    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 4))
    y = X @ [1.0, 0.5, 0, 0] + rng.normal(size=60)
    pair = LinearRegression(), Ridge(50.0)
    found = five_by_two(*pair, X, y, rng=3)
    seed = int(np.random.SeedSequence(3).generate_state(1)[0])
    gaps = []
    for train, test in RepeatedKFold(n_splits=2, n_repeats=5, random_state=seed).split(X):
        errors = [
            ((clone(e).fit(X[train], y[train]).predict(X[test]) - y[test]) ** 2).mean()
            for e in pair
        ]
        gaps.append(errors[0] - errors[1])
    d = np.reshape(gaps, (5, 2))
    s2 = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    statistic = (d**2).sum() / (2 * s2.sum())
    assert found.statistic == pytest.approx(statistic, rel=1e-9)
    assert found.p_value == pytest.approx(f.sf(statistic, 10, 5), rel=1e-9)


def test_five_by_two_of_the_same_algorithm_has_p_one() -> None:
    from sklearn.naive_bayes import GaussianNB

    X = np.random.default_rng(4).normal(size=(40, 2))
    y = np.repeat(["no", "yes"], 20)
    found = five_by_two(GaussianNB(), GaussianNB(), X, y, pos_label="yes", rng=1)
    assert (found.statistic, found.p_value) == (0.0, 1.0)


@pytest.mark.parametrize("kind", ["binary", "multiclass", "numeric"])
def test_over_folds_models_are_compared_by_what_has_an_interval_over_folds(kind: str) -> None:
    rng = np.random.default_rng(3)
    n, k = 150, 5
    fold = np.repeat(np.arange(n // k), k) % k
    y = np.arange(n) % (2 if kind == "binary" else 3)
    seen = y + rng.random(n)

    def made(noise: float) -> Predictions:
        if kind == "numeric":
            return Numeric(seen, seen + noise * rng.normal(size=n), fold=fold)
        p = np.exp(np.eye(3)[y] + noise * rng.normal(size=(n, 3)))[:, : y.max() + 1]
        p /= p.sum(axis=1, keepdims=True)
        made = {"probability": p[:, 1] if kind == "binary" else p, "fold": fold}
        return Binary(y, **made) if kind == "binary" else Multiclass(y, **made)

    models = {"a": made(0.5), "b": made(1.0)}
    chosen = applicable(models["a"])
    alone = {e.measure: e for e in assess(models["a"], chosen, rng=1, draws=19) if e.class_ is None}
    compared = compare(models, chosen, rng=1, draws=19)
    refused = 0
    for row in compared:
        if "biased in small folds" in (alone[row.measure].remark or ""):
            assert row.interval is row.p_value is None, row.measure
            assert row.undefined in alone[row.measure].remark
            refused += 1
        elif alone[row.measure].interval is not None and np.isfinite(row.difference):
            assert row.p_value is not None, row.measure
    assert refused > 3
    assert refused < len(chosen) - 3


@pytest.mark.parametrize("costs", ["", "(1, 5)"])
def test_costs_over_folds_are_means_over_cases(costs: str) -> None:
    rng = np.random.default_rng(1)
    y = np.arange(103) % 2
    label = np.where(rng.random(103) < 0.8, y, 1 - y)
    cases = Binary(y, label=label, fold=rng.permutation(103) % 5)
    found = assess(cases, [f"expected_cost{costs}", f"cost_weighted_accuracy{costs}", "error_rate"])
    assert all(e.interval is not None and e.value in e.interval for e in found)
    if not costs:
        cost, right, wrong = (e.interval for e in found)
        assert (cost.low, cost.high) == pytest.approx((wrong.low, wrong.high))
        assert (1 - right.high, 1 - right.low) == pytest.approx((wrong.low, wrong.high))


def _over(stratified: bool, seed: int = 1) -> tuple[Binary, float]:
    """Labels that are always negative, in folds that hold the classes alike or at random."""
    rng = np.random.default_rng(seed)
    y = np.arange(200) < 60
    fold = np.empty(200, dtype=int)
    order = np.argsort(y + rng.random(200) / 2) if stratified else rng.permutation(200)
    fold[order] = np.arange(200) % 10
    found = assess(Binary(y, label=np.zeros(200, dtype=bool), fold=fold), ["accuracy"], rng=1)
    return found["accuracy"].interval


def test_stratified_folds_do_not_hide_how_frequencies_vary() -> None:
    """Always saying the larger class is right in a share of cases that samples vary in."""
    stratified, random = _over(True), _over(False)
    wanted = 2.0 * 2.262 * np.sqrt(0.3 * 0.7 / 200)  # Student's t of 10 folds
    assert stratified.high - stratified.low == pytest.approx(wanted, rel=1e-3)
    assert "class frequencies" in stratified.method
    widths = [i.high - i.low for i in (_over(False, seed) for seed in range(12))]
    assert 0.7 * wanted < np.mean(widths) < 1.8 * wanted
    assert random.low < 0.7 < random.high


def test_what_stratified_folds_do_not_show_is_the_variance_between_classes() -> None:
    """Of accuracy Σ π (recall − accuracy)² / n, less as far as folds hold classes unevenly."""
    y, fold = np.arange(120) % 3, np.arange(120) // 3 % 4
    label = np.where(np.arange(120) % 5 < 2 + y, y, 2 - y)
    right = [float((label == y)[y == k].mean()) for k in range(3)]
    between = np.mean((np.array(right) - np.mean(right)) ** 2) / 120
    even = Multiclass(y, label=label, fold=fold)
    assert _unseen_by_folds(find("accuracy"), even) == pytest.approx(between, rel=1e-6)
    held = np.bincount(3 * (fold2 := np.where(np.arange(120) < 8, 0, fold)) + y).reshape(4, 3)
    expected = held.sum(axis=1, keepdims=True) / 3
    chi2 = ((held - expected) ** 2 / expected).sum()
    uneven = Multiclass(y, label=label, fold=fold2)
    seen = min(chi2 / (3 * 2), 1.0)
    assert 0.0 < seen < 1.0
    found = _unseen_by_folds(find("accuracy"), uneven)
    assert found == pytest.approx((1 - seen) * between, rel=1e-6)


def test_frequencies_change_nothing_of_what_is_free_of_them() -> None:
    rng = np.random.default_rng(2)
    y = np.arange(100) % 4 == 0
    score = rng.normal(size=100) + y
    found = assess(Binary(y, score=score, fold=np.arange(100) // 4 % 5), ["auc"], rng=1)["auc"]
    assert "class frequencies" not in found.interval.method


@pytest.mark.parametrize("measure", ["mae", "mse", "rmse"])
def test_compare_and_assess_show_one_number_over_unequal_folds(measure: str) -> None:
    rng = np.random.default_rng(5)
    y = rng.normal(size=90)
    fold = np.repeat([0, 1, 2, 3], [40, 30, 15, 5])
    made = {
        name: ac.Numeric(y, y + rng.normal(0, s, 90) * (1 + fold), fold=fold, origin="cv")
        for name, s in (("a", 0.5), ("b", 0.8))
    }
    found = ac.compare(made, [measure], rng=1)
    alone = {name: ac.assess(p, [measure], rng=1)[measure].value for name, p in made.items()}
    assert {row.model: row.value for row in found.estimates} == pytest.approx(alone, rel=1e-12)
    assert found[measure].difference == pytest.approx(alone["a"] - alone["b"], rel=1e-9)


def _called(n: int = 400, share: float = 0.25, **given: object) -> Binary:
    rng = np.random.default_rng(8)
    y = np.arange(n) < share * n
    p = 1.0 / (1.0 + np.exp(-(rng.normal(size=n) + y + np.log(share / (1.0 - share)))))
    return Binary(y, probability=p, pos_label=True, fold=np.arange(n) % 10, **given)


def test_values_at_a_threshold_allow_for_where_other_models_would_cut() -> None:
    cases = _called()
    found = assess(cases, ["sensitivity", "accuracy", "auc"], rng=1)
    assert "other models' calls" in found["sensitivity"].interval.method
    assert "other models' calls" not in found["auc"].interval.method
    # by hand: the odds up and down by the standard error of the log odds of the outcome
    odds = cases.probability / (1.0 - cases.probability)
    shares = [
        (odds * np.exp(side * np.sqrt(1 / count)) > 1.0)[cases.positive].mean()
        for count in (100, 300)
        for side in (1, -1)
    ]
    added = ((shares[0] - shares[1]) / 2) ** 2 + ((shares[2] - shares[3]) / 2) ** 2
    parts = [(odds > 1.0)[cases.positive & (cases.cases.fold == k)].mean() for k in range(10)]
    wanted = 2.262 * np.sqrt((1 / 10 + 1 / 9) * np.var(parts, ddof=1) + added)
    interval = found["sensitivity"].interval
    assert interval.high - np.mean(parts) == pytest.approx(wanted, rel=1e-3)
    assert any(a.code == "AC026" and "sensitivity" in a.text for a in found.advice)


def test_every_value_at_a_threshold_says_that_other_models_would_call_otherwise() -> None:
    """Whatever these cases show: at its best threshold a value seems not to depend on it."""
    cases, seen = _called(), 0
    for measure in applicable(cases):
        if measure.form not in COUNTING or measure.law is Law.SHARE:
            continue
        found = assess(cases, [measure], rng=1, draws=99)
        if found.estimates[0].interval is not None:
            seen += 1
            assert any(a.code == "AC026" for a in found.advice), measure.name
    assert seen > 10


@pytest.mark.parametrize("classes", [2, 3])
def test_labels_alone_do_not_tell_how_others_would_call(classes: int) -> None:
    rng = np.random.default_rng(3)
    y = np.arange(120) % classes
    label = np.where(rng.random(120) < 0.7, y, rng.integers(0, classes, 120))
    kind = Binary if classes == 2 else Multiclass
    cases = kind(y, label=label, fold=np.arange(120) // classes % 5)
    told = {a.code: a.text for a in assess(cases, ["balanced_accuracy", "accuracy"], rng=1).advice}
    assert "balanced_accuracy" in told["AC027"]
    assert "accuracy, " not in told["AC027"]


def test_stated_labels_that_follow_from_probabilities_are_called_alike() -> None:
    cases = _called()
    stated = _called(label=cases.label)
    one, other = (
        assess(p, ["sensitivity"], rng=1)["sensitivity"].interval for p in (cases, stated)
    )
    assert (one.low, one.high) == (other.low, other.high)
    assert _called(label=~cases.label).called(np.ones(2)) is None


def test_equal_models_are_compared_with_no_more_than_their_folds_show() -> None:
    cases = _called()
    other = cases.replace(probability=np.clip(cases.probability + 1e-9, 0.0, 1.0))
    found = compare({"a": cases, "b": other}, ["sensitivity"], rng=1)["sensitivity"]
    assert found.difference == 0.0
    assert found.p_value == 1.0


def test_limits_move_with_the_ends_of_the_scale() -> None:
    odds = 9.0  # of 0.9; a half-width of 0.09 is one on the scale of log odds
    low, high = (odds * np.exp(side) / (1 + odds * np.exp(side)) for side in (-1.0, 1.0))
    assert _without_ends(0.9, 0.09, 0.0, 1.0) == pytest.approx((low, high), rel=1e-12)
    turned = _without_ends(0.8, 0.18, -1.0, 1.0)
    assert turned == pytest.approx((2 * low - 1, 2 * high - 1), rel=1e-12)
    moved = _without_ends(2.9, 0.09, 2.0, 3.0)
    assert moved == pytest.approx((2 + low, 2 + high), rel=1e-12)


@pytest.mark.parametrize("ends", [(-np.inf, np.inf), (0.0, np.inf), (-np.inf, 1.0), (0.0, 1.0)])
@pytest.mark.parametrize("value", [0.02, 0.4, 0.97])
def test_limits_without_ends_are_those_of_the_mirrored_scale(
    ends: tuple[float, float], value: float
) -> None:
    """Which way a scale runs is nobody's choice: turned around, the limits change places."""
    for half in (1e-9, 0.01, 0.3, 2.0):
        low, high = _without_ends(value, half, *ends)
        turned = _without_ends(-value, half, -ends[1], -ends[0])
        assert (-turned[1], -turned[0]) == pytest.approx((low, high), rel=1e-12)
        assert ends[0] <= low < value < high <= ends[1]
        if half == 1e-9:  # so near the scale is straight
            assert (value - low, high - value) == pytest.approx((half, half), rel=1e-5)


@pytest.mark.parametrize("which", [(True, False), (False, True), (False, False)])
def test_folds_of_both_models_are_needed_to_compare_over_them(which: tuple[bool, bool]) -> None:
    rng = np.random.default_rng(2)
    y = np.arange(24) % 2
    models = [
        Binary(y, probability=rng.random(24), **({"fold": np.arange(24) // 6} if has else {}))
        for has in which
    ]
    with pytest.raises(NotApplicable, match="give the fold of every case"):
        fold_gaps(find("brier"), *models)


@pytest.mark.parametrize("ends", [(0.0, np.inf), (2.0, np.inf), (-np.inf, 1.0), (-np.inf, -3.0)])
def test_distances_beside_one_end_do_not_hang_on_where_it_lies_or_which_it_is(
    ends: tuple[float, float],
) -> None:
    """Logarithms of what is left to the end; a small step is as long as it is."""
    end = ends[0] if np.isfinite(ends[0]) else ends[1]
    sign = 1.0 if np.isfinite(ends[0]) else -1.0
    for one, other in ((0.5, 2.0), (3.0, 0.4), (1.0, 1.0 + 1e-7)):
        found = _distance(end + sign * one, end + sign * other, *ends)
        assert found == pytest.approx(other * abs(np.log(one / other)), rel=1e-6)


def test_a_value_at_the_end_of_its_scale_is_as_far_away_as_the_numbers_are() -> None:
    assert _distance(2.3, 2.0, 2.0, np.inf) == pytest.approx(0.3)
    assert _distance(0.0, 0.3, 0.0, np.inf) == np.inf
