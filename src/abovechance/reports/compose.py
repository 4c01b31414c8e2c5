"""From the facts of a result to the blocks of its report."""

import json
import platform
from collections.abc import Mapping, Sequence
from typing import Any

from abovechance import __version__
from abovechance.plots.chart import Chart
from abovechance.plots.contract import whole
from abovechance.plots.words import (
    between,
    number,
    p_phrase,
    p_value,
    percent,
    plural,
    probability,
    signed,
    thousands,
)
from abovechance.predictions import Binary, Multiclass, Predictions, Survival
from abovechance.reports import citations, paragraphs, prose
from abovechance.reports.charts import charts_of
from abovechance.reports.checklist import checklist
from abovechance.reports.document import Document, Paragraph, Remark, Table, Tile
from abovechance.reports.estimate_tables import grid_tables, measure_tables, skill_table
from abovechance.reports.facts import key_rows, model_words, models_of, primary_rows
from abovechance.reports.headline import adjusted, headline, main_difference, verdict
from abovechance.reports.other_tables import difference_table, plain_table


def compose(
    facts: Mapping[str, Any],
    predictions: Mapping[str, Predictions],
    *,
    title: str | None = None,
    command: str = "",
    pictures: Sequence[Chart] = (),
) -> Document:
    """Gather every block of a report; `pictures` come before those that follow from the facts."""
    authors = {key: source.cited for key, source in citations.bibliography().items()}
    described = about_outcome(predictions)
    return Document(
        title=title or _title(facts),
        kicker=_kicker(facts),
        subtitle=_subtitle(facts, described),
        verdict=verdict(facts),
        headline=prose.as_html(headline(facts), authors),
        tiles=tuple(_tiles(facts, described)),
        remarks=tuple(
            Remark(str(a.get("code", "")), str(a.get("text", "")), str(a.get("source") or ""))
            for a in facts.get("advice") or ()
        ),
        charts=(*pictures, *charts_of(facts, predictions)),
        tables=tuple(_tables(facts)),
        paragraphs=tuple(
            _paragraph(heading, text, authors)
            for heading, text in (
                ("Methods", paragraphs.methods(facts)),
                ("Results", paragraphs.results(facts)),
            )
            if text
        ),
        checklist=checklist(facts, described) if facts.get("estimates") else None,
        command=command,
        versions=versions(facts),
        sources=tuple(citations.used(facts, [row["measure"] for row in key_rows(facts)])),
        json=json.dumps(facts, ensure_ascii=False, allow_nan=False, separators=(",", ":")),
        models=models_of(facts),
    )


def about_outcome(predictions: Mapping[str, Predictions]) -> str:
    """How the outcomes are distributed, when predictions are at hand."""
    one = next(iter(predictions.values()), None)
    if isinstance(one, Binary):
        return f"{percent(round(float(one.prevalences[1]), 3))} {one.classes[1]}"
    if isinstance(one, Multiclass):
        return f"{len(one.classes)} classes"
    if isinstance(one, Survival):
        return plural(int(one.event.sum()), "event")
    return ""


