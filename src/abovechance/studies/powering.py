"""How often a test finds what is there: rejection rates by simulation, formulas beside them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Floats
from abovechance.errors import AboveChanceError, listed
from abovechance.inference.results import Interval, Result
from abovechance.resampling import (
    Executor,
    Resampling,
    Store,
    Workers,
    digest,
    replicate_blocks,
    seed_of,
)
from abovechance.resampling.streams import Progress
from abovechance.resampling.words import STEPS, kernel
from abovechance.studies.asking import (
    aligned,
    asked_of,
    design_and_tests,
    effects_of,
    sizes_of,
)
from abovechance.studies.closed_forms import closed_form
from abovechance.studies.papers import Rule
from abovechance.studies.questions import ask, canonical, rejects, uses_draws
from abovechance.studies.samples import (
    Design,
    Pair,
    Predicted,
    UserTest,
    name_of,
    number,
    one_of,
    settle,
    whole,
)
from abovechance.studies.wording import (
    alternative_of,
    facts_of,
    kind_in_words,
    setting_of,
    sides,
    title_of,
)

BLOCK = 16
"""Replications that share a stream."""

SELDOM_ALONE = 64
"""Blocks in a study, when it has to be guessed."""

FEW = 5
"""Expected counts below which a z is taken from the exact law."""


@dataclass(frozen=True, kw_only=True)
class Cell(Result):
    """The power of one test in one setting, with a reference when there is one.

    `se` is the Monte-Carlo standard error and `interval` Wilson's; `z` is how many standard
    errors the simulation lies from the reference. In a replication the reference is the paper's
    value, and `theory` the formula's. `title` and `setting` say the test and the design in words,
    `alternative` whether the test is one-sided ("greater") or two-sided.
    """

    statistic: str
    design: str
    n: int
    effect: float
    power: float
    se: float
    replications: int
    reference: float | None = None
    reference_se: float | None = None
    reference_method: str | None = None
    z: float | None = None
    theory: float | None = None
    theory_z: float | None = None
    interval: Interval | None = None
    title: str | None = None
    alternative: str | None = None
    setting: str | None = None

    def __str__(self) -> str:
        known = "" if self.reference is None else f"; {self.reference:.3f} {self.reference_method}"
        ends = "" if self.interval is None else f" [{self.interval}]"
        setting = f"{self.n} cases, effect {self.effect:g}"
        return f"{self.statistic}, {setting}: power {self.power:.3f}{ends}{known}"


@dataclass(frozen=True, kw_only=True)
class PowerStudy(Result, kind="power"):
    """Rejection rates of tests over sizes and effects; `digest` names the p-values.

    `question` is what was asked, in words; `effect_scale` says what the effects are, and
    `prevalence` and `threshold` what the design states of them. Of a replication, `remarks` are
    its departures from the paper and `findings` what came of the comparison.
    """

    cells: tuple[Cell, ...]
    alpha: float
    draws: int
    seed: int
    digest: str
    title: str = ""
    remarks: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    advice: tuple[Advice, ...] = ()
    question: str = ""
    effect_scale: str | None = None
    prevalence: float | None = None
    threshold: float | None = None

    @property
    def conditions(self) -> str:
        """What the powers depend on besides sizes: effect, prevalence, sides and level."""
        return conditions(self, self.cells, self.effect_scale)

    def __str__(self) -> str:
        times = ", ".join(dict.fromkeys(str(cell.replications) for cell in self.cells))
        title = f"{self.title or 'Power'}: {times} samples of each setting; {self.conditions}"
        known = any(cell.reference is not None for cell in self.cells)
        rows = [("test", "n", "effect", "power", "95 %", *["reference"] * known)]
        for cell in self.cells:
            beside = "" if cell.reference is None else f"{cell.reference:.3f}"
            ends = "" if cell.interval is None else str(cell.interval)
            numbers = (str(cell.n), f"{cell.effect:g}", f"{cell.power:.3f}", ends)
            rows.append((cell.statistic, *numbers, *[beside] * known))
        return f"{title}\n{aligned(rows)}"

    def to_csv(self) -> str:
        """The cells as CSV, one a row."""
        from abovechance.io.export import to_csv_text

        return to_csv_text([_flat(cell) for cell in self.cells])

    def cell(self, statistic: str, n: int, effect: float) -> Cell:
        """One cell by its setting; the test by any name that `power` takes for it."""
        names = list(dict.fromkeys(cell.statistic for cell in self.cells))
        meant = self._meant(statistic)
        alike = (name for name in names if statistic not in names and self._meant(name) == meant)
        wanted = (next(alike, statistic), n, effect)
        for cell in self.cells:
            if (cell.statistic, cell.n, cell.effect) == wanted:
                return cell
        raise AboveChanceError(
            f"no cell of {statistic} at n = {n} and effect {effect}; there are "
            f"{listed(names)}, n = {listed(list(dict.fromkeys(c.n for c in self.cells)))}, "
            f"effect {listed(list(dict.fromkeys(c.effect for c in self.cells)))}."
        )

    def _meant(self, name: str) -> str:
        kind = kind_in_words(self.question)
        try:
            return name if kind is None else canonical(name, kind)
        except AboveChanceError:
            return name


@dataclass(frozen=True)
class Replications:
    """One replication draws a sample in every setting and asks it every test."""

    design: Design
    tests: tuple[str | UserTest, ...]
    settings: tuple[tuple[int, float], ...]
    draws: int
    rule: Rule = "valid"

    def __call__(self, rng: np.random.Generator, size: int) -> Floats:
        """P-values (size, settings, tests)."""
        self._load(size)
        out = np.empty((size, len(self.settings), len(self.tests)))
        for row in range(size):
            for column, (n, effect) in enumerate(self.settings):
                sample = self.design(n, effect, rng)
                out[row, column] = ask(sample, self.tests, rng, draws=self.draws, rule=self.rule)
        return out

    def _load(self, size: int) -> None:
        """Load the compiled sums, same bits but faster, where many samples together repay it."""
        names: dict[object, str] = {Predicted: "permutation", Pair: "flips"}
        kind: Any = getattr(self.design, "kind", None)
        name = names.get(kind)
        if name is not None and any(uses_draws(test, kind) for test in self.tests):
            cases = size * sum(n for n, _ in self.settings)
            kernel(name, SELDOM_ALONE * cases * self.draws // STEPS)


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Where and how much is simulated."""

    replications: int = 1000
    alpha: float = 0.05
    draws: int = 999
    seed: int = 0
    rule: Rule = "valid"
    workers: Workers = 1
    executor: Executor | None = None
    store: Any = None
    progress: Progress | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        number("alpha", self.alpha, 0.0, 1.0, inside=True)
        whole("replications", self.replications, 1)
        whole("draws", self.draws, 1)
        one_of("rule", self.rule, get_args(Rule))
        settle(self, replications=int(self.replications), draws=int(self.draws))

    def p_values(self, work: Replications, seed: int | None = None) -> Floats:
        """All p-values (replications, settings, tests)."""
        settings = Resampling(
            draws=self.replications,
            seed=self.seed if seed is None else seed,
            workers=self.workers,
            executor=self.executor,
            store=self.store,
            progress=self.progress,
        )
        found = replicate_blocks(work, settings, block=BLOCK)
        assert not isinstance(found, dict)
        return found


