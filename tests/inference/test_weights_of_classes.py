"""Weights that go with the class: as good as classes sampled apart, whose shares are stated.

Cases of two classes, drawn at different rates and weighted for it, hold what a case-control sample
does. Only how frequent the classes are is then an estimate, so that intervals may be a little
wider: never narrower, which would pass over errors not seen, nor many times as wide.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

import abovechance as ac
from abovechance.measures import applicable

PREVALENCE, STRENGTH = 0.05, 1.5
NARROWEST, WIDEST = 0.75, 5.0


@cache
def _both(threshold: float) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    y = np.arange(240) % 2
    score = rng.normal(size=240) + STRENGTH * y
    odds = np.log(PREVALENCE / (1.0 - PREVALENCE)) + STRENGTH * (score - STRENGTH / 2.0)
    given = {"probability": expit(odds), "threshold": threshold, "pos_label": 1}
    apart = ac.Binary(y, **given)
    weighted = ac.Binary(y, sample_weight=np.where(y == 1, 1.0, 1.0 / PREVALENCE - 1.0), **given)
    names = [m.name for m in applicable(weighted)]
    return (
        ac.assess(weighted, names, rng=1, draws=99),
        ac.assess(apart, names, rng=1, draws=99, sampling="case-control", prevalence=PREVALENCE),
    )


@pytest.mark.parametrize("threshold", [0.05, 0.3, 0.6])
def test_weights_that_go_with_the_class_are_worth_a_stated_prevalence(threshold: float) -> None:
    weighted, stated = _both(threshold)
    compared = 0
    for row in weighted:
        beside = stated[row.measure].interval
        if row.interval is None or beside is None or not np.isfinite(beside.high - beside.low):
            continue
        assert row.value == pytest.approx(stated[row.measure].value, rel=1e-6), row.measure
        times = (row.interval.high - row.interval.low) / (beside.high - beside.low)
        assert NARROWEST <= times <= WIDEST, (row.measure, times)
        compared += 1
    assert compared > 30


def test_weights_of_few_calls_are_remarked_on_in_comparisons() -> None:
    rng = np.random.default_rng(5)
    y = np.arange(100) % 2
    few, many = np.zeros(100, dtype=int), (rng.random(100) < 0.4).astype(int)
    few[:3] = 1
    weight = {"sample_weight": np.where(y == 1, 1.0, 19.0)}
    models = {
        name: ac.Binary(y, label=label, pos_label=1, **weight)
        for name, label in (("few", few), ("many", many))
    }
    said = [a.text for a in ac.compare(models, ["ppv", "sensitivity"], rng=1).advice]
    assert [text[:19] for text in said if "may cover less" in text] == ["few calls 3 cases 1"]
    said = [a.text for a in ac.compare(models, ["sensitivity"], rng=1).advice]
    assert not any("calls" in text for text in said)
    plain = {name: ac.Binary(y, label=p.label, pos_label=1) for name, p in models.items()}
    said = [a.text for a in ac.compare(plain, ["ppv"], rng=1).advice]
    assert not any("calls 3" in text for text in said)
