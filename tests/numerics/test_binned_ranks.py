"""Ranks counted in cells of the score axis, and sharpened by further readings."""

import numpy as np
import pytest

from abovechance.numerics import binned_ranks
from abovechance.numerics.binned_ranks import (
    UNIT,
    BinnedRanks,
    Collector,
    Counter,
    Grid,
    RankTotals,
    Splitter,
    Stretches,
    _binned_plain,
    collectable,
    floats,
    heaviest,
    keys,
    rank_totals,
    unsettled,
)
from abovechance.numerics.ranks import rank_summary, tied_groups

# ----------------------------------------------------------------------------------------------
# Class counts in cells: exact edges, ties known as such, bounds that hold.
# ----------------------------------------------------------------------------------------------


def cases(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.3
    return 1 / (1 + np.exp(-rng.normal(1.5 * positive - 1.3))), positive


def same(first: BinnedRanks, second: BinnedRanks) -> None:
    for name in ("cell", "positives", "negatives", "value"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name), name)


@pytest.mark.parametrize(
    ("low", "high"),
    [(0.0, 1.0), (-3.7, 12.1), (5.0, 5.0), (0.0, 0.0), (1e15, 1e15 + 1), (-1e308, 1.7e308)],
)
def test_every_score_lies_in_the_cell_whose_edges_enclose_it(low: float, high: float) -> None:
    grid = Grid.over(low, high, cells=1000)
    rng = np.random.default_rng(0)
    inner = low + (high / 2 - low / 2) * 2 * rng.random(1000)
    score = np.clip(np.append(inner, [low, high]), low, high)
    cell = grid.cell(score)
    assert cell.min() >= 0
    assert cell.max() < grid.cells <= 1002
    assert (grid.edge(cell) <= score).all()
    assert (score < grid.edge(cell + 1)).all()


def test_counting_in_pieces_equals_counting_at_once() -> None:
    score, positive = cases(30_000)
    score[::5] = np.round(score[::5], 2)
    counter = Counter(UNIT)
    for start in range(0, 30_000, 7_000):
        counter.add(score[start : start + 7_000], positive[start : start + 7_000])
    same(counter.ranks, _binned_plain(score, positive, UNIT))


def test_small_and_large_pieces_can_be_mixed() -> None:
    score, positive = cases(20_000)
    counter = Counter(UNIT)
    for cut in (slice(0, 3), slice(3, 19_990), slice(19_990, 20_000)):
        counter.add(score[cut], positive[cut])
    same(counter.ranks, _binned_plain(score, positive, UNIT))


def test_parts_add_up_in_any_order() -> None:
    score, positive = cases(9_000)
    score = np.round(score, 4)
    parts = [BinnedRanks.of(score[k::3], positive[k::3]) for k in range(3)]
    whole = BinnedRanks.of(score, positive)
    same(parts[0] + parts[1] + parts[2], whole)
    same(parts[2] + (parts[1] + parts[0]), whole)
    same(BinnedRanks.empty() + whole, whole)


def test_counts_on_different_grids_do_not_add() -> None:
    with pytest.raises(ValueError, match="same grid"):
        BinnedRanks.empty(UNIT) + BinnedRanks.empty(Grid.over(0.0, 2.0))


def test_full_counters_are_emptied_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binned_ranks, "FULL", 12_000)
    score, positive = cases(30_000)
    counter = Counter(UNIT)
    for start in range(0, 30_000, 6_000):
        counter.add(score[start : start + 6_000], positive[start : start + 6_000])
    same(counter.ranks, _binned_plain(score, positive, UNIT))


def test_zero_and_minus_zero_are_ties() -> None:
    grid = Grid.over(-1.0, 1.0)
    score, positive = np.tile([0.0, -0.0], 4000), np.arange(8000) < 4000
    for ranks in (BinnedRanks.of(score, positive, grid), _binned_plain(score, positive, grid)):
        assert ranks.value.tolist() == [0.0]


def test_ties_leave_nothing_open() -> None:
    score, positive = cases(50_000)
    score = np.round(score, 3)
    totals = BinnedRanks.of(score, positive).totals
    exact = rank_summary(score, positive)
    assert totals.slack == 0
    assert totals.twice_u == exact.pairs_twice_u
    assert totals.summary.average_precision == pytest.approx(exact.average_precision, rel=1e-12)
    assert totals.summary.ks == pytest.approx(exact.ks, rel=1e-12)


@pytest.mark.parametrize("cells", [1, 3, 50, 4000])
@pytest.mark.parametrize("n", [2, 40, 9_000])
def test_bounds_hold_however_coarse_the_cells(cells: int, n: int) -> None:
    for seed in range(20):
        score, positive = cases(n, seed)
        positive[:2] = True, False
        totals = BinnedRanks.of(score, positive, Grid.over(0.0, 1.0, cells)).totals
        exact, found = rank_summary(score, positive), totals.summary
        assert abs(found.auc - exact.auc) <= totals.auc_bound + 1e-15
        assert abs(found.ks - exact.ks) <= totals.ks_bound + 1e-15
        off = abs(found.average_precision - exact.average_precision)
        assert off <= totals.precision_bound + 1e-13


