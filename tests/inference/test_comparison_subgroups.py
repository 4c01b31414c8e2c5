"""Models compared within subgroups, and whether their difference differs between these."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import f_oneway, ttest_ind

from abovechance import Binary, Multiclass, Numeric, compare
from abovechance.errors import DataError
from abovechance.inference.assessment import in_order
from abovechance.inference.comparison import TEST, welch_james

BY = np.array(["<30", "30-44", "45+"])[np.arange(180) % 3]


def binary(seed: int = 1, **cases: Any) -> dict[str, Binary]:
    """A new model that is better for the oldest only."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=180)
    turned = 2.0 * y - 1.0
    scores = {
        "new": (0.6 + 2.0 * (BY == "45+")) * turned + rng.normal(size=180),
        "old": 0.6 * turned + rng.normal(size=180),
    }
    return {
        name: Binary(y, probability=1 / (1 + np.exp(-s)), **cases) for name, s in scores.items()
    }


def test_within_a_subgroup_models_are_compared_as_if_alone() -> None:
    models = binary()
    names = ["auc", "brier", "accuracy"]
    found = compare(models, names, by=BY, by_name="age", draws=199, rng=1)
    rows = [row for row in found if row.by is not None]
    assert [row.by for row in rows[:3]] == ["age=<30", "age=30-44", "age=45+"]
    assert len(rows) == 9
    for label in np.unique(BY):
        alone = compare(
            {k: p.take(label == BY) for k, p in models.items()}, names, draws=199, rng=1
        )
        for name in names:
            row = next(r for r in rows if (r.by, r.measure) == (f"age={label}", name))
            assert row.difference == pytest.approx(alone[name].difference)
            assert row.p_value == pytest.approx(alone[name].p_value)
            assert row.interval == alone[name].interval
            assert row.paired
            assert row.n == 60
            assert row.events == int(models["new"].take(label == BY).positive.sum())
    sizes = [(s.by, s.n, s.events) for s in found.subgroups]
    assert sizes == [(r.by, r.n, r.events) for r in rows[:3]]


def test_p_is_adjusted_over_subgroups() -> None:
    found = compare(binary(), ["auc"], by=BY, draws=99, rng=1)
    rows = [row for row in found if row.by is not None]
    p = sorted(row.p_value for row in rows)
    holm = np.minimum(np.maximum.accumulate(np.array(p) * [3, 2, 1]), 1.0)
    assert sorted(row.p_adjusted for row in rows) == pytest.approx(holm.tolist())
    assert found["auc"].by is None
    assert found["auc"].p_adjusted == found["auc"].p_value


def test_a_difference_that_is_of_one_subgroup_is_an_interaction() -> None:
    found = compare(binary(), ["auc", "brier"], by=BY, draws=199, rng=1)
    assert [test.measure for test in found.interactions] == ["auc", "brier"]
    assert found.interactions[1].p_value < 0.01
    assert all("the same in every subgroup" in test.hypothesis for test in found.interactions)
    shuffled = np.random.default_rng(1).permutation(BY)
    none = compare(binary(), ["auc", "brier"], by=shuffled, draws=199, rng=1)
    assert all(test.p_value > 0.05 for test in none.interactions)


def test_welch_james_is_welch_of_two_and_anova_of_many() -> None:
    rng = np.random.default_rng(1)
    parts = [rng.normal(k / 4, 1 + k, size=20 + 5 * k) for k in range(3)]
    told = [
        ([x.mean() for x in some], [x.std(ddof=1) / len(x) ** 0.5 for x in some],
         [len(x) - 1 for x in some])
        for some in (parts[:2], parts)
    ]  # fmt: skip
    assert welch_james(*told[0])[3] == pytest.approx(ttest_ind(*parts[:2], equal_var=False).pvalue)
    p = welch_james(*told[1])[3]
    assert p == pytest.approx(f_oneway(*parts, equal_var=False).pvalue, rel=1e-6)


def test_between_subgroups_only_where_asked_or_for_one_model() -> None:
    models = binary()
    assert not [r for r in compare(models, ["auc"], by=BY, draws=99, rng=1) if r.model]
    both = compare(models, ["auc"], by=BY, between=True, draws=99, rng=1)
    assert len([row for row in both if row.model == "old"]) == 3
    alone = compare({"new": models["new"]}, ["auc"], by=BY, draws=99, rng=1)
    assert [row.model for row in alone] == ["new"] * 3
    assert alone.interactions == ()


