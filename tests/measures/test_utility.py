"""Costs of wrong predictions, and what decisions are worth."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance import measures
from abovechance.errors import NotApplicable
from abovechance.measures import find
from abovechance.measures.utility import at_threshold
from abovechance.predictions import Binary

# ----------------------------------------------------------------------------------------------
# What wrong predictions cost.
# ----------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------
# Net benefit and costs: exact arithmetic, R's dcurves, and the limits of a threshold.
# ----------------------------------------------------------------------------------------------


Reference = Callable[[str], Any]
CASES = (
    "well_calibrated",
    "overconfident",
    "underconfident",
    "overestimating",
    "rare",
    "small",
    "rounded",
    "tenths",
    "anti",
)


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, reference: Reference) -> tuple[Any, Any, Any]:
    (found,) = [c for c in reference("clinical_utility")["cases"] if c["id"] == request.param]
    return found["input"]["y"], found["input"]["p"], found["expected"]


def test_net_benefit_equals_dcurves_at_every_threshold(case: tuple[Any, Any, Any]) -> None:
    y, p, expected = case
    for k, t in enumerate(expected["thresholds"]["exact"]):
        for name, key in (
            ("net_benefit", "net_benefit"),
            ("standardised_net_benefit", "standardized_net_benefit"),
        ):
            value = find(name, threshold=t)(y, p)
            assert value == pytest.approx(expected[key]["exact"][k], rel=1e-11, abs=1e-14)
            assert value == pytest.approx(expected[key]["dcurves"][k], rel=1e-9, abs=1e-12)


def test_chance_is_the_better_of_treating_all_and_none(case: tuple[Any, Any, Any]) -> None:
    y, p, expected = case
    predictions = ac.Binary(y, probability=p)
    for k, t in enumerate(expected["thresholds"]["exact"]):
        measure = find("net_benefit", threshold=t)
        assert measure.reference is not None
        wanted = max(expected["net_benefit_treat_all"]["exact"][k], 0.0)
        assert measure.reference(predictions, measure) == pytest.approx(
            wanted, rel=1e-11, abs=1e-14
        )


@pytest.mark.parametrize(("fn", "fp"), [(1, 1), (5, 1), (1, 4), (10, 1)])
def test_costs_at_the_threshold_they_imply(case: tuple[Any, Any, Any], fn: int, fp: int) -> None:
    y, p, expected = case
    t = fp / (fp + fn)
    label = np.asarray(p) >= t
    key = f"costFN{fn}_costFP{fp}"
    costs = {"cost_fp": float(fp), "cost_fn": float(fn)}
    spent = find("expected_cost", **costs)(y, label)
    assert spent == pytest.approx(expected[f"expected_cost_{key}"]["exact"], rel=1e-11, abs=1e-14)
    right = find("cost_weighted_accuracy", **costs)(y, label)
    assert right == pytest.approx(expected[f"weighted_accuracy_{key}"]["exact"], rel=1e-11)
    gained = find("net_benefit", threshold=t)(y, p)
    assert gained == pytest.approx(expected[f"net_benefit_{key}"]["exact"], rel=1e-10, abs=1e-14)
    assert gained == pytest.approx(np.mean(y) - spent / fn, rel=1e-10, abs=1e-14)


def test_a_probability_on_the_threshold_is_acted_on() -> None:
    measure = find("net_benefit", threshold=0.2)
    assert measure([1, 0], [0.2, 0.1]) == 0.5
    assert find("net_benefit", threshold=0.2000001)([1, 0], [0.2, 0.1]) == 0.0


def test_certain_predictions_gain_the_prevalence() -> None:
    y = [0, 1, 1, 0, 0]
    for t in (0.01, 0.5, 0.99):
        assert find("net_benefit", threshold=t)(y, np.array(y, float)) == pytest.approx(0.4)
        assert find("standardised_net_benefit", threshold=t)(y, np.array(y, float)) == 1.0


def test_without_positives_the_standardised_benefit_is_undefined() -> None:
    assert np.isnan(find("standardised_net_benefit")([0, 0], [0.1, 0.2]))


@pytest.mark.parametrize("threshold", [0.0, 1.0, -0.2, 3.0])
def test_a_threshold_lies_between_0_and_1(threshold: float) -> None:
    with pytest.raises(NotApplicable, match="between 0 and 1"):
        find("net_benefit", threshold=threshold)([0, 1], [0.2, 0.6])


@pytest.mark.parametrize(
    ("threshold", "expected"), [(0.2, 0.2), (0.999, 0.999), (0.0, None), (1.0, None), (1.5, None)]
)
def test_a_measure_of_utility_acts_where_cases_are_called_positive_inside_0_and_1(
    threshold: float, expected: float | None
) -> None:
    cases = Binary([0, 1, 1], probability=[0.1, 0.4, 0.9], threshold=threshold)
    assert at_threshold(find("net_benefit"), cases).parameters["threshold"] == expected
