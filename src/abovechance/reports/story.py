"""What a report says of a result: one story per kind, and the blocks a page is made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeAlias

from markupsafe import Markup

from abovechance.errors import AboveChanceError
from abovechance.format import thousands
from abovechance.inference.contract import UNSTATED, kind_of, model_words, of_items, size_words
from abovechance.plots.chart import Chart
from abovechance.plots.map_pictures import Drawing
from abovechance.plots.plotting import SEED, pictures
from abovechance.predictions import Predictions
from abovechance.reports.citations import Source
from abovechance.tabular import Table

# ----------------------------------------------------------------------------------------------
# What a report holds, as data: the template shows these blocks and computes nothing.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tile:
    """One large fact at the top."""

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Remark:
    """One piece of advice."""

    code: str
    text: str
    source: str = ""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph to read, to paste as text, and to set by LaTeX."""

    title: str
    html: Markup
    text: str
    latex: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Document:
    """A whole report."""

    title: str
    kicker: str
    subtitle: str
    read: tuple[str, ...] = ()
    verdict: str
    headline: Markup
    tiles: tuple[Tile, ...] = ()
    remarks: tuple[Remark, ...] = ()
    charts: tuple[Chart, ...] = ()
    drawings: tuple[Drawing, ...] = ()
    tables: tuple[Table, ...] = ()
    paragraphs: tuple[Paragraph, ...] = ()
    checklist: Table | None = None
    command: str = ""
    versions: tuple[tuple[str, str], ...] = ()
    sources: tuple[Source, ...] = ()
    json: str = "{}"


# ----------------------------------------------------------------------------------------------
# What a report says of a result: one story per kind of result, declared and collected.
# ----------------------------------------------------------------------------------------------


Facts: TypeAlias = Mapping[str, Any]
Models: TypeAlias = Mapping[str, Predictions]
MODULES = (
    "prediction_stories",
    "detection_story",
    "map_stories",
    "learner_stories",
    "other_stories",
)


@dataclass(frozen=True, kw_only=True)
class Story:
    """The blocks of a report that depend on the kind of its result.

    `headline`, `methods` and `results` are rendered by `inference.prose`; `measures` are those
    whose sources are cited.
    """

    kicker: str
    title: str
    verdict: str
    headline: str
    subtitle: str = ""
    methods: str = ""
    results: str = ""
    tiles: tuple[Tile, ...] = ()
    tables: tuple[Table | None, ...] = ()
    charts: tuple[Chart, ...] = ()
    checklist: Table | None = None
    measures: tuple[str, ...] = ()


Teller: TypeAlias = Callable[[Facts, Models], Story]
_TOLD: dict[str, Teller] = {}


def story(*kinds: str) -> Callable[[Teller], Teller]:
    """Declare the story of results of some kinds."""

    def collected(function: Teller) -> Teller:
        _TOLD.update(dict.fromkeys(kinds, function))
        return function

    return collected


def story_of(facts: Facts, models: Models) -> Story:
    """The story of a result; a result of no known kind is shown as it is."""
    for module in MODULES:
        import_module(f"abovechance.reports.{module}")
    kind = kind_of(facts)
    return _TOLD.get(kind, _TOLD["anything"])(facts, models)


def charts_of(kind: str, facts: Facts) -> list[Chart]:
    """The pictures of a result that its report shows; those that cannot be drawn are left out."""
    fitting = [one for one in pictures().values() if one.report and kind in one.reported]
    made = []
    for one in sorted(fitting, key=lambda one: one.report):
        try:
            made.append(one.draw(facts))
        except AboveChanceError:
            continue
    return made


def subtitle(facts: Facts, *parts: str) -> str:
    """What the result is of: cases, and whatever else is known, between dots."""
    said = [size_words(facts), *parts]
    said += [f"seed {facts['seed']}"] if facts.get("seed") is not None else []
    return " · ".join(part for part in said if part)


def origin_of(facts: Facts) -> str:
    """Where the predictions came from, briefly."""
    origin = model_words(facts)
    return "origin not stated" if origin == UNSTATED else origin.removeprefix("an ")


def seed_of(facts: Facts) -> int:
    """The seed of a result, which its pictures share."""
    return int(facts.get("seed") or SEED)


def cases_tile(facts: Facts, note: str = "") -> tuple[Tile, ...]:
    """How many cases or items, where that is known."""
    if facts.get("n") is None:
        return ()
    return (Tile("Items" if of_items(facts) else "Cases", thousands(facts["n"]), note),)
