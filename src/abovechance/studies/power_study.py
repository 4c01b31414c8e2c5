"""How often a test finds what is there: rejection rates by simulation, formulas beside them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Floats
from abovechance.errors import AboveChanceError, did_you_mean, listed
from abovechance.gate import gated
from abovechance.inference.results import Interval, Result
from abovechance.resampling import (
    child_seed,
    digest,
    replicate_blocks,
)
from abovechance.resampling.random_bits import STEPS, compiled_draws
from abovechance.settings import Progress, Rule, Settings, settled
from abovechance.studies.closed_forms import closed_form, level_of
from abovechance.studies.designs import (
    LEAST,
    Binormal,
    BinormalPair,
    CorrelatedModels,
    Design,
    GaussianPredictions,
    Groups,
    Logistic,
    Mixture,
    Pair,
    Pilot,
    Predicted,
    Sample,
    Scale,
    Shift,
    UserTest,
    facts_of,
    name_of,
    number,
    percent,
    setting_of,
)
from abovechance.studies.sample_tests import (
    KINDS,
    Battery,
    alternative_of,
    canonical,
    kind_in_words,
    kind_of,
    label_of,
    named,
    rejects,
    sides,
    title_of,
    uses_draws,
    usual_tests,
)
from abovechance.studies.trained import Trained, TrainedOnLess

DESIGNS: dict[str, Callable[[], Any]] = {
    design.name: design
    for design in (
        Binormal,
        BinormalPair,
        CorrelatedModels,
        GaussianPredictions,
        Logistic,
        Mixture,
        Scale,
        Shift,
        Trained,
        TrainedOnLess,
    )
}
"""Designs by their names, with their usual parameters."""

OneTest: TypeAlias = str | UserTest
Tests: TypeAlias = OneTest | Sequence[OneTest] | Mapping[str, OneTest]
"""One test, several, or several under names of one's own."""

USUAL_STATISTICS = ("hotelling", "hotelling_shrink", "srivastava_du", "lda.cv8")

RARE = 0.15  # how far the threshold may lie from the prevalence before that is worth a remark
UNEQUAL = 0.05  # how far the share of positives may lie from one half before that is worth a remark
LABELLED = ("fisher", "skill.accuracy", "binomial")
"""Tests against chance that see predicted labels only."""

BLOCK = 16  # replications that share a stream
SELDOM_ALONE = 64  # blocks in a study, when it has to be guessed
FEW = 5  # expected counts below which a z is taken from the exact law
OPTIMISM = Advice(
    "AC801",
    "these powers take the pilot's predictions at their word. A small pilot that looked good "
    "enough to go on is optimistic; an effect (--keep) of 0.8 or 0.5 shows the power of a model "
    "that keeps only that share of the signal.",
    "Albers & Lakens 2018",
)
MAJORITY = Advice(
    "AC803",
    "binomial tests accuracy against the share of the larger class, as the papers do; assess tests "
    "accuracy by Fisher's test, which has another power when the classes are unequal. To plan for "
    "assess, ask for accuracy.",
    "Dinga et al.",
)


