"""What wrong predictions cost."""

import numpy as np
import pytest

from abovechance import measures
from abovechance.predictions import Binary

TABLE = [[16, 5], [3, 3]]  # 5 false positives, 3 false negatives


def test_the_expected_cost_is_what_errors_cost_a_case() -> None:
    cost = measures.expected_cost(cost_fp=2, cost_fn=10)
    assert cost.from_confusion(TABLE) == pytest.approx((2 * 5 + 10 * 3) / 27)
    assert measures.expected_cost.from_confusion(TABLE) == pytest.approx(8 / 27)


def test_equal_costs_make_it_accuracy() -> None:
    found = measures.cost_weighted_accuracy.from_confusion(TABLE)
    assert found == pytest.approx(measures.accuracy.from_confusion(TABLE))


def test_the_worst_predictions_score_nothing() -> None:
    weighed = measures.cost_weighted_accuracy(cost_fp=1, cost_fn=5)
    assert weighed.from_confusion([[0, 4], [6, 0]]) == 0.0
    assert weighed.from_confusion([[4, 0], [0, 6]]) == 1.0
    assert weighed.from_confusion(TABLE) == pytest.approx(1 - (5 + 15) / (21 + 30))


def test_free_errors_of_the_only_kind_leave_it_undefined() -> None:
    free = measures.cost_weighted_accuracy(cost_fp=0, cost_fn=5)
    assert np.isnan(free.from_confusion([[3, 2], [0, 0]]))


def test_the_threshold_that_goes_with_the_costs_is_the_cheapest() -> None:
    """With calibrated probabilities; here each holds for as many cases as it says."""
    levels = np.arange(1, 20) / 20
    y = np.concatenate([np.arange(20) < 20 * p for p in levels])
    p = np.repeat(levels, 20)
    cost = measures.expected_cost(cost_fp=1, cost_fn=4)
    spent = {t: cost.of(Binary(y, probability=p, threshold=t)) for t in np.arange(20) / 20}
    best = min(spent.values())
    assert spent[0.2] == pytest.approx(best)
    assert spent[0.1] > best
    assert spent[0.3] > best
    assert spent[0.5] > best
