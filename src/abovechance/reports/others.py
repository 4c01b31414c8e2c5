"""Reports of what is neither assessment, comparison, detection nor power study.

Curves, thresholds, several posteriors, a single test: each is told in its own few blocks; what has
none of its own is shown as it is.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abovechance.errors import AboveChanceError
from abovechance.plots.chart import Chart
from abovechance.plots.kinds import chart_of
from abovechance.plots.words import (
    as_float,
    between,
    number,
    p_phrase,
    percent,
    plural,
    probability,
    thousands,
)
from abovechance.reports.cells import count, numeric, p_cell
from abovechance.reports.document import Cell, Column, Table, Tile
from abovechance.reports.grammar import capital, listed
from abovechance.reports.other_tables import plain_table
from abovechance.reports.prose import cite, label
from abovechance.reports.sentences import bracketed, limits, posterior_sentence

POINTS = 51  # of a curve in its table; the JSON holds them all
TILES = 3


@dataclass(frozen=True)
class Told:
    """What a report says of such a result."""

    kicker: str
    title: str
    verdict: str
    headline: str
    methods: str
    tiles: tuple[Tile, ...] = ()
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()


def told(facts: Mapping[str, Any]) -> Told | None:
    """The report of a curve, of thresholds, of posteriors, of a test; None of other results."""
    for known, teller in TELLERS:
        if known <= facts.keys() and (teller is not _posteriors or _summaries(facts)):
            return teller(facts)
    return None


def _summaries(facts: Mapping[str, Any]) -> bool:
    """Whether the posteriors are told as the package tells them, with medians and priors."""
    return all({"quantity", "median", "interval"} <= row.keys() for row in facts["posteriors"])


def _curve(facts: Mapping[str, Any]) -> Told:
    points = len(facts["x"])
    band = facts.get("low") is not None
    said = f"{plural(points, 'point')} of the {label(_small(facts['title']))}"
    if facts.get("n") is not None:
        said += f", from {plural(int(facts['n']), 'case')}"
    level = percent(facts.get("level") or 0.95)
    about = f" with a pointwise {level} band" if band else ""
    how = f" The band is by {label(facts['method'])}." if band and facts.get("method") else ""
    return Told(
        kicker="Curve",
        title=str(facts["title"]),
        verdict=str(facts["title"]),
        headline=f"{said}{about}.",
        methods=f"The {label(_small(facts['title']))} shows {label(_small(facts['y_name']))} "
        f"against {label(_small(facts['x_name']))}{about}.{how}",
        tiles=_cases(facts),
        tables=(_points(facts),),
        charts=_drawn(facts),
    )


def _points(facts: Mapping[str, Any]) -> Table:
    columns: dict[str, Sequence[Any]] = {
        str(facts["x_name"]): facts["x"],
        str(facts["y_name"]): facts["y"],
    }
    if facts.get("low") is not None and facts.get("high") is not None:
        columns |= {"Low": facts["low"], "High": facts["high"]}
    others = (facts.get("columns") or {}).items()
    columns |= {capital(str(name).replace("_", " ")): values for name, values in others}
    size = len(facts["x"])
    step = (size - 1) / max(1, min(size, POINTS) - 1)
    chosen = [round(k * step) for k in range(min(size, POINTS))]
    return Table(
        title="Points",
        caption="" if size <= POINTS else f"{POINTS} of {size}; the JSON holds them all.",
        columns=tuple(Column(name, "number") for name in columns),
        rows=tuple(tuple(numeric(values[i]) for values in columns.values()) for i in chosen),
        folded=True,
        name="points",
    )


def _thresholds(facts: Mapping[str, Any]) -> Told:
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
    return Told(
        kicker="Thresholds",
        title="Where to cut?",
        verdict=f"{first['title']}: {number(first['threshold'])}",
        headline=f"{said}{costs}",
        methods=methods,
        tiles=(*tiles, *_cases(facts)),
        tables=(_choices(choices),),
    )


def _choices(choices: Sequence[Mapping[str, Any]]) -> Table:
    headings = ("Threshold", "Low", "High", "Value", "Corrected", "Sensitivity", "Specificity")
    rows = []
    for choice in choices:
        interval = choice.get("interval") or {}
        ends = [numeric(interval.get(end)) if interval else Cell() for end in ("low", "high")]
        after = ("value", "corrected", "sensitivity", "specificity", "net_benefit")
        cells = [numeric(choice[name]) for name in after]
        name = Cell(str(choice["title"]))
        rows.append((name, numeric(choice["threshold"]), *ends, *cells))
    return Table(
        title="Thresholds",
        caption="Value: expected cost, Youden's J or distance to the corner, on these cases; "
        "corrected: without the optimism of having chosen the threshold on them.",
        columns=(
            Column("Criterion", "name"),
            *(Column(heading, "number") for heading in (*headings, "Net benefit")),
        ),
        rows=tuple(rows),
        name="choices",
        rows_of="choices",
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


def _posteriors(facts: Mapping[str, Any]) -> Told:
    rows = facts["posteriors"]
    quantities = [str(row["quantity"]) for row in rows]
    n = next((row["n"] for row in rows if row.get("n") is not None), None)
    of = f" of {plural(int(n), 'case')}" if n is not None else ""
    tiles = [
        Tile(capital(str(row["quantity"])), number(row["median"]), _limits(row)) for row in rows
    ]
    return Told(
        kicker="Posterior",
        title=capital(listed(quantities, TILES)),
        verdict=f"Posterior of {listed(quantities, TILES)}",
        headline=" ".join(posterior_sentence(row) for row in rows[:TILES]),
        methods=f"Posteriors were computed from the confusion counts{of}{cite('brodersen2010')}; "
        "they are probabilities under the priors named, not p-values.",
        tiles=tuple(tiles[: TILES + 1]),
        tables=(posterior_table(rows),),
    )


def posterior_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Posteriors with their priors, a row each."""
    headings = ("Mean", "Median", "Mode", "Low", "High", "Chance", "P(> chance)", "Cases")
    body = []
    for row in rows:
        interval, above = row["interval"], row.get("prob_above_chance")
        known = Cell() if above is None else Cell(probability(above), value=as_float(above))
        chance = Cell() if row.get("chance") is None else numeric(row["chance"])
        values = [row["mean"], row["median"], row["mode"], interval["low"], interval["high"]]
        name, prior = Cell(str(row["quantity"])), Cell(str(row.get("prior") or ""))
        numbers = [*map(numeric, values), chance, known, count(row.get("n"))]
        body.append((name, *numbers, prior))
    return Table(
        title="Posteriors",
        caption=f"Limits of {percent(rows[0]['interval']['level'])} posterior intervals.",
        columns=(
            Column("Quantity", "name"),
            *(Column(heading, "number") for heading in headings),
            Column("Prior"),
        ),
        rows=tuple(body),
        name="posteriors",
        rows_of="posteriors",
    )


