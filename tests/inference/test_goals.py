"""Goals: what is read, the verdict of an interval, its p-values, several goals, a baseline."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import expit, logit, ndtr, ndtri

from abovechance import (
    AboveChanceError,
    Binary,
    Multiclass,
    Numeric,
    Survival,
    assess,
    compare,
    examples,
)
from abovechance.inference.confusion_tables import Counted
from abovechance.inference.goals import (
    Goal,
    decided_share,
    goal,
    overall,
    risk_levels,
    stated,
)
from abovechance.inference.intervals import mover, recalibration
from abovechance.inference.multiplicity import holm
from abovechance.inference.verdicts import baseline_sentence, goals_sentence

Reference = Callable[[str], Any]


def cases_of(reference: Reference, start: str) -> list[tuple[dict, dict]]:
    found = [
        (
            case["input"],
            {key: next(iter(value.values())) for key, value in case["expected"].items()},
        )
        for case in reference("goals")["cases"]
        if case["id"].startswith(start)
    ]
    assert found
    return found


def counted(x: int, n: int) -> Binary:
    """Predictions of which x of n are right."""
    return Binary(np.ones(n, int), label=np.arange(n) < x, labels=[0, 1])


# What is written.


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("sensitivity>=.85", Goal("sensitivity", low=0.85)),
        ("  Brier score <= 0.2 ", Goal("Brier score", high=0.2)),
        ("ppv ≥ 85 %", Goal("ppv", low=0.85)),
        ("net_benefit(0.2)>=1e-2", Goal("net_benefit(0.2)", low=0.01)),
        ("auc[age=>=65]>=.7", Goal("auc", low=0.7, by="age=>=65")),
        ("auc[*] >= .7", Goal("auc", low=0.7, by="*")),
        ("calibration_slope in .8..1.25", Goal("calibration_slope", 0.8, 1.25)),
        ("mean_error in -1..1", Goal("mean_error", -1.0, 1.0)),
    ],
)
def test_a_goal_is_read(text: str, found: Goal) -> None:
    assert goal(text) == found


@pytest.mark.parametrize(
    "text", ["", "auc", "auc > .8", "auc >= x", ">= .8", "auc >= .8 .9", "auc in .8", "auc == 1"]
)
def test_what_is_no_goal_is_told_the_grammar(text: str) -> None:
    with pytest.raises(AboveChanceError, match=r"cannot read the goal .* MEASURE in LOW\.\.HIGH"):
        goal(text)


def test_goals_as_text_list_mapping_and_file(tmp_path: Path) -> None:
    wanted = (Goal("auc", low=0.8), Goal("brier", high=0.2))
    toml, text = tmp_path / "goals.toml", 'auc = ">= 0.8"\nbrier = "<= 0.2"\n'
    toml.write_text(text, "utf-8")
    ruled = tmp_path / "goals.json"
    ruled.write_text(json.dumps({"rule": "any", "goals": ["auc>=.8", "brier<=.2"]}), "utf-8")
    for given in (["auc>=.8", "brier<=.2"], {"auc": ">= .8", "brier": "<= .2"}, toml, ruled):
        found = stated(given)
        assert found is not None
        assert found.goals == wanted
    assert stated(ruled).rule == "any"
    assert stated(ruled, "all").rule == "all"
    kept = stated(toml)
    assert kept.file == "goals.toml"
    assert kept.sha256 == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "no goal was stated"),
        (3, "got 3"),
        ([3], "got 3"),
        (Path("nowhere.toml"), "'nowhere.toml' cannot be read"),
    ],
)
def test_what_holds_no_goals(given: Any, said: str) -> None:
    with pytest.raises(AboveChanceError, match=said):
        stated(given)


def test_a_file_that_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "goals.toml").write_text("auc >= .8\n", "utf-8")
    with pytest.raises(AboveChanceError, match="must hold TOML or JSON"):
        stated(tmp_path / "goals.toml")


# What is refused.

CANCER = examples.breast_cancer("p_texture")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("aucc>=.8", "unknown measure 'aucc'; did you mean 'auc'"),
        ("mse<=.8", "is for numeric outcomes"),
        ("auc>=85", r"auc lies between 0 and 1; got the goal 85; did you mean 0\.85\?"),
        ("log_score>=.5", "log_score lies at 0 or below; got the goal 0.5"),
        ("brier>=.2", "a lower brier is better; got the goal >= 0.2: did you mean <=?"),
        ("auc<=.9", "a higher auc is better"),
        ("ece<=.1", "ece has no interval.*calibration_slope"),
        ("auc[sex=f]>=.8", "state the subgroups with by"),
    ],
)
def test_a_goal_that_nothing_could_answer_is_refused(text: str, said: str) -> None:
    with pytest.raises(AboveChanceError, match=said) as refused:
        assess(CANCER, ["auc"], goals=text, rng=1, draws=99)
    assert "\n" not in str(refused.value)


def test_goals_need_intervals_and_a_known_rule() -> None:
    with pytest.raises(AboveChanceError, match="leave inference=False out"):
        assess(CANCER, ["auc"], goals="auc>=.8", inference=False)
    with pytest.raises(AboveChanceError, match="goal_rule must be 'all' or 'any'"):
        assess(CANCER, ["auc"], goals="auc>=.8", goal_rule="most")


def test_a_measure_without_a_direction_takes_both_signs() -> None:
    found = assess(CANCER, ["auc"], goals=["calibration_slope>=.1", "calibration_slope<=9"], rng=1)
    assert found.goals is not None
    assert found.goals.verdict == "met"


# The verdict and its p-values, against reference values.


def test_shares_have_exact_limits_and_tails(reference: Reference) -> None:
    for given, expected in cases_of(reference, "goal_share"):
        x, n = given["x"], given["n"]
        measure = "accuracy" if given["sign"] == ">=" else "error_rate"
        right = x if measure == "accuracy" else n - x
        found = assess(
            counted(right, n),
            [measure],
            goals=f"{measure} {given['sign']} {given['goal']}",
            confidence_level=given["level"],
        )
        assert found.goals is not None
        (row,) = found.goals
        assert row.interval == found[measure].interval
        assert row.value == pytest.approx(expected["value"], rel=1e-12)
        for key, value in (
            ("low", row.interval.low),
            ("high", row.interval.high),
            ("p_met", row.p_met),
            ("p_not_met", row.p_not_met),
        ):
            assert value == pytest.approx(expected[key], rel=1e-9, abs=1e-12), (given, key)
        assert row.verdict == found.goals.verdict == expected["verdict"]
        assert row.interval.method == "Clopper–Pearson"
        assert row.test == "exact binomial"


def test_areas_on_the_scale_of_the_reference(reference: Reference) -> None:
    for given, expected in cases_of(reference, "goal_auc"):
        adjusted, error = expected["adjusted"], expected["se_logit"]

        def limits(level: float, centre: float = adjusted, se: float = error) -> tuple:
            half = ndtri(0.5 + level / 2) * se
            return float(expit(logit(centre) - half)), float(expit(logit(centre) + half))

        assert limits(given["level"])[0] == pytest.approx(expected["low"], rel=1e-9)
        above, below = risk_levels(limits, adjusted, given["goal"])
        assert above == pytest.approx(expected["p_met"], rel=1e-8)
        assert below == pytest.approx(expected["p_not_met"], rel=1e-8)


def test_limits_of_both_recalls_are_inverted_through_their_level(reference: Reference) -> None:
    for given, expected in cases_of(reference, "goal_balanced"):
        right, sizes = [given["tp"], given["tn"]], [given["positives"], given["negatives"]]

        def limits(level: float, x: Any = right, n: Any = sizes) -> tuple[float, float]:
            found = mover(x, n, confidence_level=level)
            return found.low, found.high

        assert limits(0.95) == pytest.approx((expected["low"], expected["high"]), rel=1e-9)
        value = (right[0] / sizes[0] + right[1] / sizes[1]) / 2
        above, below = risk_levels(limits, value, given["goal"])
        assert above == pytest.approx(expected["p_met"], rel=1e-6)
        assert below == pytest.approx(expected["p_not_met"], rel=1e-6)


def _most_probable(right: tuple, sizes: tuple, goal: float, sign: int) -> float:
    """Over all tables and many pairs of recalls: a balanced accuracy as seen, or beyond."""
    from scipy.stats import binom

    tables = [(x, y) for x in range(sizes[0] + 1) for y in range(sizes[1] + 1)]
    seen = right[0] / sizes[0] + right[1] / sizes[1]
    far = [t for t in tables if sign * (t[0] / sizes[0] + t[1] / sizes[1] - seen) >= -1e-12]
    most = 0.0
    for first in np.linspace(max(0.0, 2 * goal - 1), min(1.0, 2 * goal), 129):
        one = binom.pmf(range(sizes[0] + 1), sizes[0], first)
        other = binom.pmf(range(sizes[1] + 1), sizes[1], 2 * goal - first)
        most = max(most, sum(one[x] * other[y] for x, y in far))
    return most


@pytest.mark.parametrize(
    ("measure", "scale"),
    [("balanced_accuracy", 1.0), ("informedness", 2.0), ("balanced_error_rate", -1.0)],
)
def test_goals_of_two_recalls_are_counted(measure: str, scale: float) -> None:
    right, sizes, goal = (11, 19), (12, 20), 0.8
    y = np.repeat([1, 0], sizes)
    label = np.concatenate([np.arange(12) < 11, np.arange(20) >= 19]).astype(int)
    stated = {1.0: goal, 2.0: 2 * goal - 1, -1.0: 1 - goal}[scale]
    sign = "<=" if scale < 0 else ">="
    (row,) = assess(Binary(y, label=label), [measure], goals=f"{measure}{sign}{stated}").goals
    met, not_met = (_most_probable(right, sizes, goal, s) for s in (1, -1))
    assert row.p_met == pytest.approx(met, rel=2e-3)
    assert row.p_not_met == pytest.approx(not_met, rel=2e-3)
    assert row.interval.method == "exact, least favourable recalls"
    assert (row.verdict == "met") == (met <= 0.025)


def test_a_goal_near_1_is_not_failed_by_one_error_in_each_class() -> None:
    """Limits of both shares by MOVER never reach 1 then, and p would be nought."""
    y = np.repeat([1, 0], [24, 36])
    label = y.copy()
    label[[0, 30]] = [0, 1]
    (row,) = assess(
        Binary(y, label=label), ["balanced_accuracy"], goals="balanced_accuracy>=.995"
    ).goals
    assert row.verdict == "undecided"
    assert 0.02 < row.p_not_met < 0.05


def test_pivots_are_counted(reference: Reference) -> None:
    for given, expected in cases_of(reference, "goal_mean"):
        pivots = np.array(given["pivots"])
        mean, error = given["mean"], given["standard_error"]

        def limits(level: float, p: Any = pivots, m: float = mean, s: float = error) -> tuple:
            tail = (1 - level) / 2
            low, high = np.quantile(p, [tail, 1 - tail], method="inverted_cdf")
            return min(m - high * s, m), max(m - low * s, m)

        low, high = limits(given["level"])
        assert (low, high) == pytest.approx((expected["low"], expected["high"]), rel=1e-12)
        above, below = risk_levels(limits, mean, given["goal"], len(pivots), steps=True)
        assert (below, above) == pytest.approx((expected["p_met"], expected["p_not_met"]), rel=1e-9)
        assert goal(f"brier<={given['goal']}").verdict(low, high) == expected["verdict"]


def test_bca_limits_are_inverted(reference: Reference) -> None:
    for given, expected in cases_of(reference, "goal_bca"):
        values, bias, pull = np.array(given["replicates"]), given["bias"], given["acceleration"]

        def limits(level: float, v: Any = values, b: float = bias, a: float = pull) -> tuple:
            shifted = b + ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
            at = ndtr(b + shifted / (1 - a * shifted))
            return tuple(np.quantile(v, at, method="inverted_cdf"))

        centre = 0.8
        above, below = risk_levels(limits, centre, given["goal"], len(values))
        assert above == pytest.approx(expected["p_met"], rel=1e-6)
        assert below == pytest.approx(expected["p_not_met"], rel=1e-6)


def test_slopes_are_inverted_through_their_likelihood(reference: Reference) -> None:
    """The reference has the normal quantile, slopes of few cases in doubt have Student's."""
    from scipy.special import ndtri, stdtr

    for given, expected in cases_of(reference, "goal_slope"):
        cases = Binary(given["outcome"], probability=given["probability"])
        found = assess(
            cases, ["calibration_slope"], goals=f"calibration_slope>={given['goal']}", rng=1
        )
        (row,) = found.goals
        assert row.value == pytest.approx(expected["value"], rel=1e-8)
        assert row.interval.low == pytest.approx(recalibration(cases, "slope").low, rel=1e-12)
        p = np.array(given["probability"])
        df = max(4 * p @ (1 - p) - 2, 3)
        assert df < 58
        level = 1 - 2 * float(stdtr(df, ndtri(0.025)))
        found = recalibration(cases, "slope", confidence_level=level)
        assert found.low == pytest.approx(expected["low"], rel=1e-6)
        wanted = float(stdtr(df, ndtri(expected["p_met"])))
        assert row.p_met == pytest.approx(wanted, rel=1e-5)
        assert row.verdict == ("met" if wanted <= 0.025 else "undecided")


