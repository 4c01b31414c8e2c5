"""DeLong's test against pROC and exact values; k models at once; areas never turned round."""

from itertools import combinations

import numpy as np
import pytest

from abovechance.errors import NotApplicable
from abovechance.inference.area_differences import box, covariances, wald
from abovechance.inference.comparison import compare
from abovechance.inference.contrasts import Standardised
from abovechance.inference.influence import Gap, components, placed
from abovechance.inference.significance import delong
from abovechance.measures import find
from abovechance.numerics.ranks import delong as oracle
from abovechance.numerics.ranks import placements
from abovechance.predictions import Binary, Multiclass

SIDES = {"two-sided": "two.sided", "greater": "greater", "less": "less"}


def two_models(case) -> list[Binary]:
    given = case["input"]
    return [Binary(given["y"], probability=given[p]) for p in ("p", "p2")]


@pytest.fixture(scope="module")
def cases(reference):
    return [case for case in reference("dinga_tests")["cases"] if "p2" in case["input"]]


def finite(value) -> bool:
    return isinstance(value, float | int) and np.isfinite(value)


@pytest.mark.parametrize("side", SIDES)
def test_paired_p_values_equal_proc(cases, side: str) -> None:
    assert len(cases) == 15
    for case in cases:
        expected = case["expected"]
        found = delong(*two_models(case), alternative=side)
        for p in expected[f"delong_paired_p_{SIDES[side]}"].values():
            if finite(p):
                assert found.p_value == pytest.approx(p, rel=1e-9), case["id"]
        for z in expected["delong_paired_z"].values():
            if finite(z):
                assert found.statistic == pytest.approx(z, rel=1e-9, abs=1e-12), case["id"]


def test_paired_interval_equals_proc(cases) -> None:
    for case in cases:
        gap = components(two_models(case)).difference(0, 1)
        made = Standardised(Gap(gap.difference, gap.error, np.inf), 1.0, "paired_jackknife", "", {})
        found = made.limits(0.95)
        for limits in case["expected"]["delong_paired_difference_ci_0.95"].values():
            if all(finite(x) for x in limits):
                assert list(found) == pytest.approx(limits, rel=1e-9, abs=1e-12)


def test_unpaired_equals_proc(cases) -> None:
    seen = 0
    for case in cases:
        expected = case["expected"]
        if not finite(expected["delong_unpaired_p_two.sided_t"]["pROC"]):
            continue
        found = delong(*two_models(case), paired=False)
        seen += 1
        p, df = expected["delong_unpaired_p_two.sided_t"], expected["delong_unpaired_welch_df"]
        assert found.p_value == pytest.approx(p["pROC"], rel=1e-9), case["id"]
        assert f"t({df['pROC']:.1f})" in found.method
    assert seen == 12


def test_covariance_equals_the_exact_one(cases) -> None:
    for case in cases:
        found = components(two_models(case)).covariance
        expected = case["expected"]
        values = (
            ("delong_variance", found[0, 0]),
            ("delong_variance_model2", found[1, 1]),
            ("delong_covariance", found[0, 1]),
        )
        for name, value in values:
            assert value == pytest.approx(expected[name]["exact"], rel=1e-10, abs=1e-16)


def scores(n: int, k: int, seed: int, digits: int = 8) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    y[:2] = [True, False]
    return y, np.round(rng.normal(size=(k, n)) + y, digits)


@pytest.mark.parametrize("digits", [0, 1, 8])
def test_many_models_at_once_equal_all_pairs(digits: int) -> None:
    y, s = scores(60, 4, 1, digits)
    models = [Binary(y, score=row) for row in s]
    together = components(models)
    np.testing.assert_allclose(together.covariance, oracle(s, y).covariance, rtol=1e-10)
    for i, j in combinations(range(4), 2):
        pair = components([models[i], models[j]]).difference(0, 1)
        found = together.difference(i, j)
        assert (found.difference, found.error) == pytest.approx((pair.difference, pair.error))


def test_chi2_of_two_models_is_the_square_of_z() -> None:
    y, s = scores(80, 2, 3)
    models = [Binary(y, score=row) for row in s]
    found = components(models)
    statistic, df = wald(found.areas, found.covariance)
    assert df == 1
    assert statistic == pytest.approx(delong(*models).statistic ** 2, rel=1e-9)


