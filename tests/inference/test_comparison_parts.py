"""The parts of a comparison: letters, omnibus tests, contributions, items."""

from itertools import combinations

import numpy as np
import pytest

from abovechance.errors import DataError
from abovechance.inference.comparison import compact_letters, compare_items
from abovechance.inference.comparison.contributions import contributions
from abovechance.inference.comparison.omnibus import cochran, friedman
from abovechance.inference.significance import mcnemar
from abovechance.measures import Law, applicable, find
from abovechance.predictions import Binary, Multiclass


@pytest.mark.parametrize("seed", range(30))
def test_models_share_a_letter_exactly_when_not_told_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    models = [f"m{i}" for i in range(int(rng.integers(2, 8)))]
    pairs = list(combinations(models, 2))
    apart = {pair for pair in pairs if rng.random() < 0.4}
    letters = compact_letters(models, apart)
    for pair in pairs:
        first, second = (set(letters[m]) for m in pair)
        assert bool(first & second) == (pair not in apart)
    assert "a" in letters[models[0]]


def test_letters_of_simple_cases() -> None:
    assert compact_letters(["x", "y"], []) == {"x": "a", "y": "a"}
    assert compact_letters(["x", "y"], [("x", "y")]) == {"x": "a", "y": "b"}
    every = list(combinations("pqrs", 2))
    assert compact_letters("pqrs", every) == {"p": "a", "q": "b", "r": "c", "s": "d"}


def test_cochrans_q_equals_statsmodels() -> None:
    hits = np.array(
        [
            [1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1],
            [0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0],
            [0, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0],
            [1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1],
        ]
    )
    # statsmodels 0.15.0, stats.contingency_tables.cochrans_q(hits.T)
    assert cochran(hits) == (pytest.approx(9.176470588235293, rel=1e-12), 3.0)


def test_cochrans_q_of_two_models_is_mcnemars_chi2() -> None:
    hits = (np.random.default_rng(2).random((2, 50)) < [[0.5], [0.7]]).astype(float)
    b, c = (int(((hits[i] == 1) & (hits[1 - i] == 0)).sum()) for i in (0, 1))
    assert cochran(hits)[0] == pytest.approx(mcnemar(b, c, method="chi2").statistic)


@pytest.mark.parametrize("digits", [0, 6])
def test_friedman_equals_scipy(digits: int) -> None:
    from scipy.stats import friedmanchisquare

    losses = np.round(np.random.default_rng(3).normal(size=(4, 30)), digits)
    statistic, df = friedman(losses)
    assert statistic == pytest.approx(friedmanchisquare(*losses).statistic)
    assert df == 3


def test_identical_models_have_omnibus_zero() -> None:
    assert cochran(np.tile([1.0, 0.0, 1.0], (3, 1))) == (0.0, 2.0)
    assert friedman(np.ones((3, 5))) == (0.0, 2.0)


@pytest.mark.parametrize("k", [2, 3])
def test_contributions_sum_to_the_difference(k: int) -> None:
    rng = np.random.default_rng(k)
    y = np.concatenate([np.arange(k), rng.integers(k, size=37)])
    if k == 2:
        models = [Binary(y, probability=rng.random(39)) for _ in range(2)]
    else:
        models = [Multiclass(y, probability=rng.dirichlet(np.ones(k), size=40)) for _ in range(2)]
    seen = 0
    for measure in applicable(models[0]):
        if measure.law in (Law.SHARE, Law.BALANCED, Law.MEAN):
            parts = contributions(measure, *models)
            gap = measure.of(models[0]) - measure.of(models[1])
            assert parts.sum() == pytest.approx(gap, abs=1e-12), measure.name
            seen += 1
    assert seen >= 7


def test_contributions_of_micro_averages() -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(3, size=30)
    models = [Multiclass(y, label=rng.integers(3, size=30), labels=[0, 1, 2]) for _ in range(2)]
    for name in ("specificity_micro", "f1_micro", "sensitivity_micro"):
        measure = find(name)
        gap = measure.of(models[0]) - measure.of(models[1])
        assert contributions(measure, *models).sum() == pytest.approx(gap, abs=1e-12)


