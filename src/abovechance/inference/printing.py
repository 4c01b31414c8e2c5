"""Each kind of result as tables and paragraphs: what is printed, and the tables of its report.

Everything is read from the JSON contract, so a saved result prints as the one it was saved from.
A table is declared once, here; `tabular` renders it as text and as Markdown, the report as HTML.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite, isinf
from typing import Any, TypeAlias

from abovechance.format import (
    as_float,
    between,
    number,
    p_value,
    percent,
    plural,
    probability,
    thousands,
)
from abovechance.inference.contract import (
    alpha_of,
    best_first,
    better_of,
    between_models,
    between_subgroups,
    complete,
    few_rows,
    is_shown,
    kind_of,
    level_of,
    measure_range,
    models_of,
    of_items,
    overall_rows,
    size_words,
    within_subgroups,
)
from abovechance.inference.method import Kind, Use, freedom_as_range
from abovechance.inference.shares import chance_words
from abovechance.inference.verdicts import answer
from abovechance.tabular import (
    EMPTY,
    STAR,
    Bar,
    Block,
    Cell,
    Declared,
    Listing,
    Note,
    Table,
    count,
    given,
    limits,
    numeric,
    p_cell,
    series_colour,
    tabulate,
)

Facts: TypeAlias = Mapping[str, Any]
Row: TypeAlias = Mapping[str, Any]
ABBREVIATED = ("ppv", "npv", "ece", "f1")
AT_THRESHOLD = ("categorical", "utility")  # families of what is done at a threshold
MOST_BY = 8  # measures by subgroup
OF_A_CLASS = ("sensitivity", "ppv", "f1", "auc")  # what a screen shows of each class
POINTS = 17  # of a curve in a table; JSON and CSV hold them all
PAPERS_RULE = "by the papers' rule"
# What a reader of subgroups looks for first.
LOOKED_FOR = ("auc", "balanced_accuracy", "accuracy", "sensitivity", "specificity", "brier",
              "calibration_slope", "mse", "mae", "r2", "c_index", "integrated_brier")  # fmt: skip
# Columns of curves for which a screen has no room; JSON and CSV hold them.
OF_CURVES = ("treat_none", "standardised", "interventions_avoided", "above")
PRINTED: dict[str, Callable[[Facts], Iterable[Block | None]]] = {}


def prints(
    *kinds: str,
) -> Callable[
    [Callable[[Facts], Iterable[Block | None]]], Callable[[Facts], Iterable[Block | None]]
]:
    """Declare how results of some kinds are printed."""

    def collected(
        function: Callable[[Facts], Iterable[Block | None]],
    ) -> Callable[[Facts], Iterable[Block | None]]:
        PRINTED.update(dict.fromkeys(kinds, function))
        return function

    return collected


def blocks_of(facts: Facts, *, full: bool = False) -> list[Block]:
    """A result as blocks: what was read, the answer, its tables, advice; none where none is known.

    Of very many measures the best known are shown, all of them when `full`.

    >>> row = {"measure": "auc", "title": "Area under the ROC curve", "value": 0.8, "chance": 0.5}
    >>> [type(block).__name__ for block in blocks_of({"n": 9, "estimates": [row]})]
    ['Note', 'Note', 'Table']
    """
    made = PRINTED.get(kind_of(facts))
    if made is None:
        return []
    described = [Note(line) for line in str(facts.get("described") or "").splitlines()]
    said = answer(facts)
    shown = {**facts, "full": full}  # of interest to one kind of result only
    main = [block for block in made(shown) if block is not None and _says(block)]
    first = [Note(said, "bold")] if said else []
    return [*described, *first, *main, *advice_of(facts)]


def _says(block: Block) -> bool:
    return bool(block.rows) if isinstance(block, Table) else True


def advice_of(facts: Facts) -> list[Block]:
    """The advice of a result, under an empty line."""
    said = [_advice(one) for one in facts.get("advice") or ()]
    return [Note(" ", ""), *(Note(text, "") for text in said)] if said else []


def _advice(advice: Row) -> str:
    code, source = advice.get("code"), advice.get("source")
    return f"[{code}] {advice.get('text', '')}" + (f" ({source})" if source else "")


def _level(rows: Iterable[Row], facts: Facts) -> str:
    """The heading of a column of intervals."""
    levels = (row["interval"]["level"] for row in rows if row.get("interval"))
    return f"{percent(next(levels, level_of(facts)))} interval"


def _remark(row: Row) -> str:
    return str(row.get("undefined") or row.get("remark") or "")


def _by_measure(rows: Iterable[Any]) -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = {}
    for row in rows:
        groups.setdefault(row["measure"], []).append(row)
    return groups


# Assessments, and the values of the models of a comparison.


@prints("assessment")
def assessment(facts: Facts) -> list[Block | None]:
    """Goals, measures by family, skill, classes, subgroups, methods; of many the best known."""
    every, few = overall_rows(facts), few_rows(facts)
    short = len(few) < len(every) and not facts.get("full")
    rows = few if short else every
    return [
        *goals_blocks(facts),
        Note(_about_cases(facts)),
        measures_table(facts, rows, title=""),
        _left_out(every, rows) if short else None,
        skill_table(facts, rows),
        per_class_table(facts, OF_A_CLASS if short else None),
        subgroup_table(facts),
        *([] if short else methods(rows)),
    ]


def _left_out(every: Sequence[Row], rows: Sequence[Row]) -> Note:
    many, few = (len({row["measure"] for row in part}) for part in (every, rows))
    return Note(
        f"{few} of {many} measures; --all, or to_text(full=True) in Python, shows the others and "
        "the methods."
    )


def goals_blocks(facts: Facts) -> list[Block]:
    """Each of the goals; nothing where none was stated."""
    if not facts.get("goals"):
        return []
    return [goals_table(facts["goals"]), Note(" ")]


def goal_words(row: Row) -> str:
    """A goal as one would say it.

    >>> goal_words({"title": "Sensitivity", "sign": ">=", "goal": 0.85, "by": "sex=f"})
    'Sensitivity [sex=f] ≥ 0.85'
    """
    where = f" [{row['by']}]" if row.get("by") else ""
    if row["sign"] == "in":
        low, high = row["goal"]
        return f"{row['title']}{where} in {low:g} to {high:g}"
    return f"{row['title']}{where} {'≥' if row['sign'] == '>=' else '≤'} {row['goal']:g}"


def goal_line(row: Row) -> str:
    """A goal with its verdict and the numbers behind it, in one line.

    >>> inside = {"low": 0.81, "high": 0.98, "level": 0.95}
    >>> row = {"title": "AUC", "sign": ">=", "goal": 0.9, "verdict": "undecided", "value": 0.92}
    >>> goal_line({**row, "interval": inside, "cases_to_decide": 400})
    'AUC ≥ 0.9 undecided: 0.920, 95% interval 0.810 to 0.980; about 400 cases would decide'
    """
    said = f"{goal_words(row)} {row['verdict']}: {number(row['value'])}"
    if row.get("interval"):
        inside = row["interval"]
        said += f", {percent(inside['level'])} interval {between(inside['low'], inside['high'])}"
    if row.get("cases_to_decide"):
        said += f"; about {thousands(row['cases_to_decide'])} cases would decide"
    return said + (f"; {row['undefined']}" if row.get("undefined") else "")


def goals_table(goals: Facts) -> Table:
    """Each goal with the interval it was judged by."""
    rows = goals["goals"]
    return tabulate(
        rows,
        ("goal", "name", goal_words),
        ("verdict", "text", lambda r: str(r["verdict"])),
        ("estimate", "number", lambda r: numeric(r["value"], beside=r["interval"])),
        (f"{percent(goals['level'])} interval", "limits", lambda r: limits(r["interval"])),
        ("cases to decide", "number", lambda r: count(r["cases_to_decide"])),
        ("remark", "remark", lambda r: str(r["undefined"] or "")),
        title="Goals",
        caption=_about_goals(goals),
        name="goals",
        rows_of="goals",
    )


def _about_goals(goals: Facts) -> str:
    risk = percent((1.0 - as_float(goals["level"])) / 2.0)
    said = [
        f"Met where the whole interval reaches the goal, not met where none of it does; either is "
        f"wrong in at most {risk} of samples for shares of independent cases, in about so many "
        "for other measures, more often where a class has few cases."
    ]
    if any(row.get("interval") and row.get("undefined") for row in goals["goals"]):
        said.append("Undecided, whatever its interval, is what rests on too few clusters.")
    one = "not met" if goals.get("rule") == "all" else "met"
    alone = [row for row in goals["goals"] if row["verdict"] == one]
    if alone and goals["verdict"] == "undecided":
        said.append(
            f"That one of {len(goals['goals'])} goals is {one} may be chance: allowing for their "
            "number (Holm), the whole is undecided."
        )
    if any(row["cases_to_decide"] for row in goals["goals"]):
        said.append("So many cases like these would decide if the estimate stays what it is.")
    if goals.get("sha256"):
        said.append(f"Stated in {goals['file']}, SHA-256 {goals['sha256'][:12]}….")
    return " ".join(said)


def _about_cases(facts: Facts) -> str:
    if facts.get("n") is None:
        return ""
    origin = str(facts.get("origin") or "")
    if facts.get("origin_stated") is False:
        origin = "not stated"
    outcome = facts.get("outcome")
    parts = (
        plural(int(facts["n"]), "case"),
        f"{outcome} outcome" if outcome else "",
        f"origin {origin}" if origin else "",
    )
    return ", ".join(part for part in parts if part)


def measures_table(
    facts: Facts, rows: Sequence[Row], *, title: str, drawn: bool = False, folded: bool = False
) -> Table:
    """Estimates with interval, chance and p; models under their measure, measures in families.

    `drawn` adds a picture of each interval, for a page.
    """
    models = models_of(facts)
    several = len(models) > 1
    if several:
        rows = [row for group in _by_measure(rows).values() for row in best_first(group, facts)]
    elif not drawn:
        families = list(dict.fromkeys(row["family"] for row in rows))
        rows = sorted(rows, key=lambda row: families.index(row["family"]))
    letters = {(p["measure"], p["model"]): p["letters"] for p in facts.get("ranking") or ()}
    bars = _bars(rows, models) if drawn else {}
    same = _same_test(rows)
    primary = facts.get("primary")
    model: Declared = (
        "model",
        "name",
        lambda r: Cell(_model(r), colour=_colour(r, models) if drawn else ""),
    )
    measure: Declared = (
        "measure",
        "name",
        lambda r: Cell(r["title"], mark="primary" * (r["measure"] == primary)),
    )
    groups: tuple[str, ...] = ()
    if several:
        groups = tuple(
            f"{r['title']} {STAR}" if r["measure"] == primary else r["title"] for r in rows
        )
    elif not drawn:
        groups = tuple(str(row["family"] or "").capitalize() for row in rows)
    return tabulate(
        rows,
        model if several else measure,
        ("output", "name", lambda r: str(r["output"] or "")),
        ("estimate", "number", lambda r: numeric(r["value"], beside=r["interval"])),
        (_level(rows, facts), "limits", lambda r: limits(r["interval"], bars.get(id(r)))),
        ("alike", "name", lambda r: letters.get((r["measure"], r["model"]), "")),
        ("chance", "number", lambda r: given(r["chance"])),
        ("p", "number", lambda r: _p(r, same)),
        ("remark", "remark", _remark),
        title=title,
        caption=_about_measures(rows, facts, letters=bool(letters)),
        groups=groups if any(groups) else (),
        grouped_by="measure" if several else "family",
        folded=folded,
        name="all-measures" if folded else "measures",
        rows_of="estimates",
    )


def _model(row: Row) -> str:
    return str(row["model"] or "")


def _colour(row: Row, models: Sequence[str]) -> str:
    name = _model(row)
    return series_colour(models.index(name)) if name in models else ""


def _p(row: Row, same: set[int]) -> Cell:
    cell = p_cell(row["p_value"])
    return Cell(cell.text, value=cell.value, same=True) if id(row) in same else cell


def _same_test(rows: Sequence[Row]) -> set[int]:
    """Rows whose p is that of the row above, by one test in closed form: no further evidence.

    Permutations give each measure a p of its own, even where two happen to be equal.
    """
    same = set()
    last: Any = None
    for row in rows:
        if row["p_value"] is None or row.get("draws"):
            continue
        test = row["p_value"], row["test"], row["hypothesis"], row["model"]
        if test == last:
            same.add(id(row))
        last = test
    return same


def _about_measures(rows: Iterable[Row], facts: Facts, *, letters: bool) -> str:
    rows = list(rows)
    said = []
    if facts.get("primary") and len({row["measure"] for row in rows}) > 1:
        said.append(f"{STAR} primary measure; the others are descriptive.")
    if letters:
        said.append("Models that share a letter were not told apart.")
    if facts.get("threshold") is not None and any(r["family"] in AT_THRESHOLD for r in rows):
        said.append(f"Cases above {facts['threshold']:g} are called positive.")
    tested = {row["family"] for row in rows if row["p_value"] is not None}
    if tested - {"calibration"}:
        clustered = any("scheme" in (row.get("test_by") or {}) for row in rows)
        how = "as the tests say" if clustered else "among the cases"
        hypotheses = {
            str(row["title"]): row["hypothesis"]
            for row in rows
            if row["p_value"] is not None and row["family"] != "calibration"
        }
        level = chance_words(hypotheses, f"the mean when outcomes are shuffled {how}")
        said.append(f"Chance: {level}; p tests against it, one-sided.")
    if "calibration" in tested:
        said.append("p of calibration: against probabilities that are right.")
    if any(row["chance"] is not None and isinf(as_float(row["chance"])) for row in rows):
        said.append(
            "Chance is infinite where a probability is exactly 0 or 1: shuffled, such a "
            "prediction is infinitely wrong."
        )
    return " ".join(said)


def skill_table(facts: Facts, rows: Sequence[Row] | None = None) -> Table | None:
    """Values beside their reference, the best prediction that is the same for all."""
    rows = [row for row in (overall_rows(facts) if rows is None else rows) if row["skill"]]
    models = models_of(facts)
    return tabulate(
        rows,
        ("measure", "name", lambda r: str(r["title"])),
        ("model", "name", _model) if len(models) > 1 else None,
        ("reference", "number", lambda r: numeric(r["skill"]["reference"])),
        (
            "gain",
            "number",
            lambda r: numeric(r["skill"]["difference"], beside=r["skill"].get("interval")),
        ),
        (
            _level((row["skill"] for row in rows), facts),
            "limits",
            lambda r: limits(r["skill"].get("interval")),
        ),
        ("p", "number", lambda r: p_cell(r["skill"].get("p_value"))),
        title="Skill",
        caption="Gain over the reference: the best prediction that is the same for every case.",
        name="skill",
    )


def per_class_table(facts: Facts, only: Sequence[str] | None = None) -> Table | None:
    """Measures of each class, measures across; `only` some of them, where these are known."""
    rows = [complete(row) for row in facts.get("estimates") or ()]
    rows = [row for row in rows if row["class"] is not None and row["by"] is None]
    if only is not None:
        rows = [row for row in rows if row["measure"] in only] or rows
    if not rows:
        return None
    lines = list(dict.fromkeys((_model(r), str(r["class"])) for r in rows))
    measures = dict.fromkeys((str(r["measure"]), r["output"]) for r in rows)
    values = {(_model(r), str(r["class"]), r["measure"], r["output"]): r for r in rows}

    def value(measure: tuple[str, Any]) -> Callable[[Any], Cell]:
        def cell(line: tuple[str, str]) -> Cell:
            row = values.get((*line, *measure))
            return EMPTY if row is None else numeric(row["value"], _remark(row))

        return cell

    several = len({model for model, _ in lines}) > 1
    limited = any(row["interval"] for row in rows)
    across: list[Declared] = [
        (_short(key[0]) + (f" [{key[1]}]" if key[1] else ""), "number", value(key))
        for key in measures
    ]
    return tabulate(
        lines,
        ("class", "name", lambda line: line[1]),
        ("model", "name", lambda line: line[0]) if several else None,
        *across,
        title="Per class",
        caption="Their intervals are in the JSON and the CSV." if limited else "",
        name="class",
    )


def _short(measure: str) -> str:
    """A measure in few letters, for tables with measures across."""
    return measure.upper() if measure in ABBREVIATED else measure.replace("_", " ")


def subgroup_table(facts: Facts) -> Table | None:
    """Subgroups of each measure: how many cases, how many events, value and interval."""
    rows = [complete(row) for row in facts.get("estimates") or ()]
    rows = [row for row in rows if row["by"] is not None and row["class"] is None]
    measures = list(dict.fromkeys((r["measure"], r["output"]) for r in rows))
    kept = measures
    if len(measures) > MOST_BY:
        looked_for = dict.fromkeys((facts.get("primary"), *LOOKED_FOR))
        kept = [m for name in looked_for for m in measures if m[0] == name][:MOST_BY]
        kept = kept or measures[:MOST_BY]
    rows = [row for m in kept for row in rows if (row["measure"], row["output"]) == m]
    sizes = {str(s["by"]): s for s in facts.get("subgroups") or ()}
    models = models_of(facts)
    bars = _bars(rows, models)
    left = len(measures) - len(kept)
    return tabulate(
        rows,
        ("subgroup", "name", lambda r: str(r["by"])),
        ("model", "name", _model) if len(models) > 1 else None,
        ("cases", "number", lambda r: count(sizes.get(str(r["by"]), {}).get("n"))),
        ("events", "number", lambda r: count(sizes.get(str(r["by"]), {}).get("events"))),
        ("estimate", "number", lambda r: numeric(r["value"], beside=r["interval"])),
        (_level(rows, facts), "limits", lambda r: limits(r["interval"], bars.get(id(r)))),
        ("remark", "remark", _remark),
        title="By subgroup",
        caption=f"{left} other measures are in the JSON and the CSV." if left else "",
        groups=tuple(
            str(row["title"]) + (f" [{row['output']}]" if row["output"] else "") for row in rows
        ),
        grouped_by="measure",
        name="by",
    )


def _bars(rows: Sequence[Row], models: Sequence[str]) -> dict[int, Bar]:
    """Intervals drawn on the range of their measure, or on what the models span of it."""
    bars = {}
    for name, group in _by_measure(rows).items():
        ends = [v for row in group for v in (row["value"], row["chance"], *_ends(row))]
        seen = [v for v in map(as_float, ends) if isfinite(v)]
        low, high = _span(measure_range(name), seen)
        for row in group:
            value, left, right = map(as_float, (row["value"], *_ends(row)))
            if not all(map(isfinite, (value, left, right))):
                continue
            width = (high - low) or 1.0
            chance = as_float(row["chance"])
            bars[id(row)] = Bar(
                low=max(0.0, (left - low) / width),
                value=(value - low) / width,
                high=min(1.0, (right - low) / width),
                chance=(chance - low) / width if low <= chance <= high else None,
                colour=_colour(row, models) or "0",
            )
    return bars


def _ends(row: Row) -> tuple[Any, Any]:
    interval = row["interval"] or {}
    return interval.get("low"), interval.get("high")


def _span(range_: tuple[float, float], seen: Sequence[float]) -> tuple[float, float]:
    low, high = range_
    if low == -1.0 and high == 1.0 and min(seen, default=0.0) >= 0.0:
        low = 0.0
    if isfinite(low) and isfinite(high) and high - low <= 2.0:
        return low, high
    low = low if isfinite(low) else min([0.0, *seen]) * 1.06
    return low, max([low + 1e-9, 0.0, *seen]) * (1.06 if max(seen, default=0.0) > 0 else 1.0)


Used = tuple[Use, str, str]
"""A method as it was used, what is said of it beside its title, and the measure."""


def methods(rows: Sequence[Row]) -> list[Block | None]:
    """Which interval and which test each measure had, once each."""
    sides: dict[str, list[Used]] = {"one-sided": [], "two-sided": []}
    for row in rows:
        if row["test"]:
            side = "two-sided" if row["alternative"] == "two-sided" else "one-sided"
            exact = "exact" in (row.get("test_by") or {})
            sides[side].append(_tested(row, row["measure"], None if exact else row["draws"]))
    skill = [
        _tested(row["skill"], row["measure"])
        for row in rows
        if row["skill"] and row["skill"].get("test")
    ]
    return [
        _listing("Intervals", _limited(rows)),
        *(_listing(f"Tests, {side}", tests) for side, tests in sides.items()),
        _listing("Tests of skill, one-sided", skill),
    ]


def _limited(rows: Sequence[Row]) -> list[Used]:
    return [
        (Use.of_interval(row["interval"]), "", row["measure"])
        for row in rows
        if row.get("interval")
    ]


def _tested(row: Row, measure: str, draws: Any = None) -> Used:
    drawn = f", {draws} draws" if draws else ""
    use = Use.of(Kind.TEST, row["test"], row.get("test_by"))
    return use, f"{drawn}; H0: {row['hypothesis']}", measure


def _listing(title: str, used: Sequence[Used]) -> Listing | None:
    """Methods with the measures they were used for."""
    if not used:
        return None
    named: dict[str, list[str]] = {}
    for use, (_, said, measure) in zip(
        freedom_as_range([u for u, _, _ in used]), used, strict=True
    ):
        named.setdefault(f"{use.title}{said}", []).append(measure)
    return Listing(title, tuple(f"{m}: {_listed(names)}" for m, names in named.items()))


def _listed(names: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(names))
    if len(distinct) < 7:
        return ", ".join(distinct)
    return f"{', '.join(distinct[:5])} and {len(distinct) - 5} more"


# Comparisons.


@prints("comparison")
def comparison(facts: Facts) -> list[Block | None]:
    """Values, differences, margins, posteriors, all models at once, subgroups, methods."""
    rows = facts.get("differences") or ()
    estimates = overall_rows(facts)
    return [
        *baseline_blocks(facts),
        Note(_about_pairs(facts)),
        measures_table(facts, estimates, title="Values"),
        *differences_tables(facts),
        *_compared_by(rows, estimates),
    ]


def baseline_blocks(facts: Facts) -> list[Block]:
    """Every measure beside the model in use; nothing where none was named."""
    found = facts.get("baseline")
    if not found:
        return []
    return [baseline_table(found), Note(" ")]


def baseline_table(found: Facts) -> Table:
    """Each measure with a margin: how far a model is from the one in use."""
    rows = found["rows"]
    several = len({row["model"] for row in rows}) > 1
    level = next((row["interval"]["level"] for row in rows if row["interval"]), None)
    heading = f"{percent(level)} interval" if level else "interval"
    return tabulate(
        rows,
        ("measure", "name", _title),
        ("model", "name", _model) if several else None,
        ("verdict", "text", lambda r: str(r["verdict"])),
        (
            "difference",
            "number",
            lambda r: numeric(r["difference"], plus=True, beside=r["interval"]),
        ),
        (heading, "limits", lambda r: limits(r["interval"])),
        ("margin", "number", lambda r: numeric(r["margin"])),
        ("remark", "remark", lambda r: str(r["undefined"] or "")),
        title=f"Beside {found['model']}",
        caption="No worse: the worse end of the interval stays within the margin. Worse: the "
        "difference was shown, and it is not shown to stay within the margin.",
        name="baseline",
    )


def _about_pairs(facts: Facts) -> str:
    cases = size_words(facts) or "cases"
    how = f"paired by {facts.get('matched_by')}" if facts.get("paired") else "not paired"
    return f"{cases}, {how}; difference = first − second"


def differences_tables(facts: Facts) -> list[Block | None]:
    """All tables of differences, in the order they are read in."""
    return [
        differences_table(facts, between_models(facts), "Differences"),
        margins_table(facts),
        posteriors_of_differences(facts),
        omnibus_table(facts),
        differences_table(facts, within_subgroups(facts), "Within subgroups"),
        interactions_table(facts),
        *(
            differences_table(facts, rows, f"Between subgroups of different cases, {model}")
            for model, rows in _by_model(between_subgroups(facts)).items()
        ),
    ]


def _by_model(rows: Iterable[Row]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(str(row["model"]), []).append(row)
    return groups


def differences_table(facts: Facts, rows: Sequence[Row], title: str) -> Table:
    """Differences with intervals and tests: a line per measure, or pairs or subgroups under it."""
    pairs = _pairs(rows)
    single = len(pairs) == 1
    within = any(row.get("by") is not None for row in rows)
    adjust = str(facts.get("adjust") or "none")
    adjusted = any(row.get("p_adjusted") not in (None, row.get("p_value")) for row in rows)
    adjusted = adjusted or (adjust != "none" and (within or not single))
    if within:
        order = {key: i for i, key in enumerate(_by_measure(facts.get("estimates") or ()))}
        rows = sorted(
            rows,
            key=lambda r: (order.get(r["measure"], 0), pairs.index((r["first"], r["second"]))),
        )

    def who(row: Row) -> str:
        if within:
            return str(row["by"])
        return _title(row) if single else f"{row['first']} − {row['second']}"

    def group(row: Row) -> str:
        pair = "" if single or not within else f", {row['first']} − {row['second']}"
        return f"{_title(row)}{pair}"

    return tabulate(
        rows,
        ("subgroup" if within else "measure" if single else "pair", "name", who),
        ("cases", "number", lambda r: count(r.get("n"))) if within else None,
        ("events", "number", lambda r: count(r.get("events"))) if within else None,
        (
            "difference",
            "number",
            lambda r: numeric(r["difference"], plus=True, beside=r.get("interval")),
        ),
        (_level(rows, facts), "limits", lambda r: limits(r.get("interval"))),
        ("p", "number", lambda r: p_cell(r.get("p_value"))),
        ("mid-p", "number", lambda r: p_cell(r.get("mid_p"))),
        (f"p ({adjust})", "number", lambda r: p_cell(r.get("p_adjusted"))) if adjusted else None,
        ("better", "name", lambda r: conclusion(r, facts)),
        ("remark", "remark", lambda r: str(r.get("undefined") or "")),
        title=f"{title}, {' − '.join(pairs[0])}" if single else title,
        caption=_about_differences(rows, facts, within=within),
        groups=tuple(map(group, rows)) if within or not single else (),
        grouped_by="measure",
        name="differences" if title == "Differences" else title.lower().replace(" ", "-"),
        rows_of="differences" if len(rows) == len(facts.get("differences") or ()) else "",
    )


def _title(row: Row) -> str:
    return str(row.get("title") or row["measure"])


def conclusion(row: Row, facts: Facts) -> str:
    """Which model is better, where that was shown; what else there is to say."""
    if row.get("difference") is None:
        return ""
    if row.get("identical"):
        return "identical"
    if not is_shown(row, facts):
        return "not shown"
    return better_of(row) or "differ"


def _about_differences(rows: Sequence[Row], facts: Facts, *, within: bool) -> str:
    """Which cases, which way the tests look, and where test and interval disagree."""
    if not rows:
        return ""
    paired = all(row.get("paired", True) for row in rows)
    cases = "items" if of_items(facts) else "cases"
    said = [f"On {'the same' if paired else 'different'} {cases}."]
    sides = {row.get("alternative") for row in rows if row.get("test")}
    said += {
        "greater": ["One-sided tests: is the first better?"],
        "less": ["One-sided tests: is the second better?"],
    }.get(str(next(iter(sides), "")), [])
    said.append(
        "A model is called better where p (adjusted, where given) and interval both show it."
    )
    if within and facts.get("adjust") not in (None, "none"):
        said.append("P-values are adjusted over the subgroups of each measure.")
    alpha = alpha_of(facts)
    apart = [
        _title(row)
        for row in rows
        if not is_shown(row, facts)
        and row.get("interval")
        and row.get("p_value") is not None
        and row.get("alternative") == "two-sided"
        and (as_float(row["p_value"]) <= alpha) == _holds_zero(row["interval"])
    ]
    if apart and not within:
        names = ", ".join(dict.fromkeys(apart))
        said.append(f"Test and interval disagree, so nothing is taken as shown: {names}.")
    return " ".join(said)


def _holds_zero(interval: Row) -> bool:
    return as_float(interval["low"]) <= 0.0 <= as_float(interval["high"])


def margins_table(facts: Facts) -> Table:
    """Whether the first is no worse than the second by more than a margin."""
    rows = [row for row in facts.get("differences") or () if row.get("margin")]

    def holds(key: str) -> Callable[[Row], str]:
        def said(row: Row) -> str:
            p = row["margin"].get(f"p_{key}")
            answer = "yes" if row["margin"][key] else "not shown"
            return answer if p is None else f"{answer} ({p_value(p)})"

        return said

    level = next((row["margin"]["interval"]["level"] for row in rows), level_of(facts))
    pairs = _pairs(rows)
    return tabulate(
        rows,
        ("measure", "name", lambda r: f"{_title(r)}{_where(r)}"),
        ("pair", "name", lambda r: f"{r['first']}, {r['second']}") if len(pairs) > 1 else None,
        ("margin", "number", lambda r: numeric(r["margin"]["margin"])),
        (f"{percent(level)} interval", "limits", lambda r: limits(r["margin"]["interval"])),
        ("not inferior (p)", "limits", holds("noninferior")),
        ("equivalent (p)", "limits", holds("equivalent")),
        title=f"Margins: is {pairs[0][0]} no worse than {pairs[0][1]}?"
        if len(pairs) == 1
        else "Margins: is the first no worse than the second?",
        name="margins",
    )


def _pairs(rows: Iterable[Row]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((str(row["first"]), str(row["second"])) for row in rows))


def _where(row: Row) -> str:
    """In which subgroup two models are compared, or of which model two subgroups are."""
    return "".join(f", {row[part]}" for part in ("by", "model") if row.get(part))


def posteriors_of_differences(facts: Facts) -> Table:
    """How probable it is that the first is better, which is not a test."""
    rows = [row for row in between_models(facts) if row.get("posterior")]
    ropes = (row["posterior"].get("rope") for row in rows)
    rope = next((known for known in ropes if known is not None), None)
    parts = {"P(first better)": "p_better"}
    if rope is not None:
        parts = {
            "P(first by more)": "p_first",
            f"P(equal within {rope:g})": "p_equal",
            "P(second by more)": "p_second",
        }

    def probable(key: str) -> Callable[[Row], Cell]:
        return lambda row: _probability(row["posterior"].get(key))

    columns: list[Declared] = [(head, "number", probable(key)) for head, key in parts.items()]
    pairs = _pairs(rows)
    return tabulate(
        rows,
        ("measure", "name", _title),
        ("pair", "name", lambda r: f"{r['first']}, {r['second']}") if len(pairs) > 1 else None,
        *columns,
        title=f"Posterior of {' and '.join(pairs[0])}, not a test"
        if len(pairs) == 1
        else "Posterior, not a test",
        name="posterior",
    )


def _probability(value: Any) -> Cell:
    return EMPTY if value is None else Cell(probability(value), value=as_float(value))


def omnibus_table(facts: Facts) -> Table:
    """All models at once."""
    titles = {row["measure"]: _title(row) for row in facts.get("estimates") or ()}
    return tabulate(
        facts.get("omnibus") or (),
        ("measure", "name", lambda r: titles.get(r["measure"], r["measure"])),
        ("statistic", "number", lambda r: numeric(r["statistic"])),
        ("df", "number", _freedoms),
        ("p", "number", lambda r: p_cell(r.get("p_value"))),
        ("test", "text", lambda r: str(r["test"])),
        title="All models at once",
        name="omnibus",
    )


def interactions_table(facts: Facts) -> Table:
    """Whether the difference between two models differs between subgroups."""
    rows = facts.get("interactions") or ()
    several = len({(row["first"], row["second"]) for row in rows}) > 1
    adjust = str(facts.get("adjust") or "none")
    adjusted = several and adjust != "none"
    return tabulate(
        rows,
        ("measure", "name", _title),
        ("pair", "name", lambda r: f"{r['first']} − {r['second']}") if several else None,
        ("subgroups", "number", lambda r: count(r.get("subgroups"))),
        ("F", "number", lambda r: given(r.get("statistic"))),
        ("df", "number", _freedoms),
        ("p", "number", lambda r: p_cell(r.get("p_value"))),
        (f"p ({adjust})", "number", lambda r: p_cell(r.get("p_adjusted"))) if adjusted else None,
        ("remark", "remark", lambda r: str(r.get("undefined") or "")),
        title="Interaction: does the difference differ?",
        caption=f"{rows[0]['test']}; H0: {rows[0]['hypothesis']}." if rows else "",
        name="interactions",
        rows_of="interactions",
    )


def _freedoms(row: Row) -> Cell:
    """Degrees of freedom, those of the error behind them."""
    if row.get("df") is None:
        return EMPTY
    known = [row["df"], *([row["df_error"]] if row.get("df_error") is not None else [])]
    text = ", ".join(freedom(as_float(df)) for df in known)
    return Cell(text, value=as_float(row["df"]))


def _compared_by(rows: Sequence[Row], estimates: Sequence[Row]) -> list[Block | None]:
    """Which interval and which test each measure had, once each."""
    tests = [_tested(row, row["measure"], row.get("draws")) for row in rows if row.get("test")]
    side = next((row["alternative"] for row in rows if row.get("alternative")), "two-sided")
    return [
        _listing("Intervals of values", _limited(estimates)),
        _listing("Intervals of differences", _limited(rows)),
        _listing(f"Tests, {side}", tests),
    ]


def freedom(df: float) -> str:
    """Degrees of freedom for a table.

    >>> freedom(3.0), freedom(2.64), freedom(1.018), freedom(26.52)
    ('3', '2.64', '1.02', '26.5')
    """
    text = f"{df:.{2 if df < 10 else 1}f}"
    return text.rstrip("0").rstrip(".")


# Detections, and learners refitted under permuted outcomes.


@prints("detection", "permutation_test")
def detection(facts: Facts) -> list[Block | None]:
    """Every statistic against its permutations."""
    counted = [(facts.get("n"), "case"), (facts.get("features"), "feature")]
    return [
        Note(", ".join(plural(int(many), noun) for many, noun in counted if many is not None)),
        tests_table(facts, title=""),
        *(Note(said) for said in about_permutations(facts)),
    ]


def tests_table(facts: Facts, *, title: str) -> Table:
    """Statistics, or measures of a learner, against their permutations."""
    rows = facts.get("tests") or ()
    draws = {row["draws"] for row in rows if row.get("draws")}
    up_to = "up to " if facts.get("stop") else ""
    drawn = f"; {up_to}{thousands(max(draws))} permutations" if draws else ""
    return tabulate(
        rows,
        ("test", "name", lambda r: str(r.get("statistic") or r["title"])),
        ("in words", "text", lambda r: str(r.get("title") or "") if r.get("statistic") else ""),
        ("value", "number", lambda r: numeric(r["value"])),
        ("null mean", "number", lambda r: numeric(r.get("null_mean"))),
        ("null sd", "number", lambda r: given(r.get("null_sd"))),
        ("p", "number", lambda r: tested_p(r, facts)),
        ("p (holm)", "number", lambda r: _adjusted_p(r, facts)),
        ("permutations", "number", lambda r: count(r.get("draws"))) if len(draws) > 1 else None,
        ("remark", "remark", _remark),
        title=title,
        caption=f"H0: {facts['hypothesis']}{drawn}." if facts.get("hypothesis") else "",
        name="tests",
        rows_of="tests",
    )


def by_papers_rule(facts: Facts) -> bool:
    """Whether p is a share of the draws, the observed labelling left out.

    >>> by_papers_rule({"rule": "paper"}), by_papers_rule({})
    (True, False)
    """
    return facts.get("rule") == "paper"


def tested_p(row: Row, facts: Facts) -> Cell:
    """The p-value of a test; by the papers' rule a share of the draws, which can be 0.

    >>> tested_p({"p_value": 0.0, "draws": 50}, {"rule": "paper"}).text
    '0 of 50'
    """
    if row.get("undefined") or not by_papers_rule(facts):
        return p_cell(row.get("p_value"))
    p = as_float(row["p_value"])
    return Cell(f"{round(p * row['draws'])} of {row['draws']}", value=p)


def _adjusted_p(row: Row, facts: Facts) -> Cell:
    p = row.get("p_adjusted")
    if p is None or not by_papers_rule(facts):
        return p_cell(p)
    return Cell(f"{as_float(p):.3g}", value=as_float(p))


def about_permutations(facts: Facts) -> list[str]:
    """How p came about, where it was not the usual way."""
    said = []
    if by_papers_rule(facts):
        said.append(
            f"p {PAPERS_RULE}: the share of draws at least as large, the observed labelling "
            "left out; its size exceeds the level."
        )
    if facts.get("stop"):
        level, part = as_float(facts["level"]), as_float(facts.get("decided_at") or facts["level"])
        shared = "" if part == level else f", its part of {level:g}"
        said.append(
            "Drawing stopped early, for every test as soon as its p was known to lie on one "
            f"side of {part:.3g}{shared} (Gandy 2009)."
        )
        rows = facts.get("tests") or ()
        open_ = [r["statistic"] for r in rows if not r.get("decision") and not r.get("undefined")]
        if open_:
            said.append(f"Not decided when the draws ran out: {', '.join(open_)}.")
    return said


# Models validated on the cases they were trained on, and learners given more and more of them.


CORRECTED = {
    "optimism": "apparent less the optimism of bootstrap samples",
    ".632": "apparent values and those of cases left out, 0.368 to 0.632",
    ".632+": "apparent values and those of cases left out, weighed by overfitting",
    "cv": "cross-validated",
    "repeated_cv": "cross-validated, over repeats",
    "bootstrap_cv": "cross-validated within bootstrap samples",
}


@prints("validation")
def validation(facts: Facts) -> list[Block | None]:
    """Apparent and corrected values, and what is known of the linear predictor."""
    return [
        Note(about_validation(facts)),
        validation_table(facts),
        *(Note(said) for said in (*about_intervals(facts), *about_shrinkage(facts))),
    ]


def about_validation(facts: Facts) -> str:
    """Cases, features and parts in one line."""
    said = [plural(int(facts["n"]), "case"), plural(int(facts["features"]), "feature")]
    if facts.get("groups"):
        said.insert(1, plural(int(facts["groups"]), "group"))
    draws = int(facts["draws"])
    if facts["method"] in ("cv", "repeated_cv"):
        said.append(plural(int(facts["folds"]), "fold"))
        said += [plural(draws, "repeat")] if draws > 1 else []
    else:
        said.append(f"{thousands(draws)} bootstrap samples")
    return ", ".join(said)


def validation_table(facts: Facts, *, title: str = "") -> Table:
    """Every measure as it appears, and as it is to be expected on new cases."""
    rows = facts.get("validated") or ()
    return tabulate(
        rows,
        ("measure", "name", lambda r: str(r["title"])),
        ("apparent", "number", lambda r: numeric(r["apparent"])),
        ("optimism", "number", lambda r: numeric(r["optimism"], plus=True)),
        ("corrected", "number", lambda r: numeric(r["corrected"], r.get("undefined"))),
        (_level(rows, facts), "limits", lambda r: limits(r.get("interval"))),
        ("chance", "number", lambda r: given(r.get("chance"))),
        ("remark", "remark", lambda r: str(r.get("undefined") or "")),
        title=title,
        caption=f"Corrected: {CORRECTED.get(str(facts.get('method')), 'as stated')}.",
        name="validated",
        rows_of="validated",
    )


def about_intervals(facts: Facts) -> list[str]:
    """What the intervals are for, and why measures have none."""
    rows = facts.get("validated") or ()
    said = []
    if any(row.get("interval") for row in rows):
        said.append(f"Intervals are for {facts['interval_for']}.")
    without: dict[str, list[str]] = {}
    for row in rows:
        if row.get("no_interval") and not row.get("undefined"):
            reason = str(row["no_interval"]).replace(str(row["title"]), "it")
            without.setdefault(reason, []).append(str(row["title"]))
    said += [f"No interval of {_listed(names)}: {why}." for why, names in without.items()]
    return said


def about_shrinkage(facts: Facts) -> list[str]:
    """By what a linear predictor should be multiplied."""
    found = facts.get("shrinkage")
    if not found:
        return []
    factors = [
        f"{number(found[name])} {how}"
        for name, how in (("refitted", "by refits"), ("heuristic", "by the heuristic"))
        if found.get(name) is not None
    ]
    return [f"Shrinkage factor of the linear predictor: {', '.join(factors)}."] if factors else []


@prints("learning_curve")
def learning_curve(facts: Facts) -> list[Block | None]:
    """Values at every size, then what more cases would give."""
    said = [plural(int(facts["n"]), "case"), plural(int(facts["features"]), "feature")]
    said += [plural(int(facts["folds"]), "fold"), plural(int(facts["draws"]), "repeat")]
    return [
        Note(", ".join(said)),
        *(learning_table(facts, curve) for curve in facts.get("curves") or ()),
        goal_sizes_table(facts),
        *(Note(text) for text in about_bands(facts)),
    ]


def learning_table(facts: Facts, curve: Row) -> Table:
    """One measure at every size, and continued to twice and four times the cases there are."""
    ahead = curve.get("continued") or ()
    kept = [ahead[k] for k in {len(ahead) // 2, len(ahead) - 1} if ahead]
    rows = [*curve["points"], *sorted(kept, key=lambda one: as_float(one["size"]))]
    chance = curve.get("chance")
    beside = "" if chance is None else f" Chance gives {number(chance)}."

    def ends(row: Row) -> Any:
        if row.get("interval"):
            return row["interval"]
        return row if row.get("low") is not None else None

    return tabulate(
        rows,
        ("trained on", "number", lambda r: count(round(as_float(r["size"])))),
        ("value", "number", lambda r: numeric(r["value"])),
        (f"{percent(level_of(facts))} interval", "limits", lambda r: limits(ends(r))),
        ("apparent", "number", lambda r: given(r.get("apparent"))),
        ("remark", "remark", lambda r: "" if "apparent" in r else "continued"),
        title=str(curve["title"]),
        caption=f"Of cases that were not trained on, by training size.{beside}",
        name=f"curve_{curve['measure']}",
    )


def goal_sizes_table(facts: Facts) -> Table | None:
    """The training size at which each goal would be met."""
    rows = [one for curve in facts.get("curves") or () for one in curve.get("goals") or ()]
    if not rows:
        return None

    def size(value: Any, none: str) -> Cell:
        return Cell(none) if value is None else count(value)

    return tabulate(
        rows,
        ("goal", "name", lambda r: str(r["goal"])),
        ("cases", "number", lambda r: size(r.get("size"), "never")),
        ("at least", "number", lambda r: size(r.get("low"), "")),
        ("at most", "number", lambda r: size(r.get("high"), "no limit")),
        title="Cases to train on",
        caption=f"At which the curve meets a goal, with {percent(level_of(facts))} limits.",
        name="goal_sizes",
    )


def about_bands(facts: Facts) -> list[str]:
    """What intervals of a learning curve are for, and which measures have none."""
    curves = facts.get("curves") or ()
    said = []
    if any(point.get("interval") for curve in curves for point in curve["points"]):
        said.append("Intervals are for the algorithm trained on so many cases.")
    without = [str(curve["title"]) for curve in curves if curve.get("no_band")]
    if without:
        said.append(
            f"No interval of {_listed(without)}: biased in small folds, or undefined there."
        )
    return said


# Maps of subjects.


@prints("subject_map", "subject_maps")
def subject_maps(facts: Facts) -> list[Block | None]:
    """Maps of one subject or several, a row each."""
    first = maps_of(facts)[0]
    geometry = first["geometry"]
    drawn = f"{thousands(first['draws'])} null maps"
    where = f"{thousands(geometry['centres'])} centres, {first['neighbourhood']}"
    sizes = first["sizes"]
    held = f"{sizes[0]} to {sizes[2]}" if sizes[0] != sizes[2] else f"{sizes[0]}"
    return [Note(f"{where} ({held} each); {drawn} of each subject"), maps_table(facts, title="")]


def maps_of(facts: Facts) -> list[Row]:
    """The subjects' maps, of which there may be one."""
    return list(facts["maps"]) if "maps" in facts else [facts]


