"""One evaluation for all: a batch of samples has the values of its rows, for every measure.

The oracle is `measure.of` on predictions built anew from the columns of each row.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable
from abovechance.measures import Form, Measure, every, find
from abovechance.measures.sample import COUNTING, Sample, evaluate, resampled, without_rounding
from abovechance.measures.sufficient_statistics import condensed, permuted_moments
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, Survival

MAKE: dict[str, Any] = {
    "binary": Binary,
    "multiclass": Multiclass,
    "numeric": Numeric,
    "outputs": Numeric,
    "survival": Survival,
}
OUTCOMES = {"survival": ("time", "event")}
N, ROWS = 36, 5


def versions() -> Iterator[tuple[Measure, str]]:
    """Every measure with each kind of outcome it is for, averaged and trimmed ones too."""
    for measure in every().values():
        for outcome in sorted(measure.outcomes):
            kind = "outputs" if measure.many_outputs else outcome
            yield measure.for_outcome(outcome), kind
            if outcome == "numeric" and not measure.many_outputs:
                yield measure, "outputs"
                yield find(f"{measure.name}_trim"), kind
            if measure.averages:
                yield measure.averaged("weighted"), kind


def parametrized(chosen: list[tuple[Measure, str]]) -> Any:
    names = [f"{m.label}-{kind}" for m, kind in chosen]
    return pytest.mark.parametrize(("measure", "kind"), chosen, ids=names)


VERSIONS = list(versions())
each_version = parametrized(VERSIONS)
each_weighted_version = parametrized([(m, kind) for m, kind in VERSIONS if m.weighted])


def columns(kind: str, seed: int = 1) -> dict[str, Any]:
    """Outcomes and predictions of one model, some of them tied; the seed changes predictions."""
    rng, own = np.random.default_rng(3), np.random.default_rng(seed)
    if kind == "binary":
        y = np.arange(N) % 3 == 0
        p = np.clip(np.round(0.4 + 0.25 * y + own.normal(0, 0.2, N), 2), 0.02, 0.98)
        return {"y_true": y, "probability": p, "labels": [False, True]}
    if kind == "multiclass":
        p = own.dirichlet(np.ones(3), N)
        p[np.arange(N), np.arange(N) % 3] += 0.3
        p[N // 2 :] = p[: N - N // 2]
        p /= p.sum(axis=1, keepdims=True)
        return {"y_true": np.arange(N) % 3, "probability": p, "labels": [0, 1, 2]}
    if kind in ("numeric", "outputs"):
        shape = (N,) if kind == "numeric" else (N, 2)
        y = np.round(rng.gamma(3.0, 1.0, shape), 1) + 0.1
        return {"y_true": y, "value": np.round(y * own.uniform(0.4, 1.8, shape), 1)}
    time, times = np.round(rng.exponential(5.0, N), 1) + 0.1, np.array([1.0, 2.0, 4.0])
    risk = np.round(own.normal(0, 1, N) - time / 5.0, 1)
    survival = np.exp(-times * np.exp(risk)[:, None] / 8.0)
    event = rng.random(N) < 0.7
    return {"time": time, "event": event, "risk": risk, "survival": survival, "times": times}


def build(kind: str, given: dict[str, Any], **extra: Any) -> Predictions:
    return MAKE[kind](**given, **extra)


def reordered(kind: str, given: dict[str, Any], order: Array) -> dict[str, Any]:
    return given | {name: given[name][order] for name in OUTCOMES.get(kind, ("y_true",))}


def mixed(kind: str, given: dict[str, Any], other: dict[str, Any], swap: Array) -> dict[str, Any]:
    found = dict(given)
    for name in ("probability", "value", "risk", "survival"):
        if name in given:
            wide = swap if given[name].ndim == 1 else swap[:, None]
            found[name] = np.where(wide, other[name], given[name])
    return found


def orders() -> Array:
    rng = np.random.default_rng(5)
    return np.stack([rng.permutation(N) for _ in range(ROWS)])


def weightings() -> Floats:
    """Bootstrap counts, fractions, and a third of the cases left out."""
    rng = np.random.default_rng(6)
    counts = rng.multinomial(N, np.full(N, 1 / N), size=2).astype(float)
    left_out = np.where(np.arange(N) % 3 == 1, 0.0, rng.random(N))
    return np.vstack([counts, rng.exponential(size=(2, N)), left_out])


def assert_same(found: Floats, expected: list[float]) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


@each_version
def test_a_sample_of_predictions_has_their_value(measure: Measure, kind: str) -> None:
    made = build(kind, columns(kind))
    assert_same(evaluate(measure, Sample.of(made)), measure.of(made))


@each_version
def test_outcomes_in_other_orders(measure: Measure, kind: str) -> None:
    given = columns(kind)
    expected = [measure.of(build(kind, reordered(kind, given, o))) for o in orders()]
    assert_same(evaluate(measure, Sample.of(build(kind, given)).permuted(orders())), expected)


@each_weighted_version
def test_other_weights(measure: Measure, kind: str) -> None:
    given = columns(kind)
    expected = [measure.of(build(kind, given, sample_weight=row)) for row in weightings()]
    sample = Sample.of(build(kind, given)).reweighted(weightings())
    assert_same(evaluate(measure, sample), expected)


@each_version
def test_predictions_exchanged_between_two_models(measure: Measure, kind: str) -> None:
    one, other = columns(kind, 1), columns(kind, 2)
    swaps = np.random.default_rng(7).random((ROWS, N)) < 0.5
    expected = [measure.of(build(kind, mixed(kind, one, other, swap))) for swap in swaps]
    sample = Sample.of(build(kind, one)).swapped(Sample.of(build(kind, other)), swaps)
    assert_same(evaluate(measure, sample), expected)


@each_weighted_version
@pytest.mark.parametrize("moving", [False, True], ids=["weights stay", "weights move"])
def test_weighted_cases_in_other_orders(measure: Measure, kind: str, moving: bool) -> None:
    given, weight = columns(kind), weightings()[2]
    expected = [
        measure.of(
            build(kind, reordered(kind, given, o), sample_weight=weight[o] if moving else weight)
        )
        for o in orders()
    ]
    sample = Sample.of(build(kind, given, sample_weight=weight))
    assert_same(evaluate(measure, sample.permuted(orders(), weights=moving)), expected)


@each_weighted_version
def test_exchanged_predictions_of_weighted_cases(measure: Measure, kind: str) -> None:
    one, other = columns(kind, 1), columns(kind, 2)
    swaps = np.random.default_rng(8).random((ROWS, N)) < 0.5
    expected = [
        measure.of(build(kind, mixed(kind, one, other, swap), sample_weight=w))
        for swap, w in zip(swaps, weightings(), strict=True)
    ]
    sample = Sample.of(build(kind, one)).swapped(Sample.of(build(kind, other)), swaps)
    assert_same(evaluate(measure, sample.reweighted(weightings())), expected)


@each_version
def test_cases_drawn_with_replacement(measure: Measure, kind: str) -> None:
    made = build(kind, columns(kind))
    counts = np.random.default_rng(9).multinomial(N, np.full(N, 1 / N), size=ROWS)
    expected = [measure.of(made.take(np.repeat(np.arange(N), row))) for row in counts]
    assert_same(resampled(measure, Sample.of(made), counts), expected)


@each_version
def test_each_fold_has_the_value_of_its_cases(measure: Measure, kind: str) -> None:
    made = build(kind, columns(kind))
    folds = np.arange(N) % 4
    sample = Sample.of(made).folded(folds)
    if measure.form not in (*COUNTING, Form.RANKS, Form.LOSSES) or kind == "outputs":
        if measure.form is not Form.LOSSES:
            with pytest.raises(NotApplicable, match="folds"):
                evaluate(measure, sample)
        return
    expected = [measure.of(made.take(folds == k)) for k in range(4)]
    assert_same(evaluate(measure, sample), expected)


def test_the_rows_of_a_batch_are_its_samples() -> None:
    given = columns("binary")
    sample = Sample.of(build("binary", given)).permuted(orders()).reweighted(weightings())
    assert sample.batch == (ROWS,)
    one_by_one = [float(evaluate(find("auc"), row)) for row in sample.rows()]
    assert_same(evaluate(find("auc"), sample), one_by_one)


def test_a_large_batch_is_cut_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = Sample.of(build("multiclass", columns("multiclass"))).reweighted(weightings())
    whole = evaluate(find("brier"), sample)
    monkeypatch.setattr("abovechance.measures.sample.CELLS", 2 * N)
    assert_same(evaluate(find("brier"), sample), list(whole))


@pytest.mark.parametrize("kind", ["binary", "multiclass"])
def test_a_value_is_found_once_for_the_same_predictions(kind: str) -> None:
    calls = []

    def counted(*columns: Any) -> Any:
        calls.append(columns)
        return find("sensitivity").formula(*columns)

    measure = replace(find("sensitivity"), formula=counted, shortcut=None)
    made, other = build(kind, columns(kind)), build(kind, columns(kind))
    assert measure.of(made) == measure.of(made) == find("sensitivity").of(made)
    assert len(calls) == 1
    assert measure.of(other) == measure.of(made)
    assert len(calls) == 2


@pytest.mark.parametrize("unit", [2.0**-100, 1.0, 2.0**100])
def test_four_cases_have_the_moments_of_permuted_outcomes_in_any_unit(unit: float) -> None:
    rng = np.random.default_rng(8)
    outcome, value = rng.normal(3.0, 1.0, 20), rng.normal(2.0, 0.5, 20)
    rows = rng.permuted(np.tile(outcome, (4, 1, 1)), axis=-1)
    made = permuted_moments(rows * unit, value[None] * unit)
    few = made["outcome"][:, 0], made["value"][:, 0], made["weight"].reshape(-1, 4)
    for row, y, p, w in zip(rows[:, 0], *few, strict=True):
        assert w.sum() == pytest.approx(20.0, rel=1e-12)
        found = np.cov(y / unit, p / unit, bias=True)
        np.testing.assert_allclose(found, np.cov(row, value, bias=True), rtol=1e-11)
        assert np.ptp(w) == 0.0
        assert y.mean() / unit == pytest.approx(row.mean(), rel=1e-12)
        assert p.mean() / unit == pytest.approx(value.mean(), rel=1e-12)


@pytest.mark.parametrize("name", ["nagelkerke_r2", "cox_snell_r2", "mcfadden_r2"])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_mean_log_probability_suffices_unless_it_has_lost_its_digits(
    name: str, classes: int
) -> None:
    y, measure = np.arange(12) % classes, find(name)
    for own, enough in ((0.7, True), (np.exp(-14.9), True), (np.exp(-15.1), False), (0.0, False)):
        p = np.full((12, classes), (1.0 - own) / (classes - 1))
        p[np.arange(12), y] = own
        made = Binary(y, probability=p[:, 1]) if classes == 2 else Multiclass(y, probability=p)
        assert (condensed(measure, Sample.of(made)) is not None) is enough


@pytest.mark.parametrize("name", ["auc", "mcc", "pearson", "brier"])
def test_only_what_rounding_explains_is_put_at_the_end_of_a_range(name: str) -> None:
    measure = find(name)
    for end, outside in zip(measure.range, (-1.0, 1.0), strict=True):
        for step, wanted in ((0.0, 0.0), (0.5e-12, 0.0), (1e-12, 0.0), (4e-12, 4e-12)):
            found = without_rounding(measure, np.array([end + outside * step, 0.5]))
            assert found.tolist() == [end + outside * wanted, 0.5]
