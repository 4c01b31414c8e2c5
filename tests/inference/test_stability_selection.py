"""Stability: halves, frequencies and paths by a plain loop, stable sets, selectors compared."""

import json

import numpy as np
import pytest
from scipy.stats import t
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectFromModel, SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import abovechance as ac
from abovechance.errors import AboveChanceError
from abovechance.inference.forward_selection import forward, splits_of
from abovechance.inference.stability_selection import Pairs, Plan, set_stability, support_of
from abovechance.resampling import stream


def data(seed=1, n=96, features=5):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, features)), np.repeat([0, 1], n // 2)
    X[:, -1] += 1.5 * y
    return X, y


FEW = {"draws": 8, "rng": 3}


def test_halves_have_nothing_in_common_and_their_part_of_every_class() -> None:
    X, y = data(n=90)
    y[:3] = 1  # 42 and 48 cases; then one too many of each
    work = Pairs(None, (), X[:-1], y[:-1], y[:-1], 1 / 3, 0, "random")
    rng = np.random.default_rng(1)
    for _ in range(20):
        first, second = work.halves(rng)
        assert not set(first) & set(second)
        assert np.bincount(y[first]).tolist() == np.bincount(y[second]).tolist() == [21, 23]
    whole = Pairs(None, (), X, np.arange(90.0), None, 1 / 3, 0, "random")
    assert [len(part) for part in whole.halves(rng)] == [45, 45]


def test_frequencies_and_paths_are_those_of_a_plain_loop_over_halves() -> None:
    X, y = data()
    names = ["accuracy", "brier"]
    found = ac.stability(X, y, measure=names, features=2, steps=4, ties="first", **FEW)
    from abovechance.inference.forward_selection import Task

    task = Task.of(
        X,
        y,
        measures=names,
        learner=None,
        feature_names=None,
        kind=None,
        pos_label=None,
        seed=3,
    )
    work = Pairs(task.judge, (), X, y, y, 1 / 3, 4, "first")
    orders = []
    for block in range(2):  # five pairs share a stream
        rng = stream(3, block)
        for _ in range(5 if block == 0 else 3):
            for half in work.halves(rng):
                split = splits_of(1 / 3, half, y, y, rng)
                orders.append(forward(task.judge, [split], 4).order[0])
    orders = np.array(orders)
    assert orders.shape == (16, 2, 4)
    for m, name in enumerate(names):
        for j in range(5):
            rows = [r for r in found.frequencies if r.selector == name]
            row = next(r for r in rows if r.feature == f"feature {j + 1}")
            assert row.frequency == np.mean([j in order[:2] for order in orders[:, m]])
            path = [np.mean([j in order[:k] for order in orders[:, m]]) for k in range(1, 5)]
            assert row.path == pytest.approx(path)
        chosen = np.array([np.isin(np.arange(5), order[:2]) for order in orders[:, m]])
        assert found[name].index == pytest.approx(set_stability(chosen))


def test_the_feature_that_matters_is_stable_wherever_its_column_stands() -> None:
    X, y = data(n=160)
    for order in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0]):
        found = ac.stability(X[:, order], y, measure="brier", draws=10, rng=1)
        assert found.stable() == [f"feature {order.index(4) + 1}"]
        assert found["brier"].bound <= 1
        first = found.frequencies[0]
        assert (first.stable, first.frequency >= 0.75) == (True, True)


def test_two_of_number_cutoff_and_errors_decide_the_third() -> None:
    decided = [
        Plan.of(100, None, 0.6, 1.0, 50, "r-concave", True),
        Plan.of(100, 10, None, 1.0, 50, "r-concave", True),
        Plan.of(100, 10, 0.6, None, 50, "r-concave", True),
        Plan.of(16, None, None, None, 50, "unimodal", True),
    ]
    assert [plan.selected for plan in decided] == [9, 10, 10, 3]
    assert [plan.cutoff_for(10) for plan in decided] == [0.6, 0.62, 0.6, 0.75]


