"""The published schema of results as JSON, made from the classes of the results.

`python docs/generator/result_schema.py` writes it anew; a test holds it to the classes.
"""

import json
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np

from abovechance.advice import Advice
from abovechance.inference.contract import FILE, KINDS, VERSION
from abovechance.inference.curves import Curve
from abovechance.inference.cv_reliability import Reliability
from abovechance.inference.forward_selection import Selection
from abovechance.inference.learning_curves import LearningCurve
from abovechance.inference.miscalibration import CalibrationError
from abovechance.inference.permutation import NullDistribution
from abovechance.inference.posterior import Hierarchical, Posterior
from abovechance.inference.refit import RefitTest
from abovechance.inference.results import (
    Assessment,
    Comparison,
    Detection,
    Interval,
    Test,
)
from abovechance.inference.stability_selection import Stability
from abovechance.inference.thresholds import Choice, Thresholds
from abovechance.inference.validation import Validation
from abovechance.maps import GroupMaps, SubjectMap, SubjectMaps
from abovechance.maps.combinations import METHODS
from abovechance.maps.group_level import CONTROLS, Cluster, Peak
from abovechance.studies import PowerStudy, PrecisionSize, SampleSize

CLASSES = (
    Assessment,
    Comparison,
    Detection,
    RefitTest,
    PowerStudy,
    SampleSize,
    PrecisionSize,
    Curve,
    Thresholds,
    CalibrationError,
    NullDistribution,
    Test,
    Hierarchical,
    SubjectMap,
    SubjectMaps,
    GroupMaps,
    Validation,
    LearningCurve,
    Selection,
    Stability,
    Reliability,
)
# What is kept out of the JSON, or is written otherwise than the class has it.
LEFT_OUT = {
    Detection: {"null"},
    RefitTest: {"null"},
    Hierarchical: {"samples"},
    SubjectMap: {"observed", "null"},
}
# Stated by users, and never without end; where cases are best cut may be anywhere.
FINITE = ("threshold", "goal", "prevalence")
GOALS, BASELINE = ["met", "not met", "undecided"], ["no worse", "worse", "undecided"]
WORDS = {
    "Goals": {"verdict": GOALS, "rule": ["all", "any"]},
    "Judged": {"verdict": GOALS, "sign": [">=", "<=", "in"]},
    "Baseline": {"verdict": BASELINE},
    "BesideBaseline": {"verdict": BASELINE},
}
# A result may have been saved by an older version, which knew fewer fields: what it must have is
# what it is known by.
NEEDED = {
    "assessment": ["estimates"],
    "comparison": [],
    "detection": ["tests"],
    "permutation_test": ["tests"],
    "power": ["cells"],
    "sample_size": ["sizes"],
    "precision_size": ["widths", "width", "level"],
    "thresholds": ["choices", "cost_fp", "cost_fn"],
    "Estimate": ["measure"],
    "Goals": ["verdict", "goals", "level"],
    "Interval": ["low", "high"],
    "Cell": ["statistic", "n", "effect", "power"],
    "Size": ["statistic", "n"],
    "subject_map": [
        *(
            "statistic",
            "title",
            "n",
            "classes",
            "draws",
            "hypothesis",
            "neighbourhood",
            "sizes",
            "geometry",
        ),
        *("largest", "median", "null_mean", "least_p", "at_least_p", "reached"),
    ],
    "subject_maps": ["maps"],
}
MANY = {"tests", "cells", "sizes", "widths", "choices", "maps"}
NUMBER = {"$ref": "#/$defs/number"}
PLAIN: dict[Any, dict[str, Any]] = {
    float: NUMBER,
    int: {"type": "integer"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    NoneType: {"type": "null"},
}


def _object(properties: dict[str, Any], required: Sequence[str] | None = None) -> dict[str, Any]:
    """Named parts; all of them must be there unless said otherwise."""
    needed = list(properties if required is None else required)
    return {"type": "object", "properties": properties, "required": needed}


def _several(items: dict[str, Any], count: int | None = None) -> dict[str, Any]:
    """A list, of so many entries where it must have them."""
    found = {"type": "array", "items": items}
    return found if count is None else {**found, "minItems": count, "maxItems": count}


def _band(along: str) -> dict[str, Any]:
    """Columns of values beside those of null maps."""
    return _object(dict.fromkeys((along, "observed", "low", "null", "high"), _several(NUMBER)))


def _or_null(rule: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [rule, PLAIN[NoneType]]}


FINITES = _several({"type": "number"})
NUMBERS, TABLE = _several(NUMBER), _several(_several(NUMBER))
GEOMETRY = _object(
    {
        "centres": PLAIN[int],
        "axes": {**_several(PLAIN[str]), "minItems": 1},
        "unit": PLAIN[str],
        "shape": _several(PLAIN[int]),
        "affine": _several(NUMBERS),
    },
    ["centres", "axes", "unit"],
)
SIDE = _object({"axis": PLAIN[str], "low": {"type": "number"}, "high": {"type": "number"}})
PLANE = _object(
    {
        "axis": PLAIN[str],
        "at": {"type": "number"},
        "across": SIDE,
        "up": SIDE,
        "values": TABLE,
        "rejected": TABLE,
    }
)
VIEWS = [
    _object(
        {
            "view": {"enum": ["cuts"]},
            "map": {"enum": ["z", "log10_p"]},
            "unit": PLAIN[str],
            "planes": _several(PLANE, 3),
        }
    ),
    _object(
        {
            "view": {"enum": ["course"]},
            **dict.fromkeys(("axis", "unit"), PLAIN[str]),
            **dict.fromkeys(("x", "mean", "low", "high", "by_chance", "rejected"), FINITES),
            "level": {"type": "number"},
            "critical": _or_null(NUMBERS),
        }
    ),
    _object(
        {
            "view": {"enum": ["plane"]},
            "axes": _several(PLAIN[str], 2),
            "unit": PLAIN[str],
            **dict.fromkeys(("low", "high"), _several({"type": "number"}, 2)),
            "chance": NUMBER,
            **dict.fromkeys(("values", "rejected"), TABLE),
        }
    ),
]
# What is written otherwise than the class has it, or besides: maps without their values.
WRITTEN: dict[Any, dict[str, Any]] = {
    SubjectMap: {
        "draws": PLAIN[int],
        "rule": PLAIN[str],
        "at_least_p": PLAIN[int],
        **dict.fromkeys(("median", "null_mean", "least_p"), NUMBER),
        "sizes": _several(NUMBER, 3),
        "geometry": GEOMETRY,
        "largest": _object({"value": NUMBER, "p_value": NUMBER, "at": FINITES}),
        "reached": _band("value"),
        "course": _or_null(_band("at")),
    },
    GroupMaps: {
        "maps": _several(PLAIN[str]),
        "geometry": GEOMETRY,
        "null_maps": _several(PLAIN[int], 2),
        "view": _or_null({"anyOf": VIEWS}),
        "method": {"enum": list(METHODS)},
        "control": {"enum": list(CONTROLS)},
        "alpha": {"type": "number"},
        "cluster_p": {"type": "number"},
    },
    Peak: {"at": FINITES},
    Cluster: {"at": FINITES},
}


def schema() -> dict[str, Any]:
    """The whole schema: a definition for each part, one of them for each kind of result."""
    parts: dict[str, Any] = {
        "number": {
            "description": "A number; null where it is not defined.",
            "anyOf": [
                {"type": "number"},
                {"type": "null"},
                {"enum": ["Infinity", "-Infinity"]},
            ],
        }
    }
    kinds = {one.kind: _of_class(one, parts) for one in CLASSES}
    kinds["posterior"] = _posterior(parts)
    posteriors = {"type": "array", "items": kinds["posterior"], "minItems": 1}
    parts["Posteriors"] = _object({"posteriors": posteriors}, ["posteriors"])
    kinds["posteriors"] = {"$ref": "#/$defs/Posteriors"}
    assert set(kinds) <= set(KINDS)  # the others are checked for being plain JSON
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"abovechance/results/{VERSION}",
        "title": "Results of abovechance as JSON",
        "description": "Fields may be added; those named here keep their names and meanings.",
        "type": "object",
        "properties": {"abovechance": PLAIN[str], "kind": {"enum": sorted(kinds)}},
        "allOf": [
            {
                "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
                "then": kinds[kind],
            }
            for kind in sorted(kinds)
        ],
        "$defs": {name: parts[name] for name in sorted(parts)},
    }


