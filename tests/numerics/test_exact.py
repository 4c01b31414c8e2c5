"""Exact p-values: complete enumeration, counting, and the hypergeometric, against references."""

import json
from functools import partial
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abovechance.arrays import Array, Floats
from abovechance.errors import AboveChanceError, NotApplicable
from abovechance.numerics.exact import hypergeometric_tails
from abovechance.resampling import (
    LabelPermutations,
    Settings,
    SignFlips,
    countable,
    exact_rank_sum,
    label_sums,
    null_distribution,
    tail,
)

REFERENCES = Path(__file__).parents[1] / "references"


def cases(name: str) -> list[Any]:
    found = json.loads((REFERENCES / f"{name}.json").read_text("utf-8"))["cases"]
    return [pytest.param(case, id=case["id"]) for case in found]


def midranks(values: Array) -> Floats:
    less = (values[:, None] > values).sum(axis=1)
    return less + ((values[:, None] == values).sum(axis=1) + 1) / 2


def label_scores(p: Array) -> dict[str, Floats]:
    """Sums over positives that rise with the goodness of each measure."""
    with np.errstate(divide="ignore"):
        logit = np.log(p) - np.log1p(-p)
    return {"brier": p, "log_score": logit, "auc": midranks(p), "accuracy": (p > 0.5) * 1.0}


def over_positives(score: Floats, positive: Array) -> Array:
    return positive @ score


@pytest.mark.parametrize("case", cases("permutation_exact"))
@pytest.mark.parametrize("measure", ["brier", "log_score", "auc", "accuracy"])
def test_enumerated_permutation_p_values(case: Any, measure: str) -> None:
    y, p = (np.array(case["input"][name]) for name in "yp")
    expected = {name: value["exact"] for name, value in case["expected"].items()}
    score = label_scores(p)[measure]
    scheme = LabelPermutations(y)
    null = null_distribution(
        partial(over_positives, score), scheme, Settings(draws=expected["n_arrangements"])
    )
    assert null.exact
    assert len(null.values) == expected["n_arrangements"]
    found = null.tail(float(score @ y))
    better, tied = expected[f"{measure}_counts_better_tied"]
    assert found.exceed == better + tied
    assert found.p_value == pytest.approx(expected[f"{measure}_p_inclusive"], rel=1e-12)
    assert found.p_strict == pytest.approx(expected[f"{measure}_p_strict"], rel=1e-12)


@pytest.mark.parametrize("case", cases("permutation_exact"))
def test_counted_rank_sums_give_the_enumerated_p(case: Any) -> None:
    y, p = (np.array(case["input"][name]) for name in "yp")
    ranks = (2 * midranks(p)).astype(int)
    found = exact_rank_sum(ranks, int(y.sum()), int(ranks @ y))
    assert found.p_value == pytest.approx(case["expected"]["auc_p_inclusive"]["exact"], rel=1e-12)
    assert found.p_strict == pytest.approx(case["expected"]["auc_p_strict"]["exact"], rel=1e-12)


@pytest.mark.parametrize("case", cases("permutation_exact"))
def test_accuracy_has_the_hypergeometric_p(case: Any) -> None:
    y, p = (np.array(case["input"][name]) for name in "yp")
    predicted = p > 0.5
    hits, margins = int(y[predicted].sum()), (y.size, int(y.sum()), int(predicted.sum()))
    p_value, p_strict = (hypergeometric_tails(x, *margins)[0] for x in (hits, hits + 1))
    expected = {name: value["exact"] for name, value in case["expected"].items()}
    assert p_value == pytest.approx(expected["accuracy_p_inclusive"], rel=1e-12)
    assert p_strict == pytest.approx(expected["accuracy_p_strict"], rel=1e-12, abs=1e-15)


def losses(y: Array, p: Array) -> dict[str, Floats]:
    likelihood = np.where(y == 1, p, 1 - p)
    return {"brier": (y - p) ** 2, "log": -np.log(likelihood), "error01": 1.0 * ((p > 0.5) != y)}


