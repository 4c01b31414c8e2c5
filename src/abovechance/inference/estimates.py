"""One row of an assessment, and the assessment."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from abovechance import __version__
from abovechance.advice import Advice
from abovechance.inference.results import Interval, Result, Test, plain
from abovechance.io.export import jsonable


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
        named = {f.name.rstrip("_"): plain(getattr(self, f.name)) for f in fields(self)}
        return {key: jsonable(named[key]) for key in CONTRACT}


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
    advice
        What a reader should know beside the numbers.
    described
        Which columns were taken for what, when they were read from a file.
    dropped
        Number of cases left out because a value was missing.
    subgroups
        Number of cases and events of each subgroup.
    origin_stated
        Whether somebody said where the predictions came from; else `origin` is assumed.
    threshold
        Cases above it are called positive.

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

    def __getitem__(self, measure: str) -> Estimate:
        from abovechance.errors import UnknownMeasure, did_you_mean
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
            "origin": self.origin,
            "origin_stated": self.origin_stated,
            "threshold": self.threshold,
            "seed": self.seed,
            "primary": self.primary,
            "described": self.described,
            "subgroups": [plain(s) for s in self.subgroups],
            "estimates": [e.to_dict() for e in self.estimates],
            "advice": [plain(a) for a in self.advice],
        }

    def rows(self) -> list[dict[str, Any]]:
        """The estimates flat, as rows of a table."""
        return [flat(e) for e in self.estimates]


def flat(estimate: Estimate) -> dict[str, Any]:
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