def _of_class(one: Any, parts: dict[str, Any]) -> dict[str, Any]:
    """A reference to the definition of a class, which is made where it is not there yet."""
    name = one.__name__
    if name not in parts:
        parts[name] = {}
        hints = typing.get_type_hints(one)
        own = [f for f in fields(one) if f.name not in LEFT_OUT.get(one, ()) and f.name[0] != "_"]
        written = WRITTEN.get(one, {})
        properties = {
            f.name.rstrip("_"): _of(hints[f.name], parts) for f in own if f.name not in written
        } | written
        if one is not Choice:
            properties |= {k: _finite(v) for k, v in properties.items() if k in FINITE}
        properties |= {k: {"enum": v} for k, v in WORDS.get(name, {}).items()}
        needed = [f for f in own if f.default is MISSING and f.default_factory is MISSING]
        required = [f.name.rstrip("_") for f in needed]
        kind = getattr(one, "kind", "")
        for several in set(NEEDED.get(kind, ())) & MANY:
            properties[several] = {**properties[several], "minItems": 1}
        parts[name] = _object(properties, NEEDED.get(kind or name, required))
    return {"$ref": f"#/$defs/{name}"}


def _finite(rule: Any) -> Any:
    """A rule without the infinities."""
    if rule == NUMBER:
        return {"type": "number"}
    if isinstance(rule, dict):
        return {key: _finite(part) for key, part in rule.items()}
    return [_finite(part) for part in rule] if isinstance(rule, list) else rule


