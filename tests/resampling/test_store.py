"""Fingerprints of computations, and finished blocks on disk."""

import contextlib
import json
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from abovechance.errors import FileError, Unfinished
from abovechance.resampling import (
    Bootstrap,
    LabelPermutations,
    Settings,
    SignFlips,
    Store,
    digest,
    label_sums,
    replicate,
    replicate_blocks,
)

# ----------------------------------------------------------------------------------------------
# Fingerprints: equal in any process, different whenever the computation is.
# ----------------------------------------------------------------------------------------------


WORK = partial(label_sums, np.arange(6.0).reshape(1, 6), LabelPermutations([1, 0, 1, 0, 0, 1]))


def test_equal_computations_have_equal_digests_in_another_process() -> None:
    code = (
        "from functools import partial; import numpy as np;"
        "from abovechance.resampling import LabelPermutations, digest, label_sums;"
        "print(digest(partial(label_sums, np.arange(6.0).reshape(1, 6),"
        " LabelPermutations([1, 0, 1, 0, 0, 1])), {'b': 1, 'a': {2, 1}}))"
    )
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == digest(WORK, {"a": {1, 2}, "b": 1})


def test_using_a_scheme_does_not_change_its_digest() -> None:
    scheme = SignFlips(5, groups=[1, 1, 2, 2, 3])
    before = digest(scheme)
    scheme.draw(np.random.default_rng(1), 3)
    assert digest(scheme) == before


def adding(number: int) -> Any:
    def add(x: int) -> int:
        return x + number

    return add


def test_whatever_differs_differs() -> None:
    array = np.arange(6)
    things = [
        *(1, 1.0, True, "1", b"1", None, (1,), [1], {1: 1}, {1}),
        *(array, array.astype(float), array.reshape(2, 3), array[::-1], np.array(["a"])),
        np.array([1, "a"], dtype=object),
        *(np.sin, np.cos, len, int, np.mean, adding(1), adding(2), lambda x: x, lambda x: x + 1),
        *(partial(np.inner, 1), partial(np.inner, 2), "abc".upper, SignFlips(3), Bootstrap(3)),
        *(SignFlips(4), range(3), range(4)),
    ]
    digests = [digest(thing) for thing in things]
    assert len(set(digests)) == len(things)


def test_splitting_differently_is_different() -> None:
    assert digest("ab", "c") != digest("a", "bc")
    assert digest(["a"], []) != digest([], ["a"])


def users(source: str) -> ModuleType:
    """A module as a user would write it."""
    module = ModuleType("a_users_own")
    sys.modules[module.__name__] = module
    exec(source, module.__dict__)
    return module


@pytest.mark.parametrize(
    "source",
    [
        "class Work:\n    def __call__(self, x):\n        return x + {}\nwork = Work()",
        "class Work:\n    shift = {}\n    def __call__(self, x):\n        return x\nwork = Work()",
        "from dataclasses import dataclass\n@dataclass\nclass Work:\n    k: int = 1\n"
        "    def __call__(self, x):\n        return x + {}\nwork = Work()",
        "def work(x, *, by={}):\n    return x + by",
        "def helper(x):\n    return x + {}\ndef work(x):\n    return helper(x)",
        "SHIFT = {}\ndef work(x):\n    return x + SHIFT",
        "SHIFT = {}\nclass helper:\n    def __call__(self, x):\n        return x + SHIFT\n"
        "def work(x):\n    return helper()(x)",
    ],
)
def test_what_a_user_wrote_counts_with_all_that_it_uses(source: str) -> None:
    one, same, other = (digest(users(source.format(n)).work) for n in (1, 1, 2))
    assert one == same != other


def test_functions_that_call_each_other_end() -> None:
    source = "def work(x):\n    return back(x)\ndef back(x):\n    return work(x) + {}"
    assert digest(users(source.format(1)).work) != digest(users(source.format(2)).work)


def test_a_field_that_does_not_compare_does_not_count() -> None:
    source = (
        "from dataclasses import dataclass, field\n@dataclass\nclass Work:\n    what: int\n"
        "    how: int = field(compare=False)\n"
    )
    made = users(source).Work
    assert digest(made(1, 2)) == digest(made(1, 3)) != digest(made(2, 2))


