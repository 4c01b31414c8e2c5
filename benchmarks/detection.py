"""Statistics of two groups and accuracies under label permutation, 40 rows, 23 features, 8 folds.

Peers are timed on a few permutations and scaled to all 400: they spend the same time on each.
Their own permutations and folds cannot be ours, so that results are equal is checked beforehand
with scikit-learn's and hyppo's estimators on our labellings and folds.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import harness
import numpy as np
from harness import Race, race
from hyppo.ksample import Hotelling
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import (
    PredefinedSplit,
    StratifiedKFold,
    cross_val_predict,
    permutation_test_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from abovechance import detect, permutation_test
from abovechance.learning import VFold, balanced_folds, cross_validate, recognise
from abovechance.signal import Accuracy, evaluate, find, hotelling, srivastava_du, table

N, P, FOLDS, PERMUTATIONS = 40, 23, 8, 400
FEW, FEWER = 40, 4  # permutations a peer is timed on


def data() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The papers' basic design with a middling shift, and labellings."""
    rng = np.random.default_rng(4)
    y = rng.permutation(np.arange(N) % 2)
    X = rng.normal(size=(N, P)) + 0.25 * y[:, None]
    return X, y, rng.permuted(np.tile(y, (PERMUTATIONS, 1)), axis=1)


def scikit_learn() -> dict[str, Any]:
    """The learners of Table 1."""
    return {
        "lda": LinearDiscriminantAnalysis(),
        "svm.c10": make_pipeline(StandardScaler(), SVC(kernel="linear", C=10.0)),
        "svm.c0.1": make_pipeline(StandardScaler(), SVC(kernel="linear", C=0.1)),
    }


def same_predictions(estimator: Any, X: np.ndarray, labels: np.ndarray) -> None:
    """Ours and scikit-learn's cross-validated predictions on the same labellings and folds."""
    folds = balanced_folds(labels, FOLDS, np.random.default_rng(1))
    ours = cross_validate(recognise(estimator), X, labels, folds)
    for b in range(10):
        theirs = cross_val_predict(estimator, X, labels[b], cv=PredefinedSplit(folds[b]))
        np.testing.assert_array_equal(ours[b], theirs)


def permuted_scores(estimator: Any, X: np.ndarray, y: np.ndarray, permutations: int) -> float:
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    found = permutation_test_score(
        estimator, X, y, cv=folds, n_permutations=permutations, random_state=0
    )
    return float(found[2])


