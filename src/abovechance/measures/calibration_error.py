"""How far observed frequencies are from predicted probabilities, in bins.

These are distances, so chance alone makes them greater than 0 even for probabilities that
are exactly right, the more so the fewer cases and the more bins there are. Compare a value with
what is expected of right probabilities (`assess` shows it), never with 0.
"""

from typing import Any

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.measures.calibration import CALIBRATION
from abovechance.measures.measure import Calibration, Form, measure

ERROR: dict[str, Any] = {
    **CALIBRATION,
    "outcomes": frozenset({"binary", "multiclass"}),
    "range": (0.0, 1.0),
    "best": 0.0,
    "calibration": Calibration.DISTANCE,
}
BINNED: dict[str, Any] = {**ERROR, "form": Form.SAMPLE}


def _top_label(outcome: Floats, probability: Floats) -> tuple[Floats, Floats]:
    """Whether the most probable class was right, and its probability."""
    top = probability.argmax(axis=-2)
    classes = np.arange(probability.shape[-2])[:, None]
    right = (outcome * (top[..., None, :] == classes)).sum(axis=-2)
    return right, probability.max(axis=-2)


def _ece_of_top_label(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    bins: int = 10,
    binning: str = "width",
    closed: str = "left",
) -> Floats:
    """Of the most probable class: its probability against how often it was right."""
    gaps, share = _gaps(*_top_label(outcome, probability), weight, bins, binning, closed)
    return (share * gaps).sum(axis=-1)


@measure(
    title="Expected calibration error",
    aliases=("expected_calibration_error",),
    **BINNED,
    multiclass=_ece_of_top_label,
    multiclass_facts={"title": "Expected calibration error of the top label"},
    source="Naeini, Cooper, Hauskrecht (2015); top label: Guo et al. (2017)",
)
def ece(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    bins: int = 10,
    binning: str = "width",
    closed: str = "left",
) -> Floats:
    r"""Mean distance of observed frequency and predicted probability, in bins.

    .. math:: \sum_b \frac{n_b}{n} \, |\bar y_b - \bar p_b|

    Bins are of equal width, [0, 0.1), [0.1, 0.2), …, [0.9, 1], or hold equally many cases
    (`binning="count"`; ties share their outcomes where a border divides them). `closed="right"`
    gives a value on a border to the bin below. It depends on the bins, and is biased upwards.

    Parameters
    ----------
    bins
        Number of bins.
    binning
        "width": bins of equal width; "count": bins of equally many cases.
    closed
        Which end belongs to a bin: "left", so that a value on a border falls into the bin above, or
        "right".

    Examples
    --------
    >>> ece([0, 1, 0, 1, 1], [0.15, 0.15, 0.6, 0.6, 0.9])
    0.2
    """
    gaps, share = _gaps(outcome, probability, weight, bins, binning, closed)
    return (share * gaps).sum(axis=-1)


def _mce_of_top_label(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    bins: int = 10,
    binning: str = "width",
    closed: str = "left",
) -> Floats:
    """Of the most probable class: the bin where it was right least as often as it said."""
    gaps, _ = _gaps(*_top_label(outcome, probability), weight, bins, binning, closed)
    return gaps.max(axis=-1)


@measure(
    title="Maximum calibration error",
    extreme=True,
    aliases=("maximum_calibration_error",),
    **BINNED,
    multiclass=_mce_of_top_label,
    multiclass_facts={"title": "Maximum calibration error of the top label"},
    source="Naeini, Cooper, Hauskrecht (2015)",
)
def mce(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    bins: int = 10,
    binning: str = "width",
    closed: str = "left",
) -> Floats:
    r"""Greatest distance of observed frequency and predicted probability over bins.

    .. math:: \max_b |\bar y_b - \bar p_b|

    A bin with a single case can decide it. Bins as in `ece`.

    Parameters
    ----------
    bins
        Number of bins.
    binning
        "width": bins of equal width; "count": bins of equally many cases.
    closed
        Which end belongs to a bin: "left", so that a value on a border falls into the bin above, or
        "right".

    Examples
    --------
    >>> mce([0, 1, 0, 1, 1], [0.15, 0.15, 0.6, 0.6, 0.9])
    0.35
    """
    gaps, _ = _gaps(outcome, probability, weight, bins, binning, closed)
    return gaps.max(axis=-1)


@measure(
    title="Root mean squared calibration error",
    **{**BINNED, "outcomes": frozenset({"binary"})},
    listed=False,
    source="Naeini, Cooper, Hauskrecht (2015), with squares",
)
def rmsce(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    bins: int = 10,
    binning: str = "width",
    closed: str = "left",
) -> Floats:
    r"""Root of the mean squared distance of frequency and probability, in bins as in `ece`.

    .. math:: \sqrt{\sum_b \frac{n_b}{n} (\bar y_b - \bar p_b)^2}

    Parameters
    ----------
    bins
        Number of bins.
    binning
        "width": bins of equal width; "count": bins of equally many cases.
    closed
        Which end belongs to a bin: "left", so that a value on a border falls into the bin above, or
        "right".

    Examples
    --------
    >>> rmsce([0, 1, 0, 1, 1], [0.15, 0.15, 0.6, 0.6, 0.9])
    0.235
    """
    gaps, share = _gaps(outcome, probability, weight, bins, binning, closed)
    return np.sqrt((share * gaps**2).sum(axis=-1))


