"""Docstrings and their LaTeX formulas as text for a terminal."""

import re
from collections.abc import Iterator
from itertools import accumulate
from textwrap import fill

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
        return power.replace("−", "-").translate(RAISED) if _whole(power) else f"^({power})"
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


def _whole(text: str) -> bool:
    return bool(re.fullmatch(r"−?\d+", text))


def _paragraph(part: str) -> str:
    if part.startswith(".. math::"):
        formula = plain(part.removeprefix(".. math::"))
        return fill(formula, 100, initial_indent="    ", subsequent_indent="      ")
    lines = part.splitlines()
    heading = len(lines) > 1 and set(lines[1].strip()) == {"-"}
    return part if heading else " ".join(line.strip() for line in lines)
