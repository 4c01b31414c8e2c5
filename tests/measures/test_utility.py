"""Net benefit and costs: exact arithmetic, R's dcurves, and the limits of a threshold."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance.errors import NotApplicable
from abovechance.measures import find

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
