"""Summaries: order does not matter, and every measure equals that of the cases themselves."""

import numpy as np
import pytest

from abovechance.errors import DataError, NotApplicable
from abovechance.measures import applicable, find
from abovechance.measures.summary import BinarySummary, Summarised, error_bound, from_summary
from abovechance.predictions import Binary, View

N = 20_000
RANKS = ("auc", "somers_d", "partial_auc", "average_precision", "ks")


def cases(n: int = N, seed: int = 0, digits: int = 17) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return y, np.round(1 / (1 + np.exp(-rng.normal(1.5 * y - 1.3))), digits)


def values(y: np.ndarray, p: np.ndarray) -> tuple[Binary, Summarised, list]:
    predictions, summary = Binary(y, probability=p), Summarised(BinarySummary.of(y, p))
    return predictions, summary, [m for m in applicable(predictions) if m.law != "calibration"]


def test_measures_of_counts_equal_those_of_the_cases() -> None:
    predictions, summary, measures = values(*cases())
    tables = [m for m in measures if m.reads is View.LABEL]
    assert len(tables) > 20
    for m in tables:
        assert from_summary(m, summary) == m.of(predictions), m.label


def test_measures_of_sums_equal_those_of_the_cases() -> None:
    predictions, summary, measures = values(*cases())
    sums = [m for m in measures if m.reads is View.PROBABILITY]
    assert len(sums) > 8
    for m in [*sums, find("observed_expected_ratio"), find("calibration_difference")]:
        assert from_summary(m, summary) == pytest.approx(m.of(predictions), rel=1e-12), m.label


@pytest.mark.parametrize("digits", [17, 2])
@pytest.mark.parametrize("name", RANKS)
def test_measures_of_ranks_lie_within_their_bounds(name: str, digits: int) -> None:
    predictions, summary, _ = values(*cases(digits=digits))
    m = find(name)
    off = abs(from_summary(m, summary) - m.of(predictions))
    assert off <= error_bound(m, summary) + 1e-13
    assert digits == 17 or error_bound(m, summary) == 0
    assert error_bound(m, summary) < 1e-5


def test_the_partial_area_is_bounded_with_coarse_cells_too() -> None:
    from abovechance.numerics.binned_ranks import BinnedRanks, Grid

    y, p = cases(2_000)
    ranks = BinnedRanks.of(p, y, Grid.over(0.0, 1.0, 20))
    fine = BinarySummary.of(y, p)
    summary = Summarised(
        BinarySummary(positives=fine.positives, negatives=fine.negatives, ranks=ranks)
    )
    for max_fpr in (0.01, 0.13, 0.2, 1.0):
        for standardised in (True, False):
            m = find("partial_auc").with_parameters(max_fpr=max_fpr, standardised=standardised)
            off = abs(from_summary(m, summary) - m.of(Binary(y, probability=p)))
            assert 0 < off <= error_bound(m, summary)


def test_the_order_of_the_parts_does_not_matter() -> None:
    y, p = cases(6_000)
    cuts = [slice(0, 1_000), slice(1_000, 1_007), slice(1_007, 6_000)]
    one, two, three = (BinarySummary.of(y[cut], p[cut]) for cut in cuts)
    whole = BinarySummary.of(y, p)
    for joined in (one + two + three, three + (one + two)):
        np.testing.assert_array_equal(joined.confusion, whole.confusion)
        assert joined.totals.twice_u == whole.totals.twice_u
        assert joined.sums.sum_log == pytest.approx(whole.sums.sum_log, rel=1e-12)
        assert joined.sums.sum_squares == pytest.approx(whole.sums.sum_squares, rel=1e-12)


def test_pieces_of_a_stream_give_the_summary_of_the_whole() -> None:
    y, p = cases()
    pieces = [(y[k : k + 6_000], p[k : k + 6_000]) for k in range(0, N, 6_000)]
    gathered, whole = BinarySummary.gather(pieces), BinarySummary.of(y, p)
    np.testing.assert_array_equal(gathered.confusion, whole.confusion)
    assert gathered.totals == whole.totals


