"""Detections: verb, rows and advice."""

import numpy as np
import pytest

from abovechance import detect
from abovechance.errors import DataError, NotApplicable, UnknownMeasure
from abovechance.inference.detection import Labellings
from abovechance.inference.multiplicity import adjusted
from abovechance.resampling import LabelPermutations
from abovechance.resampling.replicates import Blocks
from abovechance.signal import find, oracle

# ----------------------------------------------------------------------------------------------
# Detecting whether classes differ: the same permutations for all, refusals with the remedy.
# ----------------------------------------------------------------------------------------------


ALL = ("hotelling", "hotelling_shrink", "srivastava_du", "goeman", "mmd", "energy", "simes", "cai")


def data(n: int = 40, p: int = 6, shift: float = 0.0, seed: int = 1):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, p)) + shift * y[:, None], y


def test_a_clear_shift_is_found_by_every_statistic() -> None:
    X, y = data(shift=1.2)
    found = detect(X, y, tests=[*ALL, "lda.cv4", "svm.c1.cv4"], draws=99, rng=1)
    assert all(row.p_value == 0.01 for row in found.tests)
    assert all(row.p_adjusted == pytest.approx(0.1) for row in found.tests)


def test_a_statistic_does_not_depend_on_its_company() -> None:
    X, y = data(shift=0.4)
    alone = detect(X, y, tests=["lda.cv4"], draws=99, rng=3)["lda.cv4"]
    joined = detect(X, y, tests=["lda.cv4", "hotelling"], draws=99, rng=3)["lda.cv4"]
    assert (alone.value, alone.p_value) == (joined.value, joined.p_value)


@pytest.fixture
def short_blocks(monkeypatch) -> None:
    """Learners that are trained one by one are trained for whole blocks: for few permutations."""
    monkeypatch.setattr("abovechance.inference.detection.BLOCK", 8)


def test_workers_give_the_same_bits() -> None:
    X, y = data(shift=0.4)
    one = detect(X, y, tests=["srivastava_du", "lda.cv4"], draws=150, rng=5)
    two = detect(X, y, tests=["srivastava_du", "lda.cv4"], draws=150, rng=5, workers=2)
    for name, values in one.null.items():
        np.testing.assert_array_equal(values, two.null[name])


def test_p_values_are_valid_on_noise() -> None:
    rejected = dict.fromkeys(("hotelling", "srivastava_du", "lda.cv4"), 0)
    for seed in range(80):
        X, y = data(n=24, p=3, seed=seed)
        found = detect(X, y, tests=list(rejected), draws=39, rng=seed, adjust="none")
        for row in found.tests:
            rejected[row.statistic] += row.p_value <= 0.05
    # binomial(80, .05) exceeds 13 with probability below 1e-4
    assert all(count <= 13 for count in rejected.values()), rejected


def test_hotelling_by_permutation_agrees_with_the_f_distribution() -> None:
    from scipy.stats import f

    X, y = data(n=60, p=4, shift=0.35, seed=3)
    found = detect(X, y, tests=["hotelling"], draws=4999, rng=1)["hotelling"]
    exact = f.sf(found.value * (60 - 4 - 1) / (4 * 58), 4, 55)
    assert found.p_value == pytest.approx(exact, abs=5 * np.sqrt(exact / 5000) + 0.002)


def test_more_features_than_cases_name_the_alternative() -> None:
    X, y = data(n=20, p=40)
    with pytest.raises(NotApplicable, match="hotelling_shrink or srivastava_du"):
        detect(X, y, tests=["hotelling"])
    assert detect(X, y, tests=["srivastava_du"], draws=19, rng=1)["srivastava_du"].p_value > 0


def test_labels_constant_in_blocks_are_refused_within_and_tested_as_wholes() -> None:
    rng = np.random.default_rng(1)
    blocks = np.repeat(np.arange(10), 4)
    y = (np.arange(10) % 2)[blocks]
    X = rng.normal(size=(40, 3)) + rng.normal(size=(10, 3))[blocks]
    with pytest.raises(NotApplicable, match="permute='blocks'"):
        detect(X, y, permute="within", blocks=blocks)
    found = detect(X, y, tests=["hotelling"], permute="blocks", blocks=blocks, draws=199, rng=1)
    assert found["hotelling"].p_value > 0.01


