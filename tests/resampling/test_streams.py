"""Seeds, settings and streams."""

import numpy as np
import pytest

from abovechance.errors import AboveChanceError
from abovechance.resampling import (
    DEFAULT,
    Processes,
    Resampling,
    Serial,
    child_seed,
    seed_of,
    stream,
)


def test_a_block_has_the_stream_of_its_spawn_key() -> None:
    expected = np.random.default_rng(np.random.SeedSequence(7, spawn_key=(3,))).random(5)
    assert np.array_equal(stream(7, 3).random(5), expected)


def test_rng_becomes_one_seed() -> None:
    assert seed_of(12) == 12
    assert seed_of(np.int64(12)) == 12
    assert seed_of(None) != seed_of(None)
    rng = np.random.default_rng(1)
    assert seed_of(rng) != seed_of(rng)
    sequence = np.random.SeedSequence(5).spawn(2)
    assert seed_of(sequence[0]) != seed_of(sequence[1])
    assert seed_of(np.random.SeedSequence(5)) == seed_of(np.random.SeedSequence(5))


@pytest.mark.parametrize("rng", [None, np.random.default_rng(2), np.random.SeedSequence(2)])
def test_a_seed_survives_json(rng: object) -> None:
    seed = seed_of(rng)  # type: ignore[arg-type]
    assert 0 <= seed < 2**53
    assert int(float(seed)) == seed


@pytest.mark.parametrize("rng", [-1, True, 1.5, "7", np.random.RandomState(1)])
def test_other_things_are_no_rng(rng: object) -> None:
    with pytest.raises(AboveChanceError, match="rng must be"):
        seed_of(rng)  # type: ignore[arg-type]


def test_child_seeds_differ_and_repeat() -> None:
    seeds = [child_seed(1, part, cell) for part in ("a", "b") for cell in range(100)]
    assert len(set(seeds)) == 200
    assert max(seeds) < 2**53
    assert child_seed(1, "a", 0) == seeds[0]
    assert child_seed(2, "a", 0) != seeds[0]


def test_settings_are_checked() -> None:
    with pytest.raises(AboveChanceError, match="draws must be at least 1; got 0"):
        Resampling(draws=0)
    with pytest.raises(AboveChanceError, match="workers"):
        Resampling(workers=0)
    with pytest.raises(AboveChanceError, match="negative"):
        Resampling(seed=-1)


def test_workers_choose_the_executor() -> None:
    assert DEFAULT.runner == Serial()
    assert Resampling(workers=3).runner == Processes(3)
    assert Resampling(workers=3, executor=Serial()).runner == Serial()
