"""The stories of power and sample sizes, curves, thresholds, single tests and posteriors.

Any other result is shown as it is.
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
from abovechance.inference.printing import (
    points_table,
    posterior_table,
    power_table,
    sides_and_level,
    sizes_table,
    thresholds_table,
    widths_table,
)
from abovechance.inference.prose import capital, cite, label, listed, lower
from abovechance.inference.sentences import begun, bracketed, limits, named, posterior_sentence
from abovechance.inference.verdicts import TARGET, verdict
from abovechance.plots.chart import Chart
from abovechance.plots.plotting import chart_of
from abovechance.plots.result_pictures import setting, title_of_test
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
# The story of a power study and of sample sizes: how many cases, and by which test?
# ----------------------------------------------------------------------------------------------


CLOSED = ("accuracy", "fisher", "auc", "binomial", "wilcoxon", "delong")  # they permute nothing


@story("power", "sample_size")
def power(facts: Facts, models: Models) -> Story:
    """Powers over sizes and effects, or the cases needed for a target."""
    sizes = bool(facts.get("sizes"))
    settings = dict.fromkeys(setting(c) for c in facts.get("sizes") or facts["cells"])
    return Story(
        kicker="Sample size" if sizes else "Power study",
        title="How many cases?" if sizes else "How often would it be found?",
        subtitle=subtitle(
            facts,
            next(iter(settings)) if len(settings) == 1 else "",
            f"threshold {facts['threshold']:g}" if facts.get("threshold") is not None else "",
        ),
        verdict=verdict(facts),
        headline=_headline(facts),
        methods=f"{_methods(facts)} {software(facts)}",
        results=_headline(facts, past=True),
        tiles=_tiles(facts),
        tables=(sizes_table(facts) if sizes else power_table(facts),),
        charts=tuple(charts_of("sample_size" if sizes else "power", facts)),
    )


def _headline(facts: Mapping[str, Any], *, past: bool = False) -> str:
    """How many cases each test needs, or what power it has."""
    if facts.get("sizes"):
        return _needed(facts, "needed" if past else "needs")
    return " ".join(_reached(cells, facts, past=past) for cells in _by_test(facts).values())


def _methods(facts: Mapping[str, Any]) -> str:
    """What was simulated, how often, and at which level."""
    cells = facts.get("cells") or facts.get("sizes") or ()
    names = listed(list(dict.fromkeys(named(title_of_test(cell)) for cell in cells)))
    samples = max((int(cell.get("replications") or 0) for cell in cells), default=0)
    drawn = f"{thousands(samples)} simulated samples" if samples else "simulated samples"
    what = listed(list(dict.fromkeys(label(setting(cell)) for cell in cells)))
    if facts.get("sizes"):
        said = f"How many cases a power of {percent(_target(facts))} takes was found for {names} "
        said += f"from {drawn} each, and the power at that number from as many new ones."
    else:
        sizes = sorted({int(cell["n"]) for cell in cells if cell.get("n") is not None})
        said = f"The power of {names} was estimated from {drawn}"
        if sizes:
            said += f" of each size ({listed([thousands(n) for n in sizes], 12)} cases)"
        said += "."
    draws = facts.get("draws")
    permuted = any(cell["statistic"] not in CLOSED for cell in cells)
    drawn = f", permutation tests with {thousands(draws)} draws" if draws and permuted else ""
    level = sides_and_level(facts).replace(" at level", " were at level")
    return f"{said} The samples came from {what}. {level}{_threshold(facts)}{drawn}."


def _needed(facts: Mapping[str, Any], needs: str) -> str:
    parts: list[str] = []
    for size in sorted(facts["sizes"], key=lambda s: as_float(s["n"] or "Infinity")):
        verb = "" if parts else f" {needs}"
        if size.get("n") is None:
            many = f"more than {plural(int(facts['largest']), 'case')}"
        else:
            many = plural(int(size["n"]), "case")
            if size.get("interval"):
                low, high = size["interval"]
                many += f" (95% CI {thousands(low)} to {thousands(high)})"
        parts.append(f"{named(title_of_test(size))}{verb} {many}")
    level = sides_and_level(facts)
    asked = f"a power of {percent(_target(facts))} of {level[0].lower()}{level[1:]}"
    about = label(setting(facts["sizes"][0]))
    return f"For {asked} with {about}, {listed(parts)}."


def _reached(cells: list[Mapping[str, Any]], facts: Mapping[str, Any], *, past: bool) -> str:
    """The fewest cases with which a test reaches the target, or how far it gets."""
    subject, has = begun(title_of_test(cells[0])), "had" if past else "has"
    if not _by_size(facts):
        best = max(cells, key=lambda cell: as_float(cell["power"]))
        return f"{subject} {has} a power of at most {_power(best)}."
    first = _first(cells, facts)
    if first is None:
        most = max(cells, key=lambda cell: int(cell["n"]))
        with_ = plural(int(most["n"]), "case")
        return f"{subject} {has} a power of only {_power(most)} with {with_}."
    reaches = "reached" if past else "reaches"
    with_ = plural(int(first["n"]), "case")
    fewer = [int(cell["n"]) for cell in cells if int(cell["n"]) < int(first["n"])]
    does = "did" if past else "does"
    grid = f", the first size tried that {does}, after {thousands(max(fewer))}" if fewer else ""
    return f"{subject} {reaches} a power of {_power(first)} with {with_}{grid}."


def _by_test(facts: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for cell in facts["cells"]:
        if cell.get("power") is not None:
            found.setdefault(str(cell["statistic"]), []).append(cell)
    return found


def _first(cells: list[Mapping[str, Any]], facts: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The smallest size that reaches the target."""
    enough = [cell for cell in cells if as_float(cell["power"]) >= _target(facts)]
    return min(enough, key=lambda cell: int(cell["n"]), default=None)


