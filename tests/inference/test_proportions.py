"""Intervals of x of n, and exact tests of counts and rates."""

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy.special import gammaincc
from scipy.stats import binom, binomtest

import abovechance as ac
from abovechance.cli import main
from abovechance.errors import DataError, NotApplicable
from abovechance.inference import intervals, significance
from abovechance.inference.proportions import modified_score_limits, score_limits
from abovechance.numerics import exact as binomial
from abovechance.predictions import Binary, Multiclass, Numeric

# ----------------------------------------------------------------------------------------------
# Intervals of shares by every method agree with R, and none leaves its range.
# ----------------------------------------------------------------------------------------------


METHODS = {
    "wilson": (intervals.wilson, "mpmath", 1e-10),
    "clopper_pearson": (intervals.clopper_pearson, "mpmath", 1e-10),
    "jeffreys_boundary_adjusted": (intervals.jeffreys, "mpmath", 1e-10),
    "modified_jeffreys": (intervals.modified_jeffreys, "DescTools", 1e-10),
    "agresti_coull_unclipped": (intervals.agresti_coull, "mpmath", 1e-10),
    "wald_unclipped": (intervals.wald, "mpmath", 1e-10),
    "wilson_continuity_corrected": (intervals.wilson_corrected, "DescTools", 1e-10),
    "logit": (intervals.logit, "binom", 1e-10),
    "midp": (intervals.mid_p, "DescTools", None),
}
NAMED = {name: method for name, (method, _, _) in METHODS.items()}


@pytest.mark.parametrize("name", METHODS)
def test_limits_agree_with_other_programs(reference, name: str) -> None:
    method, source, digits = METHODS[name]
    seen = 0
    for case in reference("proportion_ci")["cases"]:
        given = case["input"]
        found = method(given["x"], given["n"], confidence_level=given["conf_level"])
        target = np.clip(case["expected"][name][source], 0.0, 1.0)
        # None: found there by a root search that stops within 1.3e-4.
        close = {"rel": digits, "abs": 1e-12} if digits else {"rel": 0.0, "abs": 1.3e-4}
        assert [found.low, found.high] == pytest.approx(target, **close), case["id"]
        seen += 1
    assert seen == 16


