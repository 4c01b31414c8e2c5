"""Fingerprints: equal in any process, different whenever the computation is."""

import subprocess
import sys
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from abovechance.resampling import Bootstrap, LabelPermutations, SignFlips, digest, label_sums

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
