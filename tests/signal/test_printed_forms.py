"""Statistics as the paper prints them, beside those its code has: one name, one test."""

import numpy as np
import pytest

from abovechance import detect
from abovechance.learning.learners import LDA
from abovechance.learning.schemes import LeftOut, VFold
from abovechance.signal import Accuracy, evaluate, find
from abovechance.signal.battery import TABLES, Work
from replications.catalogue import STUDIES

RNG = np.random.default_rng(8)
X = RNG.normal(size=(18, 3)) + 0.7 * (np.arange(18) % 3 == 0)[:, None]
Y = (np.arange(18) % 3 == 0).astype(np.int64)


def labellings(count: int) -> np.ndarray:
    return np.stack([Y, *(RNG.permutation(Y) for _ in range(count - 1))])


def test_equation_five_is_the_absolute_value_of_one_z_score() -> None:
    names = ["lda.cv6.abs_z", "lda.cv6.z", "lda.cv6"]
    absolute, signed, accuracy = evaluate(
        X, labellings(40), [find(name) for name in names], np.random.default_rng(1)
    ).T
    share = 12 / 18
    np.testing.assert_allclose(absolute, np.abs(accuracy - share) / np.sqrt(share * (1 - share)))
    np.testing.assert_array_equal(absolute, np.abs(signed))
    assert (signed < 0).any()


def test_the_bootstrap_by_row_is_the_mean_of_definition_three() -> None:
    labels = labellings(3)
    work = Work(X, labels, (1, 2, 3, 4), {LDA(): 25}, None)
    correct, counts = (np.concatenate(part) for part in zip(*work._sampled(LDA(), 25), strict=True))
    for b in range(3):
        rows = [
            np.mean([correct[d, b, i] for d in range(25) if counts[d, b, i] == 0])
            for i in range(18)
            if (counts[:, b, i] == 0).any()
        ]
        samples = [correct[d, b][counts[d, b] == 0].mean() for d in range(25)]
        by_row = work.value(Accuracy(LDA(), LeftOut("bloo_by_row", 25)))[b]
        by_sample = work.value(Accuracy(LDA(), LeftOut("bloo", 25)))[b]
        assert by_row == pytest.approx(np.mean(rows), rel=1e-12)
        assert by_sample == pytest.approx(np.mean(samples), rel=1e-12)
        assert by_row != by_sample
    assert find("lda.bloo_by_row.B25").name == "lda.bloo_by_row.B25"


@pytest.mark.parametrize("name", ["lda.cv6", "lda.cv5.unbalanced", "lda.bloo.B9", "hotelling"])
def test_rows_that_change_places_leave_folds_and_samples_where_they_are(name: str) -> None:
    statistic = [find(name)]
    order = np.random.default_rng(3).permutation(18)
    moved = np.empty_like(X)
    moved[order] = X
    still = np.arange(18)[None]
    places = Y[None]
    by_order = evaluate(X, places, statistic, np.random.default_rng(4), orders=order[None])
    by_hand = evaluate(moved, places, statistic, np.random.default_rng(4), orders=still)
    np.testing.assert_allclose(by_order, by_hand, rtol=1e-9)


def test_rows_are_permuted_alike_in_one_run_and_two() -> None:
    tests = ["hotelling", "lda.cv6", "lda.bloo.B9"]
    one = detect(X, Y, tests=tests, draws=199, permute="rows", rng=5)
    two = detect(X, Y, tests=tests, draws=199, permute="rows", rng=5, workers=2)
    assert one.tests == two.tests
    labels = detect(X, Y, tests=["hotelling"], draws=999, rng=5)["hotelling"].p_value
    assert one["hotelling"].p_value == pytest.approx(labels, abs=0.06)
    assert one.hypothesis == "features have the same distribution in all classes"


def as_run(name: str, folds: int | None) -> object:
    """What a name stands for, the number and balance of folds apart."""
    statistic = find(name)
    if not isinstance(statistic, Accuracy):
        return statistic
    scheme = VFold(folds or 8) if isinstance(statistic.scheme, VFold) else statistic.scheme
    return statistic.learner, scheme, statistic.scaling


def test_a_name_of_the_papers_tables_is_one_test_in_detect_and_in_reproduce() -> None:
    names = {name: meant for table in TABLES.values() for name, meant in table.items()}
    seen = set()
    for study in STUDIES.values():
        for name, test in study.tests.items():
            if study.name.startswith("rosenblatt") and name in names:
                seen.add(name)
                assert as_run(names[name], None) == as_run(test, None), (study.name, name)
    assert {"svm.highdim.1", "svm.highdim.2", "lda.CV.2", "svm.Boot.4"} <= seen
    assert find("svm.highdim.1").name == "l2svm.c10.cv4"