def power(
    design: Design | str,
    tests: str | UserTest | Sequence[str | UserTest] | None = None,
    *,
    n: int | Sequence[int],
    effects: float | Sequence[float] | None = None,
    replications: int = 1000,
    alpha: float = 0.05,
    draws: int = 999,
    rng: int | np.random.Generator | None = None,
    rule: Rule = "valid",
    workers: Workers = 1,
    executor: Executor | None = None,
    store: Store | str | None = None,
    progress: Progress | None = None,
) -> PowerStudy:
    """How often each test would find the effect, in samples of each size.

    Parameters
    ----------
    design
        How data arise: one of those in `ac.studies`, or any function of (n, effect, rng) that
        returns a `Predicted`, `Pair` or `Groups`. The name of a measure alone asks for a
        calibrated model, `Binormal()`.
    tests
        Measures, each by the test that `assess` (one model) or `compare` (two) gives it; a test
        of the papers by its name (`studies.papers`: "binomial", "delong", …); or functions of
        (sample, rng) that return a p-value. Against chance all measures of a 2 × 2 table,
        accuracy too, have Fisher's test.
    replications
        Samples drawn in every setting; the standard error of a power is at most
        0.5/√replications.
    draws
        Permutations or sign flips of the tests that need them.
    rule
        "valid": p = (1 + k)/(draws + 1). "share": k/draws, a test of a slightly higher level,
        to repeat studies that used it.

    A known seed gives the same bits from one process or many. With a `store` a run that was
    stopped goes on, and one with more replications adds to it.

    References
    ----------
    Dinga et al., section 3; Rosenblatt et al. (2016).

    Examples
    --------
    >>> from abovechance.studies import GaussianPredictions
    >>> study = power(
    ...     GaussianPredictions(), ["accuracy"], n=80, effects=0.5, replications=400, rng=1
    ... )
    >>> cell = study.cells[0]
    >>> round(cell.reference, 3), abs(cell.z) < 3
    (0.448, True)
    """
    budget = Budget(
        replications=replications,
        alpha=alpha,
        draws=draws,
        seed=seed_of(rng),
        rule=rule,
        workers=workers,
        executor=executor,
        store=store,
        progress=progress,
    )
    design, tests = design_and_tests(design, tests)
    sizes, levels = sizes_of(n), effects_of(design, effects)
    last = (sizes[-1], levels[-1])
    asked = asked_of(design, tests, last, alpha=alpha, draws=draws, rule=rule, seed=budget.seed)
    settings = tuple((size, effect) for size in sizes for effect in levels)
    found = budget.p_values(Replications(design, asked.tests, settings, budget.draws, rule))
    rejected = np.sum(rejects(found, alpha), axis=0)
    cells = [
        said(
            cell_of(design, test, setting, int(rejected[i, j]), budget, asked.labels[j]),
            design,
            test,
            asked.kind,
        )
        for i, setting in enumerate(settings)
        for j, test in enumerate(asked.tests)
    ]
    return PowerStudy(
        cells=tuple(cells),
        alpha=alpha,
        draws=budget.draws,
        seed=budget.seed,
        digest=digest(found),
        title=f"Power, {name_of(design)}",
        advice=asked.advice,
        question=asked.question,
        **vars(facts_of(design)),
    )


