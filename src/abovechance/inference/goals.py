"""Standards stated beforehand, each met, not met or undecided by the interval that is shown.

A goal is a limit, or two, for the true value of a measure. It is met where the whole interval lies
on its side, not met where the whole interval lies beyond it, else undecided. The p-values are the
same statement turned round: the risk at which the interval's limit would just reach the goal.
"""

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, inf, isfinite, isnan
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from abovechance.advice import Advice
from abovechance.errors import (
    DataError,
    FileError,
    NotApplicable,
    listed,
    shown,
)
from abovechance.inference.confusion_tables import Counted, TwoRecalls
from abovechance.inference.method import Fact, Use
from abovechance.inference.miscalibration import has_interval
from abovechance.inference.multiplicity import holm
from abovechance.inference.results import (
    Baseline,
    BesideBaseline,
    Difference,
    Estimate,
    Goals,
    Interval,
    Judged,
)
from abovechance.measures import Measure, applicable
from abovechance.numerics.exact import at_least, at_most, never_zero
from abovechance.numerics.roots import crossing
from abovechance.paths import place

MET, NOT_MET, UNDECIDED = "met", "not met", "undecided"
RULES = ("all", "any")
GRAMMAR = (
    "a goal is written MEASURE >= NUMBER, MEASURE <= NUMBER or MEASURE in LOW..HIGH, as "
    "'sensitivity>=.85' or 'brier <= 0.2'"
)
EACH = "*"  # every subgroup


# ----------------------------------------------------------------------------------------------
# What was stated: text, mappings and files.
# ----------------------------------------------------------------------------------------------


NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
FORM = re.compile(
    rf"(?P<measure>[^\[\]]+?)\s*(?:\[(?P<by>[^\]]+)\])?\s*"
    rf"(?:(?P<sign>>=|<=|≥|≤)\s*(?P<number>{NUMBER})\s*(?P<percent>%?)"
    rf"|\s+in\s+(?P<low>{NUMBER})\s*\.\.\s*(?P<high>{NUMBER}))"
)


@dataclass(frozen=True)
class Goal:
    """The true value of a measure shall lie between two limits, one of them infinite or none.

    `by` names a subgroup, "*" every one.
    """

    measure: str
    low: float = -inf
    high: float = inf
    by: str | None = None

    @property
    def sign(self) -> str:
        return "in" if self.banded else ">=" if self.high == inf else "<="

    @property
    def banded(self) -> bool:
        return isfinite(self.low) and isfinite(self.high)

    @property
    def stated(self) -> float | tuple[float, float]:
        """The number, or the two, as stated."""
        return (self.low, self.high) if self.banded else self.ends[0]

    @property
    def ends(self) -> list[float]:
        return [end for end in (self.low, self.high) if isfinite(end)]

    def verdict(self, low: float, high: float) -> str:
        """What an interval says of it.

        >>> goal("auc>=.8").verdict(0.8, 0.9), goal("auc>=.8").verdict(0.7, 0.9)
        ('met', 'undecided')
        """
        if self.low <= low and high <= self.high:
            return MET
        return NOT_MET if high < self.low or low > self.high else UNDECIDED


def goal(text: str) -> Goal:
    """A goal as it is written.

    >>> goal("sensitivity >= 85%")
    Goal(measure='sensitivity', low=0.85, high=inf, by=None)
    >>> goal("calibration_slope[sex=f] in 0.8..1.25")
    Goal(measure='calibration_slope', low=0.8, high=1.25, by='sex=f')
    """
    if not isinstance(text, str):
        raise DataError(f"a goal must be text, as 'auc>=.8'; got {shown(text)}.")
    found = FORM.fullmatch(text.strip())
    if found is None:
        raise DataError(f"cannot read the goal {text!r}; {GRAMMAR}.")
    measure, by = found["measure"].strip(), found["by"] and found["by"].strip()
    if found["sign"] is None:
        low, high = float(found["low"]), float(found["high"])
        if not low < high:
            raise DataError(f"cannot read the goal {text!r}; its first number must be the smaller.")
        return Goal(measure, low, high, by)
    number = float(found["number"]) / (100.0 if found["percent"] else 1.0)
    if found["sign"] in (">=", "≥"):
        return Goal(measure, low=number, by=by)
    return Goal(measure, high=number, by=by)


