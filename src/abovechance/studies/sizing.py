"""How many cases: the size at which a test reaches a stated power, by a stochastic search."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Bools, Floats
from abovechance.errors import AboveChanceError
from abovechance.inference.results import Interval, Result
from abovechance.resampling import Executor, Store, Workers, child_seed, digest, seed_of
from abovechance.resampling.streams import Progress
from abovechance.studies.closed_forms import closed_form
from abovechance.studies.powering import Budget, Cell, Replications, advice_for, cell_of, chosen
from abovechance.studies.samples import Design, UserTest, name_of

FIRST = 12
"""Where the search begins, in cases."""

LARGEST = 20_000
"""Where it gives up."""

SHARES = (0.8, 1.0, 1.25)
"""Sizes simulated around the current answer."""


@dataclass(frozen=True, kw_only=True)
class Size(Result):
    """The number of cases one test needs.

    `n` is None when the largest size tried is not enough. `power` and `power_interval` come from
    fresh samples of that size; `interval` is the search's 95 % interval for n. `formula` is the
    size by formula from which on the power stays at the target.
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


@dataclass(frozen=True, kw_only=True)
class SampleSize(Result):
    """The number of cases every test needs for the target power; `cells` are the powers there."""

    sizes: tuple[Size, ...]
    cells: tuple[Cell, ...]
    target: float
    alpha: float
    seed: int
    largest: int
    advice: tuple[Advice, ...] = ()

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
    design: Design,
    tests: Sequence[str | UserTest] | None = None,
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
    store: str | None = None,
    progress: Progress | None = None,
) -> SampleSize:
    r"""How many cases each test needs to find the effect with the target power.

    Sizes are doubled until the power passes the target; then samples are drawn at sizes around
    the current answer and :math:`\Phi^{-1}(\text{power}) = a + b \sqrt n` is fitted to all of
    them, a form that holds nearly exactly for tests whose statistic is a mean. The stated error
    is that of the fit (delta method). `replications` samples are spent on the search for each
    test, and as many again on the power at the answer.

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
    if not alpha < target < 1.0:
        raise AboveChanceError(f"target must lie between alpha and 1; got {target}.")
    asked, seed = chosen(design, tests), seed_of(rng)
    question = {"sample size of": digest(design, asked, effect, target, alpha, draws), "seed": seed}
    budget = Budget(
        replications=replications,
        alpha=alpha,
        draws=draws,
        seed=seed,
        workers=workers,
        executor=executor,
        store=None if store is None else Store(store, question),
    )
    sizes: list[Size] = []
    cells: list[Cell] = []
    for done, test in enumerate(asked):
        search = _Search(design, test, effect, target, budget, largest)
        size = search.answer()
        sizes.append(size)
        if size.n is not None and size.power is not None:
            found = round(size.power * replications)
            cells.append(cell_of(design, test, (size.n, effect), found, budget))
        if progress is not None:
            progress(done + 1, len(asked))
    return SampleSize(
        sizes=tuple(sizes),
        cells=tuple(cells),
        target=target,
        alpha=alpha,
        seed=seed,
        largest=largest,
        advice=advice_for(design),
    )


@dataclass(frozen=True)
class _Search:
    """The search for one test."""

    design: Design
    test: str | UserTest
    effect: float
    target: float
    budget: Budget
    largest: int

    @property
    def name(self) -> str:
        return self.test if isinstance(self.test, str) else name_of(self.test)

    def rejections(self, n: int, times: int, purpose: str) -> int:
        """How many of `times` fresh samples of size n are found."""
        work = Replications(self.design, (self.test,), ((n, self.effect),), self.budget.draws)
        seed = child_seed(self.budget.seed, self.name, purpose, n)
        found = replace(self.budget, replications=times).p_values(work, seed)
        return int((found <= self.budget.alpha).sum())

    def answer(self) -> Size:
        formula, method = self.by_formula()
        points = self.bracket(formula)
        if points is None:
            return self.size(None, None, None, formula, method)
        rounds, each = 4, max(8, self.budget.replications // (4 * len(SHARES)))
        for turn in range(rounds):
            centre = self.crossing(points)[0]
            for share in SHARES:
                n = int(np.clip(round(centre * share), 4, self.largest))
                points.append((n, self.rejections(n, each, f"round {turn}"), each))
        found, error = self.crossing(points)
        low, high = found - 1.96 * error, min(found + 1.96 * error, self.largest)
        ends = (max(4, int(np.floor(low))), int(np.ceil(high)))
        return self.size(int(np.ceil(found)), float(error), ends, formula, method)

    def bracket(self, guess: int | None) -> list[tuple[int, int, int]] | None:
        """Sizes from too few to enough, doubling; None if even the largest is too few."""
        times = 64
        n = FIRST if guess is None else max(FIRST, guess // 2)
        points = [(n, self.rejections(n, times, "bracket"), times)]
        while points[-1][1] / times < min(self.target + 0.1, 0.97):
            if points[-1][0] >= self.largest:
                return points if points[-1][1] / times >= self.target else None
            n = min(2 * points[-1][0], self.largest)
            points.append((n, self.rejections(n, times, "bracket"), times))
        return points

    def crossing(self, points: list[tuple[int, int, int]]) -> tuple[float, float]:
        """Where the fitted power meets the target, and its standard error."""
        from scipy.special import ndtri

        n, rejected, times = (
            np.array(column, dtype=np.float64) for column in zip(*points, strict=True)
        )
        near = _near(rejected / times, self.target)
        (a, b), covariance = probit_line(np.sqrt(n[near]), rejected[near], times[near])
        if b <= 0:
            return float(n[np.argmin(np.abs(rejected / times - self.target))]), float("inf")
        root = (ndtri(self.target) - a) / b
        slope = np.array([-1.0, -root]) / b
        error = float(np.sqrt(slope @ covariance @ slope))
        root = max(root, 2.0)
        return float(np.clip(root**2, 4, self.largest)), 2 * root * error

    def by_formula(self) -> tuple[int | None, str | None]:
        """The size by formula: above it the power stays at the target for a while."""
        found = closed_form(self.design, self.test, FIRST, self.effect, alpha=self.budget.alpha)
        if found is None:
            return None, None
        return smallest(self.known, self.target, self.largest), found.method

    def known(self, n: int) -> float:
        """Power by formula."""
        budget = self.budget
        found = closed_form(
            self.design, self.test, n, self.effect, alpha=budget.alpha, draws=budget.draws
        )
        return found.power if found else 0.0

    def size(
        self,
        n: int | None,
        error: float | None,
        ends: tuple[int, int] | None,
        formula: int | None,
        method: str | None,
    ) -> Size:
        from abovechance.inference.intervals import wilson

        times, found = self.budget.replications, None
        if n is not None:
            found = self.rejections(n, times, "answer")
        return Size(
            statistic=self.name,
            design=name_of(self.design),
            effect=self.effect,
            target=self.target,
            n=n,
            se=error,
            interval=ends,
            power=None if found is None else found / times,
            power_interval=None if found is None else wilson(found, times),
            replications=times,
            formula=formula,
            formula_method=method,
        )


def smallest(power: Callable[[int], float], target: float, largest: int) -> int | None:
    """The size from which on a power that grows, perhaps in teeth, stays at the target.

    >>> smallest(lambda n: n / 100 - (n % 3 == 0) * 0.02, 0.8, 1000)
    82
    """
    low, high = 4, 8
    while power(high) < target:
        low, high = high, 2 * high
        if high > largest:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= target else (middle, high)
    # Discrete tests saw: take the first size after the last tooth below the target.
    width = max(8, high // 5)
    below = [n for n in range(max(4, high - width), high + width) if power(n) < target]
    return max(below, default=high - 1) + 1


def probit_line(x: Floats, hits: Floats, times: Floats) -> tuple[Floats, Floats]:
    """Fit Φ⁻¹(rate) = a + bx to counts: the coefficients and their covariance."""
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
        line = line + step
        if np.abs(step).max() < 1e-8:
            break
    return np.asarray(line, dtype=np.float64), np.asarray(np.linalg.inv(information))


def _near(rate: Floats, target: float) -> Bools:
    """Points whose rate is near enough to the target for a straight line, at least three."""
    from scipy.special import ndtri

    gap = np.abs(ndtri(np.clip(rate, 0.002, 0.998)) - ndtri(target))
    return np.asarray(gap <= max(1.5, np.sort(gap)[min(2, gap.size - 1)]))
