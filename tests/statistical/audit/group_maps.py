"""Group maps in settings drawn at random: how often do they claim what is false?

Maps are smooth noise of some shape, or are made by `searchlight` from trials; subjects, null maps,
smoothness, tails, method and control are drawn. Without a signal any claim is
false; with one in a ball, those outside it are. Every setting is screened with few replications,
and what looks wrong is counted again with many new ones.
"""

import warnings
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from scipy.stats import binom

import abovechance as ac
from abovechance.errors import AboveChanceError
from abovechance.maps import GroupMaps
from statistical.map_subjects import ball, smooth, subject, volume

SCREEN, CONFIRM = 60, 400
SHAPES = ((30,), (9, 9), (6, 6, 5), (8, 7, 6))
STATISTICS = ("srivastava_du", "srivastava_du", "lda.cv4", "goeman")
WARNINGS = ("AC586", "AC587")
"""Codes of advice that says beforehand that more may be claimed than stated."""


@dataclass(frozen=True, kw_only=True)
class MapSetting:
    """One study of a group: where its maps come from, how they are combined and judged."""

    shape: tuple[int, ...]
    subjects: int
    null_maps: int
    width: float  # of smoothing, in cells
    tails: str = "normal"  # of noise: normal, t3, skewed
    made: str = "noise"  # maps of noise, or from trials
    statistic: str = "srivastava_du"  # of trials
    runs: bool = False
    method: str = "stelzer"
    control: str = "maximum"
    with_observed: bool = False
    neighbours: str = "faces"
    cluster_p: float = 0.01
    share: float = 0.5
    tail: str = "count"
    draws: int = 199
    alpha: float = 0.05
    signal: float = 0.0  # in a ball, in every subject

    @property
    def words(self) -> str:
        """The setting in one line, usual values left out."""
        plain = MapSetting(
            shape=self.shape, subjects=self.subjects, null_maps=self.null_maps, width=self.width
        )
        usual = asdict(plain)
        grid = "×".join(map(str, self.shape))
        parts = [f"{self.subjects} subjects, {self.null_maps} null maps, {grid}"]
        parts += [
            f"{name}={value:.3g}" if isinstance(value, float) else f"{name}={value}"
            for name, value in asdict(self).items()
            if name == "width" or value != usual[name]
        ]
        return ", ".join(parts)


