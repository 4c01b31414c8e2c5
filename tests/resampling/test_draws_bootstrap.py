"""The bootstrap sweep: equal to scikit-learn on every replicate, the same bits on both paths."""

from typing import Any

import numpy as np
import pytest

from abovechance.errors import DataError
from abovechance.resampling import BayesianBootstrap, Bootstrap, Sorted, binary_bootstrap, sweep


def predictions(n: int, decimals: int, threshold: float = 0.5) -> tuple[Any, Sorted]:
    rng = np.random.default_rng(n + decimals)
    p = np.sort(rng.random(n).round(decimals))
    positive = rng.random(n) < p
    group = np.unique(p, return_inverse=True)[1]
    losses = np.stack([(positive - p) ** 2, rng.random(n), rng.normal(size=n)])
    first = int(np.searchsorted(p, threshold, side="right"))
    return p, Sorted(positive, group, first, losses)


def schemes(cases: Sorted) -> dict[str, Bootstrap]:
    groups = np.random.default_rng(4).integers(0, 9, cases.n)
    return {
        "ordinary": Bootstrap(cases.n, kind="counts"),
        "stratified": Bootstrap(cases.n, strata=cases.positive, kind="counts"),
        "clusters": Bootstrap(cases.n, groups=groups, kind="counts"),
    }


@pytest.mark.part(3)
@pytest.mark.parametrize("kind", ["ordinary", "stratified", "clusters"])
@pytest.mark.parametrize(("n", "decimals"), [(40, 9), (41, 1), (200, 2)])
def test_every_replicate_equals_scikit_learn(path: str, n: int, decimals: int, kind: str) -> None:
    from sklearn.metrics import average_precision_score, confusion_matrix, roc_auc_score

    p, cases = predictions(n, decimals)
    scheme = schemes(cases)[kind]
    found = binary_bootstrap(cases, scheme, np.random.default_rng(1), 30, average_precision=True)
    counts = scheme.draw(np.random.default_rng(1), 30)
    for row, weight in enumerate(counts):
        replicate = {name: values[row] for name, values in found.items()}
        pairs = 2 * replicate["positives"] * replicate["negatives"]
        assert pairs > 0
        auc = roc_auc_score(cases.positive, p, sample_weight=weight)
        assert replicate["doubled_u"] / pairs == pytest.approx(auc, rel=1e-12)
        precision = average_precision_score(cases.positive, p, sample_weight=weight)
        assert replicate["average_precision"] == pytest.approx(precision, rel=1e-12)
        table = confusion_matrix(cases.positive, p > 0.5, sample_weight=weight)
        assert (replicate["fp"], replicate["tp"]) == (table[0, 1], table[1, 1])
        assert (replicate["negatives"], replicate["positives"]) == tuple(table.sum(axis=1))
        assert np.allclose(replicate["losses"], cases.losses @ weight, rtol=1e-12)


@pytest.mark.parametrize("losses", [0, 1, 2, 3])
@pytest.mark.parametrize(("n", "decimals"), [(40, 9), (41, 1)])
@pytest.mark.parametrize("threshold", [-1.0, 0.5, 2.0])
def test_both_paths_agree_to_the_last_bit(
    monkeypatch: pytest.MonkeyPatch, n: int, decimals: int, threshold: float, losses: int
) -> None:
    from abovechance.resampling import random_bits

    _, cases = predictions(n, decimals, threshold)
    cases = Sorted(cases.positive, cases.group, cases.threshold, cases.losses[:losses])
    for scheme in schemes(cases).values():
        for average in (False, True):
            both = []
            for compiled in (False, True):
                monkeypatch.setattr(random_bits, "worthwhile", lambda *_, c=compiled, **__: c)
                rng = np.random.default_rng(2)
                both.append(binary_bootstrap(cases, scheme, rng, 50, average_precision=average))
            assert both[0].keys() == both[1].keys()
            for name, plain in both[0].items():
                assert np.array_equal(plain, both[1][name], equal_nan=True), name
                assert plain.dtype == both[1][name].dtype


@pytest.mark.parametrize("parts", ["none", "strata", "groups"])
def test_compiled_counts_equal_the_plain_ones(monkeypatch: pytest.MonkeyPatch, parts: str) -> None:
    from abovechance.resampling import random_bits

    code = {} if parts == "none" else {parts: np.random.default_rng(3).integers(0, 4, 91)}
    scheme = Bootstrap(91, **code, kind="counts")
    both = []
    for compiled in (False, True):
        monkeypatch.setattr(random_bits, "worthwhile", lambda *_, c=compiled, **__: c)
        both.append(scheme.draw(np.random.default_rng(4), 60))
    np.testing.assert_array_equal(both[0], both[1])


def test_undefined_average_precision_is_not_a_number(path: str) -> None:
    cases = Sorted(np.array([False, True]), np.array([0, 1]), 1, np.zeros((0, 2)))
    rng = np.random.default_rng(1)
    found = binary_bootstrap(cases, Bootstrap(2), rng, 60, average_precision=True)
    assert np.array_equal(np.isnan(found["average_precision"]), found["positives"] == 0)
    assert np.any(found["positives"] == 0)


def test_bayesian_weights_give_weighted_measures() -> None:
    from sklearn.metrics import average_precision_score, roc_auc_score

    p, cases = predictions(60, 1)
    rng = np.random.default_rng(3)
    found = binary_bootstrap(cases, BayesianBootstrap(60), rng, 20, average_precision=True)
    weights = BayesianBootstrap(60).draw(np.random.default_rng(3), 20)
    for row, weight in enumerate(weights):
        pairs = 2 * found["positives"][row] * found["negatives"][row]
        auc = roc_auc_score(cases.positive, p, sample_weight=weight)
        assert found["doubled_u"][row] / pairs == pytest.approx(auc, rel=1e-12)
        precision = average_precision_score(cases.positive, p, sample_weight=weight)
        assert found["average_precision"][row] == pytest.approx(precision, rel=1e-12)


def test_unit_weights_give_the_sample_itself() -> None:
    _, cases = predictions(50, 1)
    found = sweep(cases, np.ones((1, 50), dtype=np.int64))
    assert found["positives"][0] == cases.positive.sum()
    assert found["tp"][0] == cases.positive[cases.threshold :].sum()
    assert np.allclose(found["losses"][0], cases.losses.sum(axis=1))


def test_replicates_have_the_distribution_of_ordinary_resampling() -> None:
    from scipy.stats import ks_2samp
    from sklearn.metrics import roc_auc_score

    p, cases = predictions(80, 1)
    found = binary_bootstrap(cases, Bootstrap(80), np.random.default_rng(5), 20_000)
    ours = found["doubled_u"] / (2 * found["positives"] * found["negatives"])
    rng = np.random.default_rng(6)
    drawn = rng.integers(0, 80, (400, 80))
    theirs = [roc_auc_score(cases.positive[row], p[row]) for row in drawn]
    assert ks_2samp(ours, theirs).pvalue > 0.001


def test_unsorted_cases_and_a_dividing_threshold_are_refused() -> None:
    positive = np.array([True, False, True])
    with pytest.raises(DataError, match="sorted by score"):
        Sorted(positive, np.array([1, 0, 2]), 1, np.zeros((0, 3)))
    with pytest.raises(DataError, match="between two scores"):
        Sorted(positive, np.array([0, 0, 1]), 1, np.zeros((0, 3)))
