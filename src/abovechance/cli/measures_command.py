"""List the measures, or explain one."""

import re
from collections.abc import Iterator
from itertools import accumulate
from textwrap import fill
from typing import Any

import click

from abovechance.cli import options
from abovechance.tabular import Block, Note, markdown, tabulate

EXAMPLES = """\b
Examples:
  abovechance measures
  abovechance measures brier
"""

# Docstrings and their LaTeX formulas as text for a terminal.
SYMBOLS = {
    "sum": "Σ",
    "int": "∫",
    "pi": "π",
    "beta": "β",
    "delta": "δ",
    "tau": "τ",
    "varepsilon": "ε",
    "cdot": "·",
    "le": "≤",
    "ge": "≥",
    "in": "∈",
    ",": " ",
    "left": "",
    "right": "",
}
ACCENTS = {"hat": "\N{COMBINING CIRCUMFLEX ACCENT}", "bar": "\N{COMBINING MACRON}"}
RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


@click.command(help=__doc__, epilog=EXAMPLES, cls=options.Sections)
@click.argument("name", required=False)
@click.option("--family", help="Only one family.")
@click.option("--dialect", type=click.Choice(["familiar"]), help="As that R package computes it.")
@options.output
def measures(name: str | None, family: str | None, dialect: str | None, format_: str) -> None:
    import json

    from abovechance.cli.terminal import print_blocks
    from abovechance.errors import NotApplicable, did_you_mean
    from abovechance.io.export import jsonable, to_csv_text
    from abovechance.measures import Family, every, find
    from abovechance.measures.catalogue import FUNCTIONS

    if name in FUNCTIONS and format_ == "text":
        _explain_function(name)
        return
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
    elif format_ == "markdown":
        click.echo(markdown(_tables(chosen)), nl=False)
    else:
        print_blocks(_tables(chosen))


def facts(measure: Any) -> dict[str, Any]:
    """What a measure declares, as a row."""
    from abovechance.measures.as_function import chance_in_words, package_of, reference_in_words

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


def _tables(chosen: list[Any]) -> list[Block]:
    """A table per family, those of plug-ins apart."""
    from abovechance.measures.as_function import number, package_of
    from abovechance.measures.catalogue import FUNCTIONS

    groups: dict[tuple[str, str], list[Any]] = {}
    for measure in chosen:
        groups.setdefault((measure.family.value, package_of(measure)), []).append(measure)
    tables: list[Block] = [
        tabulate(
            group,
            ("measure", "name", lambda m: f"{m.name} †" if m.averages else m.name),
            ("range", "limits", lambda m: " to ".join(number(end) for end in m.range)),
            ("best", "limits", lambda m: number(m.best)),
            ("reference", "name", _reference_named),
            ("also called", "name", lambda m: ", ".join(m.aliases)),
            title=family.capitalize()
            + ("" if package == "abovechance" else f" (plug-in {package})"),
        )
        for (family, package), group in groups.items()
    ]
    averaged = "† averages over classes as NAME_macro, NAME_micro, NAME_weighted."
    notes = [averaged] * any(m.averages for m in chosen)
    beside = [f"Beside them, in Python: ac.measures.{f}({a})." for f, a in FUNCTIONS.items()]
    notes += ["abovechance measures NAME explains one.", *beside]
    return [*tables, Note(" "), *map(Note, notes)]


def _reference_named(measure: Any) -> str:
    """The reference in a word or two, from the name of what gives it."""
    from abovechance.measures.as_function import reference_in_words

    if measure.reference is None or hasattr(measure.reference, "level"):
        return reference_in_words(measure)
    if hasattr(measure.reference, "title"):
        return str(measure.reference.title)
    return str(measure.reference.__name__).strip("_").replace("_", " ")


def _explain(measure: Any) -> None:
    from rich.table import Table

    from abovechance.cli.terminal import console
    from abovechance.measures.as_function import facts_in_words

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


def _explain_function(name: str) -> None:
    """What takes more than outcomes and predictions: how it is called, and what it says."""
    import inspect

    from abovechance import measures as offered
    from abovechance.cli.terminal import console
    from abovechance.measures.catalogue import FUNCTIONS

    screen = console()
    call = f"ac.measures.{name}({FUNCTIONS[name]})"
    screen.print(f"{call}, in Python; it takes more than outcomes and predictions.", soft_wrap=True)
    screen.print()
    text = inspect.getdoc(getattr(offered, name)) or ""
    screen.print(readable(text), highlight=False, markup=False)


