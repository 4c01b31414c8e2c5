"""Calibration errors in bins and along curves: exact arithmetic, R, and their edges."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance.errors import NotApplicable
from abovechance.measures import calibration, find
from abovechance.measures.calibration import bin_sums
from abovechance.measures.sample import CELLS, Sample, evaluate
from abovechance.predictions import Binary, Multiclass

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
    (found,) = [c for c in reference("calibration")["cases"] if c["id"] == request.param]
    return found["input"]["y"], found["input"]["p"], found["expected"]


@pytest.mark.parametrize("name", ["ece", "mce", "rmsce"])
@pytest.mark.parametrize("bins", [5, 10, 15])
@pytest.mark.parametrize("closed", ["left", "right"])
def test_binned_errors_equal_exact_arithmetic(
    case: tuple[Any, Any, Any], name: str, bins: int, closed: str
) -> None:
    y, p, expected = case
    wanted = expected[f"{name}_equal_width_{bins}_{closed}_closed"]["exact"]
    assert find(name, bins=bins, closed=closed)(y, p) == pytest.approx(wanted, rel=1e-11)


def test_equal_counts_equal_exact_arithmetic(case: tuple[Any, Any, Any]) -> None:
    y, p, expected = case
    if "ece_equal_mass_10" not in expected:
        pytest.skip("too many ties for one answer")
    found = find("ece", binning="count")(y, p)
    assert found == pytest.approx(expected["ece_equal_mass_10"]["exact"], rel=1e-11)


@pytest.mark.parametrize(("smoother", "key"), [("loess", "interpolate"), ("direct", "direct")])
def test_distances_along_the_curve_equal_r(
    case: tuple[Any, Any, Any], smoother: str, key: str
) -> None:
    y, p, expected = case
    for name, wanted in {"ici": "ICI", "e50": "E50", "e90": "E90", "emax": "Emax"}.items():
        found = find(name, smoother=smoother)(y, p)
        target = expected[f"{wanted}_loess_{key}"][f"R::loess_{key}"]
        assert found == pytest.approx(target, rel=1e-10)


def test_distances_along_lowess_equal_val_prob(case: tuple[Any, Any, Any]) -> None:
    y, p, expected = case
    for name, wanted in {"eavg": "Eavg", "e90": "E90", "emax": "Emax"}.items():
        target = expected[f"{wanted}_lowess_iter0"]["rms::val.prob"]
        assert find(name, smoother="lowess")(y, p) == pytest.approx(target, rel=1e-10)


ERRORS = ("ece", "mce", "rmsce", "ici", "e50", "e90", "emax")


@pytest.mark.parametrize("name", ERRORS)
def test_certain_and_right_predictions_have_no_error(name: str) -> None:
    assert find(name)([0, 1, 1, 0], [0.0, 1.0, 1.0, 0.0]) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("name", ERRORS)
def test_a_constant_is_as_wrong_as_it_is_off_the_prevalence(name: str) -> None:
    assert find(name)([0, 1, 0, 0], np.full(4, 0.35)) == pytest.approx(0.1)


@pytest.mark.parametrize("name", ERRORS)
def test_certain_and_wrong_predictions_have_the_greatest_error(name: str) -> None:
    assert find(name)([1, 0, 0, 1], [0.0, 1.0, 1.0, 0.0]) == pytest.approx(1.0)


def test_borders_belong_to_the_bin_above_unless_told_otherwise() -> None:
    y, p = np.array([1.0, 0.0, 1.0]), np.array([0.2, 0.25, 1.0])
    total, observed, _ = bin_sums(y, p, None, bins=5)
    assert total.tolist() == [0, 2, 0, 0, 1]
    assert observed.tolist() == [0, 1, 0, 0, 1]
    assert bin_sums(y, p, None, bins=5, closed="right")[0].tolist() == [1, 1, 0, 0, 1]


def test_equal_counts_divide_cases_at_borders_and_share_ties() -> None:
    y, p = np.array([1.0, 0.0, 1.0]), np.array([0.2, 0.2, 0.8])
    total, observed, expected = bin_sums(y, p, None, bins=2, binning="count")
    assert total == pytest.approx([1.5, 1.5])
    assert observed == pytest.approx([0.75, 1.25])
    assert expected == pytest.approx([0.3, 0.9])
    turned = bin_sums(y[[1, 0, 2]], p, None, bins=2, binning="count")
    assert turned[1] == pytest.approx(observed)


@pytest.mark.parametrize("binning", ["width", "count"])
def test_a_batch_of_weights_equals_repeated_cases(binning: str) -> None:
    rng = np.random.default_rng(1)
    p = np.round(rng.random(40), 2)
    y = (rng.random(40) < p).astype(float)
    times = rng.integers(0, 3, (3, 40))
    measure = find("ece", binning=binning)
    together = measure.batch(ac.Binary(y, probability=p), times.astype(float))
    for value, row in zip(together, times, strict=True):
        k = np.repeat(np.arange(40), row)
        assert value == pytest.approx(measure(y[k], p[k]), rel=1e-11)


def test_many_outcomes_at_once_equal_each_alone() -> None:
    rng = np.random.default_rng(2)
    p, y = rng.random(30), rng.integers(0, 2, (3, 30)).astype(float)
    for binning in ("width", "count"):
        measure = find("ece", binning=binning)
        together = measure.formula(y, p, None, bins=10, binning=binning, closed="left")
        assert together == pytest.approx([measure(row, p) for row in y], rel=1e-12)


def test_the_top_label_is_judged_by_its_own_probability() -> None:
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.ones(4), 80)
    y = rng.integers(0, 4, 80)
    right, sure = p.argmax(axis=1) == y, p.max(axis=1)
    for name in ("ece", "mce"):
        measure = find(name)
        assert measure(y, p) == pytest.approx(measure(right, sure), rel=1e-12)
        assert "top label" in measure.for_outcome("multiclass").title


def test_classes_against_the_rest_are_averaged() -> None:
    rng = np.random.default_rng(4)
    p = rng.dirichlet(np.ones(3), 80)
    y = rng.integers(0, 3, 80)
    for several, single in (("classwise_ece", "ece"), ("ici", "ici"), ("emax", "emax")):
        each = [find(single)(y == k, p[:, k]) for k in range(3)]
        assert find(several)(y, p) == pytest.approx(np.mean(each), rel=1e-12)


def test_wrong_parameters_are_refused() -> None:
    y, p = [0, 1, 0, 1], [0.1, 0.4, 0.5, 0.9]
    for name, wrong in (
        ("ece", {"bins": 0}),
        ("ece", {"binning": "area"}),
        ("mce", {"closed": "both"}),
        ("ici", {"smoother": "spline"}),
    ):
        with pytest.raises(NotApplicable, match="must be"):
            find(name, **wrong)(y, p)


@pytest.mark.parametrize("name", ["ece", "mce", "classwise_ece"])
def test_outcomes_of_many_classes_are_not_spread_out_all_at_once(name: str) -> None:
    rng = np.random.default_rng(5)
    p = rng.dirichlet(np.ones(60), 100)
    cases = Multiclass(np.arange(100) % 60, probability=p, labels=list(range(60)))
    outcomes = rng.integers(60, size=(6_000, 100))
    tracemalloc.start()
    found = evaluate(find(name), Sample.of(cases).observed(outcomes))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * 8 * CELLS  # all indicators at once would take four times this
    some = [evaluate(find(name), Sample.of(cases).observed(row)) for row in outcomes[:3]]
    np.testing.assert_allclose(found[:3], some, rtol=1e-12)


def test_the_curve_of_very_many_cases_is_made_once_for_all_that_read_it(monkeypatch):
    made = []
    real = calibration.smoother_of

    def counted(*columns, **how):
        made.append(how)
        return real(*columns, **how)

    monkeypatch.setattr(calibration, "smoother_of", counted)
    monkeypatch.setattr(calibration, "KEPT", 10)
    rng = np.random.default_rng(1)
    p = rng.uniform(0.05, 0.95, size=60)
    cases = Binary((rng.random(60) < p).astype(int), probability=p)
    sample = Sample.of(cases)
    for name in ("ici", "e50", "e90", "emax"):
        find(name).of(cases)
    calibration.sample_curve(sample, smoother="loess", span=None)
    assert len(made) == 1
