"""What was predicted for the cases of each class: the picture to look at first."""

from dataclasses import replace

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.measures import find
from abovechance.plots.axes import rows, spanning, unit
from abovechance.plots.chart import Band, Chart, Layer, Line, Points, Series, Text
from abovechance.plots.shapes import fewer, kept_vertices, spread, unit_density
from abovechance.plots.words import number, plural
from abovechance.predictions import Binary, Multiclass

MOST_DOTS = 400
CLOUD = 0.42  # height of a cloud, in rows
RAIN = 0.26  # depth of the rain below it
FEW_CLASSES = 6  # beyond which a legend would only repeat the rows
MOST_CLASSES = 40


def probabilities(predictions: Binary, *, name: str = "", colour: str = "0") -> Chart:
    """Predicted probabilities of each class, as clouds over their cases, with Tjur's gap.

    The gap between the two means is Tjur's coefficient of discrimination. A case is one dot; of
    more than 400 in a class as many are shown, evenly spaced in their order.

    References
    ----------
    Dinga et al. (2019), figure 4 and "Recommendations"; Tjur (2009).

    Examples
    --------
    >>> from abovechance import examples
    >>> probabilities(examples.breast_cancer()).title
    'Predicted probabilities by class'
    """
    if predictions.probability is None:
        return _scores(predictions, name, colour)
    groups = [predictions.probability[predictions.positive == c] for c in (True, False)]
    weights = [_weight(predictions, predictions.positive == c) for c in (True, False)]
    labels = [str(predictions.classes[1]), str(predictions.classes[0])]
    layers: list[Layer] = []
    series = []
    for place, values, weight, label, paint in zip(
        (1.0, 0.0), groups, weights, labels, (colour, "muted"), strict=True
    ):
        if values.size:
            rain = _rain(values, place, paint)
            layers += [*_cloud(values, weight, place, paint), rain]
            series.append(_dots(rain, label, values.size))
    if all(values.size for values in groups):
        means = [float(np.average(v, weights=w)) for v, w in zip(groups, weights, strict=True)]
        layers += _gap(means, find("tjur_r2").of(predictions), colour)
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


def class_probabilities(predictions: Multiclass, *, name: str = "", colour: str = "0") -> Chart:
    """The probability that each case's own class was given, class by class.

    Examples
    --------
    >>> from abovechance import examples
    >>> class_probabilities(examples.iris()).y.labels
    ('setosa', 'versicolor', 'virginica')
    """
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
        rain = _rain(values, place, colour)
        layers += [*_cloud(values, weight, place, colour), rain]
        mean = float(np.average(values, weights=weight))
        layers.append(_diamond([mean], [place], colour))
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


def _scores(predictions: Binary, name: str, colour: str) -> Chart:
    """Scores have no scale to smooth on: dots and means only."""
    score = predictions.ranking
    if score is None:
        raise NotApplicable("this picture needs probabilities or scores; only labels are known.")
    layers: list[Layer] = []
    series = []
    labels = [str(predictions.classes[1]), str(predictions.classes[0])]
    for place, label, positive in ((1.0, labels[0], True), (0.0, labels[1], False)):
        values = score[predictions.positive == positive]
        paint = colour if positive else "muted"
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


def _gap(means: list[float], tjur: float, colour: str) -> list[Layer]:
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
        _diamond([high], [1.0], colour),
        _diamond([low], [0.0], "muted"),
        Text(x=middle, y=top, text=f"Tjur’s R² {number(tjur)}"),
    ]


def _weight(predictions: Binary | Multiclass, chosen: Floats) -> Floats | None:
    return None if predictions.weight is None else predictions.weight[chosen]
