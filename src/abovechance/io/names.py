"""The names columns go by."""

import re
from collections.abc import Iterable

# Names are compared in lower case, with blanks, dots and dashes as underscores.
NAMES: dict[str, tuple[str, ...]] = {
    "outcome": (
        *("y", "y_true", "ytrue", "outcome", "truth", "target", "actual", "observed"),
        *("true_class", "true_label"),
    ),
    "probability": (
        *("p", "prob", "proba", "probability", "y_proba", "y_prob", "pred_prob", "pred_proba"),
        *("p_hat", "phat", "predicted_probability", "predicted_prob"),
    ),
    "score": ("score", "y_score", "decision", "decision_function", "decision_value"),
    "label": ("label", "predicted_class", "predicted_label", "pred_class", "pred_label"),
    "value": ("value", "predicted_value", "fitted"),
    "time": ("time", "futime", "survtime", "survival_time", "follow_up", "followup", "duration"),
    "event": ("event", "status", "fustat", "event_observed"),
    "risk": ("risk", "risk_score", "linear_predictor", "lp"),
    "predicted_time": ("predicted_time", "pred_time", "predicted_survival_time"),
    "id": ("id",),
    "fold": ("fold", "cv_fold", "fold_id"),
    "repeat": ("repeat", "cv_repeat", "repetition"),
    "groups": ("group", "groups", "cluster"),
    "sample_weight": ("sample_weight", "sample_weights", "case_weight", "case_weights"),
    "counts": ("count", "counts", "freq"),
    "order": (),  # never guessed: a column of dates may be anything
}
# Names that count only where no column has one of the names above.
SECOND_NAMES: dict[str, tuple[str, ...]] = {
    "outcome": ("class", "diagnosis"),
    "id": ("case", "case_id", "subject_id", "patient_id", "patientid", "sample_id"),
}
PREDICTION = ("y_pred", "ypred", "yhat", "y_hat", "predicted", "prediction", "pred")
PER_CLASS = ("p_", "prob_", "proba_", "probability_")
PER_TIME = re.compile(r"(?:s|surv|survival)_(\d+(?:_\d+)?)")
# Sampling weights, or the weight of a patient: never taken unasked.
WEIGHT_LIKE = ("weight", "weights", "w")


def normal(name: str) -> str:
    """A name for comparing: lower case, with blanks, dots and dashes as underscores.

    >>> normal(" Y.True ")
    'y_true'
    """
    return re.sub(r"[\s.\-]+", "_", name.strip().casefold())


def fitting(role: str, names: Iterable[str]) -> list[str]:
    """The names that fit a role; a second-best name only when there is no better one.

    >>> fitting("outcome", ["Class", "p"]), fitting("outcome", ["Class", "y", "p"])
    (['Class'], ['y'])
    """
    free = list(names)
    known = PREDICTION if role == "prediction" else NAMES[role]
    best = [name for name in free if normal(name) in known]
    return best or [name for name in free if normal(name) in SECOND_NAMES.get(role, ())]


def time_of(name: str) -> float | None:
    """The time in the name of a column of survival probabilities.

    >>> time_of("S_12"), time_of("surv_0.5"), time_of("score")
    (12.0, 0.5, None)
    """
    match = PER_TIME.fullmatch(normal(name))
    return float(match[1].replace("_", ".")) if match else None