def test_chi2_counts_identical_models_once() -> None:
    y, s = scores(80, 2, 3)
    found = components([Binary(y, score=row) for row in (s[0], s[1], s[0])])
    statistic, df = wald(found.areas, found.covariance)
    two = components([Binary(y, score=row) for row in s])
    assert df == 1
    assert statistic == pytest.approx(wald(two.areas, two.covariance)[0], rel=1e-6)


@pytest.mark.parametrize("clustered", [False, True])
def test_f_of_two_models_is_students_t_squared(clustered: bool) -> None:
    y, s = scores(60, 2, 3)
    groups = np.repeat(np.arange(12), 5) if clustered else None
    models = [Binary(y, score=row, groups=groups) for row in s]
    found = components(models)
    statistic, df, error = box(found.areas, covariances(found))
    gap = found.difference(0, 1)
    assert statistic == pytest.approx((gap.difference / gap.error) ** 2, rel=1e-9)
    assert (df, error) == pytest.approx((1.0, gap.df), rel=1e-9)


def test_f_of_equal_variances_without_correlation_is_that_of_an_analysis_of_variance() -> None:
    values = np.array([0.6, 0.7, 0.75, 0.9])
    assert box(values, [(0.02 * np.eye(4), 11.0)]) == pytest.approx(
        (values.var(ddof=1) / 0.02, 3.0, 33.0), rel=1e-12
    )


def test_f_of_identical_models_is_zero() -> None:
    y, s = scores(40, 1, 3)
    found = components([Binary(y, score=s[0]) for _ in range(3)])
    assert box(found.areas, covariances(found)) == (0.0, 0.0, np.inf)


def obuchowski(y, scores, groups) -> np.ndarray:
    """Equations of the 1997 paper, cluster by cluster; X are positives, Y negatives."""
    m, n = int(y.sum()), int((~y).sum())
    below, above = placements(scores, y)
    theta = below.mean(axis=-1, keepdims=True)
    clusters = np.unique(groups)
    x = np.stack([(below - theta)[:, groups[y] == g].sum(axis=1) for g in clusters], axis=1)
    z = np.stack([(above - theta)[:, groups[~y] == g].sum(axis=1) for g in clusters], axis=1)
    i10 = sum(bool(y[groups == g].any()) for g in clusters)
    i01 = sum(bool((~y[groups == g]).any()) for g in clusters)
    i = len(clusters)
    s10 = i10 / ((i10 - 1) * m) * (x @ x.T)
    s01 = i01 / ((i01 - 1) * n) * (z @ z.T)
    s11 = i / (i - 1) * (x @ z.T)
    return s10 / m + s01 / n + (s11 + s11.T) / (m * n)


@pytest.mark.parametrize("constant", [False, True])
def test_clusters_vary_as_obuchowski_says(constant: bool) -> None:
    rng = np.random.default_rng(4)
    groups = rng.integers(14, size=60)
    y = np.isin(groups, [0, 1, 2, 3]) if constant else rng.random(60) < 0.2
    s = np.round(rng.normal(size=(2, 60)) + y, 1)
    found = components([Binary(y, score=row, groups=groups) for row in s])
    np.testing.assert_allclose(found.covariance, obuchowski(y, s, groups), rtol=1e-10)
    held = [len(np.unique(groups[y == c])) for c in (True, False)]
    assert found.difference(0, 1).df == min(held) - 1


def test_clusters_of_one_case_are_independent_cases() -> None:
    y, s = scores(40, 2, 4)
    alone = {name: Binary(y, score=row) for name, row in zip("ab", s, strict=True)}
    single = {
        name: Binary(y, score=row, groups=np.arange(40)) for name, row in zip("ab", s, strict=True)
    }
    assert delong(*alone.values()).p_value == delong(*single.values()).p_value
    one, other = (compare(models, ["auc"], rng=1)["auc"] for models in (alone, single))
    assert (one.p_value, one.interval) == (other.p_value, other.interval)


def test_one_case_of_a_class_shows_no_spread() -> None:
    one, other = (
        Binary([1, 0, 0, 0, 0, 0], score=s) for s in ([5, 1, 2, 3, 4, 6], [2, 1, 5, 3, 4, 6])
    )
    for paired in (True, False):
        with pytest.raises(NotApplicable, match="one case of a class"):
            delong(one, other, paired=paired)


@pytest.mark.parametrize("n", [2, 17, 400, 6000])
@pytest.mark.parametrize("digits", [0, 1, 9])
def test_one_sort_places_cases_as_midranks_do(n: int, digits: int) -> None:
    y, s = scores(n, 1, 5, digits)
    below, above = placements(s[0], y)
    found = placed(s[0], y)
    np.testing.assert_allclose(found[y], below, rtol=1e-12)
    np.testing.assert_allclose(found[~y], above, rtol=1e-12)


