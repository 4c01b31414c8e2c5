"""Intervals over folds are of means and pairs; what cannot be averaged is refused and said."""

import numpy as np
import pytest

import abovechance as ac
from abovechance.errors import NotApplicable
from abovechance.measures import find


def _cv(n: int = 103, folds: int = 5, repeats: int = 1) -> ac.Binary:
    rng = np.random.default_rng(2)
    y = np.tile((np.arange(n) % 3 == 0).astype(int), repeats)
    p = np.clip(0.3 + 0.25 * y + rng.normal(0, 0.2, len(y)), 0.02, 0.98)
    how = {"repeat": np.repeat(np.arange(repeats), n)} if repeats > 1 else {}
    fold = np.concatenate([rng.permutation(np.arange(n) // 3 % folds) for _ in range(repeats)])
    return ac.Binary(y, probability=p, pos_label=1, fold=fold, **how)


def test_every_value_lies_in_its_interval_or_says_why_there_is_none() -> None:
    found = ac.assess(_cv(), rng=1)
    for row in found:
        if row.interval is not None:
            assert row.value in row.interval, row.measure
        elif np.isfinite(row.value) and row.family != "calibration":
            assert "no interval" in (row.remark or ""), row.measure


def test_means_over_cases_keep_the_value_of_all_cases() -> None:
    cases = _cv()
    found = ac.assess(cases, ["accuracy", "brier", "log_score"], rng=1)
    for row in found:
        assert row.value == pytest.approx(find(row.measure).of(cases))
        assert row.remark is None


@pytest.mark.parametrize("name", ["average_precision", "f1", "mcc", "partial_auc", "scaled_brier"])
def test_what_small_folds_bias_is_refused(name: str) -> None:
    with pytest.raises(NotApplicable, match="biased"):
        ac.intervals.nadeau_bengio(find(name), _cv())


def test_a_root_of_a_mean_is_averaged_before_the_root() -> None:
    rng = np.random.default_rng(1)
    y, fold = rng.normal(size=60), np.arange(60) % 6
    cases = ac.Numeric(y + rng.normal(size=60), y, fold=fold)
    root, plain = (ac.intervals.nadeau_bengio(find(n), cases) for n in ("rmse", "mse"))
    assert (root.low**2, root.high**2) == pytest.approx((plain.low, plain.high))


def test_repeats_count_a_case_once() -> None:
    assert ac.assess(_cv(repeats=4), ["accuracy"], rng=1).n == 103


@pytest.mark.parametrize("curve", ["roc", "precision_recall", "decision", "cost", "calibration"])
def test_curves_of_pooled_folds_have_no_band_and_say_why(curve: str) -> None:
    options = {} if curve == "calibration" else {"draws": 19, "rng": 1}
    found = getattr(ac.curves, curve)(_cv(), **options)
    assert found.low is None
    assert found.high is None
    assert "AC251" in {a.code for a in found.advice}


def test_posteriors_of_pooled_folds_say_so() -> None:
    cases = _cv()
    for found in (
        ac.posterior.accuracy(cases),
        ac.posterior.balanced_accuracy(cases),
        ac.posterior.of("f1", cases, draws=200),
        ac.posterior.paired_difference(cases, cases, draws=200),
    ):
        assert [a.code for a in found.advice] == ["AC260"]
        assert "AC260" in str(found)
        assert found.to_dict()["advice"]
    assert ac.posterior.accuracy(9, 1).advice == ()
