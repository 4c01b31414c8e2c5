"""What inferences return: frozen facts that print and export.

Intervals and tests, assessments, comparisons, detections.
"""

import importlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from itertools import accumulate
from math import isfinite
from typing import Any, ClassVar

from abovechance import __version__
from abovechance.advice import Advice
from abovechance.arrays import Floats
from abovechance.docstrings import completed
from abovechance.errors import AboveChanceError, NotApplicable, UnknownMeasure, did_you_mean
from abovechance.format import p_equation
from abovechance.io.export import jsonable
from abovechance.signal import find

# ----------------------------------------------------------------------------------------------
# What an inference returns: frozen facts that print and export.
# ----------------------------------------------------------------------------------------------


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
        cls.__doc__ = completed(cls.__doc__, attributes=cls.__annotations__)
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

    def to_text(self, *, full: bool = False, width: int | None = None) -> str:
        """What is printed, so many columns wide; `full` shows every measure and the methods."""
        from abovechance import tabular

        blocks = self.blocks(full=full)
        return tabular.text(blocks, width) if blocks else str(self)

    def to_markdown(self, *, full: bool = False) -> str:
        """What is printed, as Markdown: tables for a pull request or a notebook."""
        from abovechance import tabular

        return tabular.markdown(self.blocks(full=full) or [tabular.Note(str(self))])

    def blocks(self, *, full: bool = False) -> list[Any]:
        """The tables and paragraphs that are printed; none where a line says it all."""
        from abovechance.inference.printing import blocks_of

        return blocks_of(self.to_dict(), full=full) if self.kind else []

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

    @classmethod
    def of(cls, end: Any) -> "Sequel":
        """The end of a test, with the interval of its p."""
        known = (end.steps, end.estimate, end.decision, end.interval(), end.level, end.risk)
        return cls(*known)


# ----------------------------------------------------------------------------------------------
# One row of an assessment, and the assessment.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Skill:
    """A value beside its reference, the same prediction for every case; a gain if positive."""

    reference: float
    difference: float
    interval: Interval | None = None
    p_value: float | None = None
    hypothesis: str | None = None
    test: str | None = None
    test_by: Mapping[str, Any] | None = None

    @classmethod
    def tested(
        cls, reference: float, difference: float, interval: Interval | None, test: Test
    ) -> "Skill":
        """A gain with the answer of its test."""
        return cls(
            reference=reference,
            difference=difference,
            interval=interval,
            p_value=test.p_value,
            hypothesis=test.hypothesis,
            test=test.method,
            test_by=test.by,
        )


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A measure's value for some predictions, with what is known about its uncertainty."""

    measure: str
    title: str
    family: str
    value: float
    chance: float | None = None  # the mean under the hypothesis that p_value tests
    reference: float | None = None  # what the same prediction for every case scores at best
    model: str | None = None
    by: str | None = None
    class_: str | None = None
    output: str | None = None
    interval: Interval | None = None
    p_value: float | None = None
    alternative: str | None = None
    hypothesis: str | None = None
    test: str | None = None
    test_by: Mapping[str, Any] | None = None  # the declared name, with what is known of its use
    draws: int | None = None
    time: float | None = None  # of survival measures at a time
    undefined: str | None = None  # why there is no value
    remark: str | None = None  # what to know of a value that there is
    skill: Skill | None = None

    def to_dict(self) -> dict[str, Any]:
        """The row under the names of the JSON contract."""
        named = jsonable({f.name.rstrip("_"): getattr(self, f.name) for f in fields(self)})
        return {key: named[key] for key in CONTRACT}


CONTRACT = (
    "measure",
    "title",
    "family",
    "model",
    "by",
    "class",
    "output",
    "value",
    "interval",
    "chance",
    "reference",
    "p_value",
    "alternative",
    "hypothesis",
    "test",
    "test_by",
    "draws",
    "time",
    "undefined",
    "remark",
    "skill",
)


