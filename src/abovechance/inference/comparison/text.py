"""A comparison as text: the same lines in Python and on the command line."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from abovechance.format import limits, number, p_value, signed
from abovechance.inference.comparison.results import Comparison, Difference
from abovechance.inference.method import Kind, Use, together
from abovechance.io.text_tables import Column, Lines, Row, TextTable, below, paragraph


def comparison_lines(result: Comparison, width: int) -> Lines:
    """Values, differences and tests, each line with its style, for a screen so wide."""
    if result.described:
        for line in result.described.splitlines():
            yield from paragraph(line, width)
    how = f"paired by {result.matched_by}" if result.paired else "not paired"
    yield from paragraph(f"{result.n} cases, {how}; difference = first − second", width)
    whole = [row for row in result if row.model is row.by is None]
    for table in (_values(result), _differences(whole, result, "Differences")):
        yield from below(table, width)
        if table is not None and table.title == "Values":
            yield from paragraph(_below_values(result), width)
    yield from _interval_note(whole, result, width)
    yield from below(_margins([row for row in result if row.margin is not None]), width)
    yield from below(_posteriors([r for r in whole if r.posterior is not None]), width)
    yield from below(_omnibus(result), width)
    yield from _subgroups(result, width)
    yield from _methods(list(result), result, width)
    if result.advice:
        yield "", ""
    for advice in result.advice:
        yield from paragraph(f"{advice}", width, "")


def _values(result: Comparison) -> TextTable:
    """Every model's value of every measure with its interval; letters for more than two."""
    letters = {(place.measure, place.model): place.letters for place in result.ranking}
    columns = (
        Column("", "name"),
        Column("value"),
        Column(f"{100 * result.level:.4g}% interval", "limits"),
        Column("", "limits"),
    )
    rows = []
    for measure, group in _by_measure(result.estimates):
        estimates = list(group)
        mark = " *" if measure == result.primary else ""
        rows.append(Row((f"{estimates[0].title}{mark}",)))
        rows += [
            Row(
                (
                    f"  {e.model}",
                    number(e.value, e.interval),
                    limits(e.interval),
                    letters.get((measure, str(e.model)), ""),
                )
            )
            for e in estimates
        ]
    return TextTable(columns, tuple(rows), "Values")


def _by_measure(rows: Iterable[Any]) -> list[tuple[str, list[Any]]]:
    found: dict[str, list[Any]] = {}
    for row in rows:
        found.setdefault(row.measure, []).append(row)
    return list(found.items())


def _below_values(result: Comparison) -> str:
    said = []
    if len({e.measure for e in result.estimates}) > 1:
        said.append("* primary measure; the others are descriptive.")
    if result.ranking:
        said.append("Models that share a letter were not told apart.")
    return " ".join(said)


def _differences(rows: Sequence[Difference], result: Comparison, title: str) -> TextTable | None:
    """One line per measure for a single pair; else the pairs under their measure."""
    if not rows:
        return None
    level = next((row.interval.level for row in rows if row.interval), result.level)
    pairs = {(row.first, row.second) for row in rows}
    adjusted = any(row.p_adjusted not in (None, row.p_value) for row in rows)
    adjusted = adjusted or (len(pairs) > 1 and result.adjust != "none")
    columns = (
        Column("", "name"),
        Column("difference"),
        Column(f"{100 * level:.4g}% interval", "limits"),
        Column("p"),
        Column("mid-p"),
        Column(f"p ({result.adjust})"),
        Column("better", "name"),
        Column("remark", "remark"),
    )
    found = []
    for name, group in groupby(rows, key=lambda row: row.title):
        if len(pairs) > 1:
            found.append(Row((name,)))
        for row in group:
            who = f"  {name}" if len(pairs) == 1 else f"  {row.first} − {row.second}"
            found.append(
                Row(
                    (
                        who,
                        signed(row.difference, row.interval),
                        limits(row.interval),
                        p_value(row.p_value),
                        p_value(row.mid_p),
                        p_value(row.p_adjusted) if adjusted else "",
                        conclusion(row),
                        row.undefined or "",
                    )
                )
            )
    if len(pairs) == 1:
        first, second = pairs.pop()
        title = f"{title}, {first} − {second}"
    return TextTable(columns, tuple(found), title)


