"""Every measure, callable: `measures.brier(y, p)`; `find` knows them by all their names."""

from typing import TYPE_CHECKING, Any

from abovechance.lazy import lazily

if TYPE_CHECKING:
    from abovechance.measures.catalogue import applicable, every, find
    from abovechance.measures.categorical import covariate_balanced_accuracy
    from abovechance.measures.evaluation import evaluate, per_class, per_output
    from abovechance.measures.measure import Calibration, Family, Form, LabelScore, Law, Measure
    from abovechance.measures.probability import BrierParts, brier_decomposition
    from abovechance.predictions import View

_HOMES = {
    "BrierParts": "probability",
    "Calibration": "measure",
    "Family": "measure",
    "Form": "measure",
    "LabelScore": "measure",
    "Law": "measure",
    "Measure": "measure",
    "View": "measure",
    "applicable": "catalogue",
    "brier_decomposition": "probability",
    "covariate_balanced_accuracy": "categorical",
    "evaluate": "evaluation",
    "every": "catalogue",
    "find": "catalogue",
    "per_class": "evaluation",
    "per_output": "evaluation",
}

__all__ = [
    "BrierParts",
    "Calibration",
    "Family",
    "Form",
    "LabelScore",
    "Law",
    "Measure",
    "View",
    "applicable",
    "brier_decomposition",
    "covariate_balanced_accuracy",
    "evaluate",
    "every",
    "find",
    "per_class",
    "per_output",
]


_named = lazily(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES or name.startswith("__"):
        return _named(name)
    from abovechance.measures.catalogue import every

    found = every().get(name)
    if found is not None:
        return found
    from abovechance.errors import did_you_mean

    close = did_you_mean(name, __dir__())
    raise AttributeError(f"module 'abovechance.measures' has no attribute {name!r}{close}")


def __dir__() -> list[str]:
    from abovechance.measures.catalogue import every

    return sorted([*__all__, *every()])