@dataclass(frozen=True, kw_only=True)
class Subgroup:
    """How many cases a subgroup holds, and how many of them had the event."""

    by: str
    n: int
    events: int | None = None


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One goal held against the interval of its measure: "met", "not met" or "undecided".

    `p_met` is the p-value of "the goal is not reached", `p_not_met` of "it is"; each is the risk at
    which the interval's limit would just reach the goal. `p_adjusted` is what the verdict on all
    goals rests on where it rests on one of them. A posterior and folds have none.
    """

    measure: str
    title: str
    sign: str  # ">=", "<=", or "in" for a band
    goal: float | tuple[float, float]
    verdict: str
    value: float
    by: str | None = None
    interval: Interval | None = None
    p_met: float | None = None
    p_not_met: float | None = None
    p_adjusted: float | None = None
    test: str | None = None
    cases_to_decide: int | None = None  # in all, if the value stays what it is
    undefined: str | None = None  # why nothing decides, or why a value is infinite


@dataclass(frozen=True, kw_only=True)
class Goals:
    """The goals that were stated, each with its verdict, and the verdict on them together.

    Attributes
    ----------
    verdict
        On all of them together: "met", "not met" or "undecided".
    goals
        One row per goal, in the order in which they were stated.
    rule
        Whether "all" goals must be met, or "any".
    level
        Of the intervals; each wrong claim has a risk of half of what is left to 1.
    file, sha256
        The file that they were read from and its digest, the witness of "beforehand".
    """

    verdict: str
    goals: tuple[Judged, ...]
    rule: str = "all"
    level: float = 0.95
    file: str | None = None
    sha256: str | None = None

    def __iter__(self) -> Iterator[Judged]:
        return iter(self.goals)

    def __len__(self) -> int:
        return len(self.goals)

    def __str__(self) -> str:
        from abovechance import tabular
        from abovechance.inference.printing import goals_blocks
        from abovechance.inference.verdicts import goals_sentence

        facts = {"goals": jsonable(plain(self))}
        said = tabular.Note(goals_sentence(facts["goals"]), "bold")
        return tabular.text([said, *goals_blocks(facts)])


@dataclass(frozen=True, kw_only=True)
class Assessment(Result, kind="assessment"):
    """Every applicable measure of some predictions, as `assess` gives it.

    `assessment["auc"]` is the estimate of a measure for all cases; iteration goes over all rows.

    Attributes
    ----------
    outcome
        The kind of outcome: "binary", "multiclass", "numeric" or "survival".
    n
        Number of cases.
    origin
        Where the predictions came from: "test", "cv" or "repeated_cv".
    seed
        Seed of all draws; give it again as `rng=` for the same numbers.
    primary
        The measure the study is about.
    estimates
        One row per measure (and class, output or subgroup): value, interval, chance, p-value.
    dropped
        Number of cases left out because a value was missing.
    subgroups
        Number of cases and events of each subgroup.
    origin_stated
        Whether somebody said where the predictions came from; else `origin` is assumed.
    threshold
        Cases above it are called positive.
    goals
        The goals that were stated, with their verdicts; None when there were none.
    level
        Level of the intervals; tests show something where p is at most what is left to 1.

    See Also
    --------
    assess : makes it.
    report : as a page.

    Examples
    --------
    >>> from abovechance import assess
    >>> found = assess([0, 0, 1, 1], [0.2, 0.6, 0.4, 0.9], ["auc", "brier"], rng=1)
    >>> found["auc"].value, [row.measure for row in found]
    (0.75, ['auc', 'brier'])
    """

    outcome: str
    n: int
    origin: str
    seed: int | None
    primary: str | None
    estimates: tuple[Estimate, ...]
    advice: tuple[Advice, ...] = ()
    described: str = ""
    dropped: int = 0
    subgroups: tuple[Subgroup, ...] = ()
    origin_stated: bool = True  # else nobody said, and `origin` is what it was taken for
    threshold: float | None = None  # cases above it are called positive
    goals: Goals | None = None
    level: float = 0.95

    def __getitem__(self, measure: str) -> Estimate:
        from abovechance.measures import find

        rows = [e for e in self.estimates if e.by is None and e.class_ is None]
        names = {measure} if any(e.measure == measure for e in rows) else _names(find(measure))
        for row in rows:
            if row.measure in names and row.output is None:
                return row
        for row in rows:
            if row.measure in names:
                return row
        for row in rows:  # a measure that took its threshold from the predictions
            if row.measure.partition("(")[0] in names:
                return row
        known = [e.measure for e in rows]
        raise UnknownMeasure(f"{measure!r} was not assessed{did_you_mean(measure, known) or '.'}")

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def to_dict(self) -> dict[str, Any]:
        return {
            "abovechance": __version__,
            "kind": self.kind,
            "outcome": self.outcome,
            "n": self.n,
            "dropped": self.dropped,
            "level": self.level,
            "origin": self.origin,
            "origin_stated": self.origin_stated,
            "threshold": self.threshold,
            "seed": self.seed,
            "primary": self.primary,
            "described": self.described,
            **({} if self.goals is None else {"goals": jsonable(plain(self.goals))}),
            "subgroups": [plain(s) for s in self.subgroups],
            "estimates": [e.to_dict() for e in self.estimates],
            "advice": [plain(a) for a in self.advice],
        }

    def to_markdown(self, *, full: bool = False) -> str:
        """What is printed, as Markdown; with goals as a comment, verdict first."""
        from abovechance.inference.printing import goals_blocks

        return commented(self, goals_blocks(self.to_dict()), "All measures", full=full)

    def rows(self) -> list[dict[str, Any]]:
        """The estimates flat, as rows of a table."""
        return [flat_estimate(e) for e in self.estimates]

    def metrics(self) -> dict[str, float]:
        """Values and limits as flat numbers, for a tracker: `auc`, `auc/low`, `auc/high`.

        Of all cases and of subgroups; what is undefined or infinite is left out.
        """
        found: dict[str, float] = {}
        for row in self.estimates:
            parts = (row.measure, row.by, row.class_, row.output)
            name = "_".join(tracked(part) for part in parts if part)
            found[name] = row.value
            if row.interval is not None:
                found[f"{name}/low"], found[f"{name}/high"] = row.interval.low, row.interval.high
        return {name: float(value) for name, value in found.items() if isfinite(value)}


def commented(result: Result, verdict: list[Any], summary: str, *, full: bool) -> str:
    """A result as Markdown, what stands below its verdict to be opened on demand."""
    from abovechance import tabular
    from abovechance.inference import verdicts

    blocks = result.blocks(full=full)
    if not verdict:
        return tabular.markdown(blocks)
    said = verdicts.verdict(result.to_dict())
    first = [tabular.Note(f"{said}.", "bold"), *verdict]
    answer = verdicts.answer(result.to_dict())
    rest = [b for b in blocks if b not in verdict and b != tabular.Note(answer, "bold")]
    return tabular.comment(first, rest, summary)


def tracked(name: str) -> str:
    """A name of the letters that trackers allow.

    >>> tracked("f_beta(2)"), tracked("age=<30")
    ('f_beta_2', 'age_30')
    """
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", name).strip("_")


def flat_estimate(estimate: Estimate) -> dict[str, Any]:
    """One row: the interval's and the skill's parts as columns of their own."""
    row = {f.name.rstrip("_"): getattr(estimate, f.name) for f in fields(estimate)}
    interval, skill, _ = (row.pop(part) for part in ("interval", "skill", "test_by"))
    for part in ("low", "high", "level", "method"):
        row[f"interval_{part}"] = getattr(interval, part, None)
    for part in ("reference", "difference", "p_value"):
        row[f"skill_{part}"] = getattr(skill, part, None)
    for part in ("low", "high"):
        row[f"skill_{part}"] = getattr(getattr(skill, "interval", None), part, None)
    return row


def _names(measure: Any) -> set[str]:
    multiclass = measure.for_outcome("multiclass")
    return {measure.label, multiclass.label}


# ----------------------------------------------------------------------------------------------
# What a comparison returns: differences between models, as frozen facts that print and export.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Margin:
    """Is the first model no worse than the second by more than a margin, or equivalent to it?

    `interval` has the level 1 − 2α: its worse end is the one-sided bound at 1 − α.
    """

    margin: float
    alpha: float
    interval: Interval
    noninferior: bool
    equivalent: bool
    p_noninferior: float | None = None
    p_equivalent: float | None = None


@dataclass(frozen=True, kw_only=True)
class Posterior:
    """How probable it is that the first model is better; not a p-value.

    With a `rope`, a region of practical equivalence: the probabilities that the first is better
    by more than it, that the models are practically equal, that the second is better.
    """

    p_better: float
    prior: str
    rope: float | None = None
    p_first: float | None = None
    p_equal: float | None = None
    p_second: float | None = None


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One measure of two models: the first's value less the second's, and what is known of it.

    `better` goes by the sign alone; `shown` says whether the p-value (adjusted where several were
    asked for) and the interval both tell the two apart; `identical` models predict the same for
    every case. `by` names the subgroup within which two models are compared, `model` the model
    of which two subgroups are.
    """

    measure: str
    title: str
    first: str
    second: str
    difference: float
    better: str | None = None
    shown: bool = False
    identical: bool = False
    interval: Interval | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    mid_p: float | None = None
    least_p: float | None = None
    alternative: str | None = None
    hypothesis: str | None = None
    test: str | None = None
    test_by: Mapping[str, Any] | None = None  # the declared name, with what is known of its use
    statistic: float | None = None
    draws: int | None = None
    n: int = 0
    events: int | None = None
    paired: bool = True
    model: str | None = None
    by: str | None = None
    undefined: str | None = None
    margin: Margin | None = None
    posterior: Posterior | None = None

    def to_dict(self) -> dict[str, Any]:
        """The row under the names of the JSON contract."""
        found: dict[str, Any] = jsonable({f.name: getattr(self, f.name) for f in fields(self)})
        return found

    @property
    def sentence(self) -> str:
        """The difference in words: its sign as it is, "better" only where that was shown."""
        where = "".join(f"{part}, " for part in (self.by, self.model) if part)
        who = f"{self.title}: {where}"
        if self.difference != self.difference:
            return f"{who}{self.first} and {self.second} cannot be compared"
        inside = self._in_brackets()
        if self.identical:
            return f"{who}{self.first} and {self.second} make the same predictions"
        if self.difference == 0:
            said = f"{self.first} and {self.second} have the same value{inside}"
        elif self.shown and self.better is not None:
            other = self.second if self.better == self.first else self.first
            return f"{who}{self.better} is better than {other}{inside}"
        else:
            more = "higher" if self.difference > 0 else "lower"
            size = f"{abs(self.difference):.4g}"
            said = f"{self.first} is {more} than {self.second} by {size}{inside}"
        return f"{who}{said}" + ("" if self.shown else ", not shown to differ")

    def _in_brackets(self) -> str:
        parts = [f"difference {self.difference:+.4g}"]
        if self.interval is not None:
            low, high = self.interval.low, self.interval.high
            parts[0] += f", {100 * self.interval.level:.4g}% interval {low:+.4g} to {high:+.4g}"
        if self.p_value is not None:
            p = p_equation(self.p_value, 2)
            if self.p_adjusted not in (None, self.p_value):
                p += f", adjusted {p_equation(float(self.p_adjusted or 1.0), 2)}"
            parts.append(p)
        return f" ({'; '.join(parts)})"


