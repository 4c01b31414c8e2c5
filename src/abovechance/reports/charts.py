"""Which pictures a report shows, from what is known: the result, and predictions when given."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from abovechance.errors import AboveChanceError, NotApplicable
from abovechance.plots.chart import Chart, series_colour
from abovechance.plots.contract import whole
from abovechance.plots.from_predictions import MAKERS, OVERLAID, SEED
from abovechance.plots.kinds import chart_of
from abovechance.plots.nulls import null_values
from abovechance.plots.pictures.null import null
from abovechance.plots.words import as_float
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, Survival
from abovechance.reports.facts import primary_rows

MOST_MODELS = 6


def charts_of(facts: Mapping[str, Any], predictions: Mapping[str, Predictions]) -> list[Chart]:
    """The pictures in the order they should be looked at; those that cannot be drawn are left out.

    >>> from abovechance import examples
    >>> [c.title for c in charts_of({}, {"": examples.iris()})]
    ['Probability given to the class that occurred', 'Calibration', 'Confusion matrix']
    """
    found = list(_of_result(facts, ("differences", "subgroups")))
    shown = dict(list(predictions.items())[:MOST_MODELS])
    if shown:
        kind = next(iter(shown.values()))
        found += _of_predictions(kind, shown, int(facts.get("seed") or SEED))
        found += _of_null(facts, shown)
    found += _of_result(facts, ("forest", "sizes") if facts.get("sizes") else ("forest", "power"))
    return found


def _of_predictions(
    example: Predictions, models: Mapping[str, Predictions], seed: int
) -> Iterator[Chart]:
    order = {
        Binary: ("probabilities", "calibration", "roc", "precision_recall", "decision"),
        Multiclass: ("probabilities", "calibration"),
        Numeric: ("predicted_observed", "residuals"),
        Survival: ("kaplan_meier", "auc_over_time"),
    }[type(example)]
    if isinstance(example, Binary | Multiclass):
        order = (*order, "confusion")
    for kind in order:
        if kind in OVERLAID:
            yield from _drawn(partial(_made, kind, seed), models)
        else:
            for i, (name, one) in enumerate(models.items()):
                for chart in _drawn(partial(_made, kind, seed), {name: one}):
                    yield _painted(chart, series_colour(i))


def _of_null(facts: Mapping[str, Any], models: Mapping[str, Predictions]) -> Iterator[Chart]:
    """Chance and the observed value, for one model that was tested.

    Of the primary measure; of the Brier score when a permuted log score could be infinite.
    """
    rows = [*primary_rows(facts), *(row for row in whole(facts) if row["measure"] == "brier")]
    rows = [row for row in rows if row["p_value"] is not None]
    if len(models) != 1 or not rows:
        return

    def made(row: Mapping[str, Any]) -> Chart:
        (one,) = models.values()
        seed = int(facts.get("seed") or SEED)
        drawn = None if row.get("draws") is None else int(row["draws"])
        _, values = null_values(one, str(row["measure"]), seed=seed, draws=drawn)
        if not np.isfinite(values).all():
            raise NotApplicable("infinite where a permuted outcome had probability 0.")
        title, p = str(row["title"]), row["p_value"]
        level = None if row["chance"] is None else as_float(row["chance"])
        return null(values, as_float(row["value"]), title=title, p_value=p, chance=level)

    yield from [chart for row in rows for chart in _drawn(made, row)][:1]


def _of_result(facts: Mapping[str, Any], kinds: tuple[str, ...]) -> Iterator[Chart]:
    keys = {
        "differences": "differences",
        "subgroups": "interactions",
        "forest": "estimates",
        "sizes": "sizes",
        "power": "cells",
    }
    for kind in kinds:
        if facts.get(keys[kind]):
            yield from _drawn(partial(chart_of, kind=kind), facts)


def _made(kind: str, seed: int, given: Any) -> Chart:
    return MAKERS[kind](given, seed)


def _drawn(maker: Callable[[Any], Chart], given: Any) -> Iterator[Chart]:
    try:
        yield maker(given)
    except AboveChanceError:
        return


def _painted(chart: Chart, colour: str) -> Chart:
    """A chart of one model in the colour of that model; what is muted stays so."""
    if colour == "0":
        return chart
    change = {"0": colour}
    layers = [
        replace(layer, colour=change.get(layer.colour, layer.colour)) for layer in chart.layers
    ]
    series = [replace(s, colour=change.get(s.colour, s.colour)) for s in chart.series]
    return replace(chart, layers=tuple(layers), series=tuple(series))