# ----------------------------------------------------------------------------------------- items


def items(n: int = 40, seed: int = 1) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    ability = {"new": 0.8, "old": 0.5}
    return {
        "id": np.tile([f"q{i}" for i in range(n)], 2),
        "model": np.repeat(list(ability), n),
        "value": np.concatenate([(rng.random(n) < p).astype(int) for p in ability.values()]),
        "groups": np.tile([f"d{i // 4}" for i in range(n)], 2),
    }


def without(columns: dict, *names: str) -> dict:
    return {k: v for k, v in columns.items() if k not in names}


def test_right_and_wrong_items_get_mcnemar() -> None:
    columns = items()
    row = compare_items(**without(columns, "groups"), rng=1)["accuracy"]
    new, old = columns["value"].reshape(2, -1).astype(bool)
    b, c = int((new & ~old).sum()), int((old & ~new).sum())
    assert row.p_value == mcnemar(b, c).p_value
    assert row.difference == pytest.approx(new.mean() - old.mean())
    assert (row.first, row.second, row.n) == ("new", "old", 40)


def test_right_answers_have_no_chance_level() -> None:
    found = compare_items(**items(), rng=1)
    assert [row.chance for row in found.estimates] == [None, None]


def test_scores_get_sign_flips_and_a_name() -> None:
    columns = without(items(), "groups")
    columns["value"] = columns["value"] + np.random.default_rng(2).normal(size=80)
    found = compare_items(**columns, name="rouge", rng=1)
    assert found["rouge"].test == "studentised bootstrap"
    assert found["rouge"].better == "new"
    losses = compare_items(**columns, higher_is_better=False, rng=1)
    assert losses.differences[0].better == "old"
    assert losses.differences[0].measure == "mean_loss"


def test_clusters_of_items_flip_together() -> None:
    row = compare_items(**items(), rng=1)["accuracy"]
    assert row.test == "sign flip of 10 clusters, exact"
    assert row.interval.method == "t over 10 clusters"


def test_order_of_models_is_as_asked() -> None:
    row = compare_items(**items(), models=["old", "new"], rng=1)["accuracy"]
    assert (row.first, row.second) == ("old", "new")
    with pytest.raises(DataError, match="no row is of model 'newer'"):
        compare_items(**items(), models=["old", "newer"])


def test_several_rows_for_an_item_are_averaged_and_said() -> None:
    columns = without(items(), "groups")
    twice = {k: np.concatenate([v, v]) for k, v in columns.items()}
    twice["value"][80:] = np.random.default_rng(3).integers(2, size=80)
    found = compare_items(**twice, rng=1)
    assert found.advice[0].code == "AC151"
    means = (twice["value"][:80] + twice["value"][80:]).reshape(2, -1) / 2
    assert found.differences[0].difference == pytest.approx((means[0] - means[1]).mean())


def test_items_missing_for_a_model_are_left_out() -> None:
    columns = without(items(), "groups")
    short = {k: v[:77] for k, v in columns.items()}
    found = compare_items(**short, rng=1)
    assert found.n == 37
    assert found.unmatched == {"new": 3, "old": 0}


def test_slips_in_items_are_refused() -> None:
    columns = items()
    with pytest.raises(DataError, match="at row 3"):
        compare_items(**{**columns, "value": np.where(np.arange(80) == 2, np.nan, 1.0)})
    wrong = {k: np.concatenate([v, v[1:2]]) for k, v in columns.items()}
    wrong["groups"] = wrong["groups"].astype(object)
    wrong["groups"][-1] = "elsewhere"
    with pytest.raises(DataError, match="item 'q1' is in several"):
        compare_items(**wrong)
    with pytest.raises(DataError, match="at least two models"):
        compare_items(id=[1, 2], model=["a", "a"], value=[1, 0])
    with pytest.raises(DataError, match="one entry a row"):
        compare_items(id=[1, 2], model=["a", "b"], value=[1])
