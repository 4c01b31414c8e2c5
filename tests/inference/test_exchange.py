"""Studentised exchange: against its definition, on every kind of measure, and where it refuses."""

import dataclasses
from itertools import product

import numpy as np
import pytest

from abovechance.errors import NotApplicable
from abovechance.inference.significance import exchange
from abovechance.inference.significance.exchange import affordable, exchanged
from abovechance.inference.significance.swapping import Swapped, swappable
from abovechance.measures import Family, Form, Law, applicable, find
from abovechance.measures.measure import measure
from abovechance.measures.sample import Sample
from abovechance.predictions import Binary, Multiclass, Numeric, Survival, View
from abovechance.resampling import Resampling, tail


def labelled(n: int, seed: int, k: int = 2) -> list:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(k, size=n - k)])
    made = []
    for _ in range(2):
        label = np.where(rng.random(n) < 0.7, y, rng.integers(k, size=n))
        kind = Binary if k == 2 else Multiclass
        made.append(kind(y, label=label, labels=list(range(k))))
    return made


def pivot(measure, joint: np.ndarray) -> float:
    """Difference over the infinitesimal jackknife's standard error, half a case in every cell."""
    gap = measure.on_counts(joint.sum(axis=2)) - measure.on_counts(joint.sum(axis=1))
    smooth = joint + 0.5 / joint.shape[-1]

    def value(table: np.ndarray) -> float:
        return float(measure.on_counts(table.sum(axis=2)) - measure.on_counts(table.sum(axis=1)))

    total, step = 0.0, 1e-5
    moves = np.zeros(joint.shape)
    for cell in np.ndindex(*joint.shape):
        more, less = smooth.copy(), smooth.copy()
        more[cell] += step
        less[cell] -= step
        moves[cell] = (value(more) - value(less)) / (2 * step)
    moves -= (smooth * moves).sum() / smooth.sum()
    total = (smooth * moves**2).sum()
    return float(gap / np.sqrt(total)) if gap else 0.0


@pytest.mark.parametrize("name", ["f1", "mcc", "kappa", "ppv", "npv"])
def test_tables_equal_exchanging_case_by_case(name: str) -> None:
    first, second = labelled(9, 3)
    chosen = find(name)
    y, a, b = (x.astype(int) for x in (first.positive, first.label, second.label))
    null = []
    for swap in product((False, True), repeat=9):
        joint = np.zeros((2, 2, 2))
        one, other = np.where(swap, b, a), np.where(swap, a, b)
        np.add.at(joint, (y, one, other), 1.0)
        null.append(pivot(chosen, joint))
    joint = np.zeros((2, 2, 2))
    np.add.at(joint, (y, a, b), 1.0)
    observed = pivot(chosen, joint)
    # the two derivatives differ in the sixth digit, so ties are told by five
    expected = tail(
        round(observed, 3), np.round(null, 3), alternative="two-sided", center=0.0, exact=True
    )
    found = exchanged(chosen, first, second)
    assert found.draws is None
    assert found.statistic == pytest.approx(observed, rel=1e-3)
    assert found.p_value == pytest.approx(expected.p_value, rel=1e-9)


@pytest.mark.parametrize("classes", [2, 3])
def test_sides_and_directions(classes: int) -> None:
    first, second = labelled(40, 5, classes)
    how = Resampling(draws=999, seed=1)
    for name, opposite in (("f1", None), ("ppv", "false_discovery_rate")):
        chosen = find(name).for_outcome(first.kind)
        sides = {
            side: exchanged(chosen, first, second, alternative=side, resampling=how).p_value
            for side in ("greater", "less", "two-sided")
        }
        turned = exchanged(chosen, second, first, alternative="less", resampling=how)
        assert turned.p_value == pytest.approx(sides["greater"], abs=0.05)
        assert min(sides["greater"], sides["less"]) <= sides["two-sided"]
        if opposite:
            other = find(opposite).for_outcome(first.kind)
            found = exchanged(other, first, second, alternative="greater", resampling=how)
            assert found.p_value == pytest.approx(sides["greater"], abs=1e-12)


def test_identical_models_have_p_one_for_every_measure() -> None:
    rng = np.random.default_rng(6)
    y = rng.integers(2, size=30)
    model = Binary(y, probability=np.round(rng.random(30), 2))
    seen = 0
    for chosen in applicable(model):
        if chosen.law is Law.UNKNOWN and np.isfinite(chosen.of(model)):
            assert exchange(model, model, chosen, draws=19, rng=1).p_value == 1.0, chosen.name
            seen += 1
    assert seen > 15


