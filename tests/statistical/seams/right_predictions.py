"""Predictions of which hardly any is wrong: losses tell little of the errors among others."""

from functools import cache

import numpy as np

import abovechance as ac
from abovechance.inference.results import Interval
from statistical.seams.seam import seam

TOPIC = "hardly any error"
NAMES = ("brier", "log_score", "nagelkerke_r2")
DRAWS = 199


def _cases(n: int, apart: float, rng: np.random.Generator, *noise: float) -> list[ac.Binary]:
    """Two normal classes so many standard deviations apart, judged by calibrated models.

    One model for each `noise` that it adds to what it sees.
    """
    y = rng.integers(0, 2, n)
    x = apart * (y - 0.5) + rng.normal(size=n)
    seen = [(x + s * rng.normal(size=n)) / (1.0 + s**2) for s in noise or (0.0,)]
    return [ac.Binary(y, probability=1.0 / (1.0 + np.exp(-apart * z))) for z in seen]


@cache
def _true(measure: str, apart: float, *noise: float) -> tuple[float, ...]:
    rng = np.random.default_rng(1)
    return tuple(
        float(ac.measures.find(measure).of(p)) for p in _cases(1_000_000, apart, rng, *noise)
    )


for _n, _apart, _wrong in ((40, 5.0, "1 error in 160"), (150, 5.0, "1 error in 160")):
    for _measure in NAMES:

        @seam(TOPIC, f"{_measure}, n = {_n}, {_wrong}", "coverage", low=0.93)
        def _covers(
            rng: np.random.Generator, n: int = _n, apart: float = _apart, measure: str = _measure
        ) -> float:
            (cases,) = _cases(n, apart, rng)
            row = ac.assess(cases, [measure], draws=DRAWS, rng=1)[measure]
            if row.interval is None:
                return float("nan")
            return float(row.interval.low <= _true(measure, apart)[0] <= row.interval.high)


@seam(TOPIC, "brier, n = 500, 1 error in 15", "width", high=0.045)
def _usual_width(rng: np.random.Generator) -> float:
    (cases,) = _cases(500, 3.0, rng)
    found = ac.assess(cases, ["brier"], draws=DRAWS, rng=1)["brier"].interval
    return float("nan") if found is None else found.high - found.low


for _measure in ("brier", "log_score"):

    @seam(
        TOPIC, f"difference of {_measure}, n = 100, 1 error in 160 and in 120", "coverage", low=0.93
    )
    def _covers_difference(rng: np.random.Generator, measure: str = _measure) -> float:
        first, second = _cases(100, 5.0, rng, 0.0, 0.25)
        models = {"first": first, "second": second}
        row = ac.compare(models, [measure], draws=DRAWS, rng=1).differences[0]
        if row.interval is None:
            return float("nan")
        true = np.subtract(*_true(measure, 5.0, 0.0, 0.25))
        return float(row.interval.low <= true <= row.interval.high)


def _interval_of_log_score(rng: np.random.Generator) -> Interval | None:
    (cases,) = _cases(20, 5.0, rng)
    return ac.assess(cases, ["log_score"], draws=DRAWS, rng=1)["log_score"].interval


@seam(TOPIC, "log_score, n = 20, 1 error in 160", "coverage", low=0.93)
def _covers_of_few(rng: np.random.Generator) -> float:
    found = _interval_of_log_score(rng)
    if found is None:
        return float("nan")
    return float(found.low <= _true("log_score", 5.0)[0] <= found.high)


@seam(TOPIC, "log_score, n = 20, 1 error in 160", "wider than 3.5", high=0.0)
def _width_of_few(rng: np.random.Generator) -> float:
    found = _interval_of_log_score(rng)
    return float("nan") if found is None else float(found.high - found.low > 3.5)
