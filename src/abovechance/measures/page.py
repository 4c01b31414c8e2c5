"""The page of a measure, from its declaration: what `help` and the command line say of it."""

import inspect
from collections.abc import Iterator, Mapping
from textwrap import fill
from typing import Any

from abovechance.measures.measure import AVERAGES, Law, Measure, defaults, shown
from abovechance.predictions import View

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
    before, sections = _sections(measure.doc)
    call = f"{measure.name}{signature(measure).replace(return_annotation=inspect.Signature.empty)}"
    called = fill(call, WIDTH, subsequent_indent="    ", break_long_words=False)
    parts = [called, before, _heading("Parameters", "\n".join(_parameters(measure, sections)))]
    parts.append(_heading("Returns", _entry("float", _returned(measure))))
    notes = "\n\n".join(filter(None, (sections.get("Notes", ""), "\n".join(_facts(measure)))))
    sections = {**sections, "Notes": notes}
    sections.setdefault("References", measure.source)
    parts += [_heading(name, sections[name]) for name in OTHER_SECTIONS if name in sections]
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
        "Parameters": ", ".join(f"{k}={shown(v)}" for k, v in measure.parameters.items()),
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
    stated = dict(_entries(sections.get("Parameters", "")))
    takes = signature(measure).parameters
    unset = defaults(measure.formula)
    for name in takes:
        if name not in unset:
            yield _entry(name, EXPLAINED.get(name) or _of_array(measure, name))
            continue
        changed = takes[name].default != unset[name]
        here = f" Set to {shown(takes[name].default)} here." if changed else ""
        yield _entry(name, stated.get(name, "") + here)


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


def _sections(doc: str) -> tuple[str, dict[str, str]]:
    """A docstring as the text before its first section, and its sections by name."""
    before: list[str] = []
    sections: dict[str, str] = {}
    current = ""
    lines = doc.splitlines()
    for i, line in enumerate(lines):
        below = lines[i + 1] if i + 1 < len(lines) else ""
        if line and set(below) == {"-"} and len(below) == len(line):
            current = line
            sections.setdefault(current, "")
        elif current and set(line) == {"-"}:
            continue
        elif current:
            sections[current] += line + "\n"
        else:
            before.append(line)
    return "\n".join(before).strip(), {k: v.strip("\n") for k, v in sections.items()}


def _entries(section: str) -> Iterator[tuple[str, str]]:
    """The names of a section of parameters, each with its text."""
    names = ""
    text: list[str] = []
    for line in section.splitlines():
        if line and not line[0].isspace():
            yield from ((name.strip(), " ".join(text)) for name in names.split(",") if name)
            names, text = line.split(":")[0], []
        else:
            text.append(line.strip())
    yield from ((name.strip(), " ".join(text)) for name in names.split(",") if name)


def _entry(name: str, text: str) -> str:
    return f"{name}\n" + fill(text, WIDTH, initial_indent="    ", subsequent_indent="    ")


def _heading(name: str, text: str) -> str:
    return f"{name}\n{'-' * len(name)}\n{text}"