def maps_table(facts: Facts, *, title: str) -> Table:
    """Where each subject's map is largest, beside what permutations give."""
    rows = maps_of(facts)
    first = rows[0]
    return tabulate(
        rows,
        ("subject", "name", lambda r: str(r.get("subject") or "")),
        ("trials", "number", lambda r: count(r["n"])),
        ("runs", "number", lambda r: count(r.get("runs"))),
        ("largest", "number", lambda r: numeric(r["largest"]["value"])),
        ("at", "text", lambda r: place_of(r["largest"]["at"], r["geometry"]["unit"])),
        ("median", "number", lambda r: numeric(r["median"])),
        ("null mean", "number", lambda r: numeric(r["null_mean"])),
        ("least p", "number", lambda r: p_cell(r["least_p"])),
        ("centres there", "number", lambda r: count(r["at_least_p"])),
        title=title,
        caption=f"{first['title']}. H0: {first['hypothesis']}. p is of each centre alone.",
        name="maps",
        rows_of="maps",
    )


def place_of(at: Sequence[float], unit: str) -> str:
    """Coordinates for a table.

    >>> place_of([2.0, -4.5], "mm"), place_of([0.25], "s")
    ('(2, −4.5) mm', '0.25 s')
    """
    said = ", ".join(f"{value:.4g}" for value in at).replace("-", "−")
    return f"{said if len(at) == 1 else f'({said})'} {unit}".strip()


