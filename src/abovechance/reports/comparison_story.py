"""The story of a comparison: which model is better, and is that shown?"""

from collections.abc import Mapping
from typing import Any

from abovechance.format import number, p_phrase, plural, signed
from abovechance.inference.contract import (
    adjusted,
    best_first,
    between_models,
    key_rows,
    main_difference,
    models_of,
    primary_rows,
    within_subgroups,
)
from abovechance.inference.printing import (
    baseline_blocks,
    differences_tables,
)
from abovechance.inference.prose import MOST, label, listed, the
from abovechance.inference.sentences import (
    difference_numbers,
    difference_sentence,
    interaction_sentence,
)
from abovechance.inference.verdicts import headline, verdict
from abovechance.reports import assessment_story as values
from abovechance.reports.methods import methods
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
    first = best_first(primary_rows(facts), facts)
    tiles = [values.estimate_tile(row, facts) for row in first[:2]]
    if main is not None:
        p = adjusted(main)
        note = f"{main.get('test') or 'difference'}, {p_phrase(p)}" if p else "difference"
        tiles.append(Tile("Difference", signed(main["difference"]), note))
    tiles = [*_baseline_tile(facts), *tiles]
    charts = charts_of("comparison", facts)
    return Story(
        kicker="Model comparison",
        title=values.title_of_models(models_of(facts)),
        subtitle=values.subtitle_of(facts, described),
        verdict=verdict(facts),
        headline=headline(facts),
        methods=methods(facts, described),
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
    both = [*baseline_blocks(facts), *differences_tables(facts)]
    return [table for table in both if isinstance(table, Table)]


def _baseline_tile(facts: Facts) -> list[Tile]:
    """The verdict beside the model in use."""
    found = facts.get("baseline")
    if not found:
        return []
    margins = ", ".join(f"{row['title']} {number(row['margin'])}" for row in found["rows"][:1])
    return [Tile(f"Beside {found['model']}", found["verdict"].capitalize(), f"margin {margins}")]


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
