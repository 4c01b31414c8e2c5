"""Pictures of cases: predicted classes and probabilities, and numbers beside observed ones."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import DataError, NotApplicable
from abovechance.format import number, percent, plural, thousands
from abovechance.gate import gated
from abovechance.inference import curves
from abovechance.inference.curves import Curve
from abovechance.measures import find
from abovechance.measures.utility import labelling_threshold
from abovechance.plots.chart import (
    Axis,
    Band,
    Bars,
    Cells,
    Chart,
    Layer,
    Line,
    Points,
    Rule,
    Series,
    Text,
    fewer,
    kept_vertices,
    rows,
    spanning,
    spread,
    unit,
    unit_density,
)
from abovechance.plots.curve_pictures import diagonal
from abovechance.plots.plotting import picture
from abovechance.predictions import Binary, Multiclass, Numeric

# ----------------------------------------------------------------------------------------------
# What was predicted for the cases of each class: probabilities, scores, labels.
# ----------------------------------------------------------------------------------------------


MOST_DOTS = 400
CLOUD = 0.42  # height of a cloud, in rows
RAIN = 0.26  # depth of the rain below it
FEW_CLASSES = 6  # beyond which a legend would only repeat the rows
MOST_CLASSES = 40
FEW_CELLS = 6  # classes whose cells have room for a share beside the count
MOST_CELLS = 60
LETTERS = 60  # of all names together, below the columns
MARKED = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
NEAR = 0.035  # marks nearer to each other than this share of the chart are one


@picture(of=("binary", "multiclass"), usual=("binary", "multiclass"), report=10, cases=True)
def probabilities(models: Mapping[str, Binary | Multiclass]) -> Chart:
    """Predicted probabilities of each class, as clouds over their cases, with Tjur's gap.

    Of several classes: the probability that each case's own class was given.

    The gap between the two means is Tjur's coefficient of discrimination. A case is one dot; of
    more than 400 in a class as many are shown, evenly spaced in their order.

    References
    ----------
    Dinga et al. (2019), figure 4 and "Recommendations"; Tjur (2009).

    Examples
    --------
    >>> from abovechance import examples
    >>> probabilities({"": examples.breast_cancer()}).title
    'Predicted probabilities by class'
    >>> probabilities({"": examples.iris()}).y.labels
    ('setosa', 'versicolor', 'virginica')
    """
    ((name, predictions),) = models.items()
    if isinstance(predictions, Multiclass):
        return _of_own_class(predictions, name)
    if predictions.probability is None:
        return _scores(predictions, name)
    groups = [predictions.probability[predictions.positive == c] for c in (True, False)]
    weights = [_weight(predictions, predictions.positive == c) for c in (True, False)]
    labels = [str(predictions.classes[1]), str(predictions.classes[0])]
    layers: list[Layer] = []
    series = []
    for place, values, weight, label, paint in zip(
        (1.0, 0.0), groups, weights, labels, ("0", "muted"), strict=True
    ):
        if values.size:
            rain = _rain(values, place, paint)
            layers += [*_cloud(values, weight, place, paint), rain]
            series.append(_dots(rain, label, values.size))
    if all(values.size for values in groups):
        means = [float(np.average(v, weights=w)) for v, w in zip(groups, weights, strict=True)]
        layers += _gap(means, find("tjur_r2").of(predictions))
    most = max(values.size for values in groups)
    return Chart(
        title="Predicted probabilities by class",
        name=name,
        caption="Each dot is a case; diamonds are class means, and the gap between them is "
        "Tjur's R²." + (f" {MOST_DOTS} evenly spaced cases shown per class." * (most > MOST_DOTS)),
        x=unit(f"Predicted probability of {labels[0]}"),
        y=replace(rows(labels), low=-0.4, high=1.95),
        layers=tuple(layers),
        series=tuple(series),
        readout="nearest",
        height=0.6,
    )


def _of_own_class(predictions: Multiclass, name: str) -> Chart:
    """The probability that each case's own class was given, class by class."""
    if predictions.probability is None:
        raise NotApplicable("this picture needs probabilities; only labels were predicted.")
    given = predictions.probability[predictions.actual, np.arange(predictions.n)]
    labels = [str(c) for c in predictions.classes]
    many = len(labels) > FEW_CLASSES
    if len(labels) > MOST_CLASSES:
        raise NotApplicable(f"{len(labels)} classes are too many for a picture of each.")
    layers: list[Layer] = []
    series = []
    for k, label in enumerate(labels):
        chosen = predictions.actual == k
        values, place = given[chosen], float(len(labels) - 1 - k)
        if values.size == 0:
            continue
        weight = _weight(predictions, chosen)
        rain = _rain(values, place, "0")
        layers += [*_cloud(values, weight, place, "0"), rain]
        mean = float(np.average(values, weights=weight))
        layers.append(_diamond([mean], [place], "0"))
        series.append(_dots(rain, label, values.size))
    return Chart(
        title="Probability given to the class that occurred",
        name=name,
        caption="Each dot is a case; diamonds are class means.",
        x=unit("Predicted probability of the observed class"),
        y=replace(rows(labels), low=-0.4, high=len(labels) - 0.4),
        layers=tuple(layers),
        series=tuple(series),
        readout="nearest",
        legend=not many,
        rows=max(8.0, (2.2 if many else 3.6) * len(labels)),
        height=0.6,
    )


