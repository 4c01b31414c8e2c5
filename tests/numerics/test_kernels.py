"""When compiled code is used, and that nothing loads it before."""

import io
import subprocess
import sys
from collections import Counter
from types import SimpleNamespace

from abovechance.numerics import kernels
from abovechance.numerics.kernels import WORTHWHILE, worthwhile


def test_only_large_work_is_worth_compiled_code():
    assert not worthwhile(WORTHWHILE - 1)
    assert worthwhile(WORTHWHILE)


def test_a_loaded_module_of_equal_results_is_worth_using_for_any_size():
    import abovechance.numerics.kernels.pair_loops  # noqa: F401

    assert worthwhile(1, module="pair_loops")
    assert not worthwhile(1, module="no_such_module")


def test_many_small_jobs_are_worth_it_when_together_they_have_cost_as_much(monkeypatch):
    monkeypatch.setattr(kernels, "_compiled_before", lambda module: True)
    monkeypatch.setattr(kernels, "_taken", Counter())
    monkeypatch.setitem(sys.modules, "numba", None)  # a key, whatever it holds, counts as loaded
    price = WORTHWHILE // kernels.LOADED_ALREADY
    assert not worthwhile(price - 2, module="no_such_module")
    assert not worthwhile(1, module="no_such_module")
    assert worthwhile(1, module="no_such_module")
    monkeypatch.delitem(sys.modules, "numba")
    assert not worthwhile(price, module="another")
    assert worthwhile(WORTHWHILE, module="another")


def test_loops_that_were_never_compiled_are_made_for_large_work_only(monkeypatch, tmp_path):
    monkeypatch.setattr(kernels, "_taken", Counter())
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    kernels._compiled_before.cache_clear()
    try:
        assert not worthwhile(2 * WORTHWHILE, module="fresh")
        assert worthwhile(kernels.NEVER_COMPILED * WORTHWHILE, module="fresh")
        (tmp_path / "inside").mkdir()
        (tmp_path / "inside" / "seen.loop-1.py311.nbi").touch()
        assert worthwhile(2 * WORTHWHILE, module="seen")
    finally:
        kernels._compiled_before.cache_clear()


def test_small_work_loads_no_compiler():
    script = """
import sys
import numpy as np
from abovechance.numerics import censoring, counts, ranks
y, p = np.array([True, False, True]), np.array([0.7, 0.4, 0.4])
ranks.rank_summary(p, y), counts.probability_sums(y, p), counts.confusion(y, p > 0.5, 2)
censoring.concordance_by_case(p, y, p), censoring.kaplan_meier(p, y)
assert not {"numba", "scipy", "sklearn"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", script], check=True)


class Screen(io.StringIO):
    """An error stream that somebody watches, or not."""

    watched = True

    def isatty(self) -> bool:
        return self.watched


def test_compiling_is_announced_where_somebody_watches(monkeypatch, tmp_path):
    import numba

    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(kernels, "_announced", {})
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    def twice(x):
        return 2 * x

    twice.__module__ = "abovechance.somewhere"
    loop = kernels.compiled(twice)
    assert screen.getvalue() == ""
    assert loop(21) == 42
    assert screen.getvalue().count("compiling fast loops") == 1
    loop(1.5)  # compiled for another kind of number, right after
    assert screen.getvalue().count("\n") == 1


def test_compiling_is_announced_anew_after_a_while_and_not_for_others(monkeypatch):
    screen, clock = Screen(), iter([100.0, 104.0, 110.0])
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(kernels, "_announced", {})
    # the module's own clock: servers of other tests still look at the one of the process
    monkeypatch.setattr(kernels, "time", SimpleNamespace(monotonic=clock.__next__))
    said = []
    for module in ("umap.layouts", "abovechance.a", "abovechance.b", "abovechance.c"):
        kernels.announce(module)
        said.append(screen.getvalue().count("\n"))
    assert said == [0, 1, 1, 2]
    screen.watched = False
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    kernels.announce("abovechance.d")
    assert screen.getvalue().count("\n") == 2
