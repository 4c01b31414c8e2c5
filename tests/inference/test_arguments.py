"""What users type is taken for what is meant, or one line asks."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import abovechance as ac
from abovechance.errors import AboveChanceError, DataError, UnknownMeasure

RNG = np.random.default_rng(1)
N = 60
Y = RNG.integers(0, 2, N)
P = np.clip(0.25 * Y + 0.7 * RNG.random(N), 0.01, 0.99)
WORDS = np.where(Y == 1, "sick", "well")
THREE = RNG.integers(0, 3, N)
P3 = RNG.dirichlet([1, 1, 1], N)
QUICK = {"draws": 9, "rng": 1}


def kind_of(*given: Any, **facts: Any) -> tuple[str, set[str]]:
    from abovechance.predictions.from_arrays import inferred

    made = inferred(*given, **facts)
    return made.kind, {str(view) for view in made.views}


@pytest.mark.parametrize(
    ("given", "facts", "kind", "views"),
    [
        ((Y, P), {}, "binary", {"probability", "score", "label"}),
        ((Y, (P > 0.5).astype(int)), {}, "binary", {"label"}),
        ((Y.astype(bool), P > 0.5), {}, "binary", {"label"}),
        ((Y, np.log(P / (1 - P))), {}, "binary", {"score"}),
        ((WORDS, P), {"pos_label": "sick"}, "binary", {"probability", "score", "label"}),
        ((WORDS, WORDS), {"pos_label": "sick"}, "binary", {"label"}),
        ((Y + 1, P), {"pos_label": 2}, "binary", {"probability", "score", "label"}),
        ((Y, np.column_stack([1 - P, P])), {}, "binary", {"probability", "score", "label"}),
        ((THREE, P3), {}, "multiclass", {"probability", "score", "label"}),
        ((THREE.astype(str), THREE.astype(str)), {}, "multiclass", {"label"}),
        ((P, P + 1), {}, "numeric", {"value"}),
        ((THREE, P), {}, "numeric", {"value"}),
        ((np.column_stack([P, P]), np.column_stack([P, Y])), {}, "numeric", {"value"}),
        ((THREE,), {"label": THREE}, "multiclass", {"label"}),
        ((THREE,), {"value": THREE}, "numeric", {"value"}),
        ((P, Y), {"risk": P}, "survival", {"risk"}),
        ((pd.DataFrame(Y), pd.DataFrame(P)), {}, "binary", {"probability", "score", "label"}),
    ],
)
def test_the_kind_is_seen_from_the_values(
    given: Any, facts: dict[str, Any], kind: str, views: set[str]
) -> None:
    assert kind_of(*given, **facts) == (kind, views)


@pytest.mark.parametrize(
    ("given", "facts", "message"),
    [
        ((Y, 100 * P), {}, "can be percentages or scores; divide percentages by 100"),
        ((THREE, THREE), {}, "classes or quantities; say which: label="),
        ((WORDS, P), {}, "pos_label must say which class is positive"),
        ((THREE.astype(str), P), {}, "one column of numbers cannot predict 3 classes"),
        ((Y,), {}, "nothing was predicted"),
        ((Y, P), {"label": Y}, "give a prediction or label=, not both"),
        ((Y, P[:5]), {}, "outcome has 60, prediction has 5"),
        ((WORDS, np.column_stack([1 - P, P])), {"pos_label": "sick"}, "labels must say which"),
        ((THREE, P3), {"threshold": 0.2}, "threshold is for two classes; found 3"),
    ],
)
def test_what_could_be_two_things_asks_in_one_line(
    given: Any, facts: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError) as refused:
        kind_of(*given, **facts)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_assess_takes_arrays_and_tables_for_what_predictions_would_say() -> None:
    made = ac.assess(ac.Binary(Y, probability=P), ["auc", "brier"], **QUICK)
    table = pd.DataFrame({"y": Y, "p": P})
    for found in (
        ac.assess(Y, P, ["auc", "brier"], **QUICK),
        ac.assess(Y.tolist(), P.tolist(), measures=["auc", "brier"], **QUICK),
        ac.assess(table, ["auc", "brier"], **QUICK),
        ac.assess(table["y"], table["p"].sort_values(), ["auc", "brier"], **QUICK),
    ):
        assert found.estimates == made.estimates
    assert "probabilities of 1" in ac.assess(Y, P, "auc", **QUICK).described


def test_two_columns_with_names_and_a_positive_class() -> None:
    table = pd.DataFrame({"well": 1 - P, "sick": P})
    found = ac.assess(WORDS, table, "auc", pos_label="sick", **QUICK)
    assert found["auc"].value == ac.measures.auc(Y, P)
    turned = ac.assess(
        WORDS, table.to_numpy(), "auc", labels=["well", "sick"], pos_label="well", **QUICK
    )
    assert turned["auc"].value == ac.measures.auc(1 - Y, 1 - P)


def test_one_measure_may_stand_without_a_list_and_in_capitals() -> None:
    made = ac.Binary(Y, probability=P)
    assert [row.measure for row in ac.assess(made, "AUC", **QUICK).estimates] == ["auc"]
    found = ac.compare({"a": made, "b": made}, "Brier score", **QUICK)
    assert found["brier"].difference == 0.0
    assert ac.measures.evaluate(made, "F1") == {"f1": ac.measures.f1(Y, (P > 0.5).astype(int))}
    assert ac.measures.find("F1_Macro").label == "f1_macro"
    with pytest.raises(UnknownMeasure, match="did you mean 'auc'"):
        ac.measures.find("AUCC")


def test_models_come_by_name_in_a_list_or_as_arrays_beside_the_outcome() -> None:
    first, second = ac.Binary(Y, probability=P), ac.Binary(Y, probability=P**2)
    known = ac.compare({"model 1": first, "model 2": second}, ["brier"], **QUICK)
    for found in (
        ac.compare([first, second], ["brier"], **QUICK),
        ac.compare(first, second, ["brier"], **QUICK),
        ac.compare({"model 1": P, "model 2": P**2}, Y, ["brier"], **QUICK),
        ac.compare(Y, {"model 1": P, "model 2": P**2}, "brier", **QUICK),
        ac.compare([P, P**2], y_true=Y, measures="brier", **QUICK),
        ac.compare(pd.DataFrame({"model 1": P, "model 2": P**2}), Y, "brier", **QUICK),
    ):
        assert found.differences == known.differences
        assert found.models == ("model 1", "model 2")


@pytest.mark.parametrize(
    ("models", "more"),
    [
        ({"a": pd.Series(P)}, ()),
        ({"a": ac.Binary(Y, probability=P), "b": P}, (Y,)),
        (None, ()),
        ("ab", ()),
        (3, (4,)),
        ([], ()),
    ],
)
def test_models_that_are_none_are_refused_in_one_line(models: Any, more: tuple[Any, ...]) -> None:
    with pytest.raises(DataError, match="models") as refused:
        ac.compare(models, *more)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("draws", [0, -1, "many", 2.5, True])
def test_draws_must_be_a_number_of_draws(draws: Any) -> None:
    made = ac.Binary(Y, probability=P)
    with pytest.raises(AboveChanceError, match="draws must be"):
        ac.assess(made, "auc", draws=draws)
    with pytest.raises(AboveChanceError, match="draws must be"):
        ac.compare([made, made], "auc", draws=draws)


def test_a_level_in_percent_says_what_to_pass() -> None:
    with pytest.raises(DataError, match=r"between 0 and 1; got 95\. Pass 0\.95 for 95 %"):
        ac.assess(Y, P, "auc", confidence_level=95)


def test_what_belongs_to_predictions_is_not_taken_beside_them() -> None:
    made = ac.Binary(Y, probability=P)
    with pytest.raises(DataError, match="groups belongs to the predictions"):
        ac.assess(made, groups=Y)
    with pytest.raises(TypeError, match="'group'; did you mean 'groups'"):
        ac.assess(Y, P, group=Y)


def test_an_average_that_is_none_names_what_to_take() -> None:
    with pytest.raises(UnknownMeasure, match="'youden_j_macro'"):
        ac.measures.find("informedness_macro")
    with pytest.raises(UnknownMeasure, match="'class_markedness_weighted'"):
        ac.measures.find("markedness_weighted")


# ---------------------------------------------------------------- arrays in place of predictions


def test_outcomes_and_predictions_stand_for_predictions() -> None:
    made = ac.Binary(Y, probability=P)
    assert np.array_equal(ac.curves.roc(Y, P, rng=1).y, ac.curves.roc(made, rng=1).y)
    taken, shown = str(ac.thresholds(list(Y), list(P), rng=1)).split("\n", maxsplit=1)
    assert taken == f"y_true, predictions taken for probabilities of 1; {len(Y)} rows"
    assert shown == str(ac.thresholds(made, rng=1))
    assert ac.significance.mann_whitney(Y, P) == ac.significance.mann_whitney(made)
    assert ac.intervals.bootstrap(Y, P, "brier", rng=1) == ac.intervals.bootstrap(
        made, "brier", rng=1
    )
    named = np.where(np.asarray(Y) == 1, "sick", "well")
    turned = ac.curves.roc(named, P, pos_label="sick", rng=1)
    assert np.array_equal(turned.y, ac.curves.roc(made, rng=1).y)
    with pytest.raises(DataError, match="same number of cases"):
        ac.curves.roc(Y, P[:3])


@pytest.mark.parametrize("function", [ac.assess, ac.compare, ac.curves.roc, ac.thresholds])
def test_nothing_given_is_said_in_one_line(function: Any) -> None:
    with pytest.raises(DataError, match=rf"^{function.__name__} takes .*missing a required"):
        function()


@pytest.mark.parametrize(
    ("word", "meant"), [("level", "confidence_level"), ("seed", "rng"), ("n_jobs", "workers")]
)
def test_other_packages_words_are_understood_as_mistakes(word: str, meant: str) -> None:
    for ask in (lambda **k: ac.assess(Y, P, **k), lambda **k: ac.compare({"a": P, "b": P}, Y, **k)):
        with pytest.raises(TypeError, match=f"{word!r}; did you mean {meant!r}"):
            ask(**{word: 1})
    with pytest.raises(TypeError, match="'level'; did you mean 'confidence_level'"):
        ac.curves.roc(Y, P, level=0.9)


def test_names_may_be_separated_by_commas() -> None:
    found = ac.assess(ac.Binary(Y, probability=P), "auc, expected_cost(1, 5),brier", draws=19)
    assert [e.measure for e in found] == ["auc", "expected_cost(1, 5)", "brier"]
    assert [e.measure for e in ac.assess(Y, P, "auc,brier", draws=19)] == ["auc", "brier"]


def test_a_printed_assessment_says_why_there_is_no_interval() -> None:
    fold = np.arange(len(Y)) // 2 % 4
    found = ac.assess(ac.Binary(Y, probability=P, fold=fold), ["auc", "mcc", "ks"], draws=19)
    printed = " ".join(str(found).split())
    assert printed.count("no interval:") == 2
    for row in ("mcc", "ks"):
        first = str(found[row].remark).split()[:4]
        assert found[row].interval is None
        assert " ".join(first[:2]) in printed
