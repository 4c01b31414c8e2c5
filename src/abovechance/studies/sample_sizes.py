"""How many cases: for a power, or for an interval of a stated width."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, isfinite
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from abovechance import __version__
from abovechance.advice import Advice
from abovechance.arrays import Bools, Floats
from abovechance.errors import AboveChanceError, NotApplicable, listed
from abovechance.gate import gated
from abovechance.inference.results import Interval, Result
from abovechance.measures import Measure, find
from abovechance.predictions import Binary, Predictions
from abovechance.resampling import Store, child_seed, digest
from abovechance.settings import Settings, settled
from abovechance.studies.closed_forms import closed_form, expected_width, smallest
from abovechance.studies.designs import (
    LEAST,
    Design,
    Groups,
    Pair,
    facts_of,
    name_of,
    number,
    setting_of,
    whole_number,
)
from abovechance.studies.power_study import (
    DESIGNS,
    Cell,
    Meter,
    Model,
    OneTest,
    Replications,
    Tests,
    cell_of,
    chosen_tests,
    conditions,
    described,
    design_and_tests,
    effects_of,
    simulate,
)
from abovechance.studies.sample_tests import (
    interval_shown,
    rejects,
    run_tests,
)

# ----------------------------------------------------------------------------------------------
# How many cases for a narrow interval: the size at which it has a stated width on average.
# ----------------------------------------------------------------------------------------------


FIRST_FOR_WIDTH = 100  # where the search begins when no formula says where, in cases
FEW = 48  # samples of each size on the way to the answer
ROUNDS_FOR_WIDTH = 12  # how often a size is tried on the way to the answer
CHECKS = 6  # how often the answer is checked with fresh samples
SELDOM = 0.05
"""Share of samples that may have no interval with two ends; more, and a size is too small."""


@dataclass(frozen=True, kw_only=True)
class Width(Result):
    """How many cases make the interval of one measure as narrow as wanted.

    Attributes
    ----------
    measure
        The name of the measure.
    title
        The measure in words.
    design
        The name of the design that drew the samples.
    effect
        How strong the effect was, on the scale of the design.
    width
        The wanted mean width, from limit to limit on the measure's own scale.
    level
        Level of the interval, as 0.95.
    n
        Number of cases needed; None when the largest size tried is not enough.
    interval
        95 % interval of n for the error of simulation, in cases; None without n.
    mean_width
        Mean width of the interval in fresh samples of n cases; None without n.
    width_se
        Monte-Carlo standard error of that mean; None without n.
    value
        Mean of the measure in these samples; None without n.
    unbounded
        How many of these samples had no interval with two ends; the mean leaves them out.
    replications
        Number of fresh samples.
    formula
        Number of cases by formula; None where there is none.
    formula_method
        Which formula it is, in words; None where there is none.
    setting
        The design at this effect, in words.

    See Also
    --------
    PrecisionSize : the sizes of all measures.
    expected_width : the mean width by formula alone.

    Examples
    --------
    >>> from abovechance import sample_size
    >>> settings = {"auc": 0.8, "width": 0.3, "replications": 20, "rng": 1}
    >>> print(sample_size("sensitivity", **settings).widths[0])
    sensitivity: 59 cases [55 to 63], mean width 0.3; 59 by formula
    """

    measure: str
    title: str
    design: str
    effect: float
    width: float
    level: float
    n: int | None
    interval: tuple[int, int] | None
    mean_width: float | None
    width_se: float | None
    value: float | None
    unbounded: int
    replications: int
    formula: int | None
    formula_method: str | None
    setting: str

    def __str__(self) -> str:
        known = "" if self.formula is None else f"; {self.formula} by formula"
        if self.n is None or self.interval is None:
            return f"{self.measure}: no size tried has a mean width of {self.width:g}{known}"
        return (
            f"{self.measure}: {self.n} cases [{self.interval[0]} to {self.interval[1]}], mean "
            f"width {self.mean_width:.3g}{known}"
        )


@dataclass(frozen=True, kw_only=True)
class PrecisionSize(Result, kind="precision_size"):
    """The number of cases that each measure needs for an interval of the wanted width.

    Attributes
    ----------
    widths
        A `Width` for each measure.
    width
        The wanted mean width, from limit to limit on the measure's own scale.
    level
        Level of the intervals, as 0.95.
    largest
        The size at which the search gives up, in cases.

    See Also
    --------
    sample_size : makes it when given a width.
    SampleSize : sizes for a power instead.

    Examples
    --------
    >>> from abovechance import sample_size
    >>> names = ["accuracy", "sensitivity"]
    >>> narrow = sample_size(measure=names, auc=0.8, width=0.3, replications=20, rng=1)
    >>> [(one.measure, one.n, one.formula) for one in narrow.widths]
    [('accuracy', 31, 30), ('sensitivity', 59, 59)]
    """

    widths: tuple[Width, ...]
    width: float
    level: float
    seed: int
    largest: int
    advice: tuple[Advice, ...] = ()
    effect_scale: str | None = None
    prevalence: float | None = None
    threshold: float | None = None

    @property
    def conditions(self) -> str:
        """What the sizes depend on: effect, prevalence and the level of the intervals."""
        parts = []
        if self.effect_scale is not None:
            parts.append(f"effect: {self.effect_scale} ({self.widths[0].effect:g})")
        if self.prevalence is not None:
            parts.append(f"prevalence {self.prevalence:.3g}")
        parts.append(f"intervals as assess shows them at level {self.level:g}")
        return ", ".join(parts)

    def rows(self) -> list[dict[str, Any]]:
        """The sizes flat, as rows of a table."""
        return [flat_size(one.to_dict()) for one in self.widths]


def flat_size(row: dict[str, Any]) -> dict[str, Any]:
    """A size with the ends of its interval as columns of their own."""
    low, high = row.pop("interval") or (None, None)
    return {**row, "low": low, "high": high}


@dataclass(frozen=True)
class Intervals:
    """One replication draws a sample and has the interval of a measure, as `assess` shows it."""

    design: Design
    measure: Measure
    n: int
    effect: float
    level: float
    draws: int

    def __call__(self, rng: np.random.Generator, size: int) -> Floats:
        """The measure's value and its interval's width, NaN without two ends: (size, 2)."""
        out = np.full((size, 2), np.nan)
        for row in range(size):
            predictions = predictions_of(self.design, self.n, self.effect, rng)
            seed = int(rng.integers(2**63))
            shown = interval_shown(predictions, self.measure, self.level, self.draws, seed)
            if shown.interval is not None:
                ends = shown.interval.low, shown.interval.high
                out[row] = shown.value, ends[1] - ends[0] if np.isfinite(ends).all() else np.nan
        return out


def predictions_of(design: Design, n: int, effect: float, rng: np.random.Generator) -> Predictions:
    """A sample as predictions to assess; a design of one's own may return any predictions."""
    sample: Any = design(n, effect, rng)
    if isinstance(sample, Predictions):
        return sample
    if isinstance(sample, Pair | Groups) or not hasattr(sample, "probability"):
        raise AboveChanceError(
            "width= is about the interval of one model's measure; "
            f"{name_of(design)} draws something else. Give a design of one model, as "
            "ac.studies.Binormal(), or a function that returns ac.Binary, ac.Numeric, …"
        )
    return Binary(sample.positive, probability=sample.probability, threshold=sample.threshold)


