"""What the papers say in words, checked on the simulated powers."""

from collections.abc import Sequence

import numpy as np

from abovechance.studies import PowerStudy

OTHERS = ("AUC", "Brier", "log")
ENOUGH = 0.8


def shortfall(powers: PowerStudy) -> tuple[str, ...]:
    """How much power accuracy has where the other measures have 80 %, at every effect.

    The paper: "where the others reach 80 % accuracy has about 60 %". Between two sizes the
    power is read from a straight line of its probit against √n.
    """
    sentences = []
    for effect in sorted({cell.effect for cell in powers.cells}):
        sizes, others = _mean_power(powers, OTHERS, effect)
        _, accuracy = _mean_power(powers, ("accuracy",), effect)
        if not others or not accuracy:
            continue
        n = where(sizes, others, ENOUGH)
        if n is not None:
            there = at(sizes, accuracy, n)
            sentences.append(
                f"Where AUC, Brier and log score have {ENOUGH:.0%} power on average (n ≈ {n:.0f}, "
                f"effect {effect:g}), accuracy has {there:.0%}."
            )
    return tuple(sentences)


def least_power(powers: PowerStudy) -> tuple[str, ...]:
    """In how many settings accuracy finds the better model least often."""
    settings = dict.fromkeys((cell.n, cell.effect) for cell in powers.cells if cell.effect)
    lowest = whole = 0
    for n, effect in settings:
        here = {c.statistic: c.power for c in powers.cells if (c.n, c.effect) == (n, effect)}
        if "accuracy" in here and len(here) > 1:
            whole += 1
            lowest += here["accuracy"] <= min(here.values())
    if not whole:
        return ()
    return (f"Accuracy has the least power, alone or tied, in {lowest} of {whole} settings.",)


def where(sizes: Sequence[int], powers: Sequence[float], target: float) -> float | None:
    """The size at which a power passes a target, or None if it does not between the sizes.

    >>> where([80, 140], [0.7, 0.9], 0.8)
    103.1
    """
    for i in range(len(sizes) - 1):
        if powers[i] < target <= powers[i + 1]:
            ends = _probit([powers[i], powers[i + 1]])
            share = (_probit([target])[0] - ends[0]) / (ends[1] - ends[0])
            roots = np.sqrt(sizes[i : i + 2])
            return float((roots[0] + share * (roots[1] - roots[0])) ** 2)
    return None


def at(sizes: Sequence[int], powers: Sequence[float], n: float) -> float:
    """The power at a size between those tried."""
    from scipy.special import ndtr

    return float(ndtr(np.interp(np.sqrt(n), np.sqrt(sizes), _probit(powers))))


def _probit(powers: Sequence[float]) -> np.ndarray:
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(powers, 0.001, 0.999)))


def _mean_power(
    powers: PowerStudy, statistics: Sequence[str], effect: float
) -> tuple[list[int], list[float]]:
    """Sizes, and the mean power of some statistics at each."""
    cells = [c for c in powers.cells if c.effect == effect and c.statistic in statistics]
    sizes = sorted({cell.n for cell in cells})
    return sizes, [float(np.mean([c.power for c in cells if c.n == n])) for n in sizes]
