"""What an inference returns: frozen facts that print and export."""

import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from itertools import accumulate
from typing import Any, ClassVar

from abovechance import __version__
from abovechance.errors import AboveChanceError, NotApplicable
from abovechance.format import p_equation
from abovechance.io.export import jsonable


@dataclass(frozen=True)
class Interval:
    """Two limits, the level they hold at and the method that gave them.

    `by` is the declared name of the method with what is known of its use, as numbers: clusters,
    degrees of freedom, draws. `method` is the same as text.
    """

    low: float
    high: float
    level: float
    method: str
    by: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.low:.3f} to {self.high:.3f}"


@dataclass(frozen=True, kw_only=True)
class Result:
    """The root of results: they print, and export as dictionary, JSON, CSV, frame and Markdown.

    `kind` says what a result is, in its JSON too: "assessment", "comparison", "detection", …;
    parts of results have none.
    """

    kind: ClassVar[str] = ""

    def __init_subclass__(cls, kind: str = "", **others: Any) -> None:
        super().__init_subclass__(**others)
        if kind:
            cls.kind = kind
        # before dataclass() writes one with every number of every field
        cls.__repr__ = Result.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """As it prints, cut to what fits a screen."""
        return on_a_screen(str(self))

    def to_dict(self) -> dict[str, Any]:
        """The result as plain Python values, fit for JSON."""
        named = {f.name: jsonable(plain(getattr(self, f.name))) for f in fields(self)}
        return {"kind": self.kind, **named} if self.kind else named

    def to_json(self, *, indent: int | None = 2) -> str:
        """The result as JSON with the version; NaN is null, infinity the text "Infinity"."""
        whole = {"abovechance": __version__, **self.to_dict()}
        return json.dumps(whole, indent=indent, ensure_ascii=False, allow_nan=False)

    def rows(self) -> list[dict[str, Any]]:
        """The result as rows of a table, exact and in full; a single row when it has no parts."""
        return [{key: v for key, v in self.to_dict().items() if not isinstance(v, list | dict)}]

    def to_frame(self, library: str = "pandas") -> Any:
        """The rows as a dataframe of pandas or polars."""
        return to_frame(self.rows(), library)

    def to_csv(self) -> str:
        """The rows as CSV; text that a spreadsheet would run is escaped."""
        from abovechance.io.export import to_csv_text

        return to_csv_text(self.rows())

    def to_markdown(self) -> str:
        """What is printed, as Markdown: tables for a pull request or a notebook."""
        from abovechance import tabular

        return tabular.markdown(self.blocks() or [tabular.Note(str(self))])

    def blocks(self) -> list[Any]:
        """The tables and paragraphs that are printed; none where a line says it all."""
        from abovechance.inference.printing import blocks_of

        return blocks_of(self.to_dict()) if self.kind else []

    def __str__(self) -> str:
        from abovechance import tabular

        blocks = self.blocks()
        if blocks:
            return tabular.text(blocks)
        shown = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
        return f"{type(self).__name__}({', '.join(shown)})"

    def _repr_html_(self) -> str | None:
        """The short report that a notebook shows; None, and it prints, where there is none.

        Reports stand above results: this asks the public face of the package, as a user would.
        """
        import abovechance

        try:
            return abovechance.report(self)._repr_html_()
        except AboveChanceError:
            return None


SCREEN = (80, 24)


def on_a_screen(text: str) -> str:
    """As many first lines of a text as fit a screen, and how many are missing.

    >>> print(on_a_screen("\\n".join("abc")))
    a
    b
    c
    >>> on_a_screen("a line\\n" * 30).splitlines()[-1]
    '… and 7 more lines; print() shows them all.'
    """
    width, height = SCREEN
    lines = text.splitlines()
    ends = list(accumulate(max(1, -(-len(line) // width)) for line in lines))
    if not lines or ends[-1] < height:
        return text
    kept = sum(end < height for end in ends)
    return "\n".join(
        [*lines[:kept], f"… and {len(lines) - kept} more lines; print() shows them all."]
    )


def plain(value: Any) -> Any:
    """Dataclasses as dictionaries, all the way down."""
    if isinstance(value, Result):
        return {key: item for key, item in value.to_dict().items() if key != "kind"}
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def to_frame(rows: list[dict[str, Any]], library: str) -> Any:
    """Rows as a dataframe of pandas or polars, whichever is asked for and installed."""
    if library not in ("pandas", "polars"):
        raise NotApplicable(f"library must be 'pandas' or 'polars'; got {library!r}.")
    try:
        module = importlib.import_module(library)
    except ModuleNotFoundError:
        raise NotApplicable(f"{library} is not installed; pip install {library}.") from None
    if library == "pandas":
        return module.DataFrame(rows)
    return module.DataFrame(rows, infer_schema_length=None)


@dataclass(frozen=True, kw_only=True)
class Test(Result, kind="test"):
    """A test's answer: how probable a statistic at least as extreme is under its hypothesis."""

    __test__ = False  # not for pytest to collect

    statistic: float
    p_value: float
    alternative: str
    hypothesis: str
    method: str
    draws: int | None = None
    expected: float | None = None  # what the measure tested is on average under the hypothesis
    saddlepoint: float | None = None
    stopped: "Sequel | None" = None
    # the declared name of the method, with what is known of its use
    by: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{p_equation(self.p_value)}, {self.method}; H0: {self.hypothesis}"


@dataclass(frozen=True)
class Sequel:
    """How a sequential test ended: `estimate` is the share of draws that exceeded.

    `decision` says on which side of the level p lies, wrongly with at most `risk`; `interval` is
    for the p of infinitely many draws.
    """

    steps: int
    estimate: float
    decision: str | None
    interval: tuple[float, float]
    level: float | None
    risk: float | None