def measures_and_design(
    design: Design | str | None,
    tests: Tests | None,
    measure: str | Measure | Sequence[str | Measure] | None,
) -> tuple[Design | str | None, tuple[str | Measure, ...]]:
    """The measures whose intervals are meant; a measure's name may stand for the design."""
    if tests is not None:
        raise AboveChanceError("width= is about intervals; give measure= instead of tests.")
    if isinstance(design, str) and design.lower().replace("_", " ") not in DESIGNS:
        if measure is not None:
            raise AboveChanceError(
                f"{design!r} is no design; choose from {listed(list(DESIGNS))}, or name the "
                "measures in measure= alone."
            )
        design, measure = "binormal", design
    if measure is None:
        raise AboveChanceError('name the measure whose interval is meant, as measure="auc".')
    several = (measure,) if isinstance(measure, str | Measure) else tuple(measure)
    if not several:
        raise AboveChanceError("name at least one measure; got none.")
    return design, several


@dataclass(frozen=True)
class WidthSearch:
    """The search for the size at which one measure's interval is as narrow as wanted."""

    design: Design
    measure: Measure
    effect: float
    width: float
    settings: Settings
    largest: int
    meter: Meter

    def simulated(self, n: int, times: int, purpose: str) -> "Simulated":
        """Fresh samples of a size."""
        work = Intervals(
            self.design, self.measure, n, self.effect, self.settings.level, self.settings.flips
        )
        seed = child_seed(self.settings.seed, self.measure.label, purpose, n)
        settings = replace(self.settings, replications=times, progress=self.meter.listen())
        runs = simulate(work, settings, seed)
        return Simulated(n, runs)

    def by_formula(self) -> tuple[int | None, str | None]:
        """The size by formula, where there is one."""

        def narrowness(n: int) -> float:
            known = expected_width(
                self.design, self.measure.name, n, self.effect, level=self.settings.level
            )
            return -np.inf if known is None else -known[0]

        known = expected_width(self.design, self.measure.name, FIRST_FOR_WIDTH, self.effect)
        if known is None:
            return None, None
        return smallest(narrowness, -self.width, self.largest), known[1]

    def answer(self, guess: int | None) -> "Simulated | None":
        """The checked size; None if the largest is not enough."""
        n = int(np.clip(guess or FIRST_FOR_WIDTH, LEAST, self.largest))
        tried: set[int] = set()
        for turn in range(ROUNDS_FOR_WIDTH):
            tried.add(n)
            n = self.proposed(self.simulated(n, FEW, f"round {turn}"), 4.0)
            if n in tried:
                break
        return self.checked(n)

    def proposed(self, seen: "Simulated", most: float) -> int:
        """The size that what was seen points to: widths go with the root of the size."""
        factor = 2.0 if seen.too_small else (seen.mean / self.width) ** 2
        n = ceil(seen.n * float(np.clip(factor, 1 / most, most)))
        return int(np.clip(n, LEAST, self.largest))

    def checked(self, n: int) -> "Simulated | None":
        """The smallest size whose fresh samples do not contradict the width."""
        enough: Simulated | None = None
        short = LEAST - 1
        for _ in range(CHECKS):
            seen = self.simulated(n, self.settings.replications, "answer")
            contradicted = seen.too_small or seen.mean - 2 * seen.error > self.width
            if contradicted:
                if n >= self.largest:
                    return None
                short = max(short, n)
            else:
                enough = seen
            after = max(self.proposed(seen, 2.0), short + 1)
            narrower = seen.mean + 2 * seen.error < self.width
            if not contradicted and (not narrower or after >= n):
                break
            n = after if enough is None or after < enough.n else enough.n - 1
            if n <= short:
                break
        return enough