def test_labels_constant_in_blocks_have_the_right_level_only_as_wholes() -> None:
    blocks, rejected = np.repeat(np.arange(12), 4), {"labels": 0, "blocks": 0}
    for seed in range(100):
        rng = np.random.default_rng(seed)
        y = rng.permutation(np.arange(12) % 2)[blocks]
        X = rng.normal(size=(48, 2)) + 2 * rng.normal(size=(12, 2))[blocks]
        for permute in rejected:
            units = blocks if permute == "blocks" else None
            found = detect(
                X, y, tests=["hotelling"], permute=permute, blocks=units, draws=59, rng=seed
            )
            rejected[permute] += found.tests[0].p_value <= 0.05
    # binomial(100, .05) exceeds 14 with probability below 1e-4
    assert rejected["blocks"] <= 14
    assert rejected["labels"] > 40


def unequal_blocks():
    blocks = np.repeat(np.arange(8), [2, 3, 4, 5, 2, 3, 4, 5])
    return np.random.default_rng(1).normal(size=(len(blocks), 3)), blocks


def test_blocks_of_unequal_size_exchange_their_labels() -> None:
    X, blocks = unequal_blocks()
    y = blocks % 2
    tests = ["goeman", "srivastava_du", "lda.cv4"]
    found = detect(X, y, tests=tests, permute="blocks", blocks=blocks, draws=199, rng=1)
    # every labelling that gives four of the eight blocks to class 1, by the formula
    from itertools import combinations

    from abovechance.signal import goeman

    every = [goeman(X, np.isin(blocks, ones).astype(int)) for ones in combinations(range(8), 4)]
    exact = np.mean(np.array(every) >= goeman(X, y) - 1e-9)
    assert found["goeman"].p_value == pytest.approx(exact, abs=0.1)
    np.testing.assert_allclose(
        np.unique(found.null["goeman"].round(9)), np.unique(np.round(every, 9))
    )


def test_blocks_too_small_for_a_statistic_are_refused_with_another() -> None:
    X, _ = data(n=10)
    blocks = np.array([0, 1, 1, 1, 1, 2, 2, 2, 2, 2])
    y = np.array([0, 1, 1, 1, 1, 0, 0, 0, 0, 0])
    with pytest.raises(NotApplicable, match=r"at least 2 rows in each group.*Use goeman"):
        detect(X, y, tests=["simes"], permute="blocks", blocks=blocks)
    assert detect(X, y, tests=["goeman"], permute="blocks", blocks=blocks, draws=9)


def test_numbers_of_unequal_blocks_do_not_depend_on_who_is_drawn_with_them() -> None:
    X, blocks = unequal_blocks()
    y = np.random.default_rng(2).normal(size=8)[blocks]
    found = detect(X, y, tests=["mmd"], permute="blocks", blocks=blocks, draws=9, rng=1)
    from abovechance.resampling import WholeBlocks, stream
    from abovechance.signal import mmd

    orders = WholeBlocks(blocks).draw(stream(1, 0), 9)
    alone = [mmd.numeric.batch(X, y[order][None])[0] for order in orders]
    np.testing.assert_allclose(found.null["mmd"], alone)


def test_sequential_stopping_decides_early() -> None:
    X, y = data(shift=1.5)
    found = detect(X, y, tests=["goeman"], draws=9999, rng=1, stop="gandy")
    assert found["goeman"].decision == "p <= level"
    assert found["goeman"].draws < 400


def test_the_papers_rule_leaves_the_observed_labelling_out() -> None:
    X, y = data(shift=1.5)
    found = detect(X, y, tests=["goeman"], draws=99, rng=1, rule="paper")
    assert found["goeman"].p_value == 0.0
    assert detect(X, y, tests=["goeman"], draws=99, rng=1)["goeman"].p_value == 0.01


