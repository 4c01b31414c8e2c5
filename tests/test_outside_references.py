"""Every public measure and method against something that is not this package."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import abovechance as ac

FOLDER = Path(__file__).parent / "references"
FIFTY = json.loads((FOLDER / "fifty_digits.json").read_text("utf-8"))
SAMPLES = FIFTY["samples"]
POPULATIONS = json.loads((FOLDER / "population.json").read_text("utf-8"))["cases"]
WITHIN = {"closed": 1e-12, "iterative": 1e-7}
MADE: dict[str, Any] = {
    "binary": lambda s: ac.Binary(s["y"], probability=s["p"]),
    "other": lambda s: ac.Binary(s["y"], probability=s["p"]),
    "extreme": lambda s: ac.Binary(s["y"], probability=s["p"]),
    "numbers": lambda s: ac.Numeric(s["y"], s["p"]),
    "scores": lambda s: ac.Binary(s["y"], score=s["s"]),
    "risks": lambda s: ac.Binary(s["y"], probability=s["p"]),
    "four": lambda s: ac.Numeric(s["y"], s["p"]),
    "folded": lambda s: ac.Numeric(s["y"], s["p"], fold=s["fold"]),
    "survival": lambda s: ac.Survival(s["time"], s["event"], risk=s["risk"]),
}
ERRORS = 4.5  # standard errors by which draws of a fixed seed may miss their limit


def of_sample(row: dict[str, Any]) -> float:
    """What a measure gives for the arrays it reads of a sample."""
    measure = getattr(ac.measures, row["call"].removeprefix("measures."))
    sample, stated = SAMPLES[row["sample"]], row.get("stated", {})
    if row["sample"] == "survival":
        read = ("risk",) if measure.reads.name == "RISK" else ("survival", "times")
        given = {name: sample[name] for name in read}
        return measure(sample["time"], sample["event"], **given, **stated)
    y, p = np.array(sample["y"]), np.array(sample["p"])
    if measure.reads.name == "LABEL":
        p = p.argmax(axis=1) if p.ndim == 2 else (p >= 0.5).astype(int)
    return measure(y, p, **stated)


def of_call(row: dict[str, Any]) -> Any:
    """What a method gives for numbers, or for the predictions that are named."""
    home, name = row["call"].split(".")
    given = {
        key: MADE[value](SAMPLES[value]) if isinstance(value, str) and value in MADE else value
        for key, value in row["given"].items()
    }
    return getattr(getattr(ac, home), name)(**given)


@pytest.mark.parametrize("row", FIFTY["cases"], ids=lambda row: row["call"])
def test_fifty_digits_agree(row: dict[str, Any]) -> None:
    found = of_sample(row) if "sample" in row else of_call(row)
    wanted = row["value"]
    if isinstance(wanted, list):
        assert found.tolist() == np.array(wanted, dtype=np.float64).tolist()
        return
    pairs = (
        [(named(found, name), value) for name, value in wanted.items()]
        if isinstance(wanted, dict)
        else [(found, wanted)]
    )
    for have, want in pairs:
        if isinstance(want, dict):
            assert abs(have - float(want["limit"])) <= ERRORS * float(want["error"])
        else:
            assert have == pytest.approx(float(want), rel=WITHIN[row["how"]], abs=1e-300)


def named(found: Any, name: str) -> float:
    """An attribute, one of an attribute, or what a method says of a number."""
    name, _, number = name.partition(" ")
    for part in name.split("."):
        found = getattr(found, part)
    return float(found(float(number)) if number else found)


def test_there_are_many_of_them() -> None:
    numbers = [len(r["value"]) if isinstance(r["value"], dict) else 1 for r in FIFTY["cases"]]
    assert sum(numbers) >= 100
    assert len({r["call"] for r in FIFTY["cases"]}) >= 100


@pytest.mark.parametrize("case", POPULATIONS, ids=lambda case: case["name"])
def test_populations_agree_with_long_chains(case: dict[str, Any]) -> None:
    """Both are sampled: 4.5 standard errors of the two. A share spreads by .5 at most, a deviation
    or a correlation by no more than its prior does, .6; accuracies by what is found."""
    found = ac.posterior.hierarchical(case["tables"])
    accuracies = {
        "population": found.population,
        "first class": found.classes[0],
        "second class": found.classes[1],
    } | {f"subject {i}": one for i, one in enumerate(found.subjects)}
    have = {name: (one.mean, one.std) for name, one in accuracies.items()} | {
        "population above 0.7": (found.population.prob_above(0.7), 0.5),
        "first deviation": (found.deviation[0], 0.6),
        "second deviation": (found.deviation[1], 0.6),
        "correlation": (found.correlation, 0.6),
    }
    assert have.keys() == case["expected"].keys()
    for name, (value, spread) in have.items():
        want, own = case["expected"][name], spread / found.effective_draws**0.5
        assert abs(value - want["mean"]) <= ERRORS * np.hypot(own, want["error"]), name


# Names whose outside values stand in another file, with what to look for in it.
ELSEWHERE = {
    "measures.ici": ("calibration.json", "Eavg"),
    "measures.e50": ("calibration.json", "E50"),
    "measures.e90": ("calibration.json", "E90"),
    "measures.emax": ("calibration.json", "Emax"),
    "intervals.modified_jeffreys": ("proportion_ci.json", "modified_jeffreys"),
    "intervals.delong": ("roc_curves.json", "delong"),
    "intervals.ordered_mean": ("ordered.json", "ewc"),
    "significance.ordered": ("ordered.json", "ewc"),
    "significance.diebold_mariano": ("ordered.json", "diebold"),
    "significance.ibragimov_mueller": ("ordered.json", "ibragimov"),
    "significance.hosmer_lemeshow": ("calibration.json", "hosmer"),
    "significance.permutation": ("permutation_exact.json", "permutation"),
    "significance.null_distribution": ("permutation_exact.json", "permutation"),
    "significance.sign_flip": ("signflip_exact.json", "signflip"),
    "significance.boundaries": ("simctest.json", "getbounds"),
    "posterior.accuracy": ("brodersen_binary.json", "accuracy"),
    "posterior.balanced_accuracy": ("brodersen_multiclass.json", "balanced"),
    "posterior.prob_above_chance": ("brodersen_binary.json", "chance"),
    "posterior.hierarchical": ("population.json", "hierarchical"),
}


def public() -> set[str]:
    """Every measure, interval, test and posterior that is called by name."""
    homes = {"intervals": ac.intervals, "significance": ac.significance, "posterior": ac.posterior}
    found = {
        f"{home}.{name}"
        for home, module in homes.items()
        for name in module.__all__
        if name[0].islower()
    }
    return found | {f"measures.{name}" for name in ac.measures.every()}


def test_every_public_measure_and_method_has_an_outside_reference() -> None:
    held = {row["call"] for row in FIFTY["cases"]}
    assert public() - held - set(ELSEWHERE) == set()


@pytest.mark.parametrize("name", ELSEWHERE)
def test_the_other_files_hold_what_is_looked_for(name: str) -> None:
    file, key = ELSEWHERE[name]
    assert key.lower() in (FOLDER / file).read_text("utf-8").lower()


def numbers_of(value: Any) -> int:
    if isinstance(value, list | dict):
        return sum(map(numbers_of, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def from_r(expected: Any, tools: set[str]) -> int:
    """How many numbers stand under the names of tools of R."""
    if isinstance(expected, list):
        return sum(from_r(one, tools) for one in expected)
    if not isinstance(expected, dict):
        return 0
    return sum(
        numbers_of(value) if name in tools else from_r(value, tools)
        for name, value in expected.items()
    )


def test_hundreds_of_values_come_from_r() -> None:
    """Of each file at most 300 count, so that no long table makes up the number."""
    found = {}
    for path in FOLDER.glob("*.json"):
        held = json.loads(path.read_text("utf-8"))
        source = held.get("source", {})
        tools = {name for name, how in source.items() if re.search(r"\bR \w", f"{how} ")}
        found[path.name] = min(300, sum(from_r(c.get("expected"), tools) for c in held["cases"]))
    assert sum(found.values()) >= 3000
    assert sum(count > 0 for count in found.values()) >= 12
