"""The sources of the measures, intervals and tests a report speaks of, as BibTeX."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from abovechance.errors import AboveChanceError
from abovechance.inference.method import Kind, Use, every
from abovechance.inference.prose import cited_in

NAMED = re.compile(r"([A-Z][\w'’-]+)[^()\d]*\(?(\d{4})\)?")


@dataclass(frozen=True)
class Source:
    """One entry of the bibliography: its key, how it is cited, and its BibTeX."""

    key: str
    cited: str
    title: str
    bibtex: str


@cache
def bibliography() -> Mapping[str, Source]:
    """Every source known, by key: of the methods, and of the measures where their file is."""
    here = Path(__file__).parent
    measures = (here / "references.bib", here.parents[2] / "docs" / "references.bib")
    found: dict[str, Source] = {}
    for path in (next((p for p in measures if p.is_file()), None), here / "methods.bib"):
        if path is not None:
            found.update(entries(path.read_text("utf-8")))
    for text in (text for method in every() for text in method.source if text[:1] == "@"):
        found = {**entries(text), **found}  # what a plug-in brings along
    return found


def entries(text: str) -> dict[str, Source]:
    """The entries of a BibTeX file whose fields stand one per line.

    >>> entries("@book{x1,\\n  author = {Ada, B. and Cy, D.},\\n  year = {1901},\\n}")["x1"].cited
    'Ada and Cy 1901'
    """
    found = {}
    for entry in re.split(r"^(?=@)", text, flags=re.MULTILINE)[1:]:
        bibtex = entry[: entry.rindex("}") + 1].strip()
        key = bibtex[bibtex.index("{") + 1 : bibtex.index(",")]
        fields = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", bibtex, re.MULTILINE))
        cited = f"{_authors(fields.get('author', key))} {fields.get('year', '')}".strip()
        found[key] = Source(key, cited, fields.get("title", ""), bibtex)
    return found


def of_text(source: str | None) -> tuple[str, ...]:
    """Keys of the sources that a text names by author and year.

    >>> of_text("Bengio & Grandvalet (2004); Nadeau & Bengio (2003)")
    ('bengio2004', 'nadeau2003')
    """
    named = [(author.lower(), year) for author, year in NAMED.findall(source or "")]
    return tuple(dict.fromkeys(_by_year()[one] for one in named if one in _by_year()))


@cache
def _by_year() -> dict[tuple[str, str], str]:
    """Keys by first author and year."""
    return {(re.sub(r"\W|\d", "", key), key[-4:]): key for key in bibliography()}


def of_measure(name: str) -> tuple[str, ...]:
    """Keys of the sources of a measure.

    >>> of_measure("brier")
    ('brier1950',)
    """
    from abovechance.measures import find

    try:
        return of_text(find(name).source)
    except AboveChanceError:
        return ()


def used(facts: Mapping[str, Any], measures: Iterable[str], *said: str) -> list[Source]:
    """The sources of what a result says: its measures, methods and advice, in order of key.

    To those come the sources that the sentences cite.
    """
    keys = [key for sentence in said for key in cited_in(sentence)]
    if facts.get("estimates"):
        keys.append("collins2015")
    keys += [key for name in measures for key in of_measure(name)]
    for row in [*(facts.get("estimates") or ()), *(facts.get("differences") or ())]:
        if row.get("interval"):
            keys += Use.of_interval(row["interval"]).sources
        if row.get("test"):
            keys += Use.of(Kind.TEST, row["test"], row.get("test_by")).sources
    for advice in facts.get("advice") or ():
        keys += of_text(advice.get("source"))
    known = bibliography()
    return [known[key] for key in sorted(set(keys)) if key in known]


def _authors(text: str) -> str:
    names = [name.split(",")[0].strip() for name in text.split(" and ")]
    if len(names) == 1:
        return names[0]
    if len(names) == 2 and names[1] != "others":
        return f"{names[0]} and {names[1]}"
    return f"{names[0]} et al."