def test_several_goals(reference: Reference) -> None:
    for given, expected in cases_of(reference, "goals_rule"):
        risk = (1 - given["level"]) / 2
        verdicts = [
            "met" if met <= risk else "not met" if not_met <= risk else "undecided"
            for met, not_met in zip(given["p_met"], given["p_not_met"], strict=True)
        ]
        found, adjusted = overall(
            verdicts, verdicts, given["p_met"], given["p_not_met"], given["rule"], risk
        )
        assert found == expected["verdict"], given
        key = "holm_not_met" if given["rule"] == "all" else "holm_met"
        assert adjusted == pytest.approx(expected[key])
        assert holm(given["p_met"]) == pytest.approx(expected["holm_met"])


def test_without_p_values_one_goal_of_several_needs_the_wider_interval() -> None:
    none = [None, None]
    alone = overall(["not met", "met"], ["undecided", "met"], none, none, "all", 0.025)
    surely = overall(["not met", "met"], ["not met", "met"], none, none, "all", 0.025)
    assert (alone[0], surely[0]) == ("undecided", "not met")


# What must hold of every row.


def test_verdicts_and_p_values_agree_over_all_small_shares() -> None:
    asked = [f"accuracy>={limit}" for limit in (0.05, 0.5, 0.85, 0.98)]
    for n in range(1, 31):
        for x in range(n + 1):
            found = assess(counted(x, n), ["accuracy"], goals=asked).goals
            assert found is not None
            assert len(found) == len(asked)
            for row in found:
                assert (row.verdict == "met") == (row.p_met <= 0.025), row
                assert (row.verdict == "not met") == (row.p_not_met <= 0.025), row