# Power and sample sizes.


@prints("power")
def power(facts: Facts) -> list[Block | None]:
    """Powers in every setting."""
    return [power_table(facts, title=str(facts.get("title") or "Power"))]


def power_table(facts: Facts, *, title: str = "Power") -> Table:
    """Powers in every setting, beside published values and formulas where there are some."""
    rows = facts.get("cells") or ()
    effects = len({row.get("effect") for row in rows}) > 1
    return tabulate(
        rows,
        ("test", "name", lambda r: str(r["statistic"])),
        ("in words", "text", lambda r: str(r.get("title") or "")),
        ("cases", "number", lambda r: count(r.get("n"))),
        ("effect", "number", lambda r: given(r.get("effect"))) if effects else None,
        ("power", "number", lambda r: given(r.get("power"))),
        ("95% interval", "limits", lambda r: limits(r.get("interval"))),
        ("published", "number", lambda r: given(_published(r))),
        ("by formula", "number", lambda r: given(_by_formula(r))),
        ("samples", "number", lambda r: count(r.get("replications"))),
        title=title,
        caption=" ".join(["Share of samples in which a test rejects.", *_conditions(facts, rows)]),
        name="cells",
        rows_of="cells",
    )


def _published(row: Row) -> Any:
    """A published power, which has a standard error of its own."""
    return row.get("reference") if row.get("reference_se") else None