def conclusion(row: Difference) -> str:
    """Which model is better, where that was shown; what else there is to say."""
    if row.difference != row.difference:
        return ""
    if row.identical:
        return "identical"
    if not row.shown:
        return "not shown"
    return "differ" if row.better is None else row.better


def _interval_note(rows: Sequence[Difference], result: Comparison, width: int) -> Lines:
    """Where test and interval disagree, neither alone is taken for a conclusion."""
    alpha = 1.0 - result.level
    apart = [
        row.title
        for row in rows
        if not row.shown
        and row.interval is not None
        and row.p_value is not None
        and row.alternative == "two-sided"
        and (row.p_value <= alpha) != (not row.interval.low <= 0.0 <= row.interval.high)
    ]
    if apart:
        names = ", ".join(dict.fromkeys(apart))
        yield from paragraph(
            f"Test and interval disagree, so nothing is taken as shown: {names}.", width
        )


def _margins(rows: Sequence[Difference]) -> TextTable | None:
    if not rows:
        return None
    level = next(row.margin.interval.level for row in rows if row.margin)
    columns = (
        Column("", "name"),
        Column("pair", "name"),
        Column("margin"),
        Column(f"{100 * level:.4g}% interval", "limits"),
        Column("not inferior (p)", "limits"),
        Column("equivalent (p)", "limits"),
    )
    found = []
    for row in rows:
        assert row.margin is not None
        found.append(
            Row(
                (
                    f"  {row.title}{_where(row)}",
                    f"{row.first}, {row.second}",
                    number(row.margin.margin),
                    limits(row.margin.interval),
                    _verdict(row.margin.noninferior, row.margin.p_noninferior),
                    _verdict(row.margin.equivalent, row.margin.p_equivalent),
                )
            )
        )
    return TextTable(columns, tuple(found), "Margins: is the first no worse than the second?")


def _where(row: Difference) -> str:
    """In which subgroup two models are compared, or of which model two subgroups are."""
    return "".join(f", {part}" for part in (row.by, row.model) if part)


def _verdict(holds: bool, p: float | None) -> str:
    said = "yes" if holds else "not shown"
    return said if p is None else f"{said} ({p_value(p)})"


def _probability(value: float | None) -> str:
    """A posterior probability, which is neither 0 nor 1 however near it comes."""
    if value is None or value != value or 0.0005 <= value <= 0.9995:
        return number(value)
    return "> 0.999" if value > 0.5 else "< 0.001"


def _posteriors(rows: Sequence[Difference]) -> TextTable | None:
    if not rows:
        return None
    known = [row.posterior for row in rows if row.posterior]
    rope = next((found.rope for found in known if found.rope is not None), None)
    parts = ["P(first better)"]
    if rope is not None:
        parts = ["P(first by more)", f"P(equal within {rope:g})", "P(second by more)"]
    columns = (Column("", "name"), Column("pair", "name"), *(Column(part) for part in parts))
    found = []
    for row in rows:
        assert row.posterior is not None
        values: list[float | None] = [row.posterior.p_better]
        if rope is not None:
            values = [row.posterior.p_first, row.posterior.p_equal, row.posterior.p_second]
        pair = f"{row.first}, {row.second}"
        found.append(Row((f"  {row.title}", pair, *map(_probability, values))))
    return TextTable(columns, tuple(found), "Posterior, not a test")


def _omnibus(result: Comparison) -> TextTable | None:
    columns = (
        Column("", "name"),
        Column("statistic"),
        Column("df"),
        Column("p"),
        Column("test", "name"),
    )
    titles = {e.measure: e.title for e in result.estimates}
    rows = [
        Row(
            (
                f"  {titles[test.measure]}",
                number(test.statistic),
                freedom(test.df) + ("" if test.df_error is None else f", {freedom(test.df_error)}"),
                p_value(test.p_value),
                test.test,
            )
        )
        for test in result.omnibus
    ]
    return TextTable(columns, tuple(rows), "All models at once") if rows else None


def _subgroups(result: Comparison, width: int) -> Lines:
    """Models within subgroups, whether their difference differs, and subgroups of each model."""
    within = [row for row in result if row.by is not None]
    yield from below(_within(within, result), width)
    yield from below(_interactions(result), width)
    if result.interactions:
        why = result.interactions[0]
        yield from paragraph(f"{why.test}; H0: {why.hypothesis}.", width)
    for model, group in groupby([r for r in result if r.model is not None], lambda r: r.model):
        title = f"Between subgroups of different cases, {model}"
        yield from below(_differences(list(group), result, title), width)


