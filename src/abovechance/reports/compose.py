"""From the facts of a result to the blocks of its report."""

import json
import platform
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from abovechance import __version__
from abovechance.plots.chart import Chart
from abovechance.plots.contract import PARTS
from abovechance.plots.tests_asked import setting
from abovechance.plots.words import (
    percent,
    plural,
)
from abovechance.predictions import Binary, Multiclass, Predictions, Survival
from abovechance.reports import citations, prose
from abovechance.reports.charts import charts_of
from abovechance.reports.checklist import checklist
from abovechance.reports.document import Document, Paragraph, Remark, Table
from abovechance.reports.estimate_tables import grid_tables, measure_tables, skill_table
from abovechance.reports.facts import (
    UNSTATED,
    key_rows,
    kind_of,
    model_words,
    models_of,
)
from abovechance.reports.grammar import capital
from abovechance.reports.headline import headline
from abovechance.reports.methods import methods, software
from abovechance.reports.other_tables import (
    difference_tables,
    plain_table,
    power_table,
    size_table,
    test_table,
)
from abovechance.reports.others import Told, anything, posterior_table, told
from abovechance.reports.results import results
from abovechance.reports.tiles import tiles_of
from abovechance.reports.verdict import verdict


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
    if not PARTS & facts.keys():
        other = told(facts) or anything(facts)
        return _other(other, facts, authors, title=title, command=command, pictures=pictures)
    described = about_outcome(predictions)
    said = {"Methods": methods(facts), "Results": results(facts)}
    measures = [row["measure"] for row in key_rows(facts)]
    return Document(
        title=title or _title(facts),
        kicker=_kicker(facts),
        subtitle=_subtitle(facts, described),
        verdict=verdict(facts),
        headline=prose.as_html(headline(facts), authors),
        tiles=tuple(tiles_of(facts, described)),
        remarks=tuple(_remarks(facts)),
        charts=(*pictures, *charts_of(facts, predictions)),
        tables=tuple(_tables(facts)),
        paragraphs=tuple(
            _paragraph(heading, text, authors) for heading, text in said.items() if text
        ),
        checklist=checklist(facts, described) if facts.get("estimates") else None,
        command=command,
        versions=versions(facts),
        sources=tuple(citations.used(facts, measures, *said.values())),
        json=json.dumps(facts, ensure_ascii=False, allow_nan=False, separators=(",", ":")),
    )


def _other(
    found: Told,
    facts: Mapping[str, Any],
    authors: Mapping[str, str],
    *,
    title: str | None,
    command: str,
    pictures: Sequence[Chart],
) -> Document:
    """The blocks of a result of another kind."""
    said = software(facts)
    methods_ = f"{found.methods} {said}".strip()
    return Document(
        title=title or found.title,
        kicker=found.kicker,
        subtitle=_subtitle({key: facts.get(key) for key in ("n", "seed")}, ""),
        verdict=found.verdict,
        headline=prose.as_html(found.headline, authors),
        tiles=found.tiles,
        remarks=tuple(_remarks(facts)),
        charts=(*pictures, *found.charts),
        tables=found.tables,
        paragraphs=(_paragraph("Methods", methods_, authors),),
        command=command,
        versions=versions(facts),
        sources=tuple(citations.used(facts, (), methods_)),
        json=json.dumps(facts, ensure_ascii=False, allow_nan=False, separators=(",", ":")),
    )


def _remarks(facts: Mapping[str, Any]) -> Iterator[Remark]:
    """Advice; of a replication also what came of it and where it departs from the paper."""
    for advice in facts.get("advice") or ():
        text, source = capital(str(advice.get("text", ""))), str(advice.get("source") or "")
        yield Remark(str(advice.get("code", "")), text, source)
    for text in facts.get("findings") or ():
        yield Remark("", str(text))
    for text in facts.get("remarks") or ():
        yield Remark("", f"Departure from the paper: {text}.")


def about_outcome(predictions: Mapping[str, Predictions]) -> str:
    """How the outcomes are distributed, when predictions are at hand."""
    one = next(iter(predictions.values()), None)
    if isinstance(one, Binary):
        name = str(one.classes[1])
        called = name if name[:1].isalpha() else f"positive ({name})"
        return f"{percent(round(float(one.prevalences[1]), 3))} {called}"
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
    return {
        "posterior": "Posterior",
        "detection": "Permutation test" if _refitted(facts) else "Signal detection",
        "power": "Sample size" if facts.get("sizes") else "Power study",
        "estimates": "Model assessment",
    }[kind_of(facts)]


def _title(facts: Mapping[str, Any]) -> str:
    models = models_of(facts)
    if models:
        return " and ".join(models) if len(models) <= 2 else plural(len(models), "model")
    return {
        "posterior": str(facts.get("quantity") or "").capitalize(),
        "detection": _asked(facts),
        "power": "How many cases?" if facts.get("sizes") else "How often would it be found?",
        "estimates": "How good are these predictions?",
    }[kind_of(facts)]


def _asked(facts: Mapping[str, Any]) -> str:
    if _refitted(facts):
        return "Better than chance?"
    return "Any association?" if facts.get("kind") == "numeric" else "Do the classes differ?"


def _refitted(facts: Mapping[str, Any]) -> bool:
    return any("measure" in test for test in facts.get("tests") or ())


def _subtitle(facts: Mapping[str, Any], described: str) -> str:
    parts = []
    if facts.get("n") is not None:
        parts.append(plural(int(facts["n"]), "case"))
    if facts.get("features"):
        parts.append(plural(int(facts["features"]), "feature"))
    if facts.get("classes"):
        parts.append(" and ".join(map(str, facts["classes"])))
    parts.append(described)
    if facts.get("outcome"):
        parts.append(f"{facts['outcome']} outcome")
    if kind_of(facts) == "power":
        settings = dict.fromkeys(setting(c) for c in facts.get("sizes") or facts["cells"])
        parts.append(next(iter(settings)) if len(settings) == 1 else "")
    origin = model_words(facts).removeprefix("an ")
    parts.append("origin not stated" if origin == UNSTATED else origin)
    if facts.get("threshold") is not None:
        parts.append(f"threshold {facts['threshold']:g}")
    if facts.get("seed") is not None:
        parts.append(f"seed {facts['seed']}")
    return " · ".join(part for part in parts if part)


def _tables(facts: Mapping[str, Any]) -> list[Table]:
    found = [
        *difference_tables(facts),
        *measure_tables(facts),
        skill_table(facts),
        *grid_tables(facts),
        plain_table(facts, "ranking", "Ranking"),
        plain_table(facts, "omnibus", "All models at once"),
        test_table(facts),
        size_table(facts),
        power_table(facts),
        posterior_table([facts]) if kind_of(facts) == "posterior" else None,
    ]
    return [table for table in found if table is not None]
