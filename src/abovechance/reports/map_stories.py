"""The stories of maps, of a group and of subjects."""

from collections.abc import Iterator
from dataclasses import replace

from abovechance.format import as_float, number, p_phrase, percent, plural, thousands
from abovechance.inference.printing import (
    clusters_table,
    controls_table,
    maps_of,
    maps_table,
    peaks_table,
    place_of,
)
from abovechance.inference.prose import capital, cite, label, listed
from abovechance.inference.verdicts import headline, peak_words, place_words, verdict
from abovechance.plots.chart import Chart
from abovechance.reports.methods import software
from abovechance.reports.story import Facts, Models, Story, Tile, charts_of, story

COMBINED = {
    "stelzer": "by combining one permutation map of each subject, drawn at random",
    "joint": "by permuting the labels of all subjects at once",
    "sign_flip": "by flipping the signs of the subjects' differences from chance",
    "prevalence": "by the smallest value over subjects, for combinations of one map of each "
    "subject, permuted or observed",
}
SOURCES = {
    "stelzer": ("stelzer2013",),
    "joint": ("rosenblatt2019",),
    "sign_flip": ("nichols2002",),
    "prevalence": ("allefeld2016",),
}
BOUNDED = {
    "maximum": ("the largest value of each combination", ("nichols2002",)),
    "bh": ("Benjamini and Hochberg's rule", ("benjamini1995",)),
    "by": ("Benjamini and Yekutieli's rule", ("benjamini2001",)),
    "cluster": ("the size of the largest cluster of each combination", ("stelzer2013",)),
    "tfce": ("threshold-free cluster enhancement", ("smith2009",)),
}
NAMED = 5  # peaks that the results name; the table has them all


@story("group_maps")
def group_maps(facts: Facts, models: Models) -> Story:
    """Where a group carries a signal: what was combined, what was bounded, peaks and clusters."""
    geometry = facts["geometry"]
    return Story(
        kicker="Group map",
        title="Where is the signal?",
        subtitle=f"{plural(int(facts['n']), 'subject')} · {thousands(facts['centres'])} centres · "
        f"{facts['statistic']} · seed {facts['seed']}",
        verdict=verdict(facts),
        headline=headline(facts),
        methods=f"{_methods(facts)} {software(facts)}",
        results=_results(facts),
        tiles=(
            _rejected(facts),
            *(
                Tile("Strongest", number(peak["effect"]), place_words(peak, geometry))
                for peak in facts["peaks"][:1]
            ),
            Tile("Subjects", str(facts["n"]), str(facts["title"])),
        ),
        tables=(controls_table(facts), peaks_table(facts), clusters_table(facts)),
        charts=tuple(charts_of("group_maps", facts)),
    )


def _chosen(facts: Facts) -> Facts:
    found: Facts = next(row for row in facts["controls"] if row["chosen"])
    return found


def _rejected(facts: Facts) -> Tile:
    return Tile(
        "Centres rejected",
        thousands(_chosen(facts)["rejected"]),
        f"of {thousands(facts['centres'])}",
    )


def _methods(facts: Facts) -> str:
    """What was tested, how maps were combined, and what bounds false findings."""
    method = str(facts["method"])
    said = [
        f"Maps of {label(facts['statistic_title'])} of {plural(int(facts['n']), 'subject')} at "
        f"{thousands(facts['centres'])} centres were tested {COMBINED[method]}"
        f"{cite(*SOURCES[method])}."
    ]
    said += _drawn(facts)
    bounded, sources = BOUNDED[str(facts["control"])]
    said.append(
        f"{capital(str(_chosen(facts)['bounds']))} was bounded at {facts['alpha']:g} by {bounded}"
        f"{cite(*sources)}."
    )
    if facts["control"] == "cluster":
        said.append(
            f"Clusters are centres with p ≤ {facts['cluster_p']:g} that share "
            f"{facts['neighbours']}."
        )
    if facts["control"] == "tfce":
        how = facts["tfce"]
        said.append(
            f"Enhancement had E = {how['E']:g}, H = {how['H']:g} and steps of {how['dh']:g} "
            "standard deviations."
        )
    said.append(f"The null hypothesis at each centre is that {label(facts['hypothesis'])}.")
    return " ".join(said)


def _drawn(facts: Facts) -> list[str]:
    """How many null maps and combinations there were, and how p was counted."""
    low, high = facts["null_maps"]
    maps = f"{low}" if low == high else f"{low} to {high}"
    said = [f"Each subject had {maps} permutation maps."] if facts["method"] != "sign_flip" else []
    many = thousands(facts["draws"])
    if facts["exact"]:
        said.append(f"All {many} arrangements were counted.")
    else:
        said.append(f"P-values come from {many} draws{cite('phipson2010')}.")
    if facts["with_observed"]:
        said.append("The observed maps were combined along with the permuted ones.")
    if facts["extrapolated"]:
        said.append(
            f"P-values at {thousands(facts['extrapolated'])} centres are extrapolated by a "
            f"generalised Pareto distribution{cite('knijnenburg2009')}."
        )
    return said


def _results(facts: Facts) -> str:
    """How many centres were rejected, the peaks, and what may be concluded."""
    found = [peak for peak in facts["peaks"] if peak["rejected"]]
    many, all_ = _chosen(facts)["rejected"], thousands(facts["centres"])
    if not found:
        return (
            f"At level {facts['alpha']:g}, the hypothesis was rejected at none of {all_} centres "
            f"(smallest adjusted {p_phrase(_chosen(facts)['least_p'])})."
        )
    named = listed([_peak(peak, facts) for peak in found[:NAMED]])
    more = f", the highest of {len(found)} peaks" if len(found) > NAMED else ""
    said = [
        f"At level {facts['alpha']:g}, the hypothesis was rejected at {thousands(many)} of {all_} "
        f"centres: {named}{more}.",
        f"This says that {label(facts['conclusion'])}.",
    ]
    shares = [as_float(peak["prevalence"]) for peak in found if peak.get("prevalence") is not None]
    known = [share for share in shares if share == share]
    if known:
        said.append(
            f"At the peaks the signal is shown for at least {percent(round(min(known), 2))} to "
            f"{percent(round(max(known), 2))} of the population."
        )
    return " ".join(said)


def _peak(peak: Facts, facts: Facts) -> str:
    size = f", {plural(int(peak['size']), 'centre')}" if peak["size"] else ""
    where = place_words(peak, facts["geometry"])
    return f"{label(where)} ({peak_words(peak)}, {p_phrase(peak[_p(facts)])}{size})"


def _p(facts: Facts) -> str:
    return f"p_{facts['control']}"


# ----------------------------------------------------------------------------------------------
# Maps of subjects.
# ----------------------------------------------------------------------------------------------


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
        methods=f"{_methods_of_one(first)} {software(facts)}",
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


def _methods_of_one(row: Facts) -> str:
    classes = listed([label(name) for name in row["classes"]])
    within = f" within {plural(int(row['runs']), 'run')}" if row.get("runs") else ""
    return (
        f"Whether {classes} differ was asked in {label(row['neighbourhood'])} at "
        f"{thousands(row['geometry']['centres'])} centres of each subject"
        f"{cite('kriegeskorte2006')}. The statistic was: {label(row['title'])}. Labels were "
        f"permuted{within} {thousands(row['draws'])} times in every subject, the same way at all "
        f"centres{cite('stelzer2013')}. The null hypothesis is that {label(row['hypothesis'])}."
    )
