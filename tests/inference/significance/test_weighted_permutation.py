"""Sampling weights and permutations: what is refused, and that the rest holds its level."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from abovechance import assess
from abovechance.errors import NotApplicable
from abovechance.inference import significance
from abovechance.inference.significance.null import orders_for
from abovechance.inference.significance.weighting import Weighted, key, related
from abovechance.measures import applicable, find
from abovechance.predictions import Binary, Multiclass, Numeric, Survival


def by_outcome(rng: np.random.Generator, y: Any, gap: float, spread: float) -> Any:
    return np.where(y, 1.0 + gap, 1.0) * np.exp(spread * rng.normal(size=len(y)))


def rejections(weights: Callable[..., Any], repetitions: int = 100) -> tuple[int, int]:
    """How often a p-value is given, and how often it is at most 0.05, when nothing is going on."""
    rng = np.random.default_rng(11)
    given = small = 0
    for seed in range(repetitions):
        y, p = rng.random(60) < 0.4, 0.45 + 0.55 * rng.random(60)
        predictions = Binary(y, probability=p, sample_weight=weights(rng, y, p))
        try:
            found = significance.permutation(predictions, "brier", draws=99, rng=seed)
        except NotApplicable:
            continue
        given, small = given + 1, small + (found.p_value <= 0.05)
    return given, small


def test_weights_of_the_outcome_times_noise_are_refused() -> None:
    # permuting regardless rejects nearly always: the weights are found
    given, small = rejections(
        lambda rng, y, p: np.where(y, 5.0, 1.0) * rng.uniform(0.9, 1.1, size=len(y))
    )
    assert (given, small) == (0, 0)


def test_the_level_holds_where_dependence_is_too_weak_to_be_seen() -> None:
    # leaving weights with predictions alone rejects 10% here, refused ones not counted
    given, small = rejections(lambda rng, y, p: by_outcome(rng, y, 0.4, 1.0))
    assert given >= 70
    assert small <= 8  # at most 5% of 100, and one and a half standard errors


def test_the_level_holds_where_weights_depend_on_predictions() -> None:
    given, small = rejections(lambda rng, y, p: np.exp(-6 * (p - 0.7)))
    assert given >= 85
    assert small <= 8


def test_power_is_left_where_weights_are_unrelated() -> None:
    rng = np.random.default_rng(2)
    y = rng.random(80) < 0.5
    p = 1 / (1 + np.exp(-(2.0 * y - 1 + rng.normal(size=80))))
    made = Binary(y, probability=p, sample_weight=rng.permutation(np.linspace(1, 3, 80)))
    found = significance.permutation(made, "brier", rng=1, draws=199)
    assert found.p_value == pytest.approx(1 / 200)
    assert found.hypothesis.endswith("weights may depend on one of them, not on both")


def test_every_kind_of_outcome_is_asked() -> None:
    rng = np.random.default_rng(3)
    z, noise = rng.normal(size=90), rng.uniform(0.9, 1.1, size=90)
    x = rng.normal(size=90)
    event = rng.random(90) < 0.5
    three = np.arange(90) % 3
    shares = rng.dirichlet([1, 1, 1], size=90)
    made: list[tuple[Any, str]] = [
        (Numeric(z, x, sample_weight=np.exp(z) * noise), "mse"),
        (Numeric(z, x, sample_weight=(0.2 + z**2) * noise), "mse"),
        (
            Numeric(np.stack([x, z], axis=1), np.stack([z, x], axis=1), sample_weight=np.exp(z)),
            "mse",
        ),
        (Survival(np.exp(z), event, risk=x, sample_weight=np.exp(z) * noise), "c_index"),
        (Survival(np.exp(z), event, risk=x, sample_weight=(1 + event) * noise), "c_index"),
        (Multiclass(three, probability=shares, sample_weight=(1.0 + three) * noise), "brier"),
    ]
    for predictions, measure in made:
        with pytest.raises(NotApplicable, match="weights depend on the outcome"):
            significance.permutation(predictions, measure, draws=19)


def test_spread_alone_is_seen() -> None:
    rng = np.random.default_rng(4)
    y = np.arange(100) % 2
    weight = np.exp(np.where(y == 1, 1.5, 0.2) * rng.normal(size=100))
    place, spread = related(weight, y)
    assert place > 0.05 > spread


def test_kruskal_wallis_is_scipys() -> None:
    from scipy.stats import kruskal

    rng = np.random.default_rng(5)
    weight, part = np.round(rng.exponential(size=50), 1), rng.integers(3, size=50)
    expected = kruskal(*(weight[part == k] for k in range(3))).pvalue
    assert related(weight, part)[0] == pytest.approx(expected, rel=1e-10)


def test_weights_of_clusters_do_not_matter_within_them() -> None:
    groups = np.repeat(np.arange(10), 6)
    y = np.arange(60) % 6 < np.arange(10)[groups] % 5 + 1  # more positives in heavier clusters
    x = np.random.default_rng(6).random(60)
    weight = 1.0 + np.arange(10)[groups] % 5
    made = Binary(y, probability=x, groups=groups, sample_weight=weight)
    assert "within clusters" in significance.permutation(made, "brier", draws=19, rng=1).method
    without = Binary(y, probability=x, sample_weight=weight)
    with pytest.raises(NotApplicable, match="depend on the outcome"):
        significance.permutation(without, "brier", draws=19)


RNG = np.random.default_rng(7)
W = RNG.uniform(1, 3, size=25)
X, Z = RNG.normal(size=25), RNG.random(25)


@pytest.mark.parametrize(
    "made",
    [
        Binary(X > 0, probability=Z, sample_weight=W),
        Multiclass(np.arange(25) % 3, probability=RNG.dirichlet([1, 1, 1], 25), sample_weight=W),
        Numeric(X, Z, sample_weight=W),
        Numeric(np.stack([X, Z], axis=1), np.stack([Z, X], axis=1), sample_weight=W),
        Survival(np.exp(X), X < 1, risk=Z, sample_weight=W),
    ],
)
def test_both_ways_are_the_measures_of_rearranged_cases(made: Any) -> None:
    rows = np.stack([np.arange(25), np.random.default_rng(8).permutation(25)])
    measures = tuple(m for m in applicable(made) if m.higher_is_better is not None)
    found = Weighted(made, measures, orders_for(made)[0]).of(rows)
    for draw, row in enumerate(rows):
        for way, weight in (("stay", W), ("move", W[row])):
            other = rearranged(made, row, weight)
            for m in measures:
                expected = pytest.approx(m.of(other), rel=1e-10, nan_ok=True)
                assert found[key(way, m)][draw] == expected, (m.label, way)


def rearranged(made: Any, row: Any, weight: Any) -> Any:
    """The same predictions beside outcomes in another order, built anew."""
    if isinstance(made, Binary):
        return Binary(made.positive[row], probability=made.probability, sample_weight=weight)
    if isinstance(made, Multiclass):
        columns = np.asarray(made.probability).T
        return Multiclass(made.actual[row], probability=columns, sample_weight=weight)
    if isinstance(made, Numeric):
        return Numeric(made.outcome.T[row], made.value.T, sample_weight=weight)
    return Survival(made.time[row], made.event[row], risk=made.risk, sample_weight=weight)


def test_whole_clusters_of_different_sizes_do_not_exchange_weights() -> None:
    groups = np.repeat(np.arange(8), [1, 2, 3, 4, 5, 1, 2, 3])
    rng = np.random.default_rng(8)
    made = Binary(
        groups % 2, probability=rng.random(21), groups=groups, sample_weight=rng.uniform(1, 2, 21)
    )
    with pytest.raises(NotApplicable, match=r"different sizes|depend on the outcome"):
        significance.permutation(made, "brier")


def test_weighted_tests_do_not_stop_early() -> None:
    made = Binary([0, 1] * 10, score=np.arange(20), sample_weight=np.repeat([1.0, 2.0], 10))
    with pytest.raises(NotApplicable, match="leave stop= out"):
        significance.permutation(made, "auc", stop="gandy")


def test_an_assessment_of_such_weights_has_intervals_and_no_p() -> None:
    rng = np.random.default_rng(9)
    y = rng.random(80) < 0.4
    made = Binary(y, probability=rng.random(80), sample_weight=by_outcome(rng, y, 4.0, 0.1))
    brier = assess(made, ["brier"], rng=1)["brier"]
    assert brier.p_value is None
    assert brier.interval is not None


def test_skill_refuses_weights() -> None:
    made = Binary([0, 1, 0, 1], probability=[0.1, 0.8, 0.3, 0.6], sample_weight=[1, 2, 2, 1])
    with pytest.raises(NotApplicable, match=r"uninformative forecast.*sampling weights"):
        significance.skill(find("brier"), made)
