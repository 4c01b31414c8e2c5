"""How many cases for a narrow interval: the size at which it has a stated width on average."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Floats
from abovechance.errors import AboveChanceError, NotApplicable, listed
from abovechance.inference.results import Result
from abovechance.measures import Measure, find
from abovechance.predictions import Binary, Predictions
from abovechance.resampling import child_seed
from abovechance.studies import verbs
from abovechance.studies.closed_forms import expected_width, smallest
from abovechance.studies.designs import (
    LEAST,
    Design,
    Groups,
    Pair,
    facts_of,
    name_of,
    number,
    setting_of,
)
from abovechance.studies.power_study import DESIGNS, Budget, Meter, Tests, aligned

FIRST = 100
"""Where the search begins when no formula says where, in cases."""

FEW = 48
"""Samples of each size on the way to the answer."""

ROUNDS = 12
"""How often a size is tried on the way to the answer."""

CHECKS = 6
"""How often the answer is checked with fresh samples."""

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
    seed
        Seed of all samples and draws; give it again as `rng=` for the same numbers.
    largest
        The size at which the search gives up, in cases.
    advice
        What a reader should know beside the numbers.
    effect_scale
        What the effect is, as "AUC"; None where the design does not say.
    prevalence
        Share of positive cases, from 0 to 1; None where the design does not say.
    threshold
        The probability above which cases were called positive; None where the design does not say.

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

    def _texts(self) -> list[tuple[str, ...]]:
        """The sizes as texts, the headings first."""
        rows: list[tuple[str, ...]] = [
            ("measure", "n", "95 % of the search", "mean width at n", "n by formula")
        ]
        for one in self.widths:
            known = "" if one.formula is None else str(one.formula)
            if one.n is None or one.interval is None:
                rows.append((one.measure, f"> {self.largest}", "", "", known))
                continue
            ends = f"{one.interval[0]} to {one.interval[1]}"
            rows.append((one.measure, str(one.n), ends, f"{one.mean_width:.4f}", known))
        return rows

    @property
    def heading(self) -> str:
        """What was looked for, in a line."""
        name = self.widths[0].design
        return f"Cases for a mean width of {self.width:g}, {name}; {self.conditions}"

    def __str__(self) -> str:
        return f"{self.heading}\n{aligned(self._texts())}"

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
            shown = verbs.interval_shown(predictions, self.measure, self.level, self.draws, seed)
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
    level: float
    budget: Budget
    largest: int
    meter: Meter

    def simulated(self, n: int, times: int, purpose: str) -> "Simulated":
        """Fresh samples of a size."""
        work = Intervals(self.design, self.measure, n, self.effect, self.level, self.budget.draws)
        seed = child_seed(self.budget.seed, self.measure.label, purpose, n)
        budget = replace(self.budget, replications=times, progress=self.meter.listen())
        runs = budget.simulate(work, seed)
        return Simulated(n, runs)

    def by_formula(self) -> tuple[int | None, str | None]:
        """The size by formula, where there is one."""

        def narrowness(n: int) -> float:
            known = expected_width(self.design, self.measure.name, n, self.effect, level=self.level)
            return -np.inf if known is None else -known[0]

        known = expected_width(self.design, self.measure.name, FIRST, self.effect)
        if known is None:
            return None, None
        return smallest(narrowness, -self.width, self.largest), known[1]

    def answer(self, guess: int | None) -> "Simulated | None":
        """The checked size; None if the largest is not enough."""
        n = int(np.clip(guess or FIRST, LEAST, self.largest))
        tried: set[int] = set()
        for turn in range(ROUNDS):
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
            seen = self.simulated(n, self.budget.replications, "answer")
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
    level: float,
    budget: Budget,
    largest: int,
) -> PrecisionSize:
    """How many cases each measure needs for an interval of this width."""
    number("width", width, 0.0, inside=True)
    rng = np.random.default_rng(child_seed(budget.seed, "kind of predictions"))
    sample = predictions_of(design, min(max(FIRST, LEAST), largest), effect, rng)
    chosen = [_applicable(measure, sample) for measure in measures]
    meter = Meter(budget.progress, len(chosen), 3 * FEW + 2 * budget.replications)
    widths = []
    for measure in chosen:
        search = WidthSearch(design, measure, effect, width, level, budget, largest, meter)
        formula, method = search.by_formula()
        widths.append(_width(search, search.answer(formula), formula, method))
        meter.finish()
    return PrecisionSize(
        widths=tuple(widths),
        width=width,
        level=level,
        seed=budget.seed,
        largest=largest,
        advice=_advice(widths),
        **vars(facts_of(design)),
    )


def _applicable(given: str | Measure, sample: Predictions) -> Measure:
    measure = (find(given) if isinstance(given, str) else given).for_outcome(sample.kind)
    if not measure.applies(sample):
        raise NotApplicable(f"{measure.title} cannot be computed from these predictions.")
    shown = verbs.interval_shown(sample, measure, 0.95, 99, 0)
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
        level=search.level,
        n=None if answer is None else answer.n,
        interval=ends,
        mean_width=None if answer is None else answer.mean,
        width_se=None if answer is None else answer.error,
        value=None if answer is None else answer.value,
        unbounded=0 if answer is None else answer.unbounded,
        replications=search.budget.replications,
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
