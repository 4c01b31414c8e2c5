"""What a comparison returns: differences between models, as frozen facts that print and export."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from abovechance import __version__
from abovechance.advice import Advice
from abovechance.errors import UnknownMeasure, did_you_mean
from abovechance.format import p_equation
from abovechance.inference.estimates import Estimate, Subgroup
from abovechance.inference.results import Interval, Result, Test, plain
from abovechance.io.export import jsonable


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
        return {f.name: jsonable(plain(getattr(self, f.name))) for f in fields(self)}

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
    advice
        What a reader should know beside the numbers.
    described
        Which columns were taken for what, when they were read from a file.
    origin_stated
        Whether somebody said where the predictions came from; else `origin` is assumed.

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
        rows = {
            name: [item.to_dict() for item in whole[name]] for name in ("estimates", "differences")
        }
        return {"abovechance": __version__, "kind": self.kind, **jsonable({**plain(whole), **rows})}

    def rows(self) -> list[dict[str, Any]]:
        """The differences flat, as rows of a table."""
        return [flat(row) for row in self.differences]


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


def flat(row: Difference) -> dict[str, Any]:
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