@dataclass(frozen=True, kw_only=True)
class Interaction:
    """Whether the difference between two models differs between subgroups."""

    measure: str
    title: str
    first: str
    second: str
    subgroups: int
    hypothesis: str
    test: str
    statistic: float | None = None
    df: float | None = None
    df_error: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    undefined: str | None = None


@dataclass(frozen=True, kw_only=True)
class Omnibus:
    """One test of all models at once: χ², or F when `df_error` is there as well."""

    measure: str
    test: str
    statistic: float
    df: float
    p_value: float
    hypothesis: str
    df_error: float | None = None
    test_by: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, measure: str, found: Test, df: float, df_error: float | None = None) -> "Omnibus":
        """The answer of a test of all models, with its degrees of freedom."""
        return cls(
            measure=measure,
            test=found.method,
            test_by=found.by,
            statistic=found.statistic,
            df=df,
            df_error=df_error,
            p_value=found.p_value,
            hypothesis=found.hypothesis,
        )


@dataclass(frozen=True, kw_only=True)
class Place:
    """A model's rank by one measure; models that share a letter were not told apart."""

    measure: str
    model: str
    rank: int
    value: float
    letters: str


@dataclass(frozen=True, kw_only=True)
class BesideBaseline:
    """One measure of a model beside the baseline: "no worse", "worse" or "undecided".

    No worse: not by more than the margin, which the worse end of `interval` decides. Worse: the
    difference was shown, and it is not shown to stay within the margin.
    """

    measure: str
    title: str
    model: str
    margin: float
    difference: float
    verdict: str
    interval: Interval | None = None
    p_noninferior: float | None = None
    p_value: float | None = None  # of no difference
    undefined: str | None = None


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """Whether models may take the place of the one in use, by margins stated beforehand.

    Attributes
    ----------
    model
        The one in use.
    verdict
        "no worse" in all that has a margin; "worse" in some of it, allowing for their number;
        else "undecided".
    rows
        One row per measure with a margin and other model.
    """

    model: str
    verdict: str
    rows: tuple[BesideBaseline, ...]


