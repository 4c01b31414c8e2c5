"""Measures of classes against reference values: every tag of every case, in both dialects.

The default dialect is the textbook's: the exact value with undefined classes left out of averages,
else the exact value, else scikit-learn's where nothing says undefined. In the dialect of familiar,
the value that package gives.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from abovechance.measures import Measure, find
from abovechance.predictions import Binary, View

Load = Callable[[str], Any]

# Other ways to draw a curve through precision and recall; ours is the average precision.
OTHER_CURVES = ("pr_auc_trapezoid", "pr_auc_continuous_interpolation", "pr_auc_davis_goadrich")

# The references give textbook values under one name of each measure.
NAMED = {
    "auc": "auc_roc",
    "bac": "balanced_accuracy",
    "ber": "balanced_error_rate",
    "kappa": "cohen_kappa",
    "false_discovery_rate": "fdr",
    "matthews_correlation_coefficient": "mcc",
    "negative_predictive_value": "npv",
    "positive_predictive_value": "ppv",
    "precision": "ppv",
    "recall": "sensitivity",
    "tpr": "sensitivity",
    "true_positive_rate": "sensitivity",
    "tnr": "specificity",
    "true_negative_rate": "specificity",
    "youden_index": "youden_j",
}
SUFFIXES = ("_micro", "_macro", "_weighted")
EXACT = ("exact_drop", "exact", "exact_half_of_sum", "exact_observed_pairs_only")


def close(found: float, wanted: float | None, relative: float = 1e-10) -> bool:
    """Equal up to the tolerance; None and NaN stand for undefined."""
    if wanted is None or np.isnan(wanted):
        return bool(np.isnan(found))
    if np.isinf(wanted):
        return found == wanted
    return abs(found - wanted) <= max(1e-14, relative * abs(wanted))


def textbook_name(tag: str, several: bool, expected: dict[str, Any]) -> str:
    """The name under which the references give the textbook value of a tag."""
    suffix = next((s for s in SUFFIXES if tag.endswith(s)), "")
    name = NAMED.get(tag.removesuffix(suffix), tag.removesuffix(suffix)) + suffix
    if several and name == "auc_roc":
        return "auc_hand_till"
    if several and not suffix and f"{name}_macro" in expected:
        return f"{name}_macro"
    return name


def textbook(tag: str, expected: dict[str, Any], several: bool) -> float | None:
    """What the default dialect must give, or None where nothing but familiar's value is known."""
    name = textbook_name(tag, several, expected)
    if name in ("balanced_accuracy", "balanced_error_rate"):
        # Over the observed classes, which scikit-learn's balanced accuracy is.
        right = expected["balanced_accuracy"]
        observed = right["exact"] if not np.isnan(right["exact"]) else right["sklearn"]
        return observed if name == "balanced_accuracy" else 1.0 - observed
    sources = expected[name]
    return next((sources[key] for key in (*EXACT, "sklearn") if key in sources), None)


def value(measure: Measure, given: dict[str, Any]) -> float:
    """A measure of a case of the references, called on plain arrays."""
    options: dict[str, Any] = {"labels": given["levels"]}
    if measure.reads is View.LABEL:
        if "positive" in given and measure.directed:
            options["pos_label"] = given["positive"]
        return measure(given["y"], given["pred"], **options)
    if "positive" in given:
        options["pos_label"] = given["positive"]
    return measure(given["y"], given["prob"], **options)


def familiars(tag: str, expected: dict[str, Any], several: bool) -> float | None:
    """What the dialect of familiar must give, or None where that package has no such tag."""
    found = expected[tag].get("familiar", "NOT_AVAILABLE")
    if found == "NOT_AVAILABLE":
        return None
    return float("nan") if found is None else found


def compared(file: Any, dialect: str | None) -> Iterator[tuple[str, str, float, float]]:
    """Case, tag, what is wanted and what we find."""
    for case in file["cases"]:
        several = "positive" not in case["input"]
        for tag in case["expected"]:
            target = textbook if dialect is None else familiars
            wanted = target(tag, case["expected"], several)
            if wanted is not None and tag not in OTHER_CURVES:
                yield case["id"], tag, wanted, value(find(tag, dialect=dialect), case["input"])


@pytest.mark.parametrize(
    ("name", "dialect", "count"),
    [
        ("classification_binary", None, 799),
        ("classification_binary", "familiar", 1640),
        ("classification_multiclass", None, 1282),
        ("classification_multiclass", "familiar", 984),
    ],
)
def test_every_tag_agrees_with_its_reference(
    name: str, dialect: str | None, count: int, reference: Load
) -> None:
    rows = list(compared(reference(name), dialect))
    assert [row for row in rows if not close(row[3], row[2])] == []
    assert len(rows) == count