def three_classes(shift: float = 1.0):
    y = np.arange(45) % 3
    return np.random.default_rng(1).normal(size=(45, 3)) + shift * y[:, None], y


def test_more_classes_are_told_apart_by_every_statistic_that_extends() -> None:
    X, y = three_classes()
    tests = ["lda.cv3", "hotelling", "goeman", "mmd", "energy"]
    found = detect(X, y, tests=tests, draws=49, rng=1)
    assert [row.p_value for row in found.tests] == [0.02] * 5
    assert (found.outcome, found.classes) == ("classes", ("0", "1", "2"))
    assert "trace" in found["hotelling"].title


@pytest.mark.parametrize("name", ["hotelling_shrink", "srivastava_du", "simes", "cai"])
def test_what_compares_two_groups_only_names_what_compares_more(name) -> None:
    X, y = three_classes()
    with pytest.raises(NotApplicable, match=r"two groups.*3 classes.*goeman, mmd or energy"):
        detect(X, y, tests=[name])
    with pytest.raises(NotApplicable, match=r"two groups.*numbers.*goeman, mmd or energy"):
        detect(X, X[:, 0], tests=[name])


def test_numbers_are_related_to_features() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3))
    y = X @ [1.0, 0.5, 0.0] + 0.5 * rng.normal(size=40)
    found = detect(X, y, tests=["hotelling", "goeman", "mmd", "energy"], draws=99, rng=1)
    assert [row.p_value for row in found.tests] == [0.01] * 4
    assert (found.outcome, found.classes) == ("numeric", ())
    assert found.hypothesis == "features and outcome are independent"
    assert found["energy"].title == "Distance covariance"


def test_p_values_of_numbers_and_of_several_classes_are_valid_on_noise() -> None:
    names, rejected = ["hotelling", "goeman", "mmd", "energy"], np.zeros((2, 4))
    for seed in range(80):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(24, 3))
        for row, y in enumerate((rng.normal(size=24), np.arange(24) % 4)):
            found = detect(X, y, tests=names, draws=39, rng=seed, adjust="none")
            rejected[row] += [test.p_value <= 0.05 for test in found.tests]
    # binomial(80, .05) exceeds 13 with probability below 1e-4
    assert (rejected <= 13).all(), rejected


def test_accuracy_of_numbers_names_what_would_do() -> None:
    X, _ = data()
    with pytest.raises(NotApplicable, match="permutation_test with a regressor"):
        detect(X, X[:, 0], tests=["lda.cv4"])


def test_default_tests_follow_the_outcome() -> None:
    X, y = three_classes()
    assert [t.statistic for t in detect(X, X[:, 0], draws=9).tests] == ["goeman", "energy"]
    several = detect(X, y, draws=9).tests
    assert [t.statistic for t in several] == ["goeman", "energy", "lda.b632.B50"]


def test_the_kind_of_outcome_may_be_stated() -> None:
    X, y = three_classes()
    assert detect(X, y, kind="numeric", tests=["energy"], draws=9).outcome == "numeric"
    assert detect(X, y + 0.5, kind="classes", tests=["energy"], draws=9).outcome == "classes"
    assert detect(X, (y > 0) + 0.5, tests=["energy"], draws=9).outcome == "classes"
    with pytest.raises(NotApplicable, match="kind must be one of classes, numeric"):
        detect(X, y, kind="words")
    with pytest.raises(DataError, match="numeric outcome must hold numbers"):
        detect(X, np.array(["a", "b", "c"])[y], kind="numeric")


def test_features_in_unequal_units_are_advised_about() -> None:
    X, y = data()
    X[:, 0] *= 100
    assert "AC563" in {a.code for a in detect(X, y, tests=["energy"], draws=9).advice}
    assert not detect(X, y, tests=["srivastava_du"], draws=9).advice
    scaled = detect(X, y, tests=["energy"], standardise=True, draws=9, rng=1)
    assert not scaled.advice
    assert (
        scaled["energy"].value
        == detect(X / X.std(axis=0), y, tests=["energy"], rng=1)["energy"].value
    )


