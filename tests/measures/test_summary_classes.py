"""Summaries of several classes: parts add up, and measures equal those of the cases."""

import numpy as np
import pytest

from abovechance.errors import NotApplicable
from abovechance.measures import Form, Measure, applicable, find
from abovechance.measures.summary import ClassSummary, SummarisedClasses, from_classes
from abovechance.predictions import Multiclass

K = 3


def cases(n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.choice(K, n, p=[0.5, 0.3, 0.2])
    p = rng.random((n, K)) + 0.5 * (y[:, None] == np.arange(K))
    return y, p / p.sum(axis=1, keepdims=True)


def means(predictions: Multiclass) -> list[Measure]:
    return [m for m in applicable(predictions) if m.form is Form.LOSSES]


def test_measures_of_joined_parts_equal_those_of_the_cases() -> None:
    y, p = cases()
    predictions = Multiclass(y, probability=p)
    parts = [
        ClassSummary.of(means(predictions), y[cut], p[cut].T, K)
        for cut in (slice(0, 150), slice(150, 151), slice(151, 400))
    ]
    found = SummarisedClasses(parts[2] + parts[0] + parts[1], range(K))
    compared = 0
    for m in applicable(predictions):
        try:
            value = from_classes(m, found)
        except NotApplicable:
            continue
        assert value == pytest.approx(m.of(predictions), rel=1e-12), m.label
        compared += 1
    assert compared > 25


def test_a_class_that_never_occurs_is_treated_alike() -> None:
    y, p = cases()
    y[y == 2] = 0
    predictions = Multiclass(y, probability=p)
    found = SummarisedClasses(ClassSummary.of(means(predictions), y, p.T, K), range(K))
    for name in ("brier", "log_score", "scaled_brier", "nagelkerke_r2", "balanced_accuracy"):
        m = find(name).for_outcome("multiclass")
        assert from_classes(m, found) == pytest.approx(m.of(predictions), rel=1e-12), name


def test_labels_alone_have_a_table_and_no_losses() -> None:
    y, p = cases()
    label = p.argmax(axis=1)
    found = SummarisedClasses(ClassSummary.of([], y, label, K), range(K))
    predictions = Multiclass(y, label=label, labels=range(K))
    assert found.views == predictions.views
    np.testing.assert_array_equal(found.confusion, predictions.confusion)
    with pytest.raises(NotApplicable, match="needs all cases at once"):
        from_classes(find("brier").for_outcome("multiclass"), found)


def test_ranks_of_several_classes_need_the_cases() -> None:
    y, p = cases()
    found = SummarisedClasses(ClassSummary.of([], y, p.T, K), range(K))
    with pytest.raises(NotApplicable, match=r"Hand–Till.* needs all cases at once"):
        from_classes(find("auc").for_outcome("multiclass"), found)
