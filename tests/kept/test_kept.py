"""No number changes unnoticed: some 400 small problems have the answers they had before.

The answers are those of an earlier state of this package (`make_kept.py`), not of anybody else.
"""

import warnings
from typing import Any

import pytest

from kept import make_kept, problems

NAMES = problems.names()


@pytest.fixture(scope="module")
def before() -> dict[str, Any]:
    return make_kept.kept()


def test_every_problem_has_an_answer_and_every_answer_a_problem(before: dict[str, Any]) -> None:
    assert list(before) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_problem_is_answered_as_before(name: str, before: dict[str, Any]) -> None:
    if name.startswith("assess_stream"):  # some files are only read in pieces by compiled loops
        pytest.importorskip("numba")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="sklearn")  # what estimators say for themselves
        answer = problems.answered(name)
    changed = make_kept.changes(answer, before[name])
    assert changed == [], "if it is meant: ./run python tests/kept/make_kept.py, and CHANGELOG.md"


def test_a_changed_number_and_a_lost_one_are_seen() -> None:
    answer = {"/a": 0.5, "/b": 3, "/c/name": "wilson", "/d": float("inf")}
    before = make_kept.as_kept(answer)
    assert make_kept.changes(answer, before) == []
    assert make_kept.changes(answer | {"/a": 0.5 + 1e-8}, before) == []
    assert make_kept.changes(answer | {"/a": 0.50001}, before) == ["/a: 0.5 → 0.50001"]
    assert make_kept.changes(answer | {"/b": 4}, before) == ["/b: 3 → 4"]
    assert make_kept.changes(answer | {"/c/name": "wald"}, before) == ["/c/name: wilson → wald"]
    assert make_kept.changes(answer | {"/d": 7.0}, before) == ["/d: inf → 7.0"]
    lost = {k: v for k, v in answer.items() if k != "/b"}
    assert make_kept.changes(lost, before) == ["other places: 3 numbers, 4 before"]
