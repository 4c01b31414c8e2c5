"""Every public measure and method against something that is not this package."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import abovechance as ac

FOLDER = Path(__file__).parent / "references"
FIFTY = json.loads((FOLDER / "fifty_digits.json").read_text("utf-8"))
SAMPLES = FIFTY["samples"]
WITHIN = {"closed": 1e-12, "iterative": 1e-7}
MADE = {
    "binary": lambda s: ac.Binary(s["y"], probability=s["p"]),
    "other": lambda s: ac.Binary(s["y"], probability=s["p"]),
}


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
        key: MADE[value](SAMPLES[value]) if isinstance(value, str) else value
        for key, value in row["given"].items()
    }
    return getattr(getattr(ac, home), name)(**given)


@pytest.mark.parametrize("row", FIFTY["cases"], ids=lambda row: row["call"])
def test_fifty_digits_agree(row: dict[str, Any]) -> None:
    found = of_sample(row) if "sample" in row else of_call(row)
    wanted = row["value"]
    pairs = (
        [(getattr(found, name), value) for name, value in wanted.items()]
        if isinstance(wanted, dict)
        else [(found, wanted)]
    )
    for have, want in pairs:
        assert have == pytest.approx(float(want), rel=WITHIN[row["how"]], abs=1e-300)


def test_there_are_many_of_them() -> None:
    numbers = [len(r["value"]) if isinstance(r["value"], dict) else 1 for r in FIFTY["cases"]]
    assert sum(numbers) >= 100
    assert all(len(str(r["value"])) > 40 or float(r["value"]) for r in FIFTY["cases"] if
               isinstance(r["value"], str))  # fmt: skip
