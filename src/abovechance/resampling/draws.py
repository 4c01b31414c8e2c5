"""How outcomes may be rearranged, signs flipped and samples drawn again; sums over them."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, permutations, product
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import DataError, NotApplicable
from abovechance.format import magnitude
from abovechance.resampling.random_bits import (
    STEPS,
    Words,
    bounded,
    compiled_draws,
    flip_masks,
    keys,
    masked_sums,
    plan,
    random_subsets,
    subset_masks,
    unpack,
    width,
    words,
)

# ----------------------------------------------------------------------------------------------
# Blocks of cases: codes from labels, members from codes.
# ----------------------------------------------------------------------------------------------


UNCOUNTED = 60  # more cases of every kind than this: over 2⁶⁰ labellings, called infinitely many


def codes(values: npt.ArrayLike) -> Ints:
    """Labels of any kind as 0 … K − 1, in sorted order.

    >>> codes(["b", "a", "b"])
    array([1, 0, 1])
    """
    return np.unique(np.asarray(values), return_inverse=True)[1].ravel().astype(np.int64)


def members(code: Ints) -> list[Ints]:
    """The cases of every block, in order.

    >>> [block.tolist() for block in members(np.array([1, 0, 1]))]
    [[1], [0, 2]]
    """
    order = np.argsort(code, kind="stable")
    return np.split(order, np.cumsum(np.bincount(code))[:-1])


def one_per_case(name: str, found: int, cases: int) -> str:
    """The message for a column of the wrong length."""
    return f"{name} must have one entry per case; got {found} for {cases} cases"


def labellings(
    outcome: npt.ArrayLike, permute: str = "labels", blocks: npt.ArrayLike | None = None
) -> float:
    """How many different labellings permuting can give; no p is smaller than one over this.

    Orders that exchange equal outcomes give the same labelling and count once. `permute` is
    "labels", "within" blocks, or "blocks" as wholes, of which each holds one outcome.

    >>> labellings([0, 0, 1, 1]), labellings([0, 1, 0, 1], "within", ["a", "a", "b", "b"])
    (6.0, 4.0)
    >>> labellings([0, 0, 1, 1, 1], "blocks", ["a", "a", "b", "c", "c"])
    3.0
    """
    values = np.asarray(outcome)
    if blocks is None or permute == "labels":
        return _arrangements(values)
    parts = members(codes(blocks))
    if permute == "within":
        return math.prod(_arrangements(values[part]) for part in parts)
    return _arrangements(values[[part[0] for part in parts]])


def _arrangements(values: Array) -> float:
    """The multinomial coefficient of the values, infinite when it is beyond counting."""
    found, placed = 1.0, 0
    for count in _how_often(values):
        placed += count
        if min(count, placed - count) > UNCOUNTED:
            return math.inf
        found *= min(math.comb(placed, count), 2**UNCOUNTED)
    return found


def _how_often(values: Array) -> list[int]:
    """How often each different value occurs, the smallest first."""
    if values.dtype.kind == "i" and values.size and 0 <= values.min() <= values.max() < values.size:
        return [count for count in np.bincount(values).tolist() if count]
    found: list[int] = np.unique(values, return_counts=True)[1].tolist()
    return found


# ----------------------------------------------------------------------------------------------
# How outcomes may be rearranged, or signs flipped, when nothing is going on.
#
# A scheme is a frozen description with three answers: `draw(rng, size)` gives `size` random
# arrangements, one per row; `arrangements` says how many there are; `enumerate()` lists them all
# when they are few. Draws are sequential: 300 rows at once are the same as 100 and then 200.
# ----------------------------------------------------------------------------------------------


ENUMERABLE = 2_000_000  # more arrangements than this are drawn, not listed
COUNTABLE = 10_000  # of more cases than this the number of arrangements is called infinite
NOTHING_WITHIN = (
    "labels are constant within every block, so permuting within blocks changes nothing; "
    "permute whole blocks instead (permute='whole')"
)


class Scheme(Protocol):
    """What every way of drawing offers."""

    @property
    def n(self) -> int: ...
    @property
    def arrangements(self) -> float: ...
    def draw(self, rng: np.random.Generator, size: int) -> Array: ...
    def enumerate(self) -> Array: ...


@dataclass(frozen=True)
class Permutations:
    """Every order of n cases is equally likely: indices (size, n).

    >>> Permutations(4).arrangements
    24
    """

    n: int

    @property
    def arrangements(self) -> float:
        return _factorials([self.n])

    def draw(self, rng: np.random.Generator, size: int) -> Ints:
        return rng.permuted(np.tile(np.arange(self.n), (size, 1)), axis=1)

    def enumerate(self) -> Ints:
        _few(self.arrangements)
        return _orders(range(self.n))


@dataclass(frozen=True, eq=False)
class Turns:
    """Rotations and reflections of one random order of the cases, the identity left out.

    They are a group of 2 n permutations, so that a test by all of them, or by random ones of them,
    is exact; and whatever is summed over all of them meets every outcome with every prediction
    equally often. `which` numbers them: from 1 rotations by so many places, from n reflections.

    References
    ----------
    Hemerik & Goeman (2018), Exact testing with random permutations, theorems 1 and 2.
    """

    order: Ints
    which: Ints

    @classmethod
    def of(cls, n: int, draws: int, rng: np.random.Generator) -> "Turns":
        """So many different ones; there are 2 n - 1.

        >>> Turns.of(3, 5, np.random.default_rng(1)).orders()
        array([[1, 2, 0],
               [2, 0, 1],
               [0, 2, 1],
               [1, 0, 2],
               [2, 1, 0]])
        """
        order = rng.permutation(n)
        which = np.arange(1, 2 * n)
        if draws < which.size:
            which = np.sort(rng.choice(which, draws, replace=False))
        return cls(order, which)

    @property
    def n(self) -> int:
        return self.order.size

    @property
    def starts(self) -> Ints:
        """Where the outcomes of each begin in what `row` makes of them."""
        n = self.n
        return np.where(self.which < n, self.which, 2 * n + (2 * n - self.which) % n)

    def row(self, outcome: Array) -> Array:
        """Outcomes in the order, twice, and backwards, twice: any turn of them is a stretch."""
        ahead = outcome[self.order]
        back = np.roll(ahead[::-1], 1)
        return np.concatenate([ahead, ahead, back, back])

    def orders(self, some: slice = slice(None)) -> Ints:
        """Whose outcome each case gets: indices (draws, n)."""
        stretch = np.lib.stride_tricks.sliding_window_view(self.row(np.arange(self.n)), self.n)
        found = np.empty((len(self.which[some]), self.n), dtype=np.int64)
        found[:, self.order] = stretch[self.starts[some]]
        return found

    def products(self, outcome: Floats, value: Floats) -> Floats:
        """Sums of outcomes times predictions, by fast Fourier transform: (draws,)."""
        first, second = np.fft.rfft(outcome[self.order]), np.fft.rfft(value[self.order])
        both = np.fft.irfft([first * second.conj(), first * second], self.n)
        return np.asarray(both.ravel()[self.which])


@dataclass(frozen=True, eq=False)
class _Blocked:
    """Cases in blocks, with the labels that are to change places where there are any."""

    blocks: npt.ArrayLike
    labels: npt.ArrayLike | None = None

    @cached_property
    def _code(self) -> Ints:
        return codes(self.blocks)

    @cached_property
    def _members(self) -> list[Ints]:
        return members(self._code)

    @property
    def n(self) -> int:
        return self._code.size


@dataclass(frozen=True, eq=False)
class WithinBlocks(_Blocked):
    """Cases change places only within their block: indices (size, n).

    Give `labels`, if there are any, to be told when permuting would change nothing.
    """

    def __post_init__(self) -> None:
        if max(part.size for part in self._members) == 1:
            raise NotApplicable(
                "permuting within blocks needs a block of at least two cases; every block has "
                "one. Permute whole blocks, or freely without blocks."
            )
        if self.labels is not None:
            labels = codes(self.labels)
            if labels.size != self.n:
                raise DataError(one_per_case("labels", labels.size, self.n))
            if all(np.unique(labels[part]).size == 1 for part in self._members):
                raise NotApplicable(NOTHING_WITHIN)

    @property
    def arrangements(self) -> float:
        return _factorials([part.size for part in self._members])

    def draw(self, rng: np.random.Generator, size: int) -> Ints:
        # sorting by (block, random word) shuffles every block at once; cases come out block by
        # block, so they are put back to the places the block holds
        bits = np.uint64(max(len(self._members) - 1, 1).bit_length())
        block = self._code.astype(np.uint64) << (np.uint64(64) - bits)
        order = np.argsort(block | words(keys(rng, size), 0, self.n) >> bits, axis=1)
        drawn = np.empty_like(order)
        drawn[:, np.concatenate(self._members)] = order
        return drawn

    def enumerate(self) -> Ints:
        _few(self.arrangements)
        return _joined([_orders(part) for part in self._members], self._members, self.n)


@dataclass(frozen=True, eq=False)
class WholeBlocks(_Blocked):
    """Blocks change places as wholes: indices (size, n).

    Blocks of one size exchange their cases in order, first with first, second with second. When
    sizes differ, only what is constant within a block can move: every case of a block receives
    the index of the first case of the block whose place it takes, so `labels[draw]` gives the
    permuted labels, the number of positive blocks is kept and the number of positive cases is not.
    Give `labels` to have this checked.
    """

    def __post_init__(self) -> None:
        if len(self._members) == 1:
            raise NotApplicable("permuting whole blocks needs at least two blocks; there is one")
        if self.labels is None:
            return
        labels = codes(self.labels)
        if labels.size != self.n:
            raise DataError(one_per_case("labels", labels.size, self.n))
        constant = all(np.unique(labels[part]).size == 1 for part in self._members)
        if not constant and not self._equal:
            raise NotApplicable(
                "whole blocks of different sizes can exchange labels only when labels are "
                "constant within blocks; permute within blocks instead (permute='within')"
            )
        if constant and np.unique(labels).size == 1:
            raise NotApplicable("all labels are the same, so permuting them changes nothing")

    @cached_property
    def _equal(self) -> bool:
        return len({part.size for part in self._members}) == 1

    @property
    def arrangements(self) -> float:
        return _factorials([len(self._members)])

    def draw(self, rng: np.random.Generator, size: int) -> Ints:
        return self._cases(Permutations(len(self._members)).draw(rng, size))

    def enumerate(self) -> Ints:
        _few(self.arrangements)
        return self._cases(_orders(range(len(self._members))))

    def _cases(self, order: Ints) -> Ints:
        if not self._equal:
            first = np.array([part[0] for part in self._members])
            return first[order[:, self._code]]
        table = np.stack(self._members)
        drawn = np.empty((len(order), self.n), dtype=np.int64)
        drawn[:, table.ravel()] = table[order].reshape(len(order), -1)
        return drawn


class Part(NamedTuple):
    """Units among which a fixed number of positives is shared out."""

    units: Ints
    positives: int


@dataclass(frozen=True, eq=False)
class LabelPermutations:
    """Which cases are positive, with the number of positives fixed: booleans (size, n).

    With blocks, positives move within their block ("within"), or blocks of constant label are
    positive or negative as wholes ("whole"; when block sizes differ the number of positive
    blocks is kept and the number of positive cases is not).

    >>> LabelPermutations([1, 1, 0, 0, 0]).arrangements
    10
    >>> LabelPermutations([1, 1, 0, 0], blocks=["a", "a", "b", "b"])
    Traceback (most recent call last):
    ...
    abovechance.errors.NotApplicable: labels are constant within every block, ...
    >>> LabelPermutations([1, 1, 0, 0], blocks=["a", "a", "b", "b"], permute="whole").arrangements
    2
    """

    positive: npt.ArrayLike
    blocks: npt.ArrayLike | None = None
    permute: Literal["within", "whole"] = "within"

    def __post_init__(self) -> None:
        if self.blocks is not None and len(self._code) != self.n:
            raise DataError(one_per_case("blocks", len(self._code), self.n))
        if np.count_nonzero(self._labels) in (0, self.n):
            raise NotApplicable(
                "permuting labels needs positive and negative cases; there is one class only"
            )
        if self.whole:
            mixed = [part for part in self._members if np.unique(self._labels[part]).size > 1]
            if mixed:
                raise NotApplicable(
                    "permuting whole blocks needs labels that are constant within every block; "
                    f"{len(mixed)} of {len(self._members)} blocks hold both. Permute within "
                    "blocks instead (permute='within')."
                )
        elif not self.parts:
            raise NotApplicable(NOTHING_WITHIN)

    @cached_property
    def _labels(self) -> Bools:
        return np.asarray(self.positive).astype(np.bool_)

    @cached_property
    def _code(self) -> Ints:
        return np.zeros(self.n, np.int64) if self.blocks is None else codes(self.blocks)

    @cached_property
    def _members(self) -> list[Ints]:
        return [np.arange(self.n)] if self.blocks is None else members(self._code)

    @property
    def n(self) -> int:
        return self._labels.size

    @property
    def whole(self) -> bool:
        """Whether blocks, not cases, are what is permuted."""
        return self.blocks is not None and self.permute == "whole"

    @cached_property
    def _unit_labels(self) -> Bools:
        firsts = [part[0] for part in self._members] if self.whole else slice(None)
        return self._labels[firsts]

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Units among which positives are shared out; what cannot change is left out."""
        every = np.arange(self._unit_labels.size)
        sets = [every] if self.whole else self._members
        parts = (Part(units, int(self._unit_labels[units].sum())) for units in sets)
        return tuple(part for part in parts if 0 < part.positives < part.units.size)

    @property
    def arrangements(self) -> float:
        if sum(part.units.size for part in self.parts) > COUNTABLE:
            return math.inf
        return math.prod(math.comb(part.units.size, part.positives) for part in self.parts)

    def draw(self, rng: np.random.Generator, size: int) -> Bools:
        return self.made(self.keys(rng, size))

    def keys(self, rng: np.random.Generator, size: int) -> Words:
        """What so many draws follow from, each from its own row."""
        return keys(rng, size, len(self.parts))

    def made(self, key: Words) -> Bools:
        """The draws that follow from keys."""
        drawn = [
            unpack(random_subsets(key[:, column], units.size, positives), units.size)
            for column, (units, positives) in enumerate(self.parts)
        ]
        if self.parts[0].units.size == self._unit_labels.size:  # all of them, in their order
            return self._cases(drawn[0])
        rows = np.tile(self._unit_labels, (len(key), 1))
        for (units, _), some in zip(self.parts, drawn, strict=True):
            rows[:, units] = some
        return self._cases(rows)

    def enumerate(self) -> Bools:
        _few(self.arrangements)
        listed = [_subsets(part.units.size, part.positives) for part in self.parts]
        rows = _joined(listed, [part.units for part in self.parts], self._unit_labels.size)
        fixed = np.setdiff1d(
            np.arange(self._unit_labels.size), np.concatenate([p.units for p in self.parts])
        )
        drawn = rows.astype(np.bool_)
        drawn[:, fixed] = self._unit_labels[fixed]
        return self._cases(drawn)

    def _cases(self, units: Bools) -> Bools:
        return units[:, self._code] if self.whole else units

    def unit_scores(self, scores: Floats) -> tuple[Floats, Floats]:
        """Scores (scores, n) summed to the units permuted, and the part that never changes."""
        if not self.whole:
            fixed = self._labels.copy()
            for part in self.parts:
                fixed[part.units] = False
            return scores, scores[:, fixed].sum(axis=1)
        sums = [np.bincount(self._code, row, minlength=len(self._members)) for row in scores]
        return np.stack(sums), np.zeros(len(scores))


