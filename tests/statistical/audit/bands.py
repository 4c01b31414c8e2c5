"""Bands of curves in settings drawn at random: do they hold the true curve, point by point?

Truth is the curve of a million cases of the same world. A band is looked at where curves are read:
at rates from .05 to .95, or between the 5 % and the 95 % quantile of the predictions.
"""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

import abovechance as ac
from abovechance.errors import AboveChanceError
from statistical.audit.settings import Setting
from statistical.audit.settings import drawn as drawn_setting
from statistical.audit.worlds import Floats, many_cases, sample

SCREEN, CONFIRM = 40, 300
DRAWS = 300
LESS = 0.05  # what mean coverage of a band may lack of its level: .90 of .95
FAR = 0.80
CASES = 1_000_000
RATES = np.linspace(0.05, 0.95, 19)
NEAR = 0.0025  # share of those cases on either side that tell how frequent an outcome is at a place
CURVES = ("roc", "precision_recall", "calibration", "decision")


def drawn(seed: int, index: int) -> Setting:
    """Setting number `index` of a seed: two classes with scores, one model on test cases."""
    for attempt in range(1000):
        s = drawn_setting(seed, 1000 * index + attempt)
        plain = s.kind == "binary" and s.verb == "assess" and s.origin == "test"
        if plain and s.sampling == "random" and s.given != "label" and not s.part and not s.series:
            return replace(s, measures=CURVES if s.given == "probability" else CURVES[:2])
    raise AssertionError("no such setting was drawn")


@lru_cache(maxsize=1)
def _population(s: Setting) -> tuple[Any, Floats]:
    """Outcomes of many cases and what ranks them, in rising order of the latter."""
    whole = many_cases(s, CASES)
    score = np.asarray(whole.ranking, dtype=np.float64)
    order = np.argsort(score, kind="stable")
    return np.asarray(whole.positive)[order], score[order]


def true_at(s: Setting, curve: str, at: Floats) -> Floats:
    """Heights of the true curve."""
    y, score = _population(replace(s, measures=()))
    if curve == "calibration":
        sums = np.concatenate([[0.0], np.cumsum(y)])
        reach = round(NEAR * len(y))
        first = np.maximum(np.searchsorted(score, at, side="left") - reach, 0)
        last = np.minimum(np.searchsorted(score, at, side="right") + reach, len(y))
        return np.asarray((sums[last] - sums[first]) / (last - first))
    positives, negatives = float(y.sum()), float((~y).sum())
    if curve == "decision":
        place = np.searchsorted(score, at, side="left")
        true = positives - np.concatenate([[0.0], np.cumsum(y)])[place]
        false = len(y) - place - true
        return np.asarray((true - false * at / (1.0 - at)) / len(y))
    last = np.append(np.flatnonzero(np.diff(score[::-1])), len(y) - 1)  # of every tied group
    true, false = np.cumsum(y[::-1])[last], np.cumsum(~y[::-1])[last]
    if curve == "roc":
        return np.interp(at, np.append(0.0, false / negatives), np.append(0.0, true / positives))
    return np.interp(at, true / positives, true / (true + false))


@dataclass
class Tally:
    """Shares of the places where one curve's bands held the truth, sample by sample."""

    held: list[float] = field(default_factory=list)
    warned: int = 0  # samples with a remark about the band
    faults: list[str] = field(default_factory=list)

    @property
    def covers(self) -> float:
        return float(np.mean(self.held))

    @property
    def error(self) -> float:
        return float(np.std(self.held, ddof=1) / np.sqrt(len(self.held)))


def trial(s: Setting, replications: int, start: int) -> dict[str, Tally]:
    """Bands of samples `start` and on."""
    tallies = {name: Tally() for name in s.measures}
    for i in range(start, start + replications):
        rng = np.random.default_rng(np.random.SeedSequence(s.n, spawn_key=(i,)))
        predictions = sample(s, rng)["new"]
        for name, tally in tallies.items():
            look(s, name, predictions, i, tally)
    return tallies


def look(s: Setting, name: str, predictions: Any, i: int, tally: Tally) -> None:
    """Count at how many places the band of a curve holds the true one."""
    if name == "precision_recall" and (s.ties or s.rounded):
        return  # between grades precision is no straight line
    rankings = np.asarray(predictions.ranking, dtype=np.float64)
    at = RATES if name in CURVES[:2] else np.unique(np.quantile(rankings, RATES))
    options: dict[str, Any] = {"confidence_level": s.level}
    options |= {} if name == "calibration" else {"draws": DRAWS, "rng": i}
    if name == "decision":
        at = at[(at > 0.0) & (at < 1.0)]
        options["thresholds"] = at
    try:
        curve = getattr(ac.curves, name)(predictions, **options)
    except AboveChanceError:
        return
    except Exception as error:  # whatever a user would see as a traceback
        tally.faults.append(f"{type(error).__name__}: {error}"[:160])
        return
    if curve.low is None:
        return
    low, high = (np.interp(at, curve.x, limit) for limit in (curve.low, curve.high))
    truth = true_at(s, name, at)
    if not (curve.low <= curve.high + 1e-12)[np.isfinite(curve.low)].all():
        tally.faults.append("low above high")
    tally.held.append(float(((low <= truth + 1e-9) & (truth <= high + 1e-9)).mean()))
    tally.warned += any("cover" in a.text for a in curve.advice)


def amiss(s: Setting, tally: Tally, errors: float) -> bool:
    """Whether a band holds the truth less often than it may, beyond its Monte Carlo error."""
    if tally.faults:
        return True
    return len(tally.held) > 9 and tally.covers + errors * tally.error < s.level - LESS


def examine(s: Setting) -> dict[str, Any]:
    """Screen a setting; confirm what looks wrong with new samples."""
    screened = trial(s, SCREEN, 0)
    suspects = {name: ["band"] for name, t in screened.items() if amiss(s, t, 1.0)}
    again = trial(replace(s, measures=tuple(suspects)), CONFIRM, SCREEN) if suspects else {}
    findings = []
    for name, t in again.items():
        findings += [
            {"measure": name, "what": f"fault: {fault}", "figure": ""}
            for fault in sorted({*t.faults, *screened[name].faults})
        ]
        if len(t.held) > 9 and t.covers + 3.0 * t.error < s.level - LESS:
            told = t.warned >= 0.9 * len(t.held)
            what = "band" if not told else "band, warned"
            what += ", and far below" if told and t.covers < FAR else ""
            figure = f"{t.covers:.3f} ± {t.error:.3f}"
            findings.append({"measure": name, "what": what, "figure": figure})
    return {
        "words": s.words,
        "intervals": sum(bool(t.held) for t in screened.values()),
        "suspects": suspects,
        "findings": findings,
    }