def _by_size(facts: Mapping[str, Any]) -> bool:
    """Whether only the number of cases varies."""
    cells = facts["cells"]
    one = len({cell.get("effect") for cell in cells}) == 1
    return one and all(cell.get("n") is not None for cell in cells)


def _power(cell: Mapping[str, Any]) -> str:
    return f"{number(cell['power'])}{bracketed(limits(cell.get('interval')))}"


def _threshold(facts: Mapping[str, Any]) -> str:
    """Above what a label is positive, where a test sees labels."""
    titles = [str(row.get("title") or "") for row in facts.get("cells") or facts.get("sizes") or ()]
    seen = any(title.startswith(("Fisher", "Binomial", "McNemar")) for title in titles)
    if not seen or facts.get("threshold") is None:
        return ""
    return f", predicted labels positive above {as_float(facts['threshold']):g}"


def _target(facts: Mapping[str, Any]) -> float:
    return as_float(facts.get("target") or TARGET)


def _tiles(facts: Mapping[str, Any]) -> tuple[Tile, ...]:
    """Of each test the cases needed, or its power with the most cases."""
    if facts.get("sizes"):
        sizes = sorted(facts["sizes"], key=lambda s: as_float(s["n"] or "Infinity"))
        return tuple(_size_tile(size, facts) for size in sizes[:4])
    last: dict[str, Mapping[str, Any]] = {}
    for cell in sorted(facts["cells"], key=lambda c: as_float(c.get("n") or 0)):
        last[str(cell["statistic"])] = cell
    return tuple(
        Tile(
            title_of_test(cell),
            number(cell["power"]),
            f"with {thousands(cell['n'])} cases" if cell.get("n") else "",
        )
        for cell in list(last.values())[:4]
    )


def _size_tile(size: Mapping[str, Any], facts: Mapping[str, Any]) -> Tile:
    name = title_of_test(size)
    if size.get("n") is None:
        return Tile(name, f">{thousands(facts['largest'])}", "cases")
    low, high = size.get("interval") or (None, None)
    limits = "" if low is None else f", 95% {thousands(low)} to {thousands(high)}"
    return Tile(name, thousands(size["n"]), f"cases{limits}")


@story("precision_size")
def precision_size(facts: Facts, models: Models) -> Story:
    """The cases that intervals of a width take."""
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
        parts.append(f"{label(lower(str(row['title'])))} needs {many}")
        shown = thousands(row["n"]) if row.get("n") else f">{thousands(facts['largest'])}"
        tiles.append(Tile(str(row["title"]), shown, "cases"))
    enough = [int(row["n"]) for row in rows if row.get("n") is not None]
    whole = len(enough) == len(rows)
    many = (
        plural(max(enough), "case") if whole else f"More than {thousands(facts['largest'])} cases"
    )
    samples, setting = thousands(rows[0]["replications"]), label(rows[0]["setting"])
    return Story(
        kicker="Sample size",
        title="How many cases?",
        subtitle=subtitle(facts),
        verdict=f"{many} for intervals no wider than {width}",
        headline=f"For a {level} interval with a mean width of {width} in {setting}, "
        f"{listed(parts)}.",
        methods=f"How many cases a mean width of {width} takes was found by simulating the {level} "
        "intervals of the assessment, and the mean width at that number from "
        f"{samples} new samples{cite('riley2021')}. The samples came from {setting}. "
        f"{software(facts)}",
        tiles=tuple(tiles[:3]),
        tables=(widths_table(facts),),
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
