"""Adjusted p-values against R's p.adjust and their definitions."""

import numpy as np
import pytest

from abovechance.errors import NotApplicable
from abovechance.inference.multiplicity import (
    adjusted,
    benjamini_hochberg,
    holm,
)

P = [0.01, 0.02, 0.03, 0.04, 0.05]


def test_holm_equals_p_adjust() -> None:
    # R 4.2: p.adjust(c(.01, .02, .03, .04, .05), "holm")
    np.testing.assert_allclose(holm(P), [0.05, 0.08, 0.09, 0.09, 0.09])


def test_benjamini_hochberg_equals_p_adjust() -> None:
    # R 4.2: p.adjust(c(.01, .02, .03, .04, .05), "BH")
    np.testing.assert_allclose(benjamini_hochberg(P), [0.05] * 5)


def test_order_does_not_matter_and_undefined_ones_do_not_count() -> None:
    rng = np.random.default_rng(1)
    p = rng.random(20)
    order = rng.permutation(20)
    for method in (holm, benjamini_hochberg):
        np.testing.assert_allclose(method(p[order]), method(p)[order])
        with_gap = method(np.append(p, np.nan))
        np.testing.assert_allclose(with_gap[:-1], method(p))
        assert np.isnan(with_gap[-1])


def test_adjusted_values_are_never_smaller_and_at_most_one() -> None:
    p = np.random.default_rng(2).random(50) ** 3
    for method in (holm, benjamini_hochberg):
        assert (method(p) >= p).all()
        assert method(p).max() <= 1.0


def test_benjamini_and_hochbergs_findings_are_those_of_the_step_up_procedure() -> None:
    p = np.array([0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205])
    below = np.flatnonzero(np.sort(p) <= 0.05 * np.arange(1, 9) / 8)
    assert (benjamini_hochberg(p) <= 0.05).sum() == below.max() + 1 == 2


def test_methods_by_name() -> None:
    assert adjusted(P, "none").tolist() == P
    assert adjusted([], "holm").size == 0
    with pytest.raises(NotApplicable, match="did you mean 'holm'"):
        adjusted(P, "holmes")
