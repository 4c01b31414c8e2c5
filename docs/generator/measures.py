"""A page for every measure, from its declaration."""

import re
from functools import cache
from itertools import groupby
from typing import Any

from abovechance.measures import Law, every
from abovechance.measures.as_function import chance_in_words, reference_in_words

from . import measured, methods
from .behaviour import picture

FAMILIES = {
    "categorical": "Of predicted classes: they need a threshold.",
    "rank": "Of the order of the cases: no threshold, no probabilities.",
    "quadratic": "Squared distance between outcome and probability.",
    "information": "How probable the model thought what then happened.",
    "calibration": "Whether events happen as often as predicted.",
    "utility": "What acting on the predictions gains or costs.",
    "regression": "Of predicted numbers.",
    "survival": "Of times to an event, some of them censored.",
}
READS = {
    "label": "a predicted class",
    "score": "a score or a probability, higher for the positive class",
    "probability": "predicted probabilities",
    "value": "predicted numbers",
    "risk": "a predicted risk, higher for earlier events",
    "survival": "predicted survival probabilities at stated times",
}
LAWS = {
    Law.SHARE: "a share of all cases",
    Law.CONDITIONAL: "a share of some of the cases, whose number is itself chance",
    Law.BALANCED: "a mean of shares, one for each class",
    Law.PAIRS: "a share of pairs of cases; pairs that have a case in common are not independent",
    Law.CENSORED_PAIRS: "a share of the pairs that censoring leaves comparable",
    Law.MEAN: "a mean of one loss per case",
    Law.UNKNOWN: "no simple law, so it is found by resampling or by leaving cases out",
    Law.CALIBRATION: "that of a fitted line or curve, compared with perfect calibration",
    Law.UTILITY: "a weighted sum of shares",
}


def pages() -> dict[str, str]:
    """File name → text, in reStructuredText, as the docstrings are."""
    known = every()
    found = {f"measures/{name}.rst": _page(measure) for name, measure in known.items()}
    found["measures/index.rst"] = _index(list(known.values()))
    return found


def _index(known: list[Any]) -> str:
    parts = [
        _title("Measures"),
        f"{len(known)} measures, a page each, made from their declarations. "
        ":doc:`/which-measure` helps to choose.\n",
    ]
    for family, group in groupby(known, key=lambda m: m.family.value):
        members = list(group)
        parts.append(_title(family.capitalize(), "-") + f"\n{FAMILIES[family]}\n")
        rows = [
            (f":doc:`{m.title} <{m.name}>`", f"``{m.name}``", _range(m), _number(m.best), _first(m))
            for m in members
        ]
        parts.append(table(("measure", "name", "range", "best", "meaning"), rows))
    listed = "\n".join(f"   {m.name}" for m in known)
    parts.append(f".. toctree::\n   :hidden:\n\n{listed}\n")
    return "\n".join(parts)


def _page(measure: Any) -> str:
    doc, examples = _parted(measure.doc)
    parts = [_title(measure.title), doc, "\n"]
    drawn = picture(measure)
    if drawn:
        parts += [_title("How it behaves", "-"), ".. raw:: html\n", _indented(drawn), ""]
    parts += [_title("Facts", "-"), _fields(_facts(measure)), ""]
    warned = _pitfalls(measure)
    if warned:
        parts += [_title("Watch out", "-"), *(f"- {text}" for text in warned), ""]
    parts += [_title("Interval and test", "-"), _inference(measure)]
    parts += [_title("Measured", "-"), _measured(measure)]
    parts += [_title("Call it", "-"), _calls(measure, examples)]
    return "\n".join(parts)


