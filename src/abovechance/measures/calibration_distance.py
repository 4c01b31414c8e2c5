"""How far observed frequencies are from predicted probabilities, along a smooth curve.

The curve is the local regression of outcomes on probabilities, that of R's `loess(y ~ p)` with
default settings, evaluated at every case. Like all distances these are greater than 0 by chance
alone; compare them with what is expected of right probabilities (`assess` shows it).
"""

from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.measures.calibration_error import ERROR
from abovechance.measures.measure import Form, measure
from abovechance.numerics import smooth as robust
from abovechance.numerics.smooth import SPAN, Smoother, loess

KEPT = 1 << 22  # weights of a smoother that is kept for other measures and outcomes
SMOOTHERS = ("loess", "direct", "lowess")
DISTANCE: dict[str, Any] = {
    **ERROR,
    "form": Form.DRAWS,
    "weighted": False,
    "takes_batches": True,
    "range": (0.0, np.inf),  # a smooth curve may leave [0, 1]
    "source": "Austin & Steyerberg (2019)",
}


def sample_distances(sample: Any, places: Any = None, **how: Any) -> Floats:
    """Distances of the curve of a sample (…, n), of several classes (…, K, n).

    Curves are linear in the outcomes, so one smoother per class serves all samples that have the
    same predictions. `places`: where the curve is compared with the diagonal, at every case unless
    stated.
    """
    outcome, probability = sample.outcome, sample.column("probability")
    if sample.kind != "multiclass":
        return _along(sample, 0, outcome, probability, places, how)
    each = [
        _along(
            sample,
            k,
            outcome == k,
            probability[..., k, :],
            None if places is None else places[k],
            how,
        )
        for k in range(sample.classes)
    ]
    return np.stack(each, axis=-2)


def _along(
    sample: Any, k: int, outcome: Any, probability: Floats, places: Any, how: dict[str, Any]
) -> Floats:
    observed = outcome.astype(np.float64)
    if probability.ndim > 1:
        shape = np.broadcast_shapes(observed.shape, probability.shape)
        rows = (np.broadcast_to(c, shape).reshape(-1, shape[-1]) for c in (observed, probability))
        found = [distances(y, p, **how) for y, p in zip(*rows, strict=True)]
        return np.reshape(found, shape)
    if how["smoother"] == "lowess":
        return distances(observed, probability, **how)
    key = (k, *how.values())
    curve = sample.kept.get(key) or smoother_of(probability, **how)
    if curve.rows.size <= KEPT:
        sample.kept[key] = curve
    at = probability if places is None else places
    return np.abs(curve.curve(observed, at) - at)


def _mean(distance: Floats) -> Floats:
    return np.asarray(distance.mean(axis=-1))


def _median(distance: Floats) -> Floats:
    return np.asarray(np.median(distance, axis=-1))


def _nine_tenths(distance: Floats) -> Floats:
    return np.asarray(np.quantile(distance, 0.9, axis=-1))


def _largest(distance: Floats) -> Floats:
    return np.asarray(distance.max(axis=-1))


@measure(
    title="Integrated calibration index",
    aliases=("integrated_calibration_index", "eavg"),
    **DISTANCE,
    distances=sample_distances,
    of_distances=_mean,
)
def ici(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    smoother: str = "loess",
    span: float | None = None,
) -> Floats:
    r"""Mean distance of predicted probability and observed frequency, along a smooth curve.

    .. math:: \frac{1}{n} \sum_i |\hat f(p_i) - p_i|

    `smoother="direct"` evaluates the local regression :math:`\hat f` at every case rather than
    between borders of cells as R does by default; `smoother="lowess"` is the curve of rms's
    `val.prob`, where this is called Eavg. With several classes: one against the rest, averaged.

    Parameters
    ----------
    smoother
        How the curve is fitted: "loess" as R does, "direct" without its interpolation, or "lowess".
    span
        Share of the cases that each local fit reads; chosen from their number when not given.

    Examples
    --------
    >>> ici([0, 1, 0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    0.114
    """
    return _mean(distances(outcome, probability, smoother=smoother, span=span))


@measure(
    title="Median calibration distance",
    **DISTANCE,
    distances=sample_distances,
    of_distances=_median,
)
def e50(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    smoother: str = "loess",
    span: float | None = None,
) -> Floats:
    """Median distance of predicted probability and observed frequency along the curve of `ici`.

    Parameters
    ----------
    smoother
        How the curve is fitted: "loess" as R does, "direct" without its interpolation, or "lowess".
    span
        Share of the cases that each local fit reads; chosen from their number when not given.

    Examples
    --------
    >>> e50([0, 1, 0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    0.101
    """
    return _median(distances(outcome, probability, smoother=smoother, span=span))


@measure(
    title="90 % calibration distance",
    **DISTANCE,
    distances=sample_distances,
    of_distances=_nine_tenths,
)
def e90(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    smoother: str = "loess",
    span: float | None = None,
) -> Floats:
    """Distance of probability and frequency that 90 % of the cases do not exceed; curve of `ici`.

    The quantile interpolates linearly between order statistics (R's type 7).

    Parameters
    ----------
    smoother
        How the curve is fitted: "loess" as R does, "direct" without its interpolation, or "lowess".
    span
        Share of the cases that each local fit reads; chosen from their number when not given.

    Examples
    --------
    >>> e90([0, 1, 0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    0.2
    """
    return _nine_tenths(distances(outcome, probability, smoother=smoother, span=span))


@measure(
    title="Largest calibration distance",
    extreme=True,
    **DISTANCE,
    distances=sample_distances,
    of_distances=_largest,
)
def emax(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    smoother: str = "loess",
    span: float | None = None,
) -> Floats:
    """Largest distance of predicted probability and observed frequency along the curve of `ici`.

    Parameters
    ----------
    smoother
        How the curve is fitted: "loess" as R does, "direct" without its interpolation, or "lowess".
    span
        Share of the cases that each local fit reads; chosen from their number when not given.

    Examples
    --------
    >>> emax([0, 1, 0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    0.273
    """
    return _largest(distances(outcome, probability, smoother=smoother, span=span))


def distances(
    outcome: Floats, probability: Floats, *, smoother: str = "loess", span: float | None = None
) -> Floats:
    """Distance of curve and probability at every case, for outcomes (…, n)."""
    if smoother == "lowess":
        width = robust.LOWESS_SPAN if span is None else span
        rows = [robust.lowess(probability, y, span=width) for y in np.atleast_2d(outcome)]
        return np.abs(np.stack(rows).reshape(outcome.shape) - probability)
    curve = smoother_of(probability, smoother=smoother, span=span)
    return np.abs(curve.curve(outcome, probability) - probability)


def smoother_of(
    probability: Floats,
    *,
    smoother: str = "loess",
    span: float | None = None,
    weight: Floats | None = None,
) -> Smoother:
    """The local regression on some probabilities, to be applied to any outcomes."""
    if smoother not in SMOOTHERS[:2]:
        raise NotApplicable(f"smoother must be one of {', '.join(SMOOTHERS)}; got {smoother!r}.")
    surface = "interpolate" if smoother == "loess" else "direct"
    width = SPAN if span is None else span
    return loess(probability, span=width, surface=surface, weight=weight)
