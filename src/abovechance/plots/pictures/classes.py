"""The two classes along a score: cumulative distributions, thresholds on the ROC curve, guesses."""

from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable
from abovechance.plots.axes import spanning, unit
from abovechance.plots.chart import Band, Chart, Line, Points, Rule, Series, Text
from abovechance.plots.curves import roc_points
from abovechance.plots.pictures.lines import diagonal
from abovechance.plots.words import number
from abovechance.predictions import Binary

MARKED = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
NEAR = 0.035  # marks nearer to each other than this share of the chart are one


def cumulative(predictions: Binary) -> Chart:
    """The share of each class at or below every threshold; positives' is the false negative rate.

    The upright gap between the curves is sensitivity + specificity − 1. Along ranks, not scores,
    the area between them is that between the ROC curve and its diagonal, AUC − ½.

    References
    ----------
    Dinga et al., figure 2B.

    Examples
    --------
    >>> from abovechance import examples
    >>> cumulative(examples.breast_cancer()).series[0].name
    'malignant: false negative rate'
    """
    score, positive, weight = _scored(predictions)
    at = np.unique(score)
    below = [_below(score[side], weight[side], at) for side in (positive, ~positive)]
    missed, rejected = below
    word = _axis_title(predictions)
    names = [str(name) for name in predictions.classes]
    said = (
        (f"{names[1]}: false negative rate", missed, "1"),
        (f"{names[0]}: true negative rate", rejected, "0"),
    )
    gap = rejected - missed
    widest = int(np.argmax(np.abs(gap)))
    from abovechance.measures import find

    area = float(find("auc").of(predictions))
    axis = unit(word) if predictions.probability is not None else spanning(word, at)
    # The axis may reach beyond the scores: nothing lies below the first, all below the last.
    x = np.concatenate([[min(axis.low, at[0])], at, [max(axis.high, at[-1])]])
    drawn = [np.concatenate([[0.0], y, [1.0]]) for y in (missed, rejected)]
    return Chart(
        title="Cumulative distributions of both classes",
        caption="Share of each class at or below the threshold. Between the curves: sensitivity + "
        f"specificity − 1, at most {number(float(np.abs(gap[widest])))} in size (at "
        f"{number(float(at[widest]))}). AUC {number(area)}.",
        x=axis,
        y=unit("Share at or below"),
        layers=(
            Band(
                x=x,
                low=np.minimum(*drawn),
                high=np.maximum(*drawn),
                colour="muted",
                steps=True,
            ),
            *(
                Line(x=x, y=y, colour=colour, steps=True)
                for y, (_, _, colour) in zip(drawn, said, strict=True)
            ),
        ),
        series=tuple(
            Series(
                name=name, headings=("Threshold", "Share at or below"), columns=(at, y), colour=c
            )
            for name, y, c in said
        ),
        height=0.75,
    )


def roc_thresholds(predictions: Binary) -> Chart:
    """The ROC curve with thresholds marked where they lie on it.

    Of probabilities .1, .2, … .9; of scores their deciles. Marks that would stand on one another
    are one.

    References
    ----------
    Dinga et al., figure 2A.

    Examples
    --------
    >>> from abovechance import examples
    >>> roc_thresholds(examples.breast_cancer("p_texture")).layers[3].text
    '0.9'
    """
    score, positive, weight = _scored(predictions)
    curve = roc_points(predictions)
    if predictions.probability is not None:
        chosen = np.array(MARKED)
    else:
        chosen = np.unique(np.quantile(score, MARKED, method="lower"))
    rates = np.array(
        [
            [1.0 - _below(score[side], weight[side], np.array([t]))[0] for side in sides]
            for t in chosen
            for sides in [(~positive, positive)]
        ]
    )
    kept = _apart(rates)
    chosen, rates = chosen[kept], rates[kept]
    headings = ("False positive rate", "True positive rate")
    return Chart(
        title="ROC curve with thresholds",
        caption="Points are thresholds: cases above one are called positive. The dashed line is "
        "chance.",
        x=unit(headings[0]),
        y=unit(headings[1]),
        layers=(
            diagonal(),
            Line(x=curve.x, y=curve.y),
            Points(x=rates[:, 0], y=rates[:, 1], size=7.0),
            *(
                Text(x=float(x) + 0.02, y=float(y), text=f"{t:.3g}", anchor="left", above=False)
                for t, (x, y) in zip(chosen[::-1], rates[::-1], strict=True)
            ),
        ),
        series=(
            Series(
                name="",
                headings=(*headings, "Threshold"),
                columns=(rates[:, 0], rates[:, 1], chosen),
            ),
        ),
        height=1.0,
        readout="nearest",
    )


