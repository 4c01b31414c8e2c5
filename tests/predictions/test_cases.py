"""What all kinds of predictions carry: weights, ids, folds, missing cases; and that they stay."""

import dataclasses
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from abovechance.errors import DataError
from abovechance.measures import evaluate, find
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, Survival

Y, P = [0, 1, 1, 0], [0.1, 0.8, 0.4, 0.6]
P3 = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4], [0.5, 0.2, 0.3]])


def four_kinds(**extra: Any) -> list[Predictions]:
    return [
        Binary(Y, probability=P, **extra),
        Multiclass([0, 1, 2, 2], probability=P3, **extra),
        Numeric([[1, 2], [3, 4], [5, 6], [7, 9]], np.ones((4, 2)), **extra),
        Survival([1, 2, 3, 4], [1, 0, 1, 1], risk=P, survival=P3, times=[1, 2, 3], **extra),
    ]


# ---------------------------------------------------------------- facts about cases


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"id": ["a", "b", "a", "c"]},
            "id must name every case once; a occurs more than once. For several rows per subject "
            "pass groups=, for repeats repeat=.",
        ),
        ({"id": ["a", "a", "b", "b"]}, "a, b occur more than once."),
        ({"id": ["a", None, "b", "c"]}, "id must not be missing; it is at row 2. Complete it"),
        ({"fold": [1, 2, np.nan, 1]}, "fold must not be missing; it is at row 3."),
        ({"groups": ["x", "y"]}, "all columns must have the same number of cases"),
        ({"sample_weight": [1, 2, -1, 1]}, "must not be negative; got -1 at row 3."),
        ({"sample_weight": [0, 0, 0, 0]}, "sample_weight must not be zero everywhere."),
        ({"sample_weight": [1, 5e-324, 0, 1]}, "must be 0 or at least 1e-70; got less at row 2."),
        ({"sample_weight": [1, 1e71, 0, 1]}, "must be within ±1e+70; got a larger one at row 2."),
        ({"sample_weight": [1, np.inf, 1, 1]}, "must be finite; got an infinite value at row 2."),
        ({"sample_weight": [1, np.nan, 1, 1]}, "sample_weight must not be missing; it is at row 2"),
        ({"sample_weight": ["a", "b", "c", "d"]}, "must hold numbers; got 'a' at row 1."),
        ({"counts": [1, 2.5, 1, 1]}, "counts must be whole numbers; got 2.5 at row 2."),
        ({"counts": [1] * 4, "sample_weight": [1] * 4}, "or counts= (a row stands for k cases)"),
        ({"origin": "train"}, "origin must be one of test, cv, repeated_cv; got 'train'."),
    ],
)
@pytest.mark.parametrize("kind", range(4), ids=["binary", "multiclass", "numeric", "survival"])
def test_facts_that_cannot_be_are_refused(kind: int, given: Any, message: str) -> None:
    with pytest.raises(DataError) as refused:
        four_kinds(**given)[kind]
    assert message in str(refused.value)


def test_a_case_may_recur_in_another_repeat() -> None:
    for predictions in four_kinds(id=["a", "b", "a", "b"], repeat=[1, 1, 2, 2]):
        assert predictions.origin == "repeated_cv"
    with pytest.raises(DataError, match="a occurs more than once"):
        Binary(Y, probability=P, id=["a", "b", "a", "b"], repeat=[1, 1, 1, 2])


def test_the_origin_is_seen_from_fold_and_repeat_unless_stated() -> None:
    assert Binary(Y, probability=P).origin == "test"
    assert Binary(Y, probability=P, fold=[1, 1, 2, 2]).origin == "cv"
    assert Binary(Y, probability=P, fold=[1, 2, 1, 2], repeat=[1] * 4).origin == "cv"
    assert Binary(Y, probability=P, fold=[1, 2, 1, 2], repeat=[1, 1, 2, 2]).origin == "repeated_cv"
    assert Binary(Y, probability=P, fold=[1, 1, 2, 2], origin="test").origin == "test"


def test_rows_stand_for_as_many_cases_as_counted() -> None:
    for predictions in four_kinds(counts=[3, 0, 1, 2]):
        assert predictions.n == 4
        assert predictions.total == 6
        assert predictions.weight.tolist() == [3, 0, 1, 2]


# ---------------------------------------------------------------- missing values


@pytest.mark.parametrize(
    "gap",
    [
        [0.1, np.nan, 0.4, 0.6],
        [0.1, None, 0.4, 0.6],
        pd.Series([0.1, None, 0.4, 0.6]),
        pd.Series([0.1, pd.NA, 0.4, 0.6], dtype="Float64"),
        pl.Series([0.1, None, 0.4, 0.6]),
        np.ma.array([0.1, 9.0, 0.4, 0.6], mask=[False, True, False, False]),
    ],
    ids=["nan", "None", "pandas", "pandas NA", "polars", "masked"],
)
def test_a_missing_prediction_is_refused_or_dropped_with_its_facts(gap: Any) -> None:
    with pytest.raises(DataError, match=r"probability must not be missing; it is at row 2\."):
        Binary(Y, probability=gap)
    weight = [1.0, np.nan, 3.0, 4.0]
    kept = Binary(Y, probability=gap, missing="drop", id=list("abcd"), sample_weight=weight)
    assert kept.dropped == 1
    assert kept.cases.id.tolist() == ["a", "c", "d"]
    assert kept.weight.tolist() == [1, 3, 4]
    assert kept.kept.tolist() == [True, False, True, True]


