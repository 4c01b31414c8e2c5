"""Two models on the same cases: sign flips of losses, and DeLong's test of two areas."""

import sys
from collections.abc import Iterator
from functools import partial

import harness
import numpy as np
from harness import Race, race
from scipy import stats

import abovechance as ac

DRAWS = 10_000


def two_models(n: int, rng: np.random.Generator) -> tuple[ac.Binary, ac.Binary]:
    """Models that share most of their signal, with an outcome in three of ten cases."""
    y = rng.random(n) < 0.3
    common = rng.normal(size=n) + 1.5 * y - 1.3
    p = 1 / (1 + np.exp(-(common + 0.5 * rng.normal(size=(2, n)))))
    return ac.Binary(y, probability=p[0]), ac.Binary(y, probability=p[1])


def flipped(first: ac.Binary, second: ac.Binary) -> float:
    """The whole comparison of two Brier scores: checks, losses, flips, p-value."""
    return ac.significance.sign_flip(first, second, "brier", draws=DRAWS, rng=1).p_value


def flipped_by_scipy(first: ac.Binary, second: ac.Binary) -> float:
    y = first.positive
    d = (y - first.probability) ** 2 - (y - second.probability) ** 2
    return stats.permutation_test(
        (d,),
        np.mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=DRAWS,
        batch=max(1, 10**6 // d.size),
        rng=1,
    ).pvalue


def same_p(ours: float, theirs: float) -> None:
    """Two Monte Carlo estimates of one p-value."""
    error = np.sqrt(2 * max(ours * (1 - ours), 1e-4) / DRAWS)
    assert abs(ours - theirs) < 4.5 * error, (ours, theirs)


def delong(first: ac.Binary, second: ac.Binary) -> tuple[float, float]:
    found = ac.significance.delong(first, second)
    return abs(found.statistic), found.p_value


def delong_by_mlstatkit(first: ac.Binary, second: ac.Binary) -> tuple[float, float]:
    from MLstatkit import Delong_test

    z, p, *_ = Delong_test(first.positive.astype(int), first.probability, second.probability)
    return abs(z), p


def same_z(ours: tuple[float, float], theirs: tuple[float, float]) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def two_sorts(first: ac.Binary, second: ac.Binary) -> None:
    np.sort(first.probability)
    np.sort(second.probability)


def races() -> Iterator[Race]:
    rng = np.random.default_rng(20_240_604)
    for n, floor, rounds in ((10_000, 500, 1), (1_000, None, 3)):
        pair = two_models(n, rng)
        yield from race(
            f"Brier scores by 1e4 sign flips, n = {n:.0e}, checks included",
            partial(flipped, *pair),
            {"scipy.stats.permutation_test": partial(flipped_by_scipy, *pair)},
            agree=same_p,
            floors={"scipy.stats.permutation_test": floor} if floor else None,
            rounds=rounds,
        )
    for n, floor in ((1_000, None), (10_000, 20), (100_000, 20), (1_000_000, 20)):
        pair = two_models(n, rng)
        work = f"paired DeLong, n = {n:.0e}, checks included"
        yield from race(
            work,
            partial(delong, *pair),
            {"MLstatkit": partial(delong_by_mlstatkit, *pair)},
            agree=same_z,
            floors={"MLstatkit": floor} if floor else None,
            rounds=3,
        )
        bound = {"two np.sort": partial(two_sorts, *pair)}
        yield from race(work, partial(delong, *pair), bound, agree=None)


if __name__ == "__main__":
    title = "Comparisons against scipy and MLstatkit"
    sys.exit(harness.main("comparison", title, races, ("scipy", "MLstatkit", "numba")))