@dataclass(frozen=True, eq=False)
class SignFlips:
    """Every difference could as well have had the opposite sign: signs ±1 (size, n), as int8.

    With `groups`, all cases of a group flip together.

    >>> SignFlips(6, groups=[1, 1, 2, 2, 3, 3]).arrangements
    8
    """

    n: int
    groups: npt.ArrayLike | None = None

    def __post_init__(self) -> None:
        if self._code.size != self.n:
            raise DataError(one_per_case("groups", self._code.size, self.n))

    @cached_property
    def _code(self) -> Ints:
        return np.arange(self.n) if self.groups is None else codes(self.groups)

    @cached_property
    def units(self) -> int:
        """How many signs are free."""
        return int(self._code.max()) + 1

    @property
    def arrangements(self) -> float:
        return 2**self.units if self.units <= COUNTABLE else math.inf

    def draw(self, rng: np.random.Generator, size: int) -> npt.NDArray[np.int8]:
        return self._signs(unpack(flip_masks(keys(rng, size), self.units), self.units))

    def enumerate(self) -> npt.NDArray[np.int8]:
        _few(self.arrangements)
        patterns = np.arange(2**self.units)[:, None] >> np.arange(self.units) & 1
        return self._signs(patterns.astype(np.bool_))

    def _signs(self, plus: Bools) -> npt.NDArray[np.int8]:
        signs = 2 * plus.astype(np.int8) - np.int8(1)
        return signs if self.groups is None else signs[:, self._code]

    def unit_differences(self, differences: Floats) -> Floats:
        """Differences (rows, n) summed to the groups that flip together."""
        if self.groups is None:
            return differences
        return np.stack([np.bincount(self._code, row, self.units) for row in differences])


