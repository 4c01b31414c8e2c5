"""Posterior of balanced accuracy: mean, P(above chance) and 95% interval, to 1e-10."""

import sys
from collections.abc import Iterator

import harness
import numpy as np
from harness import Race, race
from scipy import integrate, optimize, special, stats

import abovechance.inference.posterior as posterior

LEVELS = (0.025, 0.975)
TABLES = {
    "45 + 10 cases": [[5, 5], [2, 43]],
    "70 + 70 cases": [[67, 3], [2, 68]],
    "10 + 12 cases, no error": [[12, 0], [0, 10]],
    "1e4 + 1e3 cases": [[700, 300], [900, 9_100]],
    "1e6 + 1e6 cases": [[790_000, 210_000], [50_000, 950_000]],
}
MORE = {3: 20, 5: 50, 10: 20, 100: 20}

Answer = tuple[float, float, float, float]


def ours(table: list[list[int]]) -> Answer:
    found = posterior.balanced_accuracy(table)
    limits = found.interval()
    return found.mean, found.prob_above(found.chance or 0.5), limits.low, limits.high


def by_quadrature(table: list[list[int]], density, distribution) -> Answer:
    """The convolution integral by adaptive quadrature, its inverse by root finding."""
    (a, b), (c, d) = (table[0][0] + 1, table[0][1] + 1), (table[1][1] + 1, table[1][0] + 1)
    spread = np.sqrt(a * b / (a + b + 1)) / (a + b), np.sqrt(c * d / (c + d + 1)) / (c + d)
    first, second = ((a, b), (c, d)) if spread[0] < spread[1] else ((c, d), (a, b))
    pdf, cdf = density(*first), distribution(*second)
    centre, width = first[0] / sum(first), min(spread)
    # Adaptive quadrature would miss a peak a thousandth as wide as its interval.
    near = [p for z in (-9, -3, 0, 3, 9) if 0 < (p := centre + z * width) < 1]

    def below(x: float) -> float:
        inside = [p for p in near if p < 2 * x]
        return integrate.quad(
            lambda t: pdf(t) * cdf(2 * x - t),
            0.0,
            min(1.0, 2 * x),
            points=inside or None,
            epsabs=1e-12,
            epsrel=1e-12,
            limit=200,
        )[0]

    mean = (a / (a + b) + c / (c + d)) / 2
    limits = [optimize.brentq(lambda x, q=q: below(x) - q, 1e-9, 1.0, xtol=1e-12) for q in LEVELS]
    return mean, 1.0 - below(0.5), limits[0], limits[1]


def with_scipy_stats(table: list[list[int]]) -> Answer:
    return by_quadrature(
        table, lambda a, b: stats.beta(a, b).pdf, lambda a, b: stats.beta(a, b).cdf
    )


def with_bare_functions(table: list[list[int]]) -> Answer:
    def density(a: float, b: float):
        constant = -special.betaln(a, b)
        return lambda t: np.exp(special.xlogy(a - 1, t) + special.xlog1py(b - 1, -t) + constant)

    return by_quadrature(
        table, density, lambda a, b: lambda t: special.betainc(a, b, min(max(t, 0.0), 1.0))
    )


def with_draws(table: list[list[int]]) -> Answer:
    """A million draws: three digits."""
    rng = np.random.default_rng(0)
    total = sum(rng.beta(row[k] + 1, sum(row) - row[k] + 1, 10**6) for k, row in enumerate(table))
    mean = total / len(table)
    low, high = np.quantile(mean, LEVELS)
    return float(mean.mean()), float((mean > 1 / len(table)).mean()), float(low), float(high)


def agree(first: Answer, second: Answer) -> None:
    # The peers' densities are themselves good to 1e-10 only, for a million cases.
    np.testing.assert_allclose(first, second, rtol=0, atol=3e-10)


def roughly(first: Answer, second: Answer) -> None:
    np.testing.assert_allclose(first, second, rtol=0, atol=3e-3)


def two_classes() -> Iterator[Race]:
    for name, table in TABLES.items():
        work = f"two classes, {name}"
        peers = {
            "scipy.stats, quad, brentq": lambda table=table: with_scipy_stats(table),
            "bare functions, quad, brentq": lambda table=table: with_bare_functions(table),
        }
        floors = {"scipy.stats, quad, brentq": 500}
        yield from race(
            work, lambda table=table: ours(table), peers, agree=agree, floors=floors, rounds=3
        )


def more_classes() -> Iterator[Race]:
    rng = np.random.default_rng(1)
    for classes, cases in MORE.items():
        table = np.zeros((classes, classes), dtype=int)
        table[np.arange(classes), np.arange(classes)] = cases
        moved = rng.integers(1, cases // 4, classes)
        table[np.arange(classes), np.arange(classes)] -= moved
        table[np.arange(classes), (np.arange(classes) + 1) % classes] += moved
        rows = table.tolist()
        yield from race(
            f"{classes} classes of {cases}",
            lambda rows=rows: _without_chance(ours(rows)),
            {"a million draws": lambda rows=rows: _without_chance(with_draws(rows))},
            agree=roughly,
            rounds=3,
        )


def _without_chance(answer: Answer) -> Answer:
    """Chance is judged under another prior with more than two classes."""
    return answer[0], 0.0, *answer[2:]


def races() -> Iterator[Race]:
    yield from two_classes()
    yield from more_classes()


if __name__ == "__main__":
    sys.exit(harness.main("posterior", "Posterior of balanced accuracy", races, ["scipy"]))
