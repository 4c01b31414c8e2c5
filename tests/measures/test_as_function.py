"""A measure called on plain arrays, on predictions, on a confusion table, or with parameters."""

from typing import Any

import numpy as np
import pytest

from abovechance import measures
from abovechance.errors import AboveChanceError, DataError, NotApplicable
from abovechance.measures import evaluate, find, per_class, per_output
from abovechance.predictions import Binary, Multiclass, Numeric

Y = ["sick", "well", "sick", "well", "sick"]
LABEL = ["sick", "well", "well", "sick", "sick"]
P = [0.9, 0.2, 0.4, 0.6, 0.7]
THREE = ["a", "b", "c", "c", "a", "b"]
P3 = [
    [0.6, 0.3, 0.1],
    [0.2, 0.5, 0.3],
    [0.3, 0.3, 0.4],
    [0.5, 0.2, 0.3],
    [0.4, 0.4, 0.2],
    [0.1, 0.2, 0.7],
]


def test_labels_probabilities_and_scores_are_taken_by_what_a_measure_reads() -> None:
    assert measures.sensitivity(Y, LABEL, pos_label="sick") == pytest.approx(2 / 3)
    assert measures.brier(Y, P, pos_label="sick") == pytest.approx(0.172)
    assert measures.auc(Y, [9, 2, 4, 6, 7], pos_label="sick") == pytest.approx(5 / 6)


def test_measures_that_need_no_positive_class_ask_for_none() -> None:
    assert measures.accuracy(Y, LABEL) == 0.6
    assert measures.kappa(Y, LABEL) == pytest.approx(1 / 6)


@pytest.mark.parametrize("measure", [measures.sensitivity, measures.f1, measures.youden_j])
def test_measures_of_one_class_ask_which(measure: Any) -> None:
    with pytest.raises(DataError, match="pos_label must say which class is positive"):
        measure(Y, LABEL)


def test_a_positive_class_among_three_means_that_class_against_the_rest() -> None:
    predicted = ["a", "b", "c", "a", "a", "c"]
    rest = [c == "c" for c in THREE]
    found = measures.sensitivity(THREE, predicted, pos_label="c")
    assert found == measures.sensitivity(rest, [c == "c" for c in predicted]) == 0.5
    column = np.array(P3)[:, 2]
    for measure in (measures.brier, measures.auc):
        one = measure(rest, column)
        assert measure(THREE, P3, labels=["a", "b", "c"], pos_label="c") == one
        assert measure(THREE, column, pos_label="c") == one


def test_columns_of_probabilities_follow_the_labels() -> None:
    forwards = measures.log_score(THREE, P3, labels=["a", "b", "c"])
    backwards = measures.log_score(THREE, np.array(P3)[:, ::-1], labels=["c", "b", "a"])
    assert forwards == pytest.approx(backwards, rel=1e-14)
    assert forwards == pytest.approx(np.log([0.6, 0.5, 0.4, 0.3, 0.4, 0.2]).mean())
    with pytest.raises(DataError, match="labels must say which class each of the 3 columns"):
        measures.log_score(THREE, P3)


def test_two_columns_of_probabilities_are_as_good_as_one() -> None:
    both = np.column_stack([1 - np.array(P), P])
    labels = ["well", "sick"]
    for measure in (measures.brier, measures.log_score, measures.auc, measures.average_precision):
        one = measure(Y, P, pos_label="sick")
        assert measure(Y, both, labels=labels, pos_label="sick") == pytest.approx(one, rel=1e-14)
    assert measures.brier(Y, both, labels=labels) == pytest.approx(0.172)
    coded = [int(y == "sick") for y in Y]
    assert measures.average_precision(coded, both) == measures.average_precision(coded, P)
    with pytest.raises(NotApplicable, match="pass pos_label="):
        measures.average_precision(Y, both, labels=labels)


