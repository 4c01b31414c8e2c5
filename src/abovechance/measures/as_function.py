"""A measure as something to call: arrays to predictions, a scorer, and its page in `help`."""

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from textwrap import fill
from typing import Any

import numpy as np

from abovechance.docstrings import PARAMETERS, entries, entry, heading, parted
from abovechance.errors import DataError, NotApplicable, listed, shown
from abovechance.measures.measure import AVERAGES, Law, Measure, defaults
from abovechance.measures.measure import shown as as_parameter
from abovechance.measures.utility import at_threshold
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, Survival, View, checks
from abovechance.predictions.checks import aligned

# ----------------------------------------------------------------------------------------------
# From plain arrays to the predictions a measure needs.
# ----------------------------------------------------------------------------------------------


COMMON = ("pos_label", "labels", "sample_weight", "counts")
SURVIVAL = ("risk", "predicted_time", "survival", "times", "censoring", "sample_weight", "counts")


def call(measure: Measure, arrays: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A number for arrays, or the measure with parameters when no arrays are given."""
    survival = "survival" in measure.outcomes
    known = SURVIVAL if survival else COMMON
    given = {k: options.pop(k) for k in known if k in options}
    if arrays and isinstance(arrays[0], Predictions):
        _only(measure, arrays, 1)
        chosen = measure.with_parameters(**options) if options else measure
        return at_threshold(chosen, arrays[0]).of(arrays[0])
    if len(arrays) < 2 and not given:
        names = list(measure.parameters)
        if not arrays and not options:
            raise NotApplicable(_usage(measure))
        if arrays and (not names or np.ndim(arrays[0]) > 0):
            raise NotApplicable(_usage(measure))
        return measure.with_parameters(**dict(zip(names, arrays, strict=False)), **options)
    chosen = measure.with_parameters(**options) if options else measure
    _only(measure, arrays, 2)
    if survival:
        return chosen.of(Survival(*arrays, **given))
    return chosen.of(predictions_for(chosen, arrays[0], arrays[1], **given))


def predictions_for(
    measure: Measure,
    y_true: Any,
    prediction: Any,
    *,
    pos_label: Any = None,
    labels: Any = None,
    sample_weight: Any = None,
    counts: Any = None,
) -> Predictions:
    """Outcome and prediction as the kind of predictions a measure reads."""
    columns = {"outcome": y_true, "prediction": prediction}
    columns |= {"sample_weight": sample_weight, "counts": counts}
    weights, _, _ = aligned(columns)
    y_true, prediction = weights.pop("outcome"), weights.pop("prediction")
    if measure.reads is View.VALUE:
        return Numeric(y_true, prediction, **weights)
    if measure.reads is View.LABEL:
        return _labelled(measure, y_true, prediction, pos_label, labels, weights)
    if isinstance(prediction, Mapping) or checks.axes(prediction) == 2:
        several = Multiclass(y_true, probability=prediction, labels=labels, **weights)
        if pos_label is not None:
            return several.against_rest(pos_label)
        if "multiclass" in measure.outcomes:
            return several
        if len(several.classes) == 2 and several.classes in ((0, 1), (False, True)):
            return several.against_rest(several.classes[1])
        raise NotApplicable(f"{measure.title} is for two classes; pass pos_label= for one of them.")
    outcome, pos_label = _one_against_rest(y_true, pos_label, labels)
    if "binary" not in measure.outcomes:
        raise NotApplicable(f"{measure.title} needs one column of probabilities per class.")
    kind = "probability" if measure.reads is View.PROBABILITY else "score"
    labels = labels if labels is not None and len(checks.names("labels", labels)) == 2 else None
    return Binary(outcome, pos_label=pos_label, labels=labels, **{kind: prediction}, **weights)


def from_confusion(measure: Measure, table: Any, labels: Any, pos_label: Any) -> float:
    """The value of one confusion table: rows actual, columns predicted."""
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise DataError("a confusion table must be square: rows actual, columns predicted.")
    if (counts < 0).any() or not np.isfinite(counts).all():
        raise DataError("a confusion table must hold counts that are finite and not negative.")
    names = list(range(len(counts))) if labels is None else list(labels)
    if len(names) != len(counts):
        raise DataError(f"labels must name the {len(counts)} classes; got {listed(names)}.")
    if pos_label is not None:
        at = [i for i, name in enumerate(names) if checks.same_label(name, pos_label)]
        if not at:
            raise DataError(f"pos_label must be one of {listed(names)}; got {shown(pos_label)}.")
        inside = np.eye(len(counts), dtype=bool)[at[0]]
        groups = np.stack([~inside, inside]).astype(np.float64)
        counts = groups @ counts @ groups.T
    elif measure.directed and len(counts) == 2 and labels is not None and names not in _CODED:
        raise DataError(f"pos_label must say which class is positive: {listed(names)}.")
    return float(measure.on_counts(counts))


_CODED = ([0, 1], [False, True], ["0", "1"])


def _labelled(
    measure: Measure, y_true: Any, prediction: Any, pos_label: Any, labels: Any, weights: Any
) -> Predictions:
    several = Multiclass(y_true, label=prediction, labels=labels, **weights)
    classes = several.classes
    if labels is None:
        _refuse_other_coding(several)
    if pos_label is not None:
        return several.against_rest(pos_label)
    if measure.average is not None or (len(classes) > 2 and "multiclass" in measure.outcomes):
        return several
    if len(classes) > 2:
        raise NotApplicable(
            f"{measure.title} is for two classes; found {listed(classes)}. "
            "Pass pos_label= for one class against the rest."
        )
    if not measure.directed and "multiclass" in measure.outcomes:
        return several
    return Binary(y_true, label=prediction, labels=labels, **weights)


def _refuse_other_coding(several: Multiclass) -> None:
    """Refuse 0/1 outcomes beside whole numbers that are no 0/1: percentages, −1/1, 1/2."""
    seen = [c for c, share in zip(several.classes, several.prevalences, strict=True) if share > 0]
    others = [c for c in several.classes if c not in (0, 1)]
    if others and [float(c) for c in seen if not isinstance(c, str)] == [0.0, 1.0]:
        raise DataError(
            f"label must be coded 0/1 as outcome is; it holds {listed(others, 3)} too. Recode it, "
            "or pass labels= to declare more than two classes."
        )


def _one_against_rest(y_true: Any, pos_label: Any, labels: Any) -> tuple[Any, Any]:
    """With `pos_label` on more than two classes: that class against the rest."""
    if pos_label is None:
        return y_true, None
    outcome = checks.vector("outcome", y_true)
    found = checks.distinct(outcome) if labels is None else checks.names("labels", labels)
    if len(found) <= 2:
        return outcome, pos_label
    if not any(checks.same_label(c, pos_label) for c in found):
        raise DataError(f"pos_label must be one of {listed(found)}; got {shown(pos_label)}.")
    return np.array([checks.same_label(v, pos_label) for v in outcome.tolist()]), None


def _only(measure: Measure, arrays: tuple[Any, ...], most: int) -> None:
    if len(arrays) != most:
        raise NotApplicable(_usage(measure))


def _usage(measure: Measure) -> str:
    if "survival" in measure.outcomes:
        takes = "time, event, risk=… (or predicted_time=, survival= with times=)"
    else:
        takes = "y_true, prediction"
    return f"{measure.name} takes {takes}; everything else by keyword."


# ----------------------------------------------------------------------------------------------
# A measure as a scikit-learn scorer.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scorer:
    """Callable as scikit-learn's `scoring=` wants it: greater is better, losses negated."""

    measure: Measure
    pos_label: Any = None

    def __post_init__(self) -> None:
        if self.measure.higher_is_better is None:
            raise NotApplicable(f"{self.measure.title} has no better direction to select by.")
        if "survival" in self.measure.outcomes:
            raise NotApplicable(f"{self.measure.title} needs survival times; no scorer for it.")

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The measure of the estimator's predictions for X, negated where lower is better."""
        classes = getattr(estimator, "classes_", None)
        labels = None if classes is None else np.asarray(classes).tolist()
        measure, pos_label = self.measure, self.pos_label
        two = labels is not None and len(labels) == 2
        if measure.reads is View.LABEL:
            prediction = estimator.predict(X)
            pos_label = pos_label if measure.average is None else None
        elif measure.reads is View.VALUE:
            prediction, labels = estimator.predict(X), None
        else:
            prediction = _scores(estimator, X, measure.reads)
            if two:
                prediction, pos_label = _positive(prediction, labels, pos_label)
        made = predictions_for(
            measure, y, prediction, pos_label=pos_label, labels=labels, sample_weight=sample_weight
        )
        value = measure.of(made)
        return value if measure.higher_is_better else -value


def _scores(estimator: Any, X: Any, reads: View) -> Any:
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X))
    if reads is View.SCORE and hasattr(estimator, "decision_function"):
        values = np.asarray(estimator.decision_function(X))
        if values.ndim == 1:
            return values
        raise NotApplicable(
            "decision values of more than two classes cannot be compared with each other; "
            f"{type(estimator).__name__} must have predict_proba for them."
        )
    raise NotApplicable(
        f"{type(estimator).__name__} must have predict_proba for a measure of probabilities."
    )


