"""Measures with their intervals, chance marked on each line."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from abovechance.errors import AboveChanceError, NotApplicable
from abovechance.inference.significance.accuracy import chance_words
from abovechance.plots.axes import rows, spanning, unit
from abovechance.plots.chart import Chart, Layer, Points, Series, series_colour
from abovechance.plots.contract import contract, whole
from abovechance.plots.words import as_float, percent

# Of many measures the picture shows the best known; the table has them all.
MOST = 14
ALIKE = 1e-6  # chances this near are one mark
FIRST = (
    "accuracy",
    "balanced_accuracy",
    "sensitivity",
    "specificity",
    "ppv",
    "npv",
    "f1",
    "mcc",
    "auc",
    "average_precision",
    "brier",
    "scaled_brier",
    "tjur_r2",
    "c_index",
    "uno_c",
    "integrated_brier",
    "r2",
    "pearson",
    "spearman",
    "concordance_correlation",
)


def forest(result: Any, measures: Sequence[str] | None = None) -> Chart:
    """Measures of an assessment that share the scale from −1 to 1, with chance on each line.

    Examples
    --------
    >>> from abovechance import assess, examples
    >>> forest(assess(examples.breast_cancer("p_texture"), ["auc", "mcc"], rng=1)).y.labels
    ('Area under the ROC curve', 'Matthews correlation')
    """
    facts = contract(result)
    found = [e for e in whole(facts) if e.get("output") is None and bounded(e["measure"])]
    if measures is not None:
        found = [e for e in found if e["measure"] in measures]
    elif len({e["measure"] for e in found}) > MOST:
        found = [e for e in found if e["measure"].removesuffix("_macro") in FIRST]
    found = [e for e in found if np.isfinite(as_float(e["value"]))]
    if not found:
        raise NotApplicable("no measure between −1 and 1 is defined here; see the table.")
    titles = list(dict.fromkeys((e["measure"], e["title"]) for e in found))
    models = list(dict.fromkeys(e["model"] or "" for e in found))
    shared = _shared_chances(found)
    layers: list[Layer] = []
    series = []
    for i, model in enumerate(models):
        mine = [e for e in found if (e["model"] or "") == model]
        places = np.array([_place(e, titles, i, len(models)) for e in mine])
        layers += _own_chances(mine, places, series_colour(i), shared)
        layers += _marks(mine, places, series_colour(i), shared if i == len(models) - 1 else {})
        series.append(_numbers(mine, places, model, series_colour(i)))
    level = next((e["interval"]["level"] for e in found if e["interval"]), None)
    said = "" if level is None else f"Points with {percent(level)} intervals. "
    level_of = chance_words(
        {str(e["title"]): e.get("hypothesis") for e in found if e["chance"] is not None},
        "means when outcomes are shuffled",
    )
    lowest = min(as_float(v) for e in found for v in (e["value"], _low(e)))
    return Chart(
        title="Measures and chance",
        caption=f"{said}Upright marks are chance: {level_of}.",
        x=unit("Value") if lowest >= 0 else spanning("Value", [max(lowest, -1.0), 1.0], room=0.02),
        y=rows([title for _, title in titles]),
        layers=tuple(layers),
        series=tuple(series),
        readout="nearest",
        rows=1.35 * len(titles) + 0.5,
    )


def bounded(measure: str) -> bool:
    """Whether a measure of this name lies between −1 and 1."""
    from abovechance.measures import find

    try:
        low, high = find(measure).range
    except AboveChanceError:
        return False
    return low >= -1.0 and high <= 1.0


def _place(
    estimate: Mapping[str, Any], titles: list[tuple[str, str]], model: int, models: int
) -> float:
    row = len(titles) - 1 - titles.index((estimate["measure"], estimate["title"]))
    return row + (0.5 - (model + 0.5) / models) * 0.55


def _low(estimate: Mapping[str, Any]) -> Any:
    return estimate["interval"]["low"] if estimate["interval"] else estimate["value"]


def _high(estimate: Mapping[str, Any]) -> Any:
    return estimate["interval"]["high"] if estimate["interval"] else estimate["value"]


def _shared_chances(estimates: list[Any]) -> dict[str, float]:
    """Chance by measure where it is the same for every model, as it need not be."""
    found: dict[str, list[float]] = {}
    for e in estimates:
        found.setdefault(e["measure"], []).append(as_float(e["chance"]))
    return {name: all_[0] for name, all_ in found.items() if max(all_) - min(all_) < ALIKE}


def _own_chances(
    estimates: list[Any], places: Any, colour: str, shared: Mapping[str, float]
) -> list[Layer]:
    """Chance of this model alone, in its colour and on its own line."""
    known = [
        i for i, e in enumerate(estimates) if e["chance"] is not None and e["measure"] not in shared
    ]
    if not known:
        return []
    x = np.array([as_float(estimates[i]["chance"]) for i in known])
    return [Points(x=x, y=places[known], colour=colour, shape="tick", size=4.0)]


def _marks(
    estimates: list[Any], places: Any, colour: str, shared: Mapping[str, float]
) -> list[Layer]:
    points = Points(
        x=np.array([as_float(e["value"]) for e in estimates]),
        y=places,
        left=np.array([as_float(_low(e)) for e in estimates]),
        right=np.array([as_float(_high(e)) for e in estimates]),
        colour=colour,
        size=7.0,
    )
    known = [i for i, e in enumerate(estimates) if e["measure"] in shared]
    chance = Points(
        x=np.array([shared[estimates[i]["measure"]] for i in known]),
        y=np.round(places[known]),
        colour="muted",
        shape="tick",
        size=9.0,
    )
    return [chance, points] if known else [points]


def _numbers(estimates: list[Any], places: Any, model: str, colour: str) -> Series:
    columns = [
        [as_float(value) for value in values]
        for values in zip(
            *((e["value"], _low(e), _high(e), e["chance"]) for e in estimates), strict=True
        )
    ]
    return Series(
        name=model,
        headings=("Measure", "Value", "Low", "High", "Chance"),
        columns=([e["title"] for e in estimates], *columns),
        colour=colour,
        place=(np.array(columns[0]), places),
    )