def _by_formula(row: Row) -> Any:
    return row.get("theory") if row.get("reference_se") else row.get("reference")


def _conditions(facts: Facts, rows: Sequence[Row]) -> list[str]:
    """What the powers depend on besides sizes: the setting, sides and level of the tests."""
    said = []
    settings = list(dict.fromkeys(str(row["setting"]) for row in rows if row.get("setting")))
    one = settings[0] if len(settings) == 1 else ""
    if one:
        said.append(f"{one[:1].upper()}{one[1:]}.")
    elif facts.get("effect_scale") is not None:
        said.append(f"Effect: {facts['effect_scale']}.")
    if facts.get("prevalence") is not None and "positive" not in one:
        said.append(f"Prevalence {as_float(facts['prevalence']):.3g}.")
    if facts.get("threshold") is not None:
        said.append(f"Labels positive above {as_float(facts['threshold']):g}.")
    return [*said, f"{sides_and_level(facts)}."]


SIDES = {"greater": "one-sided ", "two-sided": "two-sided "}


def sides_and_level(facts: Facts) -> str:
    """Sides, where they are known and the same for all tests, and the level.

    >>> sides_and_level({"alpha": 0.05, "cells": [{"alternative": "greater"}]})
    'One-sided tests at level 0.05'
    """
    rows = facts.get("cells") or facts.get("sizes") or ()
    known = {row.get("alternative") for row in rows}
    word = SIDES.get(next(iter(known)) or "", "") if len(known) == 1 else ""
    return f"{word}tests at level {as_float(facts.get('alpha') or 0.05):g}".capitalize()


