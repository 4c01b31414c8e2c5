"""A stability study by forward selection: 100 halves, 4 measures, 8 features and 8 permuted copies.

On Pima diabetes, balanced to 268 cases of each class, where the variable DATA names a folder with
mlbench_PimaIndiansDiabetes.csv (R: write.csv of mlbench's data, row.names = FALSE); else on a
table of scikit-learn's. The peer, scikit-learn's SequentialFeatureSelector once for each half and
measure, is timed on a few halves and scaled to all: it spends the same time on each. Both fit
logistic regression to the same tight tolerance on the same parts, and the features that they
select are checked to be the same before anything is timed.
"""

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import harness
import numpy as np
from harness import Race, race
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SequentialFeatureSelector

import abovechance as ac
from abovechance.inference.forward_selection import splits_of, usual_learner
from abovechance.inference.stability_selection import BLOCK, Pairs
from abovechance.io import read_table
from abovechance.resampling import stream

MEASURES = {
    "accuracy": "accuracy",
    "auc": "roc_auc",
    "brier": "neg_brier_score",
    "log_score": "neg_log_loss",
}
PAIRS, TAKE, SEED = 50, 3, 1
FEW = 4  # halves that the peer is timed on
FILE = "mlbench_PimaIndiansDiabetes.csv"


def data() -> tuple[str, np.ndarray, np.ndarray]:
    """The name of a table, its features with permuted copies, and its classes."""
    rng = np.random.default_rng(0)
    folder = os.environ.get("DATA")
    if folder and (Path(folder) / FILE).is_file():
        table, name = read_table(Path(folder) / FILE), "Pima"
        X = np.column_stack([table.number(n) for n in table.names if n != "diabetes"])
        y = (np.asarray(table.text("diabetes")) == "pos").astype(np.int64)
    else:
        found, name = load_breast_cancer(), "breast cancer"
        X, y = found.data[:, :8], 1 - found.target
    few = np.bincount(y).min()
    kept = np.concatenate([rng.permutation(np.flatnonzero(y == k))[:few] for k in (0, 1)])
    X, y = X[kept], y[kept]
    return name, np.column_stack([X, rng.permuted(X, axis=0)]), y


def ours(X: np.ndarray, y: np.ndarray) -> object:
    """The whole study through the verb."""
    return ac.stability(
        X,
        y,
        measure=list(MEASURES),
        features=TAKE,
        steps=TAKE,
        ties="first",
        draws=PAIRS,
        rng=SEED,
    )


def halves(X: np.ndarray, y: np.ndarray, count: int) -> list[tuple[np.ndarray, tuple]]:
    """The first halves of the study, and what each is fitted and judged on."""
    work = Pairs(None, (), X, y, y, 1 / 3, 0, "first")
    found: list[tuple[np.ndarray, tuple]] = []
    block = 0
    while len(found) < count:
        rng = stream(SEED, block)
        for _ in range(BLOCK):
            found += [(half, splits_of(1 / 3, half, y, y, rng)[0]) for half in work.halves(rng)]
        block += 1
    return found[:count]


def sequential(X: np.ndarray, y: np.ndarray, parts: list[tuple[np.ndarray, tuple]]) -> np.ndarray:
    """What scikit-learn selects (halves, measures, features)."""
    chosen = np.zeros((len(parts), len(MEASURES), X.shape[1]), dtype=bool)
    for h, (half, (train, test)) in enumerate(parts):
        place = {row: i for i, row in enumerate(half)}
        split = [([place[r] for r in train], [place[r] for r in test])]
        for m, scoring in enumerate(MEASURES.values()):
            selector = SequentialFeatureSelector(
                usual_learner(False), n_features_to_select=TAKE, scoring=scoring, cv=split
            )
            chosen[h, m] = selector.fit(X[half], y[half]).get_support()
    return chosen


def same_features(X: np.ndarray, y: np.ndarray) -> None:
    """Both select the same features in the first halves, by every measure."""
    parts = halves(X, y, FEW)
    theirs = sequential(X, y, parts)
    found = ac.stability(
        X,
        y,
        measure=list(MEASURES),
        features=TAKE,
        steps=TAKE,
        ties="first",
        draws=FEW // 2,
        rng=SEED,
    )
    for m, measure in enumerate(MEASURES):
        often = {row.feature: row.frequency for row in found.frequencies if row.selector == measure}
        mine = np.array([often[f"feature {j + 1}"] for j in range(X.shape[1])])
        np.testing.assert_allclose(mine, theirs[:, m].mean(axis=0), atol=1e-12)


def races() -> Iterator[Race]:
    name, X, y = data()
    same_features(X, y)
    parts = halves(X, y, FEW)
    work = (
        f"stability of forward selection, {2 * PAIRS} halves of {name}, {len(MEASURES)} measures, "
        f"{TAKE} of {X.shape[1]} features"
    )
    found = race(
        work,
        lambda: ours(X, y),
        {"SequentialFeatureSelector": lambda: sequential(X, y, parts)},
        agree=None,
        rounds=2,
    )
    times = 2 * PAIRS / FEW
    for one in found:
        yield replace(one, theirs=one.theirs * times, ratio=one.ratio * times, floor=30)


if __name__ == "__main__":
    sys.exit(
        harness.main(
            "selection",
            "Stability of forward selection against scikit-learn",
            races,
            ("scikit-learn",),
            checked=f"the features selected in the first {FEW} halves were checked to be the same "
            f"before timing, and the peer was timed on {FEW} halves and scaled to all",
        )
    )
