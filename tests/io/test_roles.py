"""Which column is what, by its name and its content."""

import numpy as np
import pytest

from abovechance.errors import ColumnError, DataError
from abovechance.io import Roles, find_roles, read_table
from abovechance.io.roles import (
    NAMES,
    PREDICTION,
    SECOND_NAMES,
    class_columns,
    class_family,
    distinct,
    fitting,
    normal,
    time_of,
)
from abovechance.predictions.checks import sums_to_one

# ----------------------------------------------------------------------------------------------
# Names of columns.
# ----------------------------------------------------------------------------------------------


def test_names_are_compared_without_case_blanks_dots_and_dashes():
    assert normal(" Y True ") == normal("y.true") == normal("Y-TRUE") == "y_true"


def test_no_name_stands_for_two_roles():
    every = [n for names in (*NAMES.values(), *SECOND_NAMES.values(), PREDICTION) for n in names]
    assert len(every) == len(set(every))
    assert all(normal(name) == name for name in every)


def test_a_second_name_counts_only_without_a_first():
    assert fitting("id", ["case", "p"]) == ["case"]
    assert fitting("id", ["case", "ID", "p"]) == ["ID"]


@pytest.mark.parametrize(
    ("name", "time"),
    [("S_12", 12.0), ("surv_0.5", 0.5), ("Survival 365", 365.0), ("s12", None), ("S_x", None)],
)
def test_times_are_read_from_names(name, time):
    assert time_of(name) == time


# ----------------------------------------------------------------------------------------------
# Probabilities matched to classes by name.
# ----------------------------------------------------------------------------------------------


def test_columns_are_matched_by_name_in_any_order():
    expected = {"a": "p_a", "b": "p_b"}
    assert class_columns(["p_a", "p_b"], ["a", "b"]) == expected
    assert class_columns(["p_b", "p_a"], ["a", "b"]) == expected


def test_a_column_may_be_the_class_itself_or_have_any_prefix():
    assert class_columns(["a", "b"], ["a", "b"]) == {"a": "a", "b": "b"}
    assert class_columns(["model1.a", "model1.b"], ["a", "b"]) == {"a": "model1.a", "b": "model1.b"}
    assert class_columns(["p_0", "p_1"], [0, 1]) == {0: "p_0", 1: "p_1"}
    assert class_columns(["p_-1", "p_1"], [-1, 1]) == {-1: "p_-1", 1: "p_1"}


def test_the_longest_class_and_the_exact_spelling_win():
    assert class_columns(["p_a", "p_b_a"], ["a", "b_a"]) == {"a": "p_a", "b_a": "p_b_a"}
    assert class_columns(["p_A", "p_a"], ["A", "a"]) == {"A": "p_A", "a": "p_a"}
    assert class_columns(["p_sick"], ["Sick", "Well"]) == {"Sick": "p_sick"}


def test_a_mapping_is_taken_as_it_is():
    assert class_columns({"a": "x", "b": "y"}, ["a", "b"]) == {"a": "x", "b": "y"}


def test_a_column_of_the_same_prefix_is_a_class_that_does_not_occur():
    assert class_columns(["p_a", "p_zz"], ["a", "b"]) == {"a": "p_a", "zz": "p_zz"}


def test_a_column_called_after_no_class_is_refused():
    with pytest.raises(ColumnError, match="column 'x' must be called after its class, as p_a"):
        class_columns(["p_a", "x"], ["a", "b"])
    with pytest.raises(ColumnError, match="'a' has 'p_a' and 'prob_a'"):
        class_columns(["p_a", "prob_a"], ["a", "b"])


def table(header, *rows):
    return read_table("\n".join([header, *rows, ""]).encode())


def test_a_column_that_merely_begins_like_a_probability_stays_out():
    found = table("p_a,p_b,p_value", "0.4,0.6,0.01", "0.5,0.5,0.2")
    assert class_family(found, ["a", "b"], ()) == ("p_a", "p_b")


def test_a_class_that_never_occurs_joins_when_it_completes_the_sum():
    found = table("p_a,p_b,p_c", "0.4,0.5,0.1", "0.5,0.3,0.2")
    assert class_family(found, ["a", "b"], ()) == ("p_a", "p_b", "p_c")


def test_two_sets_of_probabilities_are_refused():
    found = table("p_a,p_b,prob_a,prob_b", "0.4,0.6,0.4,0.6")
    with pytest.raises(ColumnError, match="stand there twice: p_a, p_b, prob_a, prob_b"):
        class_family(found, ["a", "b"], ())


def test_two_columns_must_sum_to_one():
    sums_to_one(np.array([0.25, np.nan]) + np.array([0.75, 1.0]))
    with pytest.raises(DataError, match=r"must sum to 1; row 2 sums to 1\.2"):
        sums_to_one(np.array([0.25, 0.5]) + np.array([0.75, 0.7]))


