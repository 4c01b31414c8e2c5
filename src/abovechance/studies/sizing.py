"""How many cases: the size at which a test reaches a stated power, by a stochastic search."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real

import numpy as np

from abovechance import __version__
from abovechance.advice import Advice
from abovechance.errors import AboveChanceError
from abovechance.inference.results import Interval, Result
from abovechance.resampling import Executor, Store, Workers, digest, seed_of
from abovechance.resampling.streams import Progress
from abovechance.studies.asking import LEAST, Asked, aligned, asked_of, design_and_tests
from abovechance.studies.powering import Budget, Cell, cell_of, conditions, said
from abovechance.studies.samples import Design, UserTest, name_of, number, whole
from abovechance.studies.searching import BRACKET, FIRST, Answer, Meter, Search, least_size
from abovechance.studies.wording import alternative_of, facts_of, setting_of, title_of

LARGEST = 20_000
"""Where the search gives up."""


@dataclass(frozen=True, kw_only=True)
class Size(Result):
    """The number of cases one test needs.

    `n` is None when the largest size tried is not enough. `power` and `power_interval` come from
    fresh samples of that size; `interval` is the search's 95 % interval for n. `se` is None where
    power jumps past the target and no line can be fitted. `formula` is the size by formula from
    which on the power stays at the target. `title` and `setting` say the test and the design in
    words, `alternative` whether the test is one-sided ("greater") or two-sided.
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
    """The number of cases every test needs for the target power; `cells` are the powers there."""

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

    def __str__(self) -> str:
        title = f"Cases for a power of {self.target:g}, {self.sizes[0].design}; {self.conditions}"
        rows = [("test", "n", "95 % of the search", "power at n", "95 %", "n by formula")]
        for size in self.sizes:
            known = "" if size.formula is None else str(size.formula)
            if size.n is None or size.interval is None:
                rows.append((size.statistic, f"> {self.largest}", "", "", "", known))
                continue
            ends, power = f"{size.interval[0]} to {size.interval[1]}", f"{size.power:.3f}"
            checked = (power, str(size.power_interval), known)
            rows.append((size.statistic, str(size.n), ends, *checked))
        return f"{title}\n{aligned(rows)}"

    def to_csv(self) -> str:
        """One test a row."""
        from abovechance.io.export import to_csv_text

        rows = []
        for size in self.sizes:
            row = size.to_dict()
            low, high = row.pop("interval") or (None, None)
            row.pop("power_interval")
            rows.append({**row, "low": low, "high": high})
        return to_csv_text(rows)


def sample_size(
    design: Design | str,
    tests: str | UserTest | Sequence[str | UserTest] | None = None,
    *,
    effect: float,
    target: float = 0.8,
    alpha: float = 0.05,
    replications: int = 1000,
    draws: int = 999,
    largest: int = LARGEST,
    rng: int | np.random.Generator | None = None,
    workers: Workers = 1,
    executor: Executor | None = None,
    store: Store | str | None = None,
    progress: Progress | None = None,
) -> SampleSize:
    r"""How many cases each test needs to find the effect with the target power.

    Sizes are doubled until the power passes the target, or halved until it does not; then samples
    are drawn at sizes around the current answer and :math:`\Phi^{-1}(\text{power}) = a + b \sqrt
    n` is fitted to all of them, a form that holds nearly exactly for tests whose statistic is a
    mean. The stated error is that of the fit (delta method). `replications` samples are spent on
    the search for each test, and as many again on the power at the answer. An answer that these
    contradict is sought again; among few cases, where powers jump, sizes are tried one by one.

    References
    ----------
    Robbins & Monro (1951) for the idea of asking where the answer seems to be; the probit fit
    is the usual one of dose finding (Finney 1971).

    Examples
    --------
    >>> from abovechance.studies import Binormal
    >>> found = sample_size(Binormal(), ["auc"], effect=0.7, replications=300, rng=1)
    >>> found.sizes[0].formula, abs(found.sizes[0].n - 49) < 12
    (49, True)
    """
    budget = Budget(
        replications=replications,
        alpha=alpha,
        draws=draws,
        seed=seed_of(rng),
        workers=workers,
        executor=executor,
    )
    design, tests = design_and_tests(design, tests)
    _checked(effect, target, alpha, largest)
    effect, largest, seed = float(effect), int(largest), budget.seed
    first = (min(FIRST, largest), effect)
    asked = asked_of(design, tests, first, alpha=alpha, draws=draws, seed=seed)
    if store is not None:
        terms = _terms(design, asked, effect, target, budget)
        budget = replace(budget, store=_shared(store, terms))
    meter = Meter(progress, len(asked.tests), 4 * BRACKET + 2 * budget.replications)
    sizes: list[Size] = []
    cells: list[Cell] = []
    for test, label in zip(asked.tests, asked.labels, strict=True):
        least = least_size(design, test, effect, largest=largest, seed=seed)
        search = Search(design, test, label, effect, target, budget, least, largest, meter)
        formula, method = search.by_formula()
        answer = search.answer(formula)
        sizes.append(_said(_size(search, answer, formula, method), design, test, asked.kind))
        if answer is not None:
            cell = cell_of(design, test, (answer.n, effect), answer.found, budget, label)
            cells.append(said(cell, design, test, asked.kind))
        meter.finish()
    return SampleSize(
        sizes=tuple(sizes),
        cells=tuple(cells),
        target=target,
        alpha=alpha,
        seed=seed,
        largest=largest,
        advice=asked.advice,
        question=asked.question,
        **vars(facts_of(design)),
    )


def _said(size: Size, design: Design, test: str | UserTest, kind: type) -> Size:
    """The size with its test and its setting in words."""
    return replace(
        size,
        title=title_of(test, size.statistic, kind),
        alternative=alternative_of(test, kind),
        setting=setting_of(design, size.effect),
    )


def _checked(effect: float, target: float, alpha: float, largest: int) -> None:
    number("effect", effect)
    number("target", target)
    if not alpha < target < 1.0:
        raise AboveChanceError(f"target must lie between alpha and 1; got {target}.")
    whole("largest", largest, LEAST)


def _terms(
    design: Design, asked: Asked, effect: float, target: float, budget: Budget
) -> dict[str, object]:
    """What a store is for, so that a run that asks for something else is told what."""
    plain = {
        name: value
        for name, value in getattr(design, "__dict__", {}).items()
        if isinstance(value, str | Real)
    }
    terms = {
        "a search for sample sizes": "wanted",
        "abovechance": __version__,
        "design": name_of(design),
        "tests": ", ".join(asked.labels),
        "effect": effect,
        "target": target,
        "alpha": budget.alpha,
        "draws": budget.draws,
        "seed": budget.seed,
    }
    return {**plain, **terms, "task": digest(design, asked.tests, *terms.values())}


def _shared(store: Store | str, terms: dict[str, object]) -> Store:
    """The store of a whole search; a configuration that it comes with is kept."""
    given = store if isinstance(store, Store) else Store(store)
    return given if given.configuration is not None else replace(given, configuration=terms)


def _size(search: Search, answer: Answer | None, formula: int | None, method: str | None) -> Size:
    from abovechance.inference.intervals import wilson

    times = search.budget.replications
    return Size(
        statistic=search.label,
        design=name_of(search.design),
        effect=search.effect,
        target=search.target,
        n=None if answer is None else answer.n,
        se=None if answer is None else answer.error,
        interval=None if answer is None else answer.ends,
        power=None if answer is None else answer.found / times,
        power_interval=None if answer is None else wilson(answer.found, times),
        replications=times,
        formula=formula,
        formula_method=method,
    )
