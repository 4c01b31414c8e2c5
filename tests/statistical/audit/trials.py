"""Replications of a setting, counted, and what the counts say."""

import warnings
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import ndtri

import abovechance as ac
from abovechance.errors import AboveChanceError
from abovechance.inference.unseen_errors import FEW_ERRORS
from abovechance.measures import Law, find
from abovechance.measures.sample import COUNTING
from abovechance.predictions import View
from statistical.audit.settings import Setting
from statistical.audit.worlds import (
    asked_as,
    equal_clusters,
    models_of,
    population,
    sample,
    spread_of_trained,
    subgroups,
    truth,
)

DRAWS = 199
ALPHA = 0.05
SCREEN = 80
AGAIN = 240  # new replications for what looked wrong; what still does gets those of CONFIRM too
CONFIRM = 1000
LESS = 0.02  # what coverage may lack of its level, within its Monte Carlo error
DISCRETE = 0.04  # the same of shares, whose true coverage jumps from value to value
FAR = 0.85  # below this a warning is not enough to call an interval an answer
AT_MARGIN = "level at the margin"
WIDE = 3.0  # mean width beside that of a normal interval with the estimates' own spread
SHARES = (Law.SHARE, Law.CONDITIONAL, Law.BALANCED)


@dataclass
class Tally:
    """What the replications of one measure came to."""

    measure: str
    level: float = 0.95
    answers: int = 0  # replications with a value
    intervals: int = 0
    below: int = 0  # the true value lies below the interval
    above: int = 0
    warned: int = 0  # misses beside which a warning about the interval stood
    widths: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    tests: int = 0
    rejected: int = 0
    rejected_warned: int = 0  # of these, with a remark that such tests reject too often
    skills: int = 0
    skilled: int = 0
    asked: int = 0  # intervals beside which a verdict on a margin was asked for
    verdicts: int = 0  # and given: where it is refused nothing was called non-inferior
    noninferior: int = 0
    faults: Counter[str] = field(default_factory=Counter)  # what must not happen even once
    refusals: Counter[str] = field(default_factory=Counter)

    @property
    def missed(self) -> int:
        return self.below + self.above

    def summary(self) -> dict[str, Any]:
        """The counts without the lists, as JSON."""
        whole = asdict(self)
        widths, values = np.array(whole.pop("widths")), np.array(whole.pop("values"))
        kept = widths[np.isfinite(widths)]
        spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
        whole["width"] = float(np.mean(kept)) if len(kept) else None
        normal = 2.0 * float(ndtri(0.5 + self.level / 2.0)) * spread
        whole["wide"] = float(np.median(kept)) / normal if len(kept) and spread else None
        whole["faults"], whole["refusals"] = dict(self.faults), dict(self.refusals.most_common(3))
        return whole


def trial(s: Setting, replications: int, start: int, draws: int = DRAWS) -> dict[str, Tally]:
    """Replications `start` and on, counted by measure."""
    tallies = {m: Tally(m, s.level) for m in s.measures}
    for i in range(start, start + replications):
        rng = np.random.default_rng(np.random.SeedSequence(_entropy(s), spawn_key=(i,)))
        models = sample(s, rng)
        with warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always")
            try:
                _ask(s, models, tallies, i, draws)
            except AboveChanceError as reason:
                for t in tallies.values():
                    t.refusals[f"whole answer: {reason}"[:160]] += 1
            except Exception as error:  # whatever a user would see as a traceback
                for t in tallies.values():
                    t.faults[f"{type(error).__name__}: {error}"[:160]] += 1
        for w in raised:
            for t in tallies.values():
                t.faults[f"warning: {w.message}"[:120]] += 1
    return tallies


def _entropy(s: Setting) -> int:
    return int.from_bytes(s.words.encode()[:120], "little") % 2**63