@dataclass(frozen=True, kw_only=True)
class Cell(Result):
    """How often one test found the effect, in simulated samples of one size and one effect.

    Attributes
    ----------
    statistic
        The test: the measure it is about, its own name, or the name you gave it.
    design
        The name of the design that drew the samples.
    n
        Size of the samples, in cases (or as the design counts them, as those of one class).
    effect
        How strong the effect was, on the scale of the design.
    power
        Share of samples in which the test rejected, from 0 to 1.
    se
        Monte-Carlo standard error of the power, never 0.
    replications
        Number of samples.
    reference
        The power by formula, from 0 to 1; in a replication the paper's. None where there is none.
    reference_se
        Standard error of the reference: 0 of a formula; None without a reference.
    reference_method
        Which formula or figure the reference comes from, in words.
    z
        How many standard errors the simulation lies above the reference, or, negative, below;
        chance alone leaves it within ±2 in 19 of 20 cells. None without a reference.
    theory, theory_z
        In a replication, the power by formula and its z, beside the paper's; else None.
    interval
        95 % interval of the power by Wilson's method, for the error of simulation alone.
    title
        The test in words; None for statistics of two groups and tests of your own.
    alternative
        "greater" for a one-sided test, "two-sided" for one of two sides; None where not known.
    setting
        The design at this effect, in words.

    See Also
    --------
    PowerStudy : all cells of a study.
    power : makes them.

    Examples
    --------
    >>> cell = power("auc", n=40, auc=0.7, replications=200, rng=2).cells[0]
    >>> print(cell)
    auc, 40 cases, effect 0.7: power 0.710 [0.644 to 0.768]; 0.719 normal approximation
    >>> cell.title, cell.alternative, round(cell.z, 1)
    ('Mann–Whitney test of the AUC', 'greater', -0.3)
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

    def beside(self, published: float, runs: int, method: str) -> "Cell":
        """The cell with a published power as its reference; the formula's becomes its `theory`.

        Parameters
        ----------
        published
            The power to compare with.
        runs
            How many simulated samples it rests on.
        method
            Where it comes from, in words.

        Returns
        -------
        Cell
            The same power with another `reference`, `reference_se` and `z`.

        Examples
        --------
        >>> setting = {"design": "shift", "n": 40, "effect": 0.5}
        >>> cell = Cell(statistic="sd", **setting, power=0.5, se=0.05, replications=100)
        >>> round(cell.beside(0.6, 1000, "read from a figure").z, 2)
        -1.94
        """
        rate = (published * runs + 0.5) / (runs + 1)
        rejected = round(self.power * self.replications)
        return replace(
            self,
            reference=published,
            reference_se=float(np.sqrt(rate * (1 - rate) / runs)),
            reference_method=method,
            z=distance(rejected, self.replications, published, runs),
            theory=self.reference,
            theory_z=self.z,
        )

    def __str__(self) -> str:
        known = "" if self.reference is None else f"; {self.reference:.3f} {self.reference_method}"
        ends = "" if self.interval is None else f" [{self.interval}]"
        setting = f"{self.n} cases, effect {self.effect:g}"
        return f"{self.statistic}, {setting}: power {self.power:.3f}{ends}{known}"


@dataclass(frozen=True, kw_only=True)
class PowerStudy(Result, kind="power"):
    """How often tests found an effect in simulated samples, for each size and effect.

    Printed it is a table; `study.cell("auc", 40, 0.7)` is one of its cells.

    Attributes
    ----------
    cells
        A `Cell` for each test at each size and effect.
    alpha
        Level of the tests: the p-value up to which they reject.
    draws
        Permutations or sign flips of the tests that need them.
    digest
        A fingerprint of all p-values: two runs with the same one agree to the last bit.
    title
        What was studied, in a few words.
    remarks
        Of a replication, its departures from the paper; else none.
    findings
        Of a replication, what came of the comparison with the paper; else none.
    question
        What the tests are about: "one model against chance", "two models compared" or "two groups
        of rows".
    effect_scale
        What the effects are, as "AUC"; None where the design does not say.

    See Also
    --------
    power : makes it.
    SampleSize : the number of cases for a power instead.

    Examples
    --------
    >>> study = power("auc", n=[20, 40], auc=0.7, replications=100, rng=1)
    >>> [(cell.n, cell.power, round(cell.reference, 2)) for cell in study.cells]
    [(20, 0.49, 0.44), (40, 0.67, 0.72)]
    >>> study.conditions
    'effect: AUC (0.7), prevalence 0.5, one-sided tests at level 0.05'
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

    def rows(self) -> list[dict[str, Any]]:
        """The cells flat, as rows of a table."""
        return [_flat(cell) for cell in self.cells]

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


