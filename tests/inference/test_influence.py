"""How much each case moves a value: closed forms are the derivative, for every measure."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from abovechance.inference.influence import (
    components,
    influence,
    numerical_influence,
    numerical_slopes,
    table_slopes,
)
from abovechance.measures import Form, Law, Measure, every, find
from abovechance.measures.sample import COUNTING, Sample
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, Survival

N = 40


def cases(kind: str, **extra: Any) -> Predictions:
    rng = np.random.default_rng(4)
    if kind == "binary":
        y = np.arange(N) % 3 == 0
        p = np.clip(np.round(0.4 + 0.2 * y + rng.normal(0, 0.25, N), 2), 0.02, 0.98)
        return Binary(y, probability=p, **extra)
    if kind == "multiclass":
        p = rng.dirichlet(np.ones(3), N)
        p[np.arange(N), np.arange(N) % 3] += 0.3
        return Multiclass(np.arange(N) % 3, probability=p / p.sum(axis=1, keepdims=True), **extra)
    if kind in ("numeric", "outputs"):
        shape = (N,) if kind == "numeric" else (N, 2)
        y = rng.gamma(3.0, 1.0, shape) + 0.1
        return Numeric(y, y * rng.uniform(0.4, 1.8, shape), **extra)
    time, times = rng.exponential(5.0, N) + 0.1, np.array([1.0, 2.0, 4.0])
    risk = rng.normal(0, 1, N) - time / 5.0
    survival = np.exp(-times * np.exp(risk)[:, None] / 8.0)
    return Survival(time, rng.random(N) < 0.7, risk=risk, survival=survival, times=times, **extra)


def versions() -> Iterator[tuple[Measure, str]]:
    for measure in every().values():
        for outcome in sorted(measure.outcomes):
            kind = "outputs" if measure.many_outputs else outcome
            yield measure.for_outcome(outcome), kind
            if outcome == "numeric" and not measure.many_outputs:
                yield measure, "outputs"
            if measure.averages and outcome == "multiclass":
                yield measure.averaged("micro"), kind
                yield measure.averaged("weighted"), kind


def parametrized(chosen: list[tuple[Measure, str]]) -> Any:
    names = [f"{m.label}-{kind}" for m, kind in chosen]
    return pytest.mark.parametrize(("measure", "kind"), chosen, ids=names)


VERSIONS = list(versions())


def has_closed_form(measure: Measure) -> bool:
    """Weights that a measure takes from all cases are held fixed: its form is no derivative."""
    known = measure.influence is not None or measure.form in (*COUNTING, Form.LOSSES)
    known = known or (measure.sufficient is not None and measure.form is Form.SAMPLE)
    return (known or measure.law in (Law.PAIRS, Law.CENSORED_PAIRS)) and not measure.pair_weight


@parametrized(VERSIONS)
def test_influences_sum_to_zero(measure: Measure, kind: str) -> None:
    found = influence(measure, Sample.of(cases(kind)))
    assert found.shape == (N,)
    assert abs(found.sum()) <= 1e-7 * max(np.abs(found).sum(), 1e-9)


@parametrized([(m, kind) for m, kind in VERSIONS if has_closed_form(m)])
@pytest.mark.parametrize("weighted", [False, True], ids=["one each", "weighted"])
def test_a_closed_form_is_the_derivative(measure: Measure, kind: str, weighted: bool) -> None:
    extra = {"sample_weight": np.random.default_rng(5).uniform(0.5, 2.0, N)} if weighted else {}
    sample = Sample.of(cases(kind, **extra))
    expected = numerical_influence(measure, sample)
    scale = max(float(np.abs(expected).max()), 1e-3)
    np.testing.assert_allclose(influence(measure, sample), expected, atol=1e-8 * scale)


def test_of_an_area_it_is_delongs() -> None:
    made = cases("binary")
    expected = components([made]).influence[0]
    np.testing.assert_allclose(influence(find("auc"), Sample.of(made)), expected, atol=1e-15)
    numerical = numerical_influence(find("auc"), Sample.of(made))
    np.testing.assert_allclose(numerical, expected, atol=1e-11)


def test_of_a_mean_it_is_the_deviation_over_n() -> None:
    made = cases("binary")
    losses = find("brier").losses(made)
    found = influence(find("brier"), Sample.of(made))
    np.testing.assert_allclose(found, (losses - losses.mean()) / N, atol=1e-15)


def test_its_squares_are_the_variance_of_a_correlation_of_exchanged_predictions() -> None:
    made = cases("numeric")
    other = Numeric(made.outcome[0], made.value[0][::-1])
    mask = np.arange(N) % 2 == 0
    mixed = Sample.of(made).swapped(Sample.of(other), mask)
    whole = Numeric(made.outcome[0], np.where(mask, other.value[0], made.value[0]))
    for name in ("pearson", "spearman", "kendall"):
        expected = numerical_influence(find(name), Sample.of(whole))
        np.testing.assert_allclose(influence(find(name), mixed), expected, atol=1e-8)


TABLES = [(m, kind) for m, kind in VERSIONS if m.form in COUNTING and kind == "multiclass"]
TABLES += [(find("kappa", weights="linear"), "multiclass")]


@parametrized(TABLES)
@pytest.mark.parametrize("classes", [3, 7])
def test_slopes_of_tables_are_derivatives_by_their_cells(
    measure: Measure, kind: str, classes: int
) -> None:
    rng = np.random.default_rng(6)
    tables = rng.integers(2, 30, (4, classes, classes)) + 40.0 * np.eye(classes)
    expected = np.stack(
        [
            (measure.on_counts(tables + cell) - measure.on_counts(tables - cell)) / 2e-4
            for cell in 1e-4 * np.eye(classes**2).reshape(-1, classes, classes)
        ],
        axis=-1,
    ).reshape(tables.shape)
    scale = float(np.abs(expected).max())
    np.testing.assert_allclose(table_slopes(measure, tables), expected, atol=1e-7 * scale)
    np.testing.assert_allclose(numerical_slopes(measure, tables), expected, atol=1e-7 * scale)


def test_another_formula_in_a_declaration_is_not_taken_for_the_declared_one() -> None:
    known = find("kappa")
    own = replace(
        known, name="my_kappa", formula=lambda table, weights: 100.0 * known.formula(table)
    )
    table = np.array([[20.0, 3.0], [4.0, 13.0]])
    np.testing.assert_allclose(table_slopes(own, table), 100.0 * table_slopes(known, table))
