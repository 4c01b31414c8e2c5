"""Measures go by all the names users already know."""

from collections.abc import Callable
from typing import Any

import pytest

from abovechance.errors import NotApplicable, UnknownMeasure
from abovechance.measures import applicable, every, find
from abovechance.predictions import Binary, Multiclass, Numeric, Survival

Load = Callable[[str], Any]
FILES = (
    "classification_binary",
    "classification_multiclass",
    "regression",
    "survival_concordance",
)


def familiar_tags(file: Any) -> set[str]:
    return {
        tag.partition("__")[0]
        for case in file["cases"]
        for tag, sources in case["expected"].items()
        if sources.get("familiar", "NOT_AVAILABLE") != "NOT_AVAILABLE"
    }


@pytest.mark.parametrize("file", FILES)
def test_every_tag_of_familiar_is_known_in_its_dialect(file: str, reference: Load) -> None:
    tags = familiar_tags(reference(file))
    assert tags
    for tag in tags:
        usual = find(tag.replace("absolutive", "absolute"))
        assert find(tag, dialect="familiar").name == usual.name


# What scikit-learn scores that is no measure of predictions here.
NOT_OURS = {
    "agreement of two clusterings": {
        "adjusted_mutual_info_score",
        "adjusted_rand_score",
        "completeness_score",
        "fowlkes_mallows_score",
        "homogeneity_score",
        "mutual_info_score",
        "normalized_mutual_info_score",
        "rand_score",
        "v_measure_score",
    },
    "several labels a case": {
        "f1_samples",
        "jaccard_samples",
        "precision_samples",
        "recall_samples",
    },
    "the true class among the k most probable": {"top_k_accuracy"},
    "deviance under a distribution of the outcome": {
        "neg_mean_gamma_deviance",
        "neg_mean_poisson_deviance",
    },
}


def test_every_scorer_name_of_scikit_learn_is_known_or_said_not_to_be() -> None:
    from sklearn.metrics import get_scorer_names

    theirs = set().union(*NOT_OURS.values())
    unknown = set()
    for name in get_scorer_names():
        try:
            find(name)
        except UnknownMeasure:
            unknown.add(name)
    assert unknown == theirs & set(get_scorer_names())


@pytest.mark.parametrize(
    ("tag", "label"),
    [
        ("recall", "sensitivity"),
        ("recall_micro", "sensitivity_micro"),
        ("tpr_weighted", "sensitivity_weighted"),
        ("precision_macro", "ppv_macro"),
        ("for", "false_omission_rate"),
        ("f2_score", "f_beta(2)"),
        ("f05_score_micro", "f_beta_micro(0.5)"),
        ("f_beta(3)", "f_beta(3)"),
        ("f_beta(beta=0.5)", "f_beta(0.5)"),
        ("f_beta_weighted(0.5)", "f_beta_weighted(0.5)"),
        ("kappa(quadratic)", "kappa(quadratic)"),
        ("kappa('linear')", "kappa(linear)"),
        ("partial_auc(max_fpr=0.1)", "partial_auc(0.1, True)"),
        (" auc ", "auc"),
        ("neg_log_loss", "log_score"),
        ("mean_absolute_error_trim", "mae_trim"),
        ("rmse_winsor", "rmse_winsor"),
    ],
)
def test_a_name_may_carry_suffix_and_parameters(tag: str, label: str) -> None:
    assert find(tag).label == label


