"""A report begins with the verdict on what was stated beforehand."""

import numpy as np

from abovechance import assess, compare, examples
from abovechance.inference.contract import contract
from abovechance.inference.prose import as_text
from abovechance.reports.story import story_of

CANCER = examples.breast_cancer("p_texture")


def told(result: object):
    return story_of(contract(result), {})


def test_verdict_tile_table_and_sentences() -> None:
    found = told(assess(CANCER, ["auc"], goals=["auc>=.75", "sensitivity>=.5"], rng=1))
    assert found.verdict == "Undecided: these cases do not tell whether all goals are met"
    assert (found.tiles[0].label, found.tiles[0].value) == ("Goals", "Undecided")
    assert found.tiles[0].note == "1 met, 1 undecided"
    assert found.tables[0] is not None
    assert found.tables[0].name == "goals"
    assert as_text(found.headline, {}).startswith(
        "The area under the ROC curve is 0.817 (95% CI 0.756 to 0.865); the goal stated "
        "beforehand, at least 0.75, is met. Sensitivity is 0.547 (95% CI 0.448 to 0.644); the goal "
        "stated beforehand, at least 0.5, is undecided."
    )
    assert "stated beforehand, at least 0.5, was undecided." in as_text(found.results, {})
    done = as_text(found.methods, {})
    assert "a claim that rests on one of them was adjusted after Holm. Computed with" in done


def test_one_goal_and_a_band_within_a_subgroup() -> None:
    sex = np.where(np.arange(CANCER.n) % 2, "f", "m")
    wanted = "calibration_slope[f] in .1..5"
    found = told(assess(CANCER, ["auc"], goals=wanted, by=sex, by_name="sex", rng=1))
    assert found.verdict == "The goal is met"
    assert found.tiles[0].label == "Calibration slope [sex=f] in 0.1 to 5"
    said = as_text(found.headline, {})
    assert said.startswith("The calibration slope (sex=f) is 0.839")
    assert "the goal stated beforehand, 0.1 to 5, is met" in said
    assert "Holm" not in as_text(found.methods, {})


def test_beside_the_model_in_use() -> None:
    models = {"texture": CANCER, "forest": examples.breast_cancer("p_forest")}
    found = told(compare(models, ["auc"], margin=0.03, baseline="forest", rng=1))
    assert found.verdict == "texture is worse than forest"
    assert (found.tiles[0].label, found.tiles[0].value) == ("Beside forest", "Worse")
    assert found.tables[0] is not None
    assert found.tables[0].name == "baseline"


def test_without_goals_nothing_is_said_of_them() -> None:
    found = told(assess(CANCER, ["auc"], rng=1))
    assert "goal" not in found.headline + found.methods + found.results
