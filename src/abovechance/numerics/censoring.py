"""Times to an event, some censored: Kaplan-Meier estimates, and pairs whose order is known."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.numerics.kernels import worthwhile

# ----------------------------------------------------------------------------------------------
# Kaplan-Meier estimates of surviving, and of remaining under observation.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StepFunction:
    """A function that starts at 1 and takes a new value at each of its times.

    `times` are all distinct times seen, also those at which nothing changes, so the last one says
    how far the data reach. Values may be a batch (..., times).

    Examples
    --------
    >>> survival = StepFunction(np.array([1.0, 2.0]), np.array([0.5, 0.25]))
    >>> survival.at([0.5, 1.0, 9.0]), survival.before([0.5, 1.0, 9.0])
    (array([1.  , 0.5 , 0.25]), array([1.  , 1.  , 0.25]))
    """

    times: Floats
    values: Floats

    def at(self, time: Array | float | list[float]) -> Floats:
        """Value at a time, the jump there included."""
        return self._from_place(np.searchsorted(self.times, time, side="right"))

    def before(self, time: Array | float | list[float]) -> Floats:
        """Value just before a time (limit from the left)."""
        return self._from_place(np.searchsorted(self.times, time, side="left"))

    def _from_place(self, place: Array) -> Floats:
        start = np.ones((*self.values.shape[:-1], 1))
        values: Floats = np.concatenate([start, self.values], axis=-1)[..., place]
        return values


def kaplan_meier(time: Array, event: Array, weight: Array | None = None) -> StepFunction:
    r"""Estimate the probability of surviving each time from partly censored times.

    .. math:: S(t) = \prod_{s \le t} (1 - d_s / r_s)

    with d_s the (weighted) events at s and r_s the cases with time at least s.

    References
    ----------
    Kaplan, Meier (1958).

    Examples
    --------
    >>> kaplan_meier(np.array([1, 2, 2, 3]), np.array([1, 1, 0, 1])).values
    array([0.75, 0.5 , 0.  ])
    """
    times, events, censored = _by_time(time, event, weight)
    return StepFunction(times, _product(events, _at_risk(events + censored)))


def reverse_kaplan_meier(time: Array, event: Array, weight: Array | None = None) -> StepFunction:
    r"""Estimate the probability of not yet being censored, G(t).

    .. math:: G(t) = \prod_{s \le t} (1 - c_s / (r_s - d_s))

    with c_s censorings, d_s events at s and r_s the cases with time at least s: those with an event
    leave before the censorings of the same time. (Swapping the roles in the ordinary estimate
    would keep them at risk; the two differ only where an event and a censoring coincide.)

    Examples
    --------
    >>> reverse_kaplan_meier(np.array([1, 2, 2, 3]), np.array([0, 1, 0, 1])).values
    array([0.75 , 0.375, 0.375])
    """
    times, events, censored = _by_time(time, event, weight)
    return StepFunction(times, _product(censored, _at_risk(events + censored) - events))


def moved_by_censoring(
    time: Array, event: Array, at: Array, just_before: Array, amount: Array
) -> Floats:
    r"""How much each case, counting more, moves a weighted sum of logarithms of G.

    .. math:: \frac{\partial}{\partial w_k} \sum_i a_i \log G(u_i) \;=\;
        \sum_{s \in R_k} \frac{A_s c_s}{r_s (r_s - c_s)} -
        [\delta_k = 0] \frac{A_{T_k}}{r_{T_k} - c_{T_k}}

    with G as in `reverse_kaplan_meier`, `at` the times u, `amount` the a that each weighs, c_s
    censorings, r_s those who could be censored at s, R_k the times at which case k could, and
    A_s the amount of all u from s on; of those that are to be read `just_before`, after s.

    Examples
    --------
    >>> time, event = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1, 0, 1, 1])
    >>> moved_by_censoring(time, event, np.array([3.0]), np.array([True]), np.array([1.0]))
    array([ 0.   , -0.333,  0.167,  0.167])
    """
    times, events, censored = _by_time(time, event, None)
    could = _at_risk(events + censored) - events
    left = could - censored
    sides = (np.searchsorted(times, at, side=side) for side in ("right", "left"))
    steps = np.where(just_before, *reversed(tuple(sides)))
    # an amount is moved by all censorings up to its own time
    amounts = np.bincount(steps, weights=amount, minlength=times.size + 1)
    reach = _at_risk(amounts.astype(np.float64))[1:]
    nobody = np.zeros(times.size)
    own = np.divide(reach, left, out=nobody.copy(), where=left > 0)
    shared = np.cumsum(np.divide(own * censored, could, out=nobody.copy(), where=could > 0))
    place, happened = np.searchsorted(times, time), np.asarray(event, dtype=np.bool_)
    until = np.concatenate([[0.0], shared])[place + ~happened]
    return np.asarray(until - np.where(happened, 0.0, own[place]))


def _by_time(time: Array, event: Array, weight: Array | None) -> tuple[Floats, Floats, Floats]:
    """Distinct times with the weight of events and of censorings at each."""
    order = np.argsort(time)
    ordered = np.asarray(time, dtype=np.float64)[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])[: ordered.size])
    happened = np.asarray(event, dtype=np.float64)[order]
    everyone = np.ones(ordered.size) if weight is None else np.asarray(weight)[..., order]
    events = np.add.reduceat(everyone * happened, starts, axis=-1)
    censored = np.add.reduceat(everyone * (1 - happened), starts, axis=-1)
    return ordered[starts], events, censored


def _at_risk(leaving: Floats) -> Floats:
    return np.cumsum(leaving[..., ::-1], axis=-1)[..., ::-1]


def _product(leaving: Floats, at_risk: Floats) -> Floats:
    share = np.divide(leaving, at_risk, out=np.zeros(leaving.shape), where=leaving > 0)
    return np.cumprod(1 - share, axis=-1)


# ----------------------------------------------------------------------------------------------
# Pairs of cases whose order in time is known: do the risks agree with it?
# ----------------------------------------------------------------------------------------------


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
    unweighted = weight is None and pair_weight is None
    if weight is None and worthwhile(len(time), module="pair_loops" if unweighted else None):
        return _counts_compiled(time, event, risk, event_censored_ties, tau, pair_weight)
    line = _line_up(time, event, risk, event_censored_ties, tau, weight, pair_weight)
    return Concordance(*(float(count.sum()) for count in _pairs_opened(line)))


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
    counts = np.empty((3, line.order.size))
    counts[:, line.order] = _pairs_closed(line)
    counts[:, line.order[line.opener]] += _pairs_opened(line)
    return ConcordanceByCase(*counts)


class Line(NamedTuple):
    """Outcomes in an order, events that open pairs, and from where on each is compared.

    `order` are the outcomes, `opener` places in it, `start` the first place that each opener is
    compared with; no start comes before that of an earlier opener.
    """

    order: Ints
    opener: Ints
    start: Ints


def line_in_time(
    time: Array, event: Array, *, event_censored_ties: bool = True, tau: float | None = None
) -> Line:
    """The line of `concordance_counts`: every event that opens pairs, before whom it precedes."""
    time, event, _ = _prepared(time, event, time, tau)
    order, opener, start, *_ = _sort_plain(time, event, time, event_censored_ties)
    return Line(order, opener, start)


def pairs_in_orders(line: Line, risk: Array, orders: Array) -> tuple[Array, Array]:
    """Later outcomes of lower and of equal risk, for each order and opener.

    `orders` (orders, cases) says whose outcome each case has; every outcome has one case.

    Examples
    --------
    >>> line = line_in_time(np.array([1, 2, 3]), np.array([1, 0, 1]))
    >>> pairs_in_orders(line, np.array([0.9, 0.1, 0.9]), np.array([[0, 1, 2], [1, 0, 2]]))[0]
    array([[1, 0],
           [0, 0]], dtype=int32)
    """
    n, (order, opener, start) = len(risk), line
    position = np.full(n, len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    risk = np.ascontiguousarray(risk, dtype=np.float64)
    below, level = np.empty((2, len(orders), len(opener)), dtype=np.int32)
    if worthwhile(orders.size, module="pair_loops"):
        from abovechance.numerics.kernels import pair_loops as kernel

        ranks = kernel.places_in_order(*kernel.ascending_order(risk))
        orders = np.ascontiguousarray(orders, dtype=np.int64)
        kernel.count_in_orders(orders, len(order), position, ranks, opener, start, below, level)
        return below, level
    rank = np.searchsorted(np.sort(risk), risk)
    lined = np.zeros(len(order) + 1, dtype=np.int64)
    for row, mine in enumerate(orders):
        lined[position[mine]] = rank
        entries, ends = lined[:-1][::-1], len(order) - start[::-1]
        found = _count_before_plain(entries, None, ends, lined[opener[::-1]])
        below[row], level[row] = (count[::-1] for count in found)
    return below, level


def _counts_compiled(
    time: Array,
    event: Array,
    risk: Array,
    event_censored_ties: bool,
    tau: float | None,
    pair_weight: Array | None,
) -> Concordance:
    from abovechance.numerics.kernels import pair_loops as kernel

    time, event, risk = _prepared(time, event, risk, tau)
    opening = np.empty(0) if pair_weight is None else np.ascontiguousarray(pair_weight, float)
    below, level, later = kernel.total_opened(time, event, risk, opening, event_censored_ties)
    return Concordance(below, later - below - level, level)


@dataclass(frozen=True)
class _Line:
    """Cases in order of time, at equal times events before censorings.

    The cases comparable with an event are then all those from some place on.
    """

    compiled: bool
    order: Array
    place: Array  # in the order of risks
    rank: Array  # of the risk: where the risks equal to one's own begin in that order
    top: Array  # where they end
    weight: Floats | None
    opener: Ints  # the events that open pairs
    opening: Floats | None  # weight of each of them
    start: Ints  # first case comparable with each of them


def _line_up(
    time: Array,
    event: Array,
    risk: Array,
    event_censored_ties: bool,
    tau: float | None,
    weight: Array | None,
    pair_weight: Array | None,
) -> _Line:
    time, event, risk = _prepared(time, event, risk, tau)
    unweighted = weight is None and pair_weight is None
    compiled = worthwhile(time.size, module="pair_loops" if unweighted else None)
    sort = _sort_compiled if compiled else _sort_plain
    order, opener, start, place, rank, top = sort(time, event, risk, event_censored_ties)
    weights = None if weight is None else np.asarray(weight, dtype=np.float64)[order]
    opening = None if weights is None else weights[opener]
    if pair_weight is not None:
        factor = np.asarray(pair_weight, dtype=np.float64)[order[opener]]
        opening = factor if opening is None else opening * factor
    place, rank, top = place[order], rank[order], top[order]
    return _Line(compiled, order, place, rank, top, weights, opener, opening, start)


def _prepared(
    time: Array, event: Array, risk: Array, tau: float | None
) -> tuple[Floats, Bools, Floats]:
    time, risk = np.ascontiguousarray(time, float), np.ascontiguousarray(risk, float)
    event = np.ascontiguousarray(event, bool)
    return time, event if tau is None else event & (time < tau), risk


def _sort_plain(
    time: Floats, event: Bools, risk: Floats, event_censored_ties: bool
) -> tuple[Array, ...]:
    order = np.lexsort((~event, time))
    ordered, happened = time[order], _running(event[order])
    opener = np.flatnonzero(event[order])
    start = np.searchsorted(ordered, ordered[opener], side="right")
    if event_censored_ties:
        first = np.searchsorted(ordered, ordered[opener], side="left")
        start = first + happened[start] - happened[first]
    by_risk = np.argsort(risk, kind="stable")
    place = np.empty_like(by_risk)
    place[by_risk] = np.arange(risk.size)
    rank = np.searchsorted(risk, risk, side="left", sorter=by_risk)
    return order, opener, start, place, rank, np.searchsorted(risk, risk, "right", by_risk)


def _sort_compiled(
    time: Floats, event: Bools, risk: Floats, event_censored_ties: bool
) -> tuple[Array, ...]:
    from abovechance.numerics.kernels import pair_loops as kernel

    order, opener, start = kernel.line_up(event, *kernel.ascending_order(time), event_censored_ties)
    return order, opener, start, *kernel.places_in_order(*kernel.ascending_order(risk))


def _pairs_opened(line: _Line) -> tuple[Floats, Floats, Floats]:
    """Later cases with lower, higher and equal risk, for each opening event; weighted pairs."""
    size = line.order.size
    backwards = np.arange(size - 1, -1, -1)
    entered = None if line.weight is None else line.weight[backwards]
    below, level = _count_before(
        line, backwards, entered, size - line.start[::-1], line.opener[::-1]
    )
    later = size - line.start
    if entered is not None:
        later = _running(entered)[later]
    below, level = below[::-1], level[::-1]
    opening = 1.0 if line.opening is None else line.opening
    return opening * below, opening * (later - below - level), opening * level


def _pairs_closed(line: _Line) -> tuple[Floats, Floats, Floats]:
    """Earlier events with higher, lower and equal risk, for each case; weighted pairs."""
    everyone = np.arange(line.order.size)
    end = np.searchsorted(line.start, everyone, side="right")
    below, level = _count_before(line, line.opener, line.opening, end, everyone)
    earlier = end if line.opening is None else _running(line.opening)[end]
    closing = 1.0 if line.weight is None else line.weight
    return closing * (earlier - below - level), closing * below, closing * level


def _count_before(
    line: _Line, entry: Array, weight: Floats | None, end: Ints, question: Array
) -> tuple[Floats, Floats]:
    """Weight of lower and of equal risk among the first `end` entries, for each question."""
    size, rank, asked = line.order.size, line.rank[entry], line.rank[question]
    if not line.compiled:
        return _count_before_plain(rank, weight, end, asked)
    from abovechance.numerics.kernels import pair_loops as kernel

    below, level = np.empty(asked.size), np.empty(asked.size)
    end = np.ascontiguousarray(end)
    if weight is None:
        top = line.top[question]
        kernel.count_before(size, line.place[entry], end, asked, top, below, level)
    else:
        kernel.weigh_before(size, rank, weight, end, asked, below, level)
    return below, level


def _count_before_plain(
    rank: Array, weight: Floats | None, end: Ints, asked: Array
) -> tuple[Floats, Floats]:
    """The same without a loop over cases, in O(n log n).

    All questions descend together through the bits of the ranks, the most significant first; at
    each bit the entries are parted stably into those with 0 and those with 1, so a range of entries
    stays a range (a wavelet matrix).
    """
    weight = np.ones(rank.size) if weight is None else weight
    low, high = np.zeros_like(end), end
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
    return below, running[high] - running[low]


def _running(weight: Array) -> Array:
    return np.concatenate([[0], np.cumsum(weight)])