def _facts(measure: Any) -> dict[str, str]:
    sklearn = _scikit_learn_names(measure)
    others = [alias for alias in measure.aliases if alias not in sklearn]
    averages = ", ".join(f"``{measure.name}_{a}``" for a in ("macro", "micro", "weighted"))
    facts = {
        "Name": f"``{measure.name}``",
        "Family": measure.family.value,
        "Reads": f"{READS[measure.reads.value]}; {' and '.join(sorted(measure.outcomes))} outcomes",
        "Range": f"{_range(measure)}, best {_number(measure.best)}",
        "Chance": _escaped(chance_in_words(measure)),
        "Reference": _escaped(reference_in_words(measure)),
        "Law": f"{measure.law.value}: {LAWS[measure.law]}",
        "Depends on prevalence": _prevalence(measure),
        "Undefined": f"when {measure.undefined}" if measure.undefined else "",
        "Parameters": ", ".join(f"``{k}={v!r}``" for k, v in measure.parameters.items()),
        "Over several classes": averages if measure.averages else "",
        "In scikit-learn": ", ".join(f"``{name}``" for name in sklearn),
        "Also called": ", ".join(f"``{alias}``" for alias in others),
        "Source": _escaped(measure.source),
    }
    return {key: text for key, text in facts.items() if text}


def _prevalence(measure: Any) -> str:
    if "binary" not in measure.outcomes or measure.family.value == "calibration":
        return ""
    return "no" if measure.prevalence_free else "yes"


def _pitfalls(measure: Any) -> list[str]:
    """What follows from the facts for a reader of the value."""
    binary = "binary" in measure.outcomes
    found = []
    if binary and measure.reads.value == "label":
        found.append(
            "It judges classes, so it depends on the threshold that made them (0.5 unless you say "
            "otherwise) and ignores how sure the model was."
        )
    if binary and not measure.prevalence_free and measure.family.value != "calibration":
        found.append(
            "It changes with how common the classes are: values from samples of different "
            "prevalence, or from a case-control sample, do not compare."
        )
    if measure.higher_is_better is None and measure.family.value == "calibration":
        found.append(
            f"The best value is {_number(measure.best)}, between the extremes: neither more nor "
            "less is better."
        )
    if measure.calibration is not None and measure.calibration.value == "distance":
        found.append(
            "Chance makes it greater than 0 even when every probability is right. Compare it with "
            "the value expected if they were, which is given beside it."
        )
    elif measure.extreme:
        found.append(
            "It is a largest distance or share, which chance alone makes greater than it is; "
            "compare it with what chance gives."
        )
    if measure.family.value in ("rank",) and binary:
        found.append(
            "It says nothing on whether probabilities are right: halve them all, and it stays."
        )
    if measure.higher_is_better is False and measure.range[1] == float("inf"):
        found.append("It has no natural upper end: judge it beside its reference, not by itself.")
    if measure.needs_index_draws:
        found.append("Resamples are evaluated one by one, so large samples take longer.")
    return found


def _inference(measure: Any) -> str:
    declared = methods.defaults_of(measure.law)
    parts = []
    if declared:
        parts.append(
            "By default, for independent cases; an arrow leads to what stands in where the first "
            "does not fit:\n\n" + _fields(declared) + "\n"
        )
    seen = _on_examples().get(measure.name)
    if seen is not None:
        example, estimate = seen
        facts = {"Value": _value(estimate.value)}
        if estimate.interval is not None:
            low, high = (_value(x) for x in (estimate.interval.low, estimate.interval.high))
            facts["95 % interval"] = f"{low} to {high} ({_escaped(estimate.interval.method)})"
        else:
            facts["95 % interval"] = "none"
        if estimate.chance is not None:
            facts["Chance"] = _value(estimate.chance)
        if estimate.p_value is not None:
            facts["Test"] = f"p = {estimate.p_value:.2g} ({_escaped(str(estimate.test))})"
            facts["Hypothesis tested"] = _escaped(str(estimate.hypothesis))
        parts.append(f"On {example}:\n\n{_fields(facts)}\n")
    if not parts:
        parts.append(
            "``abovechance assess`` prints the method of every interval and test with the result.\n"
        )
    return "\n".join(parts)