def test_distinct_values_leave_missing_ones_out():
    assert distinct(np.array(["b", None, "a"], dtype=object)) == ["a", "b"]
    assert distinct(np.array([1.0, np.nan, 0.0])) == [0.0, 1.0]


# ----------------------------------------------------------------------------------------------
# Which column is what: found by name, refused when it cannot be told.
# ----------------------------------------------------------------------------------------------


def roles(header, *rows, stated=None, **known):
    table = read_table("\n".join([header, *rows, ""]).encode(), name="a.csv")
    return find_roles(table, stated, **known)


def refusal(header, *rows, stated=None):
    with pytest.raises(ColumnError) as caught:
        roles(header, *rows, stated=stated)
    return str(caught.value)


def test_plain_names_are_found_in_any_case():
    found = roles("ID,Y_True,Y_Proba,Fold,Repeat,Groups", "1,0,0.5,1,1,a", "2,1,0.7,2,1,b")
    assert found.used() == {
        "outcome": ("Y_True",),
        "probability": ("Y_Proba",),
        "id": ("ID",),
        "fold": ("Fold",),
        "repeat": ("Repeat",),
        "groups": ("Groups",),
    }


def test_the_first_line_says_what_was_taken_for_what():
    found = roles("id,y,p", "1,0,0.5", "2,1,0.7")
    assert found.sentence(569) == (
        "outcome = y, probability = p, id = id (found by name); 569 rows"
    )
    stated = Roles(outcome=("truth",), probability="m1")
    assert roles("case,truth,m1", "1,0,0.5", stated=stated).sentence(1) == (
        "outcome = truth, probability = m1; id = case (found by name); 1 row"
    )


def test_what_is_stated_is_not_looked_for_again():
    stated = Roles(outcome=("y",), probability="m1", id=False)
    found = roles("id,y,p,m1,score", "1,0,0.5,0.4,2", stated=stated)
    assert found.used() == {"outcome": ("y",), "probability": ("m1",)}


def test_two_fitting_names_are_refused_with_both():
    assert refusal("y,outcome,p", "1,1,0.5") == (
        "the outcome could be any of the columns y, outcome; say which with outcome= (--outcome)."
    )
    assert "the probability could be any of the columns p, prob" in refusal("y,p,prob", "1,.5,.5")
    assert "the groups could be any of the columns group, cluster" in refusal(
        "y,p,group,cluster", "1,.5,a,b"
    )
    assert "p, p_0, p_1; say which" in refusal("y,p,p_0,p_1", "1,.5,.5,.5", "0,.5,.5,.5")


def test_no_fitting_name_is_refused_with_the_columns():
    assert refusal("a,p", "1,0.5") == (
        "no outcome column was found by name in a.csv; name it with outcome= (--outcome). "
        "Its columns: a, p."
    )
    assert "no prediction column was found by name" in refusal("y,b", "1,0.5")
    assert "name it with value= (--value)" in refusal("y,b", "1.5,0.5")


def test_a_label_without_an_outcome_may_be_the_outcome_but_is_not_taken_for_it():
    assert "If 'label' holds what was observed, say outcome='label'" in refusal("label,p", "1,.5")
    stated = Roles(outcome=("label",))
    assert roles("label,p", "1,0.5", stated=stated).used()["outcome"] == ("label",)


def test_a_stated_column_that_is_not_there_is_refused():
    with pytest.raises(ColumnError, match="did you mean 'outcome'"):
        roles("outcome,p", "1,0.5", stated=Roles(outcome=("outcom",)))
    with pytest.raises(ColumnError, match="value must name every column once; 'p' stands twice"):
        roles("outcome,p", "1,0.5", stated=Roles(value=("p", "p")))


@pytest.mark.parametrize(
    ("rows", "role"),
    [
        (["1.5,1", "2,3"], "value"),
        (["3,2.5", "4,4", "7,8"], "value"),
        (["0,1", "1,1"], "label"),
        (["a,b", "b,a", "c,a"], "label"),
        (["TRUE,FALSE", "FALSE,TRUE"], "label"),
    ],
)
def test_a_prediction_is_a_label_or_a_value_by_what_the_outcome_is(rows, role):
    assert roles("y,prediction", *rows).columns(role) == ("prediction",)


@pytest.mark.parametrize("rows", [["1,1", "2,3", "3,3"], ["0,0.3", "1,0.7"], ["a,0.3", "b,0.7"]])
def test_a_prediction_that_could_be_several_things_is_refused(rows):
    assert "could hold predicted classes, values or probabilities" in refusal("y,y_pred", *rows)


def test_declared_classes_make_a_prediction_a_label():
    found = roles("y,y_pred", "1,1", "2,3", "3,3", classes=[1, 2, 3], categorical=True)
    assert found.label == "y_pred"