# Quantities of the paper on scores, each as a measure of probabilities.
SCORES = {
    "accuracy_thr_gt_05": find("accuracy"),
    "auc": find("auc"),
    "somers_dxy": find("somers_dxy"),
    "brier": find("brier"),
    "brier_scaled_seed_mean_prediction": find("scaled_brier", reference="mean_prediction"),
    "brier_scaled_prevalence": find("scaled_brier"),
    "tjur_r2": find("tjur_r2"),
    "log_score_mean_nats": find("log_score"),
    "log_score_mean_bits": find("log_score", base=2),
    "cox_snell_r2": find("cox_snell_r2"),
    "nagelkerke_r2": find("nagelkerke_r2"),
    "mcfadden_r2": find("mcfadden_r2"),
}


@pytest.mark.parametrize("column", ["p", "p2"])
def test_scores_of_probabilities_agree_with_exact_arithmetic(column: str, reference: Load) -> None:
    checked = 0
    for case in reference("dinga_scores")["cases"]:
        if column not in case["input"]:
            continue
        predictions = Binary(case["input"]["y"], probability=case["input"][column])
        for key, measure in SCORES.items():
            wanted = case["expected"].get(key + "_model2" * (column == "p2"))
            if wanted is not None:
                assert close(measure.of(predictions), wanted["exact"]), (case["id"], key)
                checked += 1
    assert checked >= 12 * 15


def test_log_likelihoods_are_the_log_score_and_chance_times_n(reference: Load) -> None:
    log_score = find("log_score")
    for case in reference("dinga_scores")["cases"]:
        predictions = Binary(case["input"]["y"], probability=case["input"]["p"])
        expected, n = case["expected"], predictions.n
        assert close(n * log_score.of(predictions), expected["log_likelihood"]["exact"])
        assert log_score.reference is not None
        null = n * log_score.reference(predictions, log_score)
        assert close(null, expected["log_likelihood_null"]["exact"])


def test_confusion_tables_of_fruit_agree_with_exact_arithmetic(reference: Load) -> None:
    checked = 0
    for case in reference("nag_confusion")["cases"]:
        given = case["input"]
        table = np.transpose(given["confusion_rows_predicted_cols_actual"])
        for key, sources in case["expected"].items():
            if key in ("P", "N", "TP", "TN", "FP", "FN"):
                continue
            name = f"f_beta({key.removeprefix('fbeta_')})" if key.startswith("fbeta_") else key
            found = find(name).from_confusion(
                table, labels=given["levels"], pos_label=given.get("positive")
            )
            assert close(found, sources["exact"]), (case["id"], key)
            checked += 1
    assert checked == 7 * 19 + 2 * 7


REAL = {
    "auc1": ("auc", "p_model1"),
    "auc2": ("auc", "p_model2"),
    "accuracy1": ("accuracy", "p_model1"),
    "accuracy2": ("accuracy", "p_model2"),
    "brier1": ("brier", "p_model1"),
    "logloss1": ("log_loss", "p_model1"),
    "tjur1": ("tjur_r2", "p_model1"),
    "nagelkerke1": ("nagelkerke_r2", "p_model1"),
}


def test_predictions_of_real_data_score_as_in_r(reference: Load) -> None:
    checked = 0
    for case in reference("realdata")["cases"]:
        for key, (name, column) in REAL.items():
            if key in case["expected"]:
                predictions = Binary(case["input"]["y"], probability=case["input"][column])
                found = find(name).of(predictions)
                assert close(found, case["expected"][key]["R"]), (case["id"], key)
                checked += 1
    assert checked == 8 + 6


CURVES = {
    "auc": find("auc"),
    "max_youden_j": find("max_youden_j"),
    "average_precision": find("average_precision"),
    "partial_auc_fpr_0_to_0.2": find("partial_auc", max_fpr=0.2, standardised=False),
    "partial_auc_fpr_0_to_0.2_mcclish": find("partial_auc", max_fpr=0.2),
}


def test_areas_under_curves_agree_with_exact_arithmetic(reference: Load) -> None:
    checked = 0
    for case in reference("roc_pr")["cases"]:
        predictions = Binary(case["input"]["y"], score=case["input"]["p"])
        for key, measure in CURVES.items():
            if key in case["expected"]:
                found = measure.of(predictions)
                assert close(found, case["expected"][key]["exact"]), (case["id"], key)
                checked += 1
    assert checked >= 13 * 4