def test_an_explicit_average_of_two_classes_averages_both() -> None:
    macro = find("recall_macro")(Y, LABEL)
    assert macro == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert find("recall_micro")(Y, LABEL) == pytest.approx(0.6)
    assert find("recall_weighted")(Y, LABEL) == pytest.approx(0.6)


def test_weights_and_counts_are_taken_with_the_arrays() -> None:
    weight = [1, 2, 3, 4, 5]
    wanted = np.average(np.equal(Y, LABEL), weights=weight)
    assert measures.accuracy(Y, LABEL, sample_weight=weight) == pytest.approx(wanted)
    assert measures.accuracy(Y, LABEL, counts=weight) == pytest.approx(wanted)


def test_a_call_without_arrays_sets_parameters() -> None:
    by_place, by_name = measures.f_beta(2), measures.f_beta(beta=2)
    assert by_place.label == by_name.label == "f_beta(2)"
    given = measures.f_beta(Y, LABEL, beta=2, pos_label="sick")
    assert by_place(Y, LABEL, pos_label="sick") == given
    assert measures.kappa("quadratic").label == "kappa(quadratic)"
    assert measures.partial_auc(max_fpr=0.1).parameters["standardised"] is True


@pytest.mark.parametrize(
    "arguments",
    [(), ([0, 1],), ([0, 1], [0, 1], [0, 1])],
    ids=["nothing", "one array", "three arrays"],
)
def test_a_wrong_number_of_arrays_is_refused(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(NotApplicable, match="accuracy takes y_true, prediction"):
        measures.accuracy(*arguments)


def test_a_parameter_of_another_measure_is_refused() -> None:
    with pytest.raises(NotApplicable, match="accuracy has no parameter 'beta'; it takes none"):
        measures.accuracy(Y, LABEL, beta=2)
    with pytest.raises(NotApplicable, match="risk"):
        measures.c_index([1, 2], [1, 1], [3, 4])


def test_predictions_may_be_given_whole() -> None:
    predictions = Binary(Y, probability=P, pos_label="sick")
    assert measures.brier(predictions) == measures.brier.of(predictions) == pytest.approx(0.172)
    assert measures.log_score(predictions, base=2) == pytest.approx(
        measures.log_score(predictions) / np.log(2)
    )


def test_what_was_not_predicted_cannot_be_measured() -> None:
    with pytest.raises(NotApplicable, match=r"Brier score needs a predicted probability; there"):
        measures.brier(Binary([0, 1], label=[0, 1]))
    with pytest.raises(NotApplicable, match="is for binary and multiclass outcomes, not numeric"):
        measures.accuracy(Numeric([1.0, 2.0], [1.0, 2.0]))


# ---------------------------------------------------------------- confusion tables


def test_a_table_has_actual_classes_in_its_rows() -> None:
    table = [[48, 2], [5, 45]]
    assert measures.specificity.from_confusion(table) == 0.96
    assert measures.sensitivity.from_confusion(table) == 0.9
    assert measures.sensitivity.from_confusion(table, pos_label=0) == 0.96
    assert measures.sensitivity.from_confusion(table, labels=["w", "s"], pos_label="s") == 0.9


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ([[1, 2, 3], [4, 5, 6]], {}, "a confusion table must be square"),
        ([[1, -2], [3, 4]], {}, "finite and not negative"),
        ([[1, 2], [3, 4]], {"labels": ["a"]}, "labels must name the 2 classes; got a"),
        ([[1, 2], [3, 4]], {"labels": ["a", "b"], "pos_label": "c"}, "one of a, b; got 'c'"),
        ([[1, 2], [3, 4]], {"labels": ["a", "b"]}, "pos_label must say which class is positive"),
    ],
)
def test_a_table_that_is_none_is_refused(table: Any, options: Any, message: str) -> None:
    with pytest.raises(AboveChanceError, match=message):
        measures.sensitivity.from_confusion(table, **options)


