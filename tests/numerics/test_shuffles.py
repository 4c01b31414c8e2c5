"""Laws of shuffled outcomes against all orders of a few, and against draws of many."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from abovechance.numerics import ranks, shuffles
from abovechance.numerics.ranks import Ranked

TIED = np.array([1.0, 2.0, 1.0, 3.0, 1.0, 2.0])
APART = np.ones(9)


@pytest.fixture
def _of_few(monkeypatch) -> None:
    """Laws are asked for few cases too, whose moments can be counted."""
    monkeypatch.setattr(shuffles, "FEWEST", 0)
    monkeypatch.setattr(shuffles, "MOST_LEAN", np.inf)


def every_order(sizes: np.ndarray, positives: int) -> Ranked:
    """The positives in every group of equal scores, for all choices of the positive cases."""
    group = np.repeat(np.arange(len(sizes)), sizes.astype(int))
    chosen = np.array(list(combinations(range(len(group)), positives)))
    counts = np.stack([np.bincount(group[row], minlength=len(sizes)) for row in chosen])
    return Ranked(np.arange(len(sizes)), counts.astype(float), sizes - counts)


@pytest.mark.usefixtures("_of_few")
@pytest.mark.parametrize("positives", [2, 4, 7])
def test_a_sum_has_the_moments_of_all_orders(positives) -> None:
    scores = np.array([0.3, -1.0, 2.5, 0.1])
    times = np.array([3.0, 2.0, 1.0, 4.0])
    drawn = every_order(times, positives).positives @ scores
    found = shuffles.of_sum(scores, positives, times)
    assert found.mean == pytest.approx(drawn.mean())
    assert found.spread == pytest.approx(drawn.std())
    assert found.lean == pytest.approx(stats.skew(drawn), abs=1e-9)
    alone = shuffles.of_sum(np.repeat(scores, times.astype(int)), positives)
    assert alone == pytest.approx(found)


@pytest.mark.usefixtures("_of_few")
@pytest.mark.parametrize("sizes", [APART, TIED], ids=["apart", "tied"])
@pytest.mark.parametrize("positives", [3, 5])
def test_average_precision_has_the_mean_of_all_orders(sizes, positives) -> None:
    drawn = ranks.average_precision(every_order(sizes, positives))
    assert shuffles.of_average_precision(sizes, positives).mean == pytest.approx(drawn.mean())


@pytest.mark.usefixtures("_of_few")
@pytest.mark.parametrize("max_fpr", [0.2, 0.5, 0.61])
def test_a_partial_area_has_the_mean_of_all_orders(max_fpr) -> None:
    drawn = ranks.partial_area(every_order(APART, 4), max_fpr)
    assert shuffles.of_partial_area(APART, 4, max_fpr).mean == pytest.approx(drawn.mean())


def groups_of(kind: str) -> np.ndarray:
    return np.ones(2_000) if kind == "apart" else np.array([300.0, 5.0, 700.0, 20.0, 475.0, 500.0])


def drawn_groups(sizes: np.ndarray, positives: int, draws: int) -> Ranked:
    rng = np.random.default_rng(1)
    counts = rng.multivariate_hypergeometric(
        sizes.astype(int), positives, size=draws, method="marginals"
    )
    return Ranked(np.arange(len(sizes)), counts.astype(float), sizes - counts)


@pytest.mark.usefixtures("_of_few")
@pytest.mark.parametrize("kind", ["apart", "tied"])
@pytest.mark.parametrize("positives", [400, 1_000])
def test_ranks_of_many_cases_have_the_moments_and_tails_of_draws(kind, positives) -> None:
    sizes, draws = groups_of(kind), 4_000
    ranked = drawn_groups(sizes, positives, draws)
    for found, values in (
        (shuffles.of_average_precision(sizes, positives), ranks.average_precision(ranked)),
        (shuffles.of_partial_area(sizes, positives, 0.2), ranks.partial_area(ranked, 0.2)),
    ):
        z = (values - found.mean) / found.spread
        assert abs(z.mean()) < 4.0 / np.sqrt(draws)
        assert abs(z.std() - 1.0) < 4.0 / np.sqrt(2.0 * draws)
        assert abs(stats.skew(z) - found.lean) < 4.0 * np.sqrt(6.0 / draws) + 0.1
        for level in (0.05, 0.01):
            rejected = np.mean([found.tail(v) <= level for v in values])
            assert abs(rejected - level) < 4.0 * np.sqrt(level / draws) + 0.1 * level


def test_the_largest_excess_has_smirnovs_law() -> None:
    rng = np.random.default_rng(2)
    positive, negative = rng.normal(0.1, size=400), rng.normal(size=900)
    told = stats.ks_2samp(positive, negative, alternative="less", method="asymp")
    law = shuffles.of_largest_excess(np.ones(1_300), 400)
    assert law.tail(told.statistic) == pytest.approx(told.pvalue)
    values = ranks.kolmogorov_smirnov(drawn_groups(np.ones(1_300), 400, 2_000))
    assert law.mean == pytest.approx(values.mean(), abs=4.0 * values.std() / np.sqrt(2_000))


def test_straightening_only_ever_rises_and_leads_nowhere_without_skewness() -> None:
    z = np.linspace(-60.0, 60.0, 4_001)
    for lean in (-0.15, 0.05, 0.15):
        assert (np.diff(shuffles.straight(z, lean)) >= 0).all()
    assert shuffles.straight(1.7, 0.0) == 1.7


def test_what_is_too_skewed_tied_or_rare_has_no_limit() -> None:
    assert shuffles.of_largest_excess(np.full(100, 50.0), 2_000) is None
    assert shuffles.of_largest_excess(np.ones(5_000), 100) is None
    assert shuffles.of_sum(np.r_[np.zeros(9_990), np.full(10, 9.0)], 300) is None
    assert shuffles.of_average_precision(np.ones(10_000), 250) is None
    assert shuffles.of_sum(np.ones(5_000), 2_500) is None