@dataclass(frozen=True)
class Stated:
    """All goals of one assessment: what was asked, how they go together, where they stood."""

    goals: tuple[Goal, ...]
    rule: str = "all"
    file: str | None = None
    sha256: str | None = None

    @property
    def measures(self) -> list[str]:
        return [one.measure for one in self.goals]


def stated(goals: Any, rule: str | None = None) -> Stated | None:
    """Goals from text, several texts, a mapping from measures, or the path of a TOML or JSON file.

    >>> [one.low for one in stated({"auc": ">= 0.8"}).goals]
    [0.8]
    """
    if rule not in (None, *RULES):
        raise DataError(f"goal_rule must be 'all' or 'any'; got {shown(rule)}.")
    if goals is None or isinstance(goals, Stated):
        return goals
    if isinstance(goals, os.PathLike):
        return read_goals(Path(goals), rule)
    found = tuple(_several(goals))
    if not found:
        raise DataError(f"no goal was stated; {GRAMMAR}.")
    return Stated(found, rule or "all")


def _several(goals: Any) -> Iterable[Goal]:
    if isinstance(goals, str | Goal):
        goals = [goals]
    elif isinstance(goals, Mapping):
        goals = [f"{name} {limit}" for name, limit in goals.items()]
    if not isinstance(goals, Iterable) or getattr(goals, "ndim", 1) != 1:
        raise DataError(f"{GRAMMAR}; got {shown(goals)}.")
    for one in goals:
        if not isinstance(one, str | Goal):
            raise DataError(f"{GRAMMAR}; got {shown(one)}.")
        yield goal(one) if isinstance(one, str) else one


def read_goals(path: Path, rule: str | None = None) -> Stated:
    """The goals in a TOML or JSON file, with its digest.

    The file maps measures to limits, or holds a list of goals; or it has them under "goals", beside
    a "rule".
    """
    try:
        raw = place(path).read_bytes()
        text = raw.decode("utf-8-sig")
        held = tomllib.loads(text) if path.suffix.lower() == ".toml" else json.loads(text)
    except OSError as error:
        raise FileError(f"{str(path)!r} cannot be read: {error.strerror}.") from None
    except ValueError as error:  # of either format, or no UTF-8
        raise FileError(f"{str(path)!r} must hold TOML or JSON; {error}.") from None
    if isinstance(held, Mapping) and isinstance(held.get("goals"), list | Mapping):
        rule = rule or held.get("rule")
        held = held["goals"]
    found = stated(held, rule)
    assert found is not None
    return replace(found, file=path.name, sha256=hashlib.sha256(raw).hexdigest())


def check(one: Goal, measure: Measure, predictions: Any) -> None:
    """Refuse a goal that no value, or no interval, could ever answer."""
    low, high = measure.range
    for end in one.ends:
        if not low <= end <= high:
            meant = end / 100.0
            remedy = f"; did you mean {meant:g}?" if high == 1.0 and low <= meant <= 1.0 else "."
            raise DataError(
                f"{measure.label} lies {_between(low, high)}; got the goal {end:g}{remedy}"
            )
    up = measure.higher_is_better
    if up is not None and not one.banded and up is not isfinite(one.low):
        better, sign = ("higher", ">=") if up else ("lower", "<=")
        raise DataError(
            f"a {better} {measure.label} is better; got the goal {one.sign} {one.ends[0]:g}: did "
            f"you mean {sign}?"
        )
    if not has_interval(measure) or measure.extreme:
        alike = [m for m in applicable(predictions) if m.family is measure.family]
        others = [m.label for m in alike if has_interval(m) and not m.extreme]
        instead = f" State it for one of {listed(others, 4)}." if others else ""
        raise NotApplicable(
            f"{measure.label} has no interval, so nothing decides whether a goal is met.{instead}"
        )