def _ask(s: Setting, models: dict[str, Any], tallies: dict[str, Tally], i: int, draws: int) -> None:
    options: dict[str, Any] = {"draws": draws, "rng": i, "confidence_level": s.level}
    judged = None
    if s.part:
        options["by"], judged = subgroups(s, i), "judged"
    if s.verb == "assess":
        if s.sampling == "case-control":
            options |= {"sampling": s.sampling, "prevalence": s.prevalence}
        found = ac.assess(models["new"], [asked_as(s, m) for m in s.measures], **options)
        first = next((e.output for e in found.estimates if e.output is not None), None)
        for e in found.estimates:
            if _part(e.by) != judged or e.class_ is not None or e.output not in (None, first):
                continue
            name = _asked(s, e.measure)
            if name is not None:
                _estimate(s, tallies[name], e, found.advice)
        return
    margin = None
    if s.verb == "margin":
        margin = {m: abs(_difference(s, m)) for m in s.measures if _tested_at_margin(s, m)}
        if not margin:
            return
    names = list(margin) if margin else [asked_as(s, m) for m in s.measures]
    paired = {"paired": False} if s.apart else {}
    found = ac.compare(models, names, margin=margin, **paired, **options)
    for d in found.differences:
        name = _asked(s, d.measure)
        if name is not None and _part(d.by) == judged:
            _compared(s, tallies[name], d, found.advice, margin)


def _part(by: str | None) -> str | None:
    return None if by is None else by.rpartition("=")[2]


def _asked(s: Setting, label: str) -> str | None:
    for name in s.measures:  # net benefit is labelled with its threshold
        if label in (name, find(asked_as(s, name)).for_outcome(s.kind).label) or (
            label.startswith(f"{name}(") and not s.time
        ):
            return name
    return None


def _difference(s: Setting, measure: str) -> float:
    return truth(s, measure, "new") - truth(s, measure, "old")


def _tested_at_margin(s: Setting, measure: str) -> bool:
    """Whether the new model is truly worse by an amount that can be a margin."""
    m = find(measure).for_outcome(s.kind)
    apart = _difference(s, measure)
    if m.higher_is_better is None or not np.isfinite(apart):
        return False
    return apart < -1e-3 if m.higher_is_better else apart > 1e-3


def _warned(row: Any, advice: Any) -> bool:
    """Whether a reader was told that this interval may not hold."""
    said = [a.text for a in advice] + [str(getattr(row, "remark", "") or "")]
    said.append(str(row.undefined or ""))
    return any("cover" in text or "may not hold" in text for text in said)


def _interval(t: Tally, value: float, row: Any, goal: float, span: Any, advice: Any) -> None:
    found = row.interval
    if found is None or not np.isfinite(value):
        if np.isfinite(value):
            t.refusals[str(getattr(row, "remark", None) or row.undefined or "no reason")[:160]] += 1
        return
    slack = 1e-9 * max(1.0, abs(value))
    if not found.low <= found.high:
        t.faults["low above high"] += 1
    elif found.low == found.high and "identical" not in found.method:
        t.faults["width 0"] += 1
    if not found.low - slack <= value <= found.high + slack:
        t.faults["interval without its value"] += 1
    if found.low < span[0] - slack or found.high > span[1] + slack:
        t.faults["beyond the range"] += 1
    if not np.isfinite(goal):
        return
    t.intervals += 1
    t.widths.append(float(found.high - found.low))
    t.below += goal < found.low - 1e-12
    t.above += goal > found.high + 1e-12
    if not found.low <= goal <= found.high:
        t.warned += _warned(row, advice)


def _estimate(s: Setting, t: Tally, e: Any, advice: Any) -> None:
    m = find(t.measure).for_outcome(s.kind)
    if np.isfinite(e.value):
        t.answers += 1
        t.values.append(float(e.value))
    if e.interval is not None and np.isfinite(e.value):
        _interval(t, e.value, e, truth(s, t.measure), m.range, advice)
    else:
        _interval(t, e.value, e, np.nan, m.range, advice)
    if e.p_value is not None and not 0.0 < e.p_value <= 1.0:
        t.faults["p outside (0, 1]"] += 1
    if s.null and e.p_value is not None and m.law is not Law.CALIBRATION:
        t.tests += 1
        t.rejected += e.p_value <= ALPHA
    if s.null and e.skill is not None and e.skill.p_value is not None:
        t.skills += 1
        t.skilled += e.skill.p_value <= ALPHA


