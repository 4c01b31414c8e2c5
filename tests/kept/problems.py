"""Small problems of every kind that verbs and named methods answer, drawn by number.

A problem is a name: `assess 17` is always the same predictions and options, `intervals.wilson` the
same calls. Data are rounded, so that no library's last digit is in them. Most problems have
something beside plain cases: ties, weights, clusters, folds, an order in time, classes sampled
separately, a level, a margin. `answered(name)` returns the numbers of the answer by their place in
it; a refusal is an answer too.
"""

import dataclasses
import inspect
import json
import math
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import abovechance as ac
from abovechance.errors import AboveChanceError
from abovechance.inference.verdicts import verdict

# how many of each; what trains models costs more
VERBS = {
    "assess": 150, "compare": 100, "thresholds": 6, "detect": 12, "validate": 14, "power": 8,
    "sample_size": 6, "learning_curve": 4, "select": 8, "stability": 6, "reliability": 3,
    "permutation_test": 5, "assess_stream": 16,
}  # fmt: skip
NAMED = ("intervals", "significance", "posterior", "curves")
CALLS = 8  # of each named method
MOST = 5  # numbers kept of a long list
# words of an answer that decide something; all others are prose
WORDS = {"name", "code", "refused", "stopped", "by", "verdict"}
SAID = {"undefined", "remark"}  # that something is said counts, not how
LEVELS = (0.95, 0.95, 0.9, 0.5, 0.99)
# on either side of sizes from which methods do something else
SIZES = (
    1,
    2,
    3,
    4,
    5,
    6,
    9,
    10,
    11,
    19,
    20,
    24,
    24,
    29,
    30,
    31,
    49,
    50,
    60,
    60,
    100,
    199,
    201,
    299,
    300,
    501,
)


# ----------------------------------------------------------------------------------------------
# Predictions.
# ----------------------------------------------------------------------------------------------


def outcomes(rng: Random, kind: str, n: int) -> dict[str, Any]:
    """What was observed, by the names that predictions take it under."""
    if kind == "survival":
        digits = rng.choice((0, 2, 2))
        time = [round(1.0 + rng.expovariate(0.3), digits) for _ in range(n)]
        return {"time": time, "event": [int(rng.random() < 0.7) for _ in range(n)]}
    if kind == "numeric":
        digits = rng.choice((0, 1, 3, 3))
        return {"y_true": [round(5.0 + rng.gauss(0.0, 2.0), digits) for _ in range(n)]}
    if kind == "binary":
        share = rng.choice((0.5, 0.5, 0.3, 0.1))
        return {"y_true": _classes(rng, n, [1.0 - share, share])}
    classes = rng.choice((3, 3, 4, 5, 6))
    y = _classes(rng, n, [1.0 + (k == 0) for k in range(classes)])
    return {"y_true": y, "labels": list(range(classes))}


def _classes(rng: Random, n: int, weights: list[float]) -> list[int]:
    """Classes by chance, none of them empty where there is room."""
    classes = list(range(len(weights)))
    return [*classes, *rng.choices(classes, weights, k=max(n - len(classes), 0))][:n]


WHAT = {
    "binary": ("probability", "probability", "score", "label"), "numeric": ("value",),
    "multiclass": ("probability", "label"), "survival": ("risk", "survival"),
}  # fmt: skip


def predicted(rng: Random, kind: str, what: str, cases: dict[str, Any], **facts: Any) -> Any:
    """A model's predictions of such cases, good or bad, some of them tied."""
    given = {k: v if k == "labels" else np.array(v) for k, v in cases.items()} | facts
    gain, digits = rng.choice((0.0, 0.6, 1.2, 2.5)), rng.choice((1, 2, 3, 3))
    if kind == "numeric":
        noise = rng.choice((0.3, 1.0, 3.0))
        value = np.round([v + rng.gauss(0.2, noise) for v in cases["y_true"]], digits)
        return ac.Numeric(value=value, **given)
    if kind == "survival":
        z = [rng.gauss(-0.5 * gain * t, 1.0) for t in cases["time"]]
        if what == "risk":
            return ac.Survival(risk=np.round(z, digits), **given)
        last = np.array([1.0 / (1.0 + math.exp(v - 1.0)) for v in z])
        curves = np.round(np.column_stack([np.sqrt(last), last]), 3)
        return ac.Survival(survival=curves, times=[2.0, 4.0], **given)
    if kind == "binary":
        z = [rng.gauss(gain * (one - 0.5), 1.0) for one in cases["y_true"]]
        values = {
            "label": lambda: np.array([int(v > 0) for v in z]),
            "score": lambda: np.round(z, digits),
            "probability": lambda: np.round([1.0 / (1.0 + math.exp(-v)) for v in z], digits),
        }[what]()
        return ac.Binary(**{what: values}, **given)
    labels = cases["labels"]
    z = [[rng.gauss(gain * (k == one), 1.0) for k in labels] for one in cases["y_true"]]
    if what == "label":
        return ac.Multiclass(label=np.argmax(z, axis=1), **given)
    p = np.round(np.exp(z) / np.exp(z).sum(axis=1, keepdims=True), 3)
    p[:, 0] = np.abs(np.round(1.0 - p[:, 1:].sum(axis=1), 3))
    return ac.Multiclass(probability=p, **given)


