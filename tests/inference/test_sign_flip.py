"""Sign flips: exact values by complete enumeration, clusters, ties, draws."""

from itertools import product

import numpy as np
import pytest

from abovechance.errors import DataError, NotApplicable
from abovechance.inference.significance import mcnemar, sign_flip
from abovechance.inference.significance.sign_flip import flips, resample_means, totals
from abovechance.predictions import Binary, Multiclass, Numeric
from abovechance.resampling import Resampling

SIDES = {"two-sided": "two.sided", "greater": "greater", "less": "less"}
MEASURES = {
    "brier": "brier",
    "log_score": "log",
    "log_loss": "log",
    "accuracy": "error01",
    "error_rate": "error01",
}


@pytest.fixture(scope="module")
def cases(reference):
    return reference("signflip_exact")["cases"]


def two_models(case) -> list[Binary]:
    given = case["input"]
    return [Binary(given["y"], probability=given[p]) for p in ("p", "p2")]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("measure", MEASURES)
def test_exact_values(cases, measure: str, side: str) -> None:
    for case in cases:
        found = sign_flip(*two_models(case), measure, alternative=side)
        key = f"{MEASURES[measure]}_signflip_p_{SIDES[side]}"
        assert found.p_value == pytest.approx(case["expected"][key]["exact"], rel=1e-12), case["id"]
        assert found.method == "sign flip, exact"


def test_statistic_is_the_difference_in_the_measures_own_units(cases) -> None:
    for case in cases:
        expected = case["expected"]
        loss = sign_flip(*two_models(case), "brier").statistic
        assert -loss == pytest.approx(expected["brier_mean_difference"]["exact"], abs=1e-14)
        wrong = sign_flip(*two_models(case), "error_rate").statistic
        assert -wrong == pytest.approx(expected["error01_mean_difference"]["exact"], abs=1e-14)


def test_right_and_wrong_answers_give_mcnemars_exact_p(cases) -> None:
    for case in cases:
        first, second = two_models(case)
        one, other = (p.label == p.positive for p in (first, second))
        b, c = int((one & ~other).sum()), int((other & ~one).sum())
        p = sign_flip(first, second, "accuracy").p_value
        assert p == pytest.approx(mcnemar(b, c).p_value, rel=1e-12)
        assert p == pytest.approx(case["expected"]["mcnemar_exact_two.sided"]["exact"], rel=1e-12)


def enumerated(units: np.ndarray, side: str) -> float:
    """The definition: every pattern of signs, one by one."""
    sums = np.array([np.dot(s, units) for s in product((-1, 1), repeat=len(units))])
    observed = units.sum()
    if side == "two-sided":
        return float((np.abs(sums) >= abs(observed) - 1e-9).mean())
    turned = 1 if side == "greater" else -1
    return float((turned * sums >= turned * observed - 1e-9).mean())


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    "values",
    [
        [0.1, 0.2, 0.3, -0.6],
        [1.0, 1.0, 1.0, -1.0, 0.0, 0.0],
        [0.1 + 0.2, -0.3, 0.5, 0.0],
        [2.0],
        [3.0, -1.0, 1.0, 1.0, 0.5, 0.5, -0.25],
    ],
)
def test_counting_equals_trying_every_pattern(values: list[float], side: str) -> None:
    found = flips(np.array(values), alternative=side, strict=True)
    assert found.exact
    assert found.p_value == pytest.approx(enumerated(np.array(values), side), rel=1e-12)
    assert found.p_strict <= found.p_value


def test_clusters_flip_as_wholes() -> None:
    rng = np.random.default_rng(1)
    d, groups = rng.normal(size=24), np.repeat(list("abcdef"), 4)
    assert flips(d, groups=groups) == flips(totals(d, groups))
    assert flips(d, groups=groups).p_value == enumerated(totals(d, groups), "two-sided")


def test_five_clusters_cannot_give_a_smaller_p_than_they_allow() -> None:
    found = flips(np.ones(50), groups=np.repeat(np.arange(5), 10))
    assert found.p_value == found.least == 0.0625