def test_resubstitution_in_high_dimension_is_advised_against() -> None:
    X, y = data(n=30, p=20)
    found = detect(X, y, tests=["lda.resub"], draws=19, rng=1)
    assert {"AC560", "AC562"} <= {a.code for a in found.advice}


def test_unknown_statistics_are_named_with_a_suggestion() -> None:
    X, y = data()
    with pytest.raises(UnknownMeasure, match="did you mean"):
        detect(X, y, tests=["hoteling"])


def test_result_follows_the_json_contract() -> None:
    X, y = data()
    found = detect(X, y, tests=["energy", "simes"], draws=19, rng=1).to_dict()
    assert set(found["tests"][0]) >= {"statistic", "value", "p_value", "draws", "null_mean"}
    assert "null" not in found


def test_a_stored_run_goes_on_when_more_draws_repay_the_fast_way(tmp_path) -> None:
    from abovechance.numerics.kernels import worthwhile

    X, y = data(n=30, p=3)
    few, many = 99, 299
    assert [worthwhile(draws * len(y)) for draws in (few, many)] == [False, True]
    settings = {"tests": ["hotelling", "lda.cv4"], "rng": 1}
    for draws in (few, many):
        kept = detect(X, y, draws=draws, store=tmp_path / "blocks.db", **settings)
        fresh = detect(X, y, draws=draws, **settings)
        assert kept.tests == fresh.tests
        for name, values in fresh.null.items():
            np.testing.assert_array_equal(kept.null[name], values)


# ----------------------------------------------------------------------------------------------
# Rows of a detection: each its own null, name, decision and reason; what data are refused.
# ----------------------------------------------------------------------------------------------


def joined(found: object) -> str:
    """What is printed, on one line."""
    return " ".join(str(found).split())


def nearest(neighbours: int):
    from sklearn.neighbors import KNeighborsClassifier

    from abovechance.learning import Estimator, VFold
    from abovechance.signal import Accuracy

    return Accuracy(Estimator(KNeighborsClassifier(neighbours)), VFold(4))


@pytest.mark.usefixtures("short_blocks")
def test_statistics_of_one_name_have_their_own_nulls() -> None:
    X, y = data(n=40, p=4)
    pairs = [[nearest(1), nearest(15)], [oracle(np.eye(4)), oracle(np.diag([9.0, 0.1, 1, 1]))]]
    for pair in pairs:
        together = detect(X, y, tests=pair, draws=19, rng=1)
        for statistic, row in zip(pair, together.tests, strict=True):
            alone = detect(X, y, tests=[statistic], draws=19, rng=1).tests[0]
            assert (row.value, row.p_value, row.null_mean) == (
                alone.value,
                alone.p_value,
                alone.null_mean,
            )
        names = [row.statistic for row in together.tests]
        assert names[1] == f"{names[0]} (2)"
        assert list(together.null) == names
        assert [together[name] for name in names] == list(together.tests)


@pytest.mark.usefixtures("short_blocks")
def test_titles_of_one_name_write_the_learner_out() -> None:
    X, y = data(n=24, p=2)
    first, second = detect(X, y, tests=[nearest(1), nearest(15)], draws=9, rng=1).tests
    assert "n_neighbors=1)" in first.title
    assert "n_neighbors=15)" in second.title


def test_the_same_statistic_is_tested_once() -> None:
    X, y = data()
    found = detect(X, y, tests=["lda.cv8", "sd", "lda.CV.1", "srivastava_du"], draws=9, rng=1)
    assert [row.statistic for row in found.tests] == ["lda.cv8", "srivastava_du"]


@pytest.mark.usefixtures("short_blocks")
def test_a_classifier_is_tested_by_its_accuracy() -> None:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.naive_bayes import GaussianNB

    X, y = data(shift=1.5)
    found = detect(X, y, tests=[GaussianNB()], draws=19, rng=1)
    assert found["GaussianNB.cv8"].p_value == 0.05
    forest = RandomForestClassifier(2, random_state=1)
    assert detect(X, y, tests=forest, draws=1).tests[0].statistic == "RandomForestClassifier.cv8"


