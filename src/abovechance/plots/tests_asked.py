"""What the tests of a power study are called, and the settings they were asked in."""

from collections.abc import Mapping
from typing import Any

from abovechance.errors import AboveChanceError
from abovechance.plots.words import as_float, percent

AGAINST_CHANCE = {
    "accuracy": "Binomial test of accuracy",
    "fisher": "Fisher's exact test",
    "auc": "Mann–Whitney test of the AUC",
    "brier": "Permutation test of the Brier score",
    "log_score": "Permutation test of the log score",
}
OF_TWO_MODELS = {
    "accuracy": "McNemar's test of accuracy",
    "auc": "DeLong's test of the AUC",
    "brier": "Sign-flip test of the Brier score",
    "log_score": "Sign-flip test of the log score",
}
TWO_MODELS = ("correlated models", "trained on less")
WIDE = 1.959963984540054  # standard errors in a 95 % interval


def test_title(cell: Mapping[str, Any]) -> str:
    """A test in words, from its name and the design it was simulated in.

    >>> test_title({"statistic": "auc", "design": "binormal"}), test_title({"statistic": "mine"})
    ('Mann–Whitney test of the AUC', 'mine')
    """
    name = str(cell["statistic"])
    known = OF_TWO_MODELS if cell.get("design") in TWO_MODELS else AGAINST_CHANCE
    if cell.get("title"):
        return str(cell["title"])
    if name in known:
        return known[name]
    from abovechance.signal import find

    try:
        return str(find(name).title)
    except AboveChanceError:
        return name


def setting(cell: Mapping[str, Any]) -> str:
    """The effect of a design in words.

    >>> setting({"design": "binormal", "effect": 0.7})
    'a calibrated model with an AUC of 0.7'
    """
    design, effect = str(cell.get("design") or ""), as_float(cell.get("effect"))
    if effect != effect:
        return design
    if design == "binormal":
        return f"a calibrated model with an AUC of {effect:g}"
    if design == "pilot":
        kept = "" if effect == 1 else f", of which {percent(effect)} keep their signal"
        return f"predictions like those of the pilot{kept}"
    return f"{design or 'the design'} with effect {effect:g}"


def power_limits(cell: Mapping[str, Any]) -> tuple[float, float]:
    """The interval of a power, or what its standard error gives."""
    if cell.get("interval"):
        return as_float(cell["interval"]["low"]), as_float(cell["interval"]["high"])
    power, se = as_float(cell["power"]), as_float(cell.get("se") or 0.0)
    return max(power - WIDE * se, 0.0), min(power + WIDE * se, 1.0)
