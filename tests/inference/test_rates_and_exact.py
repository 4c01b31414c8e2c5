"""Rates stated beforehand, and exact p-values: done, or said why not."""

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import abovechance as ac
from abovechance.cli import main
from abovechance.errors import DataError, NotApplicable
from abovechance.predictions import Binary, Multiclass, Numeric

RNG = np.random.default_rng(3)
Y = np.repeat([1, 0], [7, 8])
P = np.round(1 / (1 + np.exp(1.2 - 2.5 * Y - RNG.normal(size=15))), 3)
TABLE = np.array([[20, 5], [3, 12]])  # rows actual
MADE = Binary(np.repeat([0, 1], TABLE.sum(axis=1)), label=np.repeat([0, 1, 0, 1], TABLE.ravel()))
SHARES = {
    "accuracy": (32, 40, "greater"),
    "error_rate": (8, 40, "less"),
    "sensitivity": (12, 15, "greater"),
    "specificity": (20, 25, "greater"),
    "ppv": (12, 17, "greater"),
    "npv": (20, 23, "greater"),
    "false_positive_rate": (5, 25, "less"),
    "false_negative_rate": (3, 15, "less"),
    "false_discovery_rate": (5, 17, "less"),
    "false_omission_rate": (3, 23, "less"),
}


def codes(found: Any) -> dict[str, str]:
    return {advice.code: advice.text for advice in found.advice}


@pytest.mark.parametrize("name", SHARES)
def test_a_share_is_tested_on_its_denominator(name: str) -> None:
    hits, total, side = SHARES[name]
    row = ac.assess(MADE, [name], rate=0.6, rng=1)[name]
    assert row.p_value == pytest.approx(binomtest(hits, total, 0.6, side).pvalue)
    assert row.chance == 0.6
    assert row.test == "exact binomial test"
    assert row.hypothesis == "the true share is 0.6"


def test_rates_by_name_leave_the_others_as_they_were() -> None:
    plain = ac.assess(MADE, ["sensitivity", "ppv"], rng=1)
    found = ac.assess(MADE, ["sensitivity", "ppv"], rate={"recall": 0.6}, rng=1)
    assert found["sensitivity"].p_value == pytest.approx(binomtest(12, 15, 0.6, "greater").pvalue)
    assert found["ppv"].p_value == plain["ppv"].p_value
    with pytest.raises(NotApplicable, match="has a rate and is not among those assessed"):
        ac.assess(MADE, ["ppv"], rate={"sensitivity": 0.8})
    with pytest.raises(DataError, match="rate of ppv must lie between 0 and 1; got 80"):
        ac.assess(MADE, ["ppv"], rate={"ppv": 80})


