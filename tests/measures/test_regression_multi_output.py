"""One number over several outputs: against exact values, and by what weights must do."""

import json
from pathlib import Path

import numpy as np
import pytest

from abovechance.errors import NotApplicable
from abovechance.measures import applicable, every, find, per_output
from abovechance.measures.measure import Statistic
from abovechance.measures.sample import Sample, evaluate
from abovechance.predictions import Numeric

REFERENCES = Path(__file__).parents[1] / "references"
CASES = {c["id"]: c for c in json.loads((REFERENCES / "nag_regression.json").read_text())["cases"]}
WHOLE = {
    "aRRMSE": "arrmse",
    "multidim_pearson": "multi_pearson",
    "multidim_r2": "multi_r2",
    "mean_mse": "mse",
}
EACH = {
    "pearson_per_dimension": "pearson",
    "r2_per_dimension": "r2",
    "mse_per_dimension": "mse",
    "rrmse_per_dimension": "rrse",
    "relative_error_abs_denominator_per_dimension": "relative_error",
}
SEVERAL = [m for m in every().values() if m.many_outputs]


def arrays(case):
    return np.array(CASES[case]["input"]["y"]), np.array(CASES[case]["input"]["pred"])


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("quantity", WHOLE)
def test_a_measure_of_all_outputs_equals_its_exact_value(case, quantity):
    target = float(CASES[case]["expected"][quantity]["exact"])
    found = find(WHOLE[quantity])(*arrays(case))
    assert found == pytest.approx(target, rel=1e-10, abs=1e-14, nan_ok=True)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("quantity", EACH)
def test_each_output_equals_its_exact_value(case, quantity):
    target = [float(v) for v in CASES[case]["expected"][quantity]["exact"]]
    found = per_output(find(EACH[quantity]), Numeric(*arrays(case)))
    assert found == pytest.approx(target, rel=1e-10, abs=1e-14, nan_ok=True)


def test_the_squared_correlation_is_the_square_of_the_mean():
    y, predicted = arrays("d3")
    mean = find("multi_pearson")(y, predicted)
    assert find("multi_pearson_squared")(y, predicted) == pytest.approx(mean**2, rel=1e-14)


@pytest.mark.parametrize("measure", SEVERAL, ids=lambda m: m.name)
def test_a_case_in_two_halves_counts_once(measure):
    y, predicted = arrays("d3")
    weight = np.linspace(0.5, 2.0, len(y))
    whole = measure(y, predicted, sample_weight=weight)
    halves = measure(np.r_[y, y], np.r_[predicted, predicted], sample_weight=np.r_[weight, weight])
    assert halves == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("measure", SEVERAL, ids=lambda m: m.name)
def test_a_batch_equals_its_rows(measure):
    y, predicted = arrays("d4_scales")
    weights = np.random.default_rng(2).integers(0, 3, (4, len(y))).astype(float)
    rows = [measure(y, predicted, counts=w) for w in weights]
    np.testing.assert_allclose(measure.batch(Numeric(y, predicted), weights), rows, rtol=1e-12)


@pytest.mark.parametrize("measure", SEVERAL, ids=lambda m: m.name)
def test_a_weight_of_two_stands_for_the_same_output_twice(measure):
    y, predicted = arrays("d3")
    twice = [0, 1, 1, 2]
    expected = measure(y[:, twice], predicted[:, twice])
    found = measure(y, predicted, output_weights=(1, 2, 1))
    assert found == pytest.approx(expected, rel=1e-13)


def test_an_output_without_weight_need_not_be_defined():
    y, predicted = arrays("d2_constant_target")
    assert find("multi_r2")(y, predicted, output_weights=(1, 0)) == pytest.approx(
        find("r2")(y[:, 0], predicted[:, 0]), rel=1e-14
    )


@pytest.mark.parametrize("wrong", [(1, 2), (1, 2, -1), (0, 0, 0)])
def test_output_weights_that_fit_not_are_refused(wrong):
    with pytest.raises(NotApplicable, match="one number per output, 3 here"):
        find("multi_r2")(*arrays("d3"), output_weights=wrong)


def test_predicting_the_means_scores_the_chance_level():
    y, _ = arrays("d4_scales")
    means = np.broadcast_to(y.mean(axis=0), y.shape)
    for tag in ("arrmse", "multi_r2"):
        level = find(tag).reference(Numeric(y, means), find(tag))
        assert find(tag)(y, means) == pytest.approx(level, abs=1e-14)


def test_they_are_listed_for_several_outputs_only():
    y, predicted = arrays("d3")
    names = {m.name for m in SEVERAL}
    assert names <= {m.name for m in applicable(Numeric(y, predicted))}
    assert not names & {m.name for m in applicable(Numeric(y[:, 0], predicted[:, 0]))}


@pytest.mark.parametrize(
    "name", [m.name for m in every().values() if m.sufficient is Statistic.MOMENTS]
)
def test_the_moments_of_every_output_stand_for_its_permuted_cases(name):
    rng = np.random.default_rng(3)
    y = rng.gamma(2.0, size=(40, 3)) + np.array([0.0, 5.0, 100.0])
    value = y * rng.uniform(0.5, 1.5, size=(40, 3))
    orders = np.stack([rng.permutation(40) for _ in range(7)])
    found = evaluate(find(name), Sample.of(Numeric(y, value)).permuted(orders))
    expected = [find(name).of(Numeric(y[order], value)) for order in orders]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