@dataclass(frozen=True, eq=False)
class Simulated:
    """What samples of a size showed."""

    n: int
    runs: Floats

    @property
    def widths(self) -> Floats:
        """Of intervals with two ends."""
        return np.asarray(self.runs[~np.isnan(self.runs[:, 1]), 1])

    @property
    def unbounded(self) -> int:
        """Samples without an interval that has two ends."""
        return len(self.runs) - len(self.widths)

    @property
    def too_small(self) -> bool:
        """Whether a mean of widths says nothing, for many samples have none."""
        return self.unbounded > SELDOM * len(self.runs) or not len(self.widths)

    @property
    def mean(self) -> float:
        return float(self.widths.mean()) if len(self.widths) else float("inf")

    @property
    def error(self) -> float:
        """Monte-Carlo standard error of the mean width."""
        spread = self.widths.std(ddof=1) if len(self.widths) > 1 else 0.0
        return float(spread / np.sqrt(max(len(self.widths), 1)))

    @property
    def value(self) -> float:
        """The mean of the measure."""
        return float(np.nanmean(self.runs[:, 0]))


def size_for_width(
    design: Design,
    measures: Sequence[str | Measure],
    effect: float,
    width: float,
    *,
    settings: Settings,
    largest: int,
) -> PrecisionSize:
    """How many cases each measure needs for an interval of this width."""
    number("width", width, 0.0, inside=True)
    rng = np.random.default_rng(child_seed(settings.seed, "kind of predictions"))
    sample = predictions_of(design, min(max(FIRST_FOR_WIDTH, LEAST), largest), effect, rng)
    chosen = [_applicable(measure, sample) for measure in measures]
    meter = Meter(settings.progress, len(chosen), 3 * FEW + 2 * settings.replications)
    widths = []
    for measure in chosen:
        search = WidthSearch(design, measure, effect, width, settings, largest, meter)
        formula, method = search.by_formula()
        widths.append(_width(search, search.answer(formula), formula, method))
        meter.finish()
    return PrecisionSize(
        widths=tuple(widths),
        width=width,
        level=settings.level,
        seed=settings.seed,
        largest=largest,
        advice=_advice(widths),
        **vars(facts_of(design)),
    )


def _applicable(given: str | Measure, sample: Predictions) -> Measure:
    measure = (find(given) if isinstance(given, str) else given).for_outcome(sample.kind)
    if not measure.applies(sample):
        raise NotApplicable(f"{measure.title} cannot be computed from these predictions.")
    shown = interval_shown(sample, measure, 0.95, 99, 0)
    if shown.interval is None and shown.reason:
        raise NotApplicable(f"assess shows no interval of {measure.title}: {shown.reason}")
    return measure