def _factorials(sizes: Iterable[int]) -> float:
    each = list(sizes)
    return math.prod(map(math.factorial, each)) if sum(each) <= COUNTABLE else math.inf


def _few(arrangements: float) -> None:
    if arrangements > ENUMERABLE:
        raise NotApplicable(
            f"listing every arrangement needs at most {ENUMERABLE} of them; there are "
            f"{magnitude(arrangements)}. Draw at random instead."
        )


def _orders(items: Sequence[int] | Ints) -> Ints:
    return np.array(list(permutations(items)), dtype=np.int64)


def _subsets(n: int, size: int) -> Bools:
    chosen = np.fromiter(chain.from_iterable(combinations(range(n), size)), dtype=np.int64)
    rows = np.zeros((math.comb(n, size), n), dtype=np.bool_)
    rows[np.repeat(np.arange(len(rows)), size), chosen] = True
    return rows


def _joined(listed: list[Any], places: list[Ints], n: int) -> Ints:
    """Every combination of one row from each list, written to its places."""
    picks = np.array(list(product(*(range(len(rows)) for rows in listed))))
    drawn = np.zeros((len(picks), n), dtype=np.int64)
    for column, (rows, place) in enumerate(zip(listed, places, strict=True)):
        drawn[:, place] = rows[picks[:, column]]
    return drawn


