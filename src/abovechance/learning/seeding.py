"""Chance that scikit-learn's objects would take from elsewhere, taken from one seed."""

from copy import copy
from typing import Any

import numpy as np

LARGEST = 2**32  # scikit-learn takes no larger seed


def seeded(estimator: Any, seed: int) -> Any:
    """The estimator with all that it leaves to chance, nested parts too, set by the seed.

    That is every `random_state` that is None, and every splitter that shuffles without one.

    >>> from sklearn.ensemble import RandomForestClassifier
    >>> seeded(RandomForestClassifier(random_state=3), 1).random_state
    3
    >>> seeded(RandomForestClassifier(), 1).random_state is None
    False
    """
    from sklearn.base import clone

    other = clone(estimator)
    given = other.get_params()
    open_ = sorted(name for name, value in given.items() if value is None and _chance(name))
    splitters = sorted(name for name, value in given.items() if hasattr(value, "get_n_splits"))
    states = np.random.SeedSequence(seed).generate_state(len(open_) + len(splitters)).tolist()
    settings: dict[str, Any] = dict(zip(open_, states, strict=False))
    for name, state in zip(splitters, states[len(open_) :], strict=True):
        settings[name] = seeded_splitter(given[name], state)
    return other.set_params(**settings)


def seeded_splitter(cv: Any, seed: int) -> Any:
    """A splitter that shuffles with no `random_state` of its own, given one; else `cv` itself."""
    if getattr(cv, "random_state", seed) is not None or not getattr(cv, "shuffle", True):
        return cv
    other = copy(cv)
    other.random_state = seed % LARGEST
    return other


def _chance(name: str) -> bool:
    return name.rpartition("__")[2] == "random_state"
