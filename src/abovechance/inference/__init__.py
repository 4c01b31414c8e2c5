"""Estimates, intervals, tests and comparisons, chosen by a measure's law and the data's origin."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abovechance.inference.assessment import assess
    from abovechance.inference.estimates import Assessment, Estimate, Skill
    from abovechance.inference.results import Interval, Result

_HOMES = {
    "Assessment": "estimates",
    "Estimate": "estimates",
    "Interval": "results",
    "Result": "results",
    "Skill": "estimates",
    "assess": "assessment",
}

__all__ = ["Assessment", "Estimate", "Interval", "Result", "Skill", "assess"]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'abovechance.inference' has no attribute {name!r}")
    value = getattr(import_module(f"abovechance.inference.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