def test_other_things_are_refused_by_their_type() -> None:
    from sklearn.linear_model import Ridge
    from sklearn.naive_bayes import GaussianNB

    X, y = data()
    for test, said in (
        (Ridge(), "got Ridge"),
        (7, "got int"),
        (GaussianNB, "class GaussianNB"),
    ):
        with pytest.raises(NotApplicable, match=said):
            detect(X, y, tests=[test])


def test_what_was_tested_is_found_by_its_name() -> None:
    X, y = data(p=4)
    found = detect(X, y, tests=[oracle(np.eye(4)), "sd"], draws=9)
    assert found["oracle"].statistic == "oracle"
    assert found["Srivastava"].statistic == "srivastava_du"
    with pytest.raises(NotApplicable, match="these were: oracle, srivastava_du"):
        found["energy"]
    with pytest.raises(UnknownMeasure):
        found["energi"]


def test_every_test_is_decided_by_itself() -> None:
    rng = np.random.default_rng(4)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 30))
    X[:, 0] += 1.3 * y
    settings = {"stop": "gandy", "draws": 1999, "rng": 1}
    alone = {
        s: detect(X, y, tests=[s], alpha=0.025, **settings).tests[0] for s in ("hotelling", "simes")
    }
    for order in (["hotelling", "simes"], ["simes", "hotelling"]):
        found = detect(X, y, tests=order, **settings)
        for row in found.tests:
            other = alone[row.statistic]
            assert (row.draws, row.p_value, row.decision) == (
                other.draws,
                other.p_value,
                f"{other.decision}/2",
            )
            assert len(found.null[row.statistic]) == row.draws
    assert len({row.draws for row in alone.values()}) == 2
    assert (found.stop, found.level) == ("gandy", 0.05)
    assert "stopped early" in str(found)
    assert "Gandy 2009" in str(found)


def test_what_the_draws_did_not_decide_is_said() -> None:
    X, y = data(shift=0.5)
    found = detect(X, y, tests=["sd", "lda.cv4"], draws=19, rng=3, stop="gandy")
    assert [row.decision for row in found.tests] == [None, None]
    assert "Not decided when the draws ran out: srivastava_du, lda.cv4" in joined(found)
    assert "not decided" not in str(detect(X, y, tests=["sd"], draws=1999, rng=3, stop="gandy"))


def test_a_way_of_stopping_that_there_is_not_is_refused() -> None:
    X, y = data()
    with pytest.raises(DataError, match="stop must be 'gandy' or None; got 'besag'"):
        detect(X, y, stop="besag")


def test_the_papers_rule_is_recorded() -> None:
    X, y = data(shift=1.5)
    found = detect(X, y, tests=["goeman"], draws=19, rng=1, rule="paper")
    assert found.to_dict()["rule"] == "paper"
    assert "0 of 19" in str(found)
    assert "p by the papers' rule" in str(found)
    assert detect(X, y, tests=["goeman"], draws=19, rng=1).to_dict()["rule"] == "standard"


def test_an_undefined_test_says_why_and_counts_among_the_tests() -> None:
    X, y = data(n=40, p=3)
    found = detect(X, y, tests=["lda.cv20.unbalanced.legacy_z", "sd"], draws=19, rng=1)
    none, other = found.tests
    assert np.isnan([none.value, none.p_value, none.p_adjusted]).all()
    assert "one class only" in none.undefined
    assert "a fold holds one class only" in joined(found)
    assert other.p_adjusted == min(2 * other.p_value, 1)


@pytest.mark.filterwarnings("error")
def test_bootstrap_samples_that_leave_no_row_out_are_no_warning() -> None:
    X, y = data(n=3, p=2)
    found = detect(X, y, tests=["lda.bloo.B1"], draws=99, rng=1).tests[0]
    assert 0 <= found.null_mean <= 1


