"""Where familiar's dialect differs from the textbook, on cases small enough to check by hand."""

import numpy as np
import pytest

from abovechance.measures import every, find
from abovechance.predictions import Binary, Multiclass, Survival


def familiar(tag: str) -> object:
    return find(tag, dialect="familiar")


def test_most_measures_are_the_same_in_both_dialects() -> None:
    for name in ("accuracy", "brier", "brier_sum", "log_score", "mae", "spearman", "uno_c"):
        assert familiar(name) is find(name)


def test_a_suffix_has_no_effect_on_two_classes() -> None:
    y, label = [0, 0, 0, 1, 1], [0, 1, 1, 1, 0]
    for suffix in ("", "_macro", "_micro", "_weighted"):
        assert find(f"recall{suffix}", dialect="familiar")(y, label) == 0.5
    assert find("recall_macro")(y, label) == pytest.approx((1 / 3 + 1 / 2) / 2)


def test_a_weighted_average_drops_undefined_classes_without_making_up_for_them() -> None:
    # c is never predicted, so its PPV is undefined; a and b hold 3/4 of the cases.
    predictions = Multiclass(["a", "a", "b", "c"], label=["a", "a", "b", "b"])
    usual = (2 / 4 * 1.0 + 1 / 4 * 0.5) / (3 / 4)
    assert find("ppv_weighted").of(predictions) == pytest.approx(usual)
    theirs = find("ppv_weighted", dialect="familiar").of(predictions)
    assert theirs == pytest.approx(usual * 3 / 4)
    assert find("ppv_macro", dialect="familiar").of(predictions) == pytest.approx(0.75)


@pytest.mark.parametrize("tag", ["bac", "ber"])
def test_balanced_accuracy_is_undefined_when_a_class_is_unobserved(tag: str) -> None:
    predictions = Multiclass(["a", "a", "b"], label=["a", "b", "b"], labels=["a", "b", "c"])
    assert find(tag).of(predictions) == pytest.approx(0.75 if tag == "bac" else 0.25)
    assert np.isnan(find(tag, dialect="familiar").of(predictions))


def test_undefined_correlation_and_agreement_have_values() -> None:
    constant = Binary([0, 0, 1], label=[0, 0, 0])
    agreed = Binary([0, 0, 0], label=[0, 0, 0])
    assert np.isnan(find("mcc").of(constant))
    assert find("mcc", dialect="familiar").of(constant) == 0.0
    assert np.isnan(find("kappa").of(agreed))
    assert find("kappa", dialect="familiar").of(agreed) == 1.0
    assert find("kappa", dialect="familiar").of(constant) == find("kappa").of(constant) == 0.0


def test_the_area_of_many_classes_goes_one_way_and_depends_on_their_order() -> None:
    y = [0, 0, 1, 1, 2, 2]
    p = np.array(
        [
            [0.5, 0.3, 0.2],
            [0.2, 0.5, 0.3],
            [0.3, 0.6, 0.1],
            [0.1, 0.2, 0.7],
            [0, 0, 1],
            [0.4, 0, 0.6],
        ]
    )
    order = [2, 1, 0]
    theirs = find("auc", dialect="familiar")
    forwards = theirs(y, p, labels=[0, 1, 2])
    backwards = theirs(y, p[:, order], labels=order)
    assert forwards == pytest.approx((3 / 4 + 3 / 4 + 1.0) / 3)
    assert forwards != pytest.approx(backwards)
    assert find("auc")(y, p) == pytest.approx((forwards + backwards) / 2)


def test_parameters_work_in_both_dialects() -> None:
    y, label = [0, 0, 0, 1, 1], [0, 1, 1, 1, 0]
    assert find("f_beta(2)", dialect="familiar").label == "f_beta(2)"
    found = find("f2_score", dialect="familiar")(y, label)
    assert found == find("f2_score")(y, label) == pytest.approx(5 / 11)
    assert find("kappa(linear)", dialect="familiar")(y, label) == pytest.approx(
        find("kappa")(y, label)
    )


@pytest.mark.parametrize("name", list(every()))
def test_a_dialect_is_said_where_it_makes_a_difference(name: str) -> None:
    theirs = find(name, dialect="familiar")
    assert theirs is find(name) or theirs.dialect == "familiar"
    if theirs.dialect and theirs.formula is not find(name).formula:
        assert "Examples" in theirs.doc
        assert theirs.doc != find(name).doc


@pytest.mark.parametrize("tau", [None, 4.0, 2.0])
def test_concordance_leaves_out_an_event_and_a_censoring_at_the_same_time(
    tau: float | None,
) -> None:
    time = np.array([1.0, 2, 2, 3, 4, 4, 5, 6])
    event = np.array([1, 1, 0, 0, 1, 0, 1, 0], dtype=bool)
    risk = np.array([0.9, 0.4, 0.8, 0.8, 0.5, 0.5, 0.7, 0.1])
    won, pairs = 0.0, 0
    for i in range(8):
        for j in range(8):
            if event[i] and time[i] < time[j] and (tau is None or time[i] <= tau):
                won += (risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j])
                pairs += 1
    chosen = find("c_index" if tau is None else f"c_index({tau:g})", dialect="familiar")
    assert chosen.of(Survival(time, event, risk=risk)) == pytest.approx(won / pairs, rel=1e-14)