def test_what_cannot_be_tested_against_a_rate_is_named() -> None:
    found = ac.assess(Binary(Y, probability=P), ["auc", "sensitivity", "brier"], rate=0.5, rng=1)
    assert codes(found)["AC015"].startswith("not tested against a stated rate: auc, brier: only")
    numbers = ac.assess(Numeric(P, P + 1), ["mse"], rate=0.5, rng=1, draws=9)
    assert "mse: only shares" in codes(numbers)["AC015"]
    every = ac.assess(Numeric(P, P[::-1]), rate=0.5, rng=1, draws=9)
    assert "accuracy: it is not among what is assessed" in codes(every)["AC015"]
    clustered = Binary(Y, probability=P, groups=np.arange(15) // 3)
    said = codes(ac.assess(clustered, ["accuracy"], rate=0.5, rng=1, draws=9))["AC015"]
    assert "cluster" in said
    rare = ac.assess(
        Binary(Y, probability=P),
        ["ppv", "sensitivity"],
        rate=0.5,
        sampling="case-control",
        prevalence=0.1,
        rng=1,
        draws=9,
    )
    assert "ppv: depends on prevalence" in codes(rare)["AC015"]
    assert rare["sensitivity"].test == "exact binomial test"


def test_a_number_alone_is_a_rate_of_accuracy_and_says_so() -> None:
    found = ac.assess(MADE, rate=0.6, rng=1, draws=9)
    assert found["accuracy"].test == "exact binomial test"
    assert "rate={'sensitivity': 0.6}" in codes(found)["AC019"]


def test_pooled_averages_of_classes_are_shares_too() -> None:
    three = Multiclass([0, 1, 2, 2, 1, 0, 0], label=[0, 1, 2, 1, 1, 0, 2])
    row = ac.assess(three, ["recall_micro"], rate=1 / 3, rng=1)["recall_micro"]
    assert row.p_value == pytest.approx(binomtest(5, 7, 1 / 3, "greater").pvalue)


def test_a_rate_from_the_command_line_names_its_measures(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cases.csv"
    rows = zip(MADE.positive.astype(int), MADE.label.astype(int), strict=True)
    file.write_text("y,label\n" + "".join(f"{y},{label}\n" for y, label in rows))
    asked = ["assess", str(file), "--measures", "sensitivity,ppv", "--format", "csv"]
    assert main([*asked, "--rate", "sensitivity=.6"]) == 0
    assert f"{binomtest(12, 15, 0.6, 'greater').pvalue:.10g}"[:8] in capsys.readouterr().out
    assert main([*asked, "--rate", "sensitivity=60"]) == 2


def everywhere(value: Any) -> float:
    """The share of all labellings with a value at least that of the labels as they are."""
    observed, count = value(Y), 0
    for chosen in combinations(range(len(Y)), int(Y.sum())):
        labels = np.isin(np.arange(len(Y)), chosen).astype(int)
        count += value(labels) >= observed - 1e-12
    return count / comb(len(Y), int(Y.sum()))


@pytest.mark.parametrize("name", ["log_score", "brier", "tjur_r2"])
def test_exact_counts_every_labelling(name: str) -> None:
    row = ac.assess(Binary(Y, probability=P), [name], exact=True, draws=99, rng=1)[name]
    good = {
        "log_score": lambda y: float(np.where(y == 1, np.log(P), np.log(1 - P)).mean()),
        "brier": lambda y: -float(((y - P) ** 2).mean()),
        "tjur_r2": lambda y: float(P[y == 1].mean() - P[y == 0].mean()),
    }[name]
    assert row.p_value == pytest.approx(everywhere(good))
    assert row.test == "permutation, exact"


def test_exact_says_what_it_cannot_count() -> None:
    y = np.arange(60) % 2
    p = np.clip(0.3 * y + 0.6 * RNG.random(60), 0.01, 0.99)
    found = ac.assess(y, p, ["log_score", "sensitivity"], exact=True, draws=99, rng=1)
    assert "log_score: 1.18e+17 arrangements" in codes(found)["AC018"]
    assert found["log_score"].test == "permutation"
    few = ac.assess(Binary(Y, probability=P), ["log_score", "auc"], exact=True, draws=99, rng=1)
    assert "AC018" not in codes(few)


def test_exact_on_the_command_line_is_done(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cases.csv"
    file.write_text("y,p\n" + "".join(f"{y},{p}\n" for y, p in zip(Y, P, strict=True)))
    asked = ["assess", str(file), "--measures", "log_score", "--format", "csv", "--draws", "99"]
    assert main([*asked, "--exact"]) == 0
    assert "permutation, exact" in capsys.readouterr().out


# ---------------------------------------------------------------- what is said of chance


@pytest.mark.parametrize(
    ("rate", "names", "said", "unsaid"),
    [
        (0.5, ["accuracy", "sensitivity"], "the rate stated beforehand", "shuffled"),
        ("majority", ["accuracy"], "the share of the largest class", "shuffled"),
        (
            {"accuracy": 0.5},
            ["accuracy", "auc"],
            "of Accuracy the rate stated beforehand, of the others the mean",
            "hance: the mean",
        ),
        (None, ["accuracy", "auc"], "the mean", "stated beforehand"),
    ],
)
def test_chance_is_said_to_be_what_was_tested(
    rate: Any, names: list[str], said: str, unsaid: str
) -> None:
    rng = np.random.default_rng(3)
    y = np.arange(80) % 2
    cases = Binary(y, probability=np.clip(0.3 + 0.3 * y + 0.2 * rng.normal(size=80), 0.01, 0.99))
    found = ac.assess(cases, names, rate=rate, rng=1, draws=99)
    printed = " ".join(str(found).split())
    assert f"Chance: {said}" in printed
    assert unsaid not in printed
    html = ac.report(found).html
    about = [html.partition(start)[2][:200] for start in ("Chance: ", "Chance is ", "are chance: ")]
    assert all(text.startswith(said.removesuffix(" the mean")) for text in about[:2])
    assert about[2].startswith(said.removesuffix("the mean"))
    assert unsaid == "hance: the mean" or not any(unsaid in text[:120] for text in about)
