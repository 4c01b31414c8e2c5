"""Which picture a result calls for, and how to ask for another."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from abovechance.errors import NotApplicable, did_you_mean
from abovechance.plots.chart import Chart
from abovechance.plots.contract import contract
from abovechance.plots.curves import Curve, named, until
from abovechance.plots.words import as_float
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions

SAVED_CURVE = {"kind", "title", "x_name", "y_name", "x", "y"}


def chart_of(result: Any, kind: str | None = None) -> Chart:
    """The chart of a result, of predictions, or of several predictions by model.

    Parameters
    ----------
    result
        What `assess`, `compare`, `power` and the like return, its dictionary, posteriors, curves,
        or predictions (by name for several of them).
    kind
        The picture; by default the one that says most. Of predictions: "probabilities", "roc",
        "roc_thresholds", "cumulative", "precision_recall", "calibration", "decision",
        "confusion", "predicted_observed", "residuals", "kaplan_meier", "auc_over_time", "null",
        "binomial_null" (`binomial_null(20)` draws it for a number of cases). Of results: "forest",
        "differences", "subgroups", "sizes", "power", "replication"; of permuted statistics: the
        name of one.

    Returns
    -------
    Chart
        The picture as data: axes, layers and the numbers behind them.

    Raises
    ------
    NotApplicable
        If there is no such picture of this result.

    See Also
    --------
    abovechance.plot : draws it.

    Examples
    --------
    >>> from abovechance import examples
    >>> chart_of(examples.breast_cancer(), "roc").title
    'ROC curve'
    """
    things = list(named(result).values())
    if things and all(isinstance(one, Predictions) for one in things):
        return _of_predictions(result, kind or _usual(things[0], len(things)))
    if things and all(hasattr(one, "pdf") and hasattr(one, "ppf") for one in things):
        return _of_posteriors(result)
    if things and all(hasattr(one, "x_name") for one in things):
        return _of_curves(result)
    if hasattr(result, "tests") and hasattr(result, "null"):
        return _of_permuted(result, kind)
    if isinstance(result, Mapping) and result.keys() >= SAVED_CURVE:
        return _of_curves(_saved_curve(result))
    return _of_result(contract(result), kind)


def _saved_curve(facts: Mapping[str, Any]) -> Any:
    """A curve from its JSON, where null stands for what is undefined."""
    from abovechance.inference.curves.curve import Curve as Known

    def column(values: Any) -> Any:
        return None if values is None else np.array([as_float(v) for v in values])

    columns = {name: column(values) for name, values in (facts.get("columns") or {}).items()}
    names = ("kind", "title", "x_name", "y_name", "level", "method", "n")
    ends = {name: column(facts.get(name)) for name in ("x", "y", "low", "high")}
    return Known(**{name: facts[name] for name in names}, **ends, columns=columns)


def _of_permuted(result: Any, kind: str | None) -> Chart:
    """A statistic under permutation, the first when none is named."""
    from abovechance.plots.pictures.null import null, told

    row = result.tests[0] if kind in (None, "null") else result[kind]
    name = getattr(row, "statistic", None) or row.measure
    made = null(
        result.null[name], row.value, title="Value", p_value=row.p_value, what="labels", height=0.75
    )
    if getattr(result, "rule", "") == "paper":  # by that rule p can be 0
        made = told(made, row.value, f"p = {round(row.p_value * row.draws)} of {row.draws} draws")
    return replace(made, title=row.title)


def _of_posteriors(result: Any) -> Chart:
    """Densities under the names of their quantities, and chance where all have the same."""
    from abovechance.plots.pictures.posterior import posterior

    found = {name or str(getattr(one, "quantity", "")): one for name, one in named(result).items()}
    chances = {getattr(one, "chance", None) for one in found.values()}
    return posterior(found, chance=chances.pop() if len(chances) == 1 else None)


def _usual(predictions: Predictions, models: int) -> str:
    if isinstance(predictions, Binary):
        if predictions.ranking is None:
            return "confusion"
        return "probabilities" if models == 1 else "roc"
    if isinstance(predictions, Multiclass):
        return "confusion" if predictions.probability is None else "probabilities"
    return "predicted_observed" if isinstance(predictions, Numeric) else "kaplan_meier"


def _of_predictions(result: Any, kind: str) -> Chart:
    from abovechance.plots import from_predictions

    makers = from_predictions.MAKERS
    if kind not in makers:
        raise NotApplicable(
            f"no picture {kind!r} of predictions{did_you_mean(kind, makers) or '.'}"
        )
    if kind not in from_predictions.OVERLAID and len(named(result)) > 1:
        raise NotApplicable(f"{kind} shows one model at a time; plot each alone.")
    return makers[kind](result, from_predictions.SEED)


def _of_curves(result: Any) -> Chart:
    """Curves as they are, of one kind, by name for several."""
    from abovechance.plots.pictures import curves, lines

    found = named(result)
    first = next(iter(found.values()))
    if len({curve.kind for curve in found.values()}) > 1:
        raise NotApplicable("curves drawn together must be of one kind.")
    if first.kind == "roc":
        return curves.roc(found, level=first.level)
    if first.kind == "calibration":
        return curves.calibration(found, level=first.level, titles=(first.x_name, first.y_name))
    if first.kind == "precision_recall":
        shown = {name: until(curve) for name, curve in found.items()}
        return curves.precision_recall(shown, float(first.columns["chance"][0]), level=first.level)
    if first.kind == "decision":
        everyone = Curve(x=first.x, y=first.columns["treat_all"])
        return curves.decision(found, everyone, level=first.level)
    return lines.plain(found, first.title, (first.x_name, first.y_name), first.level)


def _of_result(facts: Mapping[str, Any], kind: str | None) -> Chart:
    from abovechance.plots.pictures.differences import differences, within
    from abovechance.plots.pictures.forest import forest
    from abovechance.plots.pictures.power import power
    from abovechance.plots.pictures.replication import replication
    from abovechance.plots.pictures.sizes import sizes

    makers: dict[str, tuple[str, Callable[[Any], Chart]]] = {
        "differences": ("differences", differences),
        "subgroups": ("interactions", within),
        "forest": ("estimates", forest),
        "sizes": ("sizes", sizes),
        "power": ("cells", power),
        "replication": ("", replication),  # never the usual one
    }
    if kind is None:
        kind = next((k for k, (key, _) in makers.items() if facts.get(key)), None)
        if kind is None:
            raise NotApplicable("there is no picture of this result; print it instead.")
    if kind not in makers:
        raise NotApplicable(f"no picture {kind!r} of a result{did_you_mean(kind, makers) or '.'}")
    return makers[kind][1](facts)
