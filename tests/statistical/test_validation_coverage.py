"""Intervals of validated values: in small they cover, and so they did in the committed table."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier

import abovechance as ac
from abovechance.measures import find
from statistical import validation_coverage
from statistical.small_learners import BoostedTrees, Cox
from statistical.validation_coverage import BAR, Setting

TABLE = Path(__file__).parent / "tables" / "validation.md"


def rows() -> list[dict[str, str]]:
    lines = [
        [cell.strip() for cell in line.strip()[1:-1].split("|")]
        for line in TABLE.read_text("utf-8").splitlines()
        if re.match(r"\| \w+ \|", line)
    ]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def test_the_interval_that_is_shown_covers_what_the_model_is_worth() -> None:
    cells = {
        cell["measure"]: cell for cell in validation_coverage.cells(Setting("logistic", 120, 4), 16)
    }
    for name in validation_coverage.CLASSES:
        assert cells[name]["given"] > 0.9
        assert cells[name]["covers"] >= 0.75  # 12 of 16: p < 0.01 at a coverage of .95
    assert cells["auc"]["width"] < 0.4


def test_what_is_kept_is_not_made_again(tmp_path, monkeypatch) -> None:
    setting = Setting("linear", 40, 2)
    first = list(validation_coverage.cells(setting, 3, store=tmp_path))
    monkeypatch.setattr(validation_coverage, "once", None)
    assert list(validation_coverage.cells(setting, 3, store=tmp_path)) == first


@pytest.mark.parametrize("learner", ["logistic", "linear", "Cox"])
def test_the_worth_of_a_model_is_what_many_new_cases_show(learner) -> None:
    setting, rng = Setting(learner, 80, 5), np.random.default_rng(3)
    X, y = setting.sample(rng)
    known = validation_coverage.worth(setting, X, y, rng)
    model = setting.estimator().fit(X, y)
    new, outcome = Setting(learner, 40_000, 5).sample(rng)
    if learner == "Cox":
        made = ac.Survival(outcome["time"], outcome["event"], risk=model.predict(new))
    elif learner == "linear":
        made = ac.Numeric(outcome, model.predict(new))
    else:
        made = ac.Binary(outcome, probability=model.predict_proba(new)[:, 1])
    for name, value in known.items():
        assert find(name).of(made) == pytest.approx(value, rel=0.02, abs=0.012), name


def test_boosted_trees_are_those_of_scikit_learn() -> None:
    # enough cases that no two cuts are equally good: scikit-learn takes one of those at random
    X, y = Setting("trees", 400, 6).sample(np.random.default_rng(1))
    found = BoostedTrees().fit(X, y).predict_proba(X)
    for seed in range(3):
        theirs = GradientBoostingClassifier(
            n_estimators=20, learning_rate=0.2, max_depth=2, random_state=seed
        )
        assert found == pytest.approx(theirs.fit(X, y).predict_proba(X), abs=1e-12)


def test_the_partial_likelihood_is_at_its_top() -> None:
    setting = Setting("Cox", 70, 3)
    X, y = setting.sample(np.random.default_rng(5))
    found = Cox(ridge=1e-6).fit(X, y).coef_

    def likelihood(b: np.ndarray) -> float:
        risk = X @ b
        at_risk = y["time"] >= y["time"][:, None]
        return float((risk - np.log((at_risk * np.exp(risk)).sum(axis=1)))[y["event"]].sum())

    for step in np.eye(3) * 0.01:
        assert likelihood(found) > max(likelihood(found + step), likelihood(found - step))


def test_the_committed_table_has_every_setting_and_its_intervals_cover() -> None:
    found = rows()
    settings = {(row["learner"], int(row["cases"]), int(row["features"])) for row in found}
    assert settings <= {(s.learner, s.n, s.features) for s in validation_coverage.SETTINGS}
    for row in found:
        if not row["covers"]:
            assert float(row["given"]) == 0.0
            continue
        shown = round(float(row["given"]) * int(row["samples"]))
        error = np.sqrt(0.93 * 0.07 / max(shown, 1))
        least = BAR if int(row["cases"]) >= 150 else 0.9  # a third of the cases are positive
        assert float(row["covers"]) >= least - 3 * error, row
