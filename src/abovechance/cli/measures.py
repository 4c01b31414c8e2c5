"""List the measures, or explain one."""

from typing import Any

import click

from abovechance.cli import options


@click.command(help=__doc__)
@click.argument("name", required=False)
@click.option("--family", help="Only one family.")
@click.option("--dialect", type=click.Choice(["familiar"]), help="As that R package computes it.")
@options.output
def measures(name: str | None, family: str | None, dialect: str | None, format_: str) -> None:
    import json

    from abovechance.errors import NotApplicable, did_you_mean
    from abovechance.io.export import jsonable, to_csv_text
    from abovechance.measures import Family, every, find

    if name is not None:
        found = find(name, dialect=dialect)
        if format_ == "json":
            click.echo(json.dumps(jsonable({**facts(found), "doc": found.doc}), indent=2))
        elif format_ == "csv":
            click.echo(to_csv_text([facts(found)]), nl=False)
        else:
            _explain(found)
        return
    families = [f.value for f in Family]
    if family is not None and family not in families:
        raise NotApplicable(
            f"family must be one of {', '.join(families)}; got {family!r}"
            f"{did_you_mean(family, families) or '.'}"
        )
    chosen = [m for m in every().values() if family in (None, m.family)]
    if format_ == "json":
        click.echo(json.dumps(jsonable([facts(m) for m in chosen]), indent=2))
    elif format_ == "csv":
        click.echo(to_csv_text([facts(m) for m in chosen]), nl=False)
    else:
        _list(chosen)


def facts(measure: Any) -> dict[str, Any]:
    """What a measure declares, as a row."""
    return {
        "name": measure.name,
        "title": measure.title,
        "family": measure.family.value,
        "reads": measure.reads.value,
        "outcomes": " ".join(sorted(measure.outcomes)),
        "low": measure.range[0],
        "high": measure.range[1],
        "best": measure.best,
        "chance": chance_in_words(measure),
        "reference": reference_in_words(measure),
        "law": measure.law.value,
        "aliases": " ".join(measure.aliases),
        "averages": "macro micro weighted" if measure.averages else "",
        "parameters": " ".join(f"{k}={v}" for k, v in measure.parameters.items()),
        "source": measure.source,
    }


def chance_in_words(measure: Any) -> str:
    """What shuffled outcomes score on average: a number, or how it comes about."""
    from abovechance.measures import Law

    if measure.law is Law.CALIBRATION or measure.higher_is_better is None:
        return ""
    return _level_in_words(measure.chance) or "Its mean when outcomes are shuffled among the cases"


def reference_in_words(measure: Any) -> str:
    """What the same prediction for every case scores: a number, or which prediction it is."""
    return _level_in_words(measure.reference)


def _level_in_words(level: Any) -> str:
    if level is None:
        return ""
    number = getattr(level, "level", None)
    if number is not None:
        return _number(number)
    if hasattr(level, "title"):
        return f"The value of predicting one number for every case: the {level.title}"
    return str(level.__doc__).strip().splitlines()[0].rstrip(".")


def _list(chosen: list[Any]) -> None:
    from itertools import groupby

    from rich.table import Table

    from abovechance.cli.show import console

    screen = console()
    for family, group in groupby(chosen, key=lambda m: m.family.value):
        table = Table(title=family.capitalize(), title_justify="left", box=None, pad_edge=False)
        for heading in ("measure", "range", "best", "reference", "also called"):
            table.add_column(heading, style="bold" if heading == "measure" else "")
        for m in group:
            low, high = (_number(x) for x in m.range)
            name = f"{m.name} †" if m.averages else m.name
            also = ", ".join(m.aliases)
            table.add_row(name, f"{low} to {high}", _number(m.best), _reference_named(m), also)
        screen.print(table)
        screen.print()
    if any(m.averages for m in chosen):
        screen.print("† averages over classes as NAME_macro, NAME_micro, NAME_weighted.")
    screen.print("abovechance measures NAME explains one.")


def _reference_named(measure: Any) -> str:
    """The reference in a word or two, from the name of what gives it."""
    if measure.reference is None or hasattr(measure.reference, "level"):
        return reference_in_words(measure)
    if hasattr(measure.reference, "title"):
        return str(measure.reference.title)
    return str(measure.reference.__name__).strip("_").replace("_", " ")


def _explain(measure: Any) -> None:
    from abovechance.cli.formulas import readable
    from abovechance.cli.show import console

    screen = console()
    screen.print(f"[bold]{measure.title}[/] ({measure.label}; {measure.family.value} family)")
    screen.print()
    screen.print(readable(measure.doc), highlight=False, markup=False)
    screen.print()
    low, high = (_number(x) for x in measure.range)
    rows = {
        "Reads": f"{measure.reads.value}; {', '.join(sorted(measure.outcomes))} outcomes",
        "Range": f"{low} to {high}, best {_number(measure.best)}",
        "Chance": chance_in_words(measure),
        "Reference": reference_in_words(measure),
        "Law": measure.law.value,
        "Undefined": f"when {measure.undefined}" if measure.undefined else "",
        "Parameters": ", ".join(f"{k}={_parameter(v)}" for k, v in measure.parameters.items()),
        "Averages": "add _macro, _micro or _weighted" if measure.averages else "",
        "Also called": ", ".join(measure.aliases),
        "Source": measure.source,
    }
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim")
    table.add_column(highlight=False)
    for key, text in rows.items():
        if text:
            table.add_row(key, text)
    screen.print(table, markup=False)


def _parameter(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _number(value: float) -> str:
    return f"{value:g}".replace("inf", "∞").replace("-", "−")
