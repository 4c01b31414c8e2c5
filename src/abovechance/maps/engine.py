"""One statistic in every neighbourhood, under the labels as they are and under permuted ones.

Centres are done in blocks: a block is a pure function of data, seed and block number, so any number
of processes, a cluster, and a run that was stopped and taken up again give the same bits. The
permutations are drawn from the seed alone and are the same at every centre.
"""

import copy
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from abovechance import __version__
from abovechance.arrays import Array, Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.inference.detection import BLOCK, OBSERVED
from abovechance.learning.learners import LDA, TIE
from abovechance.learning.schemes import LeftOut, VFold
from abovechance.maps.neighbourhoods import Neighbourhoods
from abovechance.maps.subject_map import Singles
from abovechance.numerics.covariance import LEAST_CORRELATION
from abovechance.numerics.kernels import available
from abovechance.paths import written
from abovechance.resampling.replicates import blas, runner_of, stream
from abovechance.resampling.store import Store, as_store, digest
from abovechance.settings import Settings
from abovechance.signal import Accuracy, AnyStatistic, Statistic
from abovechance.signal.battery import Work, entropy_of
from abovechance.signal.two_group_statistics import unit_columns

CENTRES = 256  # centres in a block


class Labelled(NamedTuple):
    """Labellings (B, n) that are evaluated together, of which `kept` are wanted."""

    labels: Ints
    rng: np.random.Generator
    kept: int


