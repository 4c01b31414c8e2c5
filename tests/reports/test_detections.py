"""What a report says of a detection: levels met exactly, rules, stopping, what is undefined."""

from typing import Any

import numpy as np
import pytest

from abovechance import detect, report
from abovechance.inference.prose import as_text
from abovechance.inference.verdicts import verdict
from abovechance.reports import detection_story
from abovechance.reports.citations import bibliography


def found(**settings: Any) -> dict[str, Any]:
    y = np.arange(24) % 2
    X = np.random.default_rng(1).normal(size=(24, 2)) + 3.0 * y[:, None]
    return detect(X, y, **{"tests": ["sd"], "draws": 19, "rng": 1, **settings}).to_dict()


def told(sentence: str) -> str:
    return as_text(sentence, {key: source.cited for key, source in bibliography().items()})


def test_a_p_at_the_level_rejects() -> None:
    facts = found()
    assert facts["tests"][0]["p_value"] == 0.05
    assert verdict(facts) == "The classes differ"
    assert told(detection_story._results(facts)).endswith("was rejected.")
    refitted = {"tests": [{"measure": "accuracy", "title": "Accuracy", "p_value": 0.05}]}
    assert verdict(refitted) == "Better than chance"


def test_the_papers_rule_is_told_and_never_a_smallest_p() -> None:
    facts = found(rule="paper", tests=["sd", "energy"])
    assert "(p = 0 of 19 draws; adjusted p = 0)" in told(detection_story._headline(facts))
    said = told(detection_story._methods(facts))
    assert "by the papers' rule (Rosenblatt et al. 2019)" in said
    assert "Phipson" not in said
    assert "p < " not in told(detection_story._results(facts))


@pytest.mark.parametrize("stop", [None, "gandy"])
def test_early_stopping_is_told_with_its_source(stop: str | None) -> None:
    said = told(detection_story._methods(found(stop=stop, draws=999)))
    assert ("Gandy 2009" in said) is (stop is not None)
    assert ("up to " in said) is (stop is not None)
    assert "Phipson and Smyth 2010" in said


def test_what_the_draws_did_not_decide_is_told() -> None:
    said = told(detection_story._methods(found(stop="gandy", draws=19)))
    assert "Not decided when the draws ran out: Srivastava and Du's" in said


def test_what_is_undefined_says_why() -> None:
    facts = found(tests=["lda.cv12.unbalanced.legacy_z", "sd"])
    assert "undefined: a fold holds one class only" in told(detection_story._results(facts))


def test_features_are_named_where_their_names_are_known() -> None:
    assert "in 2 features (age and dose) was" in told(
        detection_story._methods(found(feature_names=["age", "dose"]))
    )
    assert "in 2 features was" in told(detection_story._methods(found()))


def test_a_shared_level_is_told_and_the_verdict_agrees_with_every_decision() -> None:
    tests = [
        "sd",
        "goeman",
        "mmd",
        "energy",
        "simes",
        "cai",
        "hotelling",
        "hotelling_shrink",
        "lda.cv4",
    ]
    facts = found(stop="gandy", draws=9999, tests=tests)
    assert {test["decision"] for test in facts["tests"]} == {"p <= level/9"}
    assert verdict(facts) == "The classes differ"
    assert "one side of 0.00556 (0.05 divided by 9 tests)" in told(detection_story._methods(facts))
    assert "At level 0.05" in told(detection_story._results(facts))
    assert "rejected by 9 of 9 tests" in told(detection_story._results(facts))


def test_the_verdict_is_at_the_level_of_a_sequential_test() -> None:
    facts = found(stop="gandy", draws=1999, alpha=0.2) | {"level": 0.01}
    facts["tests"][0]["p_value"] = 0.03
    assert verdict(facts) == "No difference between the classes shown"
    assert "At level 0.01" in told(detection_story._results(facts))


@pytest.mark.parametrize("folds", [8, 12])
def test_a_report_leaves_out_pictures_and_tiles_of_what_is_undefined(folds: int) -> None:
    X = np.random.default_rng(0).normal(size=(30, 3))
    y = np.arange(30) < 4 if folds == 8 else np.arange(30) % 2 == 0
    none = f"lda.cv{folds}.unbalanced.legacy_z"
    result = detect(X, y, tests=[none, "energy"], draws=99, rng=1)
    assert result[none].undefined
    document = report(result).document
    assert [chart.title for chart in document.charts] == ["Energy distance"]
    assert [tile.label for tile in document.tiles] == ["p, Energy distance", "Cases"]
    assert "undefined: a fold holds one class only" in report(result).html


def test_tiles_and_pictures_count_by_the_papers_rule() -> None:
    y = np.arange(24) % 2
    X = np.random.default_rng(1).normal(size=(24, 2)) + 3.0 * y[:, None]
    result = detect(X, y, tests=["sd", "energy"], draws=50, rng=1, rule="paper")
    document = report(result).document
    assert [tile.value for tile in document.tiles[:2]] == ["0 of 50", "0 of 50"]
    assert all(tile.note.endswith("; adjusted p = 0") for tile in document.tiles[:2])
    texts = [layer.text for chart in document.charts for layer in chart.layers[1:]]
    assert [text.partition(", ")[2] for text in texts] == ["p = 0 of 50 draws"] * 2
    html = report(result).html
    assert not any(small in html for small in ("&lt;0.0001", "&lt; 0.001", "< 0.001"))