def _within(rows: Sequence[Difference], result: Comparison) -> TextTable | None:
    if not rows:
        return None
    level = next((row.interval.level for row in rows if row.interval), result.level)
    columns = (
        Column("", "name"),
        Column("cases"),
        Column("events"),
        Column("difference"),
        Column(f"{100 * level:.4g}% interval", "limits"),
        Column("p"),
        Column(f"p ({result.adjust})"),
        Column("better", "name"),
        Column("remark", "remark"),
    )
    found = []
    pairs = {(row.first, row.second) for row in rows}
    keyed = sorted(rows, key=lambda row: [r.measure for r in result.estimates].index(row.measure))
    for measure, of_measure in _by_measure(keyed):
        title = next(row.title for row in of_measure)
        for pair in dict.fromkeys((row.first, row.second) for row in of_measure):
            found.append(Row((title if len(pairs) == 1 else f"{title}, {' − '.join(pair)}",)))
            found += [
                Row(
                    (
                        f"  {row.by}",
                        f"{row.n}",
                        "" if row.events is None else f"{row.events}",
                        signed(row.difference, row.interval),
                        limits(row.interval),
                        p_value(row.p_value),
                        p_value(row.p_adjusted) if result.adjust != "none" else "",
                        conclusion(row),
                        row.undefined or "",
                    )
                )
                for row in of_measure
                if (row.measure, row.first, row.second) == (measure, *pair)
            ]
    title = "Within subgroups"
    if len(pairs) == 1:
        title += f", {' − '.join(pairs.pop())}"
    return TextTable(columns, tuple(found), title)


def _interactions(result: Comparison) -> TextTable | None:
    if not result.interactions:
        return None
    several = len({(test.first, test.second) for test in result.interactions}) > 1
    columns = (
        Column("", "name"),
        Column("pair", "name"),
        Column("F"),
        Column("df"),
        Column("p"),
        Column(f"p ({result.adjust})"),
        Column("remark", "remark"),
    )
    rows = [
        Row(
            (
                f"  {test.title}",
                f"{test.first} − {test.second}" if several else "",
                "" if test.statistic is None else number(test.statistic),
                "" if test.df is None else f"{freedom(test.df)}, {freedom(test.df_error or 0.0)}",
                p_value(test.p_value),
                p_value(test.p_adjusted) if several and result.adjust != "none" else "",
                test.undefined or "",
            )
        )
        for test in result.interactions
    ]
    return TextTable(columns, tuple(rows), "Interaction: does the difference differ?")


def _methods(rows: Sequence[Difference], result: Comparison, width: int) -> Lines:
    """Which interval and which test each measure had, once each."""
    values = [(Use.of_interval(e.interval), "", e.measure) for e in result.estimates if e.interval]
    intervals = [(Use.of_interval(row.interval), "", row.measure) for row in rows if row.interval]
    tests = [
        (
            Use.of(Kind.TEST, row.test, row.test_by),
            f"{f', {row.draws} draws' if row.draws else ''}; H0: {row.hypothesis}",
            row.measure,
        )
        for row in rows
        if row.test is not None
    ]
    side = next((row.alternative for row in rows if row.alternative), "two-sided")
    for title, found in (
        ("Intervals of values", values),
        ("Intervals of differences", intervals),
        (f"Tests, {side}", tests),
    ):
        if found:
            yield "", ""
            yield "dim", title
        for method, measures in _once(found).items():
            names = ", ".join(dict.fromkeys(measures))
            yield from paragraph(f"  {method}: {names}", width)


def _once(found: Sequence[tuple[Use, str, str]]) -> dict[str, list[str]]:
    """Methods with what is said of them and the measures they were used for."""
    methods: dict[str, list[str]] = {}
    for use, (_, said, measure) in zip(together([use for use, _, _ in found]), found, strict=True):
        methods.setdefault(f"{use.title}{said}", []).append(measure)
    return methods


def freedom(df: float) -> str:
    """Degrees of freedom for a table.

    >>> freedom(3.0), freedom(2.64)
    ('3', '2.6')
    """
    return f"{df:.1f}".removesuffix(".0")