@gated
@settled
def power(
    design: Design | str | None = None,
    tests: Tests | None = None,
    *,
    n: int | Sequence[int] | None = None,
    effects: float | Sequence[float] | None = None,
    settings: Sequence[tuple[int, float]] | None = None,
    auc: float | Sequence[float] | None = None,
    versus: float | Sequence[float] | None = None,
    prevalence: float | None = None,
    correlation: float | None = None,
    **given: Any,
) -> PowerStudy:
    """How often each test would find the effect, in samples of each size.

    Parameters
    ----------
    design
        How data arise: one of those in `ac.studies` or its name ("binormal"); any function of
        (n, effect, rng) that returns a `Predicted`, `Pair` or `Groups`; or the name of a test
        alone, which is then studied in the plainest design it has: a calibrated model with half
        of the cases positive (`Binormal`), two of them (`BinormalPair`) for a comparison, two
        groups of rows (`Shift`) for a statistic of features.
    tests
        Measures, each by the test that `assess` (one model) or `compare` (two) gives it, or by
        another method as "auc=exchange"; a test of the papers by its name ("binomial", "delong",
        …); or functions of (sample, rng) that return a p-value. A mapping gives them names of your
        own. Against chance all measures of a 2 × 2 table, accuracy too, have Fisher's test.
    n
        Numbers of cases, one or several.
    effects
        How strong the effect is, on the scale of the design; without, the design's own.
    settings
        Pairs of a number of cases and an effect, instead of every n with every effect.
    auc, versus, prevalence, correlation
        A calibrated model in numbers instead of a design: its area under the ROC curve and the
        share of positives; with `versus`, the area of a second model on the same cases, whose
        scores correlate by `correlation` with the first's within each class.

    Returns
    -------
    PowerStudy
        A `Cell` for each test in each setting: power, Monte-Carlo interval and, where there is
        one, the power by formula. Printed, it states design, effects, prevalence, and whether
        tests are one-sided. Samples in which a test is not defined, for want of a class, count
        as not rejected, and `advice` says how many they were.

    Raises
    ------
    AboveChanceError
        If the design or a test is unknown, does not fit the other, or a number is out of range;
        the message says what to write instead.

    See Also
    --------
    sample_size : how many cases a test, or an interval of a given width, needs.
    abovechance.studies.closed_form : the power by formula alone.

    References
    ----------
    Dinga et al., section 3; Rosenblatt et al. (2016); for two areas Obuchowski & McClish (1997).

    Examples
    --------
    >>> for cell in power("auc", n=40, replications=100, rng=1).cells:
    ...     print(cell)
    auc, 40 cases, effect 0.6: power 0.2...
    auc, 40 cases, effect 0.7: power 0.8...
    auc, 40 cases, effect 0.8: power 0.9...
    >>> models = {"auc": 0.7, "versus": 0.8, "correlation": 0.5}
    >>> two = power(**models, tests="auc", n=100, replications=100, rng=1)
    >>> round(two.cells[0].reference, 2), abs(two.cells[0].z) < 3
    (0.51, True)
    """
    how = Settings.of("power", given)
    model = Model(auc, versus, prevalence, correlation)
    design, tests, effects = design_and_tests(design, tests, effects, model)
    pairs = _settings(design, n, effects, settings)
    chosen = chosen_tests(
        design, tests, pairs[-1], alpha=how.alpha, draws=how.flips, rule=how.rule, seed=how.seed
    )
    p = simulate(Replications(design, chosen.tests, pairs, how.flips, how.rule), how)
    rejected = np.sum(rejects(p, how.alpha), axis=0)
    cells = [
        described(
            cell_of(design, test, setting, int(rejected[i, j]), how, chosen.labels[j]),
            design,
            test,
            chosen.kind,
        )
        for i, setting in enumerate(pairs)
        for j, test in enumerate(chosen.tests)
    ]
    return PowerStudy(
        cells=tuple(cells),
        alpha=how.alpha,
        draws=how.flips,
        seed=how.seed,
        digest=digest(p),
        title=f"Power, {name_of(design)}",
        advice=(*chosen.advice, *undefined_p(p)),
        question=chosen.question,
        **vars(facts_of(design)),
    )