@dataclass(frozen=True, kw_only=True)
class Comparison(Result, kind="comparison"):
    """Models compared on the same cases (or on different ones, and then it says so).

    `comparison["auc"]` is the first row of a measure, `comparison["auc", "new", "old"]` that of a
    pair; iteration goes over all differences.

    Attributes
    ----------
    outcome
        The kind of outcome: "binary", "multiclass", "numeric" or "survival".
    n
        Number of cases.
    origin
        Where the predictions came from: "test", "cv" or "repeated_cv".
    seed
        Seed of all draws; give it again as `rng=` for the same numbers.
    models
        Names of the models, in the order in which they were given.
    paired
        Whether the models predicted the same cases.
    matched_by
        How cases were paired: by "id", "index" or "row".
    unmatched
        How many cases of each model had no partner.
    primary
        The measure the study is about.
    adjust
        How p-values were adjusted: "holm", "bh" or "none".
    estimates
        Every model's values with their intervals.
    differences
        One row per measure and pair: difference, interval, p-value, better model.
    omnibus
        Tests of all models at once, where there are more than two.
    ranking
        The order of the models; those that share a letter were not told apart.
    subgroups
        Number of cases and events of each subgroup.
    interactions
        Tests whether a difference differs between subgroups.
    level
        Level of the intervals.
    threshold
        Cases above it are called positive; None where no measure reads labels made so.
    origin_stated
        Whether somebody said where the predictions came from; else `origin` is assumed.
    baseline
        The verdict beside the model in use; None where none was named.

    See Also
    --------
    compare : makes it.
    report : as a page.

    Examples
    --------
    >>> from abovechance import compare
    >>> y, old, new = [0, 0, 1, 1], [0.4, 0.6, 0.3, 0.7], [0.2, 0.4, 0.6, 0.9]
    >>> found = compare({"new": new, "old": old}, y, ["brier"], draws=99, rng=1)
    >>> found["brier", "new", "old"].better, found["brier"].difference
    ('new', -0.183)
    """

    outcome: str
    n: int
    origin: str
    seed: int
    models: tuple[str, ...]
    paired: bool
    matched_by: str | None
    unmatched: dict[str, int]
    primary: str | None
    adjust: str
    estimates: tuple[Estimate, ...]
    differences: tuple[Difference, ...]
    omnibus: tuple[Omnibus, ...] = ()
    ranking: tuple[Place, ...] = ()
    subgroups: tuple[Subgroup, ...] = ()
    interactions: tuple[Interaction, ...] = ()
    level: float = 0.95
    advice: tuple[Advice, ...] = ()
    described: str = ""
    origin_stated: bool = True  # else nobody said, and `origin` is what it was taken for
    threshold: float | None = None  # cases above it are called positive
    baseline: Baseline | None = None

    def __getitem__(self, key: str | tuple[str, str, str]) -> Difference:
        from abovechance.measures import find

        measure, *pair = (key,) if isinstance(key, str) else key
        known = {row.measure for row in self.differences}
        names = {measure}
        if measure not in known:
            found = find(measure)
            names = {found.label, found.for_outcome(self.outcome).label}
        for row in self.differences:
            if row.measure in names and (not pair or [row.first, row.second] == pair):
                return row
        if pair and names & known:
            raise UnknownMeasure(f"{pair[0]!r} was not compared with {pair[1]!r}, in this order.")
        raise UnknownMeasure(f"{measure!r} was not compared{did_you_mean(measure, known) or '.'}")

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.differences)

    def __len__(self) -> int:
        return len(self.differences)

    def to_dict(self) -> dict[str, Any]:
        whole = {f.name: getattr(self, f.name) for f in fields(self)}
        if self.baseline is None:
            del whole["baseline"]
        rows = ("estimates", "differences")  # which have names of their own in the contract
        found = {
            name: [item.to_dict() for item in value] if name in rows else jsonable(plain(value))
            for name, value in whole.items()
        }
        return {"abovechance": __version__, "kind": self.kind, **found}

    def to_markdown(self, *, full: bool = False) -> str:
        """What is printed, as Markdown; with a baseline as a comment, verdict first."""
        from abovechance.inference.printing import baseline_blocks

        blocks = baseline_blocks(self.to_dict())
        return commented(self, blocks, "All values and differences", full=full)

    def rows(self) -> list[dict[str, Any]]:
        """The differences flat, as rows of a table."""
        return [flat_difference(row) for row in self.differences]


