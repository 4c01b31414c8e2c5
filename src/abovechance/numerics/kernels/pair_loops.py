"""Compiled loops for pairs in time: sorting by packed keys, lining up, counting what came before.

The callers in `numerics.concordance` say what is computed; here is only how. A set of places is
kept as bits. Each word of 64 bits knows how many are set before it in its group of 32 words, each
group how many in its section of 32 groups, and a Fenwick tree sums the sections. Those
counts have 16 bits, so that one addition raises four of them, and to ask how many members lie
below a place is to read a few numbers, all of them in cache.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.numerics.kernels import compiled, inlined

Places: TypeAlias = npt.NDArray[np.int32]
Members: TypeAlias = tuple[Array, Array, Array, Ints, Array]

LONGEST_REPAIR = 64  # places an entry may be moved when truncated keys are put right


def ascending_order(values: Floats) -> tuple[Places, Bools]:
    """The order that sorts `values`, equal ones in their given order, and where a new one begins.

    Sorting numbers is several times faster than sorting references to them: each key carries its
    own place in its lowest bits. Keys whose remaining bits agree are put right afterwards.
    """
    bits = max(1, int(values.size - 1).bit_length())
    keys = np.empty(values.size, dtype=np.int64)
    _pack(values.view(np.int64), bits, keys)
    keys.sort()
    order = np.empty(values.size, dtype=np.int32)
    begins = np.ones(values.size, dtype=np.bool_)
    if not _unpack(keys, bits, values, order, begins):
        order = np.argsort(values, kind="stable").astype(np.int32)
        begins[1:] = values[order[1:]] != values[order[:-1]]
    return order, begins


@compiled
def _pack(words: Ints, bits: int, keys: Ints) -> None:
    mask = (np.int64(1) << bits) - 1
    for i in range(keys.size):
        word = words[i]
        word = 0 if word == np.int64(-(2**63)) else word  # the two zeros are one number
        word ^= (word >> 63) & np.int64(2**63 - 1)  # negative numbers descend in their bits
        keys[i] = (word & ~mask) | i


@compiled
def _unpack(keys: Ints, bits: int, values: Floats, order: Places, begins: Bools) -> bool:
    mask = (np.int64(1) << bits) - 1
    start = 0
    for k in range(keys.size):
        i = keys[k] & mask
        order[k] = i
        if k > 0 and (keys[k] ^ keys[k - 1]) <= mask:
            to = k
            while to > start and values[order[to - 1]] > values[i]:
                order[to] = order[to - 1]
                to -= 1
                if k - to > LONGEST_REPAIR:
                    return False
            order[to] = i
        else:
            for j in range(start + 1, k):
                begins[j] = values[order[j]] != values[order[j - 1]]
            start = k
    for j in range(start + 1, keys.size):
        begins[j] = values[order[j]] != values[order[j - 1]]
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
    event: Bools,
    order: Places,
    begins: Bools,
    places: tuple[Places, Places, Places],
    begins_risk: Bools,
    opening: Floats,
    event_censored_ties: bool,
) -> tuple[float, float, float]:
    """Pairs opened by events: later cases of lower, equal and any risk, in total.

    The walk is backwards in time; the members are those still to come. `opening` has the weight of
    each case's pairs, or is empty. Whole numbers below 2**53 are added up exactly.
    """
    distinct = begins_risk.all()
    # Gathered beforehand, in loops where one fetch from memory need not wait for another.
    happened, place = event[order], places[0][order]
    bottom, top = (place, place) if distinct else (places[1][order], places[2][order])
    members = _nobody(order.size)
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
def _nobody(universe: int) -> Members:
    words = np.zeros((universe >> 6) + 1, np.uint64)
    in_group = np.zeros(8 * ((universe >> 11) + 1), np.uint64)
    in_section = np.zeros(8 * ((universe >> 16) + 1), np.uint64)
    sections = np.zeros((universe >> 16) + 2, np.int64)
    later = np.zeros((32, 32), np.uint16)
    for i in range(32):
        later[i, i + 1 :] = 1
    return words, in_group, in_section, sections, later.view(np.uint64)


@inlined
def _admit(members: Members, place: int) -> None:
    words, in_group, in_section, sections, raised = members
    word, group, section = place >> 6, place >> 11, place >> 16
    words[word] |= np.uint64(1) << np.uint64(place & 63)
    for k in range(8):
        in_group[8 * group + k] += raised[word & 31, k]
    for k in range(8):
        in_section[8 * section + k] += raised[group & 31, k]
    node = section + 1
    while node < sections.size:
        sections[node] += 1
        node += node & -node


@inlined
def _count_below(members: Members, place: int) -> int:
    words, in_group, in_section, sections, _ = members
    word, group, node = place >> 6, place >> 11, place >> 16
    lower = words[word] & ((np.uint64(1) << np.uint64(place & 63)) - np.uint64(1))
    count = _ones(lower)
    count += int(in_group.view(np.uint16)[word])
    count += int(in_section.view(np.uint16)[group])
    while node > 0:
        count += sections[node]
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
