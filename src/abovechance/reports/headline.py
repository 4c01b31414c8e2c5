"""The answer in a sentence, with its numbers."""

from collections.abc import Mapping
from typing import Any

from abovechance.reports import detections, powers
from abovechance.reports.facts import kind_of, main_difference, primary_rows
from abovechance.reports.sentences import (
    difference_sentence,
    estimate_sentence,
    posterior_sentence,
    values_sentence,
)


def headline(facts: Mapping[str, Any]) -> str:
    """The answer in a sentence or two.

    >>> from abovechance.reports.prose import as_text
    >>> row = {"measure": "auc", "title": "Area under the ROC curve", "value": 0.8, "chance": 0.5}
    >>> as_text(headline({"estimates": [row]}), {})
    'The area under the ROC curve is 0.800, where chance would give 0.500.'
    """
    kind = kind_of(facts)
    if kind == "posterior":
        return posterior_sentence(facts)
    if kind != "estimates":
        return (detections if kind == "detection" else powers).headline(facts)
    difference = main_difference(facts)
    if difference is not None:
        return difference_sentence(difference, facts)
    rows = primary_rows(facts)
    if len(rows) > 1 and all(row["p_value"] is None for row in rows):
        return values_sentence(rows)
    return " ".join(estimate_sentence(row, facts, of_model=len(rows) > 1) for row in rows)