def test_any_selector_will_do_and_is_compared_on_the_same_halves() -> None:
    X, y = data()
    lasso = SelectFromModel(LogisticRegression(C=0.2, l1_ratio=1.0, solver="saga", max_iter=5000))
    ways = {"anova": SelectKBest(f_classif, k=1), "lasso": make_pipeline(StandardScaler(), lasso)}
    found = ac.stability(X, y, selector=ways, measure="auc", **FEW)
    assert [row.selector for row in found.selectors] == ["auc", "anova", "lasso"]
    assert found["anova"].size == 1.0
    assert found["anova"].stable == ("feature 5",)
    assert len(found.comparisons) == 3
    assert all(row.p_adjusted is None or row.p_adjusted >= row.p_value for row in found.comparisons)
    alone = ac.stability(X, y, selector=SelectKBest(f_classif, k=1), errors=0.5, **FEW)
    assert alone.selectors[0].selector == "SelectKBest"
    assert alone.selectors[0].bound <= 0.5
    assert alone.learner is None


def test_p_of_two_selectors_is_where_the_interval_of_their_difference_would_touch_zero() -> None:
    X, y = data()
    ways = {"one": SelectKBest(f_classif, k=1), "two": SelectKBest(f_classif, k=2)}
    (row,) = ac.stability(X, y, selector=ways, draws=12, rng=1).comparisons
    half = (row.interval.high - row.interval.low) / 2
    assert row.interval.low == pytest.approx(row.difference - half)
    spread = half / t.ppf(0.975, 11)
    assert row.p_value == pytest.approx(2 * t.sf(abs(row.difference) / spread, 11), rel=1e-9)


def test_the_same_selector_twice_does_not_differ_from_itself() -> None:
    X, y = data()
    tree = SelectFromModel(DecisionTreeClassifier(max_depth=2))
    found = ac.stability(X, y, selector={"one": tree, "two": tree}, **FEW)
    assert found.comparisons[0].difference == 0
    assert found.comparisons[0].p_value is None


def test_permuted_copies_are_told_from_features() -> None:
    X, y = data(n=160)
    found = ac.stability(X, y, measure="brier", copies=True, draws=10, rng=1)
    assert (found.features, found.copies) == (10, 5)
    noise = {row.feature for row in found.frequencies if row.noise}
    assert noise == {f"feature {j} (permuted)" for j in range(1, 6)}
    assert found["brier"].noise_stable == 0


def test_processes_and_a_store_change_no_bit(tmp_path) -> None:
    X, y = data()
    asked = {"measure": ["accuracy", "brier"], "draws": 12, "rng": 5}
    whole = ac.stability(X, y, **asked)
    assert ac.stability(X, y, workers=2, **asked).to_dict() == whole.to_dict()
    kept = tmp_path / "halves.db"
    ac.stability(X, y, store=kept, **{**asked, "draws": 5})
    seen = []
    again = ac.stability(X, y, store=kept, progress=lambda *at: seen.append(at), **asked)
    assert again.to_dict() == whole.to_dict()
    assert seen[-1] == (12, 12)


def test_a_selector_that_always_says_the_same_has_an_index_of_one_and_no_interval() -> None:
    X, y = data(n=200)
    X[:, -1] += 3 * y
    found = ac.stability(X, y, selector=SelectKBest(f_classif, k=1), **FEW)
    assert found.selectors[0].index == 1
    assert found.selectors[0].interval is None
    every = ac.stability(X, y, selector=SelectKBest(f_classif, k="all"), **FEW)
    assert np.isnan(every.selectors[0].index)
    assert "every half selected all features" in str(every.selectors[0].undefined)
    assert json.loads(every.to_json())["selectors"][0]["index"] is None