def _width(
    search: WidthSearch, answer: Simulated | None, formula: int | None, method: str | None
) -> Width:
    ends = None
    if answer is not None:
        slack = 2 * 1.96 * answer.error / answer.mean
        centre = answer.n * (answer.mean / search.width) ** 2
        ends = (
            min(answer.n, floor(centre * (1 - slack))),
            max(answer.n, ceil(centre * (1 + slack))),
        )
    return Width(
        measure=search.measure.label,
        title=search.measure.title,
        design=name_of(search.design),
        effect=search.effect,
        width=search.width,
        level=search.settings.level,
        n=None if answer is None else answer.n,
        interval=ends,
        mean_width=None if answer is None else answer.mean,
        width_se=None if answer is None else answer.error,
        value=None if answer is None else answer.value,
        unbounded=0 if answer is None else answer.unbounded,
        replications=search.settings.replications,
        formula=formula,
        formula_method=method,
        setting=setting_of(search.design, search.effect),
    )


def _advice(widths: Sequence[Width]) -> tuple[Advice, ...]:
    """What to know about these sizes."""
    return tuple(
        Advice(
            "AC805",
            f"{one.unbounded} of {one.replications} samples of {one.n} cases had no interval of "
            f"{one.title} with two ends; the mean width leaves them out.",
        )
        for one in widths
        if one.unbounded
    )


# ----------------------------------------------------------------------------------------------
# How many cases: the size at which a test has a stated power, or an interval a stated width.
# ----------------------------------------------------------------------------------------------


LARGEST = 20_000  # where the search gives up
FIRST = 12  # where the search begins, in cases
SHARES = (0.8, 1.0, 1.25)  # sizes simulated around the current answer
ROUNDS = 4  # how often the answer is sought again
BRACKET = 64  # samples of each size on the way to the first answer
SMALL = 32
"""Up to so many cases powers jump from one size to the next, and the answer is tried one by one."""

CLEARLY = 0.999  # level at which samples rule out a size
Point = tuple[int, int, int]  # a size, in how many samples the test rejected, and of how many


@dataclass(frozen=True, kw_only=True)
class Size(Result):
    """How many cases one test needs to find the effect with the wanted power.

    Attributes
    ----------
    statistic
        The test: the measure it is about, its own name, or the name you gave it.
    design
        The name of the design that drew the samples.
    effect
        How strong the effect was, on the scale of the design.
    target
        The wanted power, from 0 to 1.
    n
        Number of cases needed (or as the design counts them); None when the largest size tried is
        not enough.
    se
        Standard error of n by the search, in cases; None where power jumps past the target and no
        line can be fitted.
    interval
        95 % interval of n for the error of simulation, in cases; None without n.
    power
        Power in fresh samples of n cases, from 0 to 1; None without n.
    power_interval
        95 % interval of that power by Wilson's method; None without n.
    replications
        Number of fresh samples.
    formula
        Number of cases from which on the power by formula stays at the target; None where there
        is no formula.
    formula_method
        Which formula it is, in words; None where there is none.
    title
        The test in words; None for statistics of two groups and tests of your own.
    alternative
        "greater" for a one-sided test, "two-sided" for one of two sides; None where not known.
    setting
        The design at this effect, in words.

    See Also
    --------
    SampleSize : the sizes of all tests.
    power : the power at given numbers of cases.

    Examples
    --------
    >>> size = sample_size("auc", auc=0.9, replications=60, rng=1).sizes[0]
    >>> size.n, size.interval, size.formula
    (13, (9, 15), 11)
    >>> print(size)
    auc: 13 cases [9 to 15], power 0.883 [0.778 to 0.942]; 11 by formula
    """

    statistic: str
    design: str
    effect: float
    target: float
    n: int | None
    se: float | None
    interval: tuple[int, int] | None
    power: float | None
    power_interval: Interval | None
    replications: int
    formula: int | None
    formula_method: str | None
    title: str | None = None
    alternative: str | None = None
    setting: str | None = None

    def __str__(self) -> str:
        known = "" if self.formula is None else f"; {self.formula} by formula"
        if self.n is None or self.interval is None:
            return f"{self.statistic}: no size tried has a power of {self.target:g}{known}"
        return (
            f"{self.statistic}: {self.n} cases [{self.interval[0]} to {self.interval[1]}], power "
            f"{self.power:.3f} [{self.power_interval}]{known}"
        )


