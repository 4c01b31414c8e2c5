"""Exact tests of counts agree with rational arithmetic, and no p-value is 0."""

from math import comb

import numpy as np
import pytest

from abovechance.errors import DataError, NotApplicable
from abovechance.inference import significance
from abovechance.numerics import exact as binomial


def test_binomial_tests_agree_with_exact_arithmetic(reference) -> None:
    sides = {"p_greater": "greater", "p_less": "less", "p_two.sided": "two-sided"}
    cases = reference("binomial_test")["cases"]
    assert len(cases) == 40
    for case in cases:
        given = case["input"]
        for key, side in sides.items():
            found = significance.binomial(given["k"], given["n"], given["p"], alternative=side)
            exact = case["expected"][key]
            target = exact.get("exact", exact["R::binom.test"])
            assert found.p_value == pytest.approx(target, rel=1e-10), (case["id"], side)
            assert found.alternative == side
            assert f"{given['p']:g}" in found.hypothesis


def test_fifteen_of_twenty_are_needed() -> None:
    assert significance.binomial(14, 20, 0.5).p_value == pytest.approx(0.05766, abs=1e-5)
    assert significance.binomial(15, 20, 0.5).p_value == pytest.approx(0.02069, abs=1e-5)


def test_mcnemar_agrees_with_exact_arithmetic_and_r(reference) -> None:
    for case in reference("mcnemar")["cases"]:
        b, c, expected = case["input"]["b"], case["input"]["c"], case["expected"]
        found = significance.mcnemar(b, c)
        assert found.p_value == pytest.approx(expected["exact_two.sided"]["exact"], rel=1e-12)
        assert found.mid_p == pytest.approx(expected["midp_two.sided"]["exact"], rel=1e-12)
        assert significance.mcnemar(b, c, method="mid-p").p_value == found.mid_p
        for method, key in (("chi2", "nocc"), ("chi2_corrected", "cc")):
            found = significance.mcnemar(b, c, method=method)
            p, statistic = expected[f"chisq_{key}"], expected[f"chisq_stat_{key}"]
            assert found.p_value == pytest.approx(p["R::mcnemar.test"], rel=1e-9, nan_ok=True)
            target = statistic["R::mcnemar.test"]
            assert found.statistic == pytest.approx(target, rel=1e-12, nan_ok=True)


def test_one_sided_mcnemar_is_a_binomial_test_of_the_discordant() -> None:
    found = significance.mcnemar(8, 3, alternative="greater")
    assert found.p_value == significance.binomial(8, 11, 0.5).p_value
    assert found.mid_p == pytest.approx(found.p_value - comb(11, 8) / 2**12, rel=1e-12)


def test_fisher_equals_counting_all_tables() -> None:
    for table in ([[2, 1], [0, 3]], [[7, 5], [3, 9]], [[0, 4], [6, 0]], [[5, 5], [5, 5]]):
        (a, b), (c, d) = table
        n, positives, called = a + b + c + d, c + d, b + d
        every = range(max(0, positives + called - n), min(positives, called) + 1)
        ways = {k: comb(positives, k) * comb(n - positives, called - k) for k in every}
        total = comb(n, called)
        target = {
            "greater": sum(w for k, w in ways.items() if k >= d),
            "less": sum(w for k, w in ways.items() if k <= d),
            "two-sided": sum(w for w in ways.values() if w <= ways[d]),
        }
        for side, count in target.items():
            found = significance.fisher_counts(table, alternative=side)
            assert found.p_value == pytest.approx(count / total, rel=1e-12), (table, side)


@pytest.mark.parametrize("table", [[[0, 0], [3, 4]], [[3, 0], [4, 0]], [[0, 0], [0, 5]]])
def test_a_margin_without_cases_says_nothing(table) -> None:
    for side in ("greater", "less", "two-sided"):
        assert significance.fisher_counts(table, alternative=side).p_value == 1.0


def test_no_p_value_is_zero() -> None:
    assert significance.binomial(10_000, 10_000, 0.5).p_value > 0
    assert significance.binomial(0, 10_000, 0.5, alternative="less").p_value > 0
    assert significance.binomial(10_000, 10_000, 0.5, alternative="two-sided").p_value > 0
    found = significance.mcnemar(0, 5000)
    assert found.p_value > 0
    assert found.mid_p > 0
    assert significance.fisher_counts([[9000, 0], [0, 9000]]).p_value > 0


def test_small_p_values_keep_their_digits() -> None:
    assert significance.binomial(500, 500, 0.5).p_value == pytest.approx(0.5**500, rel=1e-12)
    exact = 1 / comb(400, 200)
    found = significance.fisher_counts([[200, 0], [0, 200]]).p_value
    assert found == pytest.approx(exact, rel=1e-12)


def test_probabilities_of_a_million_cases_keep_their_digits() -> None:
    import mpmath

    with mpmath.workdps(40):
        for x, n, p in [(500_700, 1_000_000, 0.5), (9_900, 1_000_000, 0.01), (3, 1_000_000, 1e-6)]:
            exact = mpmath.binomial(n, x) * mpmath.mpf(p) ** x * (1 - mpmath.mpf(p)) ** (n - x)
            found = float(np.exp(binomial.log_pmf(x, n, p)))
            assert found == pytest.approx(float(exact), rel=1e-11)


def test_probabilities_sum_to_one() -> None:
    for n, p in ((1, 0.3), (20, 0.01), (300, 0.5)):
        assert np.exp(binomial.log_pmf(np.arange(n + 1), n, p)).sum() == pytest.approx(1, rel=1e-13)
    terms = np.exp(binomial.log_hypergeometric(np.arange(0, 31), 90, 30, 55))
    assert terms.sum() == pytest.approx(1, rel=1e-13)


def test_what_is_no_count_is_refused() -> None:
    with pytest.raises(DataError, match="between 0 and n"):
        significance.binomial(5, 4, 0.5)
    with pytest.raises(DataError, match="rate must lie"):
        significance.binomial(3, 4, 1.0)
    with pytest.raises(NotApplicable, match="alternative must be"):
        significance.binomial(3, 4, 0.5, alternative="more")
    with pytest.raises(DataError, match="not be negative"):
        significance.mcnemar(-1, 4)
    with pytest.raises(NotApplicable, match="method must be"):
        significance.mcnemar(1, 4, method="fast")
    with pytest.raises(DataError, match="2 × 2"):
        significance.fisher_counts([[1, 2, 3], [4, 5, 6]])