def test_summaries_of_different_thresholds_do_not_add() -> None:
    y, p = cases(10)
    with pytest.raises(DataError, match="same threshold"):
        BinarySummary.of(y, p) + BinarySummary.of(y, p, threshold=0.2)


@pytest.mark.parametrize("n", [30, 9_000])
def test_what_is_no_probability_is_refused(n: int) -> None:
    y, p = cases(n)
    p[20] = 1.7
    with pytest.raises(DataError, match=r"must lie in \[0, 1\]; got 1.7 at row 21"):
        BinarySummary.of(y, p)
    p[20] = np.nan
    with pytest.raises(DataError, match="must not be missing"):
        BinarySummary.of(y, p)


def test_an_impossible_outcome_makes_the_log_score_infinite() -> None:
    summary = Summarised(BinarySummary.of([1, 0, 1], [0.0, 0.2, 0.9]))
    assert from_summary(find("log_score"), summary) == -np.inf
    assert summary.sums.impossible == 1


def test_what_needs_the_cases_says_so() -> None:
    summary = Summarised(BinarySummary.of([1, 0, 1], [0.3, 0.2, 0.9]))
    with pytest.raises(NotApplicable, match="Expected calibration error needs all cases at once"):
        from_summary(find("ece"), summary)
    with pytest.raises(NotApplicable, match="needs all cases at once"):
        _ = summary.positive


def test_net_benefit_is_exact_at_the_edge_of_a_cell_and_else_refused() -> None:
    y, p = cases()
    p[:100] = 0.25
    summary, predictions = Summarised(BinarySummary.of(y, p)), Binary(y, probability=p)
    m = find("net_benefit").with_parameters(threshold=0.25)
    assert from_summary(m, summary) == pytest.approx(m.of(predictions), rel=1e-12)
    with pytest.raises(NotApplicable, match="needs all cases"):
        from_summary(m.with_parameters(threshold=0.1), summary)


def test_scores_have_ranks_and_no_sums() -> None:
    from abovechance.numerics.binned_ranks import Grid

    y, p = cases()
    score = np.log(p / (1 - p))
    grid = Grid.over(float(score.min()), float(score.max()))
    summary = Summarised(
        BinarySummary.gather([(y, score)], grid=grid, threshold=None, probabilities=False)
    )
    assert summary.views == {View.SCORE}
    exact = find("auc").of(Binary(y, score=score))
    assert from_summary(find("auc"), summary) == pytest.approx(exact, abs=1e-6)
    labelled = Summarised(
        BinarySummary.gather([(y, score)], grid=grid, threshold=0.0, probabilities=False)
    )
    exact = find("accuracy").of(Binary(y, score=score, threshold=0.0))
    assert from_summary(find("accuracy"), labelled) == exact


def test_one_class_alone_leaves_the_same_undefined_as_cases_do() -> None:
    y, p = np.ones(50, dtype=bool), np.linspace(0.1, 0.9, 50)
    predictions, summary, measures = values(y, p)
    for m in measures:
        np.testing.assert_allclose(
            from_summary(m, summary), m.of(predictions), rtol=1e-10, atol=1e-10, err_msg=m.label
        )


def test_cases_that_stand_for_decisions_are_certain_and_as_many() -> None:
    y, p = np.array([0, 0, 0, 1, 1], dtype=bool), np.array([0.1, 0.3, 0.7, 0.2, 0.9])
    few = Summarised(BinarySummary.of(y, p)).representative(find("net_benefit"))
    assert few is not None
    assert few.column("outcome").tolist() == [False, False, True, True]
    assert few.column("probability").tolist() == [0.0, 1.0, 0.0, 1.0]
    assert few.column("weight").tolist() == [2.0, 1.0, 1.0, 1.0]
