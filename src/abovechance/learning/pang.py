"""Inverse variances of many features, each drawn towards the common one."""

from functools import lru_cache

import numpy as np

from abovechance.arrays import Floats

STEPS = 101  # shares of shrinkage 0, 0.01, …, 1 are compared
TOGETHER = 16_384  # variances worked on at a time, so that they stay in the cache


def shrunken_precision(variance: Floats, degrees: int, legacy: bool = False) -> Floats:
    r"""Inverse variances (B, p) shrunken towards the inverse of their geometric mean.

    .. math:: \tilde\sigma_j^{-2} = \{h_p / \bar v\}^\alpha \{h_1 / v_j\}^{1 - \alpha}, \quad
        h_P = \frac{2}{\nu} \left[\frac{\Gamma(\nu/2)}{\Gamma(\nu/2 - 1/P)}\right]^P

    with :math:`\bar v` the geometric mean and :math:`\alpha` minimising the estimated Stein risk,
    whose only part that depends on the data is :math:`\bar v^{-\alpha}\,\overline{v^\alpha}`.
    `legacy` repeats the R package sparsediscrim, which has :math:`\bar v^{+\alpha}` there and
    then :math:`\{\bar v / h_p\}^\alpha \{1 / (h_1 v_j)\}^{1 - \alpha}`: the geometric mean is
    inverted twice, so the result depends on the unit of measurement.

    References
    ----------
    Pang, Tong and Zhao (2009), equations 3 to 5, with t = -1.

    Examples
    --------
    >>> shrunken_precision(np.array([[1.0, 1.0, 4.0]]), degrees=10)
    array([[0.72197, 0.72197, 0.26243]])
    """
    p = variance.shape[1]
    if degrees <= 2 or p == 0:
        return np.asarray(1 / variance)
    step = max(1, TOGETHER // p)
    pieces = [variance[k : k + step] for k in range(0, len(variance), step)]
    return np.concatenate([_shrink(np.log(piece), degrees, legacy) for piece in pieces])


def _shrink(logs: Floats, degrees: int, legacy: bool) -> Floats:
    """Shrunken inverse variances (B, p) from logarithms of variances."""
    factor, constant, log_common, log_own = _risk_parts(degrees, logs.shape[1])
    common = logs.mean(axis=1, keepdims=True)
    # v^(k/100) by repeated multiplication: 1 exponential a feature instead of 101.
    root = np.exp((logs if legacy else logs - common) / (STEPS - 1))
    power, means = np.ones_like(root), np.empty((STEPS, len(logs)))
    average = np.full(logs.shape[1], 1 / logs.shape[1])
    for step in range(STEPS):
        means[step] = power @ average
        power *= root
    shares = np.arange(STEPS)[:, None] / (STEPS - 1)
    if legacy:
        means *= np.exp(common[:, 0] * shares)
    risk = factor[:, None] * means + constant[:, None]
    share = risk.argmin(axis=0)[:, None] / (STEPS - 1)
    if legacy:
        return np.asarray(np.exp(share * (common - log_common) - (1 - share) * (logs + log_own)))
    return np.asarray(np.exp(share * (log_common - common) + (1 - share) * (log_own - logs)))


@lru_cache(maxsize=256)
def _risk_parts(degrees: int, p: int) -> tuple[Floats, Floats, float, float]:
    """The parts of the risk that do not depend on the data, for every share of shrinkage."""
    from scipy.special import gammaln, psi

    half = degrees / 2

    def log_h(t: Floats | float, parts: int) -> Floats:
        """log h of degrees and `parts` at t."""
        gammas = gammaln(half) - gammaln(half + np.asarray(t) / parts)
        return np.asarray(np.asarray(t) * np.log(half) + parts * gammas)

    alpha = np.arange(STEPS) / (STEPS - 1)
    log_common, log_own = float(log_h(-1.0, p)), float(log_h(-1.0, 1))
    mixed = alpha * log_common + (1 - alpha) * log_own
    below = (p - 1) * log_h(-alpha / p, 1) + log_h(-(1 - alpha + alpha / p), 1)
    factor = np.exp(mixed - below)
    constant = -mixed + float(psi(half)) - np.log(half) - 1
    factor.setflags(write=False)
    constant.setflags(write=False)
    return factor, constant, log_common, log_own