@prints("sample_size")
def sample_size(facts: Facts) -> list[Block | None]:
    """Cases that every test needs."""
    return [sizes_table(facts)]


def sizes_table(facts: Facts) -> Table:
    """Cases that every test needs, and the power there in fresh samples."""
    rows = facts.get("sizes") or ()
    largest = facts.get("largest")

    def cases(row: Row) -> Cell:
        return Cell(f">{thousands(largest)}") if row.get("n") is None else count(row["n"])

    return tabulate(
        rows,
        ("test", "name", lambda r: str(r["statistic"])),
        ("in words", "text", lambda r: str(r.get("title") or "")),
        ("cases", "number", cases),
        ("95% of the search", "limits", lambda r: _whole_limits(r.get("interval"))),
        ("power there", "number", lambda r: given(r.get("power"))),
        ("95% interval", "limits", lambda r: limits(r.get("power_interval"))),
        ("samples", "number", lambda r: count(r.get("replications"))),
        ("by formula", "number", lambda r: count(r.get("formula"))),
        title="Cases needed",
        caption=" ".join(
            [f"For a power of {percent(facts.get('target'))}.", *_conditions(facts, rows)]
        ),
        name="sizes",
    )


@prints("precision_size")
def precision_size(facts: Facts) -> list[Block | None]:
    """Cases that intervals of a width take."""
    return [widths_table(facts)]