@dataclass(frozen=True, eq=False)
class MapWork:
    """The statistic at the centres of a block, (1 + draws, centres): as it is, and permuted.

    `runs` are the folds of accuracies, the same for all labellings; without them folds are drawn
    for every labelling as `detect` draws them, and the values are those of `detect`.
    """

    X: Floats
    starts: Ints
    members: Array
    labels: Ints
    statistic: AnyStatistic
    scheme: Any
    draws: int
    seed: int
    runs: Ints | None = None

    @property
    def many(self) -> int:
        """Number of centres."""
        return len(self.starts) - 1

    def __len__(self) -> int:
        return -(-self.many // CENTRES)

    def centres(self, block: int) -> slice:
        """The centres of a block."""
        return slice(block * CENTRES, min((block + 1) * CENTRES, self.many))

    def __call__(self, block: int) -> Singles:
        inside = self.centres(block)
        starts = self.starts[inside.start : inside.stop + 1]
        used, members = np.unique(self.members[starts[0] : starts[-1]], return_inverse=True)
        X = np.ascontiguousarray(self.X[:, used], dtype=float)
        with blas(len(sys.modules)).limit(limits=1):
            found = self._values(X, starts - starts[0], members.astype(np.int32), inside.start)
        return np.ascontiguousarray(found.T, dtype=np.float32)

    def _values(self, X: Floats, starts: Ints, members: Array, first: int) -> Floats:
        """Values (centres, 1 + draws)."""
        two = self.labels.max() == 1
        if two and available():
            if isinstance(self.statistic, Statistic) and self.statistic.local is not None:
                return self.statistic.local(X, self._every, starts, members)
            if self._by_one_hat:
                return self._discriminants(X, starts, members)
        found = np.empty((len(starts) - 1, 1 + self.draws))
        for c, (a, b) in enumerate(pairwise(starts)):
            found[c] = self._one(np.ascontiguousarray(X[:, members[a:b]]), first + c)
        return found

    def _one(self, X: Floats, centre: int) -> Floats:
        """Values (1 + draws,) at one centre."""
        if isinstance(self.statistic, Statistic):
            if self.statistic.full_rank:
                self._require(X, centre)
            return self.statistic.on(X, int(self.labels.max()) + 1)(self._every)
        parts = []
        for labels, rng, kept, made in self._parts:
            most = {}
            if isinstance(self.statistic.scheme, LeftOut):
                most = {self.statistic.learner: self.statistic.scheme.draws}
            entropy = entropy_of(copy.deepcopy(rng))
            work = Work(X, labels, entropy, most, True, made=dict(made))
            parts.append(work.value(self.statistic)[:kept])
        return np.concatenate(parts)

    def _require(self, X: Floats, centre: int) -> None:
        try:
            self.statistic.require(X, self.labels)
        except NotApplicable as refused:
            raise NotApplicable(f"at centre {centre + 1}: {refused}") from None

    @cached_property
    def _drawn(self) -> list[Labelled]:
        """The labels as they are, then blocks of permuted ones, as `detect` draws them."""
        found = [Labelled(self.labels[None], stream(self.seed, OBSERVED), 1)]
        for block in range(-(-self.draws // BLOCK)):
            rng = stream(self.seed, block)
            drawn = self.scheme.draw(rng, BLOCK)
            labels = drawn.astype(np.int64) if drawn.dtype == np.bool_ else self.labels[drawn]
            found.append(Labelled(labels, rng, min(BLOCK, self.draws - block * BLOCK)))
        return found

    @cached_property
    def _every(self) -> Ints:
        """All labellings (1 + draws, n)."""
        return np.concatenate([labels[:kept] for labels, _, kept in self._drawn])

    @cached_property
    def _parts(self) -> list[tuple[Ints, np.random.Generator, int, dict[object, Any]]]:
        """Labellings of an accuracy with their folds, made once for all centres."""
        assert isinstance(self.statistic, Accuracy)
        scheme = self.statistic.scheme
        if not isinstance(scheme, VFold):
            return [(labels, rng, kept, {}) for labels, rng, kept in self._drawn]
        made: dict[object, Any] = {}
        for repeat in range(scheme.repeats):
            key = (scheme.folds, scheme.balanced, repeat)
            if self.runs is not None:
                made[key] = np.broadcast_to(self.runs, self._every.shape)
                continue
            each = []
            for labels, rng, kept in self._drawn:
                work = Work(self.X, labels, entropy_of(copy.deepcopy(rng)), {}, None)
                each.append(work.folds(scheme, repeat)[:kept])
            made[key] = np.concatenate(each)
        return [(self._every, stream(self.seed, OBSERVED), len(self._every), made)]

    @property
    def _by_one_hat(self) -> bool:
        """Whether accuracies are of discriminants whose folds are the same for all labellings."""
        return (
            isinstance(self.statistic, Accuracy)
            and isinstance(self.statistic.learner, LDA)
            and isinstance(self.statistic.scheme, VFold)
            and self.statistic.scaling == "plain"
            and self.runs is not None
        )

    def _discriminants(self, X: Floats, starts: Ints, members: Array) -> Floats:
        from abovechance.numerics.kernels.map_loops import discriminants

        assert self.runs is not None
        assert isinstance(self.statistic, Accuracy)
        assert isinstance(self.statistic.learner, LDA)
        order = np.argsort(self.runs, kind="stable")
        folds = np.concatenate([[0], np.cumsum(np.bincount(self.runs))])
        found = np.empty((len(starts) - 1, 1 + self.draws))
        doubtful = np.empty(found.shape, dtype=bool)
        discriminants(
            unit_columns(X[order]),
            np.ascontiguousarray(self._every[:, order].T.astype(float)),
            folds,
            starts,
            members,
            2.0 if self.statistic.learner.divisor == "degrees" else 0.0,
            LEAST_CORRELATION,
            TIE,
            found,
            doubtful,
        )
        for c in np.flatnonzero(doubtful.any(axis=1)):
            some = members[starts[c] : starts[c + 1]]
            found[c] = self._one(np.ascontiguousarray(X[:, some]), int(c))
        return found


def computed(
    work: MapWork,
    settings: Settings,
    file: Path | None = None,
    *,
    before: int = 0,
    total: int | None = None,
) -> tuple[Floats, Singles]:
    """Observed values (V,) and null maps (draws, V), in memory or mapped from a file.

    Beside the data and the null maps no more than one block for each process is in memory.
    `settings.progress` counts centres: those done `before`, of `total`.
    """
    many, done = work.many, before
    shape = (work.draws, many)
    null: Singles
    if file is None:
        null = np.empty(shape, dtype=np.float32)
    else:
        with written(file):
            file.parent.mkdir(parents=True, exist_ok=True)
            null = np.lib.format.open_memmap(file, mode="w+", dtype=np.float32, shape=shape)
    observed = np.empty(many)
    for block, values in _blocks(work, settings):
        inside = work.centres(block)
        observed[inside], null[:, inside] = values[0], values[1:]
        done += inside.stop - inside.start
        if settings.progress is not None:
            settings.progress(done, many if total is None else total)
    if isinstance(null, np.memmap):
        null.flush()
    return observed, null


def _blocks(work: MapWork, settings: Settings) -> Iterator[tuple[int, Singles]]:
    """Blocks from the store, then the others as they are finished."""
    missing, runner = set(range(len(work))), runner_of(settings)
    store = as_store(settings.store)
    if store is None:
        yield from runner.map(work, sorted(missing))
        return
    with store.open(digest(work), {"seed": work.seed}) as shelf:
        for block in shelf.blocks():
            saved = shelf.load(block)
            inside = work.centres(block)
            if saved is not None and saved.shape == (1 + work.draws, inside.stop - inside.start):
                missing.discard(block)
                yield block, saved
        for block, values in runner.map(work, sorted(missing)):
            shelf.save(block, values)
            yield block, values


def one_store(settings: Settings, **facts: object) -> Store | None:
    """The store of a run of several subjects, which all belong to the same settings."""
    store = as_store(settings.store)
    if store is None or store.configuration is not None:
        return store
    return Store(store.path, {"abovechance": __version__, "seed": settings.seed, **facts})


def required(statistic: AnyStatistic, X: Floats, around: Neighbourhoods, labels: Ints) -> None:
    """Refuse a statistic that is not defined on the largest neighbourhood."""
    statistic.require(X[:, around.of(int(np.argmax(around.sizes)))], labels)
