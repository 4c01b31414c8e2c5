"""Two classes: what is taken, what is refused and with which words."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from abovechance.errors import DataError
from abovechance.measures import evaluate
from abovechance.predictions import Binary, View

Y, P = [0, 1, 1, 0], [0.1, 0.8, 0.4, 0.6]


def refusal(*arguments: Any, **options: Any) -> str:
    with pytest.raises(DataError) as refused:
        Binary(*arguments, **options)
    message = str(refused.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "nothing was predicted; give probability=, score= or label=."),
        (
            {"probability": [0.1, 0.2, 1.7, 0.4]},
            "probability must lie in [0, 1]; got 1.7 at row 3. "
            "If these are decision scores, pass them as score=.",
        ),
        ({"probability": [-1e-9, 0.2, 0.3, 0.4]}, "must lie in [0, 1]; got -1e-09 at row 1."),
        ({"probability": [0.1, np.inf, 0.3, 0.4]}, "must lie in [0, 1]; got inf at row 2."),
        (
            {"probability": [0.1, np.nan, 0.3, np.nan]},
            "probability must not be missing; it is at rows 2, 4. Complete the file, "
            'or drop such cases with missing="drop" (--missing drop).',
        ),
        ({"score": [1, None, 3, 4]}, "score must not be missing; it is at row 2."),
        ({"probability": ["0.1", "0.2", "x", "0.4"]}, "must hold numbers; got 'x' at row 3."),
        ({"probability": ["0.1", "0.2", "nan", "0.4"]}, "must hold numbers; got 'nan' at row 3."),
        ({"score": [1j, 2, 3, 4]}, "score must hold numbers; got 1j at row 1."),
        (
            {"probability": [0.1, 0.2]},
            "all columns must have the same number of cases; outcome has 4, probability has 2.",
        ),
        ({"probability": [[0.1], [0.2], [0.3], [0.4]]}, "one value per case; got 4×1."),
        ({"label": [0, 1, 2, 0]}, "two classes are needed; found 3: 0, 1, 2. Use Multiclass"),
        ({"label": ["0", "1", "x", "0"]}, "two classes are needed; found 3: 0, 1, x"),
        (
            {"probability": P, "threshold": float("nan")},
            "threshold must be a number; got nan.",
        ),
        ({"probability": P, "labels": [0, 1, 2]}, "labels must name two classes; got 0, 1, 2."),
        ({"probability": P, "pos_label": 3}, "pos_label must be one of 0, 1; got 3."),
        (
            {"probability": P, "origin": "train"},
            "origin must be one of test, cv, repeated_cv; got 'train'.",
        ),
        (
            {"probability": P, "missing": "ignore"},
            "missing must be 'refuse' or 'drop'; got 'ignore'.",
        ),
    ],
)
def test_what_is_refused_says_what_must_hold(given: dict[str, Any], message: str) -> None:
    assert message in refusal(Y, **given)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([], "there must be at least one case; got 0 rows."),
        ([[0, 1]], "outcome must hold one value per case; got 1×2."),
        (1, "outcome must hold one value per case; got a single value."),
        (["a", "b", 1], "labels must be all numbers or all text; got int, str."),
    ],
)
def test_an_outcome_that_is_none_is_refused(y: Any, message: str) -> None:
    y = np.array(y, dtype=object) if y == ["a", "b", 1] else y
    n = len(y) if isinstance(y, list | np.ndarray) else 1
    assert message in refusal(y, probability=[0.5] * n, pos_label="a" if n else None)


# ---------------------------------------------------------------- which class is positive


@pytest.mark.parametrize(
    "y",
    [
        ["well", "sick", "sick", "well"],
        ["0", "1", "1", "0"],
        [1, 2, 2, 1],
        [-1, 1, 1, -1],
        [0.5, 1.0, 1.0, 0.5],
    ],
)
def test_only_zero_and_one_need_no_positive_class(y: list[Any]) -> None:
    message = refusal(y, probability=P)
    assert "pos_label must say which class is positive; the classes are " in message
    assert f"Pass pos_label={sorted(set(y))[-1]!r}, for instance (--positive " in message


@pytest.mark.parametrize(
    "y",
    [
        Y,
        [0.0, 1.0, 1.0, 0.0],
        [False, True, True, False],
        np.array(Y, dtype=bool),
        np.array(Y, dtype=np.uint8),
        np.array([np.False_, np.True_, np.True_, np.False_], dtype=object),
        pd.Series(Y, dtype="Int64"),
        pd.Series(Y, dtype="boolean"),
        pl.Series([False, True, True, False]),
    ],
    ids=lambda y: f"{type(y).__name__} {getattr(y, 'dtype', type(y[0]).__name__)}",
)
def test_zeros_and_ones_of_any_type_are_outcomes(y: Any) -> None:
    predictions = Binary(y, probability=P)
    assert predictions.positive.tolist() == [False, True, True, False]
    assert predictions.pos_label == 1


@pytest.mark.parametrize(
    ("y", "positive", "found"),
    [
        (["well", "sick", "sick", "well"], "sick", ("well", "sick")),
        (["well", "sick", "sick", "well"], "well", ("sick", "well")),
        ([1, 2, 2, 1], 2, (1, 2)),
        ([1, 2, 2, 1], "2", (1, 2)),
        (["1", "2", "2", "1"], 2, ("1", "2")),
        (["0", "1", "1", "0"], 1, ("0", "1")),
        (["1.0", "2.0", "2.0", "1.0"], 2, ("1.0", "2.0")),
        ([False, True, True, False], False, (True, False)),
        (pd.Series(["b", "a", "a", "b"], dtype="category"), "a", ("b", "a")),
        (pd.Series(["b", "a", "a", "b"], dtype="string"), "a", ("b", "a")),
        (pl.Series(["b", "a", "a", "b"]), "a", ("b", "a")),
        (pl.Series(["b", "a", "a", "b"], dtype=pl.Categorical), "a", ("b", "a")),
        (np.array(["b", "a", "a", "b"], dtype=object), "a", ("b", "a")),
    ],
)
def test_the_positive_class_is_the_stated_one(y: Any, positive: Any, found: Any) -> None:
    predictions = Binary(y, probability=P, pos_label=positive)
    assert predictions.classes == found
    as_list = y.to_list() if hasattr(y, "to_list") else list(y)
    assert predictions.positive.tolist() == [str(v) == str(found[1]) for v in as_list]


def test_a_class_that_does_not_occur_can_be_declared() -> None:
    declared = Binary(["a", "a"], probability=[0.1, 0.2], pos_label="b", labels=["a", "b"])
    assert declared.classes == ("a", "b")
    assert declared.prevalences.tolist() == [1.0, 0.0]
    alone = Binary(["a", "a"], probability=[0.1, 0.2], pos_label="a")
    assert alone.classes == ("not a", "a")


def test_an_unknown_label_is_named_with_its_row() -> None:
    classes = {"pos_label": "sick", "labels": ["sick", "well"]}
    message = refusal(["sick", "well", "sik"], label=["sick"] * 3, **classes)
    assert message == (
        "outcome must be one of the classes well, sick; got 'sik' at row 3; did you mean 'sick'?"
    )
    message = refusal(["sick", "well"], label=["sick", "wll"], **classes)
    assert "label must be one of the classes well, sick; got 'wll' at row 2" in message


# ---------------------------------------------------------------- what a measure can read


def test_labels_follow_from_the_threshold() -> None:
    assert Binary(Y, probability=P).label.tolist() == [False, True, False, True]
    assert Binary(Y, probability=P, threshold=0.6).label.tolist() == [False, True, False, False]
    assert Binary(Y, probability=[0.5] * 4).label.tolist() == [False] * 4
    assert Binary(Y, probability=P, label=Y).label.tolist() == [False, True, True, False]


def test_scores_have_labels_only_when_a_threshold_is_stated() -> None:
    assert Binary(Y, score=P).views == {View.SCORE}
    assert Binary(Y, score=[-1, 2, 3, -4], threshold=0).label.tolist() == [
        False,
        True,
        True,
        False,
    ]


def test_infinite_scores_are_ranks_like_any_other() -> None:
    assert evaluate(Binary(Y, score=[-np.inf, np.inf, 3, 1]), ["auc"])["auc"] == 1.0


def test_the_confusion_table_counts_actual_in_rows() -> None:
    y, label = [0, 0, 0, 1, 1], [0, 0, 1, 0, 1]
    assert Binary(y, label=label).confusion.tolist() == [[2, 1], [1, 1]]
    weighted = Binary(y, label=label, sample_weight=[1, 2, 3, 4, 5])
    assert weighted.confusion.tolist() == [[3, 3], [4, 5]]
    from_probability = Binary(y, probability=[0.1, 0.5, 0.6, 0.2, 0.9])
    assert from_probability.confusion.tolist() == [[2, 1], [1, 1]]


# ---------------------------------------------------------------- edges


def test_one_row_is_enough() -> None:
    found = evaluate(Binary([1], probability=[0.25]))
    assert found["brier"] == 0.5625
    assert found["accuracy"] == 0.0
    assert np.isnan(found["auc"])


@pytest.mark.parametrize("y", [[0, 0, 0], [1, 1, 1]])
def test_one_class_leaves_some_measures_undefined_and_stops_none(y: list[int]) -> None:
    found = evaluate(Binary(y, probability=[0.2, 0.6, 0.9]))
    assert np.isfinite(found["accuracy"])
    assert np.isfinite(found["brier"])
    assert np.isfinite(found["log_score"])
    for name in ("auc", "mcc", "youden_j", "scaled_brier", "nagelkerke_r2", "tjur_r2"):
        assert np.isnan(found[name]), name


def test_constant_predictions_have_values_where_they_mean_something() -> None:
    found = evaluate(Binary([0, 1, 1], probability=[0.7, 0.7, 0.7]))
    assert found["auc"] == 0.5
    assert found["tjur_r2"] == pytest.approx(0.0)
    assert found["sensitivity"] == 1.0
    assert np.isnan(found["npv"])
    assert np.isnan(found["mcc"])


@pytest.mark.parametrize(
    ("probability", "message"),
    [
        ([10, 20, 90, 40], "got 10 at row 1. If these are percentages, divide by 100."),
        ([0.1, 0.2, 1.0000001, 0.4], "got 1.0000001 at row 3. That is rounding error: clip them"),
        ([[0.9, 0.1]] * 4, "got 4×2. Take the column of the positive class: of predict_proba, [:"),
    ],
)
def test_a_refused_probability_comes_with_what_to_do(probability: Any, message: str) -> None:
    assert message in refusal(Y, probability=probability)
