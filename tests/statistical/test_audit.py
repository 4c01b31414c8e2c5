"""The audit is repeatable, sees what is wrong, and finds nothing that is left unsaid."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import abovechance as ac
from abovechance.maps.combinations import METHODS
from abovechance.maps.group_level import CONTROLS
from statistical import learning_coverage
from statistical.audit import bands, group_maps, search, trials, validated, worlds
from statistical.audit.settings import Setting, applicable_names, drawn
from statistical.audit.worlds import sample, truth

KINDS = ("binary", "multiclass", "numeric", "survival")


def test_a_setting_follows_from_seed_and_number() -> None:
    assert drawn(7, 3) == drawn(7, 3)
    assert len({drawn(7, i).words for i in range(50)}) == 50


def test_settings_reach_every_kind_verb_and_dependence() -> None:
    many = [drawn(1, i) for i in range(400)]
    assert {s.kind for s in many} == set(KINDS)
    assert {s.verb for s in many} == {"assess", "compare", "margin"}
    assert {s.clusters for s in many} == {"none", "equal", "unequal"}
    assert {s.weights for s in many} == {"none", "unrelated", "by score", "by class"}
    assert {s.origin for s in many} == {"test", "cv"}
    assert {s.sampling for s in many} == {"random", "case-control"}
    assert {s.given for s in many} == {"probability", "label", "score"}
    assert {s.level for s in many} == {0.9, 0.95, 0.99}
    for fact in ("rounded", "rare", "series", "part", "apart", "time", "heavy", "largest", "whole"):
        assert {bool(getattr(s, fact)) for s in many} == {True, False}, fact
    assert {s.outputs for s in many} == {1, 2, 3}
    assert {s.repeats for s in many} == {1, 3, 10}
    assert any(s.clusters != "none" and s.weights != "none" for s in many)
    assert {s.panel for s in many} == {1, 2, 5}
    assert min(s.prevalence for s in many) < 0.02
    assert max(s.prevalence for s in many) > 0.95
    assert max(s.groups for s in many) > 100
    assert any(s.origin == "cv" and s.verb == "compare" for s in many)
    assert any(s.kind == "multiclass" and s.held == "constant" for s in many)
    assert {m for s in many for m in s.measures} >= set(applicable_names("binary"))


@pytest.mark.parametrize("index", range(12))
def test_samples_are_of_the_size_asked_for(index: int) -> None:
    setting = drawn(2, index)
    models = sample(setting, np.random.default_rng(0))
    assert models["new"].n == setting.n * setting.repeats
    if "old" in models:
        assert models["old"].n == (setting.apart or setting.n)


def test_further_settings_are_what_they_say() -> None:
    rng = np.random.default_rng(1)
    plain = Setting(kind="multiclass", verb="assess", n=300, classes=3, effect=1.0)
    clustered = replace(plain, clusters="unequal", groups=20, held="constant", largest=0.5)
    cases = sample(clustered, rng)["new"]
    held = {(g, k) for g, k in zip(cases.cases.groups, cases.codes, strict=True)}
    assert len(held) == len(set(cases.cases.groups))
    assert 0.4 < np.bincount(cases.cases.groups).max() / 300 < 0.7
    assert worlds.equal_clusters(clustered) < 4
    numbers = Setting(kind="numeric", verb="assess", n=2000, effect=1.0, tails="skewed", whole=True)
    outcome = sample(numbers, rng)["new"].outcome[0]
    assert (outcome == np.floor(outcome)).all()
    assert 0.1 < np.mean(outcome == 0) < 0.5
    panel = Setting(kind="numeric", verb="assess", n=100_000, series=0.6, panel=5)
    found = sample(panel, rng)["new"]
    assert (np.unique(found.cases.order, return_counts=True)[1] == 5).all()
    y = found.outcome[0]
    alike = [np.corrcoef(y[: -k or None], y[k:])[0, 1] for k in (1, 5)]
    assert alike == pytest.approx([0.5 * (0.8 + 0.2 * 0.6), 0.5 * 0.6], abs=0.02)
    folds = Setting(kind="binary", verb="compare", n=200, effect=1.5, origin="cv", folds=5)
    assert {"new", "old"} == set(sample(folds, rng))
    gap = truth(folds, "auc", "new") - truth(folds, "auc", "old")
    assert abs(gap) < 0.01
    better = replace(folds, worse=0.6)
    assert truth(better, "auc", "new") < truth(better, "auc", "old") - 0.05


def test_a_warned_level_is_told_from_an_unsaid_one() -> None:
    one = Setting(kind="numeric", verb="compare", n=60, measures=("mse",))
    tally = trials.Tally("mse", tests=1000, rejected=150, rejected_warned=150)
    assert trials.confirmed(one, tally, ["level"]) == [("level, warned", "0.150 ± 0.011")]
    tally.rejected_warned = 20
    assert trials.confirmed(one, tally, ["level"]) == [("level", "0.150 ± 0.011")]


def test_the_truth_is_that_of_the_world() -> None:
    setting = Setting(kind="binary", verb="assess", n=50, effect=1.5, prevalence=0.3)
    from scipy.stats import norm

    assert truth(setting, "auc") == pytest.approx(norm.cdf(1.5 / np.sqrt(2.0)), abs=0.005)


def test_what_is_asked_of_a_setting_is_counted() -> None:
    plain = {"kind": "binary", "n": 120, "effect": 1.0, "prevalence": 0.3}
    asked = ("auc", "net_benefit")
    for facts in (
        {"verb": "assess", "cut": "prevalence"},
        {"verb": "assess", "part": 0.5},
        {"verb": "compare", "part": 0.5},
        {"verb": "compare", "apart": 80, "cut": "prevalence"},
    ):
        found = trials.trial(Setting(**plain, **facts, measures=asked), 2, 0)
        assert [t.answers for t in found.values()] == [2, 2], facts
    numbers = Setting(kind="numeric", verb="assess", n=60, outputs=2, measures=("arrmse", "mse"))
    assert [t.intervals for t in trials.trial(numbers, 2, 0).values()] == [2, 2]
    times = Setting(kind="survival", verb="assess", n=90, time=0.4, measures=("auc_at",))
    assert trials.trial(times, 2, 0)["auc_at"].intervals == 2
    assert truth(times, "auc_at") != truth(replace(times, time=0.0), "auc_at")


def test_one_setting_examined_twice_is_the_same() -> None:
    setting = Setting(kind="binary", verb="assess", n=40, effect=1.0, measures=("accuracy", "auc"))
    once, again = (trials.trial(setting, 5, 0)["auc"].summary() for _ in range(2))
    assert once == again


def test_an_interval_that_does_not_cover_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    setting = Setting(kind="binary", verb="assess", n=200, effect=1.0, measures=("accuracy",))
    assert not trials.suspicions(setting, trials.trial(setting, 80, 0)["accuracy"])
    real = trials.truth(setting, "accuracy")
    monkeypatch.setattr(trials, "truth", lambda *_: real + 0.05)
    tally = trials.trial(setting, 80, 0)["accuracy"]
    assert trials.suspicions(setting, tally) == ["coverage"]
    ((name, _),) = trials.confirmed(setting, tally, ["coverage"])
    assert name == "coverage"


def test_a_test_that_rejects_too_often_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    setting = Setting(kind="binary", verb="assess", n=60, measures=("auc",))
    assert not trials.suspicions(setting, trials.trial(setting, 80, 0)["auc"])
    monkeypatch.setattr(trials, "ALPHA", 0.4)
    tally = trials.trial(setting, 80, 0)["auc"]
    monkeypatch.setattr(trials, "ALPHA", 0.05)
    assert "level" in trials.suspicions(setting, tally)


def test_a_margin_is_judged_by_all_samples_it_was_asked_of() -> None:
    setting = Setting(kind="numeric", verb="margin", n=300, worse=0.8, measures=("mse",))
    tally = trials.trial(setting, 20, 0)["mse"]
    assert tally.asked == tally.intervals == 20
    assert tally.noninferior <= tally.verdicts <= 20
    told = "0.150 ± 0.011, 0.375 of 400 verdicts"
    for false, found in ((60, []), (150, [(trials.AT_MARGIN, told)])):
        one = trials.Tally("mse", asked=1000, verdicts=400, noninferior=false)
        assert trials.confirmed(setting, one, [trials.AT_MARGIN]) == found


def test_unequal_clusters_are_worth_fewer_of_one_size() -> None:
    setting = Setting(kind="binary", verb="assess", n=2000, clusters="unequal", groups=50)
    worth = []
    for seed in range(300):
        cases = np.bincount(
            worlds._clusters(setting, np.random.default_rng(seed), setting.n, alone=False)
        )
        worth.append(cases.sum() ** 2 / np.sum(cases**2))
    assert worlds.equal_clusters(setting) == pytest.approx(np.mean(worth), rel=0.1)
    assert worlds.equal_clusters(replace(setting, clusters="equal")) == 50


def test_limits_for_what_no_cluster_shows_are_not_useless() -> None:
    tally = trials.Tally("balanced_error_rate", intervals=80, widths=[0.12] * 80)
    tally.values = [0.5, 0.5011] * 40
    one = Setting(kind="binary", verb="assess", n=907, prevalence=0.087, icc=0.6, groups=59)
    assert not trials._useless(replace(one, clusters="unequal"), tally)
    assert trials._useless(replace(one, clusters="equal"), tally)


def test_precision_of_a_class_that_hardly_anyone_is_called_may_be_wide() -> None:
    one = Setting(kind="multiclass", verb="assess", n=889, classes=4, effect=1.17, rare=True)
    assert trials._rarest_call(one) < 0.01 < one.rarest
    values = [0.77, 0.7701] * 40
    for measure, useless in (("ppv_macro", False), ("recall_macro", True)):
        tally = trials.Tally(measure, intervals=80, widths=[0.28] * 80, values=values)
        assert bool(trials._useless(one, tally)) is useless


def test_a_crash_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(ac, "assess", broken)
    setting = Setting(kind="binary", verb="assess", n=40, measures=("auc",))
    tally = trials.trial(setting, 1, 0)["auc"]
    assert tally.faults == {"ZeroDivisionError: division by zero": 1}


def test_a_run_is_continued_from_its_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "SCREEN", 12)
    look = search.Look(3)
    once = search.run(look, 10.0, 1, tmp_path / "a.store", most=2)
    again = search.run(look, 0.0, 1, tmp_path / "a.store", most=2)
    assert once == again
    assert "2 settings drawn" in search.table(look, again)


def test_settings_of_group_maps_reach_every_method_and_rule() -> None:
    many = [group_maps.drawn(1, i) for i in range(300)]
    assert many[7] == group_maps.drawn(1, 7)
    assert len({s.words for s in many}) == 300
    assert {s.method for s in many} == set(METHODS)
    assert {s.control for s in many} == set(CONTROLS)
    assert {s.made for s in many} == {"noise", "trials"}
    assert {s.shape for s in many} == set(group_maps.SHAPES)


def test_group_maps_that_claim_too_much_and_faults_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(group_maps, "SCREEN", 20)
    monkeypatch.setattr(group_maps, "CONFIRM", 30)
    honest = group_maps.MapSetting(shape=(12,), subjects=6, null_maps=40, width=1.0)
    found = group_maps.examine(honest)
    assert (found["suspects"], found["findings"], found["refusals"]) == ([], [], {})
    assert found == group_maps.examine(honest)
    asked = group_maps._asked
    loud = lambda s, people, seed: asked(replace(s, alpha=0.6), people, seed)  # noqa: E731
    with monkeypatch.context() as changed:
        changed.setattr(group_maps, "_asked", loud)
        (level, *_) = (f for f in group_maps.examine(honest)["findings"] if f["what"] == "level")
        assert float(level["figure"][:5]) > 0.2
    monkeypatch.setattr(group_maps, "_asked", lambda *given: 1 / 0)
    (fault,) = group_maps.examine(honest)["findings"]
    assert fault["what"] == "fault: ZeroDivisionError: division by zero"


@pytest.mark.slow
def test_a_bounded_audit_finds_nothing_that_is_left_unsaid(tmp_path: Path) -> None:
    look = search.Look(2027)
    done = search.run(look, 60.0, 2, tmp_path / "a.store", most=150)
    found = [f["what"] for d in done.values() for f in d["findings"]]
    assert not [what for what in found if "warned" not in what], search.table(look, done)
    far = sum("far below" in what for what in found)
    assert far <= 0.01 * sum(d["intervals"] for d in done.values()), search.table(look, done)


@pytest.mark.slow
def test_a_bounded_audit_of_group_maps_finds_nothing_that_is_left_unsaid(tmp_path: Path) -> None:
    look = search.Look(2027, "maps")
    done = search.run(look, 60.0, 2, tmp_path / "a.store", most=80)
    left = [f for d in done.values() for f in d["findings"] if f["what"] != "level, warned"]
    assert not left, search.table(look, done)


def test_settings_of_trained_models_are_drawn_and_screened() -> None:
    drawn = [validated.drawn(3, index) for index in range(60)]
    assert validated.drawn(3, 7) == drawn[7]
    assert {one.learner for one in drawn} == {"logistic", "trees", "linear", "Cox"}
    assert all(2 <= one.features <= one.n / 2 + 1 for one in drawn)
    small = next(one for one in drawn if one.learner == "linear" and one.n < 90)
    for row in validated.screen(small, 5, 1):
        assert 0.0 <= row.given <= 1.0
        assert not row.amiss


def test_some_settings_of_trained_models_are_of_learning_curves(monkeypatch) -> None:
    kinds = {validated.of_curve(3, index) for index in range(40)}
    assert kinds == {True, False}
    monkeypatch.setattr(learning_coverage, "TRUTHS", 20)
    rows = list(validated.screen_curve(validated.Setting("linear", 60, 3), 3, 1))
    assert {row.measure for row in rows} >= {"mse, largest", "mae, continued to four times"}
    assert all(0.0 <= row.covers <= 1.0 for row in rows)


@pytest.mark.parametrize("curve", [False, True])
def test_what_is_amiss_is_looked_at_with_other_samples(monkeypatch, curve) -> None:
    setting = validated.Setting("linear", 200, 4)
    asked = []

    def screen(one, samples, seed):
        asked.append((samples, seed))
        yield validated.Screened(one, "mse", 1.0, 0.7, samples)

    monkeypatch.setattr(validated, "screen_curve" if curve else "screen", screen)
    monkeypatch.setattr(validated, "of_curve", lambda seed, block: curve)
    monkeypatch.setattr(validated, "drawn", lambda seed, block: setting)
    found = search.Look(1, "trained").examined(0)
    assert asked == [(validated.SCREEN, 1), (validated.CONFIRM, 2)]
    assert found["findings"][0]["figure"] == "0.700"
    assert "--trained" in search.table(search.Look(1, "trained"), {0: {**found, "seconds": 1.0}})


def test_an_interval_that_covers_too_rarely_is_amiss() -> None:
    setting = validated.drawn(3, 0)
    row = validated.Screened(validated.Setting("linear", 200, 4), "mse", 1.0, 0.8, 100)
    assert row.amiss
    assert not replace(row, covers=0.92).amiss
    assert not replace(row, setting=replace(setting, n=60)).amiss


def test_noise_is_rarely_stable() -> None:
    found = validated.stable_noise(2, 0, 3)
    assert found["stable"].mean() <= 1.0
    assert found["bound"] <= 1.0


def test_true_curves_are_those_of_the_world() -> None:
    from scipy.special import expit, logit
    from scipy.stats import norm

    setting = Setting(kind="binary", verb="assess", n=50, effect=1.5, prevalence=0.3)
    x = np.array([0.1, 0.5, 0.9])
    rising = norm.cdf(norm.ppf(x) + 1.5)
    assert bands.true_at(setting, "roc", x) == pytest.approx(rising, abs=0.003)
    false = 0.7 * norm.cdf(norm.ppf(x) - 1.5)  # where so many of the positives are found
    precision = 0.3 * x / (0.3 * x + false)
    assert bands.true_at(setting, "precision_recall", x) == pytest.approx(precision, abs=0.02)
    # the slope of the logit is the effect, so probabilities are right
    assert bands.true_at(setting, "calibration", x) == pytest.approx(x, abs=0.03)
    at = (logit(x) - logit(0.3)) / 1.5 + 0.75
    found, wrong = 0.3 * norm.sf(at - 1.5), 0.7 * norm.sf(at)
    worth = found - wrong * x / (1 - x)
    assert expit(logit(0.3) + 1.5 * at - 1.125) == pytest.approx(x)
    assert bands.true_at(setting, "decision", x) == pytest.approx(worth, abs=0.01)


def test_a_band_that_misses_the_curve_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    setting = bands.drawn(3, 0)
    assert bands.drawn(3, 0) == setting
    assert setting.measures[:2] == ("roc", "precision_recall")
    monkeypatch.setattr(bands, "SCREEN", 12)
    monkeypatch.setattr(bands, "CONFIRM", 12)
    plain = Setting(kind="binary", verb="assess", n=80, effect=1.0, measures=("roc",))
    assert bands.examine(plain)["findings"] == []
    real = bands.true_at
    monkeypatch.setattr(bands, "true_at", lambda *given: real(*given) - 0.3)
    (found,) = bands.examine(plain)["findings"]
    assert found["what"] == "band"
    assert "--bands" in search.table(search.Look(1, "bands"), {})
