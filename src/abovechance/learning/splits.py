"""Which rows are tested together: scikit-learn's splitters asked once or for many labellings."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from abovechance.arrays import Array, Ints


def splitter_of(estimator: Any, cv: Any, y: Array, groups: Any, rng: Any) -> Any:
    """A scikit-learn splitter: the one given, or one that stratifies and shuffles by `rng`."""
    from sklearn.base import is_classifier
    from sklearn.model_selection import (
        GroupKFold,
        KFold,
        StratifiedGroupKFold,
        StratifiedKFold,
        check_cv,
    )

    classes = is_classifier(estimator)
    if isinstance(cv, int):
        seed = int(rng.integers(2**31)) if isinstance(rng, np.random.Generator) else rng
        seed = None if seed is None else seed % 2**32  # scikit-learn takes none larger
        if groups is not None and classes:
            cv = StratifiedGroupKFold(cv, shuffle=True, random_state=seed)
        elif groups is not None:
            cv = GroupKFold(cv)
        else:
            cv = (StratifiedKFold if classes else KFold)(cv, shuffle=True, random_state=seed)
    return check_cv(cv, y, classifier=classes)


def folds_of(splitter: Any, X: Any, y: Array, groups: Any = None) -> Ints | None:
    """Fold numbers (n,) from 0 on, or None unless every row is tested once, by all the others.

    >>> from sklearn.model_selection import KFold, ShuffleSplit
    >>> folds_of(KFold(2), np.zeros((4, 1)), np.array([0, 1, 0, 1]))
    array([0, 0, 1, 1])
    >>> folds_of(ShuffleSplit(2), np.zeros((4, 1)), np.array([0, 1, 0, 1]))
    """
    folds = np.full(len(y), -1, dtype=np.int64)
    for fold, (train, test) in enumerate(splitter.split(X, y, groups)):
        tested = np.zeros(len(y), dtype=bool)
        tested[test] = True
        others = np.zeros(len(y), dtype=bool)
        others[train] = True
        if (folds[test] >= 0).any() or (tested == others).any() or len(train) != others.sum():
            return None
        folds[test] = fold
    return None if (folds < 0).any() else folds


def folds_of_each(
    splitter: Any, X: Any, labels: Ints, groups: Any = None
) -> Iterator[tuple[Ints, Ints | None]]:
    """Row numbers of labellings (B, n) of two classes with their folds (·, n), or with None.

    A stratified splitter with a fixed seed deals its folds to each class in the order in which
    the members come; nothing but the class of the first row makes two labellings differ. So it is
    asked twice at most.
    """
    if not _deals(splitter):
        for b, row in enumerate(labels):
            found = folds_of(splitter, X, row, groups)
            yield np.array([b]), None if found is None else found[None]
        return
    for first in (0, 1):
        alike = np.flatnonzero(labels[:, 0] == first)
        if not len(alike):
            continue
        one = folds_of(splitter, X, labels[alike[0]], groups)
        if one is None:
            yield alike, None
            continue
        folds = np.empty((len(alike), labels.shape[1]), dtype=np.int64)
        for k in (0, 1):
            members = labels[alike] == k
            folds[members] = np.tile(one[labels[alike[0]] == k], len(alike))
        yield alike, folds


def _deals(splitter: Any) -> bool:
    from sklearn.model_selection import StratifiedKFold

    if type(splitter) is not StratifiedKFold:
        return False
    return not splitter.shuffle or isinstance(splitter.random_state, int)