def _hierarchical(facts: Mapping[str, Any]) -> Told:
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
    found = _posteriors({"posteriors": [population, average, *classes, *subjects]})
    return Told(
        kicker="Posterior",
        title="Balanced accuracy over subjects",
        verdict=f"{plural(len(subjects), 'subject')}: balanced accuracy "
        f"{number(population['median'])} in the population",
        headline=posterior_sentence(population),
        methods="Subjects' numbers right are binomial; the logits of their accuracies vary between "
        f"subjects as a bivariate normal distribution{cite('brodersen2010')}.",
        tiles=found.tiles,
        tables=found.tables,
    )


def _test(facts: Mapping[str, Any]) -> Told:
    p, side = p_phrase(facts["p_value"]), str(facts.get("alternative") or "")
    hypothesis = label(facts["hypothesis"])
    headline = f"{begun_with(facts['method'])}: {p} (null hypothesis: {hypothesis})."
    sided = {"two-sided": "two-sided", "greater": "one-sided", "less": "one-sided"}.get(side, "")
    drawn = f", {thousands(facts['draws'])} draws" if facts.get("draws") else ""
    return Told(
        kicker="Test",
        title=capital(str(facts["method"])),
        verdict=capital(p) if not sided else f"{p}, {sided}",
        headline=headline,
        methods=f"Tested by {label(facts['method'])}{drawn}; null hypothesis: {hypothesis}.",
        tiles=(Tile("p", p.removeprefix("p ").removeprefix("= "), sided),),
        tables=(_pairs(facts),),
    )


def _calibration_error(facts: Mapping[str, Any]) -> Told:
    test = facts["test"]
    values = {name: number(facts[name]) for name in ("value", "expected", "debiased")}
    shown = "" if as_float(test["p_value"]) <= 0.05 else "not "
    return Told(
        kicker="Calibration",
        title=str(facts["measure"]),
        verdict=f"Miscalibration {shown}shown",
        headline=f"{label(facts['measure'])} is {values['value']}, where right probabilities would "
        f"give {values['expected']} by chance, {values['debiased']} beyond it "
        f"({p_phrase(test['p_value'])}).",
        methods=f"Tested by {label(test['method'])}; null hypothesis: {label(test['hypothesis'])}.",
        tiles=(
            Tile("Value", values["value"], str(facts["measure"])),
            Tile("Expected if right", values["expected"]),
            Tile("p", p_phrase(test["p_value"]).removeprefix("p ").removeprefix("= ")),
        ),
        tables=(_pairs({**{k: v for k, v in facts.items() if k != "test"}, **test}),),
    )


