"""How alike sets of selected features are: Nogueira, Sechidis and Brown's index."""

import numpy as np

from abovechance.arrays import Bools, Floats, Ints


def set_stability(chosen: Bools) -> float:
    r"""How alike M sets of d features are, rows of True and False (M, d).

    .. math:: 1 - \frac{\frac1d \sum_f \frac{M}{M-1} \hat p_f (1 - \hat p_f)}
        {\frac{\bar k}{d} (1 - \frac{\bar k}{d})}

    with :math:`\hat p_f` how often feature f was selected and :math:`\bar k` the mean size. 1 if
    all are the same, 0 on average if they are as different as chance makes them, down to
    −1/(M − 1). Undefined where every set is empty, or every one is full.

    References
    ----------
    Nogueira, Sechidis & Brown (2018), definition 4.

    >>> set_stability(np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], dtype=bool))
    -0.5
    """
    count, features = chosen.shape
    often = chosen.mean(axis=0)
    share = often.sum() / features
    if share in (0.0, 1.0):
        return float("nan")
    apart = count / (count - 1) * (often * (1 - often)).mean()
    return float(1 - apart / (share * (1 - share)))


def set_influences(chosen: Bools) -> Floats:
    """What each set contributes to the index (M,); the index has twice their mean's variance.

    References
    ----------
    Nogueira, Sechidis & Brown (2018), theorem 7.
    """
    features = chosen.shape[1]
    often = chosen.mean(axis=0)
    share, own = often.sum() / features, chosen.mean(axis=1)
    shared = (chosen * often).mean(axis=1) - own * share
    index = set_stability(chosen)
    return np.asarray(
        (shared + index / 2 * (2 * own * share - own - share + 1)) / (share * (1 - share))
    )


def influence_variance(influence: Floats, unit: Ints | None = None) -> float:
    r"""The variance of an index, or of a difference, from the contributions of the sets.

    .. math:: \frac{4}{M^2} \sum_i (\hat\phi_i - \bar\phi)^2

    Sets of one `unit`, such as the two halves of the cases, are not independent of each other;
    their contributions are added before they are squared.

    >>> one = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]], dtype=bool)
    >>> influence_variance(set_influences(one))
    0.0
    """
    left = influence - influence.mean()
    if unit is not None:
        left = np.bincount(unit, weights=left)
    return float(4 / len(influence) ** 2 * (left**2).sum())
