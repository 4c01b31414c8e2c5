"""Names of statistics: the grammar, the papers' tables, and what is said of unknown ones."""

import re

import pytest

from abovechance.errors import NotApplicable, UnknownMeasure
from abovechance.learning import (
    LDA,
    Estimator,
    LeftOut,
    LinearSVM,
    RegularisedDA,
    Resubstitution,
    ShrunkenDiagonalLDA,
    SquaredHingeSVM,
    VFold,
)
from abovechance.signal import TABLES, TWO_GROUP, Accuracy, find, format_name, known_names, table

MEANING = {
    "svm.c10.cv8": Accuracy(LinearSVM(10.0), VFold(8)),
    "sdlda.b632.B50": Accuracy(ShrunkenDiagonalLDA(), LeftOut("b632", 50)),
    "lda.b632": Accuracy(LDA(), LeftOut("b632", 50)),
    "lda.cv": Accuracy(LDA(), VFold(8)),
    "svm.cv4": Accuracy(LinearSVM(1.0), VFold(4)),
    "svm.c0.01.bloo.B10.z": Accuracy(LinearSVM(0.01), LeftOut("bloo", 10), "z"),
    "l2svm.c1e-3.b632plus": Accuracy(SquaredHingeSVM(0.001), LeftOut("b632plus", 50)),
    "hdrda.l0.5.g0.1.resub": Accuracy(RegularisedDA(0.5, 0.1), Resubstitution()),
    "hdrda.cv4": Accuracy(RegularisedDA(1.0, 0.0), VFold(4)),
    "lda.cv8.r10.unbalanced.legacy_z": Accuracy(LDA(), VFold(8, False, 10), "legacy_z"),
    "LDA.CV5": Accuracy(LDA(), VFold(5)),
}


@pytest.mark.parametrize("name", MEANING)
def test_names_mean_what_the_grammar_says(name):
    assert find(name) == MEANING[name]


@pytest.mark.parametrize("name", [*MEANING, *known_names()])
def test_a_written_name_reads_back_as_the_same_statistic(name):
    statistic = find(name)
    assert find(statistic.name) == statistic
    assert statistic.title


@pytest.mark.parametrize("alias", [alias for names in TABLES.values() for alias in names])
def test_names_of_the_papers_are_aliases(alias):
    meant = next(names[alias] for names in TABLES.values() if alias in names)
    assert find(alias).name == find(meant).name == meant


def test_tables_hold_as_many_statistics_as_the_papers():
    assert [len(table(number)) for number in "123"] == [15, 6, 6]


def test_names_and_aliases_are_unique():
    names = [name.lower() for s in TWO_GROUP for name in {s.name, *s.aliases}]
    counted = [name for name in names if names.count(name) > 1 and name not in {"goeman"}]
    assert not [n for n in counted if n not in {s.name for s in TWO_GROUP}]


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("hoteling", "hotelling"), ("ldaa.cv8", "lda.cv8"), ("svm.CV.9", "svm.CV."), ("mdm", "mmd")],
)
def test_unknown_names_get_a_suggestion(wrong, meant):
    with pytest.raises(
        UnknownMeasure, match=rf"unknown statistic '{wrong}'; did you mean '{meant}"
    ):
        find(wrong)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("lda.c10.cv8", r"\.c goes with svm and l2svm"),
        ("svm.g1.cv8", r"\.g goes with hdrda"),
        ("svm.cv8.B50", r"\.B goes with bloo"),
        ("lda.bloo.r3", r"\.r goes with cv"),
        ("lda.resub.unbalanced", r"\.unbalanced goes with cv"),
        ("lda.b632.legacy_z", r"use \.z"),
    ],
)
def test_options_that_do_not_belong_are_refused(wrong, said):
    with pytest.raises(NotApplicable, match=said):
        find(wrong)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("svm.c0.cv8", "C must be positive and finite; got 0 in 'svm.c0.cv8'"),
        ("svm.c1e400.cv8", "C must be positive and finite; got 1e400"),
        ("hdrda.l1.5.cv4", "λ must be between 0 and 1; got 1.5"),
        ("hdrda.g1e400.cv4", "γ must be finite; got 1e400"),
        ("lda.cv1", "number of folds must be 2 or more; got 1"),
        ("lda.cv0", "number of folds must be 2 or more; got 0"),
        ("lda.cv4.r0", "number of repeats must be 1 or more; got 0"),
        ("lda.bloo.B0", "number of bootstrap samples must be 1 or more; got 0"),
    ],
)
def test_numbers_out_of_range_are_refused(wrong, said):
    with pytest.raises(NotApplicable, match=re.escape(said)):
        find(wrong)


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("svm.c10.vc8", "svm.c10.cv8"),
        ("smv.c0.1.cv4.z", "svm.c0.1.cv4.z"),
        ("svm.c10", "svm.c10.cv8"),
        ("hdrda.l0.5.b63.B20", "hdrda.l0.5.b632.B20"),
    ],
)
def test_a_suggestion_keeps_the_parts_that_were_right(wrong, meant):
    with pytest.raises(UnknownMeasure, match=re.escape(f"did you mean '{meant}'?")):
        find(wrong)


@pytest.mark.parametrize(
    ("name", "instead"), [("svm.CV.cCV", "GridSearchCV"), ("oracle", r"oracle\(covariance\)")]
)
def test_what_no_name_can_stand_for_says_what_does_it(name, instead):
    with pytest.raises(NotApplicable, match=rf"'{name}' .*{instead}"):
        find(name)


def test_estimators_are_named_by_their_class():
    from sklearn.dummy import DummyClassifier

    learner = Estimator(DummyClassifier())
    assert format_name(learner, VFold(3)) == "DummyClassifier.cv3"
    assert "DummyClassifier, 3-fold" in Accuracy(learner, VFold(3)).title
