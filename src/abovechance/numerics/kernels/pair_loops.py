"""Compiled loops for pairs in time: sorting by digits, lining up, counting what came before.

The callers in `numerics.censoring` say what is computed; here is only how. A set of places is
kept as bits, and a Fenwick tree counts those set in the words of 64: to ask how many members lie
below a place is to read a few numbers, all of them in cache.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.numerics.kernels import compiled, inlined

Places: TypeAlias = npt.NDArray[np.int32]
Members: TypeAlias = tuple[Array, Places]

FEW, SEVERAL = 1 << 11, 1 << 14  # keys
LONGEST_REPAIR = 64  # places a key may be moved when the digits left out are made up for


@compiled
def ascending_order(values: Floats) -> tuple[Places, Bools]:
    """The order that sorts `values`, equal ones in their given order, and where a new one begins.

    Keys of 64 bits, which order as the values do, are dealt out by their leading digits, from the
    first bit in which any two differ. What the digits left out would have said is put right by
    moving keys past their neighbours; where that takes long, all digits are used.
    """
    n = values.size
    keys, order, begins = np.empty(n, np.uint64), np.empty(n, np.int32), np.ones(n, np.bool_)
    words, differ = values.view(np.int64), np.uint64(0)
    for i in range(n):
        word = words[i]
        word = 0 if word == np.int64(-(2**63)) else word  # the two zeros are one number
        word ^= (word >> 63) & np.int64(2**63 - 1)  # negative numbers descend in their bits
        keys[i] = np.uint64(word) ^ (np.uint64(1) << np.uint64(63))
        order[i] = i
        differ |= keys[i] ^ keys[0]
    high = 0
    while differ:
        differ >>= np.uint64(1)
        high += 1
    # as many bits as tell nearly all apart, in the digits that cost least
    digit, digits = (8, 3) if n <= FEW else (11, 2) if n <= SEVERAL else (11, 3)
    keys, order = _dealt(keys, order, max(0, high - digits * digit), high, digit)
    if not _repaired(keys, order):
        keys, order = _dealt(keys, order, 0, high, digit)
    for k in range(1, n):
        begins[k] = keys[k] != keys[k - 1]
    return order, begins


@compiled
def _dealt(keys: Array, order: Places, low: int, high: int, digit: int) -> tuple[Array, Places]:
    """Keys and what belongs to them, sorted by the bits from `low` to below `high`, stably.

    They are dealt out by so many bits at a time, the lowest first.
    """
    other_keys, other_order = np.empty_like(keys), np.empty_like(order)
    start, mask = np.empty(1 << digit, np.uint64), np.uint64((1 << digit) - 1)
    for at in range(low, high, digit):
        shift = np.uint64(at)
        start[:] = 0
        for i in range(keys.size):
            start[(keys[i] >> shift) & mask] += np.uint64(1)
        total = np.uint64(0)
        for d in range(start.size):
            count = start[d]
            start[d] = total
            total += count
        for i in range(keys.size):
            d = (keys[i] >> shift) & mask
            place = start[d]
            start[d] = place + np.uint64(1)
            other_keys[place] = keys[i]
            other_order[place] = order[i]
        keys, other_keys = other_keys, keys
        order, other_order = other_order, order
    return keys, order


@compiled
def _repaired(keys: Array, order: Places) -> bool:
    """Whether keys that are nearly in order were put in order by moving each a little."""
    for k in range(1, keys.size):
        key, mine, to = keys[k], order[k], k
        while to > 0 and keys[to - 1] > key:
            keys[to], order[to] = keys[to - 1], order[to - 1]
            to -= 1
            if k - to > LONGEST_REPAIR:
                keys[to], order[to] = key, mine
                return False
        keys[to], order[to] = key, mine
    return True


@compiled
def places_in_order(order: Places, begins: Bools) -> tuple[Places, Places, Places]:
    """Place of each case in an order, and where the values equal to its own begin and end.

    A value that occurs once ends where it begins: nobody else is level with it.
    """
    place = np.empty_like(order)
    if begins.all():
        for k in range(order.size):
            place[order[k]] = k
        return place, place, place
    bottom, top = np.empty_like(order), np.empty_like(order)
    first = 0
    while first < order.size:
        end = first + 1
        while end < order.size and not begins[end]:
            end += 1
        for k in range(first, end):
            place[order[k]] = k
            bottom[order[k]] = first
            top[order[k]] = end if end > first + 1 else first
        first = end
    return place, bottom, top


@compiled
def line_up(
    event: Bools, order: Places, begins: Bools, event_censored_ties: bool
) -> tuple[Places, Ints, Ints]:
    """Put events before censorings at equal times; say which events open pairs, and from where."""
    n = event.size
    line, opener, start = order.copy(), np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    opened = first = 0
    while first < n:
        end = first + 1
        while end < n and not begins[end]:
            end += 1
        place = first
        for k in range(first, end):
            if event[order[k]]:
                line[place] = order[k]
                opener[opened + place - first] = place
                place += 1
        begin = place if event_censored_ties else end
        start[opened : opened + place - first] = begin
        opened += place - first
        for k in range(first, end):
            if not event[order[k]]:
                line[place] = order[k]
                place += 1
        first = end
    return line, opener[:opened], start[:opened]


@compiled
def total_opened(
    time: Floats, event: Bools, risk: Floats, opening: Floats, event_censored_ties: bool
) -> tuple[float, float, float]:
    """Pairs opened by events: later cases of lower, equal and any risk, in total.

    The walk is backwards in time; the members are those still to come. `opening` has the weight of
    each case's pairs, or is empty. Whole numbers below 2**53 are added up exactly.
    """
    by_risk, begins_risk = ascending_order(risk)
    places, distinct = places_in_order(by_risk, begins_risk), begins_risk.all()
    order, begins = ascending_order(time)
    # Gathered beforehand, in loops where one fetch from memory need not wait for another.
    happened, place = event[order], places[0][order]
    bottom, top = (place, place) if distinct else (places[1][order], places[2][order])
    members = _nobody(order.size)
    if distinct and begins.all() and not opening.size:
        return _total_without_ties(happened, place, members)
    below = level = later = 0.0
    seen, end = 0, order.size
    while end > 0:
        first = end - 1
        while not begins[first]:
            first -= 1
        alone = end - first == 1
        if event_censored_ties and not alone:
            for k in range(first, end):
                if not happened[k]:
                    _admit(members, place[k])
                    seen += 1
        for k in range(first, end):
            if happened[k]:
                weight = opening[order[k]] if opening.size else 1.0
                count = _count_below(members, bottom[k])
                below += weight * count
                later += weight * seen
                if top[k] > bottom[k]:
                    level += weight * (_count_below(members, top[k]) - count)
        for k in range(first, end):
            if alone or happened[k] or not event_censored_ties:
                _admit(members, place[k])
                seen += 1
        end = first
    return below, level, later


@compiled
def _total_without_ties(
    happened: Bools, place: Places, members: Members
) -> tuple[float, float, float]:
    """The same where no two times and no two risks are equal, without a guess at who had events."""
    below = later = np.int64(0)
    size = happened.size
    for k in range(size - 1, -1, -1):
        event = np.int64(happened[k])
        below += event * _count_below(members, place[k])
        later += event * (size - 1 - k)
        _admit(members, place[k])
    return float(below), 0.0, float(later)


@compiled
def count_before(
    universe: int,
    place: Places,
    end: Ints,
    bottom: Places,
    top: Places,
    below: Floats,
    level: Floats,
) -> None:
    """For each question, how many of the first `end` entries lie below `bottom`, and to `top`."""
    members = _nobody(universe)
    seen = 0
    for question in range(end.size):
        while seen < end[question]:
            _admit(members, place[seen])
            seen += 1
        count = _count_below(members, bottom[question])
        below[question] = count
        level[question] = 0.0
        if top[question] > bottom[question]:
            level[question] = _count_below(members, top[question]) - count


@compiled
def count_in_orders(
    orders: Ints,
    line: int,
    position: Ints,
    ranks: tuple[Places, Places, Places],
    opener: Ints,
    start: Ints,
    below: Places,
    level: Places,
) -> None:
    """For each order and opener, how many from its start on have lower and equal risk.

    `orders` has the outcome of every case, `position` the place of every outcome in the line, or
    the first beyond it; `ranks` are those of `places_in_order`.
    """
    size = orders.shape[1]
    lined = np.empty((3, line + 1), np.int32)
    words, tree = _nobody(size)
    distinct = (ranks[1] == ranks[2]).all()
    for row in range(orders.shape[0]):
        for i in range(size):
            at = position[orders[row, i]]
            lined[0, at], lined[1, at], lined[2, at] = ranks[0][i], ranks[1][i], ranks[2][i]
        words[:] = 0
        tree[:] = 0
        entered = line
        for question in range(opener.size - 1, -1, -1):
            while entered > start[question]:
                entered -= 1
                _admit((words, tree), lined[0, entered])
            at = opener[question]
            count = _count_below((words, tree), lined[1, at])
            below[row, question] = count
            level[row, question] = 0
            if not distinct and lined[2, at] > lined[1, at]:
                level[row, question] = _count_below((words, tree), lined[2, at]) - count


@compiled
def _nobody(universe: int) -> Members:
    words = (universe >> 6) + 1
    return np.zeros(words, np.uint64), np.zeros(words + 1, np.int32)


@inlined
def _admit(members: Members, place: int) -> None:
    words, tree = members
    word = place >> 6
    words[word] |= np.uint64(1) << np.uint64(place & 63)
    node = word + 1
    while node < tree.size:
        tree[node] += 1
        node += node & -node


@inlined
def _count_below(members: Members, place: int) -> int:
    words, tree = members
    word = place >> 6
    count = _ones(words[word] & ((np.uint64(1) << np.uint64(place & 63)) - np.uint64(1)))
    node = word
    while node > 0:
        count += tree[node]
        node &= node - 1
    return count


@compiled
def _ones(word: np.uint64) -> int:
    """Count the bits that are set (compiled to one instruction where there is one)."""
    count = 0
    while word:
        word &= word - np.uint64(1)
        count += 1
    return count


@compiled
def weigh_before(
    universe: int,
    rank: Places,
    weight: Floats,
    end: Ints,
    asked: Places,
    below: Floats,
    level: Floats,
) -> None:
    """For each question, the weight of the first `end` entries that rank below and level."""
    tree, levels = np.zeros(universe + 1), np.zeros(universe)
    seen = 0
    for question in range(end.size):
        while seen < end[question]:
            levels[rank[seen]] += weight[seen]
            node = rank[seen] + 1
            while node <= universe:
                tree[node] += weight[seen]
                node += node & -node
            seen += 1
        node = np.int64(asked[question])
        level[question] = levels[node]
        total = 0.0
        while node > 0:
            total += tree[node]
            node &= node - 1
        below[question] = total