def _scores(predictions: Binary, name: str) -> Chart:
    """Scores have no scale to smooth on: dots and means only."""
    score = predictions.ranking
    if score is None:
        raise NotApplicable("this picture needs probabilities or scores; only labels are known.")
    layers: list[Layer] = []
    series = []
    labels = [str(predictions.classes[1]), str(predictions.classes[0])]
    for place, label, positive in ((1.0, labels[0], True), (0.0, labels[1], False)):
        values = score[predictions.positive == positive]
        paint = "0" if positive else "muted"
        if values.size:
            rain = _rain(values, place + 0.3, paint, depth=0.5)
            layers.append(rain)
            layers.append(_diamond([float(values.mean())], [place], paint))
            series.append(_dots(rain, label, values.size, "Score"))
    return Chart(
        title="Scores by class",
        name=name,
        caption="Each dot is a case; diamonds are class means.",
        x=spanning("Score", score),
        y=rows(labels),
        layers=tuple(layers),
        series=tuple(series),
        readout="nearest",
        height=0.5,
    )


def _cloud(values: Floats, weight: Floats | None, place: float, colour: str) -> list[Layer]:
    grid, density = unit_density(values, weight)
    height = density / density.max()
    kept = kept_vertices(grid, height, 0.0012)
    grid, cloud = grid[kept], place + CLOUD * height[kept]
    base = np.full(grid.size, place)
    return [
        Band(x=grid, low=base, high=cloud, colour=colour, solid=True),
        Line(x=grid, y=cloud, colour=colour, thin=True),
    ]


def _rain(values: Floats, place: float, colour: str, depth: float = RAIN) -> Points:
    shown = fewer(values, MOST_DOTS)
    below = place - 0.05 - depth * spread(shown.size)
    return Points(x=shown, y=below, colour=colour, size=4.5, faint=True)


def _dots(rain: Points, label: str, count: int, heading: str = "Probability") -> Series:
    return Series(
        name=label,
        headings=(heading,),
        columns=(rain.x,),
        colour=rain.colour,
        note=plural(count, "case"),
        place=(rain.x, rain.y),
    )


def _diamond(x: list[float], y: list[float], colour: str) -> Points:
    return Points(x=np.array(x), y=np.array(y), colour=colour, shape="diamond", size=9.0)


def _gap(means: list[float], tjur: float) -> list[Layer]:
    """Both means, and the bracket between them on top."""
    top = 1.62
    high, low = means
    upright = [
        Line(x=np.array([m, m]), y=np.array([place, top]), colour="ink", dashed=True, thin=True)
        for m, place in ((high, 1.0), (low, 0.0))
    ]
    bracket = Line(x=np.array([low, high]), y=np.array([top, top]), colour="ink", thin=True)
    middle = min(max((low + high) / 2, 0.2), 0.8)
    return [
        *upright,
        bracket,
        _diamond([high], [1.0], "0"),
        _diamond([low], [0.0], "muted"),
        Text(x=middle, y=top, text=f"Tjur’s R² {number(tjur)}"),
    ]


