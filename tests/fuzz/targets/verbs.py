"""Verbs with predictions that are right in kind and extreme in all else, and what they promise.

One to five cases, one class, constant and tied scores, thirty classes, weights of nothing, clusters
of any size, numbers at the ends of what a computer holds. Each is answered or refused in one line,
without a warning; every interval has its estimate inside, a width, and lies in the range of its
measure; what is missing has a reason; and the saved answer makes the same report.
"""

import json
import math
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import numpy as np

import abovechance as ac
from fuzz.frame import Target, settle

VERBS = ("assess",) * 5 + ("compare",) * 5 + ("detect", "validate", "power")
KINDS = ("Binary",) * 4 + ("Multiclass",) * 3 + ("Numeric",) * 3 + ("Survival",) * 2
SIZES = (1, 2, 3, 4, 5, 6, 8, 12, 12, 20, 30, 45)
NAMES = (
    *("a", "b", "é", "ß ü", "漢字", "🙂", "a\u0301", "\u202eb", "<b>", "x" * 60, "0", "-1", "nan"),
    *(" ", "'", "&"),
)
EXTREME_SHARES = (0.0, 1.0, 0.5, 1e-300, 5e-324, 1 - 2**-53, 0.1 + 0.2, 1 / 3, 1e-17)
EXTREME_NUMBERS = (
    *(0.0, -0.0, 1.0, -1.0, 1e-300, 5e-324, 1e150, -1e154, 1e300, 1.7e308, 1e9 + 0.1, 0.1, 1e-9),
)
WEIGHTS = (0.0, 1.0, 2.5, 1e-300, 1e-99, 1e-12, 1e12, 1e99, 0.1)
ESTIMATES = {"value", "difference", "corrected", "power"}
VIEWS = {
    "probability": ("PROBABILITY", "SCORE", "LABEL"),
    "score": ("SCORE",),
    "label": ("LABEL",),
    "value": ("VALUE",),
    "risk": ("RISK",),
    "survival": ("SURVIVAL",),
}
LEVELS = (0.5, 0.9, 0.95, 0.95, 0.99, 0.999999, 0.01)


# ----------------------------------------------------------------------------------------------
# Drawing.
# ----------------------------------------------------------------------------------------------


def draw(rng: Random) -> bytes:
    verb = rng.choice(VERBS)
    drawn = {"assess": _judged, "compare": _judged, "detect": _rows, "validate": _rows}
    call = drawn.get(verb, _study)(rng, verb)
    return json.dumps({"verb": verb, **call}).encode()


def _judged(rng: Random, verb: str) -> dict[str, Any]:
    kind, n = rng.choice(KINDS), rng.choice(SIZES)
    options: dict[str, Any] = {"draws": rng.choice((1, 2, 19, 39)), "rng": 1}
    if rng.random() < 0.3:
        options["confidence_level"] = rng.choice(LEVELS)
    columns = _columns(rng, kind, n, 30 if verb == "assess" else 8)
    listed = _listed(kind.lower(), *(columns.keys() & VIEWS.keys()))
    if rng.random() < 0.8:
        options["measures"] = rng.sample(listed, min(len(listed), rng.choice((1, 2, 4, 8))))
    if rng.random() < 0.15:
        options["by"] = [rng.choice(NAMES[:3]) for _ in range(n)]
    models = [columns]
    if verb == "compare":
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            other = dict(columns)
            if rng.random() < 0.85:  # otherwise identical
                other |= _predicted(rng, kind, n, columns)
            models.append(other)
        if rng.random() < 0.15:
            models[-1] = _columns(rng, kind, rng.choice(SIZES), 8)
            options["paired"] = False
        if rng.random() < 0.2:
            options["alternative"] = rng.choice(("greater", "less"))
        if rng.random() < 0.2:
            options["margin"] = rng.choice((0.0, 0.01, 0.3, 1e-300, 5.0))
        if rng.random() < 0.1:
            options["rope"] = rng.choice((0.01, 0.5))
        if rng.random() < 0.2:
            options["adjust"] = rng.choice(("bh", "none"))
    elif rng.random() < 0.1:
        options["sampling"] = "case-control"
    elif rng.random() < 0.1 and kind == "Binary":
        options["prevalence"] = rng.choice((0.5, 1e-9, 0.999))
    elif rng.random() < 0.2:
        options[rng.choice(("quick", "exact"))] = True
    return {"kind": kind, "models": models, "options": options}


