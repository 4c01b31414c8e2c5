"""Pairs of cases whose order in time is known: do the risks agree with it?"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from abovechance.arrays import Array, Floats, Ints


class Concordance(NamedTuple):
    """Comparable pairs: the higher risk fails first, fails last, or the risks are equal."""

    concordant: float
    discordant: float
    tied_risk: float


class ConcordanceByCase(NamedTuple):
    """The comparable pairs each case takes part in, as the earlier or as the later one."""

    concordant: Floats
    discordant: Floats
    tied_risk: Floats


def concordance_counts(
    time: Array,
    event: Array,
    risk: Array,
    *,
    event_censored_ties: bool = True,
    tau: float | None = None,
    weight: Array | None = None,
    pair_weight: Array | None = None,
) -> Concordance:
    """Count the pairs whose order in time is known, by the order of their risks.

    A pair is comparable when the earlier time is an event. Two events at the same time are not; an
    event and a censoring at the same time are (the censored case outlives the other) unless
    `event_censored_ties` is false.

    Parameters
    ----------
    tau
        Only events before `tau` open pairs; later ones are read as censored.
    weight
        Weights of the cases; a pair weighs the product of its two.
    pair_weight
        Further weight of all pairs that a case opens by its event; 1 / G(T-)² for Uno's C.

    References
    ----------
    Harrell, Lee, Mark (1996); Uno et al. (2011) for the weighted form.

    Examples
    --------
    >>> concordance_counts(np.array([1, 2, 3]), np.array([1, 0, 1]), np.array([0.9, 0.1, 0.9]))
    Concordance(concordant=1.0, discordant=0.0, tied_risk=1.0)
    """
    line = _line_up(time, event, risk, event_censored_ties, tau, weight, pair_weight)
    below, tied, total = _pairs_opened(line)
    return Concordance(
        float(line.opening @ below),
        float(line.opening @ (total - below - tied)),
        float(line.opening @ tied),
    )


def concordance_by_case(
    time: Array,
    event: Array,
    risk: Array,
    *,
    event_censored_ties: bool = True,
    tau: float | None = None,
    weight: Array | None = None,
    pair_weight: Array | None = None,
) -> ConcordanceByCase:
    """Count for each case the comparable pairs it takes part in, first or second.

    Each pair is counted, with its whole weight, at both of its cases, so the sums are twice those
    of `concordance_counts`.

    Examples
    --------
    >>> by_case = concordance_by_case(np.array([1, 2, 3]), np.array([1, 0, 1]), np.array([3, 2, 1]))
    >>> by_case.concordant
    array([2., 1., 1.])
    """
    line = _line_up(time, event, risk, event_censored_ties, tau, weight, pair_weight)
    below, tied, total = _pairs_opened(line)
    lower, equal, all_earlier = _pairs_closed(line)
    counts = np.empty((3, line.order.size))
    counts[:, line.order] = line.weight * (all_earlier - lower - equal, lower, equal)
    counts[:, line.order[line.opener]] += line.opening * (below, total - below - tied, tied)
    return ConcordanceByCase(*counts)


@dataclass(frozen=True)
class _Line:
    """Cases in order of time, at equal times events before censorings.

    The cases comparable with an event are then all those from some place on.
    """

    order: Ints
    rank: Ints  # of the risk, equal risks equal, from 0
    weight: Floats
    opener: Ints  # places of the events that open pairs
    opening: Floats  # weight of each of them
    start: Ints  # first place comparable with each of them


def _line_up(
    time: Array,
    event: Array,
    risk: Array,
    event_censored_ties: bool,
    tau: float | None,
    weight: Array | None,
    pair_weight: Array | None,
) -> _Line:
    time, event = np.asarray(time), np.asarray(event, dtype=bool)
    event = event if tau is None else event & (time < tau)
    order = np.lexsort((~event, time))
    time, event = time[order], event[order]
    weights = np.ones(time.size) if weight is None else np.asarray(weight, dtype=float)[order]
    opener = np.flatnonzero(event)
    opening = weights[opener]
    if pair_weight is not None:
        opening = opening * np.asarray(pair_weight)[order[opener]]
    start = np.searchsorted(time, time[opener], side="right")
    if event_censored_ties:
        first = np.searchsorted(time, time[opener], side="left")
        events_before = _running(event)
        start = first + events_before[start] - events_before[first]
    rank = np.unique(np.asarray(risk)[order], return_inverse=True)[1]
    return _Line(order, rank, weights, opener, opening, start)


def _pairs_opened(line: _Line) -> tuple[Floats, Floats, Floats]:
    """Weight of later cases with lower risk, equal risk, and any, for each opening event."""
    end = np.full(line.start.size, line.rank.size)
    return _count_in_ranges(line.rank, line.weight, line.start, end, line.rank[line.opener])


def _pairs_closed(line: _Line) -> tuple[Floats, Floats, Floats]:
    """Weight of earlier events with lower risk, equal risk, and any, for each case."""
    end = np.searchsorted(line.start, np.arange(line.rank.size), side="right")
    return _count_in_ranges(
        line.rank[line.opener], line.opening, np.zeros_like(end), end, line.rank
    )


def _count_in_ranges(
    rank: Ints, weight: Floats, low: Ints, high: Ints, asked: Ints
) -> tuple[Floats, Floats, Floats]:
    """Weight of the places low <= place < high with rank below, equal to, and with any rank.

    All questions descend together through the bits of the ranks, the most significant first; at
    each bit the places are parted stably into those with 0 and those with 1, so a range of places
    stays a range (a wavelet matrix): O(n log n) without a loop over cases.
    """
    running = _running(weight)
    total = running[high] - running[low]
    below = np.zeros(asked.size)
    bits = int(max(rank.max(initial=0), asked.max(initial=0))).bit_length()
    for bit in reversed(range(bits)):
        zero = (rank >> bit) & 1 == 0
        zeros, zero_weight = _running(zero), _running(weight * zero)
        upper = (asked >> bit) & 1 == 1
        below += np.where(upper, zero_weight[high] - zero_weight[low], 0.0)
        low = np.where(upper, zeros[-1] + low - zeros[low], zeros[low])
        high = np.where(upper, zeros[-1] + high - zeros[high], zeros[high])
        rank = np.concatenate([rank[zero], rank[~zero]])
        weight = np.concatenate([weight[zero], weight[~zero]])
    running = _running(weight)
    return below, running[high] - running[low], total


def _running(weight: Array) -> Array:
    return np.concatenate([[0], np.cumsum(weight)])
