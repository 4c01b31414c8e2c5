"""How maps of subjects are combined under the null hypothesis, and what is then concluded.

Each way is declared once, with its hypothesis and with what its rejection says of subjects or of
the population: `GroupMethod`. A `Plan` is such a way made ready for the maps of these subjects.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from abovechance.arrays import Array, Floats, Ints
from abovechance.errors import DataError, NotApplicable
from abovechance.numerics.map_arithmetic import added, smallest
from abovechance.resampling import SignFlips

CELLS = 2**21
"""Values of combined maps that are held at a time; more are combined in parts."""

ROUNDING = 4 * float(np.finfo(np.float32).eps)
"""Of the magnitude of a sum: nearer values are ties, for maps are kept as 32-bit numbers."""


class Drawn(NamedTuple):
    """Which maps are combined in each draw (B, S), and with which signs."""

    rows: Ints
    signs: Floats


@dataclass(frozen=True, eq=False)
class OneEach:
    """One map of every subject, drawn independently."""

    starts: Ints
    counts: Ints
    listed = False

    @property
    def arrangements(self) -> float:
        """How many different combinations there are."""
        return math.prod(int(many) for many in self.counts)

    def draw(self, rng: np.random.Generator, size: int) -> Drawn:
        """So many combinations at random."""
        chosen = rng.integers(self.counts, size=(size, len(self.counts)))
        return Drawn(self.starts + chosen, np.ones(chosen.shape))

    def enumerate(self) -> Drawn:
        """Every combination once."""
        chosen = np.array(np.unravel_index(np.arange(int(self.arrangements)), self.counts)).T
        return Drawn(self.starts + chosen, np.ones(chosen.shape))


@dataclass(frozen=True, eq=False)
class SameForAll:
    """Map m of all subjects at once."""

    starts: Ints
    count: int
    listed = True  # there are no others to draw

    @property
    def arrangements(self) -> float:
        """How many different combinations there are."""
        return self.count

    def draw(self, rng: np.random.Generator, size: int) -> Drawn:
        """So many of them at random."""
        chosen = rng.integers(self.count, size=(size, 1))
        return Drawn(self.starts + chosen, np.ones((size, len(self.starts))))

    def enumerate(self) -> Drawn:
        """Every one once."""
        chosen = np.arange(self.count)[:, None]
        return Drawn(self.starts + chosen, np.ones((self.count, len(self.starts))))


@dataclass(frozen=True, eq=False)
class Flipped:
    """Every subject's one map, with either sign."""

    subjects: int
    listed = False

    @property
    def arrangements(self) -> float:
        """How many patterns of signs there are."""
        return SignFlips(self.subjects).arrangements

    def draw(self, rng: np.random.Generator, size: int) -> Drawn:
        """So many patterns at random."""
        return self._of(SignFlips(self.subjects).draw(rng, size))

    def enumerate(self) -> Drawn:
        """Every pattern once."""
        return self._of(SignFlips(self.subjects).enumerate())

    def _of(self, signs: Array) -> Drawn:
        rows = np.broadcast_to(np.arange(self.subjects), signs.shape)
        return Drawn(np.ascontiguousarray(rows), signs.astype(np.float64))