def conditions(study: Any, cells: Sequence[Any], scale: str | None) -> str:
    """Effect, prevalence, threshold of predicted labels, sides and level of a study, in words."""
    found = []
    effects = dict.fromkeys(cell.effect for cell in cells)
    if scale is not None:
        found.append(f"effect: {scale} ({', '.join(f'{effect:g}' for effect in effects)})")
    if study.prevalence is not None:
        found.append(f"prevalence {study.prevalence:.3g}")
    if study.threshold is not None and any(_labels(cell.title) for cell in cells):
        found.append(f"labels positive above {study.threshold:g}")
    found.append(f"{sides({cell.alternative for cell in cells})}tests at level {study.alpha:g}")
    return ", ".join(found)


def _labels(title: str | None) -> bool:
    """Whether a test sees predicted labels."""
    return title is not None and title.startswith(("Fisher", "Binomial", "McNemar"))


def said(cell: Cell, design: Design, test: str | UserTest, kind: type) -> Cell:
    """The cell with its test and its setting in words."""
    return replace(
        cell,
        title=title_of(test, cell.statistic, kind),
        alternative=alternative_of(test, kind),
        setting=setting_of(design, cell.effect),
    )


def cell_of(
    design: Design,
    test: str | UserTest,
    setting: tuple[int, float],
    rejected: int,
    budget: Budget,
    label: str | None = None,
) -> Cell:
    """A cell with its Monte-Carlo interval, and the formula's value if there is one."""
    from abovechance.inference.intervals import wilson

    n, effect = setting
    times = budget.replications
    rate = rejected / times
    known = closed_form(
        design, test, n, effect, alpha=budget.alpha, draws=budget.draws, rule=budget.rule
    )
    return Cell(
        statistic=label or (test if isinstance(test, str) else name_of(test)),
        design=name_of(design),
        n=n,
        effect=effect,
        power=rate,
        se=standard_error(rejected, times),
        replications=times,
        reference=known.power if known else None,
        reference_se=0.0 if known else None,
        reference_method=known.method if known else None,
        z=distance(rejected, times, known.power) if known else None,
        interval=wilson(rejected, times),
    )


def standard_error(rejected: int, times: int) -> float:
    """Monte-Carlo standard error of a rate, from (x + ½)/(R + 1) so that it is never 0."""
    rate = (rejected + 0.5) / (times + 1)
    return float(np.sqrt(rate * (1 - rate) / times))


def distance(rejected: int, times: int, reference: float, runs: int | None = None) -> float:
    """Standard errors between a simulated rate and a reference.

    `runs` is how many simulations the reference itself rests on; None if it is a formula. The
    standard error is that of the pooled rate, (x + ½)/(R + 1). Where fewer than five rejections
    or non-rejections are expected the normal law is far off, and the exact mid-p value, binomial
    or hypergeometric, is turned into a z instead.

    >>> round(distance(520, 1000, 0.5), 2), round(distance(520, 1000, 0.5, 1000), 2)
    (1.26, 0.89)
    >>> round(distance(149, 150, 1.0, 4000), 2)
    -2.1
    """
    if runs is None:
        pooled = (reference * times + 0.5) / (times + 1)
        spread = pooled * (1 - pooled) / times
    else:
        pooled = (rejected + reference * runs + 0.5) / (times + runs + 1)
        spread = pooled * (1 - pooled) * (1 / times + 1 / runs)
    if times * min(pooled, 1 - pooled) < FEW:
        return _exact(rejected, times, reference, runs)
    return float((rejected / times - reference) / np.sqrt(spread))


def _exact(rejected: int, times: int, reference: float, runs: int | None) -> float:
    """The z whose tail is the exact mid-p value."""
    from scipy.special import ndtri
    from scipy.stats import binom, hypergeom

    if runs is None:
        law = binom(times, reference)
    else:
        law = hypergeom(times + runs, rejected + round(reference * runs), times)
    half = law.pmf(rejected) / 2
    lower, upper = law.cdf(rejected - 1) + half, law.sf(rejected) + half
    return float(ndtri(lower) if lower <= upper else -ndtri(upper))


def _flat(cell: Cell) -> dict[str, Any]:
    row = cell.to_dict()
    interval = row.pop("interval") or {"low": None, "high": None}
    return {**row, "low": interval["low"], "high": interval["high"]}
