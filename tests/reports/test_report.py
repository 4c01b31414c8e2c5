"""What a report says of each kind of result, and how it is asked for."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abovechance import examples
from abovechance.cli import main
from abovechance.errors import DataError
from abovechance.inference import (
    assess,
    compare,
    detect,
    permutation_test,
    posterior,
    significance,
)
from abovechance.predictions import Binary, Numeric, Survival
from abovechance.reports import report
from abovechance.reports.citations import bibliography, used
from abovechance.reports.html import on_page
from abovechance.reports.prediction_stories import checklist
from replications.running import reproduce


def noise(n: int = 40) -> Binary:
    rng = np.random.default_rng(8)
    return Binary(np.arange(n) % 2, probability=rng.random(n))


def test_a_good_model_is_better_than_chance(assessment: Any) -> None:
    document = report(assessment).document
    assert document.verdict == "Better than chance"
    assert "The log score" in document.headline
    assert [t.label for t in document.tiles] == [
        "Log score",
        "Area under the ROC curve",
        "p against chance",
        "Cases",
    ]


def test_noise_is_not_shown_to_be_better_than_chance() -> None:
    assert report(assess(noise(), rng=1)).document.verdict == "Not shown to be better than chance"


def test_association_without_skill_is_not_called_better() -> None:
    rng = np.random.default_rng(4)
    outcome = np.arange(200) % 2
    shifted = np.clip(0.02 * outcome + 0.9 + 0.05 * rng.random(200), 0, 0.99)
    verdict = report(assess(Binary(outcome, probability=shifted), rng=1)).document.verdict
    assert verdict == "Associated with the outcome, but worse than a constant prediction"


def test_predictions_worse_than_chance_are_never_called_better() -> None:
    outcome = np.arange(60) % 2
    upside_down = Binary(outcome, probability=0.9 - 0.8 * outcome)
    verdict = report(assess(upside_down, rng=1)).document.verdict
    assert verdict == "Not shown to be better than chance"


def test_a_comparison_names_the_better_model(comparison: Any, models: dict[str, Any]) -> None:
    document = report(comparison, predictions=models).document
    assert document.verdict == "forest is better"
    assert document.charts[0].title == "Differences between models"
    assert [c.title for c in document.charts].count("Predicted probabilities by class") == 2


def test_equal_models_are_not_told_apart(models: dict[str, Any]) -> None:
    same = compare({"a": models["forest"], "b": models["forest"]}, rng=1)
    assert report(same).document.verdict == "a and b predict the same"


def test_three_models_are_told_side_by_side(models: dict[str, Any]) -> None:
    three = {**models, "again": models["texture"]}
    document = report(compare(three, ["brier", "auc"], rng=1)).document
    assert document.verdict == "forest is better than each of the other 2"
    said = document.paragraphs[1].text
    assert re.match(
        r"The area under the ROC curve was 0\.\d+ \(95% CI 0\.\d+ to 0\.\d+\) for forest, 0\.",
        said,
    )
    assert re.search(
        r"The area under the ROC curve was better for forest than for texture \(difference "
        r"\+0\.\d+, 95% CI 0\.\d+ to 0\.\d+; adjusted p < 0\.001\) and again \(\+0\.\d+, "
        r"0\.\d+ to 0\.\d+; adjusted p < 0\.001\)\. No difference was shown in the other pair",
        said,
    )
    assert "forest is shown to be better than texture and again (adjusted p" in document.headline
    assert "adjusted by Holm's method (Holm 1979)" in document.paragraphs[0].text


def test_subgroups_of_a_model_are_no_models(models: dict[str, Any]) -> None:
    halves = np.where(np.arange(models["forest"].n) % 2, "odd", "even")
    result = compare({"forest": models["forest"]}, ["auc"], by=halves, by_name="row", rng=1)
    document = report(result).document
    assert document.title == "forest"
    title = "Between subgroups of different cases, forest, row=even − row=odd"
    assert document.tables[0].title == title
    assert "Subgroups were compared on different cases" in document.paragraphs[0].text
    assert "of forest, row=even minus row=odd, is" in re.sub("<[^>]+>", "", document.headline)


def test_a_margin_is_judged_in_words(models: dict[str, Any]) -> None:
    forest = models["forest"]
    moved = np.clip(forest.probability + 0.01 * np.sin(np.arange(forest.n)), 0.0, 1.0)
    names = np.where(forest.positive, forest.classes[1], forest.classes[0])
    other = Binary(names, probability=moved, pos_label=forest.classes[1])
    two = {"a": forest, "b": other}
    document = report(compare(two, ["brier"], margin=0.02, rng=1)).document
    assert document.verdict == "a and b are equivalent within 0.020"
    assert "Within a margin of 0.020 the two were equivalent" in document.paragraphs[1].text
    worse = report(compare({**two, "b": models["texture"]}, ["brier"], margin=0.02, rng=1))
    assert "a was noninferior to b" in worse.document.paragraphs[1].text
    turned = {"b": models["texture"], "a": models["forest"]}
    worse = report(compare(turned, ["brier"], margin=0.02, rng=1))
    assert "b was not shown to be noninferior to a" in worse.document.paragraphs[1].text


def test_a_posterior_is_reported_with_its_density() -> None:
    document = report(posterior.balanced_accuracy([[48, 2], [5, 45]])).document
    assert document.verdict == "Posterior of balanced accuracy"
    assert document.charts[0].title == "Posterior density"
    assert "not a p-value" in document.headline


def test_survival_is_reported_with_risk_groups(survival: Survival) -> None:
    result = assess(survival, ["c_index"], draws=99, rng=1)
    document = report(result, predictions=survival).document
    assert [c.title for c in document.charts][:2] == ["Survival by predicted risk", "AUC over time"]


def test_several_outputs_are_reported_without_pictures_that_need_one() -> None:
    many = Numeric([[1, 2], [2, 4], [3, 5]], [[1, 2], [2, 3], [4, 5]], outputs=["a", "b"])
    html = report(assess(many, inference=False), predictions=many).html
    assert "Output" in html


def test_a_detection_is_reported_with_what_permutation_gave(detection: Any) -> None:
    document = report(detection).document
    assert document.verdict == "The classes differ"
    assert [c.title for c in document.charts] == [t.title for t in detection.tests]
    assert [t.name for t in document.tables] == ["tests"]
    methods, results = (paragraph.text for paragraph in document.paragraphs)
    assert "Whether a and b differ in 3 features was tested on 30 cases by" in methods
    assert "adjusted for 2 tests by Holm's method (Holm 1979)" in methods
    assert results.endswith("was rejected by 2 of 2 tests.")
    assert {"holm1979", "phipson2010"} <= {source.key for source in document.sources}


def test_classes_that_do_not_differ_are_not_said_to() -> None:
    rng = np.random.default_rng(2)
    same = detect(rng.normal(size=(30, 3)), np.arange(30) % 2, tests=["hotelling"], draws=99, rng=1)
    document = report(same).document
    assert document.verdict == "No difference between the classes shown"
    assert document.paragraphs[1].text.endswith("was not rejected.")


def test_features_of_a_number_are_associated_with_it(detection: Any) -> None:
    facts = {**detection.to_dict(), "kind": "numeric", "classes": []}
    document = report(facts).document
    assert document.verdict == "Associated with the outcome"
    assert document.paragraphs[0].text.startswith("Association of 3 features with the outcome")
    assert "permutations of the outcomes" in document.paragraphs[0].text


def test_a_learner_under_permutation_is_reported() -> None:
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(5)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 2)) + 2.0 * y[:, None]
    result = permutation_test(LogisticRegression(), X, y, cv=4, measures=["auc"], draws=39, rng=1)
    document = report(result).document
    assert document.verdict == "Better than chance"
    assert document.kicker == "Permutation test"
    assert "the learner refitted after each" in document.paragraphs[0].text


def test_a_power_study_says_how_many_cases_are_enough(study: Any) -> None:
    document = report(study).document
    assert document.verdict == "40 cases, of the sizes tried, for a power of 80%"
    assert document.charts[0].title == "Power"
    assert " reaches a power of " in document.headline
    assert "a calibrated model with an AUC of 0.75" in document.paragraphs[0].text
    assert "The Mann–Whitney test of the AUC reached a power of" in document.paragraphs[1].text


def test_a_replication_stands_beside_published_values_and_says_what_came_of_it() -> None:
    found = reproduce("rosenblatt-fig5b", statistics=["sd", "Oracle"], replications=4)
    document = report(found).document
    table = on_page(next(t for t in document.tables if t.name == "cells"))
    headings = [column.heading for column in table.columns]
    beside = {h: headings.index(h) for h in ("Published", "By formula")}
    row = next(row for row in table.rows if row[beside["Published"]].text == "0.532")
    assert row[beside["By formula"]].text == ""
    said = [remark.text for remark in document.remarks]
    assert said[0] == found.findings[0]
    assert f"Departure from the paper: {found.remarks[0]}." in said


@pytest.mark.parametrize(("test", "permutes"), [("auc", False), ("brier", True)])
def test_permutations_are_told_where_a_test_permutes(test: str, permutes: bool) -> None:
    cell = {"statistic": test, "design": "binormal", "effect": 0.6, "se": 0.02, "n": 20}
    said = report({"cells": [{**cell, "power": 0.1}], "draws": 999}).document.paragraphs[0].text
    assert ("permutation tests with 999 draws" in said) is permutes


def test_a_power_that_is_never_reached_is_said_to_be_so() -> None:
    cell = {"statistic": "fisher", "design": "binormal", "effect": 0.6, "se": 0.02}
    cells = [{**cell, "n": n, "power": p} for n, p in ((20, 0.1), (80, 0.4))]
    document = report({"cells": cells}).document
    assert document.verdict == "No test reaches a power of 80%"
    said = document.paragraphs[1].text
    assert said == "Fisher's exact test had a power of only 0.400 with 80 cases."


def test_sample_sizes_are_reported_with_those_not_found(sizes: Any) -> None:
    facts = sizes.to_dict()
    document = report(facts).document
    n = facts["sizes"][0]["n"]
    assert document.verdict == f"{n} cases for a power of 80%"
    assert document.charts[0].title == "Cases needed"
    more = {"statistic": "fisher", "title": None, "n": None, "interval": None}
    facts["sizes"].append({**facts["sizes"][0], **more})
    document = report(facts).document
    said = document.paragraphs[1].text
    assert said.endswith("and Fisher's exact test more than 20\u202f000 cases.")
    cases = [row[2].text for row in document.tables[0].rows]
    assert cases[1] == ">20\u202f000"


def test_what_is_no_result_is_refused() -> None:
    with pytest.raises(DataError, match="a result of abovechance is needed"):
        report({"measure": "auc"})


def test_one_unnamed_model_gets_the_name_of_the_result(models: dict[str, Any]) -> None:
    facts = assess(models["forest"], ["auc"], rng=1).to_dict()
    facts["estimates"][0]["model"] = "mine"
    made = report(facts, predictions=models["forest"])
    assert "mine" in {c.name for c in made.document.charts}


def test_predictions_of_the_wrong_kind_are_refused(assessment: Any) -> None:
    with pytest.raises(DataError, match="what was assessed"):
        report(assessment, predictions=[1, 2])


def test_what_a_notebook_shows_is_a_fragment(assessment: Any) -> None:
    shown = report(assessment)._repr_html_()
    assert shown.lstrip().startswith('<div class="abovechance">')
    assert "<script" not in shown
    assert "Better than chance" in shown
    assert len(shown) < 20_000


@pytest.mark.parametrize("name", ["assessment", "comparison", "detection", "study", "sizes"])
def test_a_notebook_shows_a_result_as_it_is(name: str, request: pytest.FixtureRequest) -> None:
    result = request.getfixturevalue(name)
    shown = result._repr_html_()
    assert report(result).document.headline in shown
    assert len(shown) < 60_000


def test_a_notebook_shows_a_single_test() -> None:
    shown = significance.mann_whitney(examples.breast_cancer())._repr_html_()
    assert "p &lt; 0.001, one-sided" in shown


def test_sources_are_those_of_the_methods_used(assessment: Any) -> None:
    keys = {s.key for s in used(assessment.to_dict(), ["brier", "auc"])}
    assert {"wilson1927", "delong1988", "brier1950", "mann1947", "fisher1935"} <= keys
    assert "nadeau2003" not in keys
    crossed = assess(examples.iris(), rng=1).to_dict()
    assert "nadeau2003" in {s.key for s in used(crossed, [])}


def test_every_source_is_complete() -> None:
    for key, source in bibliography().items():
        assert source.bibtex.startswith("@"), key
        assert source.bibtex.count("{") == source.bibtex.count("}"), key
        assert source.title, key


def test_the_checklist_leaves_open_what_numbers_cannot_know(assessment: Any) -> None:
    table = report(assessment).document.checklist
    assert table is not None
    answers = {row[1].text: row[2] for row in table.rows}
    assert answers["Predictors"].mark == "open"
    assert answers["Source of data"].mark == "open"  # nobody said where they came from
    assert "Wilson" in answers["Performance with intervals"].text


def test_the_name_of_a_measure_is_no_word_to_capitalise(assessment: Any) -> None:
    facts = assessment.to_dict()
    facts["advice"] = [{"code": "AC1", "text": t} for t in ("auc: x", "accuracy, auc: x", "auto x")]
    said = [remark.text for remark in report(facts).document.remarks]
    assert said == ["auc: x", "accuracy, auc: x", "Auto x"]


def test_the_checklist_has_every_item_of_tripod_ai_once_or_more(assessment: Any) -> None:
    table = report(assessment).document.checklist
    assert table is not None
    numbers: set[int] = set()
    for row in table.rows:
        first, *last = (int(n) for n in re.findall(r"\d+", row[0].text))
        numbers.update(range(first, (last or [first])[-1] + 1))
    assert numbers == set(range(1, 28))
    developing = {row[0].text.split()[0] for row in table.rows if "(D)" in row[0].text}
    assert developing == {"9a", "12a", "12b–c", "15", "22", "27a–b"}


def test_subgroups_answer_the_item_on_performance_not_the_one_on_clusters() -> None:
    facts = {"n": 12, "outcome": "binary", "origin": "test", "subgroups": [{"by": "site"}]}
    answers = {row[1].text: row[2] for row in checklist(facts).rows}
    assert answers["Performance in subgroups"].text == "by subgroup: site"
    assert answers["Heterogeneity of performance between clusters"].mark == "open"
    assert answers["Methods to make the model fair"].mark == "open"


def test_the_command_renders_a_saved_result(
    assessment: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved, page = tmp_path / "result.json", tmp_path / "out.html"
    saved.write_text(assessment.to_json(), "utf-8")
    assert main(["report", str(saved), "-o", str(page), "--title", "Mine"]) == 0
    assert "Better than chance. Written:" in capsys.readouterr().out
    assert "<h1><bdi>Mine</bdi></h1>" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "must hold JSON"),
        ("[1]", "is not a result"),
        (json.dumps({"abovechance": "1"}), "is not a result"),
    ],
)
def test_what_is_no_result_is_refused_in_one_line(
    text: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, "utf-8")
    assert main(["report", str(path)]) == 2
    said = capsys.readouterr().err
    assert reason in said
    assert said.count("\n") == 1


def test_a_file_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "nowhere.json"]) == 2
    assert "cannot be read: No such file" in capsys.readouterr().err


def test_the_best_of_several_models_is_named_when_it_is_told_apart() -> None:
    def place(model: str, rank: int, letters: str) -> dict[str, Any]:
        return {"measure": "auc", "model": model, "rank": rank, "value": 0.9, "letters": letters}

    rows = [{"measure": "auc", "model": m, "value": 0.9} for m in "abc"]
    facts = {"primary": "auc", "estimates": rows}
    apart = [place("b", 1, "a"), place("a", 2, "b"), place("c", 3, "b")]
    assert (
        report({**facts, "ranking": apart}).document.verdict
        == "b is better than each of the other 2"
    )
    near = [place("b", 1, "a"), place("a", 2, "ab"), place("c", 3, "b")]
    verdict = report({**facts, "ranking": near}).document.verdict
    assert verdict == "b ranks first, not told apart from a"


def test_chance_is_pictured_by_a_measure_that_stays_finite(
    assessment: Any, models: dict[str, Any]
) -> None:
    charts = {c.title: c for c in report(assessment, predictions=models["forest"]).document.charts}
    assert charts["Chance and the observed value"].x.title == "Brier score"


def test_no_sentence_compares_with_an_infinite_chance() -> None:
    certain = examples.breast_cancer("p_forest")  # forecasts of exactly 0, so shuffled ones are −∞
    page = report(assess(certain, ["log_score"], rng=1, draws=199), predictions=certain).html
    assert "chance would give" not in page
    assert "permutation test" in page