# ----------------------------------------------------------------------------------------------
# Many permutation nulls in one pass: sums of scores over random subsets of cases.
#
# With fixed predictions and class sizes, accuracy, AUC, Brier score, log score and everything
# monotone in them depend on the labels only through a sum over the positives of one number per
# case: the predicted label, the midrank, p, logit p. One random subset serves all of them.
# ----------------------------------------------------------------------------------------------


CELLS = 2**21  # words of masks held in memory at once
PAD = 8  # unused draws at the end of a row of masks: rows a power of two apart share cache lines


def label_sums(
    scores: Floats, scheme: LabelPermutations, rng: np.random.Generator, size: int
) -> Floats:
    """Sum of each score (scores, n) over the positives of `size` permutations: (size, scores).

    The subsets are those of `scheme.draw` for the same generator.

    >>> scheme = LabelPermutations([1, 0, 1, 0, 0])
    >>> label_sums(np.ones((1, 5)), scheme, np.random.default_rng(1), 3).ravel().tolist()
    [2.0, 2.0, 2.0]
    """
    units, fixed = scheme.unit_scores(np.atleast_2d(np.asarray(scores, dtype=np.float64)))
    key = keys(rng, size, len(scheme.parts))
    total = np.tile(fixed[:, None], size)
    for column, (members, positives) in enumerate(scheme.parts):
        part = units if members.size == units.shape[1] else units[:, members]
        total += _subset_sums(part, positives, np.ascontiguousarray(key[:, column]))
    return np.ascontiguousarray(total.T)


