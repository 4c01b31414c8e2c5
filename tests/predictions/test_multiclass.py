"""Any number of classes: columns matched by name, rows that sum to 1."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from abovechance.errors import DataError
from abovechance.measures import evaluate, find
from abovechance.predictions import Multiclass, View

Y = ["a", "b", "c", "c"]
P = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4], [0.5, 0.2, 0.3]])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "nothing was predicted; give probability= or label=."),
        (
            {"probability": P},
            "labels must say which class each of the 3 columns of probability belongs to; "
            "the outcome's classes are a, b, c. Pass labels=.",
        ),
        (
            {"probability": P, "labels": ["a", "b"]},
            "labels must name the 3 columns of probability; got 2 names.",
        ),
        (
            {"probability": P * 1.1, "labels": list("abc")},
            "the probabilities of a case must sum to 1; row 1 sums to 1.1. "
            "Give one column for every class, or normalise them.",
        ),
        (
            {"probability": [[1.5, -0.5, 0.0]] * 4, "labels": list("abc")},
            "probability must lie in [0, 1]; got 1.5 at row 1.",
        ),
        (
            {"probability": [0.1, 0.2, 0.3, 0.4]},
            "probability must have one column per class; got one value per case. "
            "For two classes use Binary(y, probability=…, pos_label=…).",
        ),
        (
            {"probability": P, "labels": ["a", "b", "b"]},
            "labels must name every class once; 'b' stands twice.",
        ),
        (
            {"probability": P, "labels": ["a", "b", "cc"]},
            "outcome must be one of the classes a, b, cc; got 'c' at row 3; did you mean 'cc'?",
        ),
        (
            {"label": ["a", "b", "x", "c"], "labels": list("abc")},
            "label must be one of the classes a, b, c; got 'x' at row 3.",
        ),
        (
            {"probability": {"a": P[:, 0], "b": 1 - P[:, 0]}},
            "outcome must be one of the classes a, b; got 'c' at row 3.",
        ),
        (
            {"probability": {"a": P[:, 0], "b": P[:, 1]}, "labels": list("abc")},
            "probability must have a column for every class; none for 'c' among a, b.",
        ),
        (
            {"probability": dict(zip("abcd", [*P.T, P[:, 0]], strict=True)), "labels": "abc"},
            "every column of probability must be called after a class; got 'd'",
        ),
        (
            {"probability": {"a": P[:, 0], "b": P[:3, 1], "c": P[:, 2]}},
            "all columns must have the same number of cases; probability of a has 4, "
            "probability of b has 3",
        ),
        (
            {"probability": pd.DataFrame(P, columns=["p_a", "p_b", "p_c"]), "labels": "abc"},
            "every column of probability must be called after a class; got 'p_a'",
        ),
    ],
)
def test_what_is_refused_says_what_must_hold(given: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError) as refused:
        Multiclass(Y, **given)
    assert message in str(refused.value)


SHUFFLED = ["c", "a", "b"]
BY_NAME = {name: P[:, "abc".index(name)] for name in SHUFFLED}


@pytest.mark.parametrize(
    "probability",
    [
        BY_NAME,
        pd.DataFrame(BY_NAME),
        pl.DataFrame(BY_NAME),
        {k: pd.Series(v) for k, v in BY_NAME.items()},
    ],
    ids=["mapping", "pandas", "polars", "series"],
)
@pytest.mark.parametrize("labels", [None, ["a", "b", "c"], ["b", "c", "a"]])
def test_named_columns_are_matched_by_name_never_by_order(probability: Any, labels: Any) -> None:
    predictions = Multiclass(Y, probability=probability, labels=labels)
    assert predictions.classes == tuple(labels or SHUFFLED)
    for row, name in zip(predictions.probability, predictions.classes, strict=True):
        assert row.tolist() == P[:, "abc".index(name)].tolist()
    in_order = Multiclass(Y, probability=P, labels=list("abc"))
    assert evaluate(predictions) == pytest.approx(evaluate(in_order), rel=1e-12)


@pytest.mark.parametrize("frame", [pd.DataFrame(BY_NAME), pl.DataFrame(BY_NAME)])
def test_a_measure_called_on_a_dataframe_matches_by_name_too(frame: Any) -> None:
    wanted = find("log_score")(Y, P, labels=list("abc"))
    assert find("log_score")(Y, frame) == pytest.approx(wanted)
    assert find("log_score")(Y, frame, labels=list("abc")) == pytest.approx(wanted)
    assert find("log_score")(Y, BY_NAME) == pytest.approx(wanted)


def test_columns_without_names_follow_the_labels() -> None:
    nameless = Multiclass(Y, probability=pd.DataFrame(P), labels=list("abc"))
    assert nameless.probability.tolist() == P.T.tolist()
    backwards = Multiclass(Y, probability=P[:, ::-1], labels=list("cba"))
    assert find("brier").of(backwards) == pytest.approx(find("brier").of(nameless))


def test_names_and_numbers_spelled_alike_are_one_class() -> None:
    predictions = Multiclass(["1", "2"], probability={2: [0.1, 0.9], 1: [0.9, 0.1]})
    assert predictions.label.tolist() == predictions.actual.tolist()


def test_coded_outcomes_need_no_labels() -> None:
    assert Multiclass([0, 2, 1], probability=P[:3]).classes == (0, 1, 2)
    with pytest.raises(DataError, match="labels must say which class"):
        Multiclass([1, 2, 3], probability=P[:3])


def test_rounded_tables_pass() -> None:
    thirds = np.full((2, 3), 0.333)
    assert Multiclass([0, 1], probability=thirds).n == 2
    with pytest.raises(DataError, match=r"row 1 sums to 0\.99"):
        Multiclass([0, 1], probability=np.full((2, 3), 0.33))


def test_the_label_is_the_most_probable_class_the_first_of_tied_ones() -> None:
    p = [[0.4, 0.4, 0.2], [0.1, 0.2, 0.7]]
    assert Multiclass([0, 2], probability=p).label.tolist() == [0, 2]
    assert Multiclass([0, 2], probability=p, label=[1, 1]).label.tolist() == [1, 1]
    assert Multiclass([0, 1], label=[1, 1]).views == {View.LABEL}


def test_declared_classes_stay_when_absent() -> None:
    predictions = Multiclass(["a", "b"], label=["a", "b"], labels=["a", "b", "c"])
    assert predictions.confusion.shape == (3, 3)
    assert predictions.prevalences.tolist() == [0.5, 0.5, 0.0]
    assert predictions.take([0]).classes == ("a", "b", "c")


def test_one_class_against_the_rest_keeps_the_facts() -> None:
    predictions = Multiclass(
        Y,
        probability=P,
        labels=list("abc"),
        id=[1, 2, 3, 4],
        fold=[1, 1, 2, 2],
        counts=[1, 2, 1, 1],
    )
    rest = predictions.against_rest("c")
    assert rest.classes == ("not c", "c")
    assert rest.positive.tolist() == [False, False, True, True]
    assert rest.probability.tolist() == P[:, 2].tolist()
    assert rest.weight.tolist() == [1, 2, 1, 1]
    assert rest.origin == "cv"
    assert rest.confusion.sum() == 5
    with pytest.raises(DataError, match="pos_label must be one of a, b, c; got 'd'"):
        predictions.against_rest("d")


def test_many_classes_are_counted() -> None:
    codes = np.arange(300)
    assert np.array_equal(Multiclass(codes, label=codes).confusion, np.eye(300))
    words = [f"class {k}" for k in codes]
    assert np.array_equal(Multiclass(words, label=words).confusion, np.eye(300))


@pytest.mark.parametrize("rows", [0, 1])
def test_the_smallest_tables(rows: int) -> None:
    if rows == 0:
        with pytest.raises(DataError, match="at least one case; got 0 rows"):
            Multiclass([], probability=np.zeros((0, 3)), labels=list("abc"))
        return
    found = evaluate(Multiclass(["a"], probability=P[:1], labels=list("abc")))
    assert found["log_score"] == pytest.approx(np.log(0.6))
    assert np.isnan(found["auc"])
