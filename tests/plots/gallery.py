"""One chart of every kind, from plain numbers, so that no picture waits for an inference."""

from dataclasses import replace
from typing import Any

import numpy as np

from abovechance import examples
from abovechance.inference import curves
from abovechance.inference.curves import Curve
from abovechance.plots.case_pictures import (
    confusion_table,
    predicted_observed,
    probabilities,
    residuals,
)
from abovechance.plots.chart import Chart
from abovechance.plots.curve_pictures import (
    auc_over_time,
    calibration,
    decision,
    kaplan_meier,
    precision_recall,
    roc,
)
from abovechance.plots.result_pictures import (
    densities,
    differences,
    forest,
    histogram,
    power,
    sizes,
)
from abovechance.predictions import Survival


def charts() -> dict[str, Chart]:
    """The charts by the name of their picture."""
    first, second = examples.breast_cancer(), examples.breast_cancer("p_texture")
    models = {"forest": first, "texture": second}
    return {
        "probabilities": probabilities({"": second}),
        "class_probabilities": probabilities({"": examples.iris()}),
        "forest": forest({"estimates": estimates()}),
        "posterior": densities({"accuracy": Triangle(0.8, 0.1), "balanced": Triangle(0.6, 0.2)}),
        "null": histogram(np.sin(np.arange(999.0)) * 0.1 + 0.5, 0.66, title="Area", p="p = 0.001"),
        "roc": roc({name: bandless(curves.roc(p, draws=2)) for name, p in models.items()}),
        "precision_recall": precision_recall(
            {"": replace(bandless(curves.precision_recall(second, draws=2)), summary={})}
        ),
        "calibration": calibration({"": smooth()}),
        "decision": decision({"forest": benefit()}),
        "confusion": confusion_table([[48, 2], [5, 45]], ["well", "sick"]),
        "differences": differences({"differences": compared()}),
        "power": power({"cells": cells()}),
        "sizes": sizes({"sizes": needed(), "target": 0.8}),
        "predicted_observed": predicted_observed({"": examples.diabetes()}),
        "residuals": residuals({"": examples.diabetes()}),
        "kaplan_meier": kaplan_meier({"": survival()}),
        "auc_over_time": auc_over_time({"": smooth(2.0)}),
    }


class Triangle:
    """A triangular density, for want of a posterior."""

    def __init__(self, middle: float, half: float) -> None:
        self.middle, self.half = middle, half

    def pdf(self, x: np.ndarray) -> np.ndarray:
        return np.maximum(0.0, 1 - np.abs(np.asarray(x) - self.middle) / self.half) / self.half

    def ppf(self, q: float | np.ndarray) -> np.ndarray:
        q = np.asarray(q)
        below = self.middle - self.half * (1 - np.sqrt(2 * q))
        above = self.middle + self.half * (1 - np.sqrt(2 * (1 - q)))
        return np.where(q < 0.5, below, above)


def estimates() -> list[dict[str, object]]:
    rows = (("accuracy", "Accuracy", 0.9, 0.6), ("mcc", "Matthews correlation", 0.5, 0.0))
    return [
        {
            "measure": measure,
            "title": title,
            "model": model,
            "value": value - shift,
            "interval": {"low": value - shift - 0.1, "high": value - shift + 0.05, "level": 0.95},
            "chance": chance,
        }
        for measure, title, value, chance in rows
        for model, shift in (("forest", 0.0), ("texture", 0.15))
    ]


def compared() -> list[dict[str, object]]:
    rows = (("AUC", 0.17, 0.1, "forest"), ("Brier", -0.1, 0.05, "forest"), ("F1", 0.01, 0.1, None))
    return [
        {
            "measure": title.lower(),
            "title": title,
            "first": "forest",
            "second": "texture",
            "difference": value,
            "better": better,
            "interval": {"low": value - half, "high": value + half, "level": 0.95},
            "p_value": 0.01,
        }
        for title, value, half, better in rows
    ]


def cells() -> list[dict[str, object]]:
    sizes = (20, 80, 140, 200)
    powers = {"accuracy": (0.123, 0.539, 0.718, 0.852), "auc": (0.2, 0.69, 0.87, 0.96)}
    return [
        {"statistic": name, "n": n, "effect": 0.5, "power": p, "se": 0.012}
        for name, values in powers.items()
        for n, p in zip(sizes, values, strict=True)
    ]


def drawn(x: np.ndarray, y: np.ndarray, **others: Any) -> Curve:
    """A curve from plain numbers."""
    axes = {"x_name": "Predicted probability", "y_name": "Observed frequency"}
    about = {"curve": "any", "title": "Any", "level": 0.95, "method": "", "n": len(x)}
    return Curve(x=x, y=y, **{"low": None, "high": None, **axes, **about, **others})


def bandless(curve: Curve) -> Curve:
    return replace(curve, low=None, high=None)


def smooth(scale: float = 1.0) -> Curve:
    x = np.linspace(0.05, 0.95, 40)
    y = 0.5 + 0.45 * np.sin(3.2 * (x - 0.5))
    return drawn(x * scale, y, low=np.clip(y - 0.1, 0, 1), high=np.clip(y + 0.1, 0, 1))


def benefit() -> Curve:
    x = np.linspace(0.01, 0.99, 60)
    share = 0.37
    everyone = share - (1 - share) * x / (1 - x)
    return drawn(x, share * (1 - x * 0.65), columns={"treat_all": everyone})


def survival() -> Survival:
    place = np.arange(1, 91)
    risk = (place * 0.6180339887) % 1.0
    time = np.round(20 * (1 - 0.7 * risk) * ((place * 0.7548776662) % 1.0), 1)
    return Survival(time, (place % 3 > 0).astype(int), risk=risk)


def needed() -> list[dict[str, Any]]:
    """Cases that three tests need, one of them without a formula."""
    found = (
        ("fisher", 502, [450, 552], 513),
        ("auc", 73, [64, 80], 78),
        ("brier", 82, [72, 90], None),
    )
    return [
        {"statistic": name, "design": "binormal", "n": n, "interval": limits, "formula": formula}
        for name, n, limits, formula in found
    ]