def test_without_differences_p_is_one() -> None:
    found = flips(np.zeros(30))
    assert (found.p_value, found.least, found.exact) == (1.0, 1.0, True)


def test_draws_come_near_the_exact_p() -> None:
    rng = np.random.default_rng(3)
    d = rng.normal(size=18) + 0.4
    exact = flips(d)
    drawn = flips(np.concatenate([d, rng.normal(size=30) * 1e-9]), resampling=Resampling(seed=1))
    assert exact.exact
    assert not drawn.exact
    error = np.sqrt(exact.p_value * (1 - exact.p_value) / 9999)
    assert abs(drawn.p_value - exact.p_value) < 4 * error + 1e-4


def test_a_seed_gives_the_same_p_again_and_from_two_processes() -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(2, size=60)
    models = [Binary(y, probability=rng.random(60)) for _ in range(2)]
    one = sign_flip(*models, "brier", rng=7, draws=4100)
    assert one == sign_flip(*models, "brier", rng=7, draws=4100)
    assert one == sign_flip(*models, "brier", rng=7, draws=4100, workers=2)
    assert one.draws == 4100


def test_studentised_bootstrap_tests_means_of_skewed_differences() -> None:
    rng = np.random.default_rng(5)
    d = rng.exponential(size=60)
    how = Resampling(seed=1, draws=999)
    assert resample_means(d - d.mean() + 1e-3, resampling=how).p_value > 0.8
    assert resample_means(d, resampling=how).p_value == 0.001
    assert resample_means(np.zeros(9), resampling=how).p_value == 1.0
    with pytest.raises(NotApplicable, match="standard error"):
        resample_means(np.ones(9), resampling=how)


def test_studentised_is_an_option_of_the_named_test() -> None:
    rng = np.random.default_rng(6)
    y = rng.normal(size=40)
    models = [Numeric(y, y + s * rng.normal(size=40)) for s in (0.5, 1.5)]
    found = sign_flip(*models, "mse", studentised=True, rng=1)
    assert found.method == "studentised bootstrap"
    assert found.hypothesis == "expected losses are equal"
    assert found.p_value < 0.01


def test_balanced_accuracy_flips_within_classes() -> None:
    rng = np.random.default_rng(7)
    y = rng.integers(3, size=12)
    models = [Multiclass(y, label=rng.integers(3, size=12), labels=[0, 1, 2]) for _ in range(2)]
    found = sign_flip(*models, "balanced_accuracy")
    right = [p.label == y for p in models]
    sizes = np.bincount(y)[y]
    units = (right[0].astype(float) - right[1]) / sizes / 3
    assert found.p_value == pytest.approx(enumerated(units, "two-sided"), rel=1e-12)


def test_what_is_no_sum_over_cases_is_refused() -> None:
    first, second = Binary([0, 1, 1], label=[0, 1, 0]), Binary([0, 1, 1], label=[1, 1, 1])
    with pytest.raises(NotApplicable, match=r"exchange\(\)"):
        sign_flip(first, second, "f1")
    with pytest.raises(NotApplicable, match="infinite"):
        sign_flip(
            Binary([0, 1], probability=[0.1, 0.0]),
            Binary([0, 1], probability=[0.2, 0.5]),
            "log_score",
        )
    with pytest.raises(DataError, match="same cases"):
        sign_flip(first, Binary([0, 1], label=[0, 1]), "accuracy")


def test_sums_of_two_halves_are_counted_as_all_sums_listed() -> None:
    rng = np.random.default_rng(6)
    for n in (11, 12, 14, 17):
        for digits in (3, 1, 0):
            gains = np.round(rng.normal(size=n) + 0.2, digits)
            for alternative in ("greater", "less", "two-sided"):
                halves = flips(gains, alternative=alternative)
                listed = flips(gains, alternative=alternative, strict=True)
                assert halves.exact
                assert halves.p_value == pytest.approx(listed.p_value, rel=1e-12)
    lopsided = np.concatenate([np.full(900, 0.5), [0.25, -0.125, 0.7]])
    assert flips(lopsided).p_value == flips(lopsided, strict=True).p_value