def _between(low: float, high: float) -> str:
    """A range in words.

    >>> _between(0.0, 1.0), _between(0.0, inf), _between(-inf, 0.0)
    ('between 0 and 1', 'at 0 or above', 'at 0 or below')
    """
    if isfinite(low) and isfinite(high):
        return f"between {low:g} and {high:g}"
    return f"at {low:g} or above" if isfinite(low) else f"at {high:g} or below"


# ----------------------------------------------------------------------------------------------
# The interval turned round: at which risk does its limit reach the goal?
# ----------------------------------------------------------------------------------------------


FARTHEST = 6.0  # normal quantile of a risk of 1e-9; smaller ones are given as this
NEAREST = 1e-3  # and of a goal that can hardly be told from the value
FINE, COARSE = 1e-10, 1e-4  # how exactly it is found: of smooth limits, of those made of draws


def risk_levels(
    limits: Callable[[float], tuple[float, float]],
    value: float,
    goal: float,
    draws: int = 0,
    *,
    steps: bool = False,
) -> tuple[float, float]:
    """How far the limits speak for a true value of at least, and of at most, the goal: two p.

    So many draws tell no smaller risk than half of one of them. Where limits are order statistics
    of the draws (`steps`), p counts draws, the observed one included.

    >>> from abovechance.inference.intervals import fisher_z
    >>> def limits(level):
    ...     found = fisher_z(0.5, 50, confidence_level=level)
    ...     return found.low, found.high
    >>> above, below = risk_levels(limits, 0.5, limits(0.9)[0])
    >>> round(above, 9), round(below, 9)
    (0.05, 0.95)
    """
    from scipy.special import erf, ndtr

    if value == goal:
        return 0.5, 0.5
    side = 1.0 if value > goal else -1.0

    def beyond(z: float) -> float:
        low, high = limits(float(erf(z / np.sqrt(2.0))))
        return side * ((low if side > 0 else high) - goal)

    if beyond(FARTHEST) >= 0.0:
        z = FARTHEST
    elif beyond(NEAREST) <= 0.0:
        z = 0.0
    else:
        z = crossing(beyond, NEAREST, FARTHEST, xtol=COARSE if steps else FINE)
    p = max(float(ndtr(-z)), 0.5 / draws if draws else 0.0)
    other = 1.0 - p
    if steps:
        counted = round(p * draws)
        p, other = ((k + 1) / (draws + 1) for k in (counted, draws - counted))
    return (p, other) if side > 0 else (other, p)


class Limits(Protocol):
    """The interval of one row at any level, as the assessment has it."""

    @property
    def cases(self) -> Any: ...
    @property
    def exact(self) -> Counted | None: ...
    @property
    def recalls(self) -> TwoRecalls | None: ...
    @property
    def too_few(self) -> str | None: ...
    def __call__(self, level: float) -> Interval: ...
    def counted(self, level: float) -> Interval: ...


