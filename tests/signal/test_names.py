"""Names of statistics: the grammar, the papers' tables, and what is said of unknown ones."""

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


def test_estimators_are_named_by_their_class():
    from sklearn.dummy import DummyClassifier

    learner = Estimator(DummyClassifier())
    assert format_name(learner, VFold(3)) == "DummyClassifier.cv3"
    assert "DummyClassifier, 3-fold" in Accuracy(learner, VFold(3)).title