def shown(
    *,
    difference: float,
    p: float | None,
    interval: tuple[float, float] | None,
    alternative: str | None,
    alpha: float,
) -> bool:
    """Whether a difference was shown: by its p-value and by its interval, where it has both.

    A one-sided test asks another question than the interval has an answer to, and decides alone.

    >>> shown(difference=0.1, p=0.01, interval=(0.02, 0.2), alternative="two-sided", alpha=0.05)
    True
    >>> shown(difference=0.1, p=0.01, interval=(-0.1, 0.2), alternative="two-sided", alpha=0.05)
    False
    """
    if difference != difference or (p is None and interval is None):
        return False
    if p is not None and not p <= alpha:
        return False
    if interval is None or alternative in ("greater", "less"):
        return p is not None
    return not interval[0] <= 0.0 <= interval[1]


def flat_difference(row: Difference) -> dict[str, Any]:
    """One row: the parts of interval, margin and posterior as columns of their own."""
    found = {f.name: getattr(row, f.name) for f in fields(row)}
    parts = ("interval", "margin", "posterior", "test_by")
    interval, margin, posterior, _ = (found.pop(part) for part in parts)
    for part in ("low", "high", "level", "method"):
        found[f"interval_{part}"] = getattr(interval, part, None)
    for part in ("margin", "noninferior", "p_noninferior", "equivalent", "p_equivalent"):
        found[part] = getattr(margin, part, None)
    for part in ("p_better", "rope", "p_first", "p_equal", "p_second"):
        found[f"posterior_{part}"] = getattr(posterior, part, None)
    return found


