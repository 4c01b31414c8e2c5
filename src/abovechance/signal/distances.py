"""Two-group statistics that compare means of a kernel or of distances between rows."""

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.signal.row_groups import (
    ROUNDING,
    differences,
    distances,
    gaussian_kernel,
    group_size,
    mean_difference,
)
from abovechance.signal.several_groups import (
    Extension,
    distance_covariance,
    independence_criterion,
    kernel_spread,
    linear_score,
    multinomial_score,
    pairwise_energy,
)
from abovechance.signal.statistic import Statistic


def goeman_score(X: Floats, y: Ints) -> float:
    r"""Squared length of the difference of the two groups' means.

    .. math:: \lVert \bar x_1 - \bar x_0 \rVert^2 = u^\top X X^\top u, \quad
        u_i = y_i / n_1 - (1 - y_i) / n_0

    With group sizes fixed the score statistic of the global test is an increasing function of
    it, so their permutation p-values are equal.

    References
    ----------
    Goeman et al. (2004), section 3; Rosenblatt et al. (2019), "Goeman".

    Examples
    --------
    >>> goeman_score(np.array([[0.0, 0.0], [0.0, 2.0], [3.0, 5.0]]), np.array([0, 0, 1]))
    25.0
    """
    return float((mean_difference(X, y) ** 2).sum())


def gretton_mmd(X: Floats, y: Ints) -> float:
    r"""Distance between two groups' mean embeddings under a Gaussian kernel.

    .. math:: \sqrt{\max(0, u^\top K u)}, \quad K_{ij} = e^{-\sigma \lVert x_i - x_j \rVert^2}

    :math:`\sigma` is one over the median squared distance between different rows of the pooled
    sample, so it is the same for every labelling. The software behind the source draws random
    pairs for it anew in every permutation, which only adds noise.

    References
    ----------
    Gretton et al. (2012), equation 5; Rosenblatt et al. (2019), "Gretton".

    Examples
    --------
    >>> gretton_mmd(np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 0, 1, 1]))
    1.1244
    """
    kernel = gaussian_kernel(X)
    ones, zeros = y == 1, y == 0
    within = kernel[np.ix_(ones, ones)].mean() + kernel[np.ix_(zeros, zeros)].mean()
    square = float(within - 2 * kernel[np.ix_(ones, zeros)].mean())
    return square**0.5 if square > ROUNDING else 0.0


def energy_distance(X: Floats, y: Ints) -> float:
    r"""How much farther apart rows of different groups are than rows of the same group.

    .. math:: \frac{n_1 n_0}{n} \bigl( 2\,\overline{\lVert x - x' \rVert}_{10}
        - \overline{\lVert x - x' \rVert}_{11} - \overline{\lVert x - x' \rVert}_{00} \bigr)

    The published paper calls it dCOV; it is the energy statistic, not a distance covariance.

    References
    ----------
    Székely and Rizzo (2004); Rosenblatt et al. (2019), "dCOV".

    Examples
    --------
    >>> energy_distance(np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 0, 1, 1]))
    2.0
    """
    distance = distances(X)
    ones, zeros = y == 1, y == 0
    within = distance[np.ix_(ones, ones)].mean() + distance[np.ix_(zeros, zeros)].mean()
    return group_size(y) * float(2 * distance[np.ix_(ones, zeros)].mean() - within)


def contrasts(labels: Ints) -> Floats:
    """The vectors u whose products with values per row are differences of group means."""
    n1 = labels[0].sum()
    return np.asarray(np.where(labels == 1, 1 / n1, -1 / (labels.shape[1] - n1)))


def _goeman_batch(X: Floats, labels: Ints) -> Floats:
    return np.asarray((differences(X, labels) ** 2).sum(axis=1))


def _mmd_batch(X: Floats, labels: Ints) -> Floats:
    u = contrasts(labels)
    square = ((u @ gaussian_kernel(X)) * u).sum(axis=1)
    return np.sqrt(np.where(square > ROUNDING, square, 0.0))


def _energy_batch(X: Floats, labels: Ints) -> Floats:
    u = contrasts(labels)
    return np.asarray(-group_size(labels[0]) * ((u @ distances(X)) * u).sum(axis=1))


goeman = Statistic(
    name="goeman",
    title="Goeman's global test",
    source="Goeman et al. (2004)",
    naive=goeman_score,
    batch=_goeman_batch,
    aliases=("Goeman",),
    least_group=1,
    of_distances=True,
    several=Extension(
        "Goeman's global test, several classes", "Goeman et al. (2004)", multinomial_score
    ),
    numeric=Extension("Goeman's global test, numbers", "Goeman et al. (2004)", linear_score),
)
mmd = Statistic(
    name="mmd",
    title="Maximum mean discrepancy, Gaussian kernel",
    source="Gretton et al. (2012)",
    naive=gretton_mmd,
    batch=_mmd_batch,
    aliases=("Gretton",),
    least_group=1,
    of_distances=True,
    several=Extension(
        "Spread of mean embeddings, Gaussian kernel", "Gretton et al. (2012)", kernel_spread
    ),
    numeric=Extension(
        "Hilbert–Schmidt independence criterion", "Gretton et al. (2005)", independence_criterion
    ),
)
energy = Statistic(
    name="energy",
    title="Energy distance",
    source="Székely and Rizzo (2004)",
    naive=energy_distance,
    batch=_energy_batch,
    aliases=("dCOV",),
    least_group=1,
    of_distances=True,
    several=Extension(
        "Energy distances between all pairs", "Székely and Rizzo (2004)", pairwise_energy
    ),
    numeric=Extension(
        "Distance covariance", "Székely, Rizzo and Bakirov (2007)", distance_covariance
    ),
)
