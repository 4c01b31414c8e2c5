"""Files that other tools read beside an assessment: test cases and numbers."""

import json
from typing import Any
from xml.etree import ElementTree as xml

from abovechance.io.export import write_text

FAILS = ("not met", "undecided")


def write_junit(result: Any, path: str | None, undecided: str) -> None:
    """Write the goals as JUnit test cases: what is not met, or undecided, fails."""
    if path is None:
        return
    text = xml.tostring(junit(result.to_dict()["goals"], undecided), encoding="unicode")
    write_text(path, f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n')


def junit(goals: dict[str, Any], undecided: str = "apart") -> xml.Element:
    """One test case a goal; under --undecided pass what these cases do not tell is skipped.

    >>> row = {"title": "AUC", "by": None, "sign": ">=", "goal": 0.8, "verdict": "met"}
    >>> xml.tostring(junit({"goals": [row]}), "unicode")
    '<testsuite name="abovechance" tests="1" failures="0" skipped="0"><testcase
    classname="goals" name="AUC ≥ 0.8" /></testsuite>'
    """
    from abovechance.format import shown
    from abovechance.inference.printing import goal_said, goal_words

    suite = xml.Element("testsuite", name="abovechance")
    for row in goals["goals"]:
        name = shown(goal_words(row))
        case = xml.SubElement(suite, "testcase", classname="goals", name=name)
        if row["verdict"] not in FAILS:
            continue
        skipped = row["verdict"] == "undecided" and undecided == "pass"
        kind = {} if skipped else {"type": row["verdict"]}
        xml.SubElement(
            case, "skipped" if skipped else "failure", message=shown(goal_said(row)), **kind
        )
    counts = {"failures": "failure", "skipped": "skipped"}
    suite.set("tests", str(len(suite)))
    for name, tag in counts.items():
        suite.set(name, str(len(suite.findall(f"testcase/{tag}"))))
    return suite


def write_metrics(result: Any, path: str | None) -> None:
    """Write values and limits as nested numbers: {"auc": {"value": …, "low": …, "high": …}}."""
    if path is None:
        return
    nested: dict[str, dict[str, float]] = {}
    for name, value in result.metrics().items():
        measure, _, part = name.partition("/")
        nested.setdefault(measure, {})[part or "value"] = value
    text = json.dumps(nested, indent=2, allow_nan=False)
    write_text(path, f"{text}\n")
