"""The stories of curves, thresholds and single tests; any other result is shown as it is.

The story of posteriors: what is known of a quantity after the data, under a stated prior.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from abovechance.errors import AboveChanceError
from abovechance.format import (
    as_float,
    between,
    number,
    p_phrase,
    percent,
    plural,
    probability,
    thousands,
)
from abovechance.inference.printing import points_table, posterior_table, thresholds_table
from abovechance.inference.prose import capital, cite, label, listed
from abovechance.inference.sentences import bracketed, limits, posterior_sentence
from abovechance.plots.chart import Chart
from abovechance.plots.plotting import chart_of
from abovechance.reports.methods import of_posterior, software
from abovechance.reports.story import (
    Facts,
    Models,
    Story,
    Tile,
    cases_tile,
    charts_of,
    story,
    subtitle,
)
from abovechance.tabular import (
    Cell,
    Column,
    Declared,
    Kind,
    Table,
    count,
    numeric,
    p_cell,
    tabulate,
)

# ----------------------------------------------------------------------------------------------
# The stories of curves, thresholds and single tests; any other result is shown as it is.
# ----------------------------------------------------------------------------------------------


POINTS = 51  # of a curve in its table; the JSON holds them all
TILES = 3


@story("curve")
def curve(facts: Facts, models: Models) -> Story:
    points = len(facts["x"])
    band = facts.get("low") is not None
    said = f"{plural(points, 'point')} of the {label(_small(facts['title']))}"
    if facts.get("n") is not None:
        said += f", from {plural(int(facts['n']), 'case')}"
    level = percent(facts.get("level") or 0.95)
    about = f" with a pointwise {level} band" if band else ""
    how = f" The band is by {label(facts['method'])}." if band and facts.get("method") else ""
    return Story(
        kicker="Curve",
        title=str(facts["title"]),
        subtitle=subtitle(facts),
        verdict=str(facts["title"]),
        headline=f"{said}{about}.",
        methods=f"The {label(_small(facts['title']))} shows {label(_small(facts['y_name']))} "
        f"against {label(_small(facts['x_name']))}{about}.{how} {software(facts)}",
        tiles=cases_tile(facts),
        tables=(replace(points_table(facts, POINTS, title="Points"), folded=True),),
        charts=_drawn(facts),
    )


@story("thresholds")
def thresholds(facts: Facts, models: Models) -> Story:
    choices = facts["choices"]
    each = [f"{_lowered(choice)} {_where(choice)}" for choice in choices]
    said = f"Thresholds above which to call a case positive: {listed(each)}."
    costs = ""
    if facts.get("cost_fp") is not None:
        costs = (
            f" A false positive costs {number(facts['cost_fp'])}, a false negative "
            f"{number(facts['cost_fn'])}."
        )
    first = choices[0]
    of = f" of {plural(int(facts['n']), 'case')}" if facts.get("n") is not None else ""
    methods = f"Thresholds were chosen on the predictions{of}.{costs}"
    if facts.get("draws"):
        methods += (
            " Intervals of thresholds, and how much better a threshold looks on the cases it was "
            f"chosen on, are from {thousands(facts['draws'])} bootstrap samples."
        )
    tiles = [
        Tile(str(choice["title"]), number(choice["threshold"]), _limits(choice))
        for choice in choices[:TILES]
    ]
    return Story(
        kicker="Thresholds",
        title="Where to cut?",
        subtitle=subtitle(facts),
        verdict=f"{first['title']}: {number(first['threshold'])}",
        headline=f"{said}{costs}",
        methods=f"{methods} {software(facts)}",
        tiles=(*tiles, *cases_tile(facts)),
        tables=(thresholds_table(choices, title="Thresholds"),),
        charts=tuple(charts_of("thresholds", facts)),
    )


def _lowered(choice: Mapping[str, Any]) -> str:
    title = _small(choice["title"])
    return label(title if title.startswith("threshold") else f"{title} at")


def _where(choice: Mapping[str, Any]) -> str:
    return f"{number(choice['threshold'])}{bracketed(limits(choice.get('interval')))}"


def _limits(choice: Mapping[str, Any]) -> str:
    interval = choice.get("interval")
    if not interval:
        return ""
    return f"{percent(interval['level'])} {between(interval['low'], interval['high'])}"


@story("test")
def test(facts: Facts, models: Models) -> Story:
    p, side = p_phrase(facts["p_value"]), str(facts.get("alternative") or "")
    hypothesis = label(facts["hypothesis"])
    headline = f"{begun_with(facts['method'])}: {p} (null hypothesis: {hypothesis})."
    sided = {"two-sided": "two-sided", "greater": "one-sided", "less": "one-sided"}.get(side, "")
    drawn = f", {thousands(facts['draws'])} draws" if facts.get("draws") else ""
    return Story(
        kicker="Test",
        title=capital(str(facts["method"])),
        verdict=capital(p) if not sided else f"{p}, {sided}",
        headline=headline,
        methods=f"Tested by {label(facts['method'])}{drawn}; null hypothesis: {hypothesis}. "
        f"{software(facts)}",
        tiles=(Tile("p", p.removeprefix("p ").removeprefix("= "), sided),),
        tables=(_pairs(facts),),
    )


@story("calibration_error")
def calibration_error(facts: Facts, models: Models) -> Story:
    tested = facts["test"]
    values = {name: number(facts[name]) for name in ("value", "expected", "debiased")}
    shown = "" if as_float(tested["p_value"]) <= 0.05 else "not "
    return Story(
        kicker="Calibration",
        title=str(facts["measure"]),
        verdict=f"Miscalibration {shown}shown",
        headline=f"{label(facts['measure'])} is {values['value']}, where right probabilities would "
        f"give {values['expected']} by chance, {values['debiased']} beyond it "
        f"({p_phrase(tested['p_value'])}).",
        methods=f"Tested by {label(tested['method'])}; null hypothesis: "
        f"{label(tested['hypothesis'])}. {software(facts)}",
        tiles=(
            Tile("Value", values["value"], str(facts["measure"])),
            Tile("Expected if right", values["expected"]),
            Tile("p", p_phrase(tested["p_value"]).removeprefix("p ").removeprefix("= ")),
        ),
        tables=(_pairs({**{k: v for k, v in facts.items() if k != "test"}, **tested}),),
    )


@story("null_distribution")
def null_distribution(facts: Facts, models: Models) -> Story:
    """A measure under permuted outcomes."""
    values = [as_float(value) for value in facts["values"]]
    mean = number(sum(values) / len(values))
    how = "all arrangements" if facts.get("exhaustive") else "permutations"
    drawn = f"{thousands(len(values))} {how} of the outcomes"
    title, value = str(facts["title"]), number(facts["value"])
    return Story(
        kicker="Null distribution",
        title=title,
        verdict=f"{value}, where chance gives {mean}",
        headline=f"{begun_with(title)} is {value}; over {drawn} its mean is {mean}.",
        methods=f"{begun_with(title)} was computed under {drawn}. {software(facts)}",
        subtitle=subtitle(facts),
        tiles=(Tile("Observed", value), Tile("Mean by chance", mean)),
        tables=(_pairs(facts),),
    )


@story("anything")
def anything(facts: Facts, models: Models) -> Story:
    """A result that has no words of its own, as it is."""
    title = str(facts.get("title") or facts.get("name") or facts.get("statistic") or "Result")
    return Story(
        kicker="Result",
        title=capital(title),
        verdict=capital(title),
        headline=f"What {label('abovechance')} found, as it is.",
        subtitle=subtitle(facts),
        methods=software(facts),
        tiles=cases_tile(facts),
        tables=(_pairs(facts), *_lists(facts)),
    )


def _lists(facts: Facts) -> list[Table]:
    """Every list of facts as a table of its own."""
    return [
        _plain(name, rows)
        for name, rows in facts.items()
        if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)
    ]


def _plain(key: str, rows: list[dict[str, Any]]) -> Table:
    """Rows as they are, the single facts of each."""
    names = list(dict.fromkeys(name for row in rows for name in row))

    def column(name: str) -> Declared:
        numbers = any(isinstance(row.get(name), int | float) for row in rows)
        kind: Kind = "number" if numbers else "name"
        return name.replace("_", " "), kind, lambda row: _fact(name, row.get(name))

    title = capital(key.replace("_", " "))
    return tabulate(rows, *map(column, names), title=title, name=key)


def _fact(name: str, value: Any) -> Cell:
    if value is None or isinstance(value, list | tuple | dict):
        return Cell()
    if name == "p_value" or name.startswith("p_"):
        return p_cell(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Cell(str(value))
    return count(value) if isinstance(value, int) else numeric(value)


def _pairs(facts: Mapping[str, Any]) -> Table:
    """Every single fact under its name."""
    single = {
        name: value
        for name, value in facts.items()
        if name not in ("abovechance", "kind")
        and value is not None
        and not isinstance(value, list | tuple | dict)
    }
    return Table(
        title="Numbers",
        columns=(Column("what", "name"), Column("value")),
        rows=tuple(
            (Cell(capital(name.replace("_", " "))), _fact(name, value))
            for name, value in single.items()
        ),
        name="numbers",
    )


def begun_with(text: object) -> str:
    """A name at the beginning of a sentence."""
    return label(capital(str(text)))


def _small(title: object) -> str:
    text = str(title)
    first = text.split(" ")[0]
    return text if first.isupper() else text[:1].lower() + text[1:]


def _drawn(facts: Mapping[str, Any]) -> tuple[Chart, ...]:
    try:
        return (chart_of(facts),)
    except AboveChanceError:
        return ()


# ----------------------------------------------------------------------------------------------
# The story of posteriors: what is known of a quantity after the data, under a stated prior.
# ----------------------------------------------------------------------------------------------


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