def _settings(design: Design, n: Any, effects: Any, settings: Any) -> tuple[tuple[int, float], ...]:
    """Every size with every effect, or the pairs that were given."""
    if settings is None:
        if n is None:
            raise AboveChanceError(
                "give n=, the number of cases, as n=40 or n=[40, 80]; "
                "ac.sample_size finds the number for a power."
            )
        return tuple(
            (size, effect) for size in sizes_of(n) for effect in effects_of(design, effects)
        )
    if n is not None or effects is not None:
        raise AboveChanceError("give either settings=, pairs of n and effect, or n= and effects=.")
    try:
        pairs = [(size, effect) for size, effect in settings]
    except (TypeError, ValueError):
        raise AboveChanceError(
            f"settings must be pairs of n and effect, as [(40, 0.7)]; got {settings!r}."
        ) from None
    if not pairs:
        raise AboveChanceError("settings must hold at least one pair of n and effect; got none.")
    return tuple((sizes_of(n)[0], effects_of(design, effect)[0]) for n, effect in pairs)


def undefined_p(p: Floats) -> tuple[Advice, ...]:
    """What to know where tests had no p-value: (replications, settings, tests)."""
    missing = int(np.isnan(p).any(axis=-1).sum())
    if not missing:
        return ()
    return (
        Advice(
            "AC804",
            f"a test was not defined in {missing} of {p.shape[0] * p.shape[1]} samples, as where "
            "all cases are of one class; these count as not rejected.",
        ),
    )


@dataclass(frozen=True)
class Model:
    """A calibrated model, or two, in numbers: what is given instead of a design."""

    auc: Any = None
    versus: Any = None
    prevalence: float | None = None
    correlation: float | None = None

    @property
    def given(self) -> list[str]:
        """The keywords that were given."""
        return [f"{name}=" for name, value in vars(self).items() if value is not None]

    def design(self, test: str | None = None) -> Design:
        """The design of this model; of a test's name alone, the plainest that has such a test."""
        if self.correlation is not None and self.versus is None:
            raise AboveChanceError(
                "correlation= is that of two models' scores; give versus=, the second one's AUC."
            )
        if self.versus is not None and self.auc is None:
            raise AboveChanceError("versus= is the second model's AUC; give auc=, the first one's.")
        share = 0.5 if self.prevalence is None else self.prevalence
        if self.versus is not None:
            alike = 0.5 if self.correlation is None else self.correlation
            return BinormalPair(auc=self.auc, prevalence=share, correlation=alike)
        if test is None or self.given:
            return Binormal(share)
        return _plainest(test)

    def effects(self, effects: Any) -> Any:
        """The effects: the areas given, unless effects are."""
        areas = self.auc if self.versus is None else self.versus
        if areas is not None and effects is not None:
            name = "auc=" if self.versus is None else "versus="
            raise AboveChanceError(f"{name} is the effect here; leave effect= or effects= out.")
        return effects if areas is None else areas


def _plainest(test: str) -> Design:
    """The design in which a test is studied when only the test is named."""
    plain: tuple[Any, ...] = (Binormal(), BinormalPair(), Shift())
    for design in plain:
        try:
            canonical(test, design.kind)
        except AboveChanceError:
            continue
        return design
    close = did_you_mean(test, (*DESIGNS, *usual_tests(Predicted)))
    raise AboveChanceError(
        f"{test!r} is neither a design nor a test{close or '.'} Write a design, as "
        'ac.studies.Binormal() or "binormal", or a test, as "auc".'
    )


