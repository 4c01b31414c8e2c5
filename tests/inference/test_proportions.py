"""Intervals of shares by every method agree with R, and none leaves its range."""

import numpy as np
import pytest

from abovechance.errors import DataError, NotApplicable
from abovechance.inference import intervals

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
    from scipy.stats import binom

    found = intervals.mid_p(3, 17)
    low = binom.sf(3, 17, found.low) + binom.pmf(3, 17, found.low) / 2
    high = binom.cdf(2, 17, found.high) + binom.pmf(3, 17, found.high) / 2
    assert [low, high] == pytest.approx([0.025, 0.025], rel=1e-10)


def coverage(method, n: int, shares) -> np.ndarray:
    from scipy.stats import binom

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
