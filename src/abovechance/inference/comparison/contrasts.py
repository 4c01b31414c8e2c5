"""One difference between two models: its value, its test, its interval, and margins around it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.inference.method import Fact, Kind, Method, Takes, answer, declared, find, limits
from abovechance.inference.results import Interval, Test
from abovechance.inference.significance.delong import Gap, gap_test, p_of
from abovechance.inference.significance.studentised import span as span  # of a difference
from abovechance.measures import Law
from abovechance.resampling import DEFAULT, Alternative, Resampling

FLIPS = 9999
BOOTSTRAPS = 1999
DECIDING = 5.0  # cases that a verdict on a margin must rest on


@dataclass(frozen=True)
class How:
    """What all contrasts of one comparison share: draws, seed, where they are computed."""

    draws: int | None = None
    resampling: Resampling = DEFAULT
    studentised: bool | None = None  # None: where there are cases enough
    methods: Mapping[Kind, Mapping[str, Method]] = field(default_factory=dict)  # as asked for

    @property
    def chosen(self) -> Mapping[str, Method]:
        """Comparisons that were asked for, by measure."""
        return self.methods.get(Kind.COMPARISON, {})

    @property
    def flips(self) -> Resampling:
        """Settings for sign flips and exchanges."""
        return replace(self.resampling, draws=FLIPS if self.draws is None else self.draws)

    @property
    def bootstraps(self) -> int:
        """How many bootstrap samples."""
        return BOOTSTRAPS if self.draws is None else self.draws

    def rng(self, purpose: int) -> np.random.Generator:
        """The stream of one purpose."""
        key = np.random.SeedSequence(self.resampling.seed, spawn_key=(2000, purpose))
        return np.random.default_rng(key)


@dataclass(frozen=True)
class Answer:
    """A test with what belongs beside it: the mid-p value, the smallest p-value attainable."""

    test: Test
    mid_p: float | None = None
    least: float | None = None


class Contrast(Protocol):
    """A difference, first minus second; a gain is the same turned so that more is better.

    `test`: "greater" means that the first is better. `beyond`: p-values of the hypotheses that
    the gain is −margin or less, and that it is margin or more; None where no test can be shifted.
    A method that has no answer raises NotApplicable with the reason.
    """

    @property
    def difference(self) -> float: ...
    def test(self, alternative: Alternative) -> Answer: ...
    def interval(self, level: float) -> Interval: ...
    def beyond(self, margin: float) -> tuple[float, float] | None: ...


@dataclass(frozen=True)
class Standardised:
    """A difference with a standard error: normal, or Student's t with degrees of freedom."""

    gap: Gap
    turned: float
    name: str  # of the method, as a test and as an interval
    hypothesis: str
    known: Mapping[str, Any]
    bounds: tuple[float, float] = (-np.inf, np.inf)

    @property
    def difference(self) -> float:
        return self.gap.difference

    def test(self, alternative: Alternative) -> Answer:
        gain = replace(self.gap, difference=self.turned * self.gap.difference)
        return Answer(gap_test(gain, alternative, self.name, self.known, self.hypothesis))

    def interval(self, level: float) -> Interval:
        return limits(self.name, *self.limits(level), level, **self.known)

    def limits(self, level: float) -> tuple[float, float]:
        """So many standard errors to either side, within the bounds."""
        from scipy.special import ndtri, stdtrit

        if np.isfinite(self.gap.df):
            reach = float(stdtrit(self.gap.df, 0.5 + level / 2.0))
        else:
            reach = float(ndtri(0.5 + level / 2.0))
        half = reach * self.gap.error
        low = max(self.gap.difference - half, self.bounds[0])
        high = min(self.gap.difference + half, self.bounds[1])
        return low, high

    def beyond(self, margin: float) -> tuple[float, float] | None:
        if self.gap.error == 0.0:
            return None
        gain = self.turned * self.gap.difference
        return (
            p_of((gain + margin) / self.gap.error, self.gap.df, "greater"),
            p_of((gain - margin) / self.gap.error, self.gap.df, "less"),
        )