def readable(doc: str) -> str:
    """A docstring without its examples, formulas in plain letters, paragraphs on one line each."""
    text = doc.split("\nExamples\n")[0].strip()
    text = re.sub(r":math:`([^`]*)`", lambda found: plain(found[1]), text)
    return "\n\n".join(_paragraph(part) for part in text.split("\n\n"))


def plain(latex: str) -> str:
    r"""A formula in plain letters.

    >>> plain(r"\frac{1}{n} \sum_{i=1}^{n} (y_i - \hat p_i)^2")
    '1/n Σ_i (y_i − p̂_i)²'
    """
    text = "".join(_pieces(_Reader(latex)))
    return re.sub(r"(?<=[(\[]) | (?=[)\]])", "", " ".join(text.split()))


class _Reader:
    """A formula read from left to right."""

    def __init__(self, text: str) -> None:
        self.tokens = re.findall(r"\\[a-zA-Z]+|\\.|.", text, re.DOTALL)
        self.at = 0

    def next(self) -> str | None:
        if self.at == len(self.tokens):
            return None
        self.at += 1
        return self.tokens[self.at - 1]

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def argument(self) -> str:
        """The next group in braces, or the next sign, in plain letters."""
        token = self.next()
        while token is not None and token.isspace():
            token = self.next()
        if token == "{":
            return plain("".join(self._group()))
        return "".join(_piece(token, self)) if token is not None else ""

    def _group(self) -> Iterator[str]:
        depth = 1
        while (token := self.next()) is not None:
            depth += (token == "{") - (token == "}")
            if depth == 0:
                return
            yield token


def _pieces(reader: _Reader) -> Iterator[str]:
    while (token := reader.next()) is not None:
        yield _piece(token, reader)


def _piece(token: str, reader: _Reader) -> str:
    name = token.removeprefix("\\")
    if name in ("frac", "tfrac"):
        return f"{_closed(reader.argument())}/{_closed(reader.argument())}"
    if name == "sqrt":
        return f"√({reader.argument()})"
    if name in ACCENTS:
        return re.sub(r"^(.[\u0300-\u036f]*)", rf"\1{ACCENTS[name]}", reader.argument())
    if name in ("text", "operatorname", "mathrm"):
        return reader.argument()
    if name in ("sum", "int"):
        return SYMBOLS[name] + _limits(reader)
    if token == "_":
        return "_" + _closed(reader.argument())
    if token == "^":
        power = reader.argument()
        return power.replace("−", "-").translate(RAISED) if _is_integer(power) else f"^({power})"
    if token == "{":
        reader.at -= 1
        return reader.argument()
    if token == "-":
        return "−"
    return SYMBOLS.get(name, name) if token.startswith("\\") else token


def _limits(reader: _Reader) -> str:
    """Over what is summed; from one to the last goes without saying."""
    found = {"_": "", "^": ""}
    while (sign := reader.peek()) in found:
        reader.next()
        found[sign] = reader.argument()
    low, high = found["_"], found["^"]
    if "=" in low:
        return f"_{low.split('=')[0].strip()}"
    if high:
        return f"[{low}, {high}]"
    return f"_{_closed(low)}" if low else ""


def _closed(text: str) -> str:
    """In brackets, unless it is a single term: a name, |y|, √(…) or G(…)."""
    single = re.fullmatch(r"[^\s+−/|()]+|\|[^|]*\|", text) or (
        re.match(r"[^\s+−/|()]*\(", text) and _closes_last(text)
    )
    return text if single else f"({text})"


def _closes_last(text: str) -> bool:
    """Whether the first bracket is closed by the last sign."""
    depth = list(accumulate((letter == "(") - (letter == ")") for letter in text))
    return text.endswith(")") and 0 not in depth[text.index("(") : -1]


def _is_integer(text: str) -> bool:
    return bool(re.fullmatch(r"−?\d+", text))


def _paragraph(part: str) -> str:
    if part.startswith(".. math::"):
        formula = plain(part.removeprefix(".. math::"))
        return fill(formula, 100, initial_indent="    ", subsequent_indent="      ")
    lines = part.splitlines()
    heading = len(lines) > 1 and set(lines[1].strip()) == {"-"}
    return part if heading else " ".join(line.strip() for line in lines)
