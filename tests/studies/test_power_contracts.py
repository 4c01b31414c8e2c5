"""Power is that of the tests a study will be analysed by: on one sample, their p-values are equal.

Every test that `power` knows by name is asked of random samples beside the verb, or the named
test, that it stands for: with ties, with few cases of a class, with twenty cases, with many.
"""

import numpy as np
import pytest

import abovechance as ac
from abovechance import significance
from abovechance.measures import applicable
from abovechance.studies import Pair, Predicted, paper_tests, sample_tests
from abovechance.studies.sample_tests import known_tests, rejects, run_tests

DRAWS = 99
SHAPES = ((4, 2), (9, 1), (20, 10), (20, 3), (33, 16), (60, 25), (240, 30))
USUAL = ("accuracy", "auc", "brier", "log_score")


def sample(n: int, positives: int, seed: int, digits: int | None) -> Predicted:
    """Predictions of middling quality; rounding makes ties, also at the threshold."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) < positives)
    p = 1 / (1 + np.exp(-rng.normal(size=n) - 0.8 * (y - 0.5)))
    if digits is not None:
        p = np.clip(np.round(p, digits), 0.1, 0.9)
    return Predicted(y, p)


def pair(n: int, positives: int, seed: int, digits: int | None) -> Pair:
    first, second = (sample(n, positives, seed, digits) for _ in range(2))
    rng = np.random.default_rng(seed + 1)
    odds = np.log(first.probability / (1 - first.probability))
    other = 1 / (1 + np.exp(-(0.8 * odds + 0.5 * rng.normal(size=n))))
    if digits is not None:
        other = np.clip(np.round(other, digits), 0.1, 0.9)
    return Pair(second.positive, first.probability, other)


def seed_that(stream: int) -> int:
    """The seed that a verb's test gets from a stream."""
    return int(np.random.default_rng(stream).integers(2**63))


def assessed(one: Predicted, names: tuple[str, ...], stream: int) -> list[float]:
    found = ac.assess(
        ac.Binary(one.positive, probability=one.probability, threshold=one.threshold),
        list(names),
        draws=DRAWS,
        rng=seed_that(stream),
    )
    return [1.0 if found[name].p_value is None else found[name].p_value for name in names]


def compared(two: Pair, names: tuple[str, ...], stream: int) -> list[float]:
    models = {
        name: ac.Binary(two.positive, probability=p)
        for name, p in (("first", two.first), ("second", two.second))
    }
    found = ac.compare(models, list(names), draws=DRAWS, rng=seed_that(stream))
    return [1.0 if found[name].p_value is None else found[name].p_value for name in names]


@pytest.mark.parametrize("digits", [None, 1])
@pytest.mark.parametrize(("n", "positives"), SHAPES)
def test_one_model_has_the_p_of_assess(n: int, positives: int, digits: int | None) -> None:
    for seed in range(3):
        one = sample(n, positives, seed, digits)
        tests = ["fisher", *USUAL[1:]]
        found = run_tests(one, tests, np.random.default_rng(seed), draws=DRAWS)
        np.testing.assert_allclose(found, assessed(one, USUAL, seed), rtol=1e-12)


@pytest.mark.parametrize("digits", [None, 1])
@pytest.mark.parametrize(("n", "positives"), SHAPES)
def test_two_models_have_the_p_of_compare(n: int, positives: int, digits: int | None) -> None:
    for seed in range(2):
        two = pair(n, positives, seed, digits)
        found = run_tests(two, USUAL, np.random.default_rng(seed), draws=DRAWS)
        np.testing.assert_allclose(found, compared(two, USUAL, seed), rtol=1e-12)


@pytest.mark.parametrize(("n", "positives"), SHAPES)
def test_skill_has_the_p_of_assess(n: int, positives: int) -> None:
    one = sample(n, positives, 2, 2)
    found = run_tests(one, sample_tests.SKILLS, np.random.default_rng(3), draws=DRAWS)
    cases = ac.Binary(one.positive, probability=one.probability)
    names = [name.removeprefix("skill.") for name in sample_tests.SKILLS]
    told = ac.assess(cases, names, draws=DRAWS, rng=seed_that(3))
    wanted = [told[name].skill for name in names]
    assert found.tolist() == pytest.approx(
        [1.0 if one is None or one.p_value is None else one.p_value for one in wanted], rel=1e-12
    )


def test_every_measure_that_assess_tests_has_its_p() -> None:
    one = sample(40, 12, 5, 2)
    cases = ac.Binary(one.positive, probability=one.probability)
    names = [m.label for m in applicable(cases) if sample_tests.tested_as(m.label, Predicted)]
    assert len(names) > 25
    tests = [str(sample_tests.tested_as(name, Predicted)) for name in names]
    found = run_tests(one, tests, np.random.default_rng(1), draws=DRAWS)
    np.testing.assert_allclose(found, assessed(one, tuple(names), 1), rtol=1e-12)


