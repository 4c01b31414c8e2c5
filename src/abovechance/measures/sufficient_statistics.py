"""Few weighted cases in the place of many, for measures that see no difference between them.

A measure that declares what suffices for its value (`Measure.sufficient`) is a function of a few
means over the cases: shares of the classes and a mean loss, or the first two moments of numbers.
The value of a resample is then that of a handful of cases made to have these means, and how much a
case moves the value follows from the derivatives by the means.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.measures.measure import Form, Measure, Statistic
from abovechance.numerics.counts import FAR, ROUNDING

LEAST_LOG = -15.0  # mean log probability below which one minus a probability loses digits
STEP = 1e-4  # of the standard error of a mean, for derivatives
PREVALENCE = "prevalence"


@dataclass(frozen=True, eq=False)
class Condensed:
    """What suffices of each case, (means, n), and the columns of cases that have given means.

    `rebuilt` takes means (…, means) and returns columns by name, with shares for weights; None
    where means have lost the digits of what they stand for.
    """

    columns: Floats
    rebuilt: Callable[[Floats], dict[str, Any] | None]

    def resampled(self, weight: Floats) -> dict[str, Any] | None:
        """The columns of few cases that stand for all, weighted (B, n)."""
        total = weight.sum(axis=-1, dtype=np.float64)
        with np.errstate(invalid="ignore"):  # nothing is left without the only case
            means = weight @ self.columns.T / total[:, None]
        found = self.rebuilt(means)
        if found is None:
            return None
        return {**found, "weight": found["weight"] * total[:, None]}

    @cached_property
    def means(self) -> Floats:
        return np.asarray(self.columns.mean(axis=1))

    @cached_property
    def _step(self) -> Floats:
        apart = (row - mean for row, mean in zip(self.columns, self.means, strict=True))
        squares = [float(np.einsum("n,n->", gap, gap)) for gap in apart]
        return np.asarray(STEP * np.sqrt(squares) / self.columns.shape[1])

    @cached_property
    def _sides(self) -> dict[str, Any] | None:
        steps = np.diag(self._step)
        return self.rebuilt(np.concatenate([self.means + steps, self.means - steps]))

    def slopes(self, value: Callable[[dict[str, Any]], Floats]) -> Floats | None:
        """Derivatives of a `value` of such columns by the means.

        None where it has none, as at the end of what it can reach.
        """
        step, made = self._step, self._sides
        if made is None:
            return None
        up, down = np.split(value(made), 2)
        found = np.divide(up - down, 2.0 * step, out=np.zeros(len(step)), where=step > 0)
        return np.asarray(found) if np.isfinite(found).all() else None

    def influence(self, value: Callable[[dict[str, Any]], Floats]) -> Floats | None:
        """How much each case moves it, were the cases equally heavy."""
        slopes = self.slopes(value)
        if slopes is None:
            return None
        found = slopes @ self.columns
        found -= slopes @ self.means
        found /= len(found)
        return found


def condensed(measure: Measure, sample: Any) -> Condensed | None:
    """What suffices of these cases for a measure; None where nothing less than all cases does."""
    if measure.form is not Form.SAMPLE or measure.dialect or measure.many_outputs:
        return None
    if measure.parameters.get("reference", PREVALENCE) != PREVALENCE:
        return None
    made = {
        Statistic.MOMENTS: _moments,
        Statistic.SQUARES: _squares,
        Statistic.LOGS: _logs,
        Statistic.CLASS_MEANS: _class_means,
    }.get(measure.sufficient)  # type: ignore[arg-type]
    if made is None or sample.columns:
        return None if made is None else made(sample)
    key = ("condensed", measure.sufficient)  # of cases as they are, found once
    if key not in sample.kept:
        sample.kept[key] = made(sample)
    return sample.kept[key]


def of_moments(measure: Measure, sample: Any) -> bool:
    """Whether the first two moments of every predicted number suffice."""
    plain = measure.form in (Form.SAMPLE, Form.LOSSES) and not measure.dialect
    return plain and sample.kind == "numeric" and measure.sufficient is Statistic.MOMENTS


def permuted_moments(outcome: Floats, value: Floats) -> dict[str, Any]:
    """Four cases for each row of outcomes (B, outputs, n) beside the same predictions."""
    every = []
    for observed, predicted in zip(np.moveaxis(outcome, -2, 0), value, strict=True):
        a, b = observed - observed[0, 0], predicted - predicted.mean()
        every.append(_beside(observed[0, 0], a, predicted, a @ b / len(predicted)))
    joined = {c: np.concatenate([one[c] for one in every], axis=-2) for c in ("outcome", "value")}
    return {**joined, "weight": every[0]["weight"]}


def moments_beside(outcome: Floats, value: Floats, covariance: Floats) -> dict[str, Any]:
    """The same of one row of outcomes (n) in orders of which the covariances are known (B)."""
    return _beside(outcome[0], (outcome - outcome[0])[None], value, covariance)


def _beside(start: float, a: Floats, value: Floats, covariance: Floats) -> dict[str, Any]:
    n = len(value)
    b = value - value.mean()
    mean_a = a.mean(axis=1)
    variance = np.einsum("bn,bn->b", a, a) / n - mean_a**2
    variance = np.where(variance > ROUNDING * np.abs(a).max() ** 2, variance, 0.0)
    other = float(b @ b) / n
    mean, variance, covariance = np.broadcast_arrays(start + mean_a, variance, covariance)
    found = four_points(
        np.stack([mean, mean - value.mean()], axis=-1),
        np.stack([variance, np.maximum(variance + other - 2.0 * covariance, 0.0)], axis=-1),
        variance - covariance,
    )
    return {**found, "weight": n * found["weight"]}


def _moments(sample: Any) -> Condensed | None:
    if sample.kind != "numeric" or sample.outputs > 1:
        return None
    outcome, value = sample.column("outcome")[0], sample.column("value")[0]
    pair = np.stack([outcome, outcome - value])
    offset = pair[:, :1] + (pair - pair[:, :1]).mean(axis=1, keepdims=True)
    a, e = pair - offset
    if not (np.isfinite(a).all() and np.isfinite(e).all()):
        return None
    largest = np.array([np.abs(a).max(), np.abs(e).max()])

    made = partial(_of_moments, offset[:, 0], largest)
    return Condensed(np.stack([a, e, a * a, e * e, a * e]), made)


def _of_moments(offset: Floats, largest: Floats, means: Floats) -> dict[str, Any] | None:
    centre = means[..., :2]
    spread = means[..., 2:4] - centre**2
    if (centre**2 > FAR * spread).any():
        return None
    spread = np.where(spread > ROUNDING * largest**2, spread, 0.0)
    together = means[..., 4] - centre[..., 0] * centre[..., 1]
    return four_points(centre + offset, spread, together)


def four_points(centre: Floats, spread: Floats, together: Floats) -> dict[str, Any]:
    """Numbers with these means (…, 2) of outcome and error, variances and covariance (…)."""
    along = np.sqrt(spread[..., 0])
    slanted = np.divide(together, along, out=np.zeros(along.shape), where=along > 0)
    across = np.sqrt(np.maximum(spread[..., 1] - slanted**2, 0.0))
    none = np.zeros(along.shape)
    outcome = np.stack([along, -along, none, none], axis=-1)
    error = np.stack([slanted, -slanted, across, -across], axis=-1)
    outcome = centre[..., :1] + np.sqrt(2.0) * outcome
    error = centre[..., 1:] + np.sqrt(2.0) * error
    return {
        "outcome": outcome[..., None, :],
        "value": (outcome - error)[..., None, :],
        "weight": np.full(outcome.shape, 0.25),
    }


def _classes(sample: Any) -> Floats:
    """Whether each case is of each class, (K, n)."""
    return np.asarray(sample.outcome == np.arange(sample.classes)[:, None], dtype=np.float64)


def _squares(sample: Any) -> Condensed | None:
    """Shares of the classes, and half of the squared distance summed over the classes."""
    if not sample.classes:
        return None
    member, p = _classes(sample), sample.column("probability")
    whole = np.stack([1.0 - p, p]) if sample.kind == "binary" else p
    losses = ((member - whole) ** 2).sum(axis=0) / 2.0
    return _of_shares(sample, member, losses, _of_squares)


def _logs(sample: Any) -> Condensed | None:
    """Shares of the classes, and the mean log of the probability of what happened."""
    if not sample.classes:
        return None
    with np.errstate(divide="ignore"):
        logs = np.log(sample.probability_given)
    if not logs.mean() > LEAST_LOG or not np.isfinite(logs).all():
        return None
    return _of_shares(sample, _classes(sample), logs, np.exp)


def _of_squares(mean: Floats) -> Floats:
    return np.asarray(1.0 - np.sqrt(mean))


def _of_shares(
    sample: Any, member: Floats, losses: Floats, given: Callable[[Floats], Floats]
) -> Condensed:
    """One case of each class, its own probability `given` by the mean loss, the rest the next's."""
    made = partial(_one_of_each, sample.classes, sample.kind == "binary", given)
    return Condensed(np.vstack([member, losses]), made)


def _one_of_each(
    k: int, binary: bool, given: Callable[[Floats], Floats], means: Floats
) -> dict[str, Any]:
    share, own = means[..., :k], given(means[..., k])
    outcome = np.arange(k)
    if binary:
        p = np.stack([1.0 - own, own], axis=-1)
        return {"outcome": outcome.astype(np.bool_), "probability": p, "weight": share}
    p = np.zeros((*own.shape, k, k))
    p[..., outcome, outcome] = own[..., None]
    p[..., (outcome + 1) % k, outcome] = 1.0 - own[..., None]
    return {"outcome": outcome, "probability": p, "weight": share}


def _class_means(sample: Any) -> Condensed | None:
    """Shares of two classes, and what probabilities add up to in each."""
    if sample.kind != "binary":
        return None
    member, p = _classes(sample), sample.column("probability")

    return Condensed(np.vstack([member, member * p]), _one_mean_each)


def _one_mean_each(means: Floats) -> dict[str, Any]:
    share, sums = means[..., :2], means[..., 2:]
    p = np.divide(sums, share, out=np.zeros(share.shape), where=share > 0)
    return {"outcome": np.array([False, True]), "probability": p, "weight": share}
