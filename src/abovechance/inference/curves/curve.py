"""What a curve is: points in order, their limits, and what the axes mean."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from abovechance import __version__
from abovechance.advice import Advice
from abovechance.arrays import Array, Floats
from abovechance.inference.method import pooled
from abovechance.inference.results import Result

FEW_CLUSTERS = 30


@dataclass(frozen=True, kw_only=True, eq=False)
class Curve(Result, kind="curve"):
    """Points (x, y) in order, with pointwise limits of y.

    Attributes
    ----------
    curve, title
        Which curve it is, as a key ("roc", "calibration", …) and in words.
    x_name, y_name
        What the axes show.
    x, y
        The points.
    low, high
        Limits of y at each point; None where there is no band.
    level
        In what share of samples the limits cover the true value at a point.
    method
        How the limits were made, in words.
    n
        Number of cases.
    seed
        Seed of the draws, where there were any.
    columns
        What else is known of each point: thresholds, counts, curves to compare with.
    summary
        What the whole of it comes to: the area under it, its slope.
    advice
        What a reader should know beside the numbers.
    described
        Where the cases came from, when they were read from a file.

    See Also
    --------
    roc, precision_recall, calibration, decision, cost : make curves.

    Examples
    --------
    >>> from abovechance import curves, examples
    >>> curve = curves.calibration(examples.breast_cancer("p_texture"))
    >>> curve.at(0.5)
    {'y': 0.451, 'low': 0.342, 'high': 0.565}
    """

    curve: str
    title: str
    x_name: str
    y_name: str
    x: Floats
    y: Floats
    low: Floats | None
    high: Floats | None
    level: float
    method: str
    n: int
    seed: int | None = None
    columns: Mapping[str, Floats] = field(default_factory=dict)
    summary: Mapping[str, float] = field(default_factory=dict)
    advice: tuple[Advice, ...] = ()
    described: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {"abovechance": __version__, **super().to_dict()}

    def rows(self) -> list[dict[str, Any]]:
        """One row per point."""
        table: dict[str, Floats] = {"x": self.x, "y": self.y}
        if self.low is not None and self.high is not None:
            table |= {"low": self.low, "high": self.high}
        table |= dict(self.columns)
        return [
            {name: value.item() for name, value in zip(table, values, strict=True)}
            for values in zip(*(np.asarray(column) for column in table.values()), strict=True)
        ]

    def at(self, x: float) -> dict[str, float]:
        """y and its limits at some x, linear between points."""
        found = {"y": self.y}
        if self.low is not None and self.high is not None:
            found |= {"low": self.low, "high": self.high}
        return {name: float(np.interp(x, self.x, values)) for name, values in found.items()}


def as_cases_allow(curve: Curve, predictions: Any) -> Curve:
    """The curve without a band where folds were pooled; else as its clusters allow."""
    if pooled(predictions):
        text = (
            "there is no band: predictions pooled over the folds of a cross-validation depend on "
            "each other, and those of different folds need not be on one scale."
        )
        return _bandless(curve, Advice("AC251", text, "Forman & Scholz (2010)"))
    return over_clusters(curve, predictions.cases.groups)


def over_clusters(curve: Curve, groups: Array | None) -> Curve:
    """The curve as its clusters allow: advice where they are few, no band of a single one."""
    units = FEW_CLUSTERS if groups is None else len(np.unique(groups))
    if units >= FEW_CLUSTERS:
        return curve
    if units > 1:
        text = f"{units} clusters are few for a curve: its band may cover less than it says."
        return replace(curve, advice=(*curve.advice, Advice("AC250", text)))
    text = "there is no band: a single cluster does not show how much clusters vary."
    return _bandless(curve, Advice("AC250", text))


def _bandless(curve: Curve, why: Advice) -> Curve:
    limits = [name for name in curve.columns if name.endswith(("_low", "_high"))]
    return replace(
        curve,
        low=None,
        high=None,
        columns={**curve.columns, **{name: np.full(len(curve.x), np.nan) for name in limits}},
        advice=(*curve.advice, why),
    )
