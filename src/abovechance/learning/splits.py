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
    splitter: Any,
    X: Any,
    labels: Ints,
    groups: Any = None,
    asked: dict[Any, Ints | None] | None = None,
) -> Iterator[tuple[Ints, Ints | None]]:
    """Row numbers of labellings (B, n) of two classes with their folds (·, n), or with None.

    A splitter that does not look at labels has one answer for all of them, and one that deals
    has few. Give the same `asked` again to keep what it has answered.
    """
    kept = {} if asked is None else asked
    if _blind(splitter):
        if not kept:
            kept[None] = folds_of(splitter, X, labels[0], groups)
        one = kept[None]
        yield np.arange(len(labels)), None if one is None else np.tile(one, (len(labels), 1))
    elif _deals(splitter):
        yield from _dealt(splitter, X, labels, groups, kept)
    else:
        for b, row in enumerate(labels):
            found = folds_of(splitter, X, row, groups)
            yield np.array([b]), None if found is None else found[None]


def _dealt(
    splitter: Any, X: Any, labels: Ints, groups: Any, kept: dict[Any, Ints | None]
) -> Iterator[tuple[Ints, Ints | None]]:
    """Folds of a stratified splitter with a fixed seed.

    It deals its folds to each class in the order in which the members come; nothing but the sizes
    of the classes and the class of the first row makes two labellings differ.
    """
    kinds = np.stack([labels[:, 0], labels.sum(axis=1)], axis=1)
    order = np.argsort(labels, axis=1, kind="stable")
    for kind in np.unique(kinds, axis=0):
        alike, key = np.flatnonzero((kinds == kind).all(axis=1)), tuple(kind.tolist())
        if key not in kept:
            found = folds_of(splitter, X, labels[alike[0]], groups)
            kept[key] = None if found is None else found[order[alike[0]]]
        one = kept[key]
        if one is None:
            yield alike, None
            continue
        folds = np.empty((len(alike), labels.shape[1]), dtype=np.int64)
        np.put_along_axis(folds, order[alike], one[None, :], axis=1)
        yield alike, folds


def _deals(splitter: Any) -> bool:
    from sklearn.model_selection import StratifiedKFold

    return type(splitter) is StratifiedKFold and _settled(splitter)


def _blind(splitter: Any) -> bool:
    """Whether a splitter gives the same folds again, whatever the labels."""
    from sklearn.model_selection import (
        GroupKFold,
        KFold,
        LeaveOneGroupOut,
        LeaveOneOut,
        PredefinedSplit,
    )

    kinds = (GroupKFold, KFold, LeaveOneGroupOut, LeaveOneOut, PredefinedSplit)
    return type(splitter) in kinds and _settled(splitter)


def _settled(splitter: Any) -> bool:
    shuffles = getattr(splitter, "shuffle", False)
    return not shuffles or isinstance(splitter.random_state, int)
