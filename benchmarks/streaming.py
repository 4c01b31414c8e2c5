"""Streams: a Parquet file of ten million rows, or a hundred million with --full, in pieces.

The peers read the ten million at once; for a hundred million their CPU time is taken tenfold.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from subprocess import run

os.environ.setdefault("POLARS_MAX_THREADS", "1")

import harness  # before numpy: it allows one thread to everybody
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from harness import Race, cpu_time, race
from pyarrow import parquet
from sklearn import metrics

from abovechance.inference.streaming import assess_stream

FULL = "--full" in sys.argv
ROWS, MANY = 10**7, 10**8
CHUNK = 10**6
VALUES = {"accuracy": 1e-12, "brier": 1e-10, "log_loss": 1e-10, "auc": 1e-6}
MAXIMUM = 1000  # megabytes
OURS = "from abovechance.inference.streaming import assess_stream as f; f({path!r}, exact={exact})"
THEIRS = "from pathlib import Path; import streaming; streaming.with_pandas(Path({path!r}))"
# Not what getrusage says, which counts what the parent had when it made the child.
PEAK = "; print([x.split()[1] for x in open('/proc/self/status') if x.startswith('VmHWM')][0])"


def make(path: Path, rows: int) -> None:
    """Write outcomes with a prevalence of 0.3 and informative probabilities, chunk by chunk."""
    writer = None
    for chunk in range(rows // CHUNK):
        rng = np.random.default_rng([20_240_601, chunk])
        y = rng.random(CHUNK) < 0.3
        p = 1 / (1 + np.exp(-rng.normal(1.5 * y - 1.3)))
        table = pa.table({"y": y.astype(np.int8), "p": p})
        writer = writer or parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()


def streamed(path: Path, exact: bool = False) -> dict[str, float]:
    """Every measure a stream allows, with intervals and tests."""
    result = assess_stream(path, outcome="y", probability="p", exact=exact, rng=1)
    return {row.measure: row.value for row in result}


def with_pandas(path: Path) -> dict[str, float]:
    """Four measures and average precision, without any interval."""
    frame = pd.read_parquet(path)
    y, p = frame["y"].to_numpy(), frame["p"].to_numpy()
    return {
        "accuracy": metrics.accuracy_score(y, p > 0.5),
        "auc": metrics.roc_auc_score(y, p),
        "average_precision": metrics.average_precision_score(y, p),
        "brier": metrics.brier_score_loss(y, p),
        "log_loss": metrics.log_loss(y, p),
    }


def with_polars(path: Path, ranks: bool) -> dict[str, float]:
    """Four measures, or three without the area, in one query."""
    y, p = pl.col("y").cast(pl.Float64), pl.col("p")
    given = pl.when(y == 1).then(p).otherwise(1 - p)
    wanted = {
        "accuracy": ((p > 0.5) == (y == 1)).mean(),
        "brier": ((y - p) ** 2).mean(),
        "log_loss": -given.log().mean(),
    }
    if ranks:
        wanted["rank_sum"] = (p.rank("average") * y).sum()
    wanted["n1"] = y.sum()
    wanted["n"] = pl.len()
    found = pl.scan_parquet(path).select(**wanted).collect(engine="streaming").row(0, named=True)
    n1, n0 = found.pop("n1"), found.pop("n")
    n0 -= n1
    if ranks:
        found["auc"] = (found.pop("rank_sum") - n1 * (n1 + 1) / 2) / (n1 * n0)
    return found


def decoded(path: Path) -> None:
    """The bound: only reading the columns."""
    file = parquet.ParquetFile(path, pre_buffer=False)
    for _ in file.iter_batches(batch_size=2**16, use_threads=False):
        pass


def agree(ours: dict[str, float], theirs: dict[str, float]) -> None:
    for name in VALUES.keys() & theirs.keys():
        np.testing.assert_allclose(ours[name], theirs[name], rtol=VALUES[name], err_msg=name)


def peak(program: str, path: Path, exact: bool = False) -> int:
    """Megabytes a process of its own takes at most."""
    code = program.format(path=str(path), exact=exact) + PEAK
    done = run([sys.executable, "-c", code], capture_output=True, cwd=Path(__file__).parent)
    return int(done.stdout.split()[-1]) // 1024


def races() -> Iterator[Race]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cases.parquet"
        make(path, ROWS)
        pandas, polars = "pandas and scikit-learn, 5 measures", "polars, 4 measures"
        peers: dict[str, Callable[[], object]] = {
            pandas: partial(with_pandas, path),
            polars: partial(with_polars, path, True),
            "polars, 3 measures without ranks": partial(with_polars, path, False),
        }
        work, ours = "1e+07 rows: every measure, interval and test", partial(streamed, path)
        found = race(work, ours, peers, agree=agree, floors={pandas: 10}, rounds=2)
        yield from found
        bound = {"decoding the file": partial(decoded, path)}
        yield from race(work, ours, bound, agree=None, rounds=3)
        work, ours = "1e+07 rows: the same with exact ranks", partial(streamed, path, True)
        yield from race(work, ours, {polars: peers[polars]}, agree=agree, rounds=2)
        note(f"1e+07 rows: {peak(OURS, path)} MB; exact ranks {peak(OURS, path, True)} MB")
        note(f"1e+07 rows, pandas and scikit-learn: {peak(THEIRS, path)} MB")
        if FULL:
            yield from hundred_million(path, found)


def hundred_million(path: Path, found: list[Race]) -> Iterator[Race]:
    """Ten times as many rows, against ten times the peers' time."""
    path.unlink()
    make(path, MANY)
    for what, exact in (("every measure, interval and test", False), ("exact ranks", True)):
        ours = cpu_time(partial(streamed, path, exact))
        for r in found:
            floor = None if exact or r.floor is None else 20
            peer, theirs = f"{r.peer}, tenfold", 10 * r.theirs
            yield Race(f"1e+08 rows: {what}", peer, ours, theirs, theirs / ours, floor)
    used = peak(OURS, path)
    note(
        f"1e+08 rows: {used} MB, no more than {MAXIMUM} allowed; exact ranks "
        f"{peak(OURS, path, True)} MB"
    )
    assert used < MAXIMUM


NOTES: list[str] = []


def note(text: str) -> None:
    NOTES.append(text)
    print(text, file=sys.stderr)


if __name__ == "__main__":
    sys.argv = [word for word in sys.argv if word != "--full"]
    title = "Streams against pandas with scikit-learn, and polars"
    packages = ("pyarrow", "pandas", "polars", "scikit-learn", "numba")
    code = harness.main("streaming", title, races, packages)
    results = Path(__file__).parent / "results" / "streaming.md"
    with results.open("a", encoding="utf-8") as file:
        file.write("\nA hundred million rows (--full) are read once, and the peers' time for ten ")
        file.write("million taken tenfold. Memory, peak of a process of its own:\n\n")
        file.writelines(f"- {text}\n" for text in NOTES)
    sys.exit(code)