def _compared(s: Setting, t: Tally, d: Any, advice: Any, margin: Any) -> None:
    m = find(t.measure).for_outcome(s.kind)
    reach = m.range[1] - m.range[0]
    if np.isfinite(d.difference):
        t.answers += 1
        t.values.append(float(d.difference))
    goal = np.nan if d.interval is None else _difference(s, t.measure)
    if s.worse == 1.0 and d.interval is not None:
        goal = 0.0
    _interval(t, d.difference, d, goal, (-reach, reach), advice)
    if s.worse == 1.0 and d.p_value is not None:
        t.tests += 1
        if d.p_value <= ALPHA:
            t.rejected += 1
            t.rejected_warned += any("differences that are not there" in a.text for a in advice)
    if margin is not None and d.interval is not None:
        t.asked += 1
    if margin is not None and d.margin is not None:
        t.verdicts += 1
        t.noninferior += bool(d.margin.noninferior)


def _bar(s: Setting, t: Tally) -> float:
    share = find(t.measure).for_outcome(s.kind).law in SHARES
    return s.level - (DISCRETE if share else LESS)


def suspicions(s: Setting, t: Tally) -> list[str]:
    """What looks wrong after screening: few replications, so only what stands out."""
    from scipy.stats import binom

    bar = _bar(s, t)
    found = [f"fault: {name}" for name in t.faults]
    if t.intervals >= 20 and binom.sf(t.missed - 1, t.intervals, 1.0 - bar) < 0.02:
        found.append("coverage")
    for name, hits, count, allowed in _levels(t):
        if count >= 20 and binom.sf(hits - 1, count, allowed) < 0.02:
            found.append(name)
    if t.intervals >= 20 and _useless(s, t):
        found.append("width")
    return found


def _useless(s: Setting, t: Tally) -> bool:
    """Whether intervals are much wider than estimates vary, and than so few units explain.

    Where hardly any error is seen estimates do not vary, but limits must still allow for about
    three errors among the units of the scarcer class; those of a difference for three of each
    model.
    """
    cases = min(s.n / s.panel, s.apart or s.n) * (s.part or 1.0)
    cases *= (1.0 - s.series) / (1.0 + s.series)
    if s.heavy:
        cases /= np.e  # what log-normal weights leave
    if s.weights == "by class":
        cases /= 2.0  # what is left of two classes alike where all weight is on one
    clusters = equal_clusters(s) if s.clusters != "none" else cases
    units = clusters if s.held == "constant" else cases
    measure = find(t.measure).for_outcome(s.kind)
    rarest = s.rarest
    if measure.form in COUNTING and not measure.prevalence_free:
        rarest = min(rarest, _rarest_call(s))  # precision of a class that hardly anyone is called
    scarce = min(units * rarest, clusters)
    low, high = measure.range
    if measure.law is Law.UTILITY:
        low = max(low, -1.0)  # what it loses where all are called wrongly, at even odds
    if np.isinf(high - low) and measure.form in COUNTING:
        return False  # odds and likelihood ratios have no bound where no error is seen
    told = t.summary()
    if told["wide"] is None or scarce < 10:
        return False
    wide = told["wide"]
    if s.origin == "cv":  # what models trained on other cases are worth varies too
        own = float(np.std(t.values))
        wide *= own / float(np.hypot(own, spread_of_trained(s, t.measure)))
    if wide <= WIDE:
        return False
    if _hardly_any_error(s) and measure.reads is View.PROBABILITY:
        return False  # limits allow for errors not seen, and what one costs may have no bound
    errors = 6.0 if s.verb == "assess" else 12.0  # to both sides, at .95
    errors *= (ndtri(0.5 + s.level / 2.0) / ndtri(0.975)) ** 2
    return not np.isfinite(high - low) or told["width"] > errors * (high - low) / scarce