@pytest.mark.parametrize("name", NAMED)
def test_limits_stay_in_range_and_contain_the_share(name: str) -> None:
    for n in (1, 2, 7, 40, 100_000):
        for x in sorted({0, 1, n // 2, n - 1, n}):
            found = NAMED[name](x, n)
            assert 0.0 <= found.low <= found.high <= 1.0
            assert found.low - 1e-12 <= x / n <= found.high + 1e-12, (x, n)


@pytest.mark.parametrize("name", NAMED)
def test_right_and_wrong_exchanged_mirror_the_limits(name: str) -> None:
    found, turned = NAMED[name](7, 31), NAMED[name](24, 31)
    assert [turned.low, turned.high] == pytest.approx([1 - found.high, 1 - found.low], abs=1e-12)


@pytest.mark.parametrize("name", NAMED)
def test_a_higher_level_is_wider(name: str) -> None:
    narrow = NAMED[name](7, 31, confidence_level=0.8)
    wide = NAMED[name](7, 31, confidence_level=0.99)
    assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.parametrize("name", ["logit", "midp", "wald_unclipped"])
def test_impossible_counts_and_levels_are_refused(name: str) -> None:
    with pytest.raises(NotApplicable, match="at least one case"):
        NAMED[name](0, 0)
    with pytest.raises(DataError, match="between 0 and n"):
        NAMED[name](5, 4)
    with pytest.raises(DataError, match="confidence_level must lie"):
        NAMED[name](2, 4, confidence_level=1.0)


def test_mid_p_limits_solve_their_equations() -> None:
    found = intervals.mid_p(3, 17)
    low = binom.sf(3, 17, found.low) + binom.pmf(3, 17, found.low) / 2
    high = binom.cdf(2, 17, found.high) + binom.pmf(3, 17, found.high) / 2
    assert [low, high] == pytest.approx([0.025, 0.025], rel=1e-10)


def coverage(method, n: int, shares) -> np.ndarray:
    limits = [method(x, n) for x in range(n + 1)]
    low, high = np.array([[i.low, i.high] for i in limits]).T
    inside = (low <= shares[:, None]) & (shares[:, None] <= high)
    return (inside * binom.pmf(np.arange(n + 1), n, shares[:, None])).sum(axis=1)


def test_coverage_of_the_default_is_about_nominal_and_of_the_exact_never_less() -> None:
    shares = np.linspace(0.02, 0.98, 193)
    for n in (15, 50):
        wilson = coverage(intervals.wilson, n, shares)
        assert 0.94 < wilson.mean() < 0.96
        assert coverage(intervals.clopper_pearson, n, shares).min() >= 0.95
        assert coverage(intervals.wald, n, shares).mean() < wilson.mean()


def test_rare_hits_have_lower_limits_that_hold() -> None:
    n, level = 1000, 0.95
    x = np.arange(n + 1.0)
    low, high = modified_score_limits(x, np.full(n + 1, float(n)), level)
    plain_low, plain_high = score_limits(x, np.full(n + 1, float(n)), level)
    # one hit: Poisson's chance of none is .95 there (Brown, Cai & DasGupta 2001, section 4.1.1)
    assert low[1] == pytest.approx(-np.log(0.95) / n, rel=1e-12)
    assert gammaincc(2.0, low[2] * n) == pytest.approx(0.95, rel=1e-12)
    assert (low[0], high[-1]) == (0.0, 1.0)
    assert low[4:] == pytest.approx(plain_low[4:], rel=1e-12)
    between = modified_score_limits(np.array([3.0, 3.0 + 1e-9, 4.0 - 1e-9]), 1000.0, level)[0]
    assert between == pytest.approx([low[3], low[3], low[4]], rel=1e-6)
    assert high[:-4] == pytest.approx(plain_high[:-4], rel=1e-12)
    assert high == pytest.approx(1.0 - low[::-1], abs=1e-15)
    rare = np.geomspace(2e-5, 0.2, 400)
    pmf = binom.pmf(x, n, rare[:, None])
    covers = (((low <= rare[:, None]) & (rare[:, None] <= high)) * pmf).sum(axis=1)
    before = (((plain_low <= rare[:, None]) & (rare[:, None] <= plain_high)) * pmf).sum(axis=1)
    assert before.min() < 0.86
    assert covers.min() > 0.915


# ----------------------------------------------------------------------------------------------
# Exact tests of counts agree with rational arithmetic, and no p-value is 0.
# ----------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------
# Rates stated beforehand, and exact p-values: done, or said why not.
# ----------------------------------------------------------------------------------------------


RNG = np.random.default_rng(3)
Y = np.repeat([1, 0], [7, 8])
P = np.round(1 / (1 + np.exp(1.2 - 2.5 * Y - RNG.normal(size=15))), 3)
TABLE = np.array([[20, 5], [3, 12]])  # rows actual
MADE = Binary(np.repeat([0, 1], TABLE.sum(axis=1)), label=np.repeat([0, 1, 0, 1], TABLE.ravel()))
SHARES = {
    "accuracy": (32, 40, "greater"),
    "error_rate": (8, 40, "less"),
    "sensitivity": (12, 15, "greater"),
    "specificity": (20, 25, "greater"),
    "ppv": (12, 17, "greater"),
    "npv": (20, 23, "greater"),
    "false_positive_rate": (5, 25, "less"),
    "false_negative_rate": (3, 15, "less"),
    "false_discovery_rate": (5, 17, "less"),
    "false_omission_rate": (3, 23, "less"),
}


def codes(found: Any) -> dict[str, str]:
    return {advice.code: advice.text for advice in found.advice}


@pytest.mark.parametrize("name", SHARES)
def test_a_share_is_tested_on_its_denominator(name: str) -> None:
    hits, total, side = SHARES[name]
    row = ac.assess(MADE, [name], rate=0.6, rng=1)[name]
    assert row.p_value == pytest.approx(binomtest(hits, total, 0.6, side).pvalue)
    assert row.chance == 0.6
    assert row.test == "exact binomial test"
    assert row.hypothesis == "the true share is 0.6"


def test_rates_by_name_leave_the_others_as_they_were() -> None:
    plain = ac.assess(MADE, ["sensitivity", "ppv"], rng=1)
    found = ac.assess(MADE, ["sensitivity", "ppv"], rate={"recall": 0.6}, rng=1)
    assert found["sensitivity"].p_value == pytest.approx(binomtest(12, 15, 0.6, "greater").pvalue)
    assert found["ppv"].p_value == plain["ppv"].p_value
    with pytest.raises(NotApplicable, match="has a rate and is not among those assessed"):
        ac.assess(MADE, ["ppv"], rate={"sensitivity": 0.8})
    with pytest.raises(DataError, match="rate of ppv must lie between 0 and 1; got 80"):
        ac.assess(MADE, ["ppv"], rate={"ppv": 80})


def test_what_cannot_be_tested_against_a_rate_is_named() -> None:
    found = ac.assess(Binary(Y, probability=P), ["auc", "sensitivity", "brier"], rate=0.5, rng=1)
    assert codes(found)["AC015"].startswith("not tested against a stated rate: auc, brier: only")
    numbers = ac.assess(Numeric(P, P + 1), ["mse"], rate=0.5, rng=1, draws=9)
    assert "mse: only shares" in codes(numbers)["AC015"]
    every = ac.assess(Numeric(P, P[::-1]), rate=0.5, rng=1, draws=9)
    assert "accuracy: it is not among what is assessed" in codes(every)["AC015"]
    clustered = Binary(Y, probability=P, groups=np.arange(15) // 3)
    said = codes(ac.assess(clustered, ["accuracy"], rate=0.5, rng=1, draws=9))["AC015"]
    assert "cluster" in said
    rare = ac.assess(
        Binary(Y, probability=P),
        ["ppv", "sensitivity"],
        rate=0.5,
        sampling="case-control",
        prevalence=0.1,
        rng=1,
        draws=9,
    )
    assert "ppv: depends on prevalence" in codes(rare)["AC015"]
    assert rare["sensitivity"].test == "exact binomial test"


def test_a_number_alone_is_a_rate_of_accuracy_and_says_so() -> None:
    found = ac.assess(MADE, rate=0.6, rng=1, draws=9)
    assert found["accuracy"].test == "exact binomial test"
    assert "rate={'sensitivity': 0.6}" in codes(found)["AC019"]


def test_pooled_averages_of_classes_are_shares_too() -> None:
    three = Multiclass([0, 1, 2, 2, 1, 0, 0], label=[0, 1, 2, 1, 1, 0, 2])
    row = ac.assess(three, ["recall_micro"], rate=1 / 3, rng=1)["recall_micro"]
    assert row.p_value == pytest.approx(binomtest(5, 7, 1 / 3, "greater").pvalue)


def test_a_rate_from_the_command_line_names_its_measures(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cases.csv"
    rows = zip(MADE.positive.astype(int), MADE.label.astype(int), strict=True)
    file.write_text("y,label\n" + "".join(f"{y},{label}\n" for y, label in rows))
    asked = ["assess", str(file), "--measures", "sensitivity,ppv", "--format", "csv"]
    assert main([*asked, "--rate", "sensitivity=.6"]) == 0
    assert f"{binomtest(12, 15, 0.6, 'greater').pvalue:.10g}"[:8] in capsys.readouterr().out
    assert main([*asked, "--rate", "sensitivity=60"]) == 2


def everywhere(value: Any) -> float:
    """The share of all labellings with a value at least that of the labels as they are."""
    observed, count = value(Y), 0
    for chosen in combinations(range(len(Y)), int(Y.sum())):
        labels = np.isin(np.arange(len(Y)), chosen).astype(int)
        count += value(labels) >= observed - 1e-12
    return count / comb(len(Y), int(Y.sum()))


@pytest.mark.parametrize("name", ["log_score", "brier", "tjur_r2"])
def test_exact_counts_every_labelling(name: str) -> None:
    row = ac.assess(Binary(Y, probability=P), [name], exact=True, draws=99, rng=1)[name]
    good = {
        "log_score": lambda y: float(np.where(y == 1, np.log(P), np.log(1 - P)).mean()),
        "brier": lambda y: -float(((y - P) ** 2).mean()),
        "tjur_r2": lambda y: float(P[y == 1].mean() - P[y == 0].mean()),
    }[name]
    assert row.p_value == pytest.approx(everywhere(good))
    assert row.test == "permutation, exact"


def test_exact_says_what_it_cannot_count() -> None:
    y = np.arange(60) % 2
    p = np.clip(0.3 * y + 0.6 * RNG.random(60), 0.01, 0.99)
    found = ac.assess(y, p, ["log_score", "sensitivity"], exact=True, draws=99, rng=1)
    assert "log_score: 1.18e+17 arrangements" in codes(found)["AC018"]
    assert found["log_score"].test == "permutation"
    few = ac.assess(Binary(Y, probability=P), ["log_score", "auc"], exact=True, draws=99, rng=1)
    assert "AC018" not in codes(few)


def test_exact_on_the_command_line_is_done(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cases.csv"
    file.write_text("y,p\n" + "".join(f"{y},{p}\n" for y, p in zip(Y, P, strict=True)))
    asked = ["assess", str(file), "--measures", "log_score", "--format", "csv", "--draws", "99"]
    assert main([*asked, "--exact"]) == 0
    assert "permutation, exact" in capsys.readouterr().out


# ---------------------------------------------------------------- what is said of chance


@pytest.mark.parametrize(
    ("rate", "names", "said", "unsaid"),
    [
        (0.5, ["accuracy", "sensitivity"], "the rate stated beforehand", "shuffled"),
        ("majority", ["accuracy"], "the share of the largest class", "shuffled"),
        (
            {"accuracy": 0.5},
            ["accuracy", "auc"],
            "of Accuracy the rate stated beforehand, of the others the mean",
            "hance: the mean",
        ),
        (None, ["accuracy", "auc"], "the mean", "stated beforehand"),
    ],
)
def test_chance_is_said_to_be_what_was_tested(
    rate: Any, names: list[str], said: str, unsaid: str
) -> None:
    rng = np.random.default_rng(3)
    y = np.arange(80) % 2
    cases = Binary(y, probability=np.clip(0.3 + 0.3 * y + 0.2 * rng.normal(size=80), 0.01, 0.99))
    found = ac.assess(cases, names, rate=rate, rng=1, draws=99)
    printed = " ".join(str(found).split())
    assert f"Chance: {said}" in printed
    assert unsaid not in printed
    html = ac.report(found).html
    about = [html.partition(start)[2][:200] for start in ("Chance: ", "Chance is ", "are chance: ")]
    assert all(text.startswith(said.removesuffix(" the mean")) for text in about[:2])
    assert about[2].startswith(said.removesuffix("the mean"))
    assert unsaid == "hance: the mean" or not any(unsaid in text[:120] for text in about)