def test_missing_labels_and_blocks_are_named_by_their_row() -> None:
    X, y = data(n=8, p=2)
    words = np.array(["ill", "well"])[y].tolist()
    for gone in (None, float("nan")):
        with pytest.raises(DataError, match=r"labels must not be missing; got \w+ at row 3"):
            detect(X, [*words[:2], gone, *words[3:]])
    blocks = np.repeat(np.arange(4.0), 2)
    blocks[5] = np.nan
    for units in (blocks, ["a", "a", "b", "b", "c", None, "d", "d"]):
        with pytest.raises(DataError, match=r"blocks must not be missing; got \w+ at row 6"):
            detect(X, y, permute="within", blocks=units)
    with pytest.raises(DataError, match=r"labels must be all of one type; got int, str"):
        detect(X, np.array([1, "a"] * 4, dtype=object))


def test_blocks_do_not_go_with_permuted_features() -> None:
    X, y = data(n=8, p=2)
    with pytest.raises(NotApplicable, match="blocks= goes with"):
        detect(X, y, permute="features", blocks=np.arange(8) // 2)


def test_constant_columns_are_called_by_their_name() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = data(p=2)
    table = pandas.DataFrame({"age": X[:, 0], "site": 1.0, "scanner": 2.0})
    with pytest.raises(DataError, match=r"columns 'site', 'scanner' are constant\. Drop them"):
        detect(table, y)
    with pytest.raises(DataError, match=r"column 'b' is constant\. Drop it"):
        detect(np.c_[X[:, 0], np.ones(40)], y, feature_names=["a", "b"])
    assert detect(table[["age"]], y, tests=["sd"], draws=9).feature_names == ("age",)


def advice(*args, **settings) -> dict[str, str]:
    return {a.code: a.text for a in detect(*args, draws=9, rng=1, **settings).advice}


def test_few_labellings_are_advised_about_by_their_number() -> None:
    blocks = np.repeat(np.arange(4), 5)
    X = np.random.default_rng(1).normal(size=(20, 3))
    said = advice(X, blocks % 2, tests=["goeman"], permute="blocks", blocks=blocks)
    assert "only 6 different labellings" in said["AC564"]
    assert "0.17" in said["AC564"]
    assert "AC564" not in advice(X[:6], np.arange(6) % 2, tests=["goeman"])  # 20 labellings
    assert "AC564" in advice(X[:5], np.arange(5) % 2, tests=["goeman"])  # 10 labellings


def test_features_that_part_the_classes_without_varying_are_advised_about() -> None:
    X, y = data(n=16, p=2)
    X[:, 1] = y
    said = advice(X, y, tests=["lda.cv8", "svm.cv8", "energy"], feature_names=["a", "b"])
    assert said["AC565"].startswith("lda.cv8: ")
    assert "column 'b' separates" in said["AC565"]
    assert "AC565" not in advice(X, y, tests=["svm.cv8", "energy"])


NINE = ["hotelling", "hotelling_shrink", "sd", "goeman", "mmd", "energy", "simes", "cai", "lda.cv8"]


def test_tests_that_share_a_level_are_decided_at_their_part_of_it() -> None:
    X, y = data(p=5, shift=3.0)
    found = detect(X, y, tests=NINE, draws=9999, rng=1, stop="gandy")
    assert {row.decision for row in found.tests} == {"p <= level/9"}
    assert all(row.p_adjusted <= 0.05 for row in found.tests)
    assert (found.level, found.decided_at) == (0.05, 0.05 / 9)
    assert "on one side of 0.00556, its part of 0.05 (Gandy 2009)" in joined(found)
    alone = detect(X, y, tests=NINE, draws=9999, rng=1, stop="gandy", adjust="none")
    assert {row.decision for row in alone.tests} == {"p <= level"}
    assert "on one side of 0.05 (Gandy 2009)" in joined(alone)


@pytest.mark.parametrize("rule", ["standard", "paper"])
def test_what_is_decided_is_rejected_when_adjusted(rule: str) -> None:
    decided = []
    for seed in range(30):
        X, y = data(n=24, p=3, shift=0.15 * (seed % 7), seed=seed)
        tests = ["sd", "goeman", "hotelling", "energy"]
        found = detect(X, y, tests=tests, draws=1999, rng=seed, stop="gandy", alpha=0.2, rule=rule)
        for row in found.tests:
            decided.append(row.decision)
            if row.decision == "p <= level/4":
                assert row.p_adjusted <= 0.2
        assert (min(row.p_adjusted for row in found.tests) <= 0.2) is any(
            row.p_value <= 0.05 for row in found.tests
        )
    assert {"p <= level/4", "p > level/4"} <= set(decided)


def test_too_few_draws_for_a_part_of_the_level_are_advised_about() -> None:
    X, y = data(p=3)
    tests = ["sd", "goeman", "energy"]
    few = {"tests": tests, "rng": 1, "stop": "gandy"}
    codes = [
        [a.code for a in detect(X, y, draws=n, **few, **more).advice]
        for n, more in ((58, {}), (59, {}), (58, {"adjust": "none"}))
    ]
    assert ["AC566" in found for found in codes] == [True, False, False]
    said = next(a.text for a in detect(X, y, draws=58, **few).advice if a.code == "AC566")
    assert "58 draws cannot give a p of 0.0167" in said
    assert "at least 59" in said


@pytest.mark.parametrize("alpha", [0.0, 1.5, np.nan])
def test_a_level_that_is_no_probability_is_refused(alpha: float) -> None:
    X, y = data(p=3)
    with pytest.raises(DataError, match="alpha must lie between 0 and 1"):
        detect(X, y, tests=["sd", "goeman"], stop="gandy", alpha=alpha)


def test_several_p_values_are_adjusted_as_asked() -> None:
    X, y = data(p=3)
    few = {"tests": ["sd", "goeman", "energy"], "draws": 99, "rng": 1}
    p = [row.p_value for row in detect(X, y, **few).tests]
    for adjust in ("holm", "bh"):
        found = [row.p_adjusted for row in detect(X, y, **few, adjust=adjust).tests]
        assert found == adjusted(p, adjust).tolist()
    assert [row.p_adjusted for row in detect(X, y, **few, adjust="none").tests] == [None] * 3


def test_a_classifier_that_draws_is_repeated_by_the_seed() -> None:
    from sklearn.dummy import DummyClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = data(n=12, p=2)
    coin = make_pipeline(StandardScaler(), DummyClassifier(strategy="uniform"))
    runs = [
        detect(X, y, tests=[coin], permute="features", draws=9, rng=seed, workers=workers)
        for seed, workers in ((1, 1), (1, 1), (1, 2), (2, 1))
    ]
    first, *others = [np.append(run.tests[0].value, run.null["Pipeline.cv8"]) for run in runs]
    assert [np.array_equal(first, other) for other in others] == [True, True, False]
    assert coin[-1].random_state is None


@pytest.mark.parametrize("names", [[], ["a"], ["a", "b", "c"]])
def test_feature_names_are_as_many_as_features(names: list[str]) -> None:
    X, y = data(p=2)
    X[:, 1] = 1.0
    said = rf"feature names must be one for each of the 2 columns; got {len(names)}\."
    with pytest.raises(DataError, match=said):
        detect(X, y, feature_names=names)


def test_sparse_features_are_refused_with_the_remedy() -> None:
    from scipy import sparse

    X, y = data(p=2)
    for table in (sparse.csr_matrix(X), sparse.coo_array(X)):
        with pytest.raises(DataError, match=r"got a sparse one\. Use X\.toarray\(\)"):
            detect(table, y)


@pytest.mark.parametrize(("draws", "block"), [(300, 128), (128, 128), (90, 40), (700, 300)])
def test_several_blocks_at_once_have_the_bits_of_one_after_the_other(
    draws: int, block: int
) -> None:
    X, y = data(p=7)
    statistics = tuple(map(find, ("hotelling", "srivastava_du")))
    work = Labellings(X, y, statistics, LabelPermutations(y == 1), "labels", None)
    assert work.joins
    blocks = Blocks(work, 5, block, draws)
    joined = dict(blocks.joined(range(len(blocks))))
    for number in range(len(blocks)):
        assert np.array_equal(joined[number], blocks(number))