def _rarest_call(s: Setting) -> float:
    """The share of cases that are called the class that is called least often."""
    if s.kind not in ("binary", "multiclass") or s.given == "score" or s.origin == "cv":
        return 1.0
    models = [population(s)[name] for name in models_of(s)]
    return min(float(np.bincount(p.label, minlength=s.classes).min()) / p.n for p in models)


def _hardly_any_error(s: Setting) -> bool:
    """Whether samples of this setting hold so few errors of a model that most show hardly any."""
    if s.kind not in ("binary", "multiclass") or s.given == "score":
        return False
    right = max(truth(s, "accuracy", model) for model in models_of(s))
    return s.n * (s.part or 1.0) * (1.0 - right) < FEW_ERRORS


def _levels(t: Tally) -> list[tuple[str, int, int, float]]:
    """What was rejected of how many, and what may be; a margin is judged at 1 − the level.

    Of samples in which a verdict on a margin is refused none is falsely called non-inferior.
    """
    return [
        ("level", t.rejected, t.tests, ALPHA),
        ("level of skill", t.skilled, t.skills, ALPHA),
        (AT_MARGIN, t.noninferior, t.asked, 1.0 - t.level),
    ]


def confirmed(s: Setting, t: Tally, suspected: list[str]) -> list[tuple[str, str]]:
    """Which suspicions many new replications bear out, each with its figure."""
    bar = _bar(s, t)
    found = [(f"fault: {n}", f"{c} times") for n, c in t.faults.items()]
    if "coverage" in suspected and t.intervals:
        share = 1.0 - t.missed / t.intervals
        error = np.sqrt(max(share * (1.0 - share), 1e-4) / t.intervals)
        if share + 3.0 * error < bar:
            told = t.missed > 0 and t.warned >= 0.9 * t.missed
            warned = "coverage, warned" if share >= FAR else "coverage, warned, and far below"
            name = warned if told else "coverage"
            found.append((name, f"{share:.3f} ± {error:.3f} ({t.below} below, {t.above} above)"))
    for name, hits, count, allowed in _levels(t):
        if name in suspected and count:
            share = hits / count
            error = np.sqrt(max(share * (1.0 - share), 1e-4) / count)
            if share - 3.0 * error > allowed:
                figure = f"{share:.3f} ± {error:.3f}"
                if name == AT_MARGIN and 0 < t.verdicts < count:
                    figure += f", {hits / t.verdicts:.3f} of {t.verdicts} verdicts"
                told = name == "level" and t.rejected_warned >= 0.9 * hits
                found.append((f"{name}, warned" if told else name, figure))
    if "width" in suspected and _useless(s, t):
        found.append(("width", f"{t.summary()['wide']:.1f} times a normal interval's"))
    return found


def examine(s: Setting) -> dict[str, Any]:
    """Screen a setting; confirm what looks wrong with new replications."""
    screened = trial(s, SCREEN, 0)
    suspects = {m: found for m, t in screened.items() if (found := suspicions(s, t))}
    result: dict[str, Any] = {
        "words": s.words,
        "measures": list(s.measures),
        "intervals": sum(t.intervals > 0 for t in screened.values()),
        "suspects": suspects,
        "refusals": {m: dict(t.refusals.most_common(1)) for m, t in screened.items() if t.refusals},
        "findings": [],
    }
    first = _narrowed(s, suspects)
    again = trial(first, AGAIN, SCREEN) if suspects else {}
    kept = {m: found for m, t in again.items() if (found := suspicions(s, t))}
    last = _narrowed(s, kept)
    for m, t in (trial(last, CONFIRM, SCREEN + AGAIN) if kept else {}).items():
        for name, figure in confirmed(last, t, kept[m]):
            result["findings"].append({"measure": m, "what": name, "figure": figure})
    return result


def _narrowed(s: Setting, suspects: dict[str, list[str]]) -> Setting:
    return replace(s, measures=tuple(suspects))
