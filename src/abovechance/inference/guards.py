"""Which cases may be taken for independent: one place where methods turn predictions away.

A method that counts cases holds its level for cases that vary by themselves and count one each.
Predictions pooled over folds, clustered cases and sampling weights are not that: a method has a
version for them, or says here what to use instead.
"""

from typing import Any

import numpy as np

from abovechance.errors import NotApplicable

PERMUTE_CLUSTERS = "significance.permutation permutes whole clusters, or cases within them."
INTERVAL = "compare gives the weighted difference with its bootstrap interval."
BOOTSTRAP = "Take a bootstrap interval (intervals.bootstrap) instead."


def independent(
    predictions: Any, what: str, *, clusters: str | None = None, weights: str | None = BOOTSTRAP
) -> Any:
    """The predictions, a row for every case; refused where `what` would take dependence for none.

    Parameters
    ----------
    what
        The method, as a sentence about it begins.
    clusters, weights
        What to use instead for clusters and for sampling weights; None where the method itself
        allows for them.

    Examples
    --------
    >>> from abovechance.predictions import Binary
    >>> independent(Binary([0, 1], label=[0, 1], counts=[3, 2]), "a test").n
    5
    """
    refuse_dependent(predictions, what, clusters=clusters, weights=weights)
    # not at the top: the default intervals are made of methods that ask here
    from abovechance.inference.defaults import expanded

    return expanded(predictions)


def refuse_dependent(
    predictions: Any, what: str, *, clusters: str | None = None, weights: str | None = BOOTSTRAP
) -> None:
    """As `independent`, for methods that read counts from a table and need no rows."""
    if pooled(predictions):
        raise NotApplicable(
            f"{what} needs independent cases, and predictions pooled over the folds of a "
            "cross-validation depend on each other: their training sets overlap. Refit under "
            "permuted labels (permutation_test), compare models fold by fold (compare), or take "
            "the interval over folds (intervals.nadeau_bengio)."
        )
    if predictions.cases.order is not None:
        raise NotApplicable(
            f"{what} needs independent cases, and those in time order may depend on their "
            "neighbours. compare allows for the order, and so do the intervals of assess."
        )
    if clusters is not None and predictions.cases.groups is not None:
        raise NotApplicable(
            f"{what} needs independent cases, and those of a cluster (groups) may depend on each "
            f"other. {clusters}"
        )
    if weights is not None and predictions.cases.sample_weight is not None:
        raise NotApplicable(
            f"{what} needs cases that count one each, and these have sampling weights. {weights}"
        )


def pooled(predictions: Any) -> bool:
    """Whether predictions of several models of a cross-validation stand together.

    The cases of one fold were predicted by one model that had not seen them: a test set.

    >>> from abovechance.predictions import Binary
    >>> cases = Binary([0, 1, 0, 1], score=[1, 2, 3, 4], fold=[1, 1, 2, 2])
    >>> pooled(cases), pooled(cases.take([0, 1]))
    (True, False)
    """
    if predictions.origin == "test":
        return False
    known = [c for c in (predictions.cases.fold, predictions.cases.repeat) if c is not None]
    return predictions.cases.fold is None or any(len(np.unique(column)) > 1 for column in known)