@cache
def _on_examples() -> dict[str, tuple[str, Any]]:
    """What assess answers on bundled predictions, by measure."""
    import numpy as np

    import abovechance as ac

    diabetes = ac.examples.diabetes()
    one_fold = diabetes.take(np.flatnonzero(np.asarray(diabetes.cases.fold) == "1"))
    studies = {
        "the example predictions ``breast_cancer.csv``, column ``p_texture``": ac.assess(
            ac.examples.breast_cancer("p_texture"), rng=1
        ),
        "the first fold of the example predictions ``diabetes.csv``, column ``ridge``": ac.assess(
            one_fold, rng=1
        ),
    }
    return {
        e.measure: (example, e)
        for example, found in studies.items()
        for e in found
        if e.by is None and e.class_ is None
    }


def _measured(measure: Any) -> str:
    found = measured.of_measure(measure.name)
    if found:
        return measured.table(found) + (
            "\nEach row names what was simulated; where that is not the method above, the table "
            "was made with an earlier default.\n"
        )
    return (
        "Not simulated for this measure by itself; the pages of the methods above have what was "
        "measured of them on other measures of the same law.\n"
    )


def _calls(measure: Any, examples: str) -> str:
    parts = [examples] if examples else []
    if measure.outcomes <= {"numeric"} and not measure.many_outputs:
        command = f"abovechance assess FILE --outcome COL --value COL --measures {measure.name}"
    elif measure.family.value == "survival":
        way = "--risk COL" if measure.reads.value == "risk" else "--survival COLS"
        command = f"abovechance assess FILE --time COL --event COL {way} --measures {measure.name}"
    elif measure.many_outputs:
        command = f"abovechance assess FILE --outcome COLS --value COLS --measures {measure.name}"
    else:
        command = (
            f"abovechance assess FILE --outcome COL --probability COL --measures {measure.name}"
        )
    parts.append(f".. code-block:: text\n\n   {command}\n")
    return "\n".join(parts)


def _parted(doc: str) -> tuple[str, str]:
    """The docstring without its examples, and these as a block that imports what it uses."""
    text, _, examples = doc.partition("\nExamples\n--------\n")
    text = re.sub(r"^(\w[\w ]*)\n-+$", r".. rubric:: \1\n", text, flags=re.MULTILINE)
    if not examples.strip():
        return text, ""
    name = re.match(r">>> (\w+)\(", examples.strip())
    start = f">>> from abovechance.measures import {name[1]}\n" if name else ""
    block = (start + examples.strip()).split("\n\n")[0]
    return text, f".. code-block:: pycon\n\n{_indented(block)}\n"


def _scikit_learn_names(measure: Any) -> list[str]:
    import sklearn.metrics

    known = {*sklearn.metrics.get_scorer_names(), *sklearn.metrics.__all__} - {"auc"}
    return [alias for alias in (measure.name, *measure.aliases) if alias in known]


def _first(measure: Any) -> str:
    return _parted(measure.doc)[0].strip().split("\n\n")[0].replace("\n", " ")


def _range(measure: Any) -> str:
    low, high = (_number(x) for x in measure.range)
    return f"{low} to {high}"


def _number(value: float) -> str:
    return f"{value:g}".replace("inf", "∞").replace("-", "−")


def _value(value: float) -> str:
    return f"{value:.3f}".replace("-", "−").replace("inf", "∞")


def _title(text: str, sign: str = "=") -> str:
    return f"{text}\n{sign * len(text)}\n"


def _indented(text: str) -> str:
    return "\n".join(f"   {line}" if line else "" for line in text.splitlines())


def _escaped(text: str) -> str:
    return re.sub(r"([*_`|\\])", r"\\\1", text)


def _fields(rows: dict[str, str]) -> str:
    return table(None, list(rows.items()))


def table(heads: tuple[str, ...] | None, rows: list[tuple[str, ...]]) -> str:
    lines = [".. list-table::"]
    if heads is not None:
        lines.append("   :header-rows: 1")
    lines.append("")
    for row in [*([heads] if heads else []), *rows]:
        for number, cell in enumerate(row):
            lines.append(f"   {'* -' if number == 0 else '  -'} {cell}")
    return "\n".join(lines) + "\n"