@pytest.mark.parametrize("case", cases("signflip_exact"))
@pytest.mark.parametrize("loss", ["brier", "log", "error01"])
def test_enumerated_sign_flip_p_values(case: Any, loss: str) -> None:
    y, first, second = (np.array(case["input"][name]) for name in ("y", "p", "p2"))
    difference = losses(y, second)[loss] - losses(y, first)[loss]
    null = null_distribution(
        partial(np.inner, difference), SignFlips(y.size), Settings(draws=2**16)
    )
    assert null.exact
    for alternative in ("greater", "less", "two-sided"):
        key = f"{loss}_signflip_p_{alternative.replace('-', '.')}"
        if key not in case["expected"]:
            continue
        expected = pytest.approx(case["expected"][key]["exact"], rel=1e-12)
        observed = float(difference.sum())
        assert null.tail(observed, alternative=alternative).p_value == expected
        if alternative == "two-sided":
            centred = null.tail(observed, alternative=alternative, center=0.0)
            assert centred.p_value == expected


def test_random_permutations_come_near_the_enumerated_p() -> None:
    case = json.loads((REFERENCES / "permutation_exact.json").read_text("utf-8"))["cases"][4]
    y, p = (np.array(case["input"][name]) for name in "yp")
    scores = np.stack(list(label_scores(p).values()))
    null = label_sums(scores, LabelPermutations(y), np.random.default_rng(1), 40_000)
    for row, measure in enumerate(label_scores(p)):
        exact = case["expected"][f"{measure}_p_inclusive"]["exact"]
        found = tail(float(scores[row] @ y), null[:, row]).p_value
        assert abs(found - exact) < 4 * np.sqrt(exact * (1 - exact) / 40_000)


@pytest.mark.parametrize(("n", "positives"), [(9, 2), (9, 4), (9, 7), (12, 6)])
def test_rank_sums_of_any_size_and_ties_count_as_enumeration_does(n: int, positives: int) -> None:
    rng = np.random.default_rng(n * positives)
    ranks = (2 * midranks(rng.integers(0, 6, n))).astype(int)
    every = LabelPermutations(np.arange(n) < positives).enumerate() @ ranks
    for observed in range(every.min() - 1, every.max() + 2):
        found = exact_rank_sum(ranks, positives, observed)
        assert found.p_value == pytest.approx(np.mean(every >= observed), abs=1e-15)
        assert found.p_strict == pytest.approx(np.mean(every > observed), abs=1e-15)


def test_perfect_ranks_have_the_smallest_p_there_is() -> None:
    ranks = 2 * np.arange(1, 61)
    found = exact_rank_sum(ranks, 20, int(ranks[40:].sum()))
    assert found.p_value == pytest.approx(1 / comb(60, 20), rel=1e-12)
    assert found.p_strict == 0


def test_counting_agrees_with_scipy_where_there_are_no_ties() -> None:
    from scipy.stats import mannwhitneyu

    rng = np.random.default_rng(3)
    positive, negative = rng.normal(0.3, size=25), rng.normal(size=30)
    ranks = (2 * midranks(np.concatenate([positive, negative]))).astype(int)
    expected = mannwhitneyu(positive, negative, alternative="greater", method="exact").pvalue
    assert exact_rank_sum(ranks, 25, int(ranks[:25].sum())).p_value == pytest.approx(
        expected, rel=1e-10
    )


def test_what_would_take_too_long_is_refused() -> None:
    ranks = 2 * np.arange(600)
    assert not countable(ranks, 300)
    assert countable(ranks, 2)
    with pytest.raises(NotApplicable, match="draw permutations"):
        exact_rank_sum(ranks, 300, 0)
    with pytest.raises(AboveChanceError, match="both classes"):
        exact_rank_sum([2, 4], 2, 6)