@dataclass(frozen=True)
class Judge:
    """One goal beside the row that it is about."""

    goal: Goal
    row: Estimate
    limits: Limits | None
    level: float
    goals: int  # stated in all

    @property
    def alpha(self) -> float:
        return 1.0 - self.level

    @cached_property
    def exact(self) -> Counted | None:
        """Cases to be counted exactly, where the row is a share of independent ones."""
        return None if self.limits is None else self.limits.exact

    @cached_property
    def recalls(self) -> TwoRecalls | None:
        """Two recalls to be counted exactly, where the row is a mean of those of two classes."""
        return None if self.limits is None else self.limits.recalls

    @property
    def is_counted(self) -> bool:
        return self.exact is not None or self.recalls is not None

    def at(self, level: float) -> Interval:
        assert self.limits is not None
        return self.limits.counted(level) if self.is_counted else self.limits(level)

    @cached_property
    def interval(self) -> Interval | None:
        if self.row.interval is None:
            return None
        return self.at(self.level) if self.is_counted else self.row.interval

    @cached_property
    def too_few(self) -> str | None:
        """Why the interval, though it is shown, decides nothing."""
        return None if self.limits is None or self.interval is None else self.limits.too_few

    @property
    def verdict(self) -> str:
        if self.too_few is not None:
            return UNDECIDED
        if self.interval is not None:
            return self.goal.verdict(self.interval.low, self.interval.high)
        if isnan(self.row.value) or isfinite(self.row.value):
            return UNDECIDED
        return self.goal.verdict(self.row.value, self.row.value)  # an infinite loss

    @property
    def sure(self) -> str:
        """The verdict where one of several goals may be claimed without a p-value."""
        if self.interval is None or self.too_few is not None or self.goals == 1:
            return self.verdict
        try:
            found = self.at(1.0 - self.alpha / self.goals)
        except NotApplicable:
            return UNDECIDED
        return self.goal.verdict(found.low, found.high)

    @cached_property
    def p_values(self) -> tuple[float, float] | None:
        """Of "not reached" and of "reached"; None where a p-value says nothing."""
        if self.interval is None or self.limits is None or self.too_few is not None:
            return None
        if not self.is_counted and not _has_p(self.interval):
            return None
        pairs = {end: self._tails(end) for end in self.goal.ends}
        above = {end: pair[0] for end, pair in pairs.items()}
        below = {end: pair[1] for end, pair in pairs.items()}
        low, high = self.goal.low, self.goal.high
        met = max(above.get(low, 0.0), below.get(high, 0.0))
        return never_zero(met), never_zero(min(below.get(low, 1.0), above.get(high, 1.0)))

    def _tails(self, end: float) -> tuple[float, float]:
        if self.exact is not None:
            x, n, share = round(self.exact.x), round(self.exact.n), self.exact.share(end)
            return at_least(x, n, share), at_most(x, n, share)
        if self.recalls is not None:
            return self.recalls.tails(end)
        assert self.interval is not None

        def ends(level: float) -> tuple[float, float]:
            try:
                found = self.at(level)
            except NotApplicable:  # so low a level that the limits are one
                return self.row.value, self.row.value
            return found.low, found.high

        method = Use.of_interval(self.interval).method
        draws = int(self.interval.by.get("draws") or 0)
        steps = bool(draws and method and method.steps)
        return risk_levels(ends, self.row.value, end, draws, steps=steps)

    @property
    def test(self) -> str | None:
        if self.p_values is None or self.interval is None:
            return None
        return "exact binomial" if self.exact else f"{self.interval.method}, inverted"

    @property
    def cases_to_decide(self) -> int | None:
        """How many cases, in all, would decide if the value stays what it is."""
        undecided = self.verdict == UNDECIDED and self.too_few is None
        if not undecided or self.interval is None or self.limits is None:
            return None
        total = float(self.limits.cases.total)
        inside = self.goal.low <= self.row.value <= self.goal.high
        if self.exact is not None and not self.goal.banded:
            n = decided_share(self.exact, self.goal, self.alpha / 2.0)
            return None if n is None else ceil(n * total / self.exact.n)
        ratio = self._reach(inside)
        return max(ceil(total * ratio**2), int(total) + 1) if isfinite(ratio) else None

    def _reach(self, inside: bool) -> float:
        """How much longer the interval is than the way to the goal, on its own scale."""
        from scipy.special import ndtri

        if self.p_values is not None:
            p = self.p_values[0 if inside else 1]
            return float(ndtri(self.alpha / 2.0) / ndtri(p)) if 0.0 < p < 0.5 else inf
        assert self.interval is not None
        value, found = self.row.value, self.interval
        ways = [(value - end, found.low if value > end else found.high) for end in self.goal.ends]
        nearest, limit = min(ways, key=lambda way: abs(way[0]))
        return abs((value - limit) / nearest) if nearest else inf

    def judged(self) -> Judged:
        p_met, p_not_met = self.p_values or (None, None)
        why = self.too_few
        if self.interval is None:
            why = self.row.undefined or self.row.remark or "there is no interval to judge by"
        return Judged(
            measure=self.row.measure,
            title=self.row.title,
            by=self.row.by,
            sign=self.goal.sign,
            goal=self.goal.stated,
            value=self.row.value,
            interval=self.interval,
            verdict=self.verdict,
            p_met=p_met,
            p_not_met=p_not_met,
            test=self.test,
            cases_to_decide=self.cases_to_decide,
            undefined=why and why.removesuffix("."),
        )