def _positive(prediction: Any, labels: Any, pos_label: Any) -> tuple[Any, Any]:
    """The column of the positive class; scores are turned when it is scikit-learn's first."""
    positive = labels[1] if pos_label is None and labels in ([0, 1], [False, True]) else pos_label
    if positive is None:
        raise NotApplicable(
            f"the classes are {labels[0]!r} and {labels[1]!r}: say which is positive with "
            "measure.scorer(pos_label=…)."
        )
    first = checks.same_label(labels[0], positive)
    if prediction.ndim == 2:
        return prediction[:, 0 if first else 1], positive
    return (-prediction if first else prediction), positive


# ----------------------------------------------------------------------------------------------
# The page of a measure, from its declaration: what `help` and the command line say of it.
# ----------------------------------------------------------------------------------------------


WIDTH = 79  # help() indents by four: the page still fits a terminal
ARRAYS = {
    View.LABEL: ("y_true", "y_pred"),
    View.SCORE: ("y_true", "y_score"),
    View.PROBABILITY: ("y_true", "y_proba"),
    View.VALUE: ("y_true", "y_pred"),
    View.RISK: ("time", "event"),
    View.SURVIVAL: ("time", "event"),
}
PREDICTED = {
    View.RISK: ("risk", "predicted_time", "censoring"),
    View.SURVIVAL: ("survival", "times", "censoring"),
}
EXPLAINED = {
    "time": "Time of the event or of censoring; or predictions alone, in place of all arrays.",
    "event": "Whether the event happened (1) or the case was censored (0).",
    "risk": "Predicted risk, higher for earlier events.",
    "predicted_time": "Predicted time of the event, in place of `risk`.",
    "survival": "Predicted probabilities of being event-free at `times` (cases × times).",
    "times": "The times that the columns of `survival` belong to, ascending.",
    "censoring": "Times and events of the training data, for the distribution of censoring; "
    "the evaluated cases' own when not given.",
    "pos_label": "The positive class; needed unless classes are coded 0/1. With several classes: "
    "this one against the rest.",
    "labels": "The declared classes, in the order of the columns of probabilities; those that "
    "occur when not given.",
    "sample_weight": "Sampling weight of each case; all count alike when not given.",
    "counts": "Number of cases that each row stands for; one when not given.",
}
OTHER_SECTIONS = ("See Also", "Notes", "References", "Examples")


