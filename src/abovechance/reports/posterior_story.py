"""The story of posteriors: what is known of a quantity after the data, under a stated prior."""

from collections.abc import Mapping
from typing import Any

from abovechance.format import between, number, percent, plural, probability
from abovechance.inference.printing import posterior_table
from abovechance.inference.prose import capital, cite, listed
from abovechance.inference.sentences import posterior_sentence
from abovechance.reports.document import Tile
from abovechance.reports.methods import of_posterior, software
from abovechance.reports.story import Facts, Models, Story, cases_tile, story, subtitle

TILES = 3


@story("posterior")
def posterior(facts: Facts, models: Models) -> Story:
    """One posterior."""
    interval = facts["interval"]
    ends = between(interval["low"], interval["high"])
    tiles = [Tile("Median", number(facts["median"]), f"{percent(interval['level'])} {ends}")]
    if facts.get("prob_above_chance") is not None:
        note = f"chance {number(facts['chance'])}"
        tiles.append(
            Tile("Probability above chance", probability(facts["prob_above_chance"]), note)
        )
    said = posterior_sentence(facts)
    return Story(
        kicker="Posterior",
        title=str(facts["quantity"]).capitalize(),
        subtitle=subtitle(facts),
        verdict=f"Posterior of {facts['quantity']}",
        headline=said,
        methods=f"{of_posterior(facts)} {software(facts)}",
        results=said,
        tiles=(*tiles, *cases_tile(facts, str(facts.get("prior") or ""))),
        tables=(posterior_table([facts]),),
    )


@story("posteriors")
def posteriors(facts: Facts, models: Models) -> Story:
    """Several posteriors of the same counts."""
    rows = facts["posteriors"]
    quantities = [str(row["quantity"]) for row in rows]
    n = next((row["n"] for row in rows if row.get("n") is not None), None)
    of = f" of {plural(int(n), 'case')}" if n is not None else ""
    tiles = [Tile(capital(str(r["quantity"])), number(r["median"]), _ends(r)) for r in rows]
    return Story(
        kicker="Posterior",
        title=capital(listed(quantities, TILES)),
        subtitle=subtitle(facts),
        verdict=f"Posterior of {listed(quantities, TILES)}",
        headline=" ".join(posterior_sentence(row) for row in rows[:TILES]),
        methods=f"Posteriors were computed from the confusion counts{of}{cite('brodersen2010')}; "
        f"they are probabilities under the priors named, not p-values. {software(facts)}",
        tiles=tuple(tiles[: TILES + 1]),
        tables=(posterior_table(rows),),
    )


@story("hierarchical_posterior")
def hierarchical(facts: Facts, models: Models) -> Story:
    """A population of subjects: its posteriors, then each subject's."""
    population = {**facts["population"], "quantity": "balanced accuracy, typical subject"}
    average = {**facts["average"], "quantity": "balanced accuracy, mean over subjects"}
    classes = [
        {**row, "quantity": f"accuracy in class {k}, typical subject"}
        for k, row in enumerate(facts["classes"], 1)
    ]
    subjects = [
        {**row, "quantity": f"balanced accuracy, subject {k}"}
        for k, row in enumerate(facts["subjects"], 1)
    ]
    rows = [population, average, *classes, *subjects]
    tiles = [Tile(capital(str(r["quantity"])), number(r["median"]), _ends(r)) for r in rows]
    return Story(
        kicker="Posterior",
        title="Balanced accuracy over subjects",
        verdict=f"{plural(len(subjects), 'subject')}: balanced accuracy "
        f"{number(population['median'])} in the population",
        headline=posterior_sentence(population),
        methods="Subjects' numbers right are binomial; the logits of their accuracies vary between "
        f"subjects as a bivariate normal distribution{cite('brodersen2010')}. {software(facts)}",
        tiles=tuple(tiles[: TILES + 1]),
        tables=(posterior_table(rows),),
    )


def _ends(row: Mapping[str, Any]) -> str:
    interval = row["interval"]
    return f"{percent(interval['level'])} {between(interval['low'], interval['high'])}"
