"""Levels beside values of a stream are those of the same cases in memory."""

from pathlib import Path

import numpy as np
import pytest

from abovechance import Binary, Multiclass, Numeric, assess
from abovechance.inference.streaming import assess_stream

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
N = 2000


@pytest.mark.parametrize("kind", ["binary", "multiclass", "numeric"])
def test_chance_and_reference_of_a_stream_are_those_in_memory(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=N)
    if kind == "binary":
        y = (rng.random(N) < 1 / (1 + np.exp(0.6 - x))).astype(int)
        p = 1 / (1 + np.exp(-1.6 * x))
        columns, cases = {"outcome": y, "probability": p}, Binary(y, probability=p, pos_label=1)
    elif kind == "multiclass":
        k = rng.integers(3, size=N)
        p = rng.dirichlet(np.ones(3), size=N) + 0.5 * np.eye(3)[k]
        p /= p.sum(axis=1, keepdims=True)
        y = np.array(["a", "b", "c"])[k]
        columns = {"outcome": y, **{f"p_{c}": p[:, i] for i, c in enumerate("abc")}}
        cases = Multiclass(y, probability=p, labels=["a", "b", "c"])
    else:
        y = x + rng.normal(size=N)
        columns, cases = {"outcome": y, "value": 1.3 * x + 0.2}, Numeric(y, 1.3 * x + 0.2)
    file = tmp_path / "cases.parquet"
    pq.write_table(pa.table(columns), file)
    streamed = assess_stream(file, outcome="outcome", rng=1)
    rows = [e for e in streamed if e.class_ is None and e.p_value is not None]
    assert len(rows) > 3
    whole = assess(cases, [e.measure for e in rows], rng=1, draws=199)
    for row in rows:
        mine = whole[row.measure]
        assert row.chance is not None, row.measure
        # of functions of a mean, such as Nagelkerke's R², a stream takes the value at the mean
        assert row.chance == pytest.approx(mine.chance, rel=0.02, abs=1e-9), row.measure
        assert row.reference == pytest.approx(mine.reference, rel=1e-9, abs=1e-9), row.measure
        assert (row.skill is None) == (mine.skill is None), row.measure
