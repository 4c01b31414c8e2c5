"""The search for a size: where the power of one test meets the target."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, floor, isfinite
from typing import NamedTuple

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.errors import NotApplicable
from abovechance.inference.results import Interval
from abovechance.resampling import child_seed
from abovechance.resampling.replicate import Progress
from abovechance.studies.asking import LEAST
from abovechance.studies.closed_forms import closed_form
from abovechance.studies.powering import Budget, Replications
from abovechance.studies.questions import ask, rejects
from abovechance.studies.samples import Design, UserTest

FIRST = 12
"""Where the search begins, in cases."""

SHARES = (0.8, 1.0, 1.25)
"""Sizes simulated around the current answer."""

ROUNDS = 4
"""How often the answer is sought again."""

BRACKET = 64
"""Samples of each size on the way to the first answer."""

SMALL = 32
"""Up to so many cases powers jump from one size to the next, and the answer is tried one by one."""

CLEARLY = 0.999
"""Level at which samples rule out a size."""

Point = tuple[int, int, int]
"""A size, how many samples were found, and of how many."""


class Answer(NamedTuple):
    """A size with the error of the search, its interval, and how many fresh samples were found."""

    n: int
    error: float | None
    ends: tuple[int, int]
    found: int


@dataclass
class Meter:
    """Tells how far a search is, in samples; a test has its share when it has its answer."""

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


@dataclass(frozen=True)
class Search:
    """The search for one test, among sizes from `least` to `largest`."""

    design: Design
    test: str | UserTest
    label: str
    effect: float
    target: float
    budget: Budget
    least: int
    largest: int
    meter: Meter

    def rejections(self, n: int, times: int, purpose: str) -> int:
        """How many of `times` fresh samples of size n are found."""
        work = Replications(self.design, (self.test,), ((n, self.effect),), self.budget.draws)
        seed = child_seed(self.budget.seed, self.label, purpose, n)
        budget = replace(self.budget, replications=times, progress=self.meter.listen())
        return int(rejects(budget.p_values(work, seed), budget.alpha).sum())

    def answer(self, guess: int | None) -> Answer | None:
        """The size, or None if the largest is not enough."""
        points = self.bracket(guess)
        if points is None:
            return None
        each = max(8, self.budget.replications // (ROUNDS * len(SHARES)))
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
        """Fresh samples of size n, as many as are asked for."""
        times = self.budget.replications
        return n, self.rejections(n, times, "answer"), times

    def falls_short(self, point: Point) -> bool:
        """Whether samples contradict the target; where none was found there may be no power."""
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
        """Standard error and 95 % interval of the size; no error where no line can be told."""
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
        for n, found, tried in points:
            _, before, earlier = seen.get(n, (n, 0, 0))
            seen[n] = n, before + found, earlier + tried
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

    def by_formula(self) -> tuple[int | None, str | None]:
        """The size by formula: above it the power stays at the target for a while."""
        found = closed_form(self.design, self.test, self.least, self.effect)
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


def least_size(
    design: Design, test: str | UserTest, effect: float, *, largest: int, seed: int
) -> int:
    """The fewest cases in which a test is defined; one that never is up to `largest` is refused."""

    def refusal(n: int) -> str:
        rng = np.random.default_rng(child_seed(seed, "least size", n))
        try:
            ask(design(n, effect, rng), (test,), rng, draws=1)
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


def smallest(power: Callable[[int], float], target: float, largest: int) -> int | None:
    """The size from which on a power that grows, perhaps in teeth, stays at the target.

    >>> smallest(lambda n: n / 100 - (n % 3 == 0) * 0.02, 0.8, 1000)
    82
    """
    low, high = LEAST - 1, min(2 * LEAST, largest)
    while power(high) < target:
        if high >= largest:
            return None
        low, high = high, min(2 * high, largest)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= target else (middle, high)
    # Discrete tests saw: take the first size after the last tooth below the target.
    width = max(8, high // 5)
    below = [n for n in range(max(LEAST, high - width), high + width) if power(n) < target]
    found = max(below, default=high - 1) + 1
    return found if found <= largest else None


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