@measure(
    title="Expected calibration error, mean over classes",
    **{**BINNED, "outcomes": frozenset({"multiclass"}), "directed": False},
    source="Kull et al. (2019)",
)
def classwise_ece(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    bins: int = 10,
    binning: str = "width",
    closed: str = "left",
) -> Floats:
    """Expected calibration error of each class against the rest, averaged over the classes.

    Parameters
    ----------
    bins
        Number of bins.
    binning
        "width": bins of equal width; "count": bins of equally many cases.
    closed
        Which end belongs to a bin: "left", so that a value on a border falls into the bin above, or
        "right".

    Examples
    --------
    >>> p = [[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.2, 0.2, 0.6], [0.1, 0.7, 0.2]]
    >>> classwise_ece([0, 1, 2, 2], p)
    0.3
    """
    found = [
        ece.formula(
            outcome[..., k, :],
            probability[..., k, :],
            weight,
            bins=bins,
            binning=binning,
            closed=closed,
        )
        for k in range(probability.shape[-2])
    ]
    return np.mean(found, axis=0)


def bin_sums(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    *,
    bins: int = 10,
    binning: str = "width",
    closed: str = "left",
) -> tuple[Floats, Floats, Floats]:
    """Weight, observed and expected positives of every bin: (…, bins) each."""
    if bins < 1:
        raise NotApplicable(f"bins must be at least 1; got {bins}.")
    if binning == "width":
        return _of_equal_width(outcome, probability, weight, _places(probability, bins, closed))
    if binning != "count":
        raise NotApplicable(f"binning must be 'width' or 'count'; got {binning!r}.")
    w = np.ones(outcome.shape) if weight is None else weight
    given = (outcome, probability, w)
    shape = np.broadcast_shapes(*(part.shape for part in given))
    rows = (np.broadcast_to(part, shape).reshape(-1, shape[-1]) for part in given)
    found = [_of_equal_count(y, p, each, bins) for y, p, each in zip(*rows, strict=True)]
    stacked = np.stack(found, axis=1).reshape(3, *shape[:-1], bins)
    return stacked[0], stacked[1], stacked[2]


def _gaps(
    outcome: Floats,
    probability: Floats,
    weight: Floats | None,
    bins: int,
    binning: str,
    closed: str,
) -> tuple[Floats, Floats]:
    """Distance of frequency and probability in every bin, and the share of cases there."""
    total, observed, expected = bin_sums(
        outcome, probability, weight, bins=bins, binning=binning, closed=closed
    )
    gaps = np.abs(observed - expected) / np.where(total > 0, total, 1.0)
    return gaps, total / total.sum(axis=-1, keepdims=True)


def _places(probability: Floats, bins: int, closed: str) -> Ints:
    """The bin of every probability; borders are k/bins, rounded once."""
    if closed not in ("left", "right"):
        raise NotApplicable(f"closed must be 'left' or 'right'; got {closed!r}.")
    inner = np.arange(1, bins) / bins
    side: Any = "right" if closed == "left" else "left"
    return np.searchsorted(inner, probability, side=side).astype(np.int64)


def _of_equal_width(
    outcome: Floats, probability: Floats, weight: Floats | None, at: Ints
) -> tuple[Floats, Floats, Floats]:
    count = int(at.max()) + 1
    if outcome.ndim == at.ndim == 1 and (weight is None or weight.ndim == 1):
        w = np.ones(len(at)) if weight is None else weight
        parts = np.stack([w, w * outcome, w * probability])
        sums = np.array([np.bincount(at, weights=part, minlength=count) for part in parts])
        return sums[0], sums[1], sums[2]
    if at.ndim > 1:
        return _of_own_bins(outcome, probability, weight, at, count)
    member = (at[:, None] == np.arange(count)).astype(np.float64)
    if weight is None:
        return member.sum(axis=0), outcome @ member, probability @ member
    return weight @ member, (weight * outcome) @ member, (weight * probability) @ member


def _of_own_bins(
    outcome: Floats, probability: Floats, weight: Floats | None, at: Ints, count: int
) -> tuple[Floats, Floats, Floats]:
    """The same where every row of a batch has probabilities of its own."""
    w = np.ones(outcome.shape[-1]) if weight is None else weight
    shape = np.broadcast_shapes(outcome.shape, at.shape, w.shape)
    rows = int(np.prod(shape[:-1]))
    cell = np.broadcast_to(at, shape).reshape(rows, -1) + count * np.arange(rows)[:, None]
    totals = (
        np.bincount(cell.ravel(), np.broadcast_to(part, shape).ravel(), rows * count)
        for part in (w, w * outcome, w * probability)
    )
    weighed, observed, expected = (t.astype(np.float64).reshape(*shape[:-1], count) for t in totals)
    return weighed, observed, expected


def _of_equal_count(y: Floats, p: Floats, w: Floats, bins: int) -> Floats:
    """Equal shares of the weight in order of probability; a border may divide a case, or a tie."""
    _, at = np.unique(p, return_inverse=True)
    sums = np.stack([np.bincount(at, weights=v) for v in (w, w * y, w * p)])
    upto = np.concatenate([np.zeros((3, 1)), np.cumsum(sums, axis=1)], axis=1)
    borders = np.linspace(0.0, upto[0, -1], bins + 1)
    return np.diff(np.stack([np.interp(borders, upto[0], row) for row in upto]), axis=1)
