"""Survival, and remaining under observation, from partly censored times."""

import numpy as np
import pytest

from abovechance.numerics.kaplan_meier import kaplan_meier, reverse_kaplan_meier


def test_published_survival_and_censoring(reference):
    for case in reference("censoring_survival")["cases"]:
        given = {key: np.array(value) for key, value in case["input"].items()}
        for sample in ("train", "test"):
            time, event = given[f"{sample}_time"], given[f"{sample}_event"] == 1
            expected = case["expected"]
            for values in expected[f"censoring_survival_{sample}_at_eval_times"].values():
                np.testing.assert_allclose(
                    kaplan_meier(time, ~event).at(given["eval_times"]), values, rtol=1e-12
                )
            for values in expected.get(f"km_survival_{sample}_at_eval_times", {}).values():
                np.testing.assert_allclose(
                    kaplan_meier(time, event).at(given["eval_times"]), values, rtol=1e-12
                )


def product_by_definition(time, event, until, reverse):
    value = 1.0
    for t in np.unique(time[time <= until]):
        at_risk = np.sum(time >= t) - reverse * np.sum((time == t) & event)
        leaving = np.sum((time == t) & (event != reverse))
        value *= 1 - leaving / at_risk if leaving else 1
    return value


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("n", [1, 2, 40])
def test_the_product_limit_by_its_definition(n, reverse):
    rng = np.random.default_rng(n)
    time, event = np.ceil(rng.exponential(4, n)), rng.random(n) < 0.5
    curve = (reverse_kaplan_meier if reverse else kaplan_meier)(time, event)
    for t in np.arange(0, 20, 0.5):
        expected = product_by_definition(time, event, t, reverse)
        np.testing.assert_allclose(curve.at(t), expected, rtol=1e-13)
        left = product_by_definition(time, event, np.nextafter(t, -1), reverse)
        np.testing.assert_allclose(curve.before(t), left, rtol=1e-13)


def test_without_coinciding_times_censoring_is_survival_with_the_roles_swapped():
    rng = np.random.default_rng(0)
    time, event = rng.exponential(1, 50), rng.random(50) < 0.5
    np.testing.assert_allclose(
        reverse_kaplan_meier(time, event).values, kaplan_meier(time, ~event).values, rtol=1e-13
    )


@pytest.mark.parametrize("estimate", [kaplan_meier, reverse_kaplan_meier])
def test_a_batch_of_weights_equals_repeated_cases(estimate):
    rng = np.random.default_rng(1)
    time, event = np.ceil(rng.exponential(4, 30)), rng.random(30) < 0.5
    counts = rng.integers(0, 3, (4, 30))
    at = np.arange(12.0)
    batch = estimate(time, event, counts).at(at)
    rows = [estimate(np.repeat(time, c), np.repeat(event, c)).at(at) for c in counts]
    np.testing.assert_allclose(batch, rows, rtol=1e-12)