def test_a_table_has_no_probabilities() -> None:
    with pytest.raises(NotApplicable, match="Brier score"):
        measures.brier.from_confusion([[1, 2], [3, 4]])


def test_many_tables_are_one_call() -> None:
    tables = np.array([[[48, 2], [5, 45]], [[1, 3], [2, 4]]])
    assert measures.mcc.on_counts(tables) == pytest.approx(
        [measures.mcc.from_confusion(t) for t in tables]
    )


# ---------------------------------------------------------------- many at once


def test_evaluate_gives_every_applicable_measure_by_name() -> None:
    found = evaluate(Binary(Y, probability=P, pos_label="sick"))
    assert found["brier"] == pytest.approx(0.172)
    assert {"accuracy", "auc", "log_score", "nagelkerke_r2"} <= found.keys()
    assert list(evaluate(Binary(Y, probability=P, pos_label="sick"), ["f2_score", "auc"])) == [
        "f_beta(2)",
        "auc",
    ]


def test_values_per_class_are_each_class_against_the_rest() -> None:
    predictions = Multiclass(THREE, label=["a", "b", "c", "a", "a", "c"])
    assert per_class(measures.sensitivity, predictions) == pytest.approx([1.0, 0.5, 0.5])
    with pytest.raises(NotApplicable, match="Accuracy has no value per class"):
        per_class(measures.accuracy, predictions)


def test_values_per_output_are_each_output_alone() -> None:
    y, value = np.array([[1.0, 10.0], [2.0, 30.0], [4.0, 20.0]]), np.ones((3, 2))
    found = per_output(measures.mae, Numeric(y, value))
    assert found == pytest.approx([measures.mae(y[:, d], value[:, d]) for d in range(2)])
    assert measures.mae(y, value) == pytest.approx(found.mean())


READ_LABELS = [name for name, m in measures.every().items() if m.reads == "label" and m.outcomes]
CODES = np.array([0, 1, 2, 1, 0, 2, 0, 1])


@pytest.mark.parametrize("name", READ_LABELS)
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(
    "prediction",
    [
        np.array([0.1, 0.8, 0.3, 0.7, 0.2, 0.9, 0.4, 0.6]),
        np.array([-1.3, 0.8, 2.5, 1.5, -0.2, 0.9, -2.0, 1.0]),
        np.array([10, 80, 30, 70, 20, 90, 40, 60]) + 0.5,
    ],
    ids=["probabilities", "scores", "percentages"],
)
@pytest.mark.parametrize("more", [{}, {"pos_label": 1}])
def test_what_are_no_labels_never_counts_as_wrong_ones(
    name: str, k: int, prediction: Any, more: dict[str, Any]
) -> None:
    with pytest.raises(AboveChanceError, match="label must hold predicted classes"):
        find(name)(CODES % k, prediction, **more)


@pytest.mark.parametrize("name", ["accuracy", "f1_macro", "mcc", "kappa", "balanced_accuracy"])
def test_probabilities_per_class_are_no_labels(name: str) -> None:
    with pytest.raises(AboveChanceError, match=r"got 6×3\. Of probabilities take the most prob"):
        find(name)(THREE, P3)


def test_labels_in_another_coding_are_refused() -> None:
    with pytest.raises(DataError, match="outcome holds text, label numbers"):
        measures.accuracy(Y, [1, 0, 0, 1, 1])
    with pytest.raises(DataError, match=r"coded 0/1 as outcome is; it holds -1 too"):
        measures.accuracy([0, 1, 1], [-1, 1, 1])
    assert measures.accuracy([0, 1, 1], [0, 2, 1], labels=[0, 1, 2]) == pytest.approx(2 / 3)
    assert measures.accuracy([0, 1, 1], ["0", "1", "1"]) == 1.0
    assert measures.accuracy([0.5, 1.5, 1.5], [0.5, 0.5, 1.5]) == pytest.approx(2 / 3)
    assert measures.accuracy([0, 0, 0], [1, 1, 1]) == 0.0