@dataclass(frozen=True, kw_only=True)
class SampleSize(Result, kind="sample_size"):
    """The number of cases that each test needs for the wanted power.

    Attributes
    ----------
    sizes
        A `Size` for each test.
    cells
        The power of each test at its size, as a `Cell`; tests without an answer have none.
    target
        The wanted power, from 0 to 1.
    alpha
        Level of the tests: the p-value up to which they reject.
    largest
        The size at which the search gives up, in cases.
    question
        What the tests are about: "one model against chance", "two models compared" or "two groups
        of rows".

    See Also
    --------
    sample_size : makes it.
    PrecisionSize : sizes for an interval of a wanted width instead.
    PowerStudy : the power at given numbers of cases.

    Examples
    --------
    >>> tests = ["auc", "binomial"]
    >>> needed = sample_size(tests=tests, auc=0.9, replications=60, rng=1)
    >>> [(size.statistic, size.n, size.formula) for size in needed.sizes]
    [('auc', 13, 11), ('binomial', 17, 20)]
    """

    sizes: tuple[Size, ...]
    cells: tuple[Cell, ...]
    target: float
    alpha: float
    seed: int
    largest: int
    advice: tuple[Advice, ...] = ()
    question: str = ""
    effect_scale: str | None = None
    prevalence: float | None = None
    threshold: float | None = None

    @property
    def conditions(self) -> str:
        """What the sizes depend on: effect, prevalence, sides and level of the tests."""
        return conditions(self, self.sizes, self.effect_scale)

    def rows(self) -> list[dict[str, Any]]:
        """The sizes flat, as rows of a table."""
        rows = [flat_size(size.to_dict()) for size in self.sizes]
        return [
            {key: value for key, value in row.items() if key != "power_interval"} for row in rows
        ]


@gated
@settled
def sample_size(
    design: Design | str | None = None,
    tests: Tests | None = None,
    *,
    effect: float | None = None,
    width: float | None = None,
    measure: str | Measure | Sequence[str | Measure] | None = None,
    auc: float | None = None,
    versus: float | None = None,
    prevalence: float | None = None,
    correlation: float | None = None,
    target: float = 0.8,
    largest: int = LARGEST,
    **given: Any,
) -> SampleSize | PrecisionSize:
    r"""How many cases a test needs to find the effect, or a measure for a narrow interval.

    For a power, sizes are doubled until it passes the target, or halved until it does not; then
    samples are drawn at sizes around the current answer and :math:`\Phi^{-1}(\text{power}) = a +
    b \sqrt n` is fitted to all of them, a form that holds nearly exactly for tests whose
    statistic is a mean. The stated error is that of the fit (delta method). `replications` samples
    are spent on the search for each test, and as many again on the power at the answer. An answer
    that these contradict is sought again; among few cases, where powers jump, sizes are tried one
    by one.

    With `width`, the answer is the number of cases from which on the interval that `assess` shows
    of the measure is on average no wider. Its mean width is simulated at one size after another,
    each found from the last as if widths went with :math:`1/\sqrt n`, and `replications` fresh
    samples of the answer check it.

    Parameters
    ----------
    design
        How data arise, as in `power`; or the name of a test (with `width`, of a measure) alone.
    tests
        As in `power`; not with `width`, which has measures.
    effect
        How strong the effect is, on the scale of the design; without, the middle one of the
        design's own.
    width
        The widest that the interval of a measure shall be on average, from limit to limit on the
        measure's own scale.
    measure
        The measures whose intervals are meant, as "auc", "calibration_slope" or "oe_ratio".
    auc, versus, prevalence, correlation
        A calibrated model in numbers instead of a design, as in `power`.
    target
        The power to reach.
    largest
        Where the search gives up.

    Returns
    -------
    SampleSize or PrecisionSize
        A `Size` for each test: cases, the search's interval, the power there and the size by
        formula where there is one. With `width` a `Width` for each measure, likewise.

    Raises
    ------
    AboveChanceError
        If designs, tests, measures or numbers do not fit; the message says what to write.

    See Also
    --------
    power : the power at given numbers of cases.

    Notes
    -----
    Widths of the calibration slope and of the ratio of observed to expected events are the
    criteria of Riley et al. for an external validation, here for the very intervals that `assess`
    reports.

    References
    ----------
    Robbins & Monro (1951) for the idea of asking where the answer seems to be; the probit fit
    is the usual one of dose finding (Finney 1971). Riley et al. (2021) for sizes by precision.

    Examples
    --------
    >>> sizes = sample_size("auc", effect=0.7, replications=300, rng=1)
    >>> sizes.sizes[0].formula, abs(sizes.sizes[0].n - 49) < 12
    (49, True)
    >>> narrow = sample_size("accuracy", auc=0.7, width=0.2, replications=100, rng=1)
    >>> narrow.widths[0].formula, abs(narrow.widths[0].n - 84) < 8
    (84, True)
    """
    settings = Settings.of("sample_size", given)
    store, progress = settings.store, settings.progress
    settings = replace(settings, store=None, progress=None)
    whole_number("largest", largest, LEAST)
    largest, alpha = int(largest), settings.alpha
    model = Model(auc, versus, prevalence, correlation)
    if width is not None:
        design, measures = measures_and_design(design, tests, measure)
    elif measure is not None:
        raise AboveChanceError(
            "measure= goes with width=, the width of its interval; for a power give tests=."
        )
    design, tests, effect = design_and_tests(design, tests, effect, model)
    effect = _effect(design, effect)
    if width is not None:
        if store is not None:
            what = {"measures": ", ".join(map(str, measures)), "effect": effect, "width": width}
            terms = _terms(design, measures, {**what, "level": settings.level}, settings)
            settings = replace(settings, store=_shared(store, terms))
        return size_for_width(
            design,
            measures,
            effect,
            width,
            settings=replace(settings, progress=progress),
            largest=largest,
        )
    number("target", target)
    if not alpha < target < 1.0:
        raise AboveChanceError(f"target must lie between alpha and 1; got {target}.")
    first = (min(FIRST, largest), effect)
    chosen = chosen_tests(
        design, tests, first, alpha=alpha, draws=settings.flips, seed=settings.seed
    )
    if store is not None:
        what = {"tests": ", ".join(chosen.labels), "effect": effect, "target": target}
        terms = _terms(design, chosen.tests, what, settings)
        settings = replace(settings, store=_shared(store, terms))
    meter = Meter(progress, len(chosen.tests), 4 * BRACKET + 2 * settings.replications)
    sizes: list[Size] = []
    cells: list[Cell] = []
    for test, label in zip(chosen.tests, chosen.labels, strict=True):
        least = least_size(design, test, effect, largest=largest, seed=settings.seed)
        search = Search(design, test, label, effect, target, settings, least, largest, meter)
        formula, method = search.by_formula()
        answer = search.answer(formula)
        sizes.append(described(search.size(answer, formula, method), design, test, chosen.kind))
        if answer is not None:
            cell = cell_of(design, test, (answer.n, effect), answer.rejected, settings, label)
            cells.append(described(cell, design, test, chosen.kind))
        meter.finish()
    return SampleSize(
        sizes=tuple(sizes),
        cells=tuple(cells),
        target=target,
        alpha=alpha,
        seed=settings.seed,
        largest=largest,
        advice=chosen.advice,
        question=chosen.question,
        **vars(facts_of(design)),
    )