def array_names(measure: Measure) -> tuple[str, str]:
    """What the two arrays are called that a measure takes by position."""
    return ARRAYS[measure.reads]


def signature(measure: Measure) -> inspect.Signature:
    """What a measure can be called with, truth first, prediction second."""
    kinds = inspect.Parameter
    arrays = [kinds(name, kinds.POSITIONAL_OR_KEYWORD) for name in array_names(measure)]
    options = dict.fromkeys(_options(measure)) | dict(measure.parameters)
    keywords = [kinds(k, kinds.KEYWORD_ONLY, default=v) for k, v in options.items()]
    return inspect.Signature([*arrays, *keywords], return_annotation=float)


def _options(measure: Measure) -> Iterator[str]:
    yield from PREDICTED.get(measure.reads, ())
    if "binary" in measure.outcomes and measure.average is None:
        yield "pos_label"
    if measure.outcomes & {"binary", "multiclass"}:
        yield "labels"
    if measure.weighted:
        yield "sample_weight"
    yield "counts"


def page(measure: Measure) -> str:
    """The page of a measure as numpydoc: how it is called, its formula, parameters and facts."""
    before, sections = parted(measure.doc)
    call = f"{measure.name}{signature(measure).replace(return_annotation=inspect.Signature.empty)}"
    called = fill(call, WIDTH, subsequent_indent="    ", break_long_words=False)
    parts = [called, before, heading("Parameters", "\n".join(_parameters(measure, sections)))]
    parts.append(heading("Returns", entry("float", _returned(measure), WIDTH - 4)))
    notes = "\n\n".join(filter(None, (sections.get("Notes", ""), "\n".join(_facts(measure)))))
    sections = {**sections, "Notes": notes}
    sections.setdefault("References", measure.source)
    parts += [heading(name, sections[name]) for name in OTHER_SECTIONS if name in sections]
    return "\n\n".join(parts)