def widths_table(facts: Facts) -> Table:
    """Cases at which the interval of each measure is as narrow as wanted."""
    rows = facts.get("widths") or ()
    largest = facts.get("largest")
    settings = dict.fromkeys(str(row["setting"]) for row in rows if row.get("setting"))
    said = [f"{text[:1].upper()}{text[1:]}." for text in settings] if len(settings) == 1 else []
    return tabulate(
        rows,
        ("measure", "name", lambda r: str(r["title"])),
        (
            "cases",
            "number",
            lambda r: Cell(f">{thousands(largest)}") if r.get("n") is None else count(r["n"]),
        ),
        ("95% of the search", "limits", lambda r: _whole_limits(r.get("interval"))),
        ("mean width there", "number", lambda r: given(r.get("mean_width"))),
        ("mean value", "number", lambda r: given(r.get("value"))),
        ("samples", "number", lambda r: count(r.get("replications"))),
        ("by formula", "number", lambda r: count(r.get("formula"))),
        title="Cases needed",
        caption=" ".join(
            [
                f"For {percent(facts.get('level'))} intervals, as assess shows them, with a mean "
                f"width of {number(facts.get('width'))}.",
                *said,
            ]
        ),
        name="widths",
        rows_of="widths",
    )


def _whole_limits(interval: Any) -> Cell:
    if not interval:
        return EMPTY
    low, high = map(count, interval)
    return Cell(f"{low.text} to {high.text}", ends=(low, high))


