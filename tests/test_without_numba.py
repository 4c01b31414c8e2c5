"""Without numba every verb gives the same answers, by plain forms alone."""

import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

PROGRAM = """
import json, sys
import numpy as np
import abovechance as ac
from abovechance.numerics.kernels import available
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.svm import SVC

def plain(result):
    return json.loads(json.dumps(result.to_dict(), default=str))

rng = np.random.default_rng(1)
n = 6000  # more than WORTHWHILE
y = rng.random(n) < 0.3
p = 1 / (1 + np.exp(-(rng.normal(size=n) + 1.2 * y - 1.2)))
q = np.clip(p + rng.normal(scale=0.1, size=n), 0, 1).round(2)
large, other = (ac.Binary(y, probability=one) for one in (p, q))
names = ["accuracy", "auc", "average_precision", "ks", "brier", "log_score", "calibration_slope"]
c = rng.integers(3, size=2500)
raw = rng.random((2500, 3)) + np.eye(3)[c]
classes = ac.Multiclass(c, probability=raw / raw.sum(axis=1, keepdims=True), labels=[0, 1, 2])
time = rng.exponential(size=5500).round(2) + 0.01
lived = ac.Survival(time, rng.random(5500) < 0.6, risk=-time + rng.normal(size=5500))
X = rng.normal(size=(40, 4)) + np.repeat([0.0, 0.8], 20)[:, None]
group = np.repeat([0, 1], 20)
few = {"draws": 79, "rng": 1}
found = {
    "assess": plain(ac.assess(large, names, **few)),
    "classes": plain(ac.assess(classes, ["auc", "accuracy"], **few)),
    "survival": plain(ac.assess(lived, ["c_index"], **few)),
    "compare": plain(ac.compare({"a": large, "b": other}, ["auc", "brier", "f1"], **few)),
    "detect": plain(
        ac.detect(X, group, tests=["hotelling_shrink", "lda.cv4", "svm.c1.cv4"], **few)
    ),
    "permutation_test": plain(
        ac.permutation_test(
            LinearDiscriminantAnalysis(), X, group, measures=["accuracy"], cv=4, **few
        )
    ),
    "svm": plain(
        ac.permutation_test(
            SVC(kernel="linear"), X, group, measures=["accuracy"], cv=4, draws=39, rng=1
        )
    ),
}
print(json.dumps({"available": available(), "numba": "numba" in sys.modules, "found": found}))
"""


def answers(compiled: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        env={**os.environ, "ABOVECHANCE_COMPILED": compiled},
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.fixture(scope="module")
def both() -> tuple[dict[str, Any], dict[str, Any]]:
    return answers("on"), answers("off")


def leaves(value: Any, place: str = "") -> dict[str, Any]:
    """Every number and text of a result by its place."""
    if not isinstance(value, dict | list):
        return {place: value}
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    return {k: v for key, one in parts for k, v in leaves(one, f"{place}.{key}").items()}


def test_compiled_loops_are_used_here_and_never_there(
    both: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    compiled, plain = both
    assert (compiled["available"], compiled["numba"]) == (True, True)
    assert (plain["available"], plain["numba"]) == (False, False)


@pytest.mark.parametrize(
    "verb", ["assess", "classes", "survival", "compare", "detect", "permutation_test", "svm"]
)
def test_answers_are_the_same(both: tuple[dict[str, Any], dict[str, Any]], verb: str) -> None:
    compiled, plain = (leaves(told["found"][verb]) for told in both)
    assert compiled.keys() == plain.keys()
    for place, value in compiled.items():
        if place == ".together":  # says how models were refitted, which is what may differ
            continue
        if isinstance(value, float):
            assert np.isclose(value, plain[place], rtol=1e-9, atol=1e-12), place
        else:
            assert value == plain[place], place


def test_a_file_in_pieces_is_refused_with_the_remedy(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    from abovechance import assess_stream
    from abovechance.errors import NotApplicable

    parquet.write_table(pa.table({"y": [0, 1], "p": [0.25, 0.75]}), tmp_path / "a.parquet")
    monkeypatch.setenv("ABOVECHANCE_COMPILED", "off")
    with pytest.raises(NotApplicable, match="need numba; pip install numba, or read the file at"):
        assess_stream(tmp_path / "a.parquet")
