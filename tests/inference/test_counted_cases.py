"""Counts of more cases than memory holds: labels as their table, the rest refused in one line."""

import numpy as np
import pytest

from abovechance import assess, compare
from abovechance.errors import NotApplicable
from abovechance.predictions import Binary, Multiclass, Numeric, Survival

MANY = 10**9


def two_classes(times: int = 1, **columns):
    counts = np.array([40, 10, 15, 35]) * times
    return Binary([0, 0, 1, 1], counts=counts, pos_label=1, **columns or {"label": [0, 1, 0, 1]})


def three_classes(times: int = 1):
    counts = np.array([30, 12, 9, 14]) * times
    return Multiclass([0, 1, 2, 0], label=[0, 1, 1, 2], counts=counts, labels=[0, 1, 2])


def lower_limit(monkeypatch, most: int = 50) -> None:
    monkeypatch.setattr("abovechance.inference.assessment.MOST_CASES", most)
    monkeypatch.setattr("abovechance.predictions.checks.MOST_CASES", most)


def test_the_table_of_labels_says_what_the_cases_say(monkeypatch):
    whole = assess(two_classes(), rng=1)
    lower_limit(monkeypatch)
    table = assess(two_classes(), rng=1)
    assert (table.n, table.threshold, table.primary) == (whole.n, whole.threshold, whole.primary)
    assert [e.measure for e in table.estimates] == [e.measure for e in whole.estimates]
    for one, other in zip(table.estimates, whole.estimates, strict=True):
        assert (one.value, one.p_value) == (other.value, other.p_value)
        assert one.chance == pytest.approx(other.chance)
        assert (one.interval is None) == (other.interval is None)
        if one.interval is not None:
            limits = other.interval.low, other.interval.high
            assert (one.interval.low, one.interval.high) == pytest.approx(limits, rel=1e-9)


def test_values_of_several_classes_are_those_of_the_cases(monkeypatch):
    whole = assess(three_classes(), ["accuracy", "f1_macro", "kappa"], rng=1)
    lower_limit(monkeypatch)
    table = assess(three_classes(), ["accuracy", "f1_macro", "kappa"], rng=1)
    for one, other in zip(table.estimates, whole.estimates, strict=True):
        assert (one.measure, one.class_, one.value) == (other.measure, other.class_, other.value)


@pytest.mark.parametrize("made", [two_classes, three_classes])
def test_a_billion_labelled_cases_are_assessed_from_their_table(made, monkeypatch):
    monkeypatch.setattr("abovechance.inference.interval_choice.spelled_out", None)
    found = assess(made(10**7), ["accuracy", "mcc"], rng=1)
    assert found.n == made(10**7).total
    low, high = found["accuracy"].interval.low, found["accuracy"].interval.high
    assert low < found["accuracy"].value < high < low + 1e-3


PROBABLE = {"probability": [0.1, 0.6, 0.4, 0.9]}


@pytest.mark.parametrize(
    "predictions",
    [
        two_classes(MANY, **PROBABLE),
        Numeric([1.0, 2.0, 3.0], [1.0, 2.0, 2.0], counts=[MANY] * 3),
        Survival([1.0, 2.0, 3.0], [1, 1, 0], risk=[3.0, 2.0, 1.0], counts=[MANY] * 3),
        Binary([0, 0, 1, 1], label=[0, 1, 0, 1], counts=[MANY] * 4, groups=[1, 1, 2, 2]),
    ],
    ids=["probabilities", "numbers", "survival", "clusters"],
)
def test_what_would_have_to_be_spelled_out_is_refused(predictions):
    with pytest.raises(NotApplicable, match=r"counts must stand for at most 20.000.000 cases"):
        assess(predictions, rng=1)


@pytest.mark.parametrize(
    "asked",
    [
        {"by": ["a", "a", "b", "b"]},
        {"goals": "accuracy>=.5"},
        {"dialect": "familiar"},
        {"sampling": "case-control", "prevalence": 0.1},
    ],
    ids=str,
)
def test_what_a_table_does_not_say_is_refused_by_name(asked):
    with pytest.raises(NotApplicable, match=f"{next(iter(asked))}= needs; leave it out"):
        assess(two_classes(MANY), rng=1, **asked)


def test_a_comparison_of_so_many_is_refused():
    with pytest.raises(NotApplicable, match=r"they stand for 100.000.000.000"):
        compare({"a": two_classes(MANY), "b": two_classes(MANY)}, ["accuracy"], rng=1)


def test_bare_values_need_no_cases_spelled_out():
    counted, few = two_classes(MANY, **PROBABLE), two_classes(**PROBABLE)
    names = ["auc", "brier", "log_score", "accuracy"]
    many, one = (assess(p, names, inference=False) for p in (counted, few))
    for name in names:
        assert many[name].value == pytest.approx(one[name].value)
