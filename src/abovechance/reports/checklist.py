"""What a reader of a prediction study asks for, item by item, answered where the result knows.

After the items for validation of the TRIPOD statement, in our own words: what the numbers cannot
know is left for the authors to state.
"""

from collections.abc import Mapping
from typing import Any

from abovechance.inference.method import Kind, Use, together
from abovechance.plots.contract import whole
from abovechance.plots.words import percent, plural
from abovechance.reports.document import Cell, Column, Table
from abovechance.reports.facts import UNSTATED, level_of, model_words, models_of

TO_STATE = "for the authors to state"


def checklist(facts: Mapping[str, Any], described: str = "") -> Table:
    """The items with what this analysis says to each.

    >>> rows = checklist({"n": 12, "outcome": "binary", "origin": "cv"}).rows
    >>> [cell.text for cell in rows[0]]
    ['4a', 'Source of data', 'predictions from cross-validation']
    """
    estimates = whole(facts)
    measures = list(dict.fromkeys(str(row["title"]) for row in estimates))
    intervals = sorted({str(r["interval"]["method"]) for r in estimates if r["interval"]})
    dropped = int(facts.get("dropped") or 0)
    items = [
        ("4a", "Source of data", _source(facts)),
        ("4b", "Dates, setting, eligibility (4b, 5a, 5b)", ""),
        ("6a", "Outcome", _outcome(facts, described)),
        ("7a", "Predictors", ""),
        ("8", "Sample size", _size(facts, described)),
        (
            "9",
            "Missing data",
            f"{plural(dropped, 'case')} left out" if dropped else "none left out",
        ),
        ("10c", "How predictions were made", _models(facts)),
        ("10d", "Measures of performance", _listed(measures)),
        ("10d", "Comparison of models", _comparison(facts)),
        ("11", "Risk groups", ""),
        ("13a", "Flow and characteristics of participants (13a–c)", ""),
        ("16", "Performance with intervals", _intervals(facts, intervals)),
        ("18", "Limitations", _limits(facts)),
        ("21", "Supplementary information", "the result is embedded in this file as JSON"),
    ]
    return Table(
        title="Reporting checklist",
        caption="Items for validation after TRIPOD (Collins et al. 2015).",
        columns=(Column("Item", "name"), Column("What"), Column("This analysis")),
        rows=tuple(
            (Cell(item), Cell(what), Cell(answer or TO_STATE, mark="" if answer else "open"))
            for item, what, answer in items
        ),
        folded=True,
        name="checklist",
    )


def _source(facts: Mapping[str, Any]) -> str:
    origin = model_words(facts)
    return "" if origin in ("", UNSTATED) else f"predictions from {origin}"


def _outcome(facts: Mapping[str, Any], described: str) -> str:
    kind = str(facts.get("outcome") or "")
    return f"{kind}; {described}" if described else kind


def _size(facts: Mapping[str, Any], described: str) -> str:
    return plural(int(facts["n"]), "case") if facts.get("n") is not None else ""


def _models(facts: Mapping[str, Any]) -> str:
    models = models_of(facts)
    return f"given by {', '.join(models)}; how, {TO_STATE}" if models else ""


def _listed(measures: list[str]) -> str:
    if len(measures) > 8:
        return f"{', '.join(measures[:8])} and {len(measures) - 8} more"
    return ", ".join(measures)


def _comparison(facts: Mapping[str, Any]) -> str:
    tested = [d for d in facts.get("differences") or () if d.get("test")]
    uses = together([Use.of(Kind.TEST, d["test"], d.get("test_by")) for d in tested])
    tests = sorted({use.title for use in uses})
    return "; ".join(tests) if tests else "no models compared"


def _intervals(facts: Mapping[str, Any], methods: list[str]) -> str:
    if not methods:
        return "values without intervals"
    return f"{percent(level_of(facts))} intervals: {'; '.join(methods)}"


def _limits(facts: Mapping[str, Any]) -> str:
    codes = [str(a.get("code")) for a in facts.get("advice") or ()]
    return f"see advice {', '.join(codes)}" if codes else ""
