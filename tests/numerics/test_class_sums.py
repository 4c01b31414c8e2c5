"""Sums by class: the compiled reading against plain formulas, and joining of parts."""

from dataclasses import fields

import numpy as np
import pytest

from abovechance.numerics.class_sums import (
    ClassSums,
    _class_sums_compiled,
    _class_sums_plain,
    class_sums,
)

SIZES = (1, 127, 128, 129, 5000)


def cases(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.random(n) < 0.3, rng.random(n)


def same(first: ClassSums, second: ClassSums) -> None:
    for part in fields(ClassSums):
        a, b = getattr(first, part.name), getattr(second, part.name)
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-11, err_msg=part.name)


@pytest.mark.parametrize("n", SIZES)
def test_the_compiled_reading_equals_the_formulas(n: int) -> None:
    positive, p = cases(n)
    for ours, plain in zip(
        _class_sums_compiled(positive, p, 0.5), _class_sums_plain(positive, p, 0.5), strict=True
    ):
        same(ours, plain)


@pytest.mark.parametrize("extreme", [0.0, 1.0, 5e-324, 1e-310, 1e-300, 1 - 2**-53])
def test_extreme_probabilities_are_taken_as_they_are(extreme: float) -> None:
    positive, p = cases(1000)
    p[::7] = extreme
    for ours, plain in zip(
        _class_sums_compiled(positive, p, 0.5), _class_sums_plain(positive, p, 0.5), strict=True
    ):
        same(ours, plain)


def test_what_was_called_impossible_or_certain_is_counted_and_left_out_of_logarithms() -> None:
    positives, negatives = class_sums(
        np.array([True, True, False, False, True]), np.array([0.0, 1.0, 0.0, 1.0, 0.5])
    )
    assert (positives.impossible, positives.certain) == (1, 1)
    assert (negatives.impossible, negatives.certain) == (1, 1)
    assert positives.logs == pytest.approx(np.log(0.5), rel=1e-15)
    assert negatives.logs == 0.0


@pytest.mark.parametrize("wrong", [np.nan, -1e-9, 1.0000001, np.inf, -np.inf])
@pytest.mark.parametrize("read", [_class_sums_compiled, _class_sums_plain])
def test_what_is_no_probability_is_not_summed(wrong: float, read: object) -> None:
    positive, p = cases(300)
    p[211] = wrong
    assert read(positive, p, 0.5) is None


def test_minus_zero_is_a_probability() -> None:
    positive, p = cases(6000)
    p[3] = -0.0
    assert class_sums(positive, p) is not None


def test_sums_of_parts_add_up_in_any_order() -> None:
    positive, p = cases(3000)
    cuts = [slice(0, 10), slice(10, 2000), slice(2000, 3000)]
    parts = [class_sums(positive[cut], p[cut]) for cut in cuts]
    whole = class_sums(positive, p)
    for k in (0, 1):
        same(parts[0][k] + parts[1][k] + parts[2][k], whole[k])
        same(parts[2][k] + parts[0][k] + parts[1][k], whole[k])


def test_squared_probabilities_follow_from_losses() -> None:
    positive, p = cases(1000)
    positives, negatives = class_sums(positive, p)
    assert positives.squared_p == pytest.approx((p[positive] ** 2).sum(), rel=1e-12)
    assert negatives.losses == pytest.approx((p[~positive] ** 2).sum(), rel=1e-12)
