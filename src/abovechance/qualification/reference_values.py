"""Values that other programs or exact arithmetic gave, computed again here.

`references.json` holds calls of public names, what they must give and who says so; it is made by
`tests/qualification/make_references.py` from the reference values of the tests.
"""

import json
import math
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import abovechance
from abovechance.qualification.checks_made import Check

ABSOLUTE = 1e-14
"""Below this a deviation is rounding, whatever the value."""


def reference_checks() -> Iterator[Check]:
    """Every shipped value beside what this installation gives for it."""
    held = json.loads((files("abovechance.qualification") / "references.json").read_text("utf-8"))
    for row in held["values"]:
        expected = math.nan if row["expected"] is None else float(row["expected"])
        tolerance = max(ABSOLUTE, row["relative"] * abs(expected))
        try:
            found, said = _called(row, held["samples"]), ""
        except Exception as error:  # a call that fails is a value that is not there
            found, said = math.nan, f"{type(error).__name__}: {error}"
        same = math.isnan(found) and math.isnan(expected) and not said
        yield Check(
            group=row["group"],
            name=row["name"],
            expected=expected,
            found=found,
            tolerance=tolerance,
            source=row["source"],
            passed=same or abs(found - expected) <= tolerance,
            said=said,
        )


def _called(row: dict[str, Any], samples: dict[str, Any]) -> float:
    """What a public name gives for the arguments of a row."""
    options = {name: _argument(value, samples) for name, value in row.get("options", {}).items()}
    arguments = [_argument(value, samples) for value in row["arguments"]]
    if "measure" in row:
        found = abovechance.measures.find(row["measure"])(*arguments, **options)
    else:
        found = abovechance
        for name in row["call"].split("."):
            found = getattr(found, name)
        found = found(*arguments, **options)
    for name in row.get("get", "").split(".") if row.get("get") else ():
        found = getattr(found, name)
        found = found() if callable(found) else found
    return float(found)


def _argument(value: Any, samples: dict[str, Any]) -> Any:
    """A plain value, a column of a sample, or predictions made of its columns."""
    if not isinstance(value, dict):
        return value
    if "column" in value:
        return samples[value["sample"]][value["column"]]
    held = samples[value["sample"]]
    made = {name: held[column] for name, column in value["columns"].items()}
    return getattr(abovechance, value["as"])(**made)