def _precision(facts: Mapping[str, Any]) -> Told:
    rows, width = facts["widths"], number(facts["width"])
    level = percent(facts["level"])
    parts, tiles = [], []
    for row in rows:
        if row.get("n") is None:
            many = f"more than {thousands(facts['largest'])} cases"
        else:
            low, high = row["interval"]
            ends = f"{thousands(low)} to {thousands(high)}"
            many = f"{plural(int(row['n']), 'case')} (95% CI {ends})"
        parts.append(f"{label(_small(row['title']))} needs {many}")
        shown = thousands(row["n"]) if row.get("n") else f">{thousands(facts['largest'])}"
        tiles.append(Tile(str(row["title"]), shown, "cases"))
    enough = [int(row["n"]) for row in rows if row.get("n") is not None]
    whole = len(enough) == len(rows)
    many = (
        plural(max(enough), "case") if whole else f"More than {thousands(facts['largest'])} cases"
    )
    samples, setting = thousands(rows[0]["replications"]), label(rows[0]["setting"])
    return Told(
        kicker="Sample size",
        title="How many cases?",
        verdict=f"{many} for intervals no wider than {width}",
        headline=f"For a {level} interval with a mean width of {width} in {setting}, "
        f"{listed(parts)}.",
        methods=f"How many cases a mean width of {width} takes was found by simulating the {level} "
        "intervals of the assessment, and the mean width at that number from "
        f"{samples} new samples{cite('riley2021')}. The samples came from {setting}.",
        tiles=tuple(tiles[:TILES]),
        tables=(_widths(rows, facts),),
    )


def _widths(rows: Sequence[Mapping[str, Any]], facts: Mapping[str, Any]) -> Table:
    headings = ("Cases", "Low", "High", "Mean width there", "Mean value", "Samples", "By formula")
    cells = []
    for row in rows:
        low, high = row.get("interval") or (None, None)
        known = row.get("n") is not None
        cells.append(
            (
                Cell(str(row["title"])),
                count(row["n"]) if known else Cell(f">{thousands(facts['largest'])}"),
                count(low),
                count(high),
                numeric(row.get("mean_width")),
                numeric(row.get("value")),
                count(row.get("replications")),
                count(row.get("formula")),
            )
        )
    return Table(
        title="Cases needed",
        caption=f"For a mean width of {number(facts['width'])}; limits are 95% intervals of the "
        "search.",
        columns=(Column("Measure", "name"), *(Column(heading, "number") for heading in headings)),
        rows=tuple(cells),
        name="widths",
    )


def anything(facts: Mapping[str, Any]) -> Told:
    """A result that has no words of its own, as it is."""
    title = str(facts.get("title") or facts.get("name") or facts.get("statistic") or "Result")
    return Told(
        kicker="Result",
        title=capital(title),
        verdict=capital(title),
        headline=f"What {label('abovechance')} found, as it is.",
        methods="",
        tiles=_cases(facts),
        tables=(_pairs(facts), *_lists(facts)),
    )


def _lists(facts: Mapping[str, Any]) -> list[Table]:
    """Every list of facts as a table of its own."""
    found = [
        plain_table(facts, name, capital(str(name).replace("_", " ")))
        for name, rows in facts.items()
        if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)
    ]
    return [table for table in found if table is not None]


def _pairs(facts: Mapping[str, Any]) -> Table:
    """Every single fact under its name."""
    rows = []
    for name, value in facts.items():
        if value is None or isinstance(value, list | tuple | dict) or name == "abovechance":
            continue
        if name == "p_value":
            cell = p_cell(value)
        elif isinstance(value, bool) or not isinstance(value, int | float):
            cell = Cell(str(value))
        else:
            cell = count(value) if isinstance(value, int) else numeric(value)
        rows.append((Cell(capital(str(name).replace("_", " "))), cell))
    return Table(
        title="Numbers",
        columns=(Column("What", "name"), Column("Value", "number")),
        rows=tuple(rows),
        name="numbers",
    )


def begun_with(text: object) -> str:
    """A name at the beginning of a sentence."""
    return label(capital(str(text)))


def _small(title: object) -> str:
    text = str(title)
    first = text.split(" ")[0]
    return text if first.isupper() else text[:1].lower() + text[1:]


def _cases(facts: Mapping[str, Any]) -> tuple[Tile, ...]:
    return () if facts.get("n") is None else (Tile("Cases", thousands(facts["n"])),)


def _drawn(facts: Mapping[str, Any]) -> tuple[Chart, ...]:
    try:
        return (chart_of(facts),)
    except AboveChanceError:
        return ()


TELLERS: tuple[tuple[set[str], Callable[[Mapping[str, Any]], Told]], ...] = (
    ({"x_name", "y_name", "x", "y"}, _curve),
    ({"choices"}, _thresholds),
    ({"widths", "width", "level"}, _precision),
    ({"posteriors"}, _posteriors),
    ({"population", "subjects"}, _hierarchical),
    ({"expected", "debiased", "test"}, _calibration_error),
    ({"p_value", "hypothesis", "method"}, _test),
)