def test_rank_measures_do_not_care_about_the_scale_of_the_scores() -> None:
    rng = np.random.default_rng(10)
    y = rng.integers(2, size=40)
    a, b = rng.normal(size=(2, 40)) + y
    plain = exchange(Binary(y, score=a), Binary(y, score=b), "average_precision", draws=49, rng=1)
    scaled = exchange(
        Binary(y, score=a), Binary(y, score=np.exp(5 * b)), "average_precision", draws=49, rng=1
    )
    assert plain == scaled


@measure(
    title="Mean gap",
    form=Form.SAMPLE,
    family=Family.RANK,
    reads=View.SCORE,
    range=(-np.inf, np.inf),
    best=np.inf,
    law=Law.UNKNOWN,
    source="for this test",
    outcomes=frozenset({"binary"}),
)
def mean_gap(outcome, score, weight):
    """Mean score of positives less that of negatives: it depends on the scale."""
    return (outcome * score).mean(axis=-1)


def test_scores_of_unknown_scale_are_not_mixed() -> None:
    y = [0, 1, 1, 0]
    with pytest.raises(NotApplicable, match="scale"):
        exchange(Binary(y, score=[1, 2, 3, 4]), Binary(y, score=[9, 8, 7, 6]), mean_gap)


def test_whole_clusters_are_exchanged() -> None:
    rng = np.random.default_rng(11)
    groups = np.repeat(np.arange(4), 10)
    y = rng.integers(2, size=40)
    models = [Binary(y, label=rng.integers(2, size=40), groups=groups) for _ in range(2)]
    found = exchanged(find("f1"), *models)
    assert found.draws is None
    assert found.least == 0.125
    assert found.p_value * 16 == pytest.approx(round(found.p_value * 16))


def test_survival_brier_is_a_sign_flip_of_weighted_losses() -> None:
    rng = np.random.default_rng(12)
    time, event = rng.exponential(size=12), rng.random(12) < 0.7
    times = np.array([0.3, 0.6])
    models = [
        Survival(time, event, survival=rng.random((12, 1)) * [1.0, 0.7], times=times)
        for _ in range(2)
    ]
    chosen = find("brier_at")
    made = Swapped(chosen, *(Sample.of(p) for p in models))
    everyone = np.eye(12, dtype=bool)
    parts = -made.pivots(everyone) / 2 + made.pivots(np.zeros((1, 12), bool)) / 2
    swap = rng.random((1, 12)) < 0.5
    expected = (np.where(swap[0], -1, 1) * parts).sum()
    assert made.pivots(swap)[0] == pytest.approx(expected, rel=1e-9)


def test_a_jackknife_leaves_out_groups_without_a_value() -> None:
    rng = np.random.default_rng(13)
    y = np.zeros(30, dtype=int)
    y[:2] = 1  # without one of the groups there is one positive case left
    models = [Binary(y, score=rng.normal(size=30) + y) for _ in range(2)]
    made = swappable(find("average_precision"), *models)
    found = made.pivots(rng.random((6, 30)) < 0.5)
    assert np.isfinite(found).all()
    groups = np.where(y == 1, 0, np.arange(30))
    grouped = [Binary(y, score=p.score, groups=groups) for p in models]
    found = swappable(find("average_precision"), *grouped).pivots(rng.random((6, 30)) < 0.5)
    assert np.isfinite(found).all()


def test_an_own_correlation_is_exchanged_on_its_own_scale() -> None:
    rng = np.random.default_rng(4)
    y = rng.normal(size=60)
    one, other = y + rng.normal(size=60), 1000.0 * (y + rng.normal(size=60)) + 500.0
    first, second = Numeric(y, one), Numeric(y, other)
    for name in ("pearson", "spearman"):
        known = find(name)
        own = dataclasses.replace(known, name=f"my_{name}", title="Mine")
        there, here = (
            swappable(m.for_outcome("numeric"), first, second).first.column("value")
            for m in (known, own)
        )
        assert np.array_equal(there, here)
        assert not np.array_equal(there, first.value)
    kept = swappable(find("mse"), first, second).first.column("value")
    assert np.array_equal(kept, first.value)


def test_tables_of_many_classes_are_exchanged_less_often() -> None:
    asked = [affordable(find("kappa"), 500, None, k) for k in (2, 10, 20, 40)]
    assert asked == [9999, 9999, 1249, 199]
    assert affordable(find("kappa"), 500, 5000, 40) == 5000