@pytest.mark.parametrize(
    "y",
    [
        ["a", None, "b", "b"],
        np.array(["a", np.nan, "b", "b"], dtype=object),
        pd.Series(["a", None, "b", "b"]),
        pd.Series(["a", None, "b", "b"], dtype="category"),
        pl.Series(["a", None, "b", "b"]),
    ],
    ids=["None", "nan", "pandas", "category", "polars"],
)
def test_a_missing_outcome_is_no_class(y: Any) -> None:
    with pytest.raises(DataError, match="outcome must not be missing; it is at row 2"):
        Binary(y, probability=P, pos_label="a")
    assert Binary(y, probability=P, pos_label="a", missing="drop").classes == ("b", "a")
    several = Multiclass(y, label=["a", "b", "b", "a"], missing="drop")
    assert (several.n, several.classes) == (3, ("a", "b"))


def test_a_class_called_na_or_nan_is_a_class() -> None:
    predictions = Multiclass(["NA", "nan", "None"], label=["NA", "NA", "None"])
    assert set(predictions.classes) == {"NA", "nan", "None"}
    assert predictions.dropped == 0


def test_missing_values_anywhere_drop_the_case() -> None:
    several = Multiclass(
        [0, 1, 2], probability=[[1, 0, 0], [np.nan, 1, 0], [0, 0, 1]], missing="drop"
    )
    numbers = Numeric([[1, 2], [3, 4], [5, np.nan]], [[1, 2], [np.nan, 4], [5, 6]], missing="drop")
    times = Survival([1, 2, np.nan], [1, None, 0], risk=[3, 2, 1], missing="drop")
    assert [p.dropped for p in (several, numbers, times)] == [1, 2, 2]
    assert [p.n for p in (several, numbers, times)] == [2, 1, 1]


def test_nothing_left_is_refused() -> None:
    with pytest.raises(DataError, match="at least one complete case; all 2 were dropped"):
        Binary([0, 1], probability=[np.nan, np.nan], missing="drop")


# ---------------------------------------------------------------- taking some


@pytest.mark.parametrize(
    "rows",
    [np.array([True, False, True, True]), np.array([0, 2, 3]), np.array([3, 3, 0]), slice(1, 3)],
    ids=["mask", "positions", "repeated", "slice"],
)
def test_taking_rows_equals_building_from_those_rows(rows: Any) -> None:
    weight, fold = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1, 1, 2, 2])
    for whole in four_kinds(sample_weight=weight, fold=fold):
        part = whole.take(rows)
        assert part.n == len(np.arange(4)[rows])
        assert part.weight.tolist() == weight[rows].tolist()
        assert part.cases.fold.tolist() == fold[rows].tolist()
        assert part.origin == whole.origin
    part = Binary(Y, probability=P, sample_weight=weight).take(rows)
    built = Binary(np.array(Y)[rows], probability=np.array(P)[rows], sample_weight=weight[rows])
    assert evaluate(part) == pytest.approx(evaluate(built), nan_ok=True)


def test_work_done_for_the_whole_is_not_taken_for_a_part() -> None:
    whole = Binary(Y, probability=P)
    assert find("auc").of(whole) == 0.75
    assert whole.confusion.sum() == 4
    part = whole.take([0, 1])
    assert part.confusion.sum() == 2
    assert find("auc").of(part) == 1.0


# ---------------------------------------------------------------- staying as they are


def test_predictions_cannot_be_changed() -> None:
    for predictions in four_kinds():
        with pytest.raises(dataclasses.FrozenInstanceError):
            predictions.origin = "cv"
        for part in (predictions, predictions.take([0, 1]), predictions.take(slice(None))):
            for name in type(predictions).case_arrays:
                array = getattr(part, name)
                if array is not None:
                    assert not array.flags.writeable


def test_predictions_survive_pickling() -> None:
    for predictions in four_kinds(id=list("abcd"), groups=list("xxyy")):
        find_first = evaluate(predictions)
        again = pickle.loads(pickle.dumps(predictions))
        assert evaluate(again) == pytest.approx(find_first, nan_ok=True)
        assert again.cases.groups.tolist() == list("xxyy")


def test_predictions_say_what_they_are() -> None:
    texts = [repr(predictions) for predictions in four_kinds(fold=[1, 1, 2, 2])]
    assert texts == [
        "Binary(4 cases; label, probability, score; origin cv)",
        "Multiclass(4 cases; label, probability, score; origin cv)",
        "Numeric(4 cases; value; origin cv)",
        "Survival(4 cases; risk, survival; origin cv)",
    ]
    assert repr(Binary([1], label=[1])) == "Binary(1 case; label; origin test)"