def binomial_null(
    n: int, rate: float = 0.5, observed: int | None = None, *, level: float = 0.05
) -> Chart:
    """How many of n guesses are right by chance, and the p-values that so few cases allow.

    Parameters
    ----------
    n
        Number of cases.
    rate
        How often a guess is right, stated beforehand; one half unless stated.
    observed
        How many were right; its p stands in the caption. None when not given.
    level
        The level of the test, whose smallest significant count is marked; 0.05 unless stated.

    Returns
    -------
    Chart
        The picture as data.

    Raises
    ------
    NotApplicable
        If there is no case, the rate does not lie between 0 and 1, or more than n were right.

    See Also
    --------
    abovechance.significance.binomial_critical : the count that is marked.

    References
    ----------
    Dinga et al., figure 5, whose caption counts one too few: p = .021 takes 15 of 20.

    Examples
    --------
    >>> made = binomial_null(20)
    >>> made.layers[2].text
    '15 or more: p = 0.021'
    """
    from abovechance.inference.significance import binomial

    if not (n >= 1 and 0.0 < rate < 1.0 and (observed is None or 0 <= observed <= n)):
        raise NotApplicable(
            f"guesses need n ≥ 1, 0 < rate < 1 and at most n right; got n = {n}, rate {rate}, "
            f"{observed} right."
        )
    hits = np.arange(n + 1)
    p = np.array([binomial(int(k), n, rate).p_value for k in hits])
    chance = np.append(p[:-1] - p[1:], p[-1])
    enough = int(np.argmax(p <= level)) if (p <= level).any() else n + 1
    extreme = hits >= enough
    layers: list[Any] = [
        _bars(hits[~extreme], chance[~extreme], "muted"),
        _bars(hits[extreme], chance[extreme], "1"),
    ]
    if enough <= n:
        highest = float(chance.max())
        for k, up in ((enough, 0.45), (enough - 1, 0.75)):
            words = f"{k} or more: p = {p[k]:.3f}"
            layers.append(Text(x=k + 0.3, y=up * highest, text=words, anchor="left"))
    seen = ""
    if observed is not None:
        layers.append(Rule(at=float(observed), text=f"observed {observed}", colour="ink"))
        seen = f" Observed: {observed} of {n}, p = {p[observed]:.3f}."
    reached = f"{enough} right are needed for p ≤ {level:g}" if enough <= n else "none reaches it"
    size = f", so the test's level is {p[enough]:.3f}" if enough <= n else ""
    return Chart(
        title=f"Right by chance among {n}",
        caption=f"Binomial law with a rate of {rate:g}. Only {n + 1} p-values can occur: "
        f"{reached}{size}.{seen}",
        x=spanning("Cases predicted right", [-0.5, n + 0.5], room=0.0),
        y=spanning("Probability", [0.0, float(chance.max()) * 1.1], room=0.0),
        layers=tuple(layers),
        series=(
            Series(
                name="",
                headings=("Right", "Probability", "p of so many or more"),
                columns=(hits.astype(np.float64), chance, p),
                colour="muted",
            ),
        ),
        readout="nearest",
        height=0.6,
    )


def _bars(hits: Array, height: Floats, colour: str) -> Any:
    from abovechance.plots.chart import Bars

    return Bars(left=hits - 0.45, right=hits + 0.45, height=height, colour=colour, faint=True)


def _scored(predictions: Binary) -> tuple[Floats, Array, Floats]:
    """Scores, which cases are positive, and what each counts."""
    if predictions.ranking is None:
        raise NotApplicable("this picture needs a score or a probability; labels have none.")
    if predictions.positive.all() or not predictions.positive.any():
        raise NotApplicable("this picture needs cases of both classes; only one was found.")
    weight = predictions.weight
    given = np.ones(predictions.n) if weight is None else np.asarray(weight, dtype=np.float64)
    return np.asarray(predictions.ranking, dtype=np.float64), predictions.positive, given


def _below(score: Floats, weight: Floats, at: Floats) -> Floats:
    """The share of weight with scores at or below each place."""
    order = np.argsort(score)
    running = np.concatenate([[0.0], np.cumsum(weight[order])])
    return np.asarray(running[np.searchsorted(score[order], at, side="right")] / running[-1])


def _apart(rates: Floats) -> list[int]:
    """The marks that stand apart, from the lowest threshold on."""
    kept: list[int] = []
    for i, place in enumerate(rates):
        if all(np.abs(place - rates[j]).max() >= NEAR for j in kept):
            kept.append(i)
    return kept


def _axis_title(predictions: Binary) -> str:
    if predictions.probability is None:
        return "Score"
    return f"Predicted probability of {predictions.classes[1]}"