# Posteriors, thresholds, curves.


@prints("posteriors")
def posteriors(facts: Facts) -> list[Block | None]:
    """Posteriors with their priors."""
    return [
        posterior_table(facts["posteriors"]),
        Note("These are probabilities, not p-values."),
    ]


def posterior_table(rows: Sequence[Row]) -> Table:
    """Posteriors with their priors, a row each."""
    level = percent(rows[0]["interval"]["level"])
    return tabulate(
        rows,
        ("quantity", "name", lambda r: str(r["quantity"])),
        ("mean", "number", lambda r: numeric(r["mean"])),
        ("median", "number", lambda r: numeric(r["median"])),
        ("mode", "number", lambda r: numeric(r["mode"])),
        (f"{level} posterior interval", "limits", lambda r: limits(r["interval"])),
        ("chance", "number", lambda r: given(r.get("chance"))),
        ("P(> chance)", "number", lambda r: _probability(r.get("prob_above_chance"))),
        ("cases", "number", lambda r: count(r.get("n"))),
        ("prior", "text", lambda r: str(r.get("prior") or "")),
        title="Posteriors",
        name="posteriors",
        rows_of="posteriors",
    )


@prints("thresholds")
def thresholds(facts: Facts) -> list[Block | None]:
    """Thresholds by several criteria."""
    errors = f"false positive {facts['cost_fp']:g}, false negative {facts['cost_fn']:g}"
    return [
        Note(f"{plural(int(facts['n']), 'case')}; costs of errors: {errors}"),
        thresholds_table(facts["choices"], title=""),
    ]


def thresholds_table(choices: Sequence[Row], *, title: str) -> Table:
    """Thresholds with what they are worth on these cases and on new ones."""
    level = next((c["interval"]["level"] for c in choices if c.get("interval")), 0.95)
    return tabulate(
        choices,
        ("criterion", "name", lambda r: str(r["title"])),
        ("threshold", "number", lambda r: numeric(r["threshold"])),
        (f"{percent(level)} interval", "limits", lambda r: limits(r.get("interval"))),
        ("value", "number", lambda r: numeric(r["value"])),
        ("new cases", "number", lambda r: numeric(r["corrected"])),
        ("sens.", "number", lambda r: numeric(r["sensitivity"])),
        ("spec.", "number", lambda r: numeric(r["specificity"])),
        ("net benefit", "number", lambda r: numeric(r["net_benefit"])),
        title=title,
        caption="Value: expected cost, Youden's J or distance to the corner, on these cases; on "
        "new cases: without the optimism of having chosen the threshold on these.",
        name="choices",
        rows_of="choices",
    )


# Features selected once, on many halves of the cases; cross-validation beside held-out cases.


@prints("selection")
def selection(facts: Facts) -> list[Block | None]:
    """Features in the order of selection."""
    cases = f"{plural(int(facts['n']), 'case')}, {plural(int(facts['features']), 'feature')}"
    return [
        Note(f"{cases}; {facts['learner']}, judged {facts['judged']}"),
        steps_table(facts, title=""),
        Note(f"Ended because {facts['stopped']}."),
    ]


def steps_table(facts: Facts, *, title: str) -> Table:
    """What each selected feature added."""
    rows = [{"step": i, **row} for i, row in enumerate(facts["steps"], 1)]
    return tabulate(
        rows,
        ("step", "number", lambda r: count(r["step"])),
        ("feature", "name", lambda r: str(r["feature"])),
        (str(facts["title"]).lower(), "number", lambda r: numeric(r["value"])),
        ("better by", "number", lambda r: numeric(r["gain"])),
        title=title,
        caption=f"Without any feature: {number(facts['start'])}.",
        name="steps",
        rows_of="steps",
    )


@prints("stability")
def stability(facts: Facts) -> list[Block | None]:
    """Stable features, how often each was selected, and how alike selections were."""
    halves = f"{thousands(int(facts['pairs']))} pairs of halves"
    copied = f", {facts['copies']} of them permuted copies" if facts.get("copies") else ""
    groups = f", {plural(int(facts['groups']), 'group')}" if facts.get("groups") else ""
    many = f"{plural(int(facts['n']), 'case')}{groups}"
    many += f", {plural(int(facts['features']), 'feature')}{copied}"
    return [
        Note(f"{many}; {halves}"),
        selectors_table(facts, title="Stability"),
        frequencies_table(facts, title="How often each feature was selected"),
        index_differences_table(facts),
    ]


def selectors_table(facts: Facts, *, title: str) -> Table:
    """One line per way to select features."""
    rows = facts["selectors"]
    assumed = {
        "none": "for any selector",
        "unimodal": "if selection shares have one mode",
        "r-concave": "if selection shares are r-concave",
    }[str(facts["assumption"])]
    copies = "Copies: permuted copies among those selected in a half. " if facts["copies"] else ""
    return tabulate(
        rows,
        ("selected by", "name", lambda r: str(r["title"])),
        ("per half", "number", lambda r: numeric(r["size"])),
        ("cut-off", "number", lambda r: numeric(r["cutoff"])),
        ("stable", "number", lambda r: count(len(r["stable"]))),
        ("false, at most", "number", lambda r: numeric(r["bound"])),
        ("copies", "number", lambda r: given(r.get("noise_selected"))),
        ("index", "number", lambda r: numeric(r["index"])),
        (_level(rows, facts), "limits", lambda r: limits(r.get("interval"))),
        ("remark", "remark", _remark),
        title=title,
        caption="Stable: selected in at least that share of the halves. False, at most: bound on "
        f"how many stable features of low selection probability there are on average, {assumed}. "
        f"{copies}Index: 1 if all halves select the same, 0 if as chance would.",
        name="selectors",
        rows_of="selectors",
    )


def frequencies_table(facts: Facts, *, title: str) -> Table:
    """One line per feature, one column per way to select; stable features have a star."""
    rows = facts["frequencies"]
    names = [str(row["selector"]) for row in facts["selectors"]]
    known = {(row["selector"], row["feature"]): row for row in rows}
    features = list(dict.fromkeys(row["feature"] for row in rows))

    def share(selector: str) -> Declared:
        def cell(feature: str) -> Cell:
            row = known[selector, feature]
            star = " *" if row["stable"] else ""
            return Cell(f"{number(row['frequency'])}{star}", value=as_float(row["frequency"]))

        return selector, "name", cell

    return tabulate(
        features,
        ("feature", "name", lambda f: str(f)),
        *(share(selector) for selector in names),
        title=title,
        caption="* stable." if any(row["stable"] for row in rows) else "",
        name="frequencies",
        rows_of="frequencies",
    )


def index_differences_table(facts: Facts) -> Table:
    """Differences of the index between ways to select."""
    return _pairs_table(facts, "Differences of the index", "the same halves")


def _pairs_table(facts: Facts, title: str, same: str) -> Table:
    """Differences between pairs, first minus second, on the same draws."""
    rows = facts.get("comparisons") or ()
    return tabulate(
        rows,
        ("cases", "number", lambda r: count(r.get("n"))),
        ("first − second", "name", lambda r: f"{r['first']} − {r['second']}"),
        ("difference", "number", lambda r: numeric(r["difference"])),
        (_level(rows, facts), "limits", lambda r: limits(r.get("interval"))),
        ("p", "number", lambda r: p_cell(r.get("p_value"))),
        ("p (holm)", "number", lambda r: p_cell(r.get("p_adjusted"))),
        title=title,
        caption=f"On {same}.",
        name="comparisons",
        rows_of="comparisons",
    )


@prints("reliability")
def reliability(facts: Facts) -> list[Block | None]:
    """Cross-validated beside held-out values over repetitions."""
    flips = [as_float(one) for one in facts["flips"]]
    dial = f", up to {percent(max(flips))} of the labels flipped" if max(flips) else ""
    balanced = ", classes in equal numbers" if facts.get("balanced") else ""
    return [
        Note(
            f"{thousands(int(facts['repetitions']))} repetitions; {facts['folds']}, beside "
            f"{plural(int(facts['holdout']), 'case')} held out of {facts['n']}{balanced}"
            f"{dial}"
        ),
        reliability_table(facts, title="Cross-validation beside held-out cases"),
        correlation_differences_table(facts),
    ]