def design_and_tests(
    design: Design | str | None, tests: Tests | None, effects: Any, model: Model
) -> tuple[Design, Tests | None, Any]:
    """The design, its tests and its effects, from objects, names, or a model in numbers."""
    if isinstance(design, str):
        name = design.lower().replace("_", " ")
        if name not in DESIGNS:
            if tests is not None:
                raise AboveChanceError(
                    "the first argument must be a design, as ac.studies.Binormal() or "
                    f"{listed([repr(known) for known in DESIGNS])}; got {design!r}. Several tests "
                    f"go into tests=, as tests=[{design!r}, …]."
                )
            return model.design(design), design, model.effects(effects)
        if not model.given:
            return DESIGNS[name](), tests, effects
        design = None if name in ("binormal", "binormal pair") else DESIGNS[name]()
    if design is None:
        if model.auc is None:
            raise AboveChanceError(
                'give a design, as ac.studies.Binormal(); a test, as "auc"; or auc=, the area '
                "under the ROC curve of a model in mind."
            )
        return model.design(), tests, model.effects(effects)
    if model.given:
        raise AboveChanceError(
            f"{' and '.join(model.given)} describe a calibrated model and {name_of(design)} is "
            "another design; leave the one or the other out."
        )
    return design, tests, effects


@dataclass(frozen=True)
class ChosenTests:
    """The tests of a study: as they are run, and under names of which no two are equal."""

    tests: tuple[OneTest, ...]
    labels: tuple[str, ...]
    kind: type
    advice: tuple[Advice, ...]

    @property
    def question(self) -> str:
        """What the tests are about, in words."""
        return KINDS[self.kind]


def chosen_tests(
    design: Design,
    tests: Tests | None,
    setting: tuple[int, float],
    *,
    alpha: float,
    draws: int,
    rule: Rule = "standard",
    seed: int = 0,
) -> ChosenTests:
    """The tests to run, checked; without any, the usual ones for the design.

    A design of one's own draws one sample first, to see of what kind its samples are.
    """
    if isinstance(design, type):
        raise AboveChanceError(f"give a design, not its class: {design.__name__}(…).")
    kind, share = getattr(design, "kind", None), _share(design)
    if tests is None:
        if kind is None:
            raise AboveChanceError("name the tests; a design of your own has no usual ones.")
        tests = USUAL_STATISTICS if kind is Groups else usual_tests(kind)
    if kind not in KINDS:
        sample = _one(design, setting, seed)
        kind = kind_of(sample)
        share = float(sample.positive.mean()) if isinstance(sample, Predicted) else share
    if isinstance(tests, Mapping):
        labels = tuple(tests)
        chosen = tuple(named(test, kind) for test in tests.values())
    else:
        given = [tests] if isinstance(tests, str) or callable(tests) else list(tests)
        # Of several names for one test the first stands for it.
        once = {_key(named(test, kind)): test for test in reversed(given)}
        kept = [once[key] for key in dict.fromkeys(_key(named(test, kind)) for test in given)]
        chosen = tuple(named(test, kind) for test in kept)
        labels = labels_of([label_of(t, kind) if isinstance(t, str) else t for t in kept])
    if not chosen:
        raise AboveChanceError("name at least one test.")
    _reachable(chosen, kind, alpha, draws, rule)
    return ChosenTests(chosen, labels, kind, _advice(design, chosen, labels, share))


def _key(test: OneTest) -> object:
    return test if isinstance(test, str) else id(test)


def _one(design: Design, setting: tuple[int, float], seed: int) -> Sample:
    sample = design(*setting, np.random.default_rng(child_seed(seed, "kind of design")))
    if not isinstance(sample, tuple(KINDS)):
        raise AboveChanceError(
            f"a design must return a Predicted, a Pair or Groups of abovechance.studies; "
            f"{name_of(design)} returned a {type(sample).__name__}."
        )
    return sample


