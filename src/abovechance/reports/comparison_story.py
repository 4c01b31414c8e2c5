"""The story of a comparison: which model is better, and is that shown?"""

from collections.abc import Mapping
from typing import Any

from abovechance.format import number, p_phrase, plural, signed
from abovechance.inference.contract import (
    adjusted,
    better_of,
    between_models,
    is_shown,
    key_rows,
    main_difference,
    models_of,
    primary_rows,
    within_subgroups,
)
from abovechance.inference.printing import differences_tables
from abovechance.reports import assessment_story as values
from abovechance.reports.methods import methods
from abovechance.reports.prose import MOST, label, listed, the
from abovechance.reports.sentences import (
    difference_numbers,
    difference_sentence,
    interaction_sentence,
)
from abovechance.reports.story import (
    Facts,
    Models,
    Story,
    Tile,
    cases_tile,
    charts_of,
    origin_of,
    story,
)
from abovechance.tabular import Table

AFTER = "Measures and chance"  # comes after the pictures of predictions


@story("comparison")
def comparison(facts: Facts, models: Models) -> Story:
    """Differences between models, within subgroups and between them."""
    described = values.about_outcome(models)
    main = main_difference(facts)
    tiles = [values.estimate_tile(row, facts) for row in primary_rows(facts)[:2]]
    if main is not None:
        p = adjusted(main)
        note = f"{main.get('test') or 'difference'}, {p_phrase(p)}" if p else "difference"
        tiles.append(Tile("Difference", signed(main["difference"]), note))
    charts = charts_of("comparison", facts)
    return Story(
        kicker="Model comparison",
        title=values.title_of_models(models_of(facts)),
        subtitle=values.subtitle_of(facts, described),
        verdict=_verdict(facts),
        headline=values.headline(facts) if main is None else difference_sentence(main, facts),
        methods=methods(facts),
        results=_results(facts),
        tiles=(*tiles, *cases_tile(facts, described or origin_of(facts)))[:4],
        tables=(*_tables(facts), *values.estimates_tables(facts)),
        charts=(
            *(chart for chart in charts if chart.title != AFTER),
            *values.charts_of_models(facts, models),
            *(chart for chart in charts if chart.title == AFTER),
        ),
        checklist=values.checklist(facts, described) if facts.get("estimates") else None,
        measures=tuple(row["measure"] for row in key_rows(facts)),
    )


def _tables(facts: Facts) -> list[Table | None]:
    return [table for table in differences_tables(facts) if isinstance(table, Table)]


def _verdict(facts: Facts) -> str:
    main = main_difference(facts)
    return _ranked(facts) if main is None else _compared(main, facts)


def _ranked(facts: Mapping[str, Any]) -> str:
    """Which of several models is first, and whether that is more than chance."""
    places = [p for p in facts.get("ranking") or () if p["measure"] == facts.get("primary")]
    if len(places) < 2:
        return "Several models, side by side"
    first, *others = sorted(places, key=lambda p: int(p["rank"]))
    near = [str(p["model"]) for p in others if set(p["letters"]) & set(first["letters"])]
    if near:
        return f"{first['model']} ranks first, not told apart from {', '.join(near)}"
    return f"{first['model']} is the best of {len(places)}"


def _compared(difference: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    margin = difference.get("margin")
    if margin:
        return _by_margin(difference, margin)
    if difference.get("identical"):
        return f"{difference['first']} and {difference['second']} predict the same"
    if adjusted(difference) is None and not difference.get("interval"):
        return "Difference without a test"
    if not is_shown(difference, facts):
        return "No difference shown"
    better = better_of(difference)
    if better is None:
        return f"{difference['first']} and {difference['second']} differ"
    if difference.get("model"):
        return f"{difference['model']} is better for {better}"
    return f"{better} is better"


def _by_margin(difference: Mapping[str, Any], margin: Mapping[str, Any]) -> str:
    first, second = difference["first"], difference["second"]
    if margin["equivalent"]:
        return f"{first} and {second} are equivalent within {number(margin['margin'])}"
    if margin["noninferior"]:
        return f"{first} is not worse than {second} by more than {number(margin['margin'])}"
    return f"Not shown: {first} no worse than {second} by more than {number(margin['margin'])}"


def _results(facts: Facts) -> str:
    """The primary measure in full, then those that readers look for, then subgroups."""
    rows = between_models(facts) or facts.get("differences") or ()
    differences = [d for d in rows if d.get("difference") is not None]
    first = [d for d in differences if d["measure"] == facts.get("primary")]
    two = main_difference(facts) is not None
    shown = [*first, *(d for d in differences if two and d not in first)][:MOST]
    sentences = [] if two else values.values_of_models(facts)
    sentences += [difference_sentence(row, facts, past=True, values=two) for row in shown]
    return " ".join([*sentences, *_within_subgroups(facts)])


def _within_subgroups(facts: Mapping[str, Any]) -> list[str]:
    """The primary measure within subgroups, and whether its difference differs between them."""
    rows = [
        row
        for row in within_subgroups(facts)
        if row["measure"] == facts.get("primary") and row.get("difference") is not None
    ]
    said = []
    for pair in list(dict.fromkeys((row["first"], row["second"]) for row in rows))[:MOST]:
        own = [row for row in rows if (row["first"], row["second"]) == pair]
        each = [f"{difference_numbers(row)} within {label(row['by'])}{_size(row)}" for row in own]
        what = label(the(str(own[0]["title"])).removeprefix("the "))
        first, second = (label(name) for name in pair)
        said.append(f"The difference in {what}, {first} minus {second}, was {listed(each)}.")
        said += [
            interaction_sentence(test)
            for test in facts.get("interactions") or ()
            if (test["measure"], test["first"], test["second"]) == (own[0]["measure"], *pair)
        ]
    return said


def _size(row: Mapping[str, Any]) -> str:
    parts = [plural(int(row["n"]), "case")]
    if row.get("events") is not None:
        parts.append(f"{row['events']} with the event")
    return f" ({', '.join(parts)})"