def reliability_table(facts: Facts, *, title: str) -> Table:
    """One line per number of cases and measure."""
    rows = facts["measures"]
    return tabulate(
        rows,
        ("cases", "number", lambda r: count(r["n"])),
        ("measure", "name", lambda r: str(r["measure"])),
        ("Spearman", "number", lambda r: numeric(r["spearman"])),
        (_level(rows, facts), "limits", lambda r: limits(r.get("interval"))),
        ("CV", "number", lambda r: numeric(r["cv"])),
        ("held out", "number", lambda r: numeric(r["holdout"])),
        ("bias", "number", lambda r: numeric(r["bias"])),
        ("spread", "number", lambda r: numeric(r["spread"])),
        ("remark", "remark", _remark),
        title=title,
        caption="Spearman: correlation of both values over repetitions. Bias: mean of "
        "cross-validated minus held-out values; spread: their standard deviation.",
        name="measures",
        rows_of="measures",
    )


def correlation_differences_table(facts: Facts) -> Table:
    """Differences of Spearman's correlation between measures."""
    return _pairs_table(facts, "Differences of Spearman's correlation", "the same repetitions")


@prints("curve")
def curve(facts: Facts) -> list[Block | None]:
    """Some points of a curve."""
    band = ""
    if facts.get("low") is not None:
        band = f", {percent(facts.get('level') or 0.95)} band: {facts.get('method')}"
    cases = f", {plural(int(facts['n']), 'case')}" if facts.get("n") is not None else ""
    points = plural(len(facts["x"]), "point")
    return [
        Note(f"{facts['title']}: {points}{cases}{band}", ""),
        points_table(facts, POINTS, hidden=OF_CURVES),
    ]


def points_table(facts: Facts, most: int, *, hidden: Sequence[str] = (), title: str = "") -> Table:
    """Points of a curve, evenly spaced among all where there are more than so many."""
    columns: dict[str, Sequence[Any]] = {
        str(facts["x_name"]): facts["x"],
        str(facts["y_name"]): facts["y"],
    }
    others = {str(k): v for k, v in (facts.get("columns") or {}).items() if k not in hidden}
    bounded = [name for name in others if {f"{name}_low", f"{name}_high"} <= others.keys()]
    ends = {f"{name}_{end}" for name in bounded for end in ("low", "high")}
    size = len(facts["x"])
    step = (size - 1) / max(1, min(size, most) - 1)
    chosen = [round(k * step) for k in range(min(size, most))]

    def values(name: str, column: Sequence[Any]) -> Declared:
        counted = name in ("cases", "events", "censored", "at_risk")
        cell = count if counted else numeric
        return name.replace("_", " "), "number", lambda i: cell(column[i])

    def band(low: Sequence[Any], high: Sequence[Any]) -> Declared:
        heading = f"{percent(facts.get('level') or 0.95)} band"
        return heading, "limits", lambda i: limits({"low": low[i], "high": high[i]})

    banded = facts.get("low") is not None and facts.get("high") is not None
    beside: list[Declared] = []
    for name, column in others.items():
        if name not in ends:
            beside.append(values(name, column))
        if name in bounded:
            beside.append(band(others[f"{name}_low"], others[f"{name}_high"]))
    return tabulate(
        chosen,
        *(values(name, column) for name, column in columns.items()),
        band(facts["low"], facts["high"]) if banded else None,
        *beside,
        title=title,
        caption="" if size <= most else f"{most} of {size} points; the JSON holds them all.",
        name="points",
    )


# Maps of a group of subjects.


@prints("group_maps")
def group_maps(facts: Facts) -> list[Block | None]:
    """What was combined, how many centres each rule rejects, peaks and clusters."""
    return [
        Note(about_maps(facts)),
        controls_table(facts),
        peaks_table(facts),
        clusters_table(facts),
    ]


def about_maps(facts: Facts) -> str:
    """Subjects, centres, and what was drawn."""
    low, high = facts["null_maps"]
    maps = f", {low} null maps each" if low == high else f", {low} to {high} null maps each"
    drawn = "all " if facts["exact"] else ""
    kind = "joint permutations" if facts["method"] == "joint" else "combinations"
    kind = "patterns of signs" if facts["method"] == "sign_flip" else kind
    return (
        f"{plural(int(facts['n']), 'subject')}{maps if low else ''}; "
        f"{thousands(facts['centres'])} centres; {drawn}{thousands(facts['draws'])} {kind}; "
        f"{facts['statistic']}"
    )


def controls_table(facts: Facts) -> Table:
    """How many centres each rule rejects."""
    rows = facts["controls"]
    return tabulate(
        rows,
        ("by", "name", lambda r: Cell(str(r["title"]), mark="primary" if r["chosen"] else "")),
        ("bounds", "text", lambda r: str(r["bounds"])),
        ("centres", "number", lambda r: count(r["rejected"])),
        ("smallest p", "number", lambda r: p_cell(r["least_p"])),
        title="Centres rejected",
        caption=f"At level {facts['alpha']:g}. H0: {facts['hypothesis']}.",
        name="controls",
        rows_of="controls",
    )


def peaks_table(facts: Facts) -> Table:
    """Peaks of the centres rejected, or the strongest centres where none is."""
    rows, geometry = facts["peaks"], facts["geometry"]
    found = any(row["rejected"] for row in rows)
    return tabulate(
        rows,
        (_axes(geometry), "name", _place),
        ("centres", "number", lambda r: count(r["size"])) if found else None,
        ("effect", "number", lambda r: numeric(r["effect"], plus=True)),
        ("z", "number", lambda r: given(r.get("z"))),
        ("p", "number", lambda r: p_cell(r["p_value"])),
        ("max", "number", lambda r: p_cell(r["p_maximum"])),
        ("BH", "number", lambda r: p_cell(r["p_bh"])),
        ("cluster", "number", lambda r: _known_p(r.get("p_cluster"))),
        ("TFCE", "number", lambda r: _known_p(r.get("p_tfce"))),
        ("share", "number", lambda r: given(r.get("prevalence"))),
        title=f"{'Peaks' if found else 'Strongest centres'} at {_axes(geometry)}",
        caption=_about_peaks(facts),
        name="peaks",
        rows_of="peaks",
    )


def _axes(geometry: Facts) -> str:
    """What the coordinates are.

    >>> _axes({"axes": ["x", "y", "z"], "unit": "mm"})
    'x, y, z (mm)'
    """
    return f"{', '.join(str(axis) for axis in geometry['axes'])} ({geometry['unit']})"


def _known_p(p: Any) -> Cell:
    return EMPTY if p is None else p_cell(p)


def _place(row: Row) -> str:
    """Coordinates, after the name of a centre that has one.

    >>> _place({"at": [12.0, -3.0, 40.5]}), _place({"name": "left", "at": [-0.5]})
    ('12, −3, 40.5', 'left: −0.5')
    """
    name = f"{row['name']}: " if row.get("name") else ""
    return name + ", ".join(f"{at:.4g}".replace("-", "−") for at in row["at"])


def _about_peaks(facts: Facts) -> str:
    less = "chance" if facts.get("chance") is not None else "the mean of the null maps"
    said = [
        f"Effect: mean over subjects less {less}; p at the centre alone, and adjusted for all "
        "centres by each rule."
    ]
    if facts.get("share") is not None:
        said = [
            "Effect as mean over subjects; p that at most "
            f"{percent(facts['share'])} of the population carry the signal; share: the part of the "
            "population that carries it at least."
        ]
    if facts.get("extrapolated"):
        said.append("Some p-values are extrapolated (generalised Pareto).")
    return " ".join(said)


def clusters_table(facts: Facts) -> Table | None:
    """Clusters formed at the stated p."""
    rows, geometry = facts["clusters"], facts["geometry"]
    if not rows:
        return None
    return tabulate(
        rows[:10],
        (f"highest at {_axes(geometry)}", "name", _place),
        ("centres", "number", lambda r: count(r["size"])),
        ("z", "number", lambda r: given(r["z"])),
        ("p, any cluster", "number", lambda r: p_cell(r["p_familywise"])),
        ("p, BH of clusters", "number", lambda r: p_cell(r["p_discovery"])),
        title=f"Clusters, highest at {_axes(geometry)}",
        caption=f"Centres with p ≤ {facts['cluster_p']:g} that share {facts['neighbours']}; chance "
        "makes clusters by the same rule, at least as large ones count, the observed ones included."
        + (f" The largest 10 of {len(rows)}." if len(rows) > 10 else ""),
        name="clusters",
        rows_of="clusters",
    )