@pytest.mark.parametrize("reverse", [False, True])
def test_bounds_are_reached_when_the_order_within_a_cell_is_as_good_or_bad_as_can_be(
    reverse: bool,
) -> None:
    score = np.linspace(0.0, 0.9, 50)
    positive = (np.arange(50) >= 20) ^ reverse
    totals = BinnedRanks.of(score, positive, Grid.over(0.0, 1.0, 1)).totals
    exact = rank_summary(score, positive).auc
    assert abs(totals.summary.auc - exact) == pytest.approx(totals.auc_bound, rel=1e-12)


def test_known_groups_give_what_ranks_give() -> None:
    score, positive = cases(3_000)
    ranked = tied_groups(np.round(score, 2), positive)
    found = rank_totals(ranked.positives, ranked.negatives)
    exact = rank_summary(np.round(score, 2), positive)
    assert found.twice_u == exact.pairs_twice_u
    for name in ("average_precision", "ks"):
        assert getattr(found.summary, name) == pytest.approx(getattr(exact, name), rel=1e-12)
    for name in ("placement_squares_positive", "placement_squares_negative"):
        assert getattr(found.summary, name) == pytest.approx(getattr(exact, name), rel=1e-12)


@pytest.mark.parametrize("cells", [1, 60, 9_000])
@pytest.mark.parametrize("classes", ["both", "positive", "negative"])
def test_compiled_totals_equal_the_formulas(cells: int, classes: str) -> None:
    from abovechance.numerics.binned_ranks import _summed, _summed_plain

    score, positive = cases(9_000)
    score[::3] = np.round(score[::3], 2)
    positive = {"both": positive, "positive": positive | True, "negative": positive & False}[
        classes
    ]
    ranks = BinnedRanks.of(score, positive, Grid.over(0.0, 1.0, cells))
    of = int(ranks.positives.sum()), int(ranks.negatives.sum())
    given = ranks.positives, ranks.negatives, ranks.mixed
    ours, plain = _summed(*given, (0, 0), of), _summed_plain(*given, (0, 0), of)
    for name, value in vars(plain).items():
        assert getattr(ours, name) == pytest.approx(value, rel=1e-12), name


def test_totals_of_neighbouring_stretches_add_up() -> None:
    score, positive = cases(3_000)
    ranks = BinnedRanks.of(score, positive, Grid.over(0.0, 1.0, 300))
    a, b, mixed = ranks.positives, ranks.negatives, ranks.mixed
    of = int(a.sum()), int(b.sum())
    cut = 100
    below = int(a[:cut].sum()), int(b[:cut].sum())
    both = rank_totals(a[:cut], b[:cut], mixed[:cut], of=of) + rank_totals(
        a[cut:], b[cut:], mixed[cut:], below=below, of=of
    )
    whole = rank_totals(a, b, mixed)
    assert (both.twice_u, both.slack) == (whole.twice_u, whole.slack)
    assert both.summary.average_precision == pytest.approx(whole.summary.average_precision)
    assert (both.ks_low, both.ks_high) == (whole.ks_low, whole.ks_high)


def test_one_class_alone_has_no_area() -> None:
    totals = BinnedRanks.of(np.array([0.2, 0.4]), np.array([True, True])).totals
    assert np.isnan(totals.summary.auc)
    assert totals.auc_bound == 0.0
    assert totals.summary.average_precision == 1.0


# ----------------------------------------------------------------------------------------------
# Further readings: bounds shrink to what is asked, or to nothing.
# ----------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("groups", range(4))
def test_totals_of_any_few_groups_count_every_pair(groups: int) -> None:
    """Every pair is counted one by one: twice U, its slack, and the classes there are."""
    rng = np.random.default_rng(groups)
    for _ in range(20):
        a, b = rng.integers(0, 4, (2, groups))
        mixed = rng.random(groups) < 0.4
        found = rank_totals(a, b, mixed)
        pairs = [
            (2 if i > j else 1 if i == j else 0) * a[i] * b[j]
            for i in range(groups)
            for j in range(groups)
        ]
        assert (found.n_positive, found.n_negative) == (a.sum(), b.sum())
        assert found.twice_u == sum(pairs)
        if a.sum() * b.sum():
            unknown = (a * b)[mixed].sum() / (2 * a.sum() * b.sum())
            assert found.auc_bound == pytest.approx(unknown, rel=1e-12, abs=1e-15)


def test_no_groups_of_some_cases_count_nothing_and_know_the_classes() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    found = rank_totals(nothing, nothing, of=(3, 5))
    assert (found.n_positive, found.n_negative, found.twice_u) == (3, 5, 0)