# ----------------------------------------------------------------------------------------------
# The store: resume without repeating or losing, refuse what is not ours.
# ----------------------------------------------------------------------------------------------


FOLDER = Path(__file__).parent
FLIPPED = partial(np.inner, np.random.default_rng(1).normal(size=20))
SCHEME = SignFlips(20)


@dataclass(frozen=True)
class Counting:
    """Serial, keeping count of the blocks computed; it may stop after some."""

    stop: int | None = None
    computed: list[int] = field(default_factory=list)

    def map(self, task: Any, blocks: Iterable[int]) -> Iterator[tuple[int, Any]]:
        for block in blocks:
            if self.stop is not None and len(self.computed) >= self.stop:
                raise KeyboardInterrupt
            self.computed.append(block)
            yield block, task(block)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(draws=100, seed=2, block=10, store=tmp_path / "run.store")


def interrupted(settings: Settings, after: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        replicate(FLIPPED, SCHEME, replace(settings, executor=Counting(stop=after)))


def test_a_run_goes_on_where_it_ended(settings: Settings) -> None:
    expected = replicate(FLIPPED, SCHEME, replace(settings, store=None))
    interrupted(settings, after=4)
    rest = Counting()
    found = replicate(FLIPPED, SCHEME, replace(settings, executor=rest))
    assert rest.computed == [4, 5, 6, 7, 8, 9]
    assert np.array_equal(found, expected)
    again = Counting()
    assert np.array_equal(replicate(FLIPPED, SCHEME, replace(settings, executor=again)), expected)
    assert again.computed == []


def test_a_longer_run_uses_the_blocks_of_a_shorter_one(settings: Settings) -> None:
    expected = replicate(FLIPPED, SCHEME, replace(settings, store=None))
    replicate(FLIPPED, SCHEME, replace(settings, draws=25))
    counting = Counting()
    found = replicate(FLIPPED, SCHEME, replace(settings, executor=counting))
    assert counting.computed == [2, 3, 4, 5, 6, 7, 8, 9]  # block 2 was short
    assert np.array_equal(found, expected)
    shorter = replicate(FLIPPED, SCHEME, replace(settings, draws=25, executor=counting))
    assert np.array_equal(shorter, expected[:25])
    assert len(counting.computed) == 8


def test_arrays_by_name_are_kept(settings: Settings, chores: Any) -> None:
    first = replicate_blocks(chores.named, settings)
    counting = Counting()
    second = replicate_blocks(chores.named, replace(settings, executor=counting))
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    assert counting.computed == []
    assert all(np.array_equal(first[name], second[name]) for name in first)
    assert all(first[name].dtype == second[name].dtype for name in first)


def test_progress_counts_what_was_there(settings: Settings) -> None:
    interrupted(settings, after=4)
    seen: list[int] = []
    replicate(FLIPPED, SCHEME, replace(settings, progress=lambda done, _: seen.append(done)))
    assert seen == [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]


@pytest.mark.parametrize(
    ("change", "said"),
    [({"seed": 3}, "seed is 2 there and 3 here"), ({"block": 5}, "block is 10 there and 5 here")],
)
def test_another_configuration_is_refused_in_one_line(
    settings: Settings, change: dict[str, Any], said: str
) -> None:
    interrupted(settings, after=1)
    with pytest.raises(FileError, match=said) as raised:
        replicate(FLIPPED, SCHEME, replace(settings, **change))
    assert "\n" not in str(raised.value)


def test_other_data_are_refused(settings: Settings) -> None:
    interrupted(settings, after=1)
    other = partial(np.inner, np.random.default_rng(9).normal(size=20))
    with pytest.raises(FileError, match=r"another run \(with other data or another statistic\)"):
        replicate(other, SCHEME, settings)


def test_a_program_of_several_computations_shares_a_named_store(settings: Settings) -> None:
    assert settings.store is not None
    path = Path(str(settings.store))
    named = replace(settings, store=Store(path, {"file": "a.csv", "seed": 2}))
    other = partial(np.inner, np.ones(20))
    first, second = replicate(FLIPPED, SCHEME, named), replicate(other, SCHEME, named)
    counting = Counting()
    kept = replace(named, executor=counting)
    assert np.array_equal(replicate(FLIPPED, SCHEME, kept), first)
    assert np.array_equal(replicate(other, SCHEME, kept), second)
    assert counting.computed == []
    with pytest.raises(FileError, match=r"file is a\.csv there and b\.csv here"):
        replicate(other, SCHEME, replace(named, store=Store(path, {"file": "b.csv", "seed": 2})))


def test_two_live_runs_on_one_store_are_refused(settings: Settings) -> None:
    second_refused = []

    def meanwhile(done: int, total: int) -> None:
        with pytest.raises(Unfinished, match="in use by another run") as raised:
            replicate(FLIPPED, SCHEME, settings)
        second_refused.append(str(raised.value))

    replicate(FLIPPED, SCHEME, replace(settings, draws=20, progress=meanwhile))
    assert len(second_refused) == 2


def test_a_corrupt_block_is_found_and_computed_again(settings: Settings) -> None:
    expected = replicate(FLIPPED, SCHEME, settings)
    with sqlite3.connect(str(settings.store)) as connection:
        (payload,) = connection.execute("SELECT payload FROM blocks WHERE block = 3").fetchone()
        spoilt = bytearray(payload)
        spoilt[-40] ^= 1
        connection.execute("UPDATE blocks SET payload = ? WHERE block = 3", (bytes(spoilt),))
        # a row copied to another number is wrong too
        connection.execute(
            "UPDATE blocks SET payload = (SELECT payload FROM blocks WHERE block = 1), "
            "checksum = (SELECT checksum FROM blocks WHERE block = 1) WHERE block = 7"
        )
    connection.close()
    counting = Counting()
    found = replicate(FLIPPED, SCHEME, replace(settings, executor=counting))
    assert counting.computed == [3, 7]
    assert np.array_equal(found, expected)
    replicate(FLIPPED, SCHEME, replace(settings, executor=counting))
    assert counting.computed == [3, 7]


def test_a_foreign_file_is_refused_and_left_alone(settings: Settings) -> None:
    path = Path(str(settings.store))
    path.write_text("outcome,probability\n1,0.5\n")
    with pytest.raises(FileError, match="not a store"):
        replicate(FLIPPED, SCHEME, settings)
    assert path.read_text() == "outcome,probability\n1,0.5\n"


def test_a_foreign_database_is_refused_and_left_alone(settings: Settings) -> None:
    with sqlite3.connect(str(settings.store)) as connection:
        connection.execute("CREATE TABLE patients (name TEXT)")
    connection.close()
    before = Path(str(settings.store)).read_bytes()
    with pytest.raises(FileError, match="database of something else"):
        replicate(FLIPPED, SCHEME, settings)
    assert Path(str(settings.store)).read_bytes() == before


def test_a_store_of_another_version_is_refused_and_left_alone(settings: Settings) -> None:
    replicate(FLIPPED, SCHEME, settings)
    path = Path(str(settings.store))
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(FileError, match="written by another version; finish it there"):
        replicate(FLIPPED, SCHEME, settings)
    assert path.read_bytes() == before


@pytest.mark.parametrize("keep", [50, 4096, 9000])
def test_a_file_cut_short_is_refused(settings: Settings, keep: int) -> None:
    path = Path(str(settings.store))
    replicate(FLIPPED, SCHEME, replace(settings, draws=1000))
    whole = path.read_bytes()
    assert len(whole) > keep
    path.write_bytes(whole[:keep])
    with pytest.raises(FileError, match=r"cut short|damaged"):
        replicate(FLIPPED, SCHEME, settings)


def test_an_unwritable_place_is_said(tmp_path: Path) -> None:
    settings = Settings(draws=10, store=tmp_path / "nowhere" / "run.store")
    with pytest.raises(Unfinished, match="cannot be written"):
        replicate(FLIPPED, SCHEME, settings)
    with pytest.raises(FileError, match="cannot be read"):
        replicate(FLIPPED, SCHEME, replace(settings, store=tmp_path))


def test_an_empty_file_becomes_a_store(settings: Settings) -> None:
    Path(str(settings.store)).touch()
    assert len(replicate(FLIPPED, SCHEME, settings)) == 100


SCRIPT = """
import hashlib, json, sys
sys.path.insert(0, {folder!r})
import chores
from abovechance.resampling import Settings, replicate_blocks

if __name__ == "__main__":
    def say(done, total):
        print(done, flush=True)
    settings = Settings(
        draws=300, seed=4, block=10, workers={workers}, store={store!r}, progress=say
    )
    values = replicate_blocks(chores.slow_uniforms, settings)
    print(hashlib.sha256(values.tobytes()).hexdigest(), flush=True)
"""


def survives_kills(folder: Path, chores: Any, kills: int, workers: int) -> None:
    """Kill the main process at random points; resume until done; compare with an unkilled run."""
    import hashlib

    script, store = folder / "script.py", folder / "run.store"
    script.write_text(SCRIPT.format(folder=str(FOLDER), store=str(store), workers=workers))
    chance, kept = random.Random(workers), set[int]()
    for _ in range(kills):
        run = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
        assert run.stdout is not None
        run.stdout.readline()
        time.sleep(0.1 * chance.random())
        run.kill()
        run.communicate()
        with contextlib.closing(sqlite3.connect(store)) as connection:
            now = {row[0] for row in connection.execute("SELECT block FROM blocks")}
        assert kept <= now
        kept = now
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    values = replicate_blocks(chores.uniforms, Settings(draws=300, seed=4, block=10))
    assert isinstance(values, np.ndarray)
    assert done.stdout.splitlines()[-1] == hashlib.sha256(values.tobytes()).hexdigest()
    with contextlib.closing(sqlite3.connect(store)) as connection:
        rows = connection.execute("SELECT count(*), count(DISTINCT block) FROM blocks").fetchone()
    assert rows == (30, 30)


def test_a_killed_run_resumes(tmp_path: Path, chores: Any) -> None:
    survives_kills(tmp_path, chores, kills=2, workers=1)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_twenty_five_kills_lose_and_double_nothing(
    tmp_path: Path, chores: Any, workers: int
) -> None:
    survives_kills(tmp_path, chores, kills=25, workers=workers)


def test_the_configuration_is_readable_from_outside(settings: Settings) -> None:
    replicate(FLIPPED, SCHEME, settings)
    with sqlite3.connect(str(settings.store)) as connection:
        about = dict(connection.execute("SELECT name, value FROM run"))
    connection.close()
    assert json.loads(about["seed"]) == 2


def test_objects_are_never_pickled_into_a_store(settings: Settings) -> None:
    with pytest.raises(TypeError, match="objects would have to be pickled"):
        replicate_blocks(lambda rng, size: np.full(size, {}, dtype=object), settings)


class Exploit:
    """Whoever unpickles it runs what it says."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path("unpickled"),))


@pytest.mark.parametrize("forged", ["pickle", "archive", "noise"])
def test_a_forged_block_runs_nothing_and_is_computed_again(
    settings: Settings, forged: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io
    import pickle

    from abovechance.resampling.store import _checksum

    monkeypatch.chdir(tmp_path)
    expected = replicate(FLIPPED, SCHEME, settings)
    held = io.BytesIO()
    np.savez(held, array=np.array([Exploit()] * 10, dtype=object))
    payload = {"pickle": pickle.dumps(Exploit()), "archive": held.getvalue(), "noise": b"?"}[forged]
    with contextlib.closing(sqlite3.connect(str(settings.store))) as connection, connection:
        (task,) = connection.execute("SELECT DISTINCT task FROM blocks").fetchone()
        row = (payload, _checksum(task, 3, payload))
        connection.execute("UPDATE blocks SET payload = ?, checksum = ? WHERE block = 3", row)
    counting = Counting()
    found = replicate(FLIPPED, SCHEME, replace(settings, executor=counting))
    assert counting.computed == [3]
    assert np.array_equal(found, expected)
    assert not (tmp_path / "unpickled").exists()
