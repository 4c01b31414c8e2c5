"""The story of maps of subjects."""

from collections.abc import Iterator
from dataclasses import replace

from abovechance.format import number, plural, thousands
from abovechance.inference.printing import maps_of, maps_table, place_of
from abovechance.inference.prose import cite, label, listed
from abovechance.inference.verdicts import verdict
from abovechance.plots.chart import Chart
from abovechance.reports.methods import software
from abovechance.reports.story import Facts, Models, Story, Tile, charts_of, story

DRAWN = 6  # subjects whose maps are drawn


@story("subject_map", "subject_maps")
def subject_maps(facts: Facts, models: Models) -> Story:
    """Where each subject's statistic is largest, beside what permutations give."""
    rows = maps_of(facts)
    first = rows[0]
    centres = thousands(first["geometry"]["centres"])
    return Story(
        kicker="Maps of subjects" if len(rows) > 1 else "Map of a subject",
        title="Where is the signal?",
        subtitle=f"{plural(len(rows), 'subject')} · {centres} centres · {first['neighbourhood']}",
        verdict=verdict(facts),
        headline=" ".join(_largest(row) for row in rows[:3]),
        methods=f"{_methods(first)} {software(facts)}",
        results=" ".join(_largest(row) for row in rows),
        tiles=(
            Tile("Subjects", str(len(rows))),
            Tile("Centres", centres, str(first["neighbourhood"])),
            Tile("Null maps", thousands(first["draws"]), "of each subject"),
        ),
        tables=(maps_table(facts, title="Maps"),),
        charts=tuple(_charts(rows)),
    )


def _charts(rows: list[Facts]) -> Iterator[Chart]:
    """The pictures of the first subjects."""
    for row in rows[:DRAWN]:
        for chart in charts_of("subject_map", row):
            yield chart if len(rows) == 1 else replace(chart, name=str(row.get("subject") or ""))


def _largest(row: Facts) -> str:
    largest = row["largest"]
    at = place_of(largest["at"], row["geometry"]["unit"])
    who = f"In {label(row['subject'])}, the" if row.get("subject") else "The"
    return (
        f"{who} statistic is largest at {at}, {number(largest['value'])}, where permutations give "
        f"{number(row['null_mean'])} on average over all centres."
    )


def _methods(row: Facts) -> str:
    classes = listed([label(name) for name in row["classes"]])
    within = f" within {plural(int(row['runs']), 'run')}" if row.get("runs") else ""
    return (
        f"Whether {classes} differ was asked in {label(row['neighbourhood'])} at "
        f"{thousands(row['geometry']['centres'])} centres of each subject"
        f"{cite('kriegeskorte2006')}. The statistic was: {label(row['title'])}. Labels were "
        f"permuted{within} {thousands(row['draws'])} times in every subject, the same way at all "
        f"centres{cite('stelzer2013')}. The null hypothesis is that {label(row['hypothesis'])}."
    )