def _has_p(interval: Interval) -> bool:
    """Whether a p-value agrees with an interval: a posterior share is none, folds overlap."""
    method = Use.of_interval(interval).method
    return method is None or not (method.posterior or Fact.FOLDS in method.needs)


MOST_CASES = 1_000_000


def decided_share(now: Counted, one: Goal, risk: float) -> int | None:
    """The least number of cases in a share's denominator at which the exact test decides.

    The share stays what it is, rounded towards the goal.

    >>> decided_share(Counted(46, 50, 0.0, 1.0, True), goal("sensitivity>=.85"), 0.025)
    110
    """
    from scipy.special import betainc

    limit, share = now.share(one.ends[0]), now.x / now.n
    above = share > limit
    if share == limit or not 0.0 < limit < 1.0:
        return None
    start = int(now.n) + 1
    while start <= MOST_CASES:
        n = np.arange(start, min(2 * start, MOST_CASES) + 1, dtype=np.float64)
        x = np.floor(share * n + 1e-9) if above else np.ceil(share * n - 1e-9)
        # P(X >= x), or P(X <= x), at the limit
        tail = betainc(x, n - x + 1.0, limit) if above else betainc(n - x, x + 1.0, 1.0 - limit)
        found = np.flatnonzero(tail <= risk)
        if found.size:
            return int(n[found[0]])
        start = int(n[-1]) + 1
    return None


# ----------------------------------------------------------------------------------------------
# All goals of an assessment.
# ----------------------------------------------------------------------------------------------


def overall(
    verdicts: Sequence[str],
    sure: Sequence[str],
    p_met: Sequence[float | None],
    p_not_met: Sequence[float | None],
    rule: str,
    risk: float,
) -> tuple[str, list[float | None]]:
    """The verdict on all goals, and the adjusted p-values of what it needs only one of.

    A claim that needs all goals is not corrected (Berger 1982); one that rests on any single goal
    is adjusted after Holm (1979), or rests on the wider interval where there is no p-value.

    >>> overall(["met", "undecided"], ["met", "undecided"], [0.01, 0.2], [0.99, 0.8], "all", 0.025)
    ('undecided', [1.0, 1.0])
    """
    needs_all, needs_one = (MET, NOT_MET) if rule == "all" else (NOT_MET, MET)
    of_one = p_not_met if rule == "all" else p_met
    adjusted = holm([1.0 if p is None else p for p in of_one])
    shown_p = [None if p is None else float(a) for p, a in zip(of_one, adjusted, strict=True)]
    if all(verdict == needs_all for verdict in verdicts):
        return needs_all, shown_p
    claims = (
        certain == needs_one if p is None else p <= risk and verdict == needs_one
        for verdict, certain, p in zip(verdicts, sure, shown_p, strict=True)
    )
    return (needs_one if any(claims) else UNDECIDED), shown_p