def test_a_result_prints_saves_and_is_read_again() -> None:
    X, y = data()
    found = ac.stability(X, y, measure=["accuracy", "brier"], copies=True, **FEW)
    text = str(found)
    assert "of 10 features" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "| accuracy |" in found.to_markdown().replace("  ", " ") or "accuracy" in text
    assert {row["selector"] for row in found.rows()} == {"accuracy", "brier"}
    saved = json.loads(found.to_json())
    assert saved["kind"] == "stability"
    page = ac.report(saved)
    assert "Which features can be relied on?" in page.html
    assert len(page.document.charts) == 3  # paths of both measures, and frequencies
    assert {"AC732"} <= {advice.code for advice in found.advice}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"X": np.column_stack([np.ones(60), np.arange(60)])}, "constant"),
        ({"X": np.array([["a", 1]] * 60, dtype=object)}, "features must be numbers"),
        ({"y": np.r_[np.zeros(57), 1, 1, 1]}, "at least 4 cases, so that each half"),
        ({"cv": 10, "y": np.r_[np.zeros(45), np.ones(15)]}, "at least 20 cases"),
        ({"features": 4}, "features must be from 1 to 3"),
        ({"features": 1, "cutoff": 0.8, "errors": 1.0}, "two decide the third"),
        ({"cutoff": 0.5}, "cutoff must be above 0.5"),
        ({"errors": 0.001}, "not even one feature of 4"),
        ({"features": 3, "errors": 0.01}, "no cut-off keeps"),
        ({"errors": -1.0}, "errors must be a positive number"),
        ({"steps": 9}, "steps must be from"),
        ({"assumption": "normal"}, "assumption must be"),
        ({"selector": GaussianNB()}, "selector must be a scikit-learn feature selector"),
        ({"selector": {}}, "selector names none"),
        ({"selector": SelectKBest(k=2), "features": 2}, "a selector chooses how many"),
        ({"selector": make_pipeline(PCA(2), SelectKBest(k=1))}, "chose among 2"),
        ({"ties": "last"}, "ties must be"),
        ({"draws": 1}, "draws must be at least 2"),
    ],
)
def test_bad_input_gets_one_line(change, said) -> None:
    X, y = data(n=60, features=4)
    with pytest.raises(AboveChanceError, match=said) as refused:
        ac.stability(**{"X": X, "y": y, "rng": 1, "draws": 4, **change})
    assert "\n" not in str(refused.value)


def test_support_is_asked_of_the_last_step() -> None:
    X, y = data()
    fitted = make_pipeline(StandardScaler(), SelectKBest(k=2)).fit(X, y)
    assert support_of(fitted, 5).sum() == 2


def clusters(of_cases=4, many=24, seed=5, crossing=False):
    """Clusters that all have a mark of their own in the first feature, and signal in the last."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(many), of_cases)
    y = np.arange(len(groups)) % 2 if crossing else (groups % 2)
    X = rng.normal(size=(len(groups), 4))
    X[:, 0] = rng.normal(size=many)[groups]
    X[:, -1] += 1.5 * y
    return X, y, groups


@pytest.mark.parametrize("crossing", [False, True])
def test_groups_stay_whole_in_halves_and_in_what_is_judged_within_them(crossing) -> None:
    X, y, groups = clusters(crossing=crossing)
    work = Pairs(None, (), X, y, y, 1 / 3, 0, "random", groups)
    rng = np.random.default_rng(1)
    for _ in range(10):
        halves = work.halves(rng)
        assert not set(groups[halves[0]]) & set(groups[halves[1]])
        assert [len(set(groups[half])) for half in halves] == [12, 12]
        for cv in (1 / 3, 3):
            for train, test in splits_of(cv, halves[0], y, y, rng, groups):
                assert not set(groups[train]) & set(groups[test])
                assert set(y[train]) == set(y[test]) == {0, 1}


def test_cases_that_are_copied_with_their_group_tell_nothing_of_one_another() -> None:
    """Ten copies of a case are in one half, so that what sets a case apart is not confirmed."""
    rng = np.random.default_rng(4)
    base, y = rng.normal(size=(40, 6)), np.tile([0, 1], 20)
    X, outcome, groups = np.repeat(base, 10, axis=0), np.repeat(y, 10), np.repeat(np.arange(40), 10)
    asked = {"measure": "log_score", "features": 1, "draws": 10, "rng": 1}
    whole = ac.stability(X, outcome, groups=groups, **asked)
    apart = ac.stability(X, outcome, **asked)
    assert whole.groups == 40
    assert apart.groups is None
    assert whole["log_score"].index < 0.1 < apart["log_score"].index
    assert "400 cases, 40 groups, 6 features" in str(whole)


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        (np.repeat([1, 2, 3], 32), "there must be at least 4 groups, .*; got 3. Collect more"),
        (np.arange(95), "groups must have one value per case; got 95 for 96 cases."),
        (np.repeat([1, 2, 3, 4, 5, 6, 7, 8], 12), "every part must hold all classes; 1000 draws"),
    ],
)
def test_groups_that_cannot_be_halved_are_refused(groups, said) -> None:
    X, y = data()
    y = np.where(np.arange(96) < 12, 1, 0)  # of eight groups one holds all positive cases
    with pytest.raises(AboveChanceError, match=said):
        ac.stability(X, y, measure="brier", groups=groups, **FEW)
    with pytest.raises(AboveChanceError):
        ac.select(X, y, groups=groups, cv=5)