@dataclass(frozen=True, eq=False)
class Plan:
    """A way of combining, made ready: the maps (R, V), what is drawn, and the observed result.

    Sums are standardised at every centre by the mean and standard deviation that combinations of
    all maps, the observed ones included, have there, so that the largest of all centres is not that
    of the noisiest.
    `includes` says that the observed maps are among those combined. `still` marks centres whose
    combinations are all the same: nothing can be said there.
    """

    maps: Array
    choice: OneEach | SameForAll | Flipped
    minimum: bool
    includes: bool
    shift: Floats
    scale: Floats
    observed: Floats
    slack: Floats

    @property
    def bar(self) -> Floats:
        """What a combination must reach to count as at least as large as what was observed."""
        return np.asarray(self.observed - self.slack)

    @property
    def still(self) -> Array:
        """Centres whose combinations do not vary."""
        return np.asarray(self.scale == 0)

    def combined(self, drawn: Drawn) -> Floats:
        """The statistic at every centre under each draw (B, V)."""
        if self.minimum:
            return smallest(self.maps, drawn.rows)
        return added(self.maps, drawn.rows, drawn.signs, self.shift, self.scale)

    def parts(self, drawn: Drawn) -> Iterator[Floats]:
        """The same, a few draws at a time, so that memory does not grow with their number."""
        step = max(1, CELLS // self.maps.shape[1])
        for start in range(0, len(drawn.rows), step):
            part = slice(start, start + step)
            yield self.combined(Drawn(drawn.rows[part], drawn.signs[part]))


# ----------------------------------------------------------------------------------------------
# The methods: what is drawn, what is tested, what may be said when it is rejected.
# ----------------------------------------------------------------------------------------------


Maps = Sequence[Array]
"""Null maps (M, V) of each subject."""


@dataclass(frozen=True, kw_only=True)
class GroupMethod:
    """A way from maps of subjects to a statement about them, or about those they come from.

    Attributes
    ----------
    name, title
        What it is called.
    words
        How a report says what was done.
    hypothesis
        What is tested at each centre.
    conclusion
        What its rejection says, and of whom.
    source
        Keys of `reports/methods.bib`.
    against_chance
        Whether it needs the value that the statistic has by chance.
    permuted
        Whether it needs null maps.
    neighbours
        Whether clusters and the support of neighbourhoods are defined for it.
    plan
        Makes it ready.
    """

    name: str
    title: str
    words: str
    hypothesis: str
    conclusion: str
    source: tuple[str, ...]
    plan: Callable[[Floats, Maps, Floats | None, bool], Plan]
    against_chance: bool = False
    permuted: bool = True
    neighbours: bool = True


def _stelzer(observed: Floats, null: Maps, chance: Floats | None, with_observed: bool) -> Plan:
    maps, starts = _stacked(observed, null, with_observed)
    counts = np.array([len(one) + with_observed for one in null])
    each = [_moments(own, others) for own, others in zip(observed, null, strict=True)]
    mean = np.sum([one for one, _ in each], axis=0)
    variance = np.sum([one for _, one in each], axis=0)
    return _standardised(maps, OneEach(starts, counts), observed, mean, variance, with_observed)


def _joint(observed: Floats, null: Maps, chance: Floats | None, with_observed: bool) -> Plan:
    many = {len(one) for one in null}
    if len(many) > 1:
        raise DataError(
            "method 'joint' takes map m of every subject together, so all need the same number of "
            f"null maps; got {min(many)} to {max(many)}. Use method='stelzer'."
        )
    if with_observed:
        raise NotApplicable(
            "with_observed goes with method 'stelzer'; 'joint' counts the observed maps already."
        )
    maps, starts = _stacked(observed, null, False)
    together = np.zeros((len(null[0]), observed.shape[1]))
    for one in null:
        together += one
    mean, variance = _moments(observed.astype(np.float32).sum(axis=0, dtype=np.float64), together)
    choice = SameForAll(starts, len(null[0]))
    return _standardised(maps, choice, observed, mean, variance, False)


def _sign_flip(observed: Floats, null: Maps, chance: Floats | None, with_observed: bool) -> Plan:
    if with_observed:
        raise NotApplicable(
            "with_observed goes with method 'stelzer'; 'sign_flip' uses no null maps."
        )
    assert chance is not None
    away = (observed.astype(np.float64) - chance[:, None]).astype(np.float32)
    squares = np.square(away, dtype=np.float64).sum(axis=0)
    zero = np.zeros(observed.shape[1])
    return _standardised(away, Flipped(len(observed)), away, zero, squares, True)


def _prevalence(observed: Floats, null: Maps, chance: Floats | None, with_observed: bool) -> Plan:
    if with_observed:
        raise NotApplicable(
            "with_observed goes with method 'stelzer'; 'prevalence' counts the observed maps "
            "already."
        )
    maps, starts = _stacked(observed, null, True)
    counts = np.array([len(one) + 1 for one in null])
    least = observed.astype(np.float32).min(axis=0).astype(np.float64)
    ones = np.ones(maps.shape[1])
    slack = ROUNDING * np.abs(maps).max(axis=0)
    return Plan(maps, OneEach(starts, counts), True, True, 0 * ones, ones, least, slack)


def _moments(observed: Floats, null: Array) -> tuple[Floats, Floats]:
    """Mean and variance at each centre over the null maps and the observed one.

    With the observed map left out it would be judged by numbers that it has no part in, the null
    maps by numbers that they have: of few null maps the largest of all centres would then be
    exceeded far too often.
    """
    many = len(null)
    mean, variance = null.mean(axis=0, dtype=np.float64), null.var(axis=0, dtype=np.float64)
    away = observed - mean
    share = many / (many + 1)
    return mean + away / (many + 1), share * (variance + away**2 / (many + 1))


def _stacked(observed: Floats, null: Maps, with_observed: bool) -> tuple[Array, Ints]:
    """All maps below each other as 32-bit numbers, and where those of each subject begin."""
    sizes = [len(one) + with_observed for one in null]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    maps = np.empty((sum(sizes), observed.shape[1]), dtype=np.float32)
    for own, others, start in zip(observed, null, starts, strict=True):
        if with_observed:
            maps[start] = own
        maps[start + with_observed : start + with_observed + len(others)] = others
    return maps, starts


def _standardised(
    maps: Array, choice: Any, observed: Array, mean: Floats, variance: Floats, includes: bool
) -> Plan:
    """Sums in standard deviations of their combinations from the mean of these."""
    subjects = len(observed)
    magnitude = np.maximum(np.abs(maps).max(axis=0), np.abs(observed).max(axis=0)) * subjects
    # rounding of 32-bit numbers is no variance
    moves = np.sqrt(variance) > ROUNDING * magnitude
    scale = np.where(moves, 1.0 / np.sqrt(np.where(moves, variance, 1.0)), 0.0)
    own, signs = np.arange(subjects)[None, :], np.ones((1, subjects))
    seen = added(observed.astype(np.float32), own, signs, mean, scale)[0]
    slack = ROUNDING * magnitude * scale
    return Plan(maps, choice, False, includes, mean, scale, seen, slack)


METHODS = {
    one.name: one
    for one in (
        GroupMethod(
            name="stelzer",
            title="recombined permutation maps (Stelzer)",
            words="combinations of one permutation map per subject, drawn at random",
            hypothesis="in no subject do the data depend on the labels at this centre",
            conclusion="at least one of these subjects carries the signal there; this is no "
            "statement about the population",
            source=("stelzer2013",),
            plan=_stelzer,
        ),
        GroupMethod(
            name="joint",
            title="joint permutations",
            words="permutations of the labels of all subjects at once",
            hypothesis="in no subject do the data depend on the labels at this centre",
            conclusion="at least one of these subjects carries the signal there; this is no "
            "statement about the population",
            source=("rosenblatt2019",),
            plan=_joint,
        ),
        GroupMethod(
            name="sign_flip",
            title="sign flips of differences from chance",
            words="flips of the signs of the subjects' differences from chance",
            hypothesis="over subjects, differences from chance are symmetric about 0 at this "
            "centre",
            conclusion="some people of the population carry the signal there; it does not say that "
            "most do, for no true accuracy lies below chance",
            source=("nichols2002", "allefeld2016"),
            plan=_sign_flip,
            against_chance=True,
            permuted=False,
        ),
        GroupMethod(
            name="prevalence",
            title="prevalence by the minimum over subjects",
            words="combinations of one map per subject, permuted or observed, of which the "
            "smallest value counts",
            hypothesis="at most the stated share of the population carries the signal at this "
            "centre",
            conclusion="more than the stated share of the population carries the signal there",
            source=("allefeld2016",),
            plan=_prevalence,
            neighbours=False,
        ),
    )
}