def hyppo_and_loop(X: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """hyppo's Hotelling and Srivastava and Du's formula, one labelling after another."""
    test = Hotelling()
    factor = P * (N - 2) / (N - P - 1)
    return np.array(
        [(factor * test.statistic(X[y == 1], X[y == 0]), srivastava_du.naive(X, y)) for y in labels]
    )


def one_by_one(X: np.ndarray, y: np.ndarray, labels: np.ndarray) -> None:
    """Table 1 with peers: a z-score follows from its accuracy at no cost."""
    hyppo_and_loop(X, labels)
    for row in labels:
        find("hotelling_shrink").naive(X, row)
    for estimator in scikit_learn().values():
        permuted_scores(estimator, X, y, len(labels) - 1)
        for row in labels:
            estimator.fit(X, row).score(X, row)


def scaled(found: list[Race], times: float, floor: float) -> list[Race]:
    """Races in which the peer did one part in `times` of the work."""
    return [replace(r, theirs=r.theirs * times, ratio=r.ratio * times, floor=floor) for r in found]


def accuracy_races(X: np.ndarray, y: np.ndarray, labels: np.ndarray) -> Iterator[Race]:
    for name, floor in (("lda", 2_000), ("svm.c10", 40), ("svm.c0.1", 40)):
        estimator = scikit_learn()[name]
        same_predictions(estimator, X, labels)
        statistic = Accuracy(recognise(estimator), VFold(FOLDS))
        found = race(
            f"{name}, {FOLDS}-fold, {PERMUTATIONS} permutations",
            battery([statistic], X, labels),
            {"permutation_test_score": partial(permuted_scores, estimator, X, y, FEWER - 1)},
            agree=None,
            rounds=3,
        )
        # permutation_test_score also scores the labels as given.
        yield from scaled(found, PERMUTATIONS / FEWER, floor)


def refit_races(X: np.ndarray, y: np.ndarray) -> Iterator[Race]:
    """The public function from call to p-value, one refit by scikit-learn included."""
    for name, floor in (("lda", 100), ("svm.c10", 15)):
        estimator = scikit_learn()[name]
        same_refits(estimator, X, y)
        found = race(
            f"permutation_test of {name}, {FOLDS}-fold, {PERMUTATIONS} permutations",
            lambda estimator=estimator: refitted(estimator, X, y),
            {"permutation_test_score": partial(permuted_scores, estimator, X, y, FEWER - 1)},
            agree=None,
            rounds=3,
        )
        yield from scaled(found, PERMUTATIONS / FEWER, floor)


def detect_races(X: np.ndarray, y: np.ndarray, labels: np.ndarray) -> Iterator[Race]:
    """The public function from call to p-values: draws, checks and the result included."""
    estimator = scikit_learn()["lda"]
    found = race(
        f"detect by lda, {FOLDS}-fold, {PERMUTATIONS} permutations",
        lambda: detect(X, y, tests=["lda.cv8"], draws=PERMUTATIONS, rng=1),
        {"permutation_test_score": partial(permuted_scores, estimator, X, y, FEWER - 1)},
        agree=None,
        rounds=3,
    )
    yield from scaled(found, PERMUTATIONS / FEWER, 500)
    found = race(
        f"detect by Hotelling and Srivastava and Du, {PERMUTATIONS} permutations",
        lambda: detect(X, y, tests=["hotelling", "srivastava_du"], draws=PERMUTATIONS, rng=1),
        {"hyppo and a numpy loop": partial(hyppo_and_loop, X, labels[:FEW])},
        agree=None,
    )
    yield from scaled(found, PERMUTATIONS / FEW, 20)


def refitted(estimator: Any, X: np.ndarray, y: np.ndarray, **settings: Any) -> Any:
    settings = {"draws": PERMUTATIONS, "cv": FOLDS, "rng": 1, "measures": ["accuracy"]} | settings
    return permutation_test(estimator, X, y, **settings)


def same_refits(estimator: Any, X: np.ndarray, y: np.ndarray) -> None:
    """The same values under the same permutations as scikit-learn's refits one by one."""
    fast, slow = refitted(estimator, X, y), refitted(estimator, X, y, draws=10, fast=False)
    assert fast.together
    np.testing.assert_allclose(fast.null["accuracy"][:10], slow.null["accuracy"], rtol=1e-12)


def battery(statistics: list[Any], X: np.ndarray, labels: np.ndarray) -> Callable[[], np.ndarray]:
    return lambda: evaluate(X, labels, statistics, np.random.default_rng(2))


def races() -> Iterator[Race]:
    X, y, labels = data()
    yield from accuracy_races(X, y, labels)
    yield from refit_races(X, y)
    yield from detect_races(X, y, labels)
    found = race(
        f"Hotelling and Srivastava and Du, {PERMUTATIONS} permutations",
        battery([hotelling, srivastava_du], X, labels),
        {"hyppo and a numpy loop": partial(hyppo_and_loop, X, labels[:FEW])},
        agree=lambda ours, theirs: np.testing.assert_allclose(ours[:FEW], theirs, rtol=1e-9),
    )
    yield from scaled(found, PERMUTATIONS / FEW, 150)
    found = race(
        f"Table 1, 15 statistics, {PERMUTATIONS} permutations",
        battery(table("1"), X, labels),
        {"scikit-learn, hyppo, numpy": partial(one_by_one, X, y, labels[:FEWER])},
        agree=None,
        rounds=3,
    )
    yield from scaled(found, PERMUTATIONS / FEWER, 60)


if __name__ == "__main__":
    sys.exit(
        harness.main(
            "detection",
            "Signal detection against scikit-learn and hyppo",
            races,
            ("scikit-learn", "hyppo"),
        )
    )
