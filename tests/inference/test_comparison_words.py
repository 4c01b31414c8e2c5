"""How a comparison is told: direction by sign, words by evidence, numbers whole."""

import re
from functools import cache
from typing import Any

import numpy as np
import pytest

from abovechance import Binary, Multiclass, Numeric, assess, compare, examples, report
from abovechance.errors import NotApplicable
from abovechance.format import between, number, p_value, signed
from abovechance.inference.items import compare_items
from abovechance.inference.results import shown
from abovechance.tabular import text


def models(n: int = 90, gap: float = 0.0, seed: int = 1, count: int = 2) -> dict[str, Binary]:
    """Models of much the same quality, the first better by so much."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    turned = 2.0 * y - 1.0
    scores = [(1.0 + (gap if k == 0 else 0.0)) * turned + rng.normal(size=n) for k in range(count)]
    return {
        name: Binary(y.astype(int), probability=1 / (1 + np.exp(-score)))
        for name, score in zip("abcde", scores, strict=False)
    }


def told(result: Any, width: int) -> str:
    return text(result.blocks(), width)


@pytest.mark.parametrize("gap", [0.0, 0.4, 1.5])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_better_is_said_only_where_p_and_interval_agree(gap: float, seed: int) -> None:
    found = compare(models(gap=gap, seed=seed, count=3), draws=199, rng=1)
    for row in found:
        evident = row.p_adjusted <= 0.05 and not row.interval.low <= 0 <= row.interval.high
        assert row.shown == evident
        assert ("is better than" in row.sentence) == evident
        assert ("not shown to differ" in row.sentence) == (not evident)
        low, high = row.interval.low, row.interval.high
        assert f"difference {row.difference:+.4g}" in row.sentence
        assert f"{low:+.4g} to {high:+.4g}" in row.sentence
        if row.p_adjusted != row.p_value:
            assert ", adjusted p" in row.sentence
    places = {(p.measure, p.model): set(p.letters) for p in found.ranking}
    for row in found:
        together = places[row.measure, row.first] & places[row.measure, row.second]
        assert row.shown == (not together)


def test_a_test_without_its_interval_shows_nothing() -> None:
    asked: dict[str, Any] = {"difference": 0.1, "alpha": 0.05}
    assert shown(p=0.01, interval=(0.01, 0.2), alternative="two-sided", **asked)
    assert not shown(p=0.01, interval=(-0.01, 0.2), alternative="two-sided", **asked)
    assert not shown(p=0.06, interval=(0.01, 0.2), alternative="two-sided", **asked)
    assert shown(p=None, interval=(0.01, 0.2), alternative=None, **asked)
    assert shown(p=0.04, interval=(-0.01, 0.2), alternative="greater", **asked)
    assert not shown(p=None, interval=None, alternative=None, **asked)


def test_same_value_is_not_the_same_model() -> None:
    y = np.array([0, 0, 1, 1] * 5)
    one, other = y.copy(), y.copy()
    one[0], other[1] = 1, 1
    two = {"old": Binary(y, label=one), "new": Binary(y, label=other)}
    row = compare(two, ["accuracy"], rng=1)["accuracy"]
    assert (row.difference, row.identical) == (0.0, False)
    assert "old and new have the same value" in row.sentence
    assert "equal" not in row.sentence
    same = compare({"old": two["old"], "again": two["old"]}, ["accuracy"], rng=1)["accuracy"]
    assert same.identical
    assert "make the same predictions" in same.sentence


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("better", ["gamma", "alpha"])
def test_headline_of_scores_of_items_follows_the_interval(better: str, higher: bool) -> None:
    rng = np.random.default_rng(2)
    rows = [(i, m) for i in range(60) for m in ("gamma", "alpha")]
    gain = 0.5 if higher else -0.5
    value = [rng.normal() * 0.3 + gain * (m == better) for _, m in rows]
    found = compare_items(
        id=[i for i, _ in rows],
        model=[m for _, m in rows],
        value=value,
        name="rouge",
        higher_is_better=higher,
        draws=199,
        rng=1,
    )
    assert report(found).document.verdict == f"{better} is better"
    assert report(found.to_dict()).document.verdict == f"{better} is better"


def test_verdict_of_a_measure_without_direction_says_that_models_differ() -> None:
    rng = np.random.default_rng(3)
    y = rng.normal(size=200)
    two = {"a": Numeric(y, y + 0.5), "b": Numeric(y, y + rng.normal(size=200) * 0.1)}
    found = compare(two, ["mean_error"], draws=199, rng=1)
    row = found["mean_error"]
    if row.better is None:
        assert report(found).document.verdict == "a and b differ"


def test_every_model_has_its_value_with_an_interval() -> None:
    found = compare(models(), draws=199, rng=1)
    for e in found.estimates:
        assert e.interval.low <= e.value <= e.interval.high
        assert e.interval.low < e.interval.high
    assert all(e["interval"]["level"] == 0.95 for e in found.to_dict()["estimates"])


def test_the_primary_measure_is_the_one_asked_for() -> None:
    two = models()
    assert compare(two, draws=99, rng=1).primary == "log_score"
    found = compare(two, ["log_score", "auc"], primary="auc", draws=99, rng=1)
    assert found.primary == "auc"
    assert "Area under the ROC curve *" in str(found)
    with pytest.raises(NotApplicable, match="must be among those compared: log_score"):
        compare(two, ["log_score"], primary="auc", draws=99)


@cache
def with_long_names(count: int) -> Any:
    given = {f"a_rather_long_name_of_model_{k}": p for k, p in models(count=count, gap=0.5).items()}
    by = np.array(["under forty", "forty and over"])[np.arange(90) % 2]
    return compare(given, margin=0.05, draws=99, by=by, by_name="age group", rng=1)


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("width", [110, 80, 60])
def test_every_number_is_whole_at_any_width(width: int, count: int) -> None:
    found = with_long_names(count)
    printed = told(found, width)
    for line in printed.splitlines():
        assert len(line) <= width, line
        assert "…" not in line
    for e in found.estimates:
        assert number(e.value) in printed
        assert between(e.interval.low, e.interval.high) in printed
    for row in found:
        numbers = [signed(row.difference), between(row.interval.low, row.interval.high)]
        numbers.append(p_value(row.p_adjusted))
        for cell in numbers:
            assert re.search(rf"(^|\s){re.escape(cell)}(\s|$)", printed, re.M), cell
        if row.margin:
            assert between(row.margin.interval.low, row.margin.interval.high) in printed
    together = "".join(printed.split())
    assert all(name.replace(" ", "") in together for name in found.models)


def test_what_is_printed_in_python_is_what_the_command_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from abovechance.cli import main

    monkeypatch.setenv("COLUMNS", "80")
    argv = ["compare", str(examples.path("breast_cancer")), "--outcome", "outcome"]
    argv += ["--positive", "malignant", "--models", "p_forest,p_texture", "--id", "id"]
    assert main([*argv, "--measures", "auc,brier", "--seed", "1"]) == 0
    printed = capsys.readouterr().out
    two = {name: examples.breast_cancer(name) for name in ("p_forest", "p_texture")}
    lines = str(compare(two, ["auc", "brier"], rng=1)).splitlines()
    table = lines[lines.index("Values") :]
    assert "\n".join(table).strip() in printed


def test_classes_are_compared_in_the_same_words() -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(3, size=60)
    two = {
        name: Multiclass(y, label=np.where(rng.random(60) < share, y, (y + 1) % 3))
        for name, share in (("a", 0.9), ("b", 0.4))
    }
    found = compare(two, ["accuracy"], rng=1)
    assert found["accuracy"].shown
    assert "a is better than b" in found["accuracy"].sentence


def test_a_posterior_probability_is_never_printed_as_certain() -> None:
    y = np.arange(200) % 2
    good, bad = (Binary(y, probability=np.where(y, p, 1 - p)) for p in (0.9, 0.2))
    printed = str(compare({"good": good, "bad": bad}, ["accuracy"], rng=1))
    assert ">0.999" in printed


def test_a_note_that_ends_its_own_sentence_is_not_ended_twice() -> None:
    y = np.arange(20) % 2  # every case has the same loss, which is the note
    said = str(assess(Binary(y, probability=np.where(y, 0.9, 0.1), pos_label=1), rng=1))
    assert "the cases show no spread." in " ".join(said.split())
    assert ".." not in said