def test_subgroups_follow_ids_into_another_order() -> None:
    models = binary(id=np.arange(180))
    turned = {"new": models["new"], "old": models["old"].take(np.arange(180)[::-1])}
    names = ["auc", "brier"]
    found, other = (compare(m, names, by=BY, draws=99, rng=1) for m in (models, turned))
    assert [row.difference for row in other] == pytest.approx([row.difference for row in found])


def test_counts_are_cases() -> None:
    models = binary(counts=np.full(180, 2))
    found = compare(models, ["accuracy"], by=BY, draws=99, rng=1)
    assert [s.n for s in found.subgroups] == [120, 120, 120]
    assert [row.n for row in found if row.by] == [120, 120, 120]


def test_dependent_subgroups_have_no_interaction_test() -> None:
    crossing = compare(binary(groups=np.arange(180) // 6), ["accuracy"], by=BY, draws=99, rng=1)
    assert crossing.interactions[0].p_value is None
    assert "clusters have cases in several subgroups" in crossing.interactions[0].undefined
    within = np.unique(BY, return_inverse=True)[1] * 100 + np.arange(180) // 18
    nested = compare(binary(groups=within), ["accuracy"], by=BY, draws=99, rng=1)
    assert nested.interactions[0].p_value is not None
    folds = compare(binary(fold=np.arange(180) // 3 % 5), ["accuracy"], by=BY, draws=99, rng=1)
    assert "folds" in folds.interactions[0].undefined


def test_a_subgroup_of_one_class_says_so() -> None:
    models = binary()
    by = np.where(models["new"].positive & (np.arange(180) < 60), "sick", "mixed")
    found = compare(models, ["auc", "accuracy"], by=by, draws=99, rng=1)
    row = next(r for r in found if r.by == "sick" and r.measure == "auc")
    assert row.difference != row.difference
    assert row.undefined
    assert found.interactions[0].undefined
    assert found.interactions[1].p_value is not None
    assert str(found)


def test_numbers_and_classes_have_subgroups_too() -> None:
    rng = np.random.default_rng(2)
    y = rng.normal(size=180)
    numbers = {m: Numeric(y, y + rng.normal(size=180) * s) for m, s in (("a", 1), ("b", 2))}
    found = compare(numbers, by=BY, draws=99, rng=1)
    assert {row.events for row in found} == {None}
    assert all(test.test == TEST for test in found.interactions)
    k = rng.integers(3, size=180)
    labels = {m: Multiclass(k, label=np.where(rng.random(180) < s, k, 0), labels=[0, 1, 2])
              for m, s in (("a", 0.8), ("b", 0.6))}  # fmt: skip
    assert len(compare(labels, ["accuracy"], by=BY, rng=1).interactions) == 1


def test_subgroups_stand_in_the_order_of_their_numbers() -> None:
    assert in_order(["45+", "<30", "30-44"]) == ["<30", "30-44", "45+"]
    assert in_order(["m", "f"]) == ["f", "m"]


def test_subgroups_are_checked() -> None:
    with pytest.raises(DataError, match="one value for each of the 180 cases"):
        compare(binary(), ["auc"], by=BY[:10])
    with pytest.raises(DataError, match="two subgroups apart"):
        compare(binary(), ["auc"], by=np.full(180, "all"))


def test_advice_names_the_subgroup_it_is_about() -> None:
    rng = np.random.default_rng(1)
    n, few = 400, 60
    y = rng.integers(2, size=n)
    models = {
        name: Binary(y, probability=1 / (1 + np.exp(-noise * rng.normal(size=n) - y)))
        for name, noise in (("a", 0.5), ("b", 1.5))
    }
    by = np.where(np.arange(n) < few, "few", "many")
    found = compare(models, ["auc", "sensitivity", "brier"], by=by, by_name="site", rng=1, draws=99)
    said = {a.code: a.text for a in found.advice}
    assert "fewer than 50 cases in site=few:" in said["AC149"]
    nearly = np.where(np.arange(n) % 60 == 0, ~(y > 0), y > 0)
    labels = {
        "a": Binary(y, label=y),
        "b": Binary(y, label=nearly.astype(int)),
    }
    found = compare(labels, ["accuracy"], by=by, by_name="site", rng=1, draws=99)
    said = {a.code: a.text for a in found.advice}
    assert "accuracy of a and b in site=few" in said["AC148"]
    for code in ("AC154", "AC155"):
        assert code not in said or "site=" in said[code]
