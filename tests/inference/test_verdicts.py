"""Verdicts at their limits: what a p at the level says, one just above it does not."""

import json
import math
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance.inference.verdicts import verdict


def told(name: str, p: float | None, level: float = 0.95, **other: Any) -> str:
    """The verdict on one measure of an assessment, with another p."""
    y = np.arange(60) % 2
    rng = np.random.default_rng(5)
    made = ac.Binary(y, probability=np.clip(0.3 * y + 0.7 * rng.random(60), 0.02, 0.98))
    facts = json.loads(ac.assess(made, [name], draws=99, rng=1, confidence_level=level).to_json())
    facts["estimates"][0] |= {"p_value": p, **other}
    return verdict(facts)


AUC = ("auc", "Better than chance", "Not shown to be better than chance")
FIT = ("hosmer_lemeshow", "Probabilities are not right", "Probabilities not shown to be wrong")


@pytest.mark.parametrize(
    ("words", "level"), [(AUC, 0.9), (AUC, 0.95), (AUC, 0.99), (FIT, 0.9), (FIT, 0.99)]
)
def test_p_at_the_level_decides_and_just_above_it_does_not(
    words: tuple[str, str, str], level: float
) -> None:
    """As in comparisons, detection and power; 1 - 0.95 itself is a little more than 0.05."""
    name, shown, not_shown = words
    alpha = {0.9: 0.1, 0.95: 0.05, 0.99: 0.01}[level]
    assert told(name, math.nextafter(alpha, 0.0), level) == shown
    assert told(name, alpha, level) == shown
    assert told(name, math.nextafter(alpha, 1.0), level) == not_shown


def test_a_gain_that_lies_below_zero_is_worse_than_a_constant() -> None:
    """Its upper limit decides: below 0 it is worse, at 0 it is not shown to be."""
    skill = {"reference": 0.25, "difference": -0.1, "p_value": 0.9, "test_by": None}
    for high, expected in (
        (-1e-12, "Associated with the outcome, but worse than a constant prediction"),
        (0.0, "Associated with the outcome, skill not shown"),
    ):
        limits = {"low": -0.2, "high": high, "level": 0.95}
        assert told("brier", 0.001, skill={**skill, "interval": limits}) == expected


@pytest.mark.parametrize("models", [3, 4, 5])
def test_the_first_of_several_models_is_better_than_each_of_the_others_or_those_named(
    models: int,
) -> None:
    """Of three models the two others are named; of more they are "each of the others"."""
    rng = np.random.default_rng(8)
    y = np.arange(200) % 2
    made = {
        f"m{k}": ac.Binary(y, probability=np.clip(0.5 + (0.45 if k == 0 else 0.02) * (2 * y - 1)
                                                  + 0.04 * rng.normal(size=200), 0.01, 0.99))
        for k in range(models)
    }  # fmt: skip
    found = ac.compare(made, measures=["brier"], draws=199, rng=1)
    said = found.to_text()
    assert ("each of the others" in " ".join(said.split())) == (models > 3)