@cache
def _listed(kind: str, given: str) -> list[str]:
    """Measures of a kind of outcome that can be had from what is predicted."""
    every = ac.measures.every().items()
    return sorted(
        name for name, one in every if kind in one.outcomes and one.reads.name in VIEWS[given]
    )


def _columns(rng: Random, kind: str, n: int, most: int) -> dict[str, Any]:
    """Outcomes, predictions and, now and then, what else is known of the cases."""
    known: dict[str, Any] = {}
    if kind == "Binary":
        known |= {"y_true": _pattern(rng, n, (0, 1)), "labels": [0, 1]}
    elif kind == "Multiclass":
        classes = rng.choice((2, 3, 3, 4, 5, 8, most))
        names = list(range(classes)) if classes > len(NAMES) else list(NAMES[:classes])
        known |= {"y_true": _pattern(rng, n, names), "labels": names}
    elif kind == "Numeric":
        known["y_true"] = _numbers(rng, n)
    else:
        scale = rng.choice((1.0, 1.0, 1e-300, 1e300))
        known["time"] = [scale * t for t in _pattern(rng, n, (1.0, 2.0, 3.5, 4.0, 7.25))]
        known["event"] = _pattern(rng, n, (0, 1))
    known |= _predicted(rng, kind, n, known)
    if rng.random() < 0.2:
        known["sample_weight"] = _pattern(rng, n, rng.sample(WEIGHTS, rng.choice((1, 2, 4))))
    if rng.random() < 0.25:
        known["groups"] = _clusters(rng, n)
    if rng.random() < 0.15:
        known["fold"] = [i * rng.choice((2, 3, 5)) // max(n, 1) for i in range(n)]
    if rng.random() < 0.1:
        known["order"] = list(range(n))
    if rng.random() < 0.05:
        known["counts"] = _pattern(rng, n, (0, 1, 2, 10**9))
    if rng.random() < 0.1:
        known["id"] = [f"{rng.choice(NAMES)}{i}" for i in range(n)]
    return known


def _predicted(rng: Random, kind: str, n: int, known: dict[str, Any]) -> dict[str, Any]:
    """Predictions of the kind that a model gives, beside outcomes that are known."""
    if kind == "Binary":
        what = next((k for k in ("probability", "score", "label") if k in known), None)
        what = what or rng.choice(("probability", "probability", "score", "label"))
        if what == "label":
            return {what: _pattern(rng, n, (0, 1), known["y_true"])}
        if what == "score":
            return {what: _numbers(rng, n, known["y_true"])}
        return {what: _shares(rng, n, known["y_true"])}
    if kind == "Multiclass":
        what = next((k for k in ("probability", "label") if k in known), None)
        if (what or rng.choice(("probability", "label"))) == "label":
            return {"label": _pattern(rng, n, known["labels"], known["y_true"])}
        return {"probability": [_simplex(rng, len(known["labels"])) for _ in range(n)]}
    if kind == "Numeric":
        return {"value": _numbers(rng, n, known["y_true"])}
    what = "survival" if "survival" in known else "risk" if "risk" in known else None
    if (what or rng.choice(("risk", "risk", "survival"))) == "risk":
        return {"risk": _numbers(rng, n, known["time"])}
    falling = [sorted(_shares(rng, 2), reverse=True) for _ in range(n)]
    scale = max(known["time"], default=1.0)
    return {"survival": falling, "times": [0.3 * scale, 0.6 * scale]}


def _pattern(rng: Random, n: int, values: Any, like: Any = None) -> list[Any]:
    """One value for all, one exception, turns, chance, or what another column has."""
    values = list(values)
    how = rng.randrange(6 if like is not None else 4)
    if how == 0:
        return [rng.choice(values)] * n
    if how == 1:
        alike = [rng.choice(values)] * n
        if n:
            alike[rng.randrange(n)] = rng.choice(values)
        return alike
    if how == 2:
        return [values[i % len(values)] for i in range(n)]
    if how == 3:
        return [rng.choice(values) for _ in range(n)]
    return [v if rng.random() < 0.9 else rng.choice(values) for v in like] if how == 4 else like


def _shares(rng: Random, n: int, like: Any = None) -> list[float]:
    how = rng.randrange(6)
    if how == 0:
        return _pattern(rng, n, rng.sample(EXTREME_SHARES, rng.choice((1, 2, 4))))
    if how == 1:
        return [rng.randrange(11) / 10 for _ in range(n)]
    if how == 2 and like is not None:
        good, bad = rng.choice(((1.0, 0.0), (0.9, 0.1), (0.0, 1.0), (1 - 2**-53, 1e-300)))
        return [good if y else bad for y in like]
    if how == 3:
        return [rng.choice((0.3, 0.3 + 2**-54 * rng.randrange(4))) for _ in range(n)]
    return [rng.random() for _ in range(n)]


def _simplex(rng: Random, classes: int) -> list[float]:
    if rng.random() < 0.2:
        row = [0.0] * classes
        row[rng.randrange(classes)] = 1.0
        return row
    if rng.random() < 0.2:
        return [1 / classes] * classes
    row = [rng.random() ** rng.choice((1, 30)) for _ in range(classes)]
    total = math.fsum(row)
    return [v / total for v in row] if total > 0 else [1 / classes] * classes


def _numbers(rng: Random, n: int, like: Any = None) -> list[float]:
    how = rng.randrange(6)
    if how == 0:
        return _pattern(rng, n, rng.sample(EXTREME_NUMBERS, rng.choice((1, 2, 4))))
    if how == 1:
        return [float(rng.randrange(3)) for _ in range(n)]
    if how == 2 and like is not None:
        factor = rng.choice((1.0, -1.0, 1 + 2**-52, 0.5))
        return [factor * y for y in like]
    scale = rng.choice((1.0, 1.0, 1.0, 1e-300, 1e100, 1e-9))
    return [scale * rng.gauss(0.0, 1.0) + rng.choice((0.0, 0.0, 1e9)) for _ in range(n)]


def _clusters(rng: Random, n: int) -> list[int]:
    """One cluster, one per case, pairs, one that holds nearly all, or by chance."""
    return rng.choice(
        (
            [0] * n,
            list(range(n)),
            [i // 2 for i in range(n)],
            [max(0, i - n + 3) for i in range(n)],
            [rng.randrange(4) for _ in range(n)],
        )
    )


TESTS = ("hotelling", "hotelling_shrink", "srivastava_du", "goeman", "cai", "simes", "mmd",
         "energy", "lda.cv2", "lda.resub", "svm.cv2")  # fmt: skip
LEARNERS = ("LogisticRegression", "LinearRegression", "Ridge", "LinearDiscriminantAnalysis")


def _rows(rng: Random, verb: str) -> dict[str, Any]:
    """Features that are constant, twins, many, or large; outcomes of one class among them."""
    n, features = rng.choice((2, 3, 4, 6, 8, 12, 24)), rng.choice((1, 1, 2, 3, 30))
    columns = [_numbers(rng, n) for _ in range(features)]
    if verb == "validate":  # what overflows inside of scikit-learn is said there
        columns = [[v if abs(v) < 1e60 else 1.0 for v in column] for column in columns]
    if rng.random() < 0.3:
        columns[-1] = columns[0]
    rows = [list(row) for row in zip(*columns, strict=True)]
    options: dict[str, Any] = {"rng": 1}
    if verb == "detect":
        y = _pattern(rng, n, (0, 1))
        options |= {"tests": rng.sample(TESTS, rng.choice((1, 2))), "draws": rng.choice((1, 19))}
        if rng.random() < 0.2:
            options["standardise"] = True
        return {"X": rows, "y": y, "options": options}
    learner = rng.choice(LEARNERS)
    numbers = learner in ("LinearRegression", "Ridge")
    y = _numbers(rng, n) if numbers else _pattern(rng, n, (0, 1))
    listed = _listed("numeric", "value") if numbers else _listed("binary", "probability")
    options |= {"measures": rng.sample(listed, 2), "draws": rng.choice((2, 5))}
    if rng.random() < 0.5:
        options["cv"] = rng.choice((2, 3, 5))
    return {"learner": learner, "X": rows, "y": y, "options": options}


def _study(rng: Random, verb: str) -> dict[str, Any]:
    options: dict[str, Any] = {
        "tests": rng.choice(("auc", "accuracy", "brier")),
        "n": rng.sample((2, 3, 4, 5, 10, 40), rng.choice((1, 2))),
        "auc": rng.choice((0.5, 0.7, 0.999, 1.0, 0.2, 1e-9)),
        "alpha": rng.choice((0.05, 0.05, 1e-12, 0.999)),
        "replications": rng.choice((1, 2, 8)),
        "draws": rng.choice((1, 19)),
        "rng": 1,
    }
    if rng.random() < 0.3:
        options["prevalence"] = rng.choice((0.5, 0.01, 0.99, 1e-12))
    if rng.random() < 0.3:
        options["versus"] = rng.choice((0.5, 0.8, 1.0))
        options["correlation"] = rng.choice((0.0, 0.5, 1.0, -1.0))
    return {"options": options}


# ----------------------------------------------------------------------------------------------
# Answers, held to what every answer promises.
# ----------------------------------------------------------------------------------------------


def attempt(data: bytes) -> str:
    call = json.loads(data)
    verb, options = getattr(ac, call["verb"]), {"workers": 1, **call["options"]}

    def answer() -> None:
        if "models" in call:
            models = [getattr(ac, call["kind"])(**_arrays(one)) for one in call["models"]]
            named = dict(zip(NAMES, models, strict=False))
            result = verb(models[0] if call["verb"] == "assess" else named, **options)
        elif "X" in call:
            given = [np.array(call["X"], dtype=float), np.array(call["y"])]
            learner = [_learner(call["learner"])] if "learner" in call else []
            result = verb(*learner, *given, **options)
        else:
            result = verb(**options)
        held(result)

    return settle(answer)


def _arrays(columns: dict[str, Any]) -> dict[str, Any]:
    return {k: v if k in ("labels", "times") else np.array(v) for k, v in columns.items()}


def _learner(name: str) -> Any:
    from sklearn import discriminant_analysis, linear_model

    home = linear_model if hasattr(linear_model, name) else discriminant_analysis
    return getattr(home, name)()


def held(result: Any) -> None:
    """What every answer promises: of its numbers, of its text, and once it is saved."""
    text = result.to_json()
    facts = json.loads(text, parse_constant=_no_json)
    wrong = [f"{words}: {_place(row)}" for row in _parts(facts) for words in broken(row)]
    if wrong:
        raise AssertionError(f"{len(wrong)} broken: {wrong[0]}")
    result.to_text()
    result.to_markdown()
    again = ac.report(facts).html
    # draws that are shown beside a test are not saved
    if facts["kind"] != "detection" and again != ac.report(result).html:
        raise AssertionError("the report of the saved answer is another")


def _no_json(word: str) -> None:
    raise AssertionError(f"{word} is no JSON")


def _parts(facts: Any) -> Iterator[dict[str, Any]]:
    """Every part of an answer that has names; a margin is of the difference it belongs to."""
    if isinstance(facts, dict):
        yield facts
        if isinstance(margin := facts.get("margin"), dict):
            yield {**margin, **{k: facts[k] for k in ("measure", "difference")}}
    for inside in facts.values() if isinstance(facts, dict) else facts:
        if isinstance(inside, dict | list):
            yield from _parts(inside)


def _place(row: dict[str, Any]) -> str:
    shown = ("measure", "test", "model", "first", "second", "by", "class", "value", "difference")
    return json.dumps(
        {k: row[k] for k in (*shown, "interval", "p_value") if row.get(k) is not None}
    )


def broken(row: dict[str, Any]) -> Iterator[str]:
    """The promises that a part of an answer breaks."""
    for key, value in row.items():
        share = key.startswith(("p_", "mid_p", "least_p")) and isinstance(value, int | float)
        if share and not 0.0 <= value <= 1.0:
            yield f"{key} is no probability"
    if row.get("interval") is None or not ESTIMATES & row.keys():
        return
    estimate = next((row[k] for k in ESTIMATES if k in row), None)
    low, high = (_number(row["interval"][k]) for k in ("low", "high"))
    bottom, top = _range(row)
    slack = 1e-9 * max(1.0, abs(low), abs(high)) if math.isfinite(low + high) else 0.0
    if not low <= high:
        yield "low is above high"
    if not (bottom <= low and high <= top):
        yield "leaves the range"
    if estimate is None:
        yield "an interval of no estimate"
    elif not low - slack <= _number(estimate) <= high + slack:
        yield "does not contain its estimate"


def _number(given: Any) -> float:
    """A number of the contract; infinities are words there."""
    return float(given) if given is not None else math.nan


def _range(row: dict[str, Any]) -> tuple[float, float]:
    """What values, or differences of values, a measure can have."""
    measure = ac.measures.every().get(row.get("measure", ""))
    if measure is None:
        return -math.inf, math.inf
    low, high = measure.range
    return (low - high, high - low) if "difference" in row else (low, high)


TARGET = Target("verbs with extreme predictions", draw, attempt, seconds=120.0, first=30)
