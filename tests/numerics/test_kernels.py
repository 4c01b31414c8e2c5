"""When compiled code is used, and that nothing loads it before."""

import subprocess
import sys

from abovechance.numerics.kernels import WORTHWHILE, worthwhile


def test_only_large_work_is_worth_compiled_code():
    assert not worthwhile(WORTHWHILE - 1)
    assert worthwhile(WORTHWHILE)


def test_a_loaded_module_of_equal_results_is_worth_using_for_any_size():
    import abovechance.numerics.kernels.pair_loops  # noqa: F401

    assert worthwhile(1, module="pair_loops")
    assert not worthwhile(1, module="no_such_module")


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