def drawn(seed: int, index: int) -> MapSetting:
    """Setting number `index` of a seed."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,)))
    method = str(
        rng.choice(["stelzer", "joint", "sign_flip", "prevalence"], p=[0.4, 0.2, 0.2, 0.2])
    )
    rules = ["maximum", "bh", "by", "cluster", "tfce"]
    control = str(rng.choice(rules[:3] if method == "prevalence" else rules))
    trials = bool(rng.random() < 0.25)
    facts: dict[str, Any] = {
        "tails": str(rng.choice(["normal", "t3", "skewed"], p=[0.5, 0.25, 0.25])),
        "method": method,
        "control": control,
        "with_observed": method == "stelzer" and bool(rng.random() < 0.4),
        "neighbours": str(rng.choice(["faces", "edges", "corners"])),
        "cluster_p": float(rng.choice([0.01, 0.02, 0.05])),
        "share": float(rng.choice([0.0, 0.3, 0.5])) if method == "prevalence" else 0.5,
        "tail": "pareto" if method != "prevalence" and rng.random() < 0.15 else "count",
        "draws": int(rng.choice([199, 499])),
        "alpha": float(rng.choice([0.05, 0.05, 0.1])),
    }
    if trials:
        statistic = "lda.cv4" if method == "sign_flip" else str(rng.choice(STATISTICS))
        facts |= {"made": "trials", "statistic": statistic, "runs": bool(rng.random() < 0.5)}
    elif control in rules[:3]:
        facts["signal"] = float(rng.choice([0.0, 0.0, 0.8, 1.5]))
    return MapSetting(
        shape=SHAPES[int(rng.integers(2 if trials else 0, 3 if trials else len(SHAPES)))],
        subjects=int(rng.integers(4, 25)),
        null_maps=round(np.exp(rng.uniform(np.log(10), np.log(100 if not trials else 40)))),
        width=float(rng.uniform(0.3, 2.0)),
        **facts,
    )


# ----------------------------------------------------------------------------------------------
# One study, and what it claims.
# ----------------------------------------------------------------------------------------------


def _noise(s: MapSetting, rng: np.random.Generator, many: int) -> Any:
    """Smooth maps of mean 0, with tails."""
    found = smooth(rng, many, s.shape, s.width)
    if s.tails == "t3":
        found /= np.sqrt(rng.chisquare(3, size=(many, 1)) / 3)
    return found + 0.3 * (found**2 - 1) if s.tails == "skewed" else found


def _subjects(s: MapSetting, rng: np.random.Generator, seed: int) -> tuple[list[Any], Any]:
    """Maps of all subjects, and which centres carry a signal."""
    geometry = volume(*s.shape)
    true = ball(geometry, 2) > 0 if s.signal else np.zeros(len(geometry), dtype=bool)
    if s.made == "trials":
        y, runs = np.tile([0, 1], 10), np.repeat([1, 2, 3, 4, 5], 4)
        images = [
            _noise(s, rng, len(y)).reshape(-1, *s.shape).transpose(1, 2, 3, 0)
            for _ in range(s.subjects)
        ]
        asked: dict[str, Any] = {"radius": 1, "statistic": s.statistic, "draws": s.null_maps}
        maps = ac.searchlight(images, y, runs=runs if s.runs else None, rng=seed, **asked)
        return list(maps), true
    chance = 0.0 if s.method == "sign_flip" else None
    found = []
    for _ in range(s.subjects):
        made = _noise(s, rng, s.null_maps + 1)
        if s.method == "sign_flip" and s.tails == "skewed":
            made = made * rng.choice([-1.0, 1.0])  # symmetric about chance, as it supposes
        found.append(subject(made[0] + s.signal * true, made[1:], geometry, chance=chance))
    return found, true


@dataclass
class Tally:
    """What the replications of a setting came to."""

    studies: int = 0
    false: float = 0.0  # studies with a false claim; false shares of claims under BH and BY
    warned: float = 0.0  # the part of these beside which a warning stood
    faults: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)


def trial(s: MapSetting, replications: int, start: int) -> Tally:
    """Replications `start` and on, counted."""
    tally = Tally()
    entropy = int.from_bytes(s.words.encode(), "little") % 2**63
    for i in range(start, start + replications):
        rng = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(i,)))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                people, true = _subjects(s, rng, i)
                found = _asked(s, people, i)
            except AboveChanceError as reason:
                tally.refusals[str(reason)[:160]] += 1
                continue
            except Exception as error:  # whatever a user would see as a traceback or a warning
                tally.faults[f"{type(error).__name__}: {error}"[:160]] += 1
                continue
        tally.studies += 1
        tally.faults.update(_faults(s, found))
        claimed = found.rejected
        false = int((claimed & ~true).sum())
        rate = float(false > 0)
        if s.signal and s.control in ("bh", "by"):
            rate = false / max(int(claimed.sum()), 1)
        tally.false += rate
        tally.warned += rate * any(one.code in WARNINGS for one in found.advice)
    return tally


def _asked(s: MapSetting, people: list[Any], seed: int) -> GroupMaps:
    names = ("method", "control", "with_observed", "neighbours", "cluster_p", "share", "tail")
    options: dict[str, Any] = {name: getattr(s, name) for name in (*names, "draws", "alpha")}
    return ac.group_maps(people, tfce=s.control == "tfce", rng=seed, **options)


def _faults(s: MapSetting, found: GroupMaps) -> list[str]:
    """What must not be, whatever the data."""
    named = [name for name in found.maps if name == "p" or name.startswith("p_")]
    wrong = [
        f"{name} outside (0, 1]"
        for name in named
        if not ((v := found[name]) > 0).all() or v.max() > 1
    ]
    if s.tail == "count" and (found["p_maximum"] < found["p"] - 1e-12).any():
        wrong.append("p of all centres below p of one")
    if (found["p_by"] < found["p_bh"] - 1e-12).any():
        wrong.append("BY below BH")
    if not np.array_equal(found.rejected, found[f"p_{s.control}"] <= s.alpha):
        wrong.append("rejected otherwise than p says")
    return wrong


# ----------------------------------------------------------------------------------------------
# What looks wrong, and what many new studies bear out.
# ----------------------------------------------------------------------------------------------


def _too_many(tally: Tally, alpha: float) -> bool:
    """Whether claims of few studies stand out."""
    return tally.studies > 0 and binom.sf(tally.false - 1, tally.studies, alpha) < 0.02


def examine(s: MapSetting) -> dict[str, Any]:
    """All that is known of a setting, as JSON."""
    screened = trial(s, SCREEN, 0)
    suspect = bool(screened.faults) or _too_many(screened, s.alpha)
    findings = [
        {"measure": s.control, "what": f"fault: {name}", "figure": f"{count} times"}
        for name, count in screened.faults.items()
    ]
    if _too_many(screened, s.alpha):
        again = trial(s, CONFIRM, SCREEN)
        share = again.false / max(again.studies, 1)
        error = float(np.sqrt(max(share * (1 - share), 1e-4) / max(again.studies, 1)))
        if share - 3 * error > s.alpha:
            told = again.warned >= 0.9 * again.false
            what = "level, warned" if told else "level"
            findings.append(
                {"measure": s.control, "what": what, "figure": f"{share:.3f} ± {error:.3f}"}
            )
    return {
        "words": s.words,
        "intervals": 1,
        "suspects": [s.control] if suspect else [],
        "findings": findings,
        "false": screened.false / max(screened.studies, 1),
        "refusals": dict(screened.refusals.most_common(2)),
    }
