"""Tests of a model that fail when it got worse, and not when it had bad luck.

An assertion on a value alone fails at random; one on a limit says how sure it is.
"""

import os

import pytest

import abovechance as ac

FILE = os.environ.get("PREDICTIONS", "predictions.csv")


@pytest.fixture(scope="module")
def predictions():
    return ac.read(FILE, outcome="outcome", probability="p_forest", pos_label="malignant")


def test_the_model_discriminates(predictions):
    answer = ac.assess(predictions, ["auc"], rng=1)["auc"]
    assert answer.interval.low > 0.90, str(answer)


def test_the_model_is_not_worse_than_the_one_in_use(predictions):
    used = ac.read(FILE, outcome="outcome", probability="p_texture", pos_label="malignant")
    answer = ac.compare({"new": predictions, "used": used}, ["auc"], margin=0.02, rng=1)
    (row,) = answer
    assert row.interval.low > -0.02, str(answer)