@pytest.mark.parametrize("name", ["f_beta(2)", "kappa(quadratic)", "log_score(2)", "mae_trim"])
def test_a_label_finds_its_own_measure(name: str) -> None:
    measure = find(name)
    assert find(measure.label).label == measure.label
    assert find(measure.label).parameters == measure.parameters


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("brierr", "unknown measure 'brierr'; did you mean 'brier'?"),
        ("recal_micro", "unknown measure 'recal_micro'; did you mean 'recall_micro'?"),
        ("xyzzy", "unknown measure 'xyzzy'; 'abovechance measures' lists them all."),
        ("mcc_micro", "'mcc_micro'; mcc is not averaged over classes: use 'mcc'."),
        ("brier_trim", "unknown measure 'brier_trim'"),
        ("", "unknown measure ''"),
        ("f_beta(2", "cannot read the parameters of 'f_beta(2'; write f_beta(2)."),
        ("f_beta(2)_micro", "cannot read the parameters"),
        ("f_beta(__import__('os').getcwd())", "cannot read the parameters"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(tag: str, message: str) -> None:
    with pytest.raises(UnknownMeasure) as refused:
        find(tag)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("f_beta(2, 3)", "parameters of f_beta: 1 (beta); got 2 in 'f_beta(2, 3)'."),
        ("accuracy(2)", "parameters of accuracy: none; got 1"),
        ("f_beta(gamma=2)", "f_beta has no parameter 'gamma'; it takes beta."),
        ("f_beta(two)", "beta of f_beta must be a number; got 'two'."),
        ("kappa(2)", "weights of kappa must be a word or None; got 2."),
        ("r2(1.5)", "adjusted of r2 must be a whole number; got 1.5."),
    ],
)
def test_parameters_a_measure_does_not_take_are_refused(tag: str, message: str) -> None:
    with pytest.raises(NotApplicable) as refused:
        find(tag)
    assert message in str(refused.value)


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(UnknownMeasure, match="dialect must be 'familiar'; got 'klingon'"):
        find("auc", dialect="klingon")


def test_names_are_attributes_of_the_package() -> None:
    from abovechance import measures

    assert measures.brier is every()["brier"]
    assert "brier" in dir(measures)
    with pytest.raises(AttributeError, match="brierr"):
        _ = measures.brierr


def test_applicable_measures_follow_from_what_was_predicted() -> None:
    y = [0, 1, 1, 0]
    of_labels = {m.name for m in applicable(Binary(y, label=y))}
    of_scores = {m.name for m in applicable(Binary(y, score=[1, 4, 3, 2]))}
    of_probabilities = {m.name for m in applicable(Binary(y, probability=[0.1, 0.8, 0.7, 0.4]))}
    assert "accuracy" in of_labels
    assert of_labels.isdisjoint(of_scores)
    assert {"auc", "ks"} <= of_scores
    assert "brier" not in of_scores
    assert of_labels | of_scores < of_probabilities


def test_applicable_measures_follow_from_the_kind_of_outcome() -> None:
    several = {m.name for m in applicable(Multiclass([0, 1, 2], label=[0, 1, 1]))}
    assert {"accuracy", "sensitivity_macro", "kappa"} <= several
    assert "positive_likelihood_ratio" not in several
    one = {m.name for m in applicable(Numeric([1, 2, 3], [1, 2, 4]))}
    two = {m.name for m in applicable(Numeric([[1, 2], [3, 4]], [[1, 2], [3, 5]]))}
    assert "multi_r2" not in one
    assert "multi_r2" in two
    of_risk = {m.name for m in applicable(Survival([1, 2, 3], [1, 1, 0], risk=[3, 2, 1]))}
    assert "c_index" in of_risk
    assert "integrated_brier" not in of_risk


@pytest.mark.parametrize(
    ("written", "meant"),
    [("AUC", "auc"), ("ROC AUC", "auc"), ("AUROC", "auc"), ("F1", "f1"), ("Brier score", "brier")],
)
def test_names_are_understood_however_they_are_written(written: str, meant: str) -> None:
    assert find(written) is find(meant)


@pytest.mark.parametrize(
    ("written", "near"), [("rocauc", "roc_auc"), ("Logloss", "log_loss"), ("F-1", "f1")]
)
def test_names_that_are_nearly_right_are_suggested(written: str, near: str) -> None:
    with pytest.raises(UnknownMeasure, match=f"did you mean '{near}'"):
        find(written)
