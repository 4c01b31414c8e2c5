"""Subgroups of the cases: their order, and how many cases and events each holds."""

import re
from typing import Any

import numpy as np

from abovechance.inference.estimates import Subgroup
from abovechance.predictions import Binary, Predictions, Survival


def subgroup(by: str, predictions: Predictions) -> Subgroup:
    """The size of a subgroup."""
    return Subgroup(by=by, n=int(predictions.total), events=events(predictions))


def events(predictions: Any) -> int | None:
    """How many cases had the event; None where the outcome is no event."""
    counts = predictions.cases.counts
    each = np.ones(predictions.n) if counts is None else counts
    if isinstance(predictions, Binary):
        return int(each[predictions.positive.astype(bool)].sum())
    if isinstance(predictions, Survival):
        return int(each[predictions.event.astype(bool)].sum())
    return None


def in_order(labels: Any) -> list[str]:
    """Subgroups in the order of the numbers in their names, where all have one.

    >>> in_order(["30-44", "45+", "<30"]), in_order(["b", "a"]), in_order(["10", "9"])
    (['<30', '30-44', '45+'], ['a', 'b'], ['9', '10'])
    """
    names = sorted({str(label) for label in labels})
    numbers = [re.search(r"\d+(\.\d+)?", name) for name in names]
    if any(number is None for number in numbers):
        return names
    keys = [
        (float(number.group()), not name.lstrip().startswith(("<", "≤")), name)
        for number, name in zip(numbers, names, strict=True)
        if number is not None
    ]
    return [name for *_, name in sorted(keys)]