def test_a_prediction_beside_probabilities_is_their_label_or_is_left_alone():
    assert roles("y,p,prediction", "1,0.7,1", "0,0.6,1").label == "prediction"
    assert roles("y,p,prediction", "1,0.7,0.7", "0,0.6,0.6").label is None


def test_probabilities_of_classes_are_found_by_the_classes():
    found = roles("y,p_b,p_a,p_value", "a,0.3,0.7,0.01", "b,0.4,0.6,0.5")
    assert found.probabilities == ("p_b", "p_a")


def test_a_whole_numbered_outcome_with_a_value_is_numeric():
    assert roles("y,value", "23,25.5", "40,38").used() == {"outcome": ("y",), "value": ("value",)}


def test_time_and_event_make_a_survival_outcome():
    found = roles("time,status,S_24,S_12", "1,1,0.5,0.6", "2,0,0.2,0.3")
    assert found.survival == ("S_12", "S_24")
    assert (found.time, found.event) == ("time", "status")
    assert roles("futime,fustat,risk", "1,1,0.5").risk == "risk"


def test_a_survival_outcome_beside_another_outcome_is_refused():
    assert "could be 'y', or 'event' with its time" in refusal("y,time,event,p", "1,2,1,0.5")
    stated = Roles(outcome=("y",), probability="p")
    assert roles("y,time,event,p", "1,2,1,0.5", stated=stated).time is None


def test_survival_needs_event_and_prediction():
    assert "no event column" in refusal("time,risk", "1,2", stated=Roles(time="time"))
    assert "risk=, predicted_time= or survival=" in refusal("time,event", "1,0")
    stated = Roles(time="time", event="event", probability="p")
    assert "probability does not go with time" in refusal("time,event,p", "1,0,0.5", stated=stated)


def test_predictions_of_two_kinds_of_outcome_are_refused():
    stated = Roles(outcome=("y",), value=("v",), label="l")
    assert "give value= or label=, not both" in refusal("y,v,l", "1,1,1", stated=stated)
    stated = Roles(outcome=("y",), probability="v", probabilities=("l",))
    assert "give probability= or probabilities=, not both" in refusal(
        "y,v,l", "1,1,1", stated=stated
    )


def test_several_outcomes_need_stated_values():
    assert "several outcomes need as many predictions" in refusal(
        "a,b,p", "1,0,0.5", stated=Roles(outcome=("a", "b"))
    )


def test_a_column_called_weight_is_never_taken_unasked():
    assert roles("y,p,weight", "1,0.5,80", "0,0.5,70").sample_weight is None
    assert roles("y,p,sample_weight", "1,0.5,2").sample_weight == "sample_weight"


# ----------------------------------------------------------------------------------------------
# What other tools write.
# ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "pred,obs,No,Yes,rowIndex,Resample\nYes,Yes,.25,.75,1,Fold1\nNo,No,.5,.5,2,Fold2\n",
            "outcome = obs, probabilities = No, Yes, label = pred, id = rowIndex, fold = Resample",
        ),
        (
            ".pred_class,.pred_No,.pred_Yes,.row,truth\nYes,.25,.75,1,Yes\nNo,.5,.5,2,No\n",
            "outcome = truth, probabilities = .pred_No, .pred_Yes, label = .pred_class, id = .row",
        ),
        (
            "row_ids,truth,response,prob.No,prob.Yes\n1,Yes,Yes,.25,.75\n2,No,No,.5,.5\n",
            "outcome = truth, probabilities = prob.No, prob.Yes, id = row_ids",
        ),
        ("y,predict,p0,p1\n1,1,.25,.75\n0,0,.5,.5\n", "probabilities = p0, p1"),
        (
            "_FROM_,_INTO_,IP_No,IP_Yes\nYes,Yes,.25,.75\nNo,No,.5,.5\n",
            "outcome = _FROM_, probabilities = IP_No, IP_Yes, label = _INTO_",
        ),
        ("targets,outputs\na,a\nb,a\n", "outcome = targets, label = outputs (found by name)"),
        (".pred,y\n1.5,1.25\n2.5,2.0\n", "outcome = y, value = .pred (found by name)"),
        (
            "y,prediction_label,prediction_score\n1,1,.75\n0,0,.5\n",
            "outcome = y, label = prediction_label (found by name)",
        ),
    ],
)
def test_names_that_other_tools_write_are_understood(text, sentence):
    table = read_table(text.encode())
    assert sentence in find_roles(table).sentence(table.rows)


def test_columns_called_after_classes_must_sum_to_one():
    table = read_table(b"y,No,Yes\nYes,3,4\nNo,1,2\n")
    with pytest.raises(ColumnError, match="no prediction column was found"):
        find_roles(table)
