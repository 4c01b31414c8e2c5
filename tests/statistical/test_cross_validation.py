"""Naive tests on pooled cross-validation predictions reject too often; assess gives none."""

import numpy as np

from abovechance import assess
from abovechance.predictions import Binary
from statistical import cross_validation


def test_naive_tests_on_pooled_folds_are_liberal() -> None:
    binomial, ranks = cross_validation.rates(1500, 40, 5, 5)
    assert max(binomial, ranks) > 0.065


def test_assess_gives_no_p_value_on_folds() -> None:
    made = cross_validation.pooled(np.random.default_rng(1), 40, 5, 5)
    folds = Binary(made.positive, score=made.score, fold=np.arange(40) % 5)
    found = assess(folds, ["auc"], rng=1)
    assert found["auc"].p_value is None
    assert any(a.code == "AC010" for a in found.advice)
