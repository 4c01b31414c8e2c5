"""What a reader should know of a detection before believing it."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array, Floats
from abovechance.errors import listed
from abovechance.learning.learners import (
    LDA,
    DiagonalLDA,
    RegularisedDA,
    ShrunkenDiagonalLDA,
    class_means,
    varies,
)
from abovechance.signal import Accuracy, Statistic

UNITS = 10  # times: standard deviations of features so unequal that their units decide
LEVEL = 0.05
PAPER = "Rosenblatt et al. (2019)"
DISCRIMINANTS = (LDA, DiagonalLDA, ShrunkenDiagonalLDA, RegularisedDA)

Named = Sequence[tuple[str, Any]]  # statistics with the names of their rows


def advice_on(
    X: Floats, outcome: Array, statistics: Named, columns: Sequence[str] | None, labellings: float
) -> Iterator[Advice]:
    """Remarks on features (n, p), outcomes and statistics, of so many different labellings."""
    yield from _on_accuracies(X, outcome, statistics)
    yield from _on_features(X, outcome, statistics, columns)
    if 1 / labellings > LEVEL:
        yield Advice(
            "AC564",
            f"permuting gives only {labellings:.0f} different labellings, so p cannot fall much "
            f"below {1 / labellings:.2g}; more cases or blocks are needed.",
        )


def advice_on_draws(draws: int, level: float, shared: int) -> Iterator[Advice]:
    """A remark where no p of so many draws can be as small as its part of a shared level."""
    needed = math.ceil(shared / level) - 1
    if draws < needed:
        many = "" if shared == 1 else f", the part of {level:g} that each of {shared} tests has"
        yield Advice(
            "AC566",
            f"{draws} draws cannot give a p of {level / shared:.3g}{many}, so nothing can be "
            f"rejected; allow at least {needed}, and several times as many to decide early.",
        )


def _on_accuracies(X: Floats, outcome: Array, statistics: Named) -> Iterator[Advice]:
    n, p = X.shape
    accuracies = [name for name, s in statistics if isinstance(s, Accuracy)]
    inside = [name for name in accuracies if ".resub" in name]
    if inside and p >= n / 4:
        yield Advice(
            "AC560",
            f"{', '.join(inside)}: with {p} features for {n} cases a learner fits any labelling "
            "nearly perfectly, so its accuracy on the same cases has little or no power.",
            PAPER,
        )
    discrete = [name for name in accuracies if ".b632" not in name and ".bloo" not in name]
    if discrete and n < 100:
        yield Advice(
            "AC561",
            f"{', '.join(discrete)}: an accuracy over {n} cases takes few values, so its test is "
            "conservative; a two-group statistic or a bootstrap accuracy detects more.",
            PAPER,
        )
    rough = [name for name, s in statistics if _inverts(s)]
    if rough and p >= n / 4:
        yield Advice(
            "AC567",
            f"{', '.join(rough)}: with {p} features for {n} cases the inverse of a covariance is "
            "mostly noise; regularise: hotelling_shrink or srivastava_du of two groups, hdrda or a "
            "support vector machine with a small cost as learner.",
            PAPER,
        )
    scaled = [name for name, s in statistics if isinstance(s, Accuracy) and s.scaling != "plain"]
    if scaled:
        yield Advice(
            "AC568",
            f"{', '.join(scaled)}: do not z-score accuracies to test them; permutation needs no "
            "scaling, and dividing by an estimated spread only adds noise.",
            PAPER,
        )
    if len(accuracies) == len(statistics) and outcome.max() == 1:
        yield Advice(
            "AC562",
            "to detect a difference, prefer a two-group statistic such as srivastava_du or "
            "hotelling_shrink; keep accuracy for how well classes can be told apart.",
            PAPER,
        )


def _inverts(statistic: Any) -> bool:
    """Whether a statistic inverts a covariance as it was estimated."""
    if isinstance(statistic, Accuracy):
        return type(statistic.learner) is LDA
    return isinstance(statistic, Statistic) and statistic.full_rank


def _on_features(
    X: Floats, outcome: Array, statistics: Named, columns: Sequence[str] | None
) -> Iterator[Advice]:
    spread = X.std(axis=0)
    near = [name for name, s in statistics if isinstance(s, Statistic) and s.of_distances]
    if near and spread.max() > UNITS * spread.min():
        yield Advice(
            "AC563",
            f"{', '.join(near)}: distances between rows depend on the units of the features, "
            "which differ much in spread here; consider standardise=True (--standardise).",
        )
    blind = [
        name
        for name, s in statistics
        if isinstance(s, Accuracy) and isinstance(s.learner, DISCRIMINANTS)
    ]
    if not blind or outcome.dtype.kind == "f":
        return
    means, _ = class_means(X, outcome)
    still = np.flatnonzero(~varies(X - means[outcome], X)).tolist()
    if still:
        called = [repr(columns[j]) if columns else j + 1 for j in still]
        yield Advice(
            "AC565",
            f"{', '.join(blind)}: discriminants leave out features that do not vary within "
            f"classes, and column {listed(called)} separates the classes "
            "without varying in any; use a support vector machine or a two-group statistic.",
        )