def test_compiled_and_plain_placements_are_the_same_bits(monkeypatch) -> None:
    import sys

    module = sys.modules["abovechance.inference.influence"]
    for digits in (0, 1, 9):
        y, s = scores(7000, 1, 6, digits)
        compiled = placed(s[0], y)
        with monkeypatch.context() as patch:
            patch.setattr(module, "worthwhile", lambda size, module=None: False)
            assert np.array_equal(placed(s[0], y), compiled)


def test_models_below_one_half_stay_there() -> None:
    y, s = scores(60, 2, 7)
    worse = {name: Binary(y, score=-row) for name, row in zip("ab", s, strict=True)}
    found = compare(worse, ["auc"], rng=1)
    values = [e.value for e in found.estimates]
    assert max(values) < 0.5
    assert found["auc"].difference == pytest.approx(values[0] - values[1])
    better = compare({k: Binary(y, score=-p.score) for k, p in worse.items()}, ["auc"], rng=1)
    assert found["auc"].difference == pytest.approx(-better["auc"].difference)
    assert found["auc"].p_value == pytest.approx(better["auc"].p_value)


def test_identical_models_have_p_one() -> None:
    y, s = scores(40, 1, 8)
    model = Binary(y, score=s[0])
    assert delong(model, model).p_value == 1.0
    assert delong(model, model, paired=False).p_value == 1.0


def test_t_reference_is_more_cautious_than_the_normal() -> None:
    y, s = scores(20, 2, 9)
    models = [Binary(y, score=row) for row in s]
    assert delong(*models, reference="t").p_value > delong(*models).p_value


def test_small_classes_switch_the_default_to_t_and_say_so() -> None:
    y, s = scores(30, 2, 10)
    models = {name: Binary(y, score=row) for name, row in zip("ab", s, strict=True)}
    found = compare(models, ["auc"], rng=1)
    assert found["auc"].test.startswith("DeLong, t(")
    assert any(advice.code == "AC149" for advice in found.advice)
    y, s = scores(200, 2, 10)
    models = {name: Binary(y, score=row) for name, row in zip("ab", s, strict=True)}
    assert compare(models, ["auc"], rng=1)["auc"].test == "DeLong"


def areas_of_classes(n: int, seed: int) -> list[Multiclass]:
    rng = np.random.default_rng(seed)
    y = rng.choice(3, size=n, p=[0.2, 0.3, 0.5])
    made = []
    for _ in range(2):
        e = np.exp(rng.normal(size=(n, 3)) + 1.2 * (y[:, None] == np.arange(3)))
        p = np.round(e / e.sum(axis=1, keepdims=True), 2)
        p[:, 2] = 1.0 - p[:, 0] - p[:, 1]
        made.append(Multiclass(y, probability=p))
    return made


@pytest.mark.parametrize("name", ["auc", "auc_ovr_macro", "auc_ovr_weighted", "auc_ovo_weighted"])
def test_influences_on_areas_of_classes_are_derivatives(name: str) -> None:
    model = areas_of_classes(50, 1)[0]
    measure = find(name).for_outcome("multiclass")
    found = components([model], measure)
    assert found.areas[0] == pytest.approx(measure.of(model), rel=1e-12)
    step = 1e-6
    weights = np.ones((50, 50)) + step * np.eye(50)
    slopes = (measure.batch(model, weights) - measure.of(model)) / step
    np.testing.assert_allclose(found.influence[0], slopes, atol=1e-6)


def test_hand_till_of_two_classes_is_the_ordinary_comparison() -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(2, size=50)
    p = rng.random((2, 50))
    many = [Multiclass(y, probability=np.stack([1 - row, row], axis=1)) for row in p]
    two = [Binary(y, probability=row) for row in p]
    assert delong(*many).p_value == pytest.approx(delong(*two).p_value, rel=1e-10)


def test_weights_and_one_class_are_refused() -> None:
    y, s = scores(20, 2, 1)
    weighted = [Binary(y, score=row, sample_weight=np.ones(20)) for row in s]
    with pytest.raises(NotApplicable, match="weights"):
        delong(*weighted)
    with pytest.raises(NotApplicable, match="both classes"):
        delong(*(Binary(np.ones(20, int), score=row, labels=[0, 1]) for row in s))
    with pytest.raises(NotApplicable, match="reference"):
        delong(*(Binary(y, score=row) for row in s), reference="chi2")