def _facts(rng: Random, n: int) -> dict[str, Any]:
    """What else is known of cases: nothing, mostly one thing, at times two that go together."""
    facts: dict[str, Any] = {}
    chosen = rng.choice(
        (*("sample_weight", "groups", "groups", "fold", "order", "counts"), "", "", "",
         "sample_weight groups", "counts groups")
    )  # fmt: skip
    for what in chosen.split():
        facts[what] = np.array(
            {
                "sample_weight": lambda: [rng.choice((0.5, 1.0, 2.0, 3.5)) for _ in range(n)],
                "groups": lambda: sorted(rng.randrange(max(2, n // 3)) for _ in range(n)),
                "fold": lambda: [i * 4 // n for i in range(n)],
                "order": lambda: list(range(n)),
                "counts": lambda: [rng.choice((1, 1, 2, 5)) for _ in range(n)],
            }[what]()
        )
    return facts


@cache
def _measures(kind: str, what: str) -> list[str]:
    """Measures of a kind that can be had from what is predicted."""
    gives = {"probability": ("PROBABILITY", "SCORE", "LABEL")}.get(what, (what.upper(),))
    every = ac.measures.every().items()
    return sorted(k for k, one in every if kind in one.outcomes and one.reads.name in gives)


# ----------------------------------------------------------------------------------------------
# Verbs.
# ----------------------------------------------------------------------------------------------


def _judged(rng: Random, verb: str) -> Any:
    kind = rng.choice(("binary", "binary", "multiclass", "numeric", "survival"))
    n = rng.choice(SIZES)
    facts, cases, what = _facts(rng, n), outcomes(rng, kind, n), rng.choice(WHAT[kind])
    options: dict[str, Any] = {"draws": 60, "rng": 1, "workers": 1}
    if rng.random() < 0.4:
        options["confidence_level"] = rng.choice(LEVELS)
    first = predicted(rng, kind, what, cases, **facts)
    listed = _measures(kind, what)
    if rng.random() < 0.85:
        options["measures"] = rng.sample(listed, min(len(listed), 5 if verb == "assess" else 3))
        if rng.random() < 0.15:
            options["by"] = np.array([rng.choice("ab") for _ in range(n)])
    if verb == "assess":
        options |= rng.choice(
            ({}, {}, {}, {"quick": True}, {"exact": True}, {"goals": f"{rng.choice(listed)}>=0.4"})
        )
        if kind == "binary" and rng.random() < 0.2:
            options |= {"sampling": "case-control", "prevalence": rng.choice((None, 0.2))}
        return ac.assess(first, **options)
    models = {"a": first}
    for name in "bcd"[: rng.choice((1, 1, 1, 2, 3))]:
        models[name] = predicted(rng, kind, what, cases, **facts)
    options |= rng.choice(
        ({}, {}, {}, {"alternative": "greater"}, {"alternative": "less"}, {"margin": 0.05},
         {"rope": 0.03}, {"adjust": "bh"}, {"adjust": "none"}, {"studentised": True},
         {"baseline": "a", "margin": 0.1}, {"paired": False})
    )  # fmt: skip
    return ac.compare(models, **options)


def _rows(rng: Random, n: int, features: int, gain: float) -> tuple[Any, Any]:
    y = [i % 2 for i in range(n)]
    X = [[round(rng.gauss(gain * one * (k < 2), 1.0), 2) for k in range(features)] for one in y]
    return np.array(X), np.array(y)


def _thresholds(rng: Random, verb: str) -> Any:
    n = rng.choice((24, 80))
    facts = {k: v for k, v in _facts(rng, n).items() if k != "fold"}
    chosen = predicted(rng, "binary", "probability", outcomes(rng, "binary", n), **facts)
    costs = {"cost_fp": rng.choice((1.0, 2.0)), "cost_fn": rng.choice((1.0, 5.0))}
    return ac.thresholds(chosen, **costs, draws=60, rng=1)


PAIRS = np.arange(36) // 2
STATISTICS = ("hotelling", "hotelling_shrink", "srivastava_du", "goeman", "cai", "simes", "mmd",
              "energy", "lda.cv2", "lda.resub", "svm.cv2")  # fmt: skip


def _detect(rng: Random, verb: str) -> Any:
    X, y = _rows(rng, rng.choice((12, 24, 40)), rng.choice((2, 3, 30)), 0.5)
    options = rng.choice(
        ({}, {"standardise": True}, {"adjust": "bh"}, {"rule": "paper"}, {"stop": "gandy"})
    )
    return ac.detect(X, y, tests=rng.sample(STATISTICS, 4), draws=49, rng=1, workers=1, **options)


def _trained(rng: Random, verb: str) -> Any:
    from sklearn.linear_model import LogisticRegression, Ridge

    numbers = rng.random() < 0.3 and verb in ("validate", "learning_curve")
    X, y = _rows(rng, 36, 3, 0.8)
    target = np.round(X[:, 0] + 0.5 * y, 2) if numbers else y
    learner = Ridge() if numbers else LogisticRegression()
    listed = _measures("numeric", "value") if numbers else _measures("binary", "probability")
    options: dict[str, Any] = {"rng": 1, "draws": 12, "workers": 1}
    options["measures"] = rng.sample(listed, 3)
    if verb == "validate":
        how = rng.choice(
            ({}, {"cv": 3}, {"method": ".632+"}, {"method": "bootstrap_cv"}, {"groups": PAIRS})
        )
        return ac.validate(learner, X, target, **options, **how)
    if verb == "learning_curve":
        return ac.learning_curve(learner, X, target, sizes=[10, 16, 24], cv=3, **options)
    if verb == "reliability":
        return ac.reliability(learner, X, y, n=16, cv=2, flips=[0.0, 0.2], **options)
    del options["measures"]
    how = rng.choice(({}, {"measures": ["auc", "accuracy"]}, {"groups": np.arange(36) // 2 // 2}))
    return ac.permutation_test(learner, X, y, cv=3, **options, **how)


def _selected(rng: Random, verb: str) -> Any:
    X, y = _rows(rng, 36, 4, 0.8)
    measure = rng.choice(("log_score", "auc", "brier", "accuracy", "mse", "mae"))
    if measure in ("mse", "mae"):
        y = np.round(X[:, 1] + 0.5 * y, 2)
    if verb == "select":
        how = rng.choice(({"cv": 3}, {"cv": 0.3}, {"cv": 3, "features": 2}, {"gain": 0.01}))
        how |= rng.choice(({}, {"groups": np.arange(36) // 3}))
        return ac.select(X, y, measure=measure, rng=1, **how)
    how = rng.choice(({}, {"features": 2}, {"copies": True}, {"errors": 1.0}, {"steps": 2}))
    return ac.stability(X, y, measure=measure, draws=10, rng=1, workers=1, **how)


def _planned(rng: Random, verb: str) -> Any:
    tests = rng.choice(("auc", "accuracy", "brier", "balanced_accuracy"))
    options: dict[str, Any] = {"tests": tests, "replications": 30, "draws": 39, "rng": 1}
    options |= rng.choice(({}, {"prevalence": 0.3}, {"alpha": 0.2}))
    if rng.random() < 0.4:
        options |= {"versus": 0.6, "correlation": rng.choice((0.0, 0.5))}
    if verb == "power":
        return ac.power(n=[12, 30], auc=rng.choice((0.5, 0.75)), workers=1, **options)
    return ac.sample_size(auc=0.85, largest=200, workers=1, **options)


def _streamed(rng: Random, verb: str) -> Any:
    kind = rng.choice(("binary", "binary", "multiclass", "numeric"))
    n, what = rng.choice((9, 60, 400)), rng.choice(WHAT[kind])
    cases = outcomes(rng, kind, n)
    made = predicted(rng, kind, what, cases)
    columns = {"y": np.array(cases["y_true"])}
    several = kind == "multiclass" and what == "probability"
    if several:
        columns |= {f"p{k}": column for k, column in enumerate(made.probability)}
        said: dict[str, Any] = {"probabilities": [f"p{k}" for k in cases["labels"]]}
    else:
        given = np.ravel(getattr(made, what))
        columns["x"] = given.astype(int) if what == "label" else given
        said = {what: "x"}
    listed = _measures(kind, what)
    said["measures"] = rng.sample(listed, min(8, len(listed)))
    said |= rng.choice(({}, {}, {"exact": True}, {"rate": 0.4}, {"confidence_level": 0.8}))
    with TemporaryDirectory() as folder:
        file = Path(folder) / "cases.parquet"
        parquet.write_table(pa.table(columns), file)
        return ac.assess_stream(file, outcome="y", draws=60, rng=1, **said)


MADE = {
    "assess_stream": _streamed,
    **dict.fromkeys(("assess", "compare"), _judged), "thresholds": _thresholds, "detect": _detect,
    **dict.fromkeys(("validate", "learning_curve", "reliability", "permutation_test"), _trained),
    **dict.fromkeys(("select", "stability"), _selected),
    **dict.fromkeys(("power", "sample_size"), _planned),
}  # fmt: skip


# ----------------------------------------------------------------------------------------------
# Methods by their names.
# ----------------------------------------------------------------------------------------------

# what some of a method's parameters may be, where their names alone do not say it
CHOICES: dict[str, tuple[Any, ...]] = {
    "alternative": ("two-sided", "greater", "less"),
    "confidence_level": LEVELS,
    "adjusted": (True, False),
    "paired": (True, False),
    "studentised": (True, False),
    "fitted": (True, False),
    "continuity": (True, False),
    "parameter": ("slope", "intercept"),
    "rate": (0.5, 0.3),
    "correlation": (0.4, -0.9),
    "auc": (0.7, 0.95),
    "alpha": (0.05, 0.2),
    "kind": ("pearson", "spearman", "kendall"),
    "scale": ("wider", "adjusted_logit", "logit", "identity"),
    "bins": (5, 10),
    "binning": ("count", "width"),
    "prior": (1.0, 0.5, 2.0),
    "steps": (200,),
    "half_spent": (50,),
    "hypothesis": ("line", "slope", "intercept"),
}
WAYS: dict[str, tuple[str, ...]] = {
    "intervals.bootstrap": ("bca", "percentile", "studentised"),
    "significance.mcnemar": ("exact", "mid-p", "chi2", "chi2_corrected"),
    "significance.mann_whitney": ("auto", "exact", "normal"),
    "significance.hosmer_lemeshow": ("simulated", "chi2"),
    "curves.calibration": ("loess", "binned", "isotonic"),
}
OF_KIND = {
    "intervals.jackknife": "survival", "curves.auc_over_time": "survival",
    "curves.survival": "survival", "intervals.linear_calibration": "numeric",
}  # fmt: skip

OF_FACTS: dict[str, Callable[[int], dict[str, Any]]] = {
    "significance.ordered": lambda n: {"order": np.arange(n)},
    "intervals.nadeau_bengio": lambda n: {"fold": np.arange(n) * 4 // n},
}


@cache
def _methods() -> dict[str, Any]:
    """Every named method, by its address."""
    return {
        f"{home}.{name}": thing
        for home in NAMED
        for name in getattr(ac, home).__all__
        if inspect.isfunction(thing := getattr(getattr(ac, home), name))
    }


def _called(rng: Random, address: str) -> Any:
    function = _methods()[address]
    return function(**_arguments(rng, address, inspect.signature(function).parameters))


def _arguments(rng: Random, address: str, parameters: Any) -> dict[str, Any]:
    given: dict[str, Any] = {}
    n = rng.choice((1, 5, 12, 12, 40, 150))
    x = rng.choice((0, n, rng.randrange(n + 1), rng.randrange(n + 1)))
    size = rng.choice((12, 40, 40, 120))
    facts = _facts(rng, size) if rng.random() < 0.6 else {}
    facts = OF_FACTS[address](size) if address in OF_FACTS else facts
    kind = OF_KIND.get(address, "binary")
    if kind == "binary" and "measure" in parameters and rng.random() < 0.4:
        kind = rng.choice(("multiclass", "numeric", "survival"))
    what, cases = WHAT[kind][0], outcomes(rng, kind, size)
    listed = _measures(kind, what)
    for name, parameter in parameters.items():
        needed = parameter.default is parameter.empty
        if name in ("predictions", "first", "second") and not address.startswith("posterior."):
            given[name] = predicted(rng, kind, what, cases, **facts)
        elif name == "measure" and (needed or rng.random() < 0.5):
            given[name] = ac.measures.find(rng.choice(listed))
        elif name == "method" and address in WAYS:
            given[name] = rng.choice(WAYS[address])
        elif name in ("draws", "rng", "seed"):
            given[name] = 100 if name == "draws" else 1
        elif name in CHOICES and (needed or rng.random() < 0.5):
            given[name] = rng.choice(CHOICES[name])
        elif needed:
            given[name] = _needed(rng, address, name, n, x, size)
    return given


def _needed(rng: Random, address: str, name: str, n: int, x: int, size: int) -> Any:
    if address == "posterior.agreement":
        return [rng.randrange(2) for _ in range(24)]
    several = rng.randrange(2, 6)
    table = np.array([[rng.randrange(1, 20), rng.randrange(9)], [rng.randrange(9), 7]])
    if name in ("x", "n") and address in ("intervals.mover", "intervals.effective_wilson"):
        # both lists come from one state of the generator
        state = Random(f"{n} {x}")
        pairs = [(state.randrange(m + 1), m) for m in (9, 14, 20, 8, 30)[:4]]
        return np.array([pair[name == "n"] for pair in pairs], dtype=float)
    values = np.array([round(rng.gauss(0.3, 1.0), 2) for _ in range(size)])
    return {
        "x": lambda: x, "n": lambda: n, "x1": lambda: x, "n1": lambda: n, "x2": lambda: 3,
        "n2": lambda: 11, "n0": lambda: 12, "gained": lambda: min(x, 5), "lost": lambda: 0,
        "b": lambda: x, "c": lambda: n - x, "correct": lambda: table,
        "values": lambda: values, "differences": lambda: values,
        "numerator": lambda: values, "denominator": lambda: np.abs(values) + 1.0,
        "groups": lambda: np.array([i // several for i in range(size)]),
        "table": lambda: table, "confusion": lambda: table, "first": lambda: table,
        "second": lambda: table[::-1, ::-1],
        "tables": lambda: [table, [[7, 3], [2, 8]], [[9, 1], [4, 6]], [[5, 5], [1, 9]]],
    }[name]()  # fmt: skip


# ----------------------------------------------------------------------------------------------
# Answers.
# ----------------------------------------------------------------------------------------------


def names() -> list[str]:
    """Every problem: verbs with a number each, and every named method with its calls."""
    verbs = [f"{verb} {number}" for verb, many in VERBS.items() for number in range(many)]
    return [*verbs, *_methods()]


def answered(name: str) -> dict[str, Any]:
    """The numbers of an answer, by their place in it."""
    verb, _, number = name.partition(" ")
    if number:
        return dict(_flat(_answer(lambda: MADE[verb](Random(name), verb)), ""))
    found: dict[str, Any] = {}
    for call in range(CALLS):
        drawn = Random(f"{name} {call}")
        found |= _flat(_answer(lambda drawn=drawn: _called(drawn, name)), f"{call}")
    return found


def _answer(call: Any) -> Any:
    try:
        facts = _plain(call())
        if isinstance(facts, dict) and "kind" in facts:
            facts["verdict"] = verdict(facts)
        return facts
    except AboveChanceError as refused:
        return {"refused": type(refused).__name__}


def _plain(result: Any) -> Any:
    """A result as lists, names and numbers."""
    if hasattr(result, "to_json"):
        return json.loads(result.to_json())
    if dataclasses.is_dataclass(result):
        return {f.name: _plain(getattr(result, f.name)) for f in dataclasses.fields(result)}
    if isinstance(result, dict):
        return {str(key): _plain(value) for key, value in result.items()}
    if isinstance(result, np.ndarray | np.generic):
        return result.tolist()
    return [_plain(one) for one in result] if isinstance(result, list | tuple) else result


def _flat(facts: Any, place: str) -> Iterator[tuple[str, Any]]:
    """Numbers, and words that decide something; of a long list some, and their mean."""
    if isinstance(facts, dict):
        for key, inside in facts.items():
            if isinstance(inside, str):
                if key in WORDS or key in SAID:
                    yield f"{place}/{key}", inside if key in WORDS else True
            elif key != "version":
                yield from _flat(inside, f"{place}/{key}")
    elif isinstance(facts, list):
        if len(facts) > MOST and not any(isinstance(one, dict | list | str) for one in facts):
            known = [float(v) for v in facts if v is not None]
            yield f"{place}/mean", math.fsum(known) / max(len(known), 1)
            facts = facts[:: len(facts) // MOST]
        for number, inside in enumerate(facts):
            yield from _flat(inside, f"{place}/{number}")
    elif isinstance(facts, int | float):
        yield place, facts
