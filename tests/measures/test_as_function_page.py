"""`help(ac.measures.brier)` is Brier's own page, with a signature that holds what it says."""

import inspect
import pydoc
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance.errors import NotApplicable
from abovechance.measures import Measure, every, find
from abovechance.measures.as_function import number, page, signature
from abovechance.measures.measure import AVERAGES

EVERY = list(every().values())
CALLED = [
    *EVERY,
    *(m.averaged(average) for m in EVERY if m.averages for average in AVERAGES),
    find("f_beta(2)"),
    find("mae_trim"),
    find("auc", dialect="familiar"),
]
VERSIONS = [*CALLED, *(m.multiclass for m in EVERY if m.multiclass is not None)]
each = pytest.mark.parametrize("measure", VERSIONS, ids=[repr(m) for m in VERSIONS])
N = 12


def arguments(measure: Measure) -> dict[str, Any]:
    """Values for everything that the signature of a measure says it takes."""
    rng = np.random.default_rng(3)
    takes = signature(measure).parameters
    numeric, binary = "numeric" in measure.outcomes, "binary" in measure.outcomes
    shape = (N, 2) if measure.many_outputs else N
    y = rng.normal(size=shape) ** 2 + 1 if numeric else np.arange(N) % (2 if binary else 3)
    predicted = y + 0.1 * rng.random(shape) if numeric else np.roll(y, 1)
    of_classes = rng.dirichlet(np.ones(3), N)
    of_one = np.clip(0.6 * y + 0.3 * rng.random(N), 0.01, 0.99) if binary else of_classes
    values = {
        "y_true": y,
        "y_pred": predicted,
        "y_proba": of_one,
        "y_score": of_one,
        "time": np.arange(1.0, N + 1),
        "event": np.arange(N) % 3 > 0,
        "risk": np.linspace(1, 0, N),
        "survival": 1.0 - np.outer(np.linspace(0.9, 0.2, N), [0.3, 0.6]),
        "times": [3.0, 6.0],
        "pos_label": 1,
        "labels": [0, 1] if binary else [0, 1, 2],
        "sample_weight": np.linspace(1, 2, N),
    }
    return {k: v for k, v in values.items() if k in takes}


@pytest.mark.parametrize("measure", CALLED, ids=repr)
def test_the_signature_holds_what_it_says(measure: Measure) -> None:
    value = measure(**arguments(measure))
    assert isinstance(value, float)


@each
def test_the_signature_can_be_had_as_of_any_function(measure: Measure) -> None:
    shown = inspect.signature(measure)
    assert shown == signature(measure)
    first, second = list(shown.parameters.values())[:2]
    assert {first.kind, second.kind} == {inspect.Parameter.POSITIONAL_OR_KEYWORD}
    rest = {k: p.default for k, p in list(shown.parameters.items())[2:]}
    assert {k: rest[k] for k in measure.parameters} == dict(measure.parameters)


@pytest.mark.parametrize("measure", EVERY, ids=[m.name for m in EVERY])
def test_arrays_by_name_are_those_by_position(measure: Measure) -> None:
    named = arguments(measure)
    first, second = list(signature(measure).parameters)[:2]
    by_position = measure(named.pop(first), named.pop(second), **named)
    assert by_position == pytest.approx(measure(**arguments(measure)), nan_ok=True, abs=0)


@pytest.mark.parametrize("measure", [m for m in EVERY if not m.weighted], ids=repr)
def test_weights_are_not_offered_where_they_are_refused(measure: Measure) -> None:
    assert "sample_weight" not in signature(measure).parameters
    with pytest.raises(NotApplicable, match="weight"):
        measure(**arguments(measure), sample_weight=np.linspace(1, 2, N))


@each
def test_help_shows_the_page_of_the_measure(measure: Measure) -> None:
    text = pydoc.render_doc(measure, renderer=pydoc.plaintext)
    assert f"{measure.name}(" in text
    assert (inspect.getdoc(measure.formula) or measure.doc).splitlines()[0] in text
    assert f"- Range: {number(measure.range[0])} to {number(measure.range[1])}, best " in text
    assert f"- Law: {measure.law.value}" in text
    assert f"- Reads: {measure.reads.value}; " in text
    assert f"{measure.title} ({measure.family.value} family)" in text
    flat = " ".join(text.split())
    assert measure.source in flat
    assert "- Also called: " + ", ".join(measure.aliases) in flat or not measure.aliases
    assert "Data descriptors" not in text


@each
def test_every_parameter_is_explained(measure: Measure) -> None:
    section = page(measure).split("\nParameters\n----------\n")[1].split("\n\n")[0]
    lines = section.splitlines()
    named = [line for line in lines if not line.startswith(" ")]
    assert named == list(signature(measure).parameters)
    explained = [below for above, below in pairwise(lines) if above in named]
    assert [line for line in explained if len(line.strip()) < 10] == []
    assert len(explained) == len(named)


@each
def test_it_looks_like_a_function_and_fits_a_line(measure: Measure) -> None:
    assert measure.__name__ == measure.name
    assert inspect.unwrap(measure, stop=lambda f: not isinstance(f, Measure)) is measure.formula
    assert len(repr(measure)) <= 80
    assert "\n" not in repr(measure)


def test_the_page_of_brier() -> None:
    text = inspect.getdoc(ac.measures.brier)
    assert text is not None
    assert text.splitlines()[0] == (
        "brier(y_true, y_proba, *, pos_label=None, labels=None, sample_weight=None,"
    )
    sections = [line for line in text.splitlines() if line[:1].isupper() and " " not in line]
    assert sections == ["Parameters", "Returns", "Notes", "References", "Examples"]
    assert "Brier (1950)" in text.split("References\n----------\n")[1]


def test_the_class_keeps_its_own_page_and_signature() -> None:
    assert str(Measure.__doc__).startswith("A number that judges predictions")
    assert "formula" in inspect.signature(Measure).parameters
    assert Measure.__name__ == "Measure"


def test_a_set_parameter_is_the_default_of_the_signature() -> None:
    doubled = find("f_beta(2)")
    assert inspect.signature(doubled).parameters["beta"].default == 2
    assert "Set to 2 here." in " ".join(page(doubled).split())
    y, yhat = [0, 0, 1, 1], [0, 1, 1, 1]
    assert doubled(y_true=y, y_pred=yhat) == pytest.approx(0.909, abs=1e-3)


def test_the_multiclass_version_is_named() -> None:
    assert "- Several classes: Of the most probable class" in page(find("ece"))
    assert "- Several classes: the mean over classes (f1_macro)" in page(find("f1"))
