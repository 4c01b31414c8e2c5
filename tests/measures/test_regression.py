"""Errors, errors relative to the mean, and correlations: references, oracles, properties."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from abovechance.measures import Form, Measure, every, find, per_output
from abovechance.measures.chance import SameNumber, best_by_log
from abovechance.numerics.counts import centred, weighted_median
from abovechance.predictions import Numeric

REFERENCES = Path(__file__).parents[1] / "references"
CASES = {c["id"]: c for c in json.loads((REFERENCES / "regression.json").read_text())["cases"]}
NAMED_OTHERWISE = {
    "relative_error_abs_denominator": "relative_error",
    "concordance_correlation_n_denominator": "concordance_correlation",
}
FORMS_OF = {  # golden quantities that are a function or a parameter of a measure
    "r2_squared_correlation": lambda y, p: find("pearson")(y, p) ** 2,
    "concordance_correlation_n_minus_1_denominator": lambda y, p: find("concordance_correlation")(
        y, p, unbiased=True
    ),
}
SINGLE = [
    m
    for m in every().values()
    if m.outcomes == {"numeric"} and not m.many_outputs and m.family == "regression"
]


def number(value):
    return float("nan") if value is None else float(value)


def default_target(sources):
    """The first source there is: exact arithmetic, else scikit-learn, else the only R package."""
    sources = {k: v for k, v in sources.items() if k != "familiar"}
    return next((sources[k] for k in ("exact", "sklearn", *sources) if k in sources), "none")


DEFAULT_TARGETS = [
    (case, quantity, default_target(sources))
    for case in CASES
    for quantity, sources in CASES[case]["expected"].items()
    if default_target(sources) != "none"
]
FAMILIAR_TARGETS = [
    (case, tag, sources["familiar"])
    for case in CASES
    for tag, sources in CASES[case]["expected"].items()
    if "familiar" in sources
]


@pytest.mark.parametrize(("case", "quantity", "target"), DEFAULT_TARGETS)
def test_a_measure_equals_its_reference(case, quantity, target):
    y, predicted = (np.array(CASES[case]["input"][k]) for k in ("y", "pred"))
    if quantity == "d2_absolute_error" and np.ptp(y) == 0:
        target = "NaN"  # scikit-learn says 0 or 1 where there is nothing to explain
    if quantity in FORMS_OF:
        found = FORMS_OF[quantity](y, predicted)
    else:
        found = find(NAMED_OTHERWISE.get(quantity, quantity))(y, predicted)
    assert found == pytest.approx(number(target), rel=1e-10, abs=1e-14, nan_ok=True)


@pytest.mark.parametrize(("case", "tag", "target"), FAMILIAR_TARGETS)
def test_the_dialect_of_familiar_gives_its_number(case, tag, target):
    y, predicted = CASES[case]["input"]["y"], CASES[case]["input"]["pred"]
    found = find(tag, dialect="familiar")(y, predicted)
    assert found == pytest.approx(number(target), rel=1e-10, abs=1e-14, nan_ok=True)


@pytest.mark.parametrize(
    ("scorer", "name"),
    [
        ("explained_variance", "explained_variance"),
        ("r2", "r2"),
        ("neg_max_error", "max_error"),
        ("neg_median_absolute_error", "medae"),
        ("neg_mean_absolute_error", "mae"),
        ("neg_mean_absolute_percentage_error", "relative_error"),
        ("neg_mean_squared_error", "mse"),
        ("neg_mean_squared_log_error", "msle"),
        ("neg_root_mean_squared_error", "rmse"),
        ("neg_root_mean_squared_log_error", "rmsle"),
        ("d2_absolute_error_score", "d2_absolute_error"),
    ],
)
def test_scorer_names_find_the_measure_they_negate(scorer, name):
    assert find(scorer).name == name


@pytest.fixture
def sample():
    rng = np.random.default_rng(7)
    y = np.round(rng.normal(3.0, 1.0, 60), 1)  # ties
    return y, np.round(0.6 * y + rng.normal(1.0, 0.7, 60), 1), rng.uniform(0.2, 3.0, 60)


@pytest.mark.parametrize("measure", SINGLE, ids=lambda m: m.name)
def test_a_case_in_two_halves_counts_once(measure: Measure, sample):
    y, predicted, weight = sample
    whole = measure(y, predicted, sample_weight=weight)
    halves = measure(np.tile(y, 2), np.tile(predicted, 2), sample_weight=np.tile(weight / 2, 2))
    assert halves == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("measure", SINGLE, ids=lambda m: m.name)
def test_counts_are_cases_repeated(measure: Measure, sample):
    y, predicted, _ = sample
    counts = np.arange(y.size) % 4
    expected = measure(np.repeat(y, counts), np.repeat(predicted, counts))
    assert measure(y, predicted, counts=counts) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "measure", [m for m in SINGLE if not m.needs_index_draws], ids=lambda m: m.name
)
@pytest.mark.parametrize("outputs", [1, 3])
def test_a_batch_equals_its_rows(measure: Measure, outputs, sample):
    y, predicted, _ = sample
    y = np.stack([y + 10 * d for d in range(outputs)], axis=1)
    predictions = Numeric(y, predicted[:, None] + 10 * np.arange(outputs) ** 1.1)
    weights = np.random.default_rng(1).multinomial(60, np.full(60, 1 / 60), size=5).astype(float)
    rows = [
        measure.of(Numeric(predictions.outcome.T, predictions.value.T, counts=w)) for w in weights
    ]
    np.testing.assert_allclose(measure.batch(predictions, weights), rows, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("measure", SINGLE, ids=lambda m: m.name)
def test_the_best_value_is_reached_by_perfect_predictions(measure: Measure, sample):
    y = sample[0]
    assert measure(y, y) == pytest.approx(measure.best, abs=1e-15)


@pytest.mark.parametrize(
    "measure", [m for m in SINGLE if isinstance(m.reference, SameNumber)], ids=lambda m: m.name
)
@pytest.mark.parametrize("weighted", [False, True])
def test_no_single_number_does_better_than_the_reference(
    measure: Measure, weighted: bool, sample
) -> None:
    y, predicted, weight = sample
    own = weight if weighted else None
    predictions = Numeric(y, predicted, sample_weight=own)
    reference = measure.reference(predictions, measure)
    tried = np.concatenate([y, np.linspace(y.min(), y.max(), 401), [np.average(y, weights=own)]])
    scores = [measure.of(Numeric(y, np.full(y.size, c), sample_weight=own)) for c in tried.tolist()]
    # a logarithm has a valley at every outcome, a median of distances a step at every pair
    rough = measure.smooth is False or measure.reference is best_by_log
    assert min(scores) * 0.98 <= reference <= min(scores) * (1.02 if rough else 1.0 + 1e-12)


@pytest.mark.parametrize("name", ["r2", "explained_variance", "rse", "rrse", "rae"])
def test_predicting_the_mean_scores_the_reference_of_what_is_relative_to_it(name, sample):
    y, predicted, weight = sample
    mean = np.full(y.size, np.average(y, weights=weight))
    reference = find(name).reference(Numeric(y, predicted, sample_weight=weight), find(name))
    assert reference == pytest.approx(
        find(name).of(Numeric(y, mean, sample_weight=weight)), abs=1e-14
    )


def test_predicting_the_median_scores_the_reference_of_d2(sample):
    y, predicted, weight = sample
    median = np.full(y.size, weighted_median(y, weight))
    measure = find("d2_absolute_error")
    assert measure.reference(Numeric(y, predicted), measure) == pytest.approx(
        measure.of(Numeric(y, median, sample_weight=weight)), abs=1e-14
    )


@pytest.mark.parametrize("measure", SINGLE, ids=lambda m: m.name)
def test_measures_survive_pickling(measure: Measure, sample):
    y, predicted, _ = sample
    again = pickle.loads(pickle.dumps(measure))
    assert again.name == measure.name
    assert again(y, predicted) == measure(y, predicted)


def test_losses_are_averaged_and_rooted():
    y, predicted = [1.0, 2.0, 4.0], [2.0, 2.0, 1.0]
    assert find("mse").losses(Numeric(y, predicted)).tolist() == [1.0, 0.0, 9.0]
    assert find("rmse")(y, predicted) == pytest.approx(np.sqrt(10 / 3), rel=1e-15)


def test_each_output_has_a_value_of_its_own(sample):
    y, predicted, weight = sample
    both = Numeric(np.c_[y, y**2], np.c_[predicted, y], sample_weight=weight)
    for tag in ("rmse", "r2", "medae", "kendall", "mae_trim"):
        measure = find(tag)
        if not measure.weighted:
            both = Numeric(np.c_[y, y**2], np.c_[predicted, y])
        alone = [measure.of(both.output(d)) for d in range(2)]
        assert per_output(measure, both) == pytest.approx(alone, rel=1e-14)
        assert measure.of(both) == pytest.approx(np.mean(alone), rel=1e-14)


def test_constants_are_recognised_although_their_mean_is_rounded():
    y = np.full(12, 0.1)
    assert np.sum((y - y.mean()) ** 2) > 0  # what a plain formula would divide by
    assert np.isnan(find("r2")(y, y + 1.0))
    assert np.isnan(find("pearson")(np.arange(12.0), y))
    weight = np.r_[np.full(12, 0.3), 0.0]
    assert not centred(np.r_[y, 5.0], weight)[:12].any()


def test_adjusted_r2_pays_for_features(sample):
    y, predicted, _ = sample
    plain = find("r2")(y, predicted)
    assert find("r2")(y, predicted, adjusted=4) == pytest.approx(1 - (1 - plain) * 59 / 55)
    assert np.isnan(find("r2")(y[:4], predicted[:4], adjusted=3))


def test_a_zero_outcome_makes_the_relative_error_undefined():
    assert np.isnan(find("relative_error")([0.0, 1.0], [0.5, 1.0]))
    assert find("relative_error")([0.0, 1.0], [0.5, 1.5], sample_weight=[0.0, 2.0]) == 0.5


def test_log_errors_need_values_above_minus_one():
    assert np.isnan(find("msle")([-1.0, 2.0], [0.5, 2.0]))
    assert np.isnan(find("rmsle")([0.0, 2.0], [-1.5, 2.0]))
    assert find("msle")([-0.5], [0.0]) == pytest.approx(np.log(2.0) ** 2, rel=1e-15)


@pytest.mark.parametrize("weight", [None, [0.5, 0.25, 0.25, 1.0], [0.1, 0.2, 0.3, 0.6]])
def test_the_weighted_median_takes_the_middle_where_weights_part_evenly(weight):
    errors = np.array([3.0, 1.0, 2.0, 7.0])
    found = weighted_median(errors, None if weight is None else np.array(weight))
    assert found == (2.5 if weight is None else 5.0)


def brute_force_tau_b(y, predicted, weight):
    pairs = np.outer(weight, weight)
    first = np.sign(np.subtract.outer(y, y))
    second = np.sign(np.subtract.outer(predicted, predicted))
    ordered = (pairs * first * second).sum()
    return ordered / np.sqrt((pairs * first**2).sum() * (pairs * second**2).sum())


def test_kendall_equals_counting_every_weighted_pair(sample):
    y, predicted, weight = sample
    expected = brute_force_tau_b(y, predicted, weight)
    assert find("kendall")(y, predicted, sample_weight=weight) == pytest.approx(expected, rel=1e-12)


def test_rank_correlations_equal_scipy_on_many_tied_cases():
    from scipy import stats

    rng = np.random.default_rng(3)
    y = rng.integers(0, 400, 20_000).astype(float)
    predicted = y + rng.integers(-200, 200, y.size)
    tau, rho = stats.kendalltau(y, predicted).statistic, stats.spearmanr(y, predicted).statistic
    assert find("kendall")(y, predicted) == pytest.approx(tau, rel=1e-10)
    assert find("spearman")(y, predicted) == pytest.approx(rho, rel=1e-10)


def test_means_of_losses_say_so():
    means = {m.name for m in SINGLE if m.form is Form.LOSSES}
    assert means == {"mae", "mlae", "mse", "rmse", "msle", "rmsle", "mean_error", "relative_error"}


@pytest.mark.parametrize("outputs", [1, 2])
def test_a_batch_keeps_its_digits_far_from_the_common_mean(outputs):
    rng = np.random.default_rng(5)
    y = np.r_[rng.normal(0.0, 1.0, 30), 1e9 + rng.normal(0.0, 1.0, 30)]
    predicted = y + rng.normal(0.0, 0.5, 60)
    half = np.repeat([1.0, 0.0], 30)
    weights = np.stack([half, 1 - half, np.ones(60), np.eye(60)[3] * 5])
    given = Numeric(np.stack([y] * outputs, axis=1), np.stack([predicted] * outputs, axis=1))
    for tag in ("r2", "explained_variance", "pearson", "concordance_correlation"):
        rows = [find(tag)(y[w > 0], predicted[w > 0]) for w in weights[:3]]
        found = find(tag).batch(given, weights)
        np.testing.assert_allclose(found[:3], rows, rtol=1e-12)
        # one case alone, five times: nothing varies
        assert np.isnan(found[3]) == (tag != "concordance_correlation")
