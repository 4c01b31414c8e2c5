"""Further readings: bounds shrink to what is asked, or to nothing."""

import numpy as np
import pytest

from abovechance.numerics.binned_ranks import UNIT, BinnedRanks, Grid
from abovechance.numerics.finer_ranks import (
    Collector,
    Splitter,
    Stretches,
    collectable,
    floats,
    heaviest,
    keys,
    unsettled,
)
from abovechance.numerics.rank_bounds import RankTotals
from abovechance.numerics.ranks import rank_summary

N = 20_000


def scores(kind: str) -> tuple[np.ndarray, np.ndarray, Grid]:
    rng = np.random.default_rng(5)
    positive = rng.random(N) < 0.3
    margin = rng.normal(1.5 * positive - 1.3)
    p = 1 / (1 + np.exp(-margin))
    score = {
        "probabilities": p,
        "rounded": np.round(p, 2),
        "tiny": p * 1e-9,
        "saturated": np.where(rng.random(N) < 0.3, 0.0, np.where(p > 0.6, 1.0, p**9)),
        "margins": margin,
        "outlier": np.append(margin[1:], 1e9),
        "signed zeros": np.round(margin),
    }[kind]
    if kind in ("margins", "outlier", "signed zeros"):
        return score, positive, Grid.over(float(score.min()), float(score.max()))
    return score, positive, UNIT


KINDS = ("probabilities", "rounded", "tiny", "saturated", "margins", "outlier", "signed zeros")


def split(stretches: Stretches, score: np.ndarray, positive: np.ndarray, bound: float) -> Stretches:
    splitter = Splitter(stretches, heaviest(stretches, bound))
    for start in range(0, N, 6_000):
        splitter.add(score[start : start + 6_000], positive[start : start + 6_000])
    return splitter.stretches


def sorted_out(
    stretches: Stretches, score: np.ndarray, positive: np.ndarray, most: int
) -> RankTotals:
    of = int(positive.sum()), int((~positive).sum())
    found, below = RankTotals(n_positive=of[0], n_negative=of[1]), (0, 0)
    for run, wanted in collectable(stretches, most):
        collector = Collector(stretches[run], wanted)
        collector.add(score, positive)
        found = found + collector.totals(below, of)
        part = stretches[run]
        below = below[0] + int(part.positives.sum()), below[1] + int(part.negatives.sum())
    return found


def test_keys_keep_the_order_of_floats_and_lead_back_to_them() -> None:
    rng = np.random.default_rng(0)
    score = np.concatenate([rng.normal(size=100), [0.0, 5e-324, -5e-324, 1e308, -1e308]])
    np.testing.assert_array_equal(np.argsort(keys(score)), np.argsort(score))
    np.testing.assert_array_equal(floats(keys(score)), score)


@pytest.mark.parametrize("kind", KINDS)
def test_splitting_reaches_the_bound_and_keeps_every_case(kind: str) -> None:
    score, positive, grid = scores(kind)
    stretches = Stretches.of(BinnedRanks.of(score, positive, grid))
    exact = rank_summary(score, positive)
    for _ in range(4):
        if stretches.totals.auc_bound <= 1e-6:
            break
        stretches = split(stretches, score, positive, 1e-6)
        assert (stretches.low[1:] >= stretches.high[:-1]).all()
        assert stretches.positives.sum() == positive.sum()
        assert stretches.negatives.sum() == (~positive).sum()
        assert abs(stretches.totals.summary.auc - exact.auc) <= stretches.totals.auc_bound + 1e-15
    assert stretches.totals.auc_bound <= 1e-6


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("most", [N, 3_000])
@pytest.mark.parametrize("splits", [0, 1])
def test_sorting_out_gives_exact_ranks(kind: str, most: int, splits: int) -> None:
    score, positive, grid = scores(kind)
    stretches = Stretches.of(BinnedRanks.of(score, positive, grid))
    for _ in range(splits):
        if heaviest(stretches, 1e-9).any():
            stretches = split(stretches, score, positive, 1e-9)
    found, exact = sorted_out(stretches, score, positive, most), rank_summary(score, positive)
    assert (found.slack, found.twice_u) == (0, exact.pairs_twice_u)
    assert found.summary.average_precision == pytest.approx(exact.average_precision, rel=1e-12)
    assert found.summary.ks == pytest.approx(exact.ks, rel=1e-12)
    for name in ("placement_squares_positive", "placement_squares_negative"):
        assert getattr(found.summary, name) == pytest.approx(getattr(exact, name), rel=1e-11)
    _, times = np.unique(score, return_counts=True)
    assert found.ties == pytest.approx((times.astype(float) ** 3 - times).sum(), rel=1e-12)


def test_runs_fit_the_buffer_and_cover_everything_once() -> None:
    score, positive, grid = scores("probabilities")
    stretches = Stretches.of(BinnedRanks.of(score, positive, grid))
    wanted = unsettled(stretches)
    covered = 0
    for run, chosen in collectable(stretches, 500):
        assert run.start == covered
        assert stretches.size[run][chosen].sum() <= 500
        np.testing.assert_array_equal(chosen, wanted[run])
        covered = run.stop
    assert covered == len(stretches)