RNG = np.random.default_rng(3)
LIVES = Survival(RNG.exponential(size=120), RNG.random(120) < 0.7, risk=RNG.normal(size=120))
OBSERVED = RNG.normal(size=80)
NUMBERS = Numeric(OBSERVED, OBSERVED + RNG.normal(size=80) / 2)
KINDS = np.arange(90) % 3
ROWS = {
    "auc": CANCER,
    "brier": CANCER,
    "log_score": CANCER,
    "balanced_accuracy": CANCER,
    "informedness": CANCER,
    "average_precision": CANCER,
    "calibration_slope": CANCER,
    "observed_expected_ratio": CANCER,
    "net_benefit(0.3)": CANCER,
    "r2": NUMBERS,
    "rmse": NUMBERS,
    "spearman": NUMBERS,
    "c_index": LIVES,
    "accuracy": Multiclass(KINDS, label=np.where(RNG.random(90) < 0.8, KINDS, 0)),
}


@pytest.mark.parametrize("name", list(ROWS))
def test_a_goal_at_the_limit_that_is_shown_is_met_by_a_hair(name: str) -> None:
    """And the p-value there is half of what the level leaves."""
    cases = ROWS[name]
    first = assess(cases, [name], rng=1, draws=399)
    shown = first.estimates[0].interval
    if name in ("accuracy", "balanced_accuracy", "informedness"):  # exact once it has a goal
        shown = assess(cases, [name], goals=f"{name}>=.5", rng=1).goals.goals[0].interval
    assert shown is not None
    up = _better_above(first.estimates[0].measure)
    sign, limit, out = (">=", shown.low, 1) if up else ("<=", shown.high, -1)
    step = 1e-6 * out * max(1.0, abs(limit))

    def judged(at: float) -> Any:
        wanted = f"{name} {sign} {float(at)!r}"
        return assess(cases, [name], goals=wanted, rng=1, draws=399).goals.goals[0]

    by_a_hair, beyond = judged(limit - step), judged(limit + step)
    assert (by_a_hair.verdict, beyond.verdict) == ("met", "undecided")
    assert by_a_hair.p_met == pytest.approx(0.025, abs=1 / 400)
    assert by_a_hair.p_met <= 0.025 < beyond.p_met + 1e-6
    assert beyond.cases_to_decide > first.n