def _posterior(parts: dict[str, Any]) -> dict[str, Any]:
    """A posterior is written as its summary, for no JSON holds a distribution."""
    numbers = ("mean", "median", "mode", "std", "chance", "prob_above_chance")
    properties = {
        "quantity": PLAIN[str],
        "n": PLAIN[int],
        "prior": PLAIN[str],
        **dict.fromkeys(numbers, NUMBER),
        "interval": {**_of_class(Interval, parts), "required": ["level"]},
        "advice": {"type": "array", "items": _of_class(Advice, parts)},
    }
    needed = ["quantity", "n", "prior", "mean", "median", "mode", "std", "interval"]
    parts["PosteriorSummary"] = _object(properties, needed)
    return {"$ref": "#/$defs/PosteriorSummary"}


def _of(hint: Any, parts: dict[str, Any]) -> dict[str, Any]:
    """The schema of an annotation."""
    origin, inside = get_origin(hint), get_args(hint)
    if hint in PLAIN:
        return PLAIN[hint]
    if hint is Any:
        return {}
    if origin in (Union, UnionType):
        return {"anyOf": [_of(part, parts) for part in inside]}
    if origin is Literal:
        return {"enum": list(inside)}
    if origin is np.ndarray:
        return {"type": "array", "items": NUMBER}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _of(inside[1], parts)}
    if isinstance(origin, type) and issubclass(origin, Sequence):
        several = [_of(part, parts) for part in inside if part is not Ellipsis]
        alike = all(one == several[0] for one in several)
        of_a_tuple = len(several) if origin is tuple and Ellipsis not in inside else None
        return _several(several[0] if alike else {"anyOf": several}, of_a_tuple)
    if hint is Posterior:
        return _posterior(parts)
    if is_dataclass(hint):
        return _of_class(hint, parts)
    raise TypeError(f"no schema of {hint}")


def text() -> str:
    """The file as it is published."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    Path(FILE).write_text(text(), "utf-8")
