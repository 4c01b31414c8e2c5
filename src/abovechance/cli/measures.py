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
    from abovechance.measures.page import chance_in_words, package_of, reference_in_words

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
        "package": package_of(measure),
    }


def _list(chosen: list[Any]) -> None:
    from itertools import groupby

    from rich.table import Table

    from abovechance.cli.show import console
    from abovechance.measures.page import number, package_of

    screen = console()
    for (family, package), group in groupby(chosen, lambda m: (m.family.value, package_of(m))):
        title = family.capitalize() + ("" if package == "abovechance" else f" (plug-in {package})")
        table = Table(title=title, title_justify="left", box=None, pad_edge=False)
        for heading in ("measure", "range", "best", "reference", "also called"):
            table.add_column(heading, style="bold" if heading == "measure" else "")
        for m in group:
            low, high = (number(x) for x in m.range)
            name = f"{m.name} †" if m.averages else m.name
            also = ", ".join(m.aliases)
            table.add_row(name, f"{low} to {high}", number(m.best), _reference_named(m), also)
        screen.print(table)
        screen.print()
    if any(m.averages for m in chosen):
        screen.print("† averages over classes as NAME_macro, NAME_micro, NAME_weighted.")
    screen.print("abovechance measures NAME explains one.")


def _reference_named(measure: Any) -> str:
    """The reference in a word or two, from the name of what gives it."""
    from abovechance.measures.page import reference_in_words

    if measure.reference is None or hasattr(measure.reference, "level"):
        return reference_in_words(measure)
    if hasattr(measure.reference, "title"):
        return str(measure.reference.title)
    return str(measure.reference.__name__).strip("_").replace("_", " ")


def _explain(measure: Any) -> None:
    from rich.table import Table

    from abovechance.cli.formulas import readable
    from abovechance.cli.show import console
    from abovechance.measures.page import facts_in_words

    screen = console()
    screen.print(f"[bold]{measure.title}[/] ({measure.label}; {measure.family.value} family)")
    screen.print()
    screen.print(readable(measure.doc), highlight=False, markup=False)
    screen.print()
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim")
    table.add_column(highlight=False)
    for name, text in facts_in_words(measure).items():
        table.add_row(name, text)
    screen.print(table, markup=False)