def _effect(design: Design, effect: Any) -> float:
    """One effect: that given, or the middle one of the design's own."""
    effects = effects_of(design, effect)
    if effect is not None and len(effects) > 1:
        raise AboveChanceError(f"give one effect to plan for; got {listed(list(effects))}.")
    return effects[len(effects) // 2]


def _terms(
    design: Design, things: object, what: Mapping[str, object], settings: Settings
) -> dict[str, object]:
    """What a store is for, so that a run for something else is refused with the difference."""
    plain = {
        name: value
        for name, value in getattr(design, "__dict__", {}).items()
        if isinstance(value, str | Real)
    }
    terms = {
        "a search for sample sizes": "wanted",
        "abovechance": __version__,
        "design": name_of(design),
        **what,
        "alpha": settings.alpha,
        "draws": settings.draws,
        "seed": settings.seed,
    }
    return {**plain, **terms, "task": digest(design, things, *terms.values())}


def _shared(store: Store | str, terms: dict[str, object]) -> Store:
    """The store of a whole search; a configuration that it comes with is kept."""
    given = store if isinstance(store, Store) else Store(store)
    return given if given.configuration is not None else replace(given, configuration=terms)


class Answer(NamedTuple):
    """A size with the error of the search, its interval, and how many fresh samples rejected."""

    n: int
    error: float | None
    ends: tuple[int, int]
    rejected: int


@dataclass(frozen=True)
class Search:
    """The search for one test, among sizes from `least` to `largest`."""

    design: Design
    test: OneTest
    label: str
    effect: float
    target: float
    settings: Settings
    least: int
    largest: int
    meter: Meter

    def rejections(self, n: int, times: int, purpose: str) -> int:
        """In how many of `times` fresh samples of size n the test rejects."""
        work = Replications(self.design, (self.test,), ((n, self.effect),), self.settings.flips)
        seed = child_seed(self.settings.seed, self.label, purpose, n)
        settings = replace(self.settings, replications=times, progress=self.meter.listen())
        return int(rejects(simulate(work, settings, seed), settings.alpha).sum())

    def answer(self, guess: int | None) -> Answer | None:
        """The size, or None if the largest is not enough."""
        points = self.bracket(guess)
        if points is None:
            return None
        each = max(8, self.settings.replications // (ROUNDS * len(SHARES)))
        for turn in range(ROUNDS):
            centre = self.crossing(points)[0]
            for share in SHARES:
                n = int(np.clip(round(centre * share), self.least, self.largest))
                points.append((n, self.rejections(n, each, f"round {turn}"), each))
        return self.confirmed(points)

    def bracket(self, guess: int | None) -> list[Point] | None:
        """Sizes from too few to enough, doubled and halved; None if even the largest is too few."""
        n = max(FIRST, self.least) if guess is None else max(FIRST, self.least, guess // 2)
        points = [self.tried(min(n, self.largest))]
        while points[-1][1] / BRACKET < min(self.target + 0.1, 0.97):
            if points[-1][0] >= self.largest:
                if points[-1][1] / BRACKET < self.target:
                    return None
                break
            points.append(self.tried(min(2 * points[-1][0], self.largest)))
        while points[0][1] / BRACKET >= self.target and points[0][0] > self.least:
            points.insert(0, self.tried(max(points[0][0] // 2, self.least)))
        return points

    def tried(self, n: int) -> Point:
        return n, self.rejections(n, BRACKET, "bracket"), BRACKET

    def confirmed(self, points: list[Point]) -> Answer | None:
        """The size whose power on fresh samples does not contradict the target.

        Where it falls short, the search goes on above with what was seen, and below where it
        suffices clearly; among few cases, where powers jump, it goes down one by one.
        """
        last, step = self.checked(ceil(self.crossing(points)[0])), 1
        while self.falls_short(last):
            points.append(last)
            if last[0] >= self.largest:
                return None
            further = max(ceil(self.crossing(points)[0]), last[0] + step)
            last, step = self.checked(min(further, self.largest)), 2 * step
        while (n := self.fewer(points, last)) < last[0]:
            points.append(last)
            tried = self.checked(n)
            if self.falls_short(tried):
                points.append(tried)
                break
            last = tried
        error, ends = self.interval(points, last)
        return Answer(last[0], error, ends, last[1])

    def checked(self, n: int) -> Point:
        """Fresh samples of size n, as many as `replications`."""
        times = self.settings.replications
        return n, self.rejections(n, times, "answer"), times

    def falls_short(self, point: Point) -> bool:
        """Whether samples contradict the target; where it never rejected there may be no power."""
        return point[1] == 0 or self.power(point).high < self.target

    def fewer(self, points: list[Point], last: Point) -> int:
        """The next size to try below one that suffices; the same if there is none."""
        n = last[0]
        if n <= SMALL:
            return max(n - 1, self.least) if self.power(last).low > self.target else n
        if self.power(last, CLEARLY).low <= self.target:
            return n
        return min(ceil(self.crossing([*points, last])[0]), n)

    def power(self, point: Point, level: float = 0.95) -> Interval:
        from abovechance.inference.intervals import wilson

        return wilson(point[1], point[2], confidence_level=level)

    def interval(self, points: list[Point], last: Point) -> tuple[float | None, tuple[int, int]]:
        """Standard error and 95 % interval of the size; no error where no line can be fitted."""
        centre, error = self.crossing(points)
        low, high = self.possible([*points, last])
        ends = (
            min(last[0], floor(max(centre - 1.96 * error, low))),
            max(last[0], ceil(min(centre + 1.96 * error, high))),
        )
        return (error if isfinite(error) else None), ends

    def possible(self, points: list[Point]) -> tuple[int, int]:
        """The sizes that samples do not rule out: neither clearly too small nor larger than need.

        A size that clearly suffices is possible itself.
        """
        seen: dict[int, Point] = {}
        for n, rejected, tried in points:
            _, before, earlier = seen.get(n, (n, 0, 0))
            seen[n] = n, before + rejected, earlier + tried
        power = {n: self.power(seen[n], CLEARLY) for n in seen}
        below = [n for n in power if power[n].high < self.target]
        low = min(max(below, default=self.least - 1) + 1, self.largest)
        above = [n for n in power if power[n].low > self.target and n >= low]
        return low, min(above, default=self.largest)

    def crossing(self, points: list[Point]) -> tuple[float, float]:
        """Where the fitted power meets the target, and its standard error.

        The line is fitted to points near the target, for far from it powers bend away; to all
        where those do not tell. Where no line does, the point nearest to the target it is.
        """
        n, rejected, times = (
            np.array(column, dtype=np.float64) for column in zip(*points, strict=True)
        )
        rate, (low, high) = rejected / times, self.possible(points)
        for some in (_near(rate, self.target), np.ones(n.size, dtype=np.bool_)):
            root, error = self.root(np.sqrt(n[some]), rejected[some], times[some])
            if 2 * error < root:
                return float(np.clip(root**2, low, high)), 2 * root * error
        nearest = n[np.argmin(np.abs(rate - self.target))]
        return float(np.clip(nearest, low, high)), float("inf")

    def root(self, x: Floats, rejected: Floats, times: Floats) -> tuple[float, float]:
        """Where the line through powers at √n meets the target, and its standard error."""
        from scipy.special import ndtri

        (a, b), covariance = probit_line(x, rejected, times)
        if b <= 0:
            return float(np.sqrt(self.least)), float("inf")
        root = (ndtri(self.target) - a) / b
        slope = np.array([-1.0, -root]) / b
        error = np.sqrt(max(float(slope @ covariance @ slope), 0.0))
        return float(max(root, np.sqrt(self.least))), float(error)

    def size(self, answer: Answer | None, formula: int | None, method: str | None) -> Size:
        """The answer as a result."""
        from abovechance.inference.intervals import wilson

        times = self.settings.replications
        return Size(
            statistic=self.label,
            design=name_of(self.design),
            effect=self.effect,
            target=self.target,
            n=None if answer is None else answer.n,
            se=None if answer is None else answer.error,
            interval=None if answer is None else answer.ends,
            power=None if answer is None else answer.rejected / times,
            power_interval=None if answer is None else wilson(answer.rejected, times),
            replications=times,
            formula=formula,
            formula_method=method,
        )

    def by_formula(self) -> tuple[int | None, str | None]:
        """The size by formula: above it the power stays at the target for a while."""
        known = closed_form(self.design, self.test, self.least, self.effect)
        if known is None:
            return None, None
        return smallest(self.known, self.target, self.largest), known.method

    def known(self, n: int) -> float:
        """Power by formula."""
        settings = self.settings
        known = closed_form(
            self.design, self.test, n, self.effect, alpha=settings.alpha, draws=settings.flips
        )
        return known.power if known else 0.0


def least_size(design: Design, test: OneTest, effect: float, *, largest: int, seed: int) -> int:
    """The fewest cases in which a test is defined; one that never is up to `largest` is refused."""

    def refusal(n: int) -> str:
        rng = np.random.default_rng(child_seed(seed, "least size", n))
        try:
            run_tests(design(n, effect, rng), (test,), rng, draws=1)
        except Exception as error:
            # With very few cases a design or test of one's own may fail in any way.
            if n >= FIRST and not isinstance(error, NotApplicable):
                raise
            return f"{error or type(error).__name__}"
        return ""

    low, high = LEAST - 1, min(FIRST, largest)
    while refused := refusal(high):
        if high >= largest:
            raise NotApplicable(
                f"a test must be defined in samples of up to {largest} cases. {refused} Or raise "
                "largest, or leave the test out."
            )
        low, high = high, min(2 * high, largest)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if refusal(middle) else (low, middle)
    return high


def probit_line(x: Floats, hits: Floats, times: Floats) -> tuple[Floats, Floats]:
    """Fit Φ⁻¹(rate) = a + bx to counts: the coefficients and their covariance.

    Steps are bounded: counts that are all 0 and then all full have no best line.
    """
    from scipy.special import ndtr, ndtri

    design = np.column_stack([np.ones_like(x), x])
    line = np.linalg.lstsq(design, ndtri((hits + 0.5) / (times + 1)), rcond=None)[0]
    information = np.eye(2)
    for _ in range(25):
        eta = np.clip(design @ line, -6, 6)
        rate = np.clip(ndtr(eta), 1e-9, 1 - 1e-9)
        density = np.exp(-(eta**2) / 2) / np.sqrt(2 * np.pi)
        weight = times * density**2 / (rate * (1 - rate))
        information = design.T @ (weight[:, None] * design) + 1e-9 * np.eye(2)
        step = np.linalg.solve(information, design.T @ (weight * (hits / times - rate) / density))
        line = line + np.clip(step, -10.0, 10.0)
        if np.abs(step).max() < 1e-8:
            break
    return np.asarray(line, dtype=np.float64), np.asarray(np.linalg.inv(information))


def _near(rate: Floats, target: float) -> Bools:
    """Points whose rate is near enough to the target for a straight line, at least three."""
    from scipy.special import ndtri

    gap = np.abs(ndtri(np.clip(rate, 0.002, 0.998)) - ndtri(target))
    return np.asarray(gap <= max(1.5, np.sort(gap)[min(2, gap.size - 1)]))
