"""Bounds on false selections: R's numbers, an exact search, and what must hold of any bound."""

import numpy as np
import pytest

from abovechance.inference.stability_selection import (
    concave_tail,
    false_selections,
    least_cutoff,
    most_selected,
    steps_of,
)

ASSUMPTIONS = ("none", "unimodal", "r-concave")


def cases(reference, start):
    return [case for case in reference("selection")["cases"] if case["id"].startswith(start)]


def test_bounds_are_those_of_stabs(reference) -> None:
    """R looks for the r-concave maximum inside intervals, so it may stop below it, never above."""
    found = cases(reference, "bound_")
    assert len(found) == 40
    for case in found:
        value, published = false_selections(**case["input"]), case["expected"]["bound"]["stabs"]
        if "digits" in case:
            assert round(value, case["digits"]) == published, case["id"]
        elif case["input"]["assumption"] != "r-concave":
            assert value == pytest.approx(published, rel=1e-6), case["id"]
        else:
            assert 1 - 1e-6 <= value / published <= 1.06, case["id"]
    close = [c for c in found if c["input"]["assumption"] == "r-concave" and "digits" not in c]
    near = [false_selections(**c["input"]) / c["expected"]["bound"]["stabs"] - 1 for c in close]
    assert sum(abs(one) < 1e-5 for one in near) >= len(near) - 4


def test_numbers_and_cutoffs_are_those_of_stabs(reference) -> None:
    for case in cases(reference, "most_selected_"):
        assert most_selected(**case["input"]) == case["expected"]["selected"]["stabs"]
    for case in cases(reference, "least_cutoff_"):
        assert least_cutoff(**case["input"]) == case["expected"]["cutoff"]["stabs"]


@pytest.mark.parametrize(
    ("mean", "least", "steps", "r"),
    [(0.01, 50, 50, -0.5), (0.1, 100, 100, -0.25), (0.01, 60, 100, -0.25), (0.04, 20, 50, -0.5)],
)
def test_the_worst_tail_is_that_of_a_search_piece_by_piece(mean, least, steps, r) -> None:
    """The same maximum found as the paper describes it: by k, over all a between two roots."""
    from scipy.optimize import brentq

    total, power = mean * steps, 1 / r

    def excess(a, k):
        i = np.arange(k + 1)
        weight = (a + i) ** power
        return i @ weight / weight.sum() - total

    def tail(a, k):
        i = np.arange(k + 1)
        weight = (a + i) ** power
        return 1 - (k + 1 - total) * weight[:least].sum() / ((k + 1 - i) @ weight)

    first = int(np.ceil(2 * total)) + 1
    roots = {first - 1: 1e5}
    for k in range(first, steps + 1):
        roots[k] = brentq(excess, 1e-7, roots[k - 1], args=(k,), xtol=1e-14)
    best = max(
        tail(a, k)
        for k in range(max(first, least - 1), steps)
        for a in np.linspace(roots[k + 1], roots[k], 400)
    )
    assert concave_tail(mean, least, steps, r) == pytest.approx(best, rel=1e-5)


def test_no_r_concave_distribution_has_a_larger_tail() -> None:
    """f^r is convex for r < 0: maxima of straight lines, mean brought to the one asked about."""
    rng = np.random.default_rng(3)
    steps, r = 20, -0.5
    i = np.arange(steps + 1)
    for _ in range(200):
        lines = rng.uniform(-1, 3, 4)[:, None] * (i / steps) + rng.uniform(0.05, 2, 4)[:, None]
        weight = np.maximum(lines.max(axis=0), 0.02) ** (1 / r)
        weight /= weight.sum()
        mean = weight @ i / steps
        for least in (5, 10, 15, 20):
            assert weight[least:].sum() <= concave_tail(mean, least, steps, r) + 1e-9


def test_stronger_assumptions_have_smaller_bounds_and_all_grow_with_the_selection() -> None:
    for cutoff in (0.6, 0.75, 0.9):
        for selected in (1, 3, 6):
            plain, unimodal, concave = (
                false_selections(50, selected, cutoff, 50, kind) for kind in ASSUMPTIONS
            )
            assert concave <= unimodal <= plain <= 50
        for kind in ASSUMPTIONS:
            grown = [false_selections(50, q, cutoff, 50, kind) for q in range(1, 20)]
            assert (np.diff(grown) >= 0).all()


def test_a_bound_beyond_its_reach_says_that_all_may_be_false() -> None:
    assert false_selections(20, 18, 0.55, 50, "unimodal") == 20
    assert false_selections(20, 5, 0.5, 50, "none") == 20
    assert concave_tail(0.6, 50, 100, -0.25) == 1.0
    assert concave_tail(0.01, 101, 100, -0.25) == 0.0
    assert least_cutoff(10, 9, 0.001, 50) is None
    assert most_selected(10, 1e-6, 0.6, 50) == 0


def test_a_cutoff_that_rounding_moved_asks_for_no_more_halves() -> None:
    assert steps_of(0.6, 100) == 60
    assert steps_of(0.1 + 0.2 + 0.3, 100) == 60
    assert steps_of(0.601, 100) == 61


def test_the_bound_of_one_mode_reaches_to_where_shah_and_samworth_prove_it() -> None:
    # half of ten features in each half: from 1/2 + 1/100 + 3/4 * 1/4 = 0.6975 on
    assert false_selections(10, 5, 0.69, 50) == 10
    assert false_selections(10, 5, 0.70, 50) == pytest.approx(2.5 / (2 * 0.39), rel=1e-12)
    assert false_selections(10, 5, 0.72, 50) == pytest.approx(2.5 / (2 * 0.43), rel=1e-12)


def test_the_last_cutoffs_are_to_be_had_too() -> None:
    # with q^2/p = 1 and 50 pairs the bound is 2/51 where all halves agree, 4/51 where all but one
    assert false_selections(100, 10, 1.0, 50) == pytest.approx(2 / 51, rel=1e-12)
    assert least_cutoff(100, 10, 0.08, 50) == 0.99
    assert least_cutoff(100, 10, 0.05, 50) == 1.0
    assert least_cutoff(100, 10, 0.03, 50) is None