def versions(facts: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """What made the numbers, and what made this page."""
    import numpy
    import scipy

    made = str(facts.get("abovechance") or __version__)
    found = [("abovechance", made)]
    if made != __version__:
        found.append(("report by abovechance", __version__))
    return (
        *found,
        ("Python", platform.python_version()),
        ("NumPy", numpy.__version__),
        ("SciPy", scipy.__version__),
    )


def _paragraph(title: str, sentence: str, authors: Mapping[str, str]) -> Paragraph:
    return Paragraph(
        title,
        prose.as_html(sentence, authors),
        prose.as_text(sentence, authors),
        prose.as_latex(sentence),
    )


def _kicker(facts: Mapping[str, Any]) -> str:
    if facts.get("differences"):
        return "Model comparison"
    if facts.get("quantity"):
        return "Posterior"
    if facts.get("tests"):
        return "Signal detection"
    return "Power study" if facts.get("cells") else "Model assessment"


def _title(facts: Mapping[str, Any]) -> str:
    models = models_of(facts)
    if models:
        return " and ".join(models) if len(models) <= 2 else plural(len(models), "model")
    if facts.get("quantity"):
        return str(facts["quantity"]).capitalize()
    titles = {
        "Model assessment": "How good are these predictions?",
        "Power study": "How often would it be found?",
        "Signal detection": "Is there a signal?",
    }
    return titles.get(_kicker(facts), "Result")


def _subtitle(facts: Mapping[str, Any], described: str) -> str:
    parts = []
    if facts.get("n") is not None:
        parts.append(plural(int(facts["n"]), "case"))
    if described:
        parts.append(described)
    if facts.get("outcome"):
        parts.append(f"{facts['outcome']} outcome")
    if model_words(facts):
        parts.append(model_words(facts).removeprefix("an "))
    if facts.get("seed") is not None:
        parts.append(f"seed {facts['seed']}")
    return " · ".join(parts)


def _tiles(facts: Mapping[str, Any], described: str) -> list[Tile]:
    if facts.get("quantity"):
        return _posterior_tiles(facts)
    tiles = [_estimate_tile(row, facts) for row in primary_rows(facts)[:2]]
    difference = main_difference(facts)
    if difference is not None:
        p = adjusted(difference)
        note = f"{difference.get('test') or 'difference'}, {p_phrase(p)}" if p else "difference"
        tiles.append(Tile("Difference", signed(difference["difference"]), note))
    elif len(tiles) == 1:
        tiles += _second_tiles(facts)
    if facts.get("n") is not None:
        tiles.append(Tile("Cases", thousands(facts["n"]), described or model_words(facts)))
    return tiles[:4]


def _posterior_tiles(facts: Mapping[str, Any]) -> list[Tile]:
    interval = facts["interval"]
    limits = between(interval["low"], interval["high"])
    tiles = [Tile("Median", number(facts["median"]), f"{percent(interval['level'])} {limits}")]
    if facts.get("prob_above_chance") is not None:
        note = f"chance {number(facts['chance'])}"
        tiles.append(
            Tile("Probability above chance", probability(facts["prob_above_chance"]), note)
        )
    return [*tiles, Tile("Cases", thousands(facts["n"]), str(facts.get("prior") or ""))]


def _estimate_tile(row: Mapping[str, Any], facts: Mapping[str, Any]) -> Tile:
    interval = row["interval"]
    note = "" if row["chance"] is None else f"chance {number(row['chance'])}"
    if interval:
        note = f"{percent(interval['level'])} {between(interval['low'], interval['high'])}"
    named = len(models_of(facts)) > 1 and row["model"]
    label = f"{row['title']}, {row['model']}" if named else str(row["title"])
    return Tile(label, number(row["value"]), note)


def _second_tiles(facts: Mapping[str, Any]) -> list[Tile]:
    """Another well-known measure, and the evidence against chance."""
    primary = primary_rows(facts)[0]
    wanted = ("auc", "balanced_accuracy", "accuracy", "r2", "mae", "c_index", "brier")
    rows = {row["measure"]: row for row in whole(facts) if row["output"] is None}
    found = [rows[m] for m in wanted if m in rows and m != primary["measure"]][:1]
    tiles = [_estimate_tile(row, facts) for row in found]
    if primary["p_value"] is not None:
        note = str(primary["test"] or "").split(";")[0]
        tiles.append(Tile("p against chance", p_value(primary["p_value"]), note))
    elif primary["chance"] is not None:
        tiles.append(Tile("Chance", number(primary["chance"]), str(primary["title"])))
    return tiles


def _tables(facts: Mapping[str, Any]) -> list[Table]:
    found = [
        difference_table(facts),
        *measure_tables(facts),
        skill_table(facts),
        *grid_tables(facts),
        plain_table(facts, "ranking", "Ranking"),
        plain_table(facts, "omnibus", "All models at once"),
        plain_table(facts, "tests", "Tests"),
        plain_table(facts, "cells", "Power"),
    ]
    return [table for table in found if table is not None]