# ----------------------------------------------------------------------------------------------
# What a detection returns: one row per statistic, and how the permutations were made.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Detected:
    """One statistic against its permutations.

    `decision` says on which side of the level p lies, where drawing stopped early: "p <= level",
    or "p <= level/3" where three tests share the level. `undefined` says why there is no value,
    and then no p.
    """

    statistic: str
    title: str
    value: float
    p_value: float
    draws: int
    null_mean: float
    p_adjusted: float | None = None
    decision: str | None = None
    undefined: str | None = None


@dataclass(frozen=True, kw_only=True)
class Detection(Result, kind="detection"):
    """Whether classes differ, by several statistics on the same permutations.

    For an outcome of numbers: whether features and outcome depend on each other; `outcome` is
    "classes" or "numeric". `stop` and
    `level` are those of a sequential test, None when every permutation was drawn; `decided_at` is
    the part of the level at which each test was decided.
    """

    tests: tuple[Detected, ...]
    n: int
    features: int
    feature_names: tuple[str, ...] = ()
    outcome: str
    classes: tuple[str, ...]
    permute: str
    hypothesis: str
    rule: str = "standard"
    stop: str | None = None
    level: float | None = None
    decided_at: float | None = None
    seed: int
    null: dict[str, Floats]
    advice: tuple[Advice, ...] = ()
    described: str = ""

    def __iter__(self) -> Iterator[Detected]:
        return iter(self.tests)

    def __len__(self) -> int:
        return len(self.tests)

    def __getitem__(self, statistic: str) -> Detected:
        rows = {row.statistic: row for row in self.tests}
        if statistic in rows:
            return rows[statistic]
        name = find(statistic).name
        if name in rows:
            return rows[name]
        raise NotApplicable(f"{statistic!r} was not tested; these were: {', '.join(rows)}.")

    def to_dict(self) -> dict[str, Any]:
        found = {"abovechance": __version__, **super().to_dict()}
        del found["null"]
        return found

    def rows(self) -> list[dict[str, Any]]:
        """The tests as rows of a table."""
        return [vars(row) for row in self.tests]
