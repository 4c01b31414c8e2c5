"""Whatever a user types, a public function answers or refuses in one line of its own.

Every function of the package and of its four named collections is called with wrong kinds of
things, all arguments at once and each alone beside right ones. Only errors of this package may
come out, and TypeError for keywords that are missing or unknown.
"""

import inspect
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import abovechance as ac

RNG = np.random.default_rng(2)
N = 24
Y = np.arange(N) % 2
P = np.clip(0.3 * Y + 0.6 * RNG.random(N), 0.02, 0.98)
THREE = np.arange(N) % 3
MADE = ac.Binary(Y, probability=P)
OTHER = ac.Binary(Y, probability=P[::-1])
FOLDED = ac.Binary(Y, probability=P, fold=np.repeat([1, 2, 3], 8))
NUMBERS = ac.Numeric(P, P + 0.1 * RNG.normal(size=N))
CENSORED = ac.Survival(1 + P, Y, risk=P + 0.3 * RNG.normal(size=N))
TABLE = [[8, 2], [3, 9]]
GROUPS = np.arange(N) // 4


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text is a right name of a store: it is made where nobody keeps it."""
    monkeypatch.chdir(tmp_path)


WRONG: dict[str, Any] = {
    "text": "abc",
    "None": None,
    "number": 3,
    "negative": -2.5,
    "nan": float("nan"),
    "empty": [],
    "short": [1, 2, 3],
    "words": ["a", "b"],
    "table": np.zeros((2, 3)),
    "mapping": {},
    "object": object(),
}

# arguments that are right, by function where the name of a parameter does not tell
RIGHT: dict[str, Any] = {
    "predictions": MADE,
    "first": MADE,
    "second": OTHER,
    "measure": "brier",
    "x": 3,
    "n": 10,
    "x1": 3,
    "n1": 10,
    "x2": 4,
    "n2": 12,
    "n0": 12,
    "auc": 0.7,
    "gained": 3,
    "lost": 2,
    "b": 3,
    "c": 4,
    "rate": 0.5,
    "correlation": 0.4,
    "values": P,
    "numerator": P,
    "denominator": P + 1,
    "groups": GROUPS,
    "table": TABLE,
    "confusion": TABLE,
    "correct": 8,
    "wrong": 3,
    "outcome": Y,
    "differences": RNG.normal(size=60),
    "tables": [TABLE, [[7, 3], [2, 8]], [[9, 1], [4, 6]]],
}
ORDERED = [
    ac.Binary(np.tile(Y, 3), probability=p, order=np.arange(3 * N))
    for p in (np.tile(P, 3), RNG.random(3 * N))
]
OWN: dict[str, dict[str, Any]] = {
    "intervals.ordered_mean": {"values": RNG.normal(size=60)},
    "significance.ordered": {"first": ORDERED[0], "second": ORDERED[1]},
    "intervals.jackknife": {"predictions": CENSORED},
    "intervals.linear_calibration": {"predictions": NUMBERS},
    "intervals.nadeau_bengio": {"predictions": FOLDED, "measure": ac.measures.brier},
    "intervals.effective_wilson": {"x": [3, 4, 5], "n": [8, 8, 8]},
    "intervals.mover": {"x": [3, 4], "n": [8, 8]},
    "curves.auc_over_time": {"predictions": CENSORED},
    "curves.survival": {"predictions": CENSORED},
    "significance.skill": {"measure": ac.measures.brier},
    "significance.calibration": {"measure": "ece"},
    "posterior.accuracy": {"wrong": 3},
    "posterior.of": {"measure": "f1", "draws": 200},
    "posterior.paired_difference": {"first": [[4, 3], [2, 1]], "draws": 200},
    "posterior.difference": {"first": TABLE, "second": [[6, 4], [5, 7]]},
    "posterior.agreement": {"first": Y, "second": Y[::-1]},
}
QUICK = {"draws": 19, "rng": 1, "workers": 1}
# files, executors, and what is not for users to choose freely
NOT_TRIED = {"store", "workers", "progress", "by_name", "inference", "facts"}
COLLECTIONS = {
    "intervals": ac.intervals,
    "significance": ac.significance,
    "curves": ac.curves,
    "posterior": ac.posterior,
}


def functions() -> Iterator[str]:
    for name, collection in COLLECTIONS.items():
        for each in collection.__all__:
            if inspect.isfunction(getattr(collection, each)):
                yield f"{name}.{each}"


NAMES = list(functions())


def found(name: str) -> Any:
    collection, _, each = name.partition(".")
    return getattr(COLLECTIONS[collection], each)


def right(name: str) -> dict[str, Any]:
    """Arguments with which a function answers, few draws among them."""
    known = {**RIGHT, **OWN.get(name, {})}
    parameters = inspect.signature(found(name)).parameters
    needed = {p: known[p] for p, v in parameters.items() if v.default is v.empty}
    own = {p: v for p, v in OWN.get(name, {}).items() if p in parameters}
    return {p: v for p, v in QUICK.items() if p in parameters} | needed | own


def answers_or_refuses(function: Any, /, *given: Any, **options: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            function(*given, **options)
        except ac.AboveChanceError as refused:
            said = str(refused)
            assert said
            assert "\n" not in said
            assert len(said) < 400


@pytest.mark.parametrize("name", NAMES)
def test_right_arguments_are_answered(name: str) -> None:
    found(name)(**right(name))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("wrong", WRONG)
def test_nothing_right_at_all(name: str, wrong: str) -> None:
    parameters = inspect.signature(found(name)).parameters.values()
    needed = [p for p in parameters if p.default is p.empty] or [None]
    answers_or_refuses(found(name), *[WRONG[wrong]] * len(needed))


@pytest.mark.parametrize("name", NAMES)
def test_one_wrong_argument_among_right_ones(name: str) -> None:
    kept = right(name)
    for parameter in inspect.signature(found(name)).parameters:
        if parameter in NOT_TRIED:
            continue
        for wrong in WRONG.values():
            answers_or_refuses(found(name), **{**kept, parameter: wrong})


VERBS: dict[str, tuple[Any, dict[str, Any]]] = {
    "assess": (ac.assess, {"predictions": MADE, "measures": ["brier"]}),
    "assess arrays": (ac.assess, {"predictions": Y, "prediction": P, "measures": ["brier"]}),
    "compare": (ac.compare, {"models": {"a": MADE, "b": OTHER}, "measures": ["brier"]}),
    "compare arrays": (
        ac.compare,
        {"models": {"a": P, "b": P[::-1]}, "y_true": Y, "measures": ["brier"]},
    ),
    "thresholds": (ac.thresholds, {"predictions": MADE}),
    "detect": (
        ac.detect,
        {"X": RNG.normal(size=(N, 2)), "y": Y, "tests": ["hotelling"]},
    ),
    "select": (ac.select, {"X": RNG.normal(size=(N, 2)), "y": Y, "cv": 2}),
    "stability": (ac.stability, {"X": RNG.normal(size=(N, 3)), "y": Y}),
    "read": (ac.read, {"source": {"y": Y.tolist(), "p": P.tolist()}}),
    "Binary": (ac.Binary, {"y_true": Y, "probability": P}),
    "Multiclass": (ac.Multiclass, {"y_true": THREE, "label": THREE[::-1]}),
    "Numeric": (ac.Numeric, {"y_true": P, "value": P}),
    "Survival": (ac.Survival, {"time": 1 + P, "event": Y, "risk": P}),
    "evaluate": (ac.measures.evaluate, {"predictions": MADE, "measures": ["brier"]}),
    "applicable": (ac.measures.applicable, {"predictions": MADE}),
    "find": (ac.measures.find, {"tag": "brier"}),
}


@pytest.mark.parametrize("verb", VERBS)
def test_verbs_answer_or_refuse(verb: str) -> None:
    function, kept = VERBS[verb]
    parameters = inspect.signature(function).parameters
    quick = {p: v for p, v in QUICK.items() if p in parameters}
    function(**kept, **quick)
    for parameter, about in parameters.items():
        if parameter in NOT_TRIED or about.kind is about.VAR_KEYWORD:
            continue
        for wrong in WRONG.values():
            answers_or_refuses(function, **{**kept, **quick, parameter: wrong})


@pytest.mark.parametrize("name", ["auc", "brier", "accuracy", "f1_macro", "mse", "c_index"])
@pytest.mark.parametrize("wrong", WRONG)
def test_measures_of_wrong_things(name: str, wrong: str) -> None:
    measure = ac.measures.find(name)
    thing = WRONG[wrong]
    for given in ((thing, thing), (Y, thing), (thing, P)):
        answers_or_refuses(measure, *given)
    for option in ("pos_label", "labels", "sample_weight", "counts"):
        if name != "c_index":
            answers_or_refuses(measure, Y, Y[::-1] if name != "brier" else P, **{option: thing})