def _better_above(measure: str) -> bool:
    from abovechance.measures import find

    return find(measure).higher_is_better is not False


def test_posteriors_and_folds_have_no_p_value() -> None:
    found = assess(CANCER, ["f1"], goals="f1>=.5", rng=1).goals.goals[0]
    assert found.verdict == "met"
    assert found.p_met is None
    assert found.test is None
    y = np.tile([0, 1], 50)
    p = np.random.default_rng(1).random(100) * 0.4 + 0.3 * y
    folded = Binary(y, probability=p, fold=np.arange(100) // 20, origin="cv")
    found = assess(folded, ["brier"], goals="brier<=.2", rng=1).goals.goals[0]
    assert found.interval is not None
    assert found.p_met is None


def test_only_the_rows_with_a_goal_get_the_exact_interval() -> None:
    plain = assess(CANCER, ["sensitivity", "specificity"], rng=1)
    aimed = assess(CANCER, ["sensitivity", "specificity"], goals="sensitivity>=.4", rng=1)
    assert aimed["specificity"] == plain["specificity"]
    assert aimed["sensitivity"].interval.method == "Clopper–Pearson"
    assert plain["sensitivity"].interval.method == "Wilson"
    asked = assess(
        CANCER, ["sensitivity"], goals="sensitivity>=.4", methods={"sensitivity": "wilson"}, rng=1
    )
    assert asked["sensitivity"].interval.method == "Wilson"


def test_clusters_and_weights_keep_the_interval_that_allows_for_them() -> None:
    y = np.tile([0, 1], 60)
    right = np.random.default_rng(2).random(120) < 0.8
    label = np.where(right, y, 1 - y)
    for facts in ({"groups": np.arange(120) // 4}, {"sample_weight": 1.0 + np.arange(120) % 3}):
        cases = Binary(y, label=label, **facts)
        plain, aimed = (
            assess(cases, ["accuracy"], rng=1),
            assess(cases, ["accuracy"], goals="accuracy>=.6", rng=1),
        )
        assert aimed["accuracy"].interval == plain["accuracy"].interval
        assert aimed.goals.goals[0].p_met < 0.025


def _over_clusters(count: int) -> Any:
    rng = np.random.default_rng(1)
    y = np.arange(10 * count) % 2
    p = np.clip(0.7 * y + 0.15 + 0.1 * rng.normal(size=len(y)), 0.01, 0.99)
    cases = Binary(y, probability=p, groups=np.arange(len(y)) // 10)
    goals = ["brier<=.2", "tjur_r2>=.1", "accuracy>=.5", "auc>=.5"]
    return assess(cases, goals=goals, measures=["brier"], rng=1, draws=99).goals


def test_losses_over_few_clusters_have_no_verdict_and_say_why() -> None:
    found = _over_clusters(19)
    assert [row.verdict for row in found] == ["undecided", "undecided", "met", "met"]
    for row in found.goals[:2]:
        assert row.interval is not None
        assert row.p_met is row.p_not_met is row.cases_to_decide is None
        assert "20 clusters" in str(row.undefined)
        assert "there are 19" in str(row.undefined)
    assert found.verdict == "undecided"
    assert {row.verdict for row in _over_clusters(20)} == {"met"}


def test_an_undefined_value_is_undecided_with_its_reason() -> None:
    nobody = Binary([0, 0, 1, 1], label=[0, 0, 0, 0])
    (row,) = assess(nobody, ["ppv"], goals="ppv>=.5").goals
    assert row.verdict == "undecided"
    assert row.undefined


def test_an_infinite_loss_is_not_met_and_names_its_cases() -> None:
    sure = Binary([0, 0, 1, 1], probability=[0.1, 0.2, 0.0, 0.9])
    (row,) = assess(sure, ["log_score"], goals="log_score>=-1", rng=1, draws=99).goals
    assert row.verdict == "not met"
    assert "1 case had an outcome of predicted probability 0" in str(row.undefined)


def test_subgroups_each_have_their_goal() -> None:
    sex = np.where(np.arange(CANCER.n) % 2, "f", "m")
    wanted = ["sensitivity[*]>=.3", "sensitivity[f]>=.3", "sensitivity[sex = m]>=.3"]
    found = assess(CANCER, ["auc"], goals=wanted, by=sex, by_name="sex", rng=1)
    assert [row.by for row in found.goals] == ["sex=f", "sex=m", "sex=f", "sex=m"]
    assert {e.interval.method for e in found if e.by and e.measure == "sensitivity"} == {
        "Clopper–Pearson"
    }
    assert found["sensitivity"].interval.method == "Wilson"
    with pytest.raises(AboveChanceError, match="names no subgroup; there are sex=f, sex=m"):
        assess(CANCER, ["auc"], goals="auc[x]>=.3", by=sex, by_name="sex", rng=1)


def test_classes_and_outputs() -> None:
    found = assess(examples.iris(), ["accuracy"], goals="sensitivity>=.5", rng=1).goals.goals[0]
    assert found.measure == "sensitivity_macro"
    two = Numeric(np.arange(12.0).reshape(2, 6), np.arange(12.0).reshape(2, 6) ** 1.1)
    with pytest.raises(AboveChanceError, match="several outputs"):
        assess(two, ["mse"], goals="mse<=1", rng=1, draws=99)


def test_cases_that_would_decide_do() -> None:
    for x, n, wanted in (
        (46, 50, "accuracy>=.85"),
        (30, 50, "accuracy>=.7"),
        (9, 10, "accuracy>=.5"),
    ):
        one, now = goal(wanted), Counted(x, n, 0.0, 1.0, True)
        size = decided_share(now, one, 0.025)
        assert size is not None
        assert size > n
        (row,) = assess(counted(x, n), ["accuracy"], goals=wanted).goals
        assert row.cases_to_decide == (size if row.verdict == "undecided" else None)
        hits = int(np.floor(x / n * size)) if x / n > one.low else int(np.ceil(x / n * size))
        (there,) = assess(counted(hits, size), ["accuracy"], goals=wanted).goals
        assert there.verdict != "undecided"
    assert decided_share(Counted(17, 20, 0.0, 1.0, True), goal("accuracy>=.85"), 0.025) is None


def test_multiclass_shares_are_exact_too() -> None:
    y = np.arange(60) % 3
    cases = Multiclass(y, label=np.where(np.arange(60) < 50, y, (y + 1) % 3))
    (row,) = assess(cases, ["accuracy"], goals="accuracy>=.7").goals
    assert row.test == "exact binomial"


def test_the_contract_holds_the_goals_and_only_where_they_were_stated(tmp_path: Path) -> None:
    file = tmp_path / "goals.toml"
    file.write_text('auc = ">= .7"\n', "utf-8")
    told = json.loads(assess(CANCER, ["auc"], goals=file, rng=1).to_json())["goals"]
    assert {"rule", "level", "verdict", "file", "sha256", "goals"} == set(told)
    assert {
        "measure", "title", "by", "sign", "goal", "value", "interval", "verdict", "p_met",
        "p_not_met", "p_adjusted", "test", "cases_to_decide", "undefined",
    } == set(told["goals"][0])  # fmt: skip
    assert (told["file"], told["verdict"], told["rule"]) == ("goals.toml", "met", "all")
    assert "goals" not in assess(CANCER, ["auc"], rng=1).to_dict()


def test_text_and_markdown_begin_with_the_verdict() -> None:
    found = assess(CANCER, ["auc"], goals=["auc>=.7", "sensitivity>=.5"], rng=1)
    assert str(found).startswith("Undecided: these cases do not tell whether all goals are met.")
    lines = found.to_markdown().splitlines()
    assert lines[0] == "<!-- abovechance -->"
    assert lines[1].startswith("Undecided")
    assert lines.index("<details><summary>All measures</summary>") > lines.index("**Goals**")
    assert lines[-1] == "</details>"
    assert not assess(CANCER, ["auc"], rng=1).to_markdown().startswith("<!--")


def test_metrics_are_flat_numbers() -> None:
    found = assess(CANCER, ["auc", "f_beta(2)", "ece"], rng=1, by=np.arange(CANCER.n) % 2 == 0)
    metrics = found.metrics()
    assert metrics["auc"] == found["auc"].value
    assert metrics["auc/low"] == found["auc"].interval.low
    assert {"f_beta_2", "ece", "auc_True/high"} <= set(metrics)
    assert "ece/low" not in metrics
    assert all(np.isfinite(list(metrics.values())))


# Beside the model in use.


def two_models(n: int, worse: float, seed: int = 1) -> dict[str, Binary]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    signal = rng.normal(size=n) + 1.6 * y
    models = {
        "new": signal + worse * rng.normal(size=n),
        "old": signal + 0.1 * rng.normal(size=n),
    }
    return {name: Binary(y.astype(int), score=score) for name, score in models.items()}


@pytest.mark.parametrize(
    ("n", "noise", "verdict"),
    [(600, 0.1, "no worse"), (600, 2.0, "worse"), (30, 0.4, "undecided")],
)
def test_a_model_beside_its_baseline(n: int, noise: float, verdict: str) -> None:
    found = compare(two_models(n, noise), ["auc"], margin=0.03, baseline="old", rng=1)
    assert found.baseline is not None
    (row,) = found.baseline.rows
    assert found.baseline.verdict == row.verdict == verdict
    assert found.to_dict()["baseline"]["verdict"] == verdict
    if verdict == "no worse":
        assert row.interval.low > -0.03
    assert row.interval == found["auc", "new", "old"].margin.interval


def test_the_baseline_is_the_second_of_each_pair_wherever_it_stands() -> None:
    models = two_models(200, 0.5)
    turned = {"old": models["old"], "new": models["new"], "other": models["old"]}
    found = compare(turned, ["auc"], margin={"auc": 0.05}, baseline="old", rng=1)
    assert [row.model for row in found.baseline.rows] == ["new", "other"]
    assert found.baseline.rows[1].verdict == "no worse"  # the same predictions
    assert "baseline" not in compare(models, ["auc"], rng=1).to_dict()


def test_one_number_without_names_is_a_margin_of_the_primary_measure() -> None:
    found = compare(two_models(100, 0.5), margin=0.05, baseline="old", rng=1, draws=99)
    assert [row.measure for row in found.baseline.rows] == [found.primary]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"baseline": "odl", "margin": 0.1}, "no model is called 'odl'.*did you mean 'old'"),
        ({"baseline": "old"}, "a baseline needs a margin"),
    ],
)
def test_a_baseline_that_cannot_be_judged(options: dict[str, Any], said: str) -> None:
    with pytest.raises(AboveChanceError, match=said):
        compare(two_models(30, 0.5), ["auc"], **options)