def labels_of(tests: Sequence[str | UserTest]) -> tuple[str, ...]:
    """Names for a table; functions whose name is taken are numbered.

    >>> labels_of(["len", len, len])
    ('len', 'len (2)', 'len (3)')
    """
    taken = {test for test in tests if isinstance(test, str)}
    labels = []
    for test in tests:
        label = name = test if isinstance(test, str) else name_of(test)
        count = 1
        while not isinstance(test, str) and label in taken:
            count += 1
            label = f"{name} ({count})"
        taken.add(label)
        labels.append(label)
    return tuple(labels)


def _reachable(
    tests: Sequence[str | UserTest], kind: type, alpha: float, draws: int, rule: Rule
) -> None:
    """Refuse tests whose smallest p is above the level."""
    drawn = [str(test) for test in tests if uses_draws(test, kind)]
    if drawn and level_of(alpha, draws, rule) == 0.0:
        raise AboveChanceError(
            f"draws must be at least {ceil(1 / alpha) - 1} for a level of {alpha:g}: with {draws} "
            f"the smallest p of {', '.join(drawn)} is {1 / (draws + 1):.2g}. Raise draws, or leave "
            "out what needs them."
        )


def _share(design: object) -> float | None:
    """The share of positives where a design says it."""
    if isinstance(design, Binormal):
        return design.prevalence
    return float(design.positive.mean()) if isinstance(design, Pilot) else None


def _advice(
    design: Design,
    tests: Sequence[str | UserTest],
    labels: Sequence[str],
    share: float | None,
) -> tuple[Advice, ...]:
    """What to know about powers of these tests in this design."""
    advice = []
    if isinstance(design, Pilot):
        advice.append(OPTIMISM)
    labelled = [label for test, label in zip(tests, labels, strict=True) if test in LABELLED]
    threshold = design.threshold if isinstance(design, Binormal | Pilot) else share
    if labelled and share is not None and threshold is not None and abs(threshold - share) > RARE:
        advice.append(_far_threshold(labelled, threshold, share))
    if share is not None and abs(share - 0.5) > UNEQUAL and "binomial" in tests:
        advice.append(MAJORITY)
    return tuple(advice)


def _far_threshold(tests: Sequence[str], threshold: float, share: float) -> Advice:
    see = "sees" if len(tests) == 1 else "see"
    text = (
        f"{' and '.join(tests)} {see} labels only, positive above {threshold:g} although "
        f"{percent(share)} of the cases are positive; another threshold has other power."
    )
    return Advice("AC802", text)


def sizes_of(n: Any) -> tuple[int, ...]:
    """Sizes as whole numbers, from one or several, each once.

    >>> sizes_of(np.int64(40)), sizes_of([20, 40.0, 20])
    ((40,), (20, 40))
    """
    given = _several(n)
    for size in given:
        if isinstance(size, bool) or not isinstance(size, Real) or not float(size).is_integer():
            raise AboveChanceError(f"n must be a whole number of cases; got {size!r}.")
    sizes = tuple(dict.fromkeys(int(size) for size in given))
    if not sizes or min(sizes) < LEAST:
        raise AboveChanceError(f"samples must have at least {LEAST} cases; got n = {list(sizes)}.")
    return sizes


def effects_of(design: Design, effects: Any) -> tuple[float, ...]:
    """Effects as numbers, each once; without any, the usual ones of the design."""
    if effects is None:
        effects = getattr(design, "effects", None)
        if effects is None:
            raise AboveChanceError("give effects=; a design of your own has no usual ones.")
    given = _several(effects)
    for effect in given:
        number("an effect", effect)
    if not given:
        raise AboveChanceError("give at least one effect.")
    return tuple(dict.fromkeys(float(effect) for effect in given))


def _several(values: Any) -> list[Any]:
    """One value, or several, as a list."""
    single = isinstance(values, str | Real) or not isinstance(values, Iterable)
    return [values] if single else list(values)