def test_every_measure_that_compare_tests_has_its_p() -> None:
    two = pair(26, 11, 6, 2)
    cases = ac.Binary(two.positive, probability=two.first)
    names = tuple(m.label for m in applicable(cases) if sample_tests.tested_as(m.label, Pair))
    assert len(names) > 25
    found = run_tests(two, names, np.random.default_rng(1), draws=DRAWS)
    np.testing.assert_allclose(found, compared(two, names, 1), rtol=1e-12)


@pytest.mark.parametrize("digits", [None, 1])
@pytest.mark.parametrize(("n", "positives"), SHAPES)
def test_the_papers_tests_have_the_p_of_the_tests_they_are_named_for(
    n: int, positives: int, digits: int | None
) -> None:
    one, two = sample(n, positives, 3, digits), pair(n, positives, 3, digits)
    rng = np.random.default_rng(1)
    cases = ac.Binary(one.positive, probability=one.probability)
    right = int(((one.probability > 0.5) == one.positive).sum())
    rate = max(positives, n - positives) / n
    counted = len(np.unique(one.probability)) == n and max(positives, n - positives) < 50
    wanted = {
        "binomial": significance.binomial(right, n, rate).p_value,
        "wilcoxon": significance.mann_whitney(
            cases, method="exact" if counted else "normal"
        ).p_value,
    }
    found = dict(zip(wanted, run_tests(one, list(wanted), rng), strict=True))
    assert found == pytest.approx(wanted, rel=1e-9)
    models = [ac.Binary(two.positive, probability=p) for p in (two.first, two.second)]
    if min(positives, n - positives) > 1:
        assert run_tests(two, ["delong"], rng)[0] == pytest.approx(
            significance.delong(*models).p_value, rel=1e-9
        )


def test_the_papers_permutations_and_flips_are_those_of_the_named_tests() -> None:
    rng = np.random.default_rng(2)
    for n, positives in ((8, 4), (8, 2), (9, 5)):
        one, two = sample(n, positives, n, 2), pair(n, positives, n, 2)
        cases = ac.Binary(one.positive, probability=one.probability)
        models = [ac.Binary(two.positive, probability=p) for p in (two.first, two.second)]
        for name in ("brier", "log_score"):
            (p,) = run_tests(one, [f"permutation.{name}"], rng)
            assert p == pytest.approx(significance.permutation(cases, name).p_value, rel=1e-9)
            (p,) = run_tests(two, [f"sign_flip.{name}"], rng)
            assert p == pytest.approx(significance.sign_flip(*models, name).p_value, rel=1e-9)


def test_no_test_known_by_name_is_left_out_here() -> None:
    checked = {"fisher", "binomial", "wilcoxon", "delong", *USUAL}
    drawn = {f"{how}.{name}" for how in ("permutation", "sign_flip") for name in USUAL[2:]}
    known = {*known_tests(Predicted), *known_tests(Pair)}
    assert known == checked | drawn | set(sample_tests.SKILLS)
    assert set(paper_tests.AGAINST_CHANCE + paper_tests.COMPARISONS) <= known
    assert set(sample_tests.AGAINST_CHANCE + sample_tests.COMPARISONS) == set(USUAL)


@pytest.mark.parametrize("filled", [True, False])
@pytest.mark.filterwarnings("error")
def test_a_sample_of_one_class_rejects_nothing_and_warns_of_nothing(filled: bool) -> None:
    y, p = np.full(12, filled), np.linspace(0.2, 0.8, 12)
    rng = np.random.default_rng(1)
    against = run_tests(Predicted(y, p), known_tests(Predicted), rng, draws=DRAWS)
    assert np.isnan(against).all()
    assert not rejects(against, 1.0).any()
    rankings = run_tests(Pair(y, p, p[::-1].copy()), ["auc", "delong"], rng, draws=DRAWS)
    assert np.isnan(rankings).all()


def test_a_method_is_asked_for_by_name_and_is_the_one_of_the_verb() -> None:
    rng = np.random.default_rng(4)
    positive = np.arange(30) % 2 == 1
    first, second = (np.clip(0.5 + 0.2 * positive + rng.normal(0, 0.2, 30), 0, 1) for _ in "ab")
    sample = Pair(positive, first, second, 0.5)
    tests = [sample_tests.Asked.by(name, Pair) for name in ("auc", "auc=exchange")]
    asked = sample_tests.compared(sample, tests, 3, 99, "standard")
    two = {
        "a": ac.Binary(positive, probability=first),
        "b": ac.Binary(positive, probability=second),
    }
    for name, methods in (("auc", None), ("auc=exchange", {"auc": "exchange"})):
        found = ac.compare(two, ["auc"], methods=methods, draws=99, rng=3)
        assert asked[name] == found["auc"].p_value