@pytest.mark.parametrize("rule", ["all", "any"])
def test_the_verdict_on_several_goals_says_what_their_rule_needs(rule: str) -> None:
    """Met by all or by one, missed by all or by one: each in its own words."""
    said = {
        verdict: goals_sentence({"verdict": verdict, "rule": rule, "goals": [{}, {}, {}]})
        for verdict in ("met", "not met", "undecided")
    }
    assert said == {
        "all": {"met": "All 3 goals are met.", "not met": "The goals are not met.",
                "undecided": "Undecided: these cases do not tell whether all goals are met."},
        "any": {"met": "At least one goal is met.", "not met": "None of the 3 goals is met.",
                "undecided": "Undecided: these cases do not tell whether any goal is met."},
    }[rule]  # fmt: skip


@pytest.mark.parametrize("models", [["new"], ["new", "newer"]])
def test_the_verdict_beside_a_model_in_use_names_one_model_or_speaks_of_all(
    models: list[str],
) -> None:
    rows = [{"model": name} for name in models for _ in range(2)]
    said = [
        baseline_sentence({"model": "old", "verdict": verdict, "rows": rows})
        for verdict in ("worse", "no worse", "undecided")
    ]
    several = ("One of the models", "Every model", "every model")
    one, every, whether = ("new",) * 3 if len(models) == 1 else several
    assert said == [
        f"{one} is worse than old.",
        f"{every} is no worse than old by more than the margin.",
        f"Undecided: these cases do not tell whether {whether} is as good as old.",
    ]