@dataclass(frozen=True)
class Declared(Standardised):
    """The same of a comparison that a user declared: its own title and words name the answer."""

    def test(self, alternative: Alternative) -> Answer:
        gain = replace(self.gap, difference=self.turned * self.gap.difference)
        method = find(self.name, Kind.COMPARISON)
        known = {**self.known, "of": str(Kind.COMPARISON)}
        z = gain.difference / gain.error if gain.error > 0 else 0.0
        p = p_of(z, gain.df, alternative)
        return Answer(method.answer(statistic=z, p_value=p, alternative=alternative, **known))

    def interval(self, level: float) -> Interval:
        low, high = self.limits(level)
        known = {**self.known, "of": str(Kind.COMPARISON)}
        return find(self.name, Kind.COMPARISON).limits(low, high, level, **known)


@dataclass(frozen=True)
class Combined:
    """The test of one contrast with the interval of another, for the same two models."""

    tested: Contrast
    bounded: Contrast
    value: float | None = None

    @property
    def difference(self) -> float:
        return self.bounded.difference if self.value is None else self.value

    def test(self, alternative: Alternative) -> Answer:
        return self.tested.test(alternative)

    def interval(self, level: float) -> Interval:
        return self.bounded.interval(level)

    def one_sided(self, level: float) -> Interval:
        """The interval whose ends are one-sided bounds."""
        return one_sided(self.bounded, level)

    def beyond(self, margin: float) -> tuple[float, float] | None:
        return self.bounded.beyond(margin)


@dataclass(frozen=True)
class Unanswerable:
    """A difference about which nothing more can be said, and why."""

    difference: float
    reason: str

    def test(self, alternative: Alternative) -> Answer:
        raise NotApplicable(self.reason)

    def interval(self, level: float) -> Interval:
        raise NotApplicable(self.reason)

    def beyond(self, margin: float) -> tuple[float, float] | None:
        return None


for _kind in (Kind.TEST, Kind.OMNIBUS, Kind.INTERVAL):
    declared(
        _kind,
        name="identical",
        models=2,
        title="identical[ {read}]",
        words="identity[ of {read}]",
        source=(),
        hypothesis="both models have the same value",
        laws=tuple(Law),
        allows=tuple(Fact),
        takes=Takes.PARTS,
        origin=__name__,
    )


@dataclass(frozen=True)
class Alike:
    """Two models that cannot differ: the measure reads the same of both, or both are infinite."""

    infinite: bool = False
    read: str = "predictions"  # what the measure reads: areas, the order alone
    coarse: bool = False  # so few different values that other cases may well tell them apart
    difference: float = 0.0

    def test(self, alternative: Alternative) -> Answer:
        read = "values" if self.infinite else self.read
        return Answer(
            answer("identical", statistic=0.0, p_value=1.0, alternative=alternative, read=read)
        )

    def interval(self, level: float) -> Interval:
        if self.infinite:
            raise NotApplicable("an infinite value has no interval.")
        if self.coarse:
            raise NotApplicable(
                f"both models have identical {self.read} here, on a scale of few values, which "
                "says little of other cases."
            )
        return limits("identical", 0.0, 0.0, level, read=self.read)

    def beyond(self, margin: float) -> tuple[float, float] | None:
        return None


def one_sided(contrast: Contrast, level: float) -> Interval:
    """The interval whose ends are one-sided bounds; most intervals are of that kind anyway."""
    found: Interval = getattr(contrast, "one_sided", contrast.interval)(level)
    return found


def enough_for_a_margin(gaps: Floats, times: Floats | None = None) -> None:
    """Refuse a verdict that hangs on a handful of cases.

    :math:`(\\sum d^2)^2 / \\sum d^4` counts the cases (or clusters) that make up a spread: a third
    of them where differences are normal. Where rare large losses decide and fewer than five were
    seen (a quarter of fewer than twenty), the next sample may hold more, and bounds that should
    err in 5 % do so in up to 24 %.
    """
    each = np.ones(len(gaps)) if times is None else times
    square, fourth = float(each @ gaps**2), float(each @ gaps**4)
    least = min(DECIDING, float(each.sum()) / 4.0)
    if square > 0.0 and square**2 < least * fourth:
        raise NotApplicable(
            f"fewer than {np.ceil(least):g} cases or clusters make up most of the spread of the "
            "differences, and rare large ones may not have been seen: no verdict on a margin."
        )


def less(first: float, second: float) -> float:
    """A difference, quietly undefined when both are infinite."""
    with np.errstate(invalid="ignore"):
        return float(np.subtract(first, second))
