"""Things to pass to public names: those that fit nowhere, and for each name those that do.

What is called is read from the package: every function, measure, design and display that `ac` and
its collections offer. A name whose arguments cannot be told by their parameters needs an entry
here, and the contract test asks for it.
"""

import inspect
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import abovechance as ac

N = 24
RNG = np.random.default_rng(2)
Y = np.arange(N) % 2
P = np.clip(0.3 * Y + 0.6 * RNG.random(N), 0.02, 0.98)
THREE = np.arange(N) % 3
P3 = RNG.dirichlet([1, 1, 1], N)
X = RNG.normal(size=(N, 2)) + Y[:, None]
GROUPS = np.arange(N) // 4
CUBE = RNG.normal(size=(3, 3, 3, N))
TABLE = [[8, 2], [3, 9]]


@cache
def made(kind: str) -> Any:
    """Predictions of a kind, and results that are made of them."""
    return {
        "binary": lambda: ac.Binary(Y, probability=P),
        "other": lambda: ac.Binary(Y, probability=P[::-1]),
        "labels": lambda: ac.Binary(Y, label=(P > 0.5).astype(int)),
        "folded": lambda: ac.Binary(Y, probability=P, fold=np.repeat([1, 2, 3], 8)),
        "multiclass": lambda: ac.Multiclass(THREE, probability=P3),
        "numeric": lambda: ac.Numeric(P, P + 0.1 * X[:, 0]),
        "outputs": lambda: ac.Numeric(np.column_stack([P, P]), np.column_stack([P, Y])),
        "survival": lambda: ac.Survival(1 + P, Y, risk=P + 0.3 * X[:, 0]),
        "ordered": lambda: _ordered(np.tile(P, 3)),
        "ordered too": lambda: _ordered(np.random.default_rng(4).random(3 * N)),
        "result": lambda: ac.assess(made("binary"), ["brier"], draws=9, rng=1),
        "learner": _learner,
        "map": lambda: ac.searchlight(CUBE, Y, radius=1, draws=19, rng=1),
        "maps": lambda: [made("map"), ac.searchlight(CUBE[::-1], Y, radius=1, draws=19, rng=2)],
    }[kind]()


def _ordered(p: Any) -> Any:
    return ac.Binary(np.tile(Y, 3), probability=p, order=np.arange(3 * N))


def _learner() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression().fit(X, Y)


def nothing(*given: Any, **options: Any) -> float:
    return 0.0


def _itself() -> list[Any]:
    found: list[Any] = [1]
    found.append(found)
    return found