def flip_sums(
    differences: Floats, scheme: SignFlips, rng: np.random.Generator, size: int
) -> Floats:
    """Sum of each row of differences (rows, n) under `size` random sign flips: (size, rows).

    The signs are those of `scheme.draw` for the same generator; a flipped sum is twice the sum
    over the cases that keep their sign, less the whole.

    >>> flip_sums(np.ones((1, 3)), SignFlips(3), np.random.default_rng(1), 2).ravel() % 2
    array([1., 1.])
    """
    units = scheme.unit_differences(np.atleast_2d(np.asarray(differences, dtype=np.float64)))
    key = keys(rng, size)
    compiled = compiled_draws(size * scheme.units // STEPS)
    if compiled is None:
        rows = max(1, CELLS // width(scheme.units))
        parts = [key[start : start + rows] for start in range(0, size, rows)]
        sums = [masked_sums(units, flip_masks(part, scheme.units)) for part in parts]
        kept = np.concatenate(sums, axis=1)
    else:
        kept = np.empty((len(units), size))
        compiled.half_sums(np.ascontiguousarray(units), key, kept)
    return np.ascontiguousarray((2 * kept - units.sum(axis=1)[:, None]).T)


def _subset_sums(scores: Floats, positives: int, key: Words) -> Floats:
    """Sums over random subsets: (scores, draws)."""
    n, rows = scores.shape[1], max(1, CELLS // width(scores.shape[1]))
    if len(key) > rows:
        parts = [key[start : start + rows] for start in range(0, len(key), rows)]
        return np.concatenate([_subset_sums(scores, positives, part) for part in parts], axis=1)
    compiled = compiled_draws(len(key) * n // STEPS)
    if compiled is None:
        return masked_sums(scores, subset_masks(key, n, positives))
    masks = np.empty((width(n), len(key) + PAD), dtype=np.uint64)
    compiled.subset_masks(key, n, *plan(n, positives), masks)
    out = np.empty((len(scores), len(key)))
    compiled.masked_sums(np.ascontiguousarray(scores), masks, out)
    return out


# ----------------------------------------------------------------------------------------------
# How a sample might have come out differently: draws with replacement, and random weights.
# ----------------------------------------------------------------------------------------------


BOOTSTRAP_STEPS = 2**9  # case-draws numpy does in the time of one elementary step of `worthwhile`


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Cases drawn with replacement: indices (size, n), or how often each case was drawn.

    With `strata`, every stratum keeps its size. With `groups`, whole groups are drawn, as many
    as there are; when groups differ in size a replicate has no fixed number of cases, and only
    `kind="counts"` can be given.

    >>> Bootstrap(4, kind="counts").draw(np.random.default_rng(1), 2).sum(axis=1).tolist()
    [4, 4]
    """

    n: int
    strata: npt.ArrayLike | None = None
    groups: npt.ArrayLike | None = None
    kind: Literal["indices", "counts"] = "indices"

    def __post_init__(self) -> None:
        if self.strata is not None and self.groups is not None:
            raise NotApplicable("a bootstrap takes strata or groups, not both; drop one of them")
        if self._code.size != self.n:
            name = "groups" if self.groups is not None else "strata"
            raise DataError(one_per_case(name, self._code.size, self.n))
        sizes = {part.size for part in self._members}
        if self.kind == "indices" and self.groups is not None and len(sizes) > 1:
            raise NotApplicable(
                "drawing whole groups of different sizes gives no fixed number of cases; "
                "ask for how often each case was drawn (kind='counts')"
            )

    @cached_property
    def _code(self) -> Ints:
        given = self.groups if self.groups is not None else self.strata
        return np.zeros(self.n, np.int64) if given is None else codes(given)

    @cached_property
    def _members(self) -> list[Ints]:
        return members(self._code)

    @cached_property
    def strata_members(self) -> list[Ints]:
        """The units of every stratum; one stratum without `strata`."""
        return [np.arange(self.units)] if self.groups is not None else self._members

    @cached_property
    def compiled_strata(self) -> tuple[npt.NDArray[np.uint32], Ints, bool]:
        """Strata as the compiled loops take them: members, borders, and whether there is one."""
        strata = self.strata_members
        borders = np.cumsum([0, *(part.size for part in strata)])
        return np.concatenate(strata).astype(np.uint32), borders, len(strata) == 1

    @cached_property
    def units(self) -> int:
        """How many things are drawn: cases, or groups."""
        return len(self._members) if self.groups is not None else self.n

    @cached_property
    def unit_of(self) -> Ints:
        """The unit every case belongs to."""
        return self._code if self.groups is not None else np.arange(self.n)

    @property
    def arrangements(self) -> float:
        """Infinite: samples with replacement are not equally likely, so they are never listed."""
        return math.inf

    def draw(self, rng: np.random.Generator, size: int) -> Ints:
        key = keys(rng, size)
        if self.kind == "counts":
            return self.unit_counts(key)[:, self.unit_of]
        drawn = self._drawn(key)
        if self.groups is None:
            return drawn
        return np.stack(self._members)[drawn].reshape(size, -1)

    def enumerate(self) -> Array:
        raise NotApplicable("bootstrap samples are not equally likely, so they are not listed")

    def unit_counts(self, key: Words) -> Ints:
        """How often every unit was drawn, given the keys of the draws: (draws, units)."""
        compiled = compiled_draws(len(key) * self.units // BOOTSTRAP_STEPS)
        if compiled is not None:
            counts = np.empty((len(key), self.units), dtype=np.int64)
            compiled.fill_rows(key, *self.compiled_strata, counts)
            return counts
        flat = self._drawn(key) + np.arange(len(key))[:, None] * self.units
        counts = np.bincount(flat.ravel(), minlength=len(key) * self.units)
        return counts.reshape(len(key), self.units)

    def _drawn(self, key: Words) -> Ints:
        """The units drawn; a stratum fills the places of its members."""
        drawn = np.empty((len(key), self.units), dtype=np.int64)
        start = 0
        for part in self.strata_members:
            drawn[:, part] = part[bounded(key, start, part.size, part.size)]
            start += (part.size + 1) // 2
        return drawn


@dataclass(frozen=True)
class BayesianBootstrap:
    """Smooth random weights in place of repetition: weights (size, n) that sum to n.

    n times a flat Dirichlet draw, so that an unweighted sum keeps its scale.

    References
    ----------
    Rubin (1981), The Bayesian bootstrap.
    """

    n: int

    @property
    def arrangements(self) -> float:
        return math.inf

    def draw(self, rng: np.random.Generator, size: int) -> Floats:
        weights = rng.standard_exponential((size, self.n))
        return weights * (self.n / weights.sum(axis=1, keepdims=True))

    def enumerate(self) -> Array:
        raise NotApplicable("random weights are continuous, so they are not listed")


# ----------------------------------------------------------------------------------------------
# Bootstrap of binary predictions: every rank, threshold and mean measure from one sweep.
#
# Cases are sorted by score once. A replicate is a count (or a weight) per case; walking down from
# the highest score with the running numbers of positives and negatives gives the pairs of the
# area under the curve, the counts at the threshold, average precision, and the sum of every loss.
# ----------------------------------------------------------------------------------------------


WEIGHT_CELLS = 2**21  # weights held in memory at once by the numpy path


@dataclass(frozen=True, eq=False)
class Sorted:
    """Binary predictions in order of increasing score.

    `positive` says whether the case is positive, `group` numbers the distinct scores 0, 1, …,
    `threshold` is the first case whose label is positive (n when there is none), `losses` are
    (losses, n), any number of them.
    """

    positive: Bools
    group: Ints
    threshold: int
    losses: Floats

    def __post_init__(self) -> None:
        if np.any(np.diff(self.group) < 0):
            raise DataError("cases must be sorted by score; a group number is followed by a less")
        inside = 0 < self.threshold < self.n
        if inside and self.group[self.threshold - 1] == self.group[self.threshold]:
            raise DataError("the threshold must lie between two scores; it divides equal ones")

    @property
    def n(self) -> int:
        return self.positive.size

    @cached_property
    def ends(self) -> Ints:
        """Where groups of equal scores begin, and n."""
        return np.append(np.flatnonzero(np.diff(self.group, prepend=-1)), self.n)


def binary_bootstrap(
    cases: Sorted,
    scheme: Bootstrap | BayesianBootstrap,
    rng: np.random.Generator,
    size: int,
    *,
    average_precision: bool = False,
) -> dict[str, Array]:
    """What `size` bootstrap replicates say about binary predictions, one entry per replicate.

    `scheme` draws cases in their sorted order. The entries: `tp` and `fp` at the threshold,
    `positives`, `negatives`, `doubled_u` (twice the pairs ranked rightly, ties counting one),
    `losses` (size, losses) as weighted sums and, if asked for, `average_precision`. With counts
    all but the last two are integers; with Bayesian weights they are real. The area under the
    curve is doubled_u / (2 positives negatives).

    >>> cases = Sorted(np.array([False, True]), np.array([0, 1]), 1, np.ones((1, 2)))
    >>> drawn = binary_bootstrap(cases, Bootstrap(2), np.random.default_rng(1), 50)
    >>> bool(np.all(drawn["doubled_u"] == 2 * drawn["positives"] * drawn["negatives"]))
    True
    """
    if isinstance(scheme, BayesianBootstrap):
        return sweep(cases, scheme.draw(rng, size), average_precision=average_precision)
    key = keys(rng, size)
    compiled = compiled_draws(size * cases.n // BOOTSTRAP_STEPS)
    if compiled is not None:
        return _compiled(compiled, cases, scheme, key, average_precision)
    rows = max(1, WEIGHT_CELLS // cases.n)
    parts = [
        sweep(
            cases,
            scheme.unit_counts(key[start : start + rows])[:, scheme.unit_of],
            average_precision=average_precision,
        )
        for start in range(0, size, rows)
    ]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def sweep(cases: Sorted, weights: Array, *, average_precision: bool = False) -> dict[str, Array]:
    """The same summary for given weights or counts (draws, n) of the sorted cases."""
    down = weights[:, ::-1]
    of_positive = np.where(cases.positive[::-1], down, 0)
    starts = cases.n - cases.ends[:0:-1]
    positives = np.add.reduceat(of_positive, starts, axis=1)
    drawn = np.cumsum(np.add.reduceat(down, starts, axis=1), axis=1)
    tp = np.cumsum(positives, axis=1)
    negatives = np.diff(drawn - tp, axis=1, prepend=0)
    above = int(np.searchsorted(starts, cases.n - cases.threshold))
    at = (drawn[:, :0].sum(axis=1),) * 2 if above == 0 else (tp[:, above - 1], drawn[:, above - 1])
    # cumulative sums add one case after the other, as the compiled loop does
    products = down[:, None, :] * cases.losses[:, ::-1]
    summary: dict[str, Array] = {
        "tp": at[0],
        "fp": at[1] - at[0],
        "positives": tp[:, -1],
        "negatives": drawn[:, -1] - tp[:, -1],
        "doubled_u": (negatives * (2 * tp - positives)).sum(axis=1),
        "losses": np.cumsum(products, axis=2)[:, :, -1],
    }
    if average_precision:
        floor = 1 if np.issubdtype(drawn.dtype, np.integer) else np.finfo(np.float64).tiny
        gains = np.cumsum((positives * tp) / np.maximum(drawn, floor), axis=1)[:, -1]
        summary["average_precision"] = _shared(gains, tp[:, -1])
    return summary


def _compiled(
    compiled: Any, cases: Sorted, scheme: Bootstrap, key: Words, average_precision: bool
) -> dict[str, Array]:
    count = len(cases.losses)
    losses = np.zeros((max(1, (count + 1) // 2), cases.n, 2))
    for row, values in enumerate(cases.losses):
        losses[row // 2, :, row % 2] = values
    tied = cases.ends.size <= cases.n
    integers = np.empty((len(key), 5), dtype=np.int64)
    reals = np.empty((len(key), 1 + 2 * len(losses)))
    compiled.binary_bootstrap(
        key,
        *scheme.compiled_strata,
        scheme.unit_of if scheme.groups is not None else np.empty(0, dtype=np.int64),
        cases.positive,
        cases.ends if tied else np.empty(0, dtype=np.int64),
        int(np.searchsorted(cases.ends, cases.threshold)) if tied else cases.threshold,
        losses,
        average_precision,
        integers,
        reals,
    )
    names = ("tp", "fp", "positives", "negatives", "doubled_u")
    summary: dict[str, Array] = dict(zip(names, integers.T, strict=True))
    summary["losses"] = reals[:, 1 : count + 1]
    if average_precision:
        summary["average_precision"] = _shared(reals[:, 0], summary["positives"])
    return summary


def _shared(gains: Floats, positives: Array) -> Floats:
    """Gains per positive; undefined without positives."""
    share = np.full(gains.shape, np.nan)
    return np.divide(gains, positives, out=share, where=positives > 0)
