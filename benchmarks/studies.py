"""A power study: figure 5b's fifteen statistics on a block of data sets, and the figure in full.

Forty rows, 23 features, 8 balanced folds, 300 permutations, shifts of 0, ¼ and ½. The peers are
timed on a few labellings of the same data sets and scaled to all 301: they spend the same time
on each. Before that their estimators must predict what ours predict, and their statistics must
have our values, on our labellings and folds.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import detection
import harness  # before numpy: it allows one thread to everybody
import numpy as np
from harness import Race, race

from abovechance.signal import evaluate, find, hotelling, srivastava_du
from abovechance.studies import Groups
from abovechance.studies.power_study import Replications
from replications.catalogue import find_study

STUDY = find_study("rosenblatt-fig5b")
TESTS = tuple(test for test in STUDY.tests.values() if test != "oracle")
N = STUDY.n[0]
FEW = 4  # labellings a peer is timed on, the observed one among them
FULL = 4000  # replications behind the published figure
FLOOR = 60


def samples() -> list[tuple[Groups, np.ndarray]]:
    """A data set at every effect, with a few labellings, the observed one first."""
    rng = np.random.default_rng(5)
    drawn = [STUDY.design(N, effect, rng) for effect in STUDY.effects]
    return [
        (one, np.stack([one.labels, *(rng.permutation(one.labels) for _ in range(FEW - 1))]))
        for one in drawn
    ]


def same_results(data: list[tuple[Groups, np.ndarray]]) -> None:
    """Ours, scikit-learn's and hyppo's, on the same labellings and folds."""
    shrunk = find("hotelling_shrink")
    for sample, labels in data:
        rng = np.random.default_rng(1)
        ours = evaluate(sample.X, labels, [hotelling, srivastava_du, shrunk], rng)
        theirs = detection.hyppo_and_loop(sample.X, labels)
        np.testing.assert_allclose(ours[:, :2], theirs, rtol=1e-9)
        np.testing.assert_allclose(
            ours[:, 2], [shrunk.naive(sample.X, row) for row in labels], rtol=1e-9
        )
    sample, _ = data[-1]
    many = np.random.default_rng(2).permuted(np.tile(sample.labels, (10, 1)), axis=1)
    for estimator in detection.scikit_learn().values():
        detection.same_predictions(estimator, sample.X, many)


def ours() -> np.ndarray:
    """P-values of all statistics on a data set at every effect."""
    settings = tuple((N, effect) for effect in STUDY.effects)
    work = Replications(STUDY.design, TESTS, settings, STUDY.draws, STUDY.rule)
    return work(np.random.default_rng(5), 1)


def theirs(data: list[tuple[Groups, np.ndarray]]) -> None:
    """The same statistics on a few labellings of every data set."""
    for sample, labels in data:
        detection.one_by_one(sample.X, sample.labels, labels)


def races() -> Iterator[Race]:
    data = samples()
    same_results(data)
    found = race(
        f"{len(TESTS)} statistics, {len(data)} data sets, {STUDY.draws} permutations",
        ours,
        {"scikit-learn, hyppo, numpy": partial(theirs, data)},
        agree=None,
        rounds=3,
    )
    for block in detection.scaled(found, (STUDY.draws + 1) / FEW, FLOOR):
        yield block
        hours = [FULL * seconds / 3600 for seconds in (block.ours, block.theirs)]
        yield replace(
            block,
            work=(
                f"figure 5b in full, {len(data)} effects × {FULL} replications, extrapolated: "
                f"{hours[0]:.2f} against {hours[1]:,.0f} CPU-hours"
            ),
            ours=FULL * block.ours,
            theirs=FULL * block.theirs,
        )


if __name__ == "__main__":
    sys.exit(
        harness.main(
            "studies",
            "Figure 5b's study against scikit-learn and hyppo",
            races,
            ("scikit-learn", "hyppo"),
        )
    )