# Each is made anew: a generator is used up, a list can be changed.
THINGS: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "text": lambda: "abc",
    "no text": lambda: "",
    "long text": lambda: "x" * 20_000,
    "two lines": lambda: "a\nb",
    "half a character": lambda: "a\udc80",
    "number as text": lambda: "3",
    "bytes": lambda: b"abc",
    "one": lambda: 1,
    "three": lambda: 3,
    "zero": lambda: 0,
    "half": lambda: 0.5,
    "negative": lambda: -2.5,
    "minus one": lambda: -1,
    "nan": lambda: float("nan"),
    "infinite": lambda: float("inf"),
    "minus infinite": lambda: float("-inf"),
    "huge": lambda: 10**400,
    "large": lambda: 2**64,
    "tiny": lambda: 5e-324,
    "complex": lambda: 1 + 2j,
    "decimal": lambda: Decimal("0.3"),
    "fraction": lambda: Fraction(1, 3),
    "date": lambda: date(2026, 1, 2),
    "true": lambda: True,
    "numpy number": lambda: np.float32(0.25),
    "numpy false": lambda: np.bool_(False),
    "object": object,
    "a class": lambda: ac.Binary,
    "a type": lambda: int,
    "function": lambda: nothing,
    "module": lambda: np,
    "ellipsis": lambda: ...,
    "exception": lambda: ValueError("no"),
    "empty": list,
    "empty tuple": tuple,
    "short": lambda: [1, 2, 3],
    "ragged": lambda: [[1], [2, 3]],
    "itself": _itself,
    "nothings": lambda: [None] * N,
    "words": lambda: ["a", "b"],
    "mixed": lambda: [1, "a", None, 2.5],
    "objects": lambda: [object()] * N,
    "range": lambda: range(N),
    "set": lambda: {1, 2},
    "mapping": dict,
    "full mapping": lambda: {"a": 1, 2: [3]},
    "generator": lambda: (v for v in (0.1, 0.9)),
    "0-d array": lambda: np.array(0.5),
    "empty array": lambda: np.empty(0),
    "one value": lambda: np.array([0.5]),
    "too few": lambda: P[1:],
    "too many": lambda: np.append(P, 0.5),
    "column": lambda: P[:, None],
    "table": lambda: np.zeros((2, 3)),
    "cube": lambda: np.zeros((2, 2, 2)),
    "probabilities": P.copy,
    "outcomes": Y.copy,
    "constant": lambda: np.ones(N),
    "missing": lambda: np.where(Y, np.nan, P),
    "infinities": lambda: np.where(Y, np.inf, P),
    "negatives": lambda: -P,
    "enormous": lambda: np.full(N, 1e308),
    "denormal": lambda: np.full(N, 5e-324),
    "complexes": lambda: P + 1j,
    "objects array": lambda: np.array([object()] * N),
    "texts array": lambda: np.array(["a", "b"] * (N // 2)),
    "bytes array": lambda: np.array([b"a", b"b"] * (N // 2)),
    "dates": lambda: np.arange(N).astype("datetime64[D]"),
    "spans": lambda: np.arange(N).astype("timedelta64[s]"),
    "masked": lambda: np.ma.masked_array(P, mask=Y),
    "fields": lambda: np.zeros(N, dtype=[("a", float), ("b", int)]),
    "huge integers": lambda: [10**400] * N,
    "largest integers": lambda: np.full(N, 2**63 - 1),
    "series": lambda: pd.Series(P, index=np.arange(N)[::-1]),
    "categories": lambda: pd.Series(["a", "b"] * (N // 2), dtype="category"),
    "frame": lambda: pd.DataFrame({"y": Y, "p": P}),
    "empty frame": pd.DataFrame,
    "polars series": lambda: pl.Series("p", P),
    "polars frame": lambda: pl.DataFrame({"y": Y, "p": P}),
    "arrow table": lambda: pa.table({"y": Y, "p": P}),
    "binary": lambda: made("binary"),
    "labels": lambda: made("labels"),
    "multiclass": lambda: made("multiclass"),
    "numeric": lambda: made("numeric"),
    "outputs": lambda: made("outputs"),
    "survival": lambda: made("survival"),
    "result": lambda: made("result"),
    "models": lambda: {"a": made("binary"), "b": made("other")},
    "measure": lambda: ac.measures.auc,
    "measures": lambda: [ac.measures.auc, "brier"],
    "generator of numbers": lambda: np.random.default_rng(3),
}

# ----------------------------------------------------------------------------------------------
# What is called, and with what it answers.
# ----------------------------------------------------------------------------------------------

RIGHT: dict[str, Callable[[], Any]] = {
    "predictions": lambda: made("binary"),
    "first": lambda: made("binary"),
    "second": lambda: made("other"),
    "measure": lambda: "brier",
    "x": lambda: 3,
    "n": lambda: 10,
    "x1": lambda: 3,
    "n1": lambda: 10,
    "x2": lambda: 4,
    "n2": lambda: 12,
    "n0": lambda: 12,
    "auc": lambda: 0.7,
    "gained": lambda: 3,
    "lost": lambda: 2,
    "b": lambda: 3,
    "c": lambda: 4,
    "rate": lambda: 0.5,
    "correlation": lambda: 0.4,
    "values": lambda: P,
    "numerator": lambda: P,
    "denominator": lambda: P + 1,
    "groups": lambda: GROUPS,
    "table": lambda: TABLE,
    "confusion": lambda: TABLE,
    "correct": lambda: 8,
    "wrong": lambda: 3,
    "outcome": lambda: Y,
    "probability": lambda: P,
    "differences": lambda: np.random.default_rng(5).normal(size=60),
    "tables": lambda: [TABLE, [[7, 3], [2, 8]], [[9, 1], [4, 6]]],
    "models": lambda: {"a": made("binary"), "b": made("other")},
    "X": lambda: X,
    "y": lambda: Y,
    "y_true": lambda: Y,
    "y_pred": lambda: P,
    "estimator": lambda: made("learner"),
    "tag": lambda: "brier",
    "name": lambda: "breast_cancer",
    "known": lambda: ["auc", "brier"],
    "result": lambda: made("result"),
    "goals": lambda: "brier<=.3",
    "source": lambda: {"y": Y.tolist(), "p": P.tolist()},
    "covariate": lambda: GROUPS % 2,
    "design": lambda: ac.studies.Binormal(),
    "test": lambda: "auc",
    "effect": lambda: 0.7,
    "kind": lambda: "interval",
}
FEW_FITS: dict[str, Callable[[], Any]] = {"draws": lambda: 2}
OWN: dict[str, dict[str, Callable[[], Any]]] = {
    "Multiclass": {"y_true": lambda: THREE, "label": lambda: THREE[::-1]},
    "Binary": {"probability": lambda: P},
    "Numeric": {"y_true": lambda: P, "value": lambda: P[::-1]},
    "Survival": {"time": lambda: 1 + P, "event": lambda: Y, "risk": lambda: P},
    "assess": {"measures": lambda: ["brier"]},
    "compare": {"measures": lambda: ["brier"]},
    "compare_items": {
        "id": lambda: GROUPS,
        "model": lambda: np.array(["a", "b", "c", "d"] * (N // 4)),
        "value": lambda: P,
    },
    "detect": {"tests": lambda: ["hotelling"]},
    "measure": {
        "title": lambda: "A measure",
        "form": lambda: ac.measures.Form.LOSSES,
        "family": lambda: ac.measures.Family.QUADRATIC,
        "reads": lambda: ac.measures.View.PROBABILITY,
        "range": lambda: (0.0, 1.0),
        "best": lambda: 0.0,
        "law": lambda: ac.measures.Law.MEAN,
        "source": lambda: "nobody",
    },
    "searchlight": {"images": lambda: CUBE, "labels": lambda: Y},
    "decode_over_time": {
        "epochs": lambda: CUBE[0, 0].transpose(1, 0)[:, None],
        "labels": lambda: Y,
    },
    "group_maps": {"subjects": lambda: made("maps")},
    "maps.read_map": {"folder": lambda: _written()},
    "maps.simulate_subjects": {"subjects": lambda: 2, "voxel": lambda: 30.0},
    "from_cross_validate": {"results": lambda: _cross_validated()},
    "from_cv": {"cv": lambda: 3},
    "validate": {**FEW_FITS, "measures": lambda: ["brier"], "cv": lambda: 3},
    "learning_curve": {
        **FEW_FITS,
        "measures": lambda: ["brier"],
        "sizes": lambda: [8, 12],
        "cv": lambda: 3,
    },
    "select": {"measure": lambda: "brier", "cv": lambda: 0.3, "features": lambda: 1},
    "stability": {"measure": lambda: "brier", "features": lambda: 1, "draws": lambda: 2},
    "reliability": {
        "draws": lambda: 5,
        "measures": lambda: ["brier"],
        "n": lambda: 12,
        "cv": lambda: 2,
        "flips": lambda: 0.0,
    },
    "permutation_test": {"cv": lambda: 3},
    "power": {
        "design": lambda: "binormal",
        "tests": lambda: "auc",
        "n": lambda: 20,
        "replications": lambda: 8,
        "effects": lambda: 0.7,
    },
    "sample_size": {
        "design": lambda: "binormal",
        "tests": lambda: "auc",
        "replications": lambda: 8,
        "effect": lambda: 0.7,
        "largest": lambda: 60,
    },
    "intervals.ordered_mean": {"values": lambda: np.random.default_rng(6).normal(size=60)},
    "significance.ordered": {
        "first": lambda: made("ordered"),
        "second": lambda: made("ordered too"),
    },
    "intervals.jackknife": {"predictions": lambda: made("survival")},
    "intervals.linear_calibration": {"predictions": lambda: made("numeric")},
    "intervals.nadeau_bengio": {
        "predictions": lambda: made("folded"),
        "measure": lambda: ac.measures.brier,
    },
    "intervals.effective_wilson": {"x": lambda: [3, 4, 5], "n": lambda: [8, 8, 8]},
    "intervals.mover": {"x": lambda: [3, 4], "n": lambda: [8, 8]},
    "curves.auc_over_time": {"predictions": lambda: made("survival")},
    "curves.survival": {"predictions": lambda: made("survival")},
    "significance.skill": {"measure": lambda: ac.measures.brier},
    "significance.calibration": {"measure": lambda: "ece"},
    "posterior.accuracy": {"wrong": lambda: 3},
    "posterior.of": {"measure": lambda: "f1", "draws": lambda: 200},
    "posterior.paired_difference": {"first": lambda: [[4, 3], [2, 1]], "draws": lambda: 200},
    "posterior.difference": {"first": lambda: TABLE, "second": lambda: [[6, 4], [5, 7]]},
    "posterior.agreement": {"first": lambda: Y, "second": lambda: Y[::-1]},
    "measures.per_output": {
        "measure": lambda: ac.measures.mse,
        "predictions": lambda: made("outputs"),
    },
    "measures.per_class": {
        "measure": lambda: ac.measures.f1,
        "predictions": lambda: made("multiclass"),
    },
    "measures.covariate_balanced_accuracy": {"y_pred": lambda: Y[::-1]},
    "plots.ConfusionDisplay.from_predictions": {"y_pred": lambda: Y[::-1]},
    "plots.picture": {"of": lambda: ["numeric"]},
    "studies.Pilot": {"positive": lambda: Y == 1},
    "studies.closed_form": {"n": lambda: 40},
    "studies.expected_width": {"n": lambda: 40, "measure": lambda: "auc"},
    "methods.find": {"name": lambda: "wilson"},
    "signal.find": {"name": lambda: "hotelling"},
    "signal.table": {"number": lambda: "1"},
    "signal.oracle": {"covariance": lambda: np.eye(2)},
}
QUICK: dict[str, Any] = {"draws": 19, "rng": 1, "workers": 1}
# Files, executors and pages are tried where they are read and written; what `by_name` and
# `facts` hold is for the verbs that call these.
NOT_TRIED = {"store", "workers", "executor", "progress", "by_name", "inference", "facts", "path"}
COLLECTIONS = (
    "intervals",
    "significance",
    "curves",
    "posterior",
    "measures",
    "plots",
    "maps",
    "studies",
    "examples",
    "testing",
    "errors",
)
METHODS = ("describe", "every", "find", "law_table")  # the others declare, for other packages
STATISTICS = ("cai", "energy", "goeman", "hotelling", "hotelling_shrink", "mmd", "simes",
              "srivastava_du", "find", "table", "oracle")  # fmt: skip
BUILT = ("Binary", "Multiclass", "Numeric", "Survival")
# What a display is made by, beside its facts
DISPLAYED = ("from_predictions", "from_estimator")
# Results and their parts are made by the functions that return them, errors by what refuses;
# designs that hold a sample are made by designs, `did_you_mean` words a message. Files are tried by
# a target of their own.
MADE_FOR_USERS = {
    "ac": {"AboveChanceError", "Assessment", "Comparison", "assess_stream", "Dask", "Processes",
           "Serial", "Store"},
    "measures": {"BrierParts", "Calibration", "Family", "Form", "LabelScore", "Law", "Measure",
                 "View"},
    "curves": {"Curve"},
    "posterior": {"Hierarchical", "Posterior"},
    "plots": {"Chart", "Picture", "save", "glass_brain"},  # nilearn draws it
    "maps": {"Geometry", "GroupMaps", "SimulatedSubjects", "SubjectMap", "SubjectMaps"},
    "studies": {"Cell", "Design", "Groups", "Known", "Pair", "PowerStudy", "PrecisionSize",
                "Predicted", "SampleSize", "Size", "Table", "Width"},
    "errors": {"AboveChanceError", "ColumnError", "DataError", "FileError", "NotApplicable",
               "PluginWarning", "Unfinished", "UnknownMeasure", "UnknownMethod", "did_you_mean"},
}  # fmt: skip


def _written() -> Any:
    from tempfile import mkdtemp

    folder = mkdtemp(dir=".")
    made("map").write(folder)
    return folder


def _cross_validated() -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_validate

    return cross_validate(
        LogisticRegression(), X, Y, cv=3, return_estimator=True, return_indices=True
    )


def _offered(home: Any, prefix: str, left_out: set[str]) -> Iterator[tuple[str, Any]]:
    for name in home.__all__:
        thing = getattr(home, name)
        if name in left_out or inspect.ismodule(thing):
            continue
        if name.endswith("Display"):
            yield from ((f"{prefix}{name}.{way}", getattr(thing, way)) for way in DISPLAYED)
        else:
            yield prefix + name, thing


@cache
def catalogue() -> dict[str, Any]:
    """Everything public that is called, by its address."""
    found = dict(_offered(ac, "", MADE_FOR_USERS["ac"]))
    for name in COLLECTIONS:
        left_out = MADE_FOR_USERS.get(name, set())
        found |= dict(_offered(getattr(ac, name), f"{name}.", left_out))
    several = {id(thing): address for address, thing in reversed(found.items())}
    found = {address: thing for address, thing in found.items() if several[id(thing)] == address}
    found |= {f"measures.{name}": one for name, one in ac.measures.every().items()}
    found |= {f"methods.{name}": getattr(ac.methods, name) for name in METHODS}
    signal = import_module("abovechance.signal")
    found |= {f"signal.{name}": getattr(signal, name) for name in STATISTICS}
    return found


def parameters(address: str) -> dict[str, inspect.Parameter]:
    """The parameters of a public name that are tried."""
    thing = catalogue()[address]
    if address.startswith("signal.") and not inspect.isfunction(thing):
        thing = thing.__call__
    found = inspect.signature(thing).parameters.items()
    return {k: p for k, p in found if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}


def right(address: str) -> dict[str, Any]:
    """Arguments with which a public name answers, few draws among them."""
    thing = catalogue()[address]
    if isinstance(thing, ac.measures.Measure):
        return _arrays(thing)
    known, own = parameters(address), OWN.get(address, {})
    needed = {k for k, p in known.items() if p.default is p.empty}
    given = {k: (own.get(k) or RIGHT[k])() for k in known if k in needed or k in own}
    return {k: v for k, v in QUICK.items() if k in known and k not in own} | given


def _arrays(measure: Any) -> dict[str, Any]:
    """Arrays for a measure, of the kind it reads."""
    first, second = parameters_of_measure(measure)
    view = measure.reads.name
    if view in ("RISK", "SURVIVAL"):
        more = {"risk": P} if view == "RISK" else {"survival": _survival(), "times": [1.2, 1.6]}
        return {first: 1 + P, second: Y, **more}
    if view == "VALUE":
        return {first: 1 + P, second: 1 + P[::-1]}
    several = "binary" not in measure.outcomes
    if view == "LABEL":
        return {first: THREE, second: THREE[::-1]} if several else {first: Y, second: Y[::-1]}
    return {first: THREE, second: P3} if several else {first: Y, second: P}


def _survival() -> Any:
    return np.column_stack([1 - P / 3, 1 - P / 1.5])


def parameters_of_measure(measure: Any) -> tuple[str, str]:
    """What a measure calls its two arrays; they are given by position."""
    first, second = list(inspect.signature(measure).parameters)[:2]
    return first, second


def called(address: str, given: dict[str, Any]) -> Any:
    """A public name called with arguments by name; what it drew is put away."""
    try:
        return _called(catalogue()[address], given)
    except AssertionError as failed:
        if address == "testing.assert_met" and "goal" in str(failed):
            return None  # which is what it is for
        raise
    finally:
        if address.startswith("plot"):
            from matplotlib import pyplot

            pyplot.close("all")


def _called(thing: Any, given: dict[str, Any]) -> Any:
    if isinstance(thing, ac.measures.Measure):
        first, second = parameters_of_measure(thing)
        rest = {k: v for k, v in given.items() if k not in (first, second)}
        return thing(given[first], given[second], **rest)
    return thing(**given)
