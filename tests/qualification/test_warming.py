"""Loops made ahead: what is compiled, what is said, and what is left for later."""

import pytest

from abovechance.cli import main
from abovechance.errors import Unfinished
from abovechance.numerics import kernels
from abovechance.numerics.kernels import worthwhile
from abovechance.qualification import warm, warming


def test_compiled_code_is_used_for_work_of_any_size_meanwhile() -> None:
    assert not worthwhile(1)
    with kernels.eagerly():
        assert worthwhile(1)
        assert worthwhile(1, module="no_such_module")
    assert not worthwhile(1)


def test_loops_are_counted_where_they_are_compiled_and_not_where_they_are_there() -> None:
    import numba

    def fresh(x):
        return x + 1.0

    fresh.__module__ = "abovechance.fresh"
    loop = numba.njit(fresh)
    with kernels.counted() as found:
        assert (loop(1.0), loop(2.0)) == (2.0, 3.0)
    assert found == ["abovechance.fresh.fresh"]


def test_every_part_is_told_before_it_is_done(monkeypatch, capsys) -> None:
    done = []
    parts = {"one": lambda: done.append("one"), "other": lambda: done.append("other")}
    monkeypatch.setattr(warming, "_parts", lambda: parts)
    assert main(["warm"]) == 0
    assert done == ["one", "other"]
    said = capsys.readouterr().err.splitlines()
    assert said[:2] == ["abovechance: 1 of 2: one", "abovechance: 2 of 2: other"]
    assert said[2] == "abovechance: all loops were compiled before; nothing was left to do."


def test_without_a_compiler_it_is_refused(monkeypatch) -> None:
    monkeypatch.setenv("ABOVECHANCE_COMPILED", "off")
    with pytest.raises(Unfinished, match="nothing can be compiled"):
        warm()


@pytest.mark.slow
def test_what_was_made_once_is_not_made_again() -> None:
    warm()
    assert warm().compiled == 0