def _weight(predictions: Binary | Multiclass, chosen: Floats) -> Floats | None:
    return None if predictions.weight is None else predictions.weight[chosen]


@picture(of=("binary", "multiclass"), usual=("binary", "multiclass"), report=60)
def confusion(models: Mapping[str, Binary | Multiclass]) -> Chart:
    """The confusion table, from predicted labels: rows actual, columns predicted."""
    ((name, one),) = models.items()
    if isinstance(one, Binary) and one.label is None:
        raise NotApplicable("a confusion table needs labels; state threshold=.")
    return confusion_table(
        one.confusion, one.classes, name=name, threshold=labelling_threshold(one)
    )


def confusion_table(
    table: Any,
    labels: Sequence[Any],
    *,
    name: str = "",
    threshold: float | None = None,
) -> Chart:
    """A confusion table: rows actual, columns predicted, shaded by the share of the row.

    Examples
    --------
    >>> confusion_table([[48, 2], [5, 45]], ["well", "sick"]).layers[0].notes[0]
    ('96%', '4%')
    """
    above = "" if threshold is None else f" Cases above {threshold:g} are called {labels[-1]}."
    counts = np.asarray(table, dtype=np.float64)
    size = len(labels)
    if counts.shape != (size, size):
        raise DataError(
            f"the table must be {size} × {size}, as many as labels; got {counts.shape}."
        )
    total = counts.sum(axis=1, keepdims=True)
    share = np.divide(counts, total, out=np.zeros(counts.shape), where=total > 0)
    names = tuple(str(label) for label in labels)
    many = size > FEW_CELLS
    if size > MOST_CELLS:
        raise NotApplicable(f"{size} classes are too many for a picture of their confusion.")
    # Names that would stand on each other below the columns are numbers there, beside rows both.
    numbered = many and sum(len(name) for name in names) > LETTERS
    places = tuple(float(i) for i in range(size))
    below = tuple(str(i + 1) for i in range(size)) if numbered else names
    beside = tuple(f"{name} · {i}" for i, name in enumerate(names, 1)) if numbered else names
    across = Axis(
        title="Predicted", low=-0.5, high=size - 0.5, ticks=places, labels=below, grid=False
    )
    up = Axis(
        title="Actual", low=-0.5, high=size - 0.5, ticks=places[::-1], labels=beside, grid=False
    )
    said = "Rows are actual classes; shades and percentages are shares of a row."
    if many:
        said = "Rows are actual classes; shades are shares of a row, cells without cases are empty."
    if numbered:
        said += " Columns have the numbers of the rows."
    return Chart(
        title="Confusion matrix",
        name=name,
        caption=said + above,
        x=across,
        y=up,
        layers=(
            Cells(
                shade=share,
                texts=tuple(
                    tuple("" if many and c == 0 else _count(c) for c in row) for row in counts
                ),
                notes=tuple(tuple(percent(round(s, 2)) for s in row) for row in share),
            ),
        ),
        series=(
            Series(
                name="",
                headings=("Actual", "Predicted", "Cases"),
                columns=(
                    [a for a in names for _ in names],
                    [p for _ in names for p in names],
                    counts.ravel(),
                ),
            ),
        ),
        readout="none",
        legend=False,
        height=0.75 if size < 4 else 0.9,
        rows=1.1 * size if many else 0.0,
    )


def _count(value: float) -> str:
    return thousands(value) if float(value).is_integer() else number(value, 1)