def _facts(measure: Measure) -> Iterator[str]:
    yield f"{measure.title} ({measure.family} family):"
    yield ""
    elsewhere = ("Parameters", "Source", "Undefined")  # on the page as sections of their own
    facts = {k: v for k, v in facts_in_words(measure).items() if k not in elsewhere}
    for name, text in facts.items():
        yield fill(f"- {name}: {text}", WIDTH, subsequent_indent="  ")


def facts_in_words(measure: Measure) -> dict[str, str]:
    """What a measure declares, each fact in words; those it does not state are left out."""
    low, high = (number(x) for x in measure.range)
    facts = {
        "Reads": f"{measure.reads.value}; {', '.join(sorted(measure.outcomes))} outcomes",
        "Range": f"{low} to {high}, best {number(measure.best)}",
        "Chance": chance_in_words(measure),
        "Reference": reference_in_words(measure),
        "Law": measure.law.value,
        "Several classes": _several_classes(measure),
        "Undefined": f"when {measure.undefined}" if measure.undefined else "",
        "Parameters": ", ".join(f"{k}={as_parameter(v)}" for k, v in measure.parameters.items()),
        "Averages": "add _macro, _micro or _weighted" if measure.averages else "",
        "Also called": ", ".join(measure.aliases),
        "Source": measure.source,
        "Package": "" if package_of(measure) == "abovechance" else package_of(measure),
    }
    return {name: text for name, text in facts.items() if text}


def package_of(measure: Measure) -> str:
    """The package that declares a measure: this one, or that of a plug-in."""
    return measure.origin[0].partition(".")[0]


def chance_in_words(measure: Measure) -> str:
    """What shuffled outcomes score on average: a number, or how it comes about."""
    if measure.law is Law.CALIBRATION or measure.higher_is_better is None:
        return ""
    return _level_in_words(measure.chance) or "Its mean when outcomes are shuffled among the cases"


def reference_in_words(measure: Measure) -> str:
    """What the same prediction for every case scores: a number, or which prediction it is."""
    return _level_in_words(measure.reference)


def _level_in_words(level: Any) -> str:
    if level is None:
        return ""
    stated = getattr(level, "level", None)
    if stated is not None:
        return number(stated)
    if hasattr(level, "title"):
        return f"The value of predicting one number for every case: the {level.title}"
    return (inspect.getdoc(level) or "").split("\n")[0].rstrip(".")


def number(value: float) -> str:
    """A number as a reader writes it.

    >>> number(-0.5), number(float("inf"))
    ('−0.5', '∞')
    """
    return f"{value:g}".replace("inf", "∞").replace("-", "−")


def _several_classes(measure: Measure) -> str:
    if measure.outcomes == {"binary"}:
        return "one class against the rest, by pos_label"
    if measure.averages:
        return f"the {AVERAGES['macro']} ({measure.name}_macro)"
    if measure.multiclass is None:
        return ""
    own = (inspect.getdoc(measure.multiclass.formula) or "").split("\n")[0].rstrip(".")
    return own or "one column of probabilities per class"


def _parameters(measure: Measure, sections: Mapping[str, str]) -> Iterator[str]:
    stated = dict(entries(sections.get("Parameters", "")))
    takes = signature(measure).parameters
    unset = defaults(measure.formula)
    for name in takes:
        if name not in unset:
            yield entry(name, EXPLAINED.get(name) or _of_array(measure, name), WIDTH - 4)
            continue
        changed = takes[name].default != unset[name]
        here = f" Set to {as_parameter(takes[name].default)} here." if changed else ""
        said = stated.get(name) or PARAMETERS.get(name, "")
        yield entry(name, said + here, WIDTH - 4)


def _of_array(measure: Measure, name: str) -> str:
    if name == "y_true":
        what = "numbers" if measure.reads is View.VALUE else "classes"
        return f"Observed {what}; or predictions alone, in place of both arrays."
    if measure.reads is View.VALUE:
        return "Predicted numbers."
    if measure.reads is View.LABEL:
        return "Predicted classes."
    one = {
        View.PROBABILITY: "Predicted probability of the positive class",
        View.SCORE: "A score that grows with the probability of the positive class",
    }[measure.reads]
    columns = "one column of probabilities per class (cases × classes, or by class)"
    if "binary" not in measure.outcomes:
        return f"{columns.capitalize()}."
    return f"{one}; of several classes {columns}."


def _returned(measure: Measure) -> str:
    if not measure.undefined:
        return "The value."
    return f"The value; `nan` when {measure.undefined}."