def conditions(study: Any, cells: Sequence[Any], scale: str | None) -> str:
    """Effect, prevalence, threshold of predicted labels, sides and level of a study, in words."""
    parts = []
    effects = dict.fromkeys(cell.effect for cell in cells)
    if scale is not None:
        parts.append(f"effect: {scale} ({', '.join(f'{effect:g}' for effect in effects)})")
    if study.prevalence is not None:
        parts.append(f"prevalence {study.prevalence:.3g}")
    if study.threshold is not None and any(_labels(cell.title) for cell in cells):
        parts.append(f"labels positive above {study.threshold:g}")
    parts.append(f"{sides({cell.alternative for cell in cells})}tests at level {study.alpha:g}")
    return ", ".join(parts)


def _labels(title: str | None) -> bool:
    """Whether a test sees predicted labels."""
    return title is not None and title.startswith(("Fisher", "Binomial", "McNemar"))


@dataclass(frozen=True)
class Replications:
    """One replication draws a sample in every setting and runs every test on it."""

    design: Design
    tests: tuple[str | UserTest, ...]
    settings: tuple[tuple[int, float], ...]
    draws: int
    rule: Rule = "standard"

    def __call__(self, rng: np.random.Generator, size: int) -> Floats:
        """P-values (size, settings, tests)."""
        self._load(size)
        out = np.empty((size, len(self.settings), len(self.tests)))
        battery = None
        for row in range(size):
            for column, (n, effect) in enumerate(self.settings):
                sample = self.design(n, effect, rng)
                if battery is None or not isinstance(sample, battery.kind):
                    battery = Battery(self.tests, kind_of(sample), self.draws, self.rule)
                out[row, column] = battery.run(sample, rng)
        return out

    def _load(self, size: int) -> None:
        """Load the compiled sums, same bits but faster, where many samples together repay it."""
        kind: Any = getattr(self.design, "kind", None)
        if kind in (Predicted, Pair) and any(uses_draws(test, kind) for test in self.tests):
            cases = size * sum(n for n, _ in self.settings)
            compiled_draws(SELDOM_ALONE * cases * self.draws // STEPS)


def simulate(
    work: Callable[[np.random.Generator, int], Floats],
    settings: Settings,
    seed: int | None = None,
) -> Floats:
    """What the work returns of every replication, along the first axis."""
    drawn = replace(
        settings,
        draws=settings.replications,
        seed=settings.seed if seed is None else seed,
    )
    runs = replicate_blocks(work, drawn, block=BLOCK)
    assert not isinstance(runs, dict)
    return runs


@dataclass
class Meter:
    """Shows how far a search is, in samples; each test has its share when it has its answer."""

    tell: Progress | None
    tests: int
    each: int
    finished: int = 0
    spent: int = 0

    def listen(self) -> Progress | None:
        """For the samples of one size."""
        before = self.spent

        def heard(done: int, wanted: int) -> None:
            self.spent = before + done
            self.show()

        return None if self.tell is None else heard

    def finish(self) -> None:
        """A test has its answer."""
        self.finished, self.spent = self.finished + 1, 0
        self.show()

    def show(self) -> None:
        if self.tell is not None:
            done = self.finished * self.each + min(self.spent, self.each - 1)
            self.tell(min(done, self.tests * self.each), self.tests * self.each)


def described(row: Any, design: Design, test: OneTest, kind: type) -> Any:
    """A power or a size with its test and its setting in words."""
    return replace(
        row,
        title=title_of(test, row.statistic, kind),
        alternative=alternative_of(test, kind),
        setting=setting_of(design, row.effect),
    )


def cell_of(
    design: Design,
    test: str | UserTest,
    setting: tuple[int, float],
    rejected: int,
    settings: Settings,
    label: str | None = None,
) -> Cell:
    """A cell with its Monte-Carlo interval, and the formula's value if there is one."""
    from abovechance.inference.intervals import wilson

    n, effect = setting
    times = settings.replications
    rate = rejected / times
    known = closed_form(
        design, test, n, effect, alpha=settings.alpha, draws=settings.flips, rule=settings.rule
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