@picture(of=("binary", "curve:cumulative"), usual=("curve:cumulative",), cases=True)
def cumulative(shown: Mapping[str, Any]) -> Chart:
    """The share of each class at or below every threshold; positives' is the false negative rate.

    The upright gap between the curves is sensitivity + specificity − 1. Along ranks, not scores,
    the area between them is that between the ROC curve and its diagonal, AUC − ½.

    References
    ----------
    Dinga et al., figure 2B.

    Examples
    --------
    >>> from abovechance import examples
    >>> cumulative({"": examples.breast_cancer()}).series[0].name
    'malignant: false negative rate'
    """
    ((_, one),) = shown.items()
    both = one if isinstance(one, Curve) else curves.cumulative(one)
    names = ["negatives", "positives"]
    probable = both.x_name != "Score"
    if isinstance(one, Binary):
        names = [str(name) for name in one.classes]
    at, missed, rejected = both.x, both.y, both.columns["true_negative_rate"]
    said = (
        (f"{names[1]}: false negative rate", missed, "1"),
        (f"{names[0]}: true negative rate", rejected, "0"),
    )
    axis = unit(both.x_name) if probable else spanning(both.x_name, at)
    # The axis may reach beyond the scores: nothing lies below the first, all below the last.
    x = np.concatenate([[min(axis.low, at[0])], at, [max(axis.high, at[-1])]])
    steps = [np.concatenate([[0.0], y, [1.0]]) for y in (missed, rejected)]
    return Chart(
        title=both.title,
        caption="Share of each class at or below the threshold. Between the curves: sensitivity + "
        f"specificity − 1, at most {number(both.summary['largest_gap'])} in size (at "
        f"{number(both.summary['at'])}). AUC {number(both.summary['auc'])}.",
        x=axis,
        y=unit("Share at or below"),
        layers=(
            Band(x=x, low=np.minimum(*steps), high=np.maximum(*steps), colour="muted", steps=True),
            *(
                Line(x=x, y=y, colour=colour, steps=True)
                for y, (_, _, colour) in zip(steps, said, strict=True)
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


@picture(of=("binary",))
def roc_thresholds(models: Mapping[str, Binary]) -> Chart:
    """The ROC curve with thresholds marked where they lie on it.

    Of probabilities .1, .2, … .9; of scores their deciles. Marks that would stand on one another
    are one.

    References
    ----------
    Dinga et al., figure 2A.

    Examples
    --------
    >>> from abovechance import examples
    >>> roc_thresholds({"": examples.breast_cancer("p_texture")}).layers[3].text
    '0.9'
    """
    ((_, predictions),) = models.items()
    every = curves.cumulative(predictions)
    chosen = np.array(MARKED)
    if predictions.probability is None and predictions.ranking is not None:
        chosen = np.unique(np.quantile(predictions.ranking, MARKED, method="lower"))
    marked = curves.cumulative(predictions, chosen)
    # Above a threshold lies what is not at or below it.
    rates = 1.0 - np.stack([marked.columns["true_negative_rate"], marked.y], axis=1)
    kept = _far_apart(rates)
    chosen, rates = chosen[kept], rates[kept]
    headings = ("False positive rate", "True positive rate")
    path = 1.0 - np.stack([every.columns["true_negative_rate"], every.y])[:, ::-1]
    path = np.concatenate([path, np.ones((2, 1))], axis=1)
    return Chart(
        title="ROC curve with thresholds",
        caption="Points are thresholds: cases above one are called positive. The dashed line is "
        "chance.",
        x=unit(headings[0]),
        y=unit(headings[1]),
        layers=(
            diagonal(),
            Line(x=path[0], y=path[1]),
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


@picture(of=("binary", "multiclass"), name="binomial_null")
def guesses_right(models: Mapping[str, Binary | Multiclass]) -> Chart:
    """How many cases guesses get right, every class as likely, beside how many were right."""
    ((_, one),) = models.items()
    if one.label is None:
        raise NotApplicable("right and wrong are of labels; state threshold=, or give labels.")
    if one.origin != "test" or one.cases.groups is not None or one.weight is not None:
        raise NotApplicable(
            "the binomial law is of independent cases that count one each; these come from folds, "
            "in clusters or with weights."
        )
    table = one.confusion
    return binomial_null(int(table.sum()), 1 / len(one.classes), int(table.trace()))


@gated
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
    law = curves.guesses(n, rate)
    if observed is not None and not 0 <= observed <= n:
        raise NotApplicable(f"0 to {n} of {n} guesses can be right; got {observed}.")
    hits, chance, p = law.x, law.y, law.columns["p_value"]
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
        title=law.title,
        caption=f"Binomial law with a rate of {rate:g}. Only {n + 1} p-values can occur: "
        f"{reached}{size}.{seen}",
        x=spanning(law.x_name, [-0.5, n + 0.5], room=0.0),
        y=spanning("Probability", [0.0, float(chance.max()) * 1.1], room=0.0),
        layers=tuple(layers),
        series=(
            Series(
                name="",
                headings=("Right", "Probability", "p of so many or more"),
                columns=(hits, chance, p),
                colour="muted",
            ),
        ),
        readout="nearest",
        height=0.6,
    )


def _bars(hits: Floats, height: Floats, colour: str) -> Bars:
    return Bars(left=hits - 0.45, right=hits + 0.45, height=height, colour=colour, faint=True)


def _far_apart(rates: Floats) -> list[int]:
    """The marks that stand apart, from the lowest threshold on."""
    kept: list[int] = []
    for i, place in enumerate(rates):
        if all(np.abs(place - rates[j]).max() >= NEAR for j in kept):
            kept.append(i)
    return kept


# ----------------------------------------------------------------------------------------------
# Predicted numbers beside observed ones, and what is left between them.
# ----------------------------------------------------------------------------------------------


MOST = 600


@picture(of=("numeric",), usual=("numeric",), report=10, cases=True)
def predicted_observed(models: Mapping[str, Numeric]) -> Chart:
    """Observed against predicted numbers; on the dashed line they are equal.

    Examples
    --------
    >>> from abovechance import examples
    >>> predicted_observed({"": examples.diabetes()}).series[0].note
    '442 cases'
    """
    ((name, predictions),) = models.items()
    value, outcome, said = _cases(predictions)
    both = spanning("", value, outcome, room=0.03)
    ends = np.array([both.low, both.high])
    across, up = (
        type(both)(title=title, low=both.low, high=both.high, ticks=both.ticks)
        for title in ("Predicted", "Observed")
    )
    return Chart(
        title="Predicted and observed",
        name=name,
        caption=said + "Observed values above the dashed line were predicted too low.",
        x=across,
        y=up,
        layers=(
            Line(x=ends, y=ends, colour="muted", dashed=True, thin=True),
            Points(x=value, y=outcome, size=5.0, faint=True),
        ),
        series=(_series(value, outcome, "Observed", predictions.n),),
        readout="nearest",
        height=1.0,
    )


@picture(of=("numeric",), report=20, cases=True)
def residuals(models: Mapping[str, Numeric]) -> Chart:
    """What was observed beyond the prediction, against the prediction.

    A trend or a funnel shows that the errors depend on what was predicted.
    """
    ((name, predictions),) = models.items()
    value, outcome, said = _cases(predictions)
    left = outcome - value
    return Chart(
        title="Residuals",
        name=name,
        caption=said + "Observed minus predicted; a trend or a funnel means room to improve.",
        x=spanning("Predicted", value),
        y=spanning("Residual", left, [0.0]),
        layers=(
            Rule(at=0.0, axis="y"),
            Points(x=value, y=left, size=5.0, faint=True),
        ),
        series=(_series(value, left, "Residual", predictions.n),),
        readout="nearest",
        height=1.0,
    )


def _cases(predictions: Numeric) -> tuple[Floats, Floats, str]:
    """The single output's pairs, every so many-th where there are more than can be seen."""
    if len(predictions.outputs) > 1:
        raise NotApplicable(
            f"one output is drawn at a time; choose among {len(predictions.outputs)} with "
            "predictions.output(0)."
        )
    value, outcome = predictions.value[0], predictions.outcome[0]
    if value.size <= MOST:
        return value, outcome, ""
    order: Array = np.argsort(value)
    kept = order[np.rint(np.linspace(0, value.size - 1, MOST)).astype(np.int64)]
    return value[kept], outcome[kept], f"{MOST} cases shown, evenly spaced in prediction. "


def _series(x: Floats, y: Floats, heading: str, n: int) -> Series:
    return Series(
        name="",
        headings=("Predicted", heading),
        columns=(x, y),
        note=plural(n, "case"),
    )
