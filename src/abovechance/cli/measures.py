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
        "law": measure.law.value,
        "aliases": " ".join(measure.aliases),
        "averages": "macro micro weighted" if measure.averages else "",
        "parameters": " ".join(f"{k}={v}" for k, v in measure.parameters.items()),
        "source": measure.source,
    }


def chance_in_words(measure: Any) -> str:
    """The chance level: a number, or what it depends on."""
    chance = measure.chance
    if chance is None:
        return ""
    level = getattr(chance, "level", None)
    if level is not None:
        return f"{level:g}"
    lines = (chance.__doc__ or "").strip().splitlines()
    return lines[0].rstrip(".") if lines else "depends on the class frequencies"


def _list(chosen: list[Any]) -> None:
    from itertools import groupby

    from rich.table import Table

    from abovechance.cli.show import console

    screen = console()
    for family, group in groupby(chosen, key=lambda m: m.family.value):
        table = Table(title=family.capitalize(), title_justify="left", box=None, pad_edge=False)
        for heading in ("measure", "range", "best", "chance", "also called"):
            table.add_column(heading, style="bold" if heading == "measure" else "")
        for m in group:
            also = ", ".join((*m.aliases, *(["_micro _macro _weighted"] if m.averages else [])))
            low, high = (_number(x) for x in m.range)
            table.add_row(m.name, f"{low} to {high}", _number(m.best), chance_in_words(m), also)
        screen.print(table)
        screen.print()
    screen.print("abovechance measures NAME explains one.", style="dim")


def _explain(measure: Any) -> None:
    from abovechance.cli.show import console

    screen = console()
    low, high = (_number(x) for x in measure.range)
    screen.print(f"[bold]{measure.title}[/]  ({measure.label}, {measure.family.value} family)")
    screen.print()
    screen.print(readable(measure.doc), highlight=False, markup=False)
    screen.print()
    rows = {
        "Reads": f"{measure.reads.value}; {' and '.join(sorted(measure.outcomes))} outcomes",
        "Range": f"{low} to {high}, best {_number(measure.best)}",
        "Chance": chance_in_words(measure),
        "Law": measure.law.value,
        "Undefined": f"when {measure.undefined}" if measure.undefined else "",
        "Parameters": ", ".join(f"{k}={v}" for k, v in measure.parameters.items()),
        "Aliases": ", ".join(measure.aliases),
        "Averages": "add _macro, _micro or _weighted" if measure.averages else "",
        "Source": measure.source,
    }
    for key, text in rows.items():
        if text:
            screen.print(f"[dim]{key:<11}[/] {text}", highlight=False)


def readable(doc: str) -> str:
    """A docstring for the terminal: LaTeX directives as plain lines, no examples."""
    import re

    text = doc.split("\nExamples\n")[0].strip()
    text = re.sub(r"\.\. math::\s*", "    ", text)
    text = re.sub(r":math:`([^`]*)`", r"\1", text)
    text = re.sub(r"\\(?:text|operatorname)\{([^}]*)\}", r"\1", text)
    text = re.sub(r"\\t?frac\{([^{}]*)\}\s*\{([^{}]*)\}", r"(\1) / (\2)", text)
    text = re.sub(r"\\t?frac(\d)(\d)", r"\1/\2", text)
    for latex, plain in SYMBOLS.items():
        text = text.replace(latex, plain)
    return text


SYMBOLS = {
    r"\sum": "Σ",
    r"\pi": "π",
    r"\beta": "β",
    r"\cdot": "·",
    r"\ln": "ln",
    r"\bar": "mean ",
    r"\hat": "",
    r"\sqrt": "√",
    r"\in": "∈",
    r"\,": " ",
    r"\left": "",
    r"\right": "",
    r"\varepsilon": "ε",
}


def _number(value: float) -> str:
    return {float("inf"): "∞", float("-inf"): "−∞"}.get(value, f"{value:g}")
