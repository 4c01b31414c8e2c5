"""Thresholds: pROC's choices, the one that costs imply, and how optimistic a choice is."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance.errors import NotApplicable
from abovechance.inference.curves.curve import drawn_and_left_out
from abovechance.inference.results import Interval
from abovechance.inference.thresholds import _calls_otherwise, _Cuts
from abovechance.measures import find

Reference = Callable[[str], Any]


def binary(n: int = 200, seed: int = 1, **extra: Any) -> ac.Binary:
    rng = np.random.default_rng(seed)
    p = rng.beta(2, 3, n)
    return ac.Binary(rng.random(n) < p, probability=p, **extra)


def test_choices_equal_those_of_proc(reference: Reference) -> None:
    for case in reference("roc_curves")["cases"]:
        predictions = ac.Binary(case["input"]["y"], probability=case["input"]["p"])
        found = ac.thresholds(predictions, draws=20, rng=1)
        for criterion, key in (("youden", "youden_best"), ("closest", "closest_topleft_best")):
            choice, wanted = found[criterion], case["expected"][key]["pROC"]
            # pROC misses ties that differ by rounding
            assert set(wanted["threshold"]) <= {choice.threshold, *choice.tied}
            assert choice.threshold == wanted["threshold"][0]
            assert choice.sensitivity == pytest.approx(wanted["sensitivity"][0], rel=1e-12)
            assert choice.specificity == pytest.approx(wanted["specificity"][0], rel=1e-12)
        best = case["expected"]["max_youden_j"]["exact"]
        assert found["youden"].value == pytest.approx(best, rel=1e-12)


def test_costs_imply_a_threshold_without_data() -> None:
    for seed in (1, 2):
        found = ac.thresholds(binary(seed=seed), cost_fp=1, cost_fn=4, draws=20, rng=1)
        implied = found["costs imply"]
        assert implied.threshold == pytest.approx(0.2)
        assert implied.interval is None
        assert implied.optimism is None
        assert implied.corrected == implied.value


def test_the_cost_is_that_of_the_labels_above_the_threshold() -> None:
    predictions = binary()
    assert predictions.probability is not None
    found = ac.thresholds(predictions, cost_fp=1, cost_fn=3, draws=20, rng=1)["cost"]
    label = predictions.probability > found.threshold
    costs = {"cost_fp": 1.0, "cost_fn": 3.0}
    spent = find("expected_cost", **costs)
    assert found.value == pytest.approx(spent(predictions.positive, label), rel=1e-12)
    for t in np.linspace(0.01, 0.99, 99):
        other = spent(predictions.positive, predictions.probability > t)
        assert found.value <= other + 1e-12
    at = 1 / 4
    benefit = predictions.positive.mean() - found.value / 3
    assert found.net_benefit == pytest.approx(benefit, rel=1e-10)
    assert ac.thresholds(predictions, cost_fp=1, cost_fn=3, draws=5, rng=1)[
        "costs imply"
    ].net_benefit == pytest.approx(find("net_benefit", threshold=at).of(predictions), rel=1e-12)


def test_optimism_makes_up_for_choosing_on_the_same_cases() -> None:
    """What a chosen threshold is worth on new cases: with three standard errors to spare, at most
    35 % of the gap between apparent and true worth remains, on either side."""
    rng = np.random.default_rng(3)

    def sample(n: int) -> ac.Binary:
        p = rng.beta(2, 2, n)
        return ac.Binary(rng.random(n) < p, probability=p)

    fresh = sample(40_000)
    assert fresh.probability is not None
    values = []
    for k in range(400):
        choice = ac.thresholds(sample(60), draws=60, rng=k)["youden"]
        true = find("youden_j")(fresh.positive, fresh.probability > choice.threshold)
        values.append((choice.value - true, choice.corrected - true))
    (gap, left), (_, spread) = np.mean(values, axis=0), np.std(values, axis=0)
    assert gap > 0.04
    assert abs(left) + 3 * spread / np.sqrt(len(values)) < 0.35 * gap


def test_left_out_cases_are_those_a_sample_did_not_draw() -> None:
    """The mean number left out, given what was drawn, is that of drawing cases one by one."""
    predictions = ac.Binary([0, 0, 0, 0, 1, 1, 1, 1], score=[1, 1, 1, 2, 1, 2, 2, 2])
    assert predictions.score is not None
    rng = np.random.default_rng(1)
    places = np.array([1.0, 2.0])
    drawn, left = drawn_and_left_out(predictions, predictions.score, places, rng, 40_000)
    rows = rng.integers(8, size=(40_000, 8))
    times = np.stack([(rows == case).sum(axis=1) for case in range(8)], axis=1)
    negatives, positives = times[:, [3]], times[:, 5:]
    for sums, out, own in (
        (drawn.negatives[:, 1], left.negatives[:, 1], negatives),
        (drawn.positives[:, 1], left.positives[:, 1], positives),
    ):
        for count in range(4):
            ours, theirs = out[sums == count].mean(), (own[own.sum(axis=1) == count] == 0)
            assert ours == pytest.approx(theirs.sum(axis=1).mean(), abs=0.05)
    grouped = ac.Binary(predictions.positive, score=predictions.score, groups=list("aabbccdd"))
    drawn, left = drawn_and_left_out(grouped, predictions.score, places, rng, 100)
    everyone = drawn.all_positives + drawn.all_negatives
    assert (everyone == 8).all()
    assert set(left.all_positives + left.all_negatives) <= {0.0, 2.0, 4.0, 6.0}


def test_two_cases_leave_none_to_judge_a_choice_on() -> None:
    found = ac.thresholds(ac.Binary([0, 1], score=[1, 2]), draws=20, rng=1)
    assert np.isnan(found["youden"].corrected)
    assert found["youden"].optimism is None
    assert "AC363" in [a.code for a in found.advice]
    assert all(choice.optimism is None for choice in found.choices)


def test_intervals_narrow_with_cases() -> None:
    widths = []
    for n in (80, 5000):
        interval = ac.thresholds(binary(n), draws=200, rng=1)["cost"].interval
        assert interval is not None
        widths.append(interval.high - interval.low)
    assert widths[1] < 0.6 * widths[0]


def test_scores_have_thresholds_but_none_that_costs_imply() -> None:
    found = ac.thresholds(ac.Binary([0, 1, 0, 1], score=[1, 2, 3, 4]), draws=20, rng=1)
    assert [c.criterion for c in found.choices] == ["cost", "youden", "closest"]
    with pytest.raises(NotApplicable, match="no threshold by"):
        found["costs imply"]


def test_useless_scores_call_everyone_alike() -> None:
    found = ac.thresholds(ac.Binary([0, 1, 0, 0], score=[5, 5, 5, 5]), draws=20, rng=1)
    assert found["cost"].threshold == np.inf
    assert found["cost"].value == pytest.approx(0.25)
    assert found["youden"].value == pytest.approx(0.0)


def test_poor_calibration_near_the_threshold_is_remarked_on() -> None:
    rng = np.random.default_rng(4)
    risk = rng.beta(2, 2, 3000)
    shifted = ac.Binary(rng.random(3000) < risk, probability=risk**3)
    assert "AC361" in [a.code for a in ac.thresholds(shifted, draws=100, rng=1).advice]
    right = ac.Binary(rng.random(3000) < risk, probability=risk)
    assert "AC361" not in [a.code for a in ac.thresholds(right, draws=100, rng=1).advice]


def test_a_threshold_that_calls_all_cases_alike_is_not_remarked_on() -> None:
    found = ac.thresholds(ac.Binary([0, 1], probability=[0.3, 0.6]), draws=20, rng=1)
    assert found["cost"].interval is not None
    assert 0.5 in found["cost"].interval
    assert "AC361" not in [a.code for a in found.advice]


def test_weights_count_as_many_cases() -> None:
    predictions = binary(60)
    times = np.random.default_rng(5).integers(1, 4, 60)
    weighted = ac.Binary(
        predictions.positive, probability=predictions.probability, sample_weight=times
    )
    repeated = predictions.take(np.repeat(np.arange(60), times))
    one, other = (ac.thresholds(p, draws=20, rng=1)["cost"] for p in (weighted, repeated))
    assert (one.threshold, one.value) == (other.threshold, pytest.approx(other.value))


@pytest.mark.parametrize("costs", [{"cost_fp": 0}, {"cost_fn": -1}, {"cost_fn": np.inf}])
def test_costs_are_positive(costs: dict[str, float]) -> None:
    with pytest.raises(NotApplicable, match="greater than 0"):
        ac.thresholds(binary(), **costs)


def test_choices_export() -> None:
    found = ac.thresholds(binary(), draws=20, rng=1)
    facts = json.loads(found.to_json())
    assert facts["choices"][0]["criterion"] == "costs imply"
    assert facts["seed"] == 1
    assert len(found.to_csv().splitlines()) == 5
    assert found.to_frame()["threshold"].tolist() == [c.threshold for c in found.choices]
    assert "Youden" in str(found)


@pytest.mark.parametrize(
    ("threshold", "probability", "apart"),
    [
        (0.3, 0.29, False), (0.3, 0.3, True), (0.3, 0.49, True), (0.3, 0.5, False),
        (0.8, 0.8, False), (0.8, 0.79, True), (0.8, 0.71, True), (0.8, 0.7, False),
        (0.6, 0.6, False), (0.5, 0.5, False), (0.7, 0.7, False),
    ],
)  # fmt: skip
def test_a_threshold_is_apart_where_it_calls_a_case_otherwise(
    threshold: float, probability: float, apart: bool
) -> None:
    """Below the limits .5 to .7 a case from the threshold on, above them one short of it."""
    limits = Interval(0.5, 0.7, 0.95, "any")
    assert _calls_otherwise(threshold, limits, np.array([0.0, probability, 1.0])) is apart


def test_thresholds_are_probabilities_where_scores_are_known_too() -> None:
    both = binary(120)
    scored = ac.Binary(both.positive, probability=both.probability, score=10 * both.probability - 5)
    for one, other in zip(
        *(ac.thresholds(p, draws=50, rng=1) for p in (both, scored)), strict=True
    ):
        assert (one.threshold, one.interval) == (other.threshold, other.interval)


def test_limits_reach_halfway_to_the_next_case_of_the_class_they_cut_off() -> None:
    score = np.array([1.0, 2.0, 2.0, 3.0, 5.0, 8.0, np.inf, 9.0])
    made = ac.Binary([1, 0, 1, 0, 1, 0, 0, 0], score=score, sample_weight=[1, 1, 1, 1, 1, 1, 1, 0])
    cuts = _Cuts.of(made, score)
    assert cuts.reaching(4.0, 4.0) == (3.0, 6.0)
    assert cuts.reaching(1.5, 2.5) == (1.25, 2.75)
    assert cuts.reaching(0.5, 8.5) == (-np.inf, np.inf)  # 9 weighs nothing, ∞ is nowhere
    assert cuts.reaching(-np.inf, np.inf) == (-np.inf, np.inf)
    sure = np.array([0.2, 0.4, 0.6, 0.8])
    cuts = _Cuts.of(ac.Binary([0, 1, 0, 1], probability=sure), sure)
    assert cuts.reaching(0.3, 0.7) == (0.0, 1.0)
    endless = ac.Binary([0, 0, 1, 1], score=[1.0, 2.0, np.inf, np.inf])
    assert ac.thresholds(endless, draws=20, rng=1)["youden"].interval is not None
    # none of 30 positives below .5: a tenth of the 20 negatives there may be lost for three
    many = np.r_[np.linspace(0.6, 0.9, 30), np.linspace(0.1, 0.48, 20)]
    cuts = _Cuts.of(ac.Binary([1] * 30 + [0] * 20, probability=many), many)
    assert cuts.reaching(0.5, 0.95)[0] == pytest.approx(0.44)
    assert cuts.reaching(0.5, 0.95, price=2.0)[0] == pytest.approx(0.40)
    assert cuts.reaching(0.5, 0.55)[1] == pytest.approx(many[4])  # 3 / 20 of 30 positives