def judge(
    asked: Stated,
    measures: Sequence[Measure],
    rows: Sequence[Estimate],
    limits: Mapping[str | None, Mapping[str, Limits]],
    level: float,
) -> tuple[list[Estimate], Goals]:
    """The rows with the interval that their goal is judged by, and the verdicts.

    `measures` are those of the goals; `limits` has those of every row, by subgroup and label.
    """
    pairs = [
        (one, row)
        for one, measure in zip(asked.goals, measures, strict=True)
        for row in _rows_of(one, measure, rows)
    ]
    judges = [
        Judge(one, row, limits.get(row.by, {}).get(row.measure), level, len(pairs))
        for one, row in pairs
    ]
    found = [one.judged() for one in judges]
    # without a p-value a claim that rests on one goal needs the wider interval
    sure = [one.verdict if one.p_values else one.sure for one in judges]
    verdict, adjusted = overall(
        [one.verdict for one in found],
        sure,
        [one.p_met for one in found],
        [one.p_not_met for one in found],
        asked.rule,
        (1.0 - level) / 2.0,
    )
    shown_rows = {id(one.row): replace(one.row, interval=one.interval) for one in judges}
    return [shown_rows.get(id(row), row) for row in rows], Goals(
        verdict=verdict,
        goals=tuple(replace(one, p_adjusted=p) for one, p in zip(found, adjusted, strict=True)),
        rule=asked.rule,
        level=level,
        file=asked.file,
        sha256=asked.sha256,
    )


def _rows_of(one: Goal, measure: Measure, rows: Sequence[Estimate]) -> list[Estimate]:
    """The rows that a goal is about: of all cases, of a subgroup, of each."""
    own = [row for row in rows if row.measure == measure.label and row.class_ is None]
    parts = [row for row in own if row.by is not None]
    if one.by is None:
        found = [row for row in own if row.by is None]
    elif one.by == EACH:
        found = parts
    else:
        wanted = "".join(one.by.split())
        found = [row for row in parts if wanted in _called(str(row.by))]
    if not found:
        names = list(dict.fromkeys(str(row.by) for row in parts))
        there = f"there are {listed(names, 8)}." if names else "state the subgroups with by (--by)."
        raise NotApplicable(f"the goal {measure.label}[{one.by}] names no subgroup; {there}")
    if any(row.output is not None for row in found):
        raise NotApplicable(
            f"{measure.label} has a value for each of several outputs; state the goal for a "
            "measure of all of them."
        )
    return found


NO_WORSE, WORSE = "no worse", "worse"


def beside_baseline(
    differences: Sequence[Difference], baseline: str, margins: Mapping[str, float], level: float
) -> Baseline:
    """Each model beside the one in use, and the verdict on all of it.

    `margins` has those of the measures, by label. Rows must have the baseline second.
    """
    rows = [
        _beside_baseline(row, margins[row.measure])
        for row in differences
        if row.second == baseline and row.measure in margins and row.model is row.by is None
    ]
    internal = {NO_WORSE: MET, WORSE: NOT_MET, UNDECIDED: UNDECIDED}
    verdicts = [internal[row.verdict] for row in rows]
    alone = verdicts if len(rows) == 1 else [UNDECIDED] * len(rows)
    p = [row.p_value for row in rows]
    found, _ = overall(verdicts, alone, [None] * len(rows), p, "all", 1.0 - level)
    back = {own: said for said, own in internal.items()}
    return Baseline(model=baseline, verdict=back[found], rows=tuple(rows))


def _beside_baseline(row: Difference, margin: float) -> BesideBaseline:
    held = row.margin
    if row.identical or (held is not None and held.noninferior):
        verdict = NO_WORSE
    else:
        verdict = WORSE if row.shown and row.better == row.second else UNDECIDED
    return BesideBaseline(
        measure=row.measure,
        title=row.title,
        model=row.first,
        margin=margin,
        difference=row.difference,
        verdict=verdict,
        interval=None if held is None else held.interval,
        p_noninferior=None if held is None else held.p_noninferior,
        p_value=row.p_value,
        undefined=row.undefined,
    )


def _called(by: str) -> set[str]:
    """How a subgroup may be written: "sex=f", or "f"."""
    plain = "".join(by.split())
    return {plain, plain.partition("=")[2] or plain}


def advice_on_goals() -> tuple[Advice, ...]:
    """What a verdict does not say."""
    return (
        Advice(
            "AC901",
            "the risk of a wrong verdict is that of one run: the same cases, judging one model "
            "after another, let one through sooner or later. Keep cases that no model was "
            "chosen by.",
        ),
    )
