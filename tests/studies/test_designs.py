"""Designs and samples take what they can use as it is meant, and refuse the rest in one line."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from abovechance.errors import AboveChanceError, DataError
from abovechance.studies import (
    Binormal,
    CorrelatedModels,
    Features,
    GaussianPredictions,
    Groups,
    Logistic,
    Mixture,
    Pair,
    Pilot,
    Predicted,
    Scale,
    Shift,
    Table,
    Trained,
    TrainedOnLess,
    closed_form,
    power,
)

Coding = Callable[[Any], Any]
CODINGS: dict[str, Coding] = {
    "numbers": lambda y: y.astype(np.int64),
    "floats": lambda y: y.astype(np.float32),
    "list": lambda y: y.astype(int).tolist(),
    "objects": lambda y: y.astype(object),
}
coded = pytest.mark.parametrize("code", CODINGS.values(), ids=CODINGS)
N = 30


def half(n: int) -> Any:
    return np.arange(n) < n // 2


def digest_of(draw: Callable[[int, np.random.Generator], Any], tests: list[str]) -> str:
    def design(n: int, effect: float, rng: np.random.Generator) -> Any:
        return draw(n, rng)

    return power(design, tests, n=N, effects=0.0, replications=16, draws=49, rng=1).digest


@coded
def test_outcomes_coded_0_and_1_are_tested_as_booleans_are(code: Coding) -> None:
    def predicted(coding: Coding) -> str:
        def draw(n: int, rng: np.random.Generator) -> Predicted:
            return Predicted(coding(half(n)), rng.uniform(0.1, 0.9, n))

        return digest_of(draw, ["accuracy", "fisher", "auc", "brier", "log_score"])

    def pair(coding: Coding) -> str:
        def draw(n: int, rng: np.random.Generator) -> Pair:
            return Pair(coding(half(n)), rng.uniform(0.1, 0.9, n), rng.uniform(0.1, 0.9, n))

        return digest_of(draw, ["accuracy", "auc", "brier", "log_score"])

    def groups(coding: Coding) -> str:
        def draw(n: int, rng: np.random.Generator) -> Groups:
            return Groups(rng.standard_normal((n, 3)), coding(half(n)))

        return digest_of(draw, ["hotelling", "lda.cv4"])

    for ask in (predicted, pair, groups):
        assert ask(code) == ask(lambda y: y)


@coded
def test_tables_and_pilots_read_0_and_1_as_booleans(code: Coding) -> None:
    rng = np.random.default_rng(3)
    X, y, p = rng.standard_normal((60, 2)), half(60), rng.uniform(0.1, 0.9, 60)
    for make in (lambda y: Trained(Table(X, y)), lambda y: Pilot(y, p)):
        first, second = (make(one)(20, 1.0, np.random.default_rng(1)) for one in (y, code(y)))
        assert second.positive.dtype == np.bool_
        np.testing.assert_array_equal(first.positive, second.positive)
        np.testing.assert_array_equal(first.probability, second.probability)


def test_noise_with_numbers_for_outcomes_is_rejected_at_the_level() -> None:
    def design(n: int, effect: float, rng: np.random.Generator) -> Predicted:
        return Predicted(half(n).astype(int), rng.uniform(0.1, 0.9, n))  # type: ignore[arg-type]

    study = power(design, ["auc", "brier"], n=40, effects=0.0, replications=200, draws=99, rng=1)
    assert max(cell.power for cell in study.cells) < 0.12


def test_lists_become_arrays() -> None:
    sample = Predicted([1, 0, 1], [0.2, 1, 0])  # type: ignore[arg-type]
    assert sample.positive.dtype == np.bool_
    assert sample.probability.dtype == np.float64
    groups = Groups([[1], [2]], [True, False], [[1]])  # type: ignore[arg-type]
    assert groups.labels.tolist() == [1, 0]
    assert groups.labels.dtype == np.int64
    assert groups.X.dtype == np.float64


TWO = [0.2, 0.7]
MADE: list[tuple[Callable[[Any], Any], str]] = [
    (lambda y: Predicted(y, TWO), "outcomes"),  # type: ignore[arg-type]
    (lambda y: Pair(y, TWO, TWO), "outcomes"),  # type: ignore[arg-type]
    (lambda y: Pilot(y, TWO), "outcomes"),  # type: ignore[arg-type]
    (lambda y: Table([[1.0], [2.0]], y), "outcomes"),  # type: ignore[arg-type]
    (lambda y: Groups([[1.0], [2.0]], y), "labels"),  # type: ignore[arg-type]
]
WRONG: list[tuple[Any, str]] = [
    ([1, 2], "got 2 at row 2"),
    ([0.0, np.nan], "got nan at row 2"),
    (["0", "1"], "got '0' at row 1"),
    ([], "got none"),
    ([[0, 1]], "one value per case; got 1×2"),
]


@pytest.mark.parametrize(("make", "name"), MADE)
@pytest.mark.parametrize(("values", "found"), WRONG)
def test_other_outcomes_are_refused(make: Any, name: str, values: Any, found: str) -> None:
    with pytest.raises(DataError, match=f"^{name} must .*{found}"):
        make(values)


PREDICTIONS: list[tuple[Any, str]] = [
    ([0.2, 1.7], r"must lie in \[0, 1\]; got 1.7 at row 2"),
    ([np.nan, 0.3], r"must lie in \[0, 1\]; got nan at row 1"),
    ([0.2, -0.1], r"must lie in \[0, 1\]; got -0.1 at row 2"),
    (["a", "b"], "must hold numbers; got 'a' at row 1"),
    ([0.2], "must hold a value for each of 2 cases; got 1"),
]


@pytest.mark.parametrize(("values", "found"), PREDICTIONS)
def test_other_predictions_are_refused(values: Any, found: str) -> None:
    with pytest.raises(DataError, match=f"^probability {found}"):
        Predicted([1, 0], values)  # type: ignore[arg-type]
    with pytest.raises(DataError, match=f"^probability {found}"):
        Pilot([1, 0], values)  # type: ignore[arg-type]
    with pytest.raises(DataError, match=f"^second {found}"):
        Pair([1, 0], TWO, values)  # type: ignore[arg-type]


FEATURES: list[tuple[Any, str]] = [
    ([1.0, 2.0], r"2 rows and some columns; got shape \(2,\)"),
    ([[1.0]], r"2 rows and some columns; got shape \(1, 1\)"),
    ([["a"], ["b"]], "got text"),
    ([[1.0, 2.0], [3.0]], "rows of unequal length"),
    ([[1.0, 2.0], [3.0, np.nan]], "got nan at row 2, column 2"),
]


@pytest.mark.parametrize(("X", "found"), FEATURES)
def test_other_features_are_refused(X: Any, found: str) -> None:
    for make in (Groups, Table):
        with pytest.raises(DataError, match=f"^features must be .*{found}"):
            make(X, [0, 1])


def test_a_covariance_must_fit_the_features() -> None:
    with pytest.raises(DataError, match=r"covariance must be a table of 1 rows and 1 columns"):
        Groups(np.ones((2, 1)), np.array([0, 1]), np.eye(2))


nan = float("nan")
PARAMETERS: list[tuple[Callable[[], Any], str]] = [
    (lambda: Shift(noise="AR1"), "unknown noise 'AR1'; did you mean 'ar1'"),  # type: ignore[arg-type]
    (lambda: Shift(noise="random"), "unknown noise 'random'; choose from identity, ar1"),  # type: ignore[arg-type]
    (lambda: Shift(direction="sparse"), "choose from equal, .* or the number of an eigenvector"),  # type: ignore[arg-type]
    (lambda: Shift(direction="lst"), "unknown direction 'lst'; did you mean 'last'"),  # type: ignore[arg-type]
    (lambda: Shift(features=5, direction=0), "direction must be a whole number from 1 to 5; got 0"),
    (lambda: Shift(features=5, direction=99), "from 1 to 5; got 99"),
    (lambda: Shift(direction=True), "direction must be a whole number .*; got True"),
    (lambda: Shift(scaling="SNR"), "unknown scaling 'SNR'; did you mean 'snr'"),  # type: ignore[arg-type]
    (lambda: Shift(noise="ar1", rho=1.5), "rho must lie between -1 and 1; got 1.5"),
    (lambda: Shift(rho=nan), "rho must lie between -1 and 1; got nan"),
    (lambda: Shift(tails=0.0), "tails must be a finite number above 0; got 0"),
    (lambda: Shift(tails=float("inf")), "tails must be a finite number above 0; got inf"),
    (lambda: Shift(decimals=-1), "decimals must be a whole number from 0 on; got -1"),
    (lambda: Shift(noise="ar1", rho=0.99, decimals=1), "covariance must be positive definite"),
    (lambda: Shift(features=0), "features must be a whole number from 1 to 1000000; got 0"),
    (lambda: Scale(features=-2), "features must be a whole number from 1 to 1000000; got -2"),
    (lambda: Mixture(features=2.5), "features must be a whole number from 1 to 1000000; got 2.5"),  # type: ignore[arg-type]
    (lambda: Mixture(distance=-3.0), "distance must be a finite number not below 0; got -3"),
    (lambda: Logistic(features=0), "features must be a whole number from 1 to 1000000; got 0"),
    (lambda: Logistic(main=nan), "main must be a finite number; got nan"),
    (lambda: Logistic(square=nan), "square must be a finite number; got nan"),
    (lambda: Logistic(augmented="no"), "augmented must be True or False; got 'no'"),  # type: ignore[arg-type]
    (lambda: Binormal(prevalence=nan), "prevalence must lie between 0 and 1; got nan"),
    (lambda: Binormal(threshold="a"), "threshold must lie between 0 and 1; got 'a'"),  # type: ignore[arg-type]
    (lambda: CorrelatedModels(noise=0.0), "noise must lie in .*; got 0"),
    (lambda: CorrelatedModels(noise=-0.1), "noise must lie in .*; got -0.1"),
    (lambda: CorrelatedModels(noise=nan), "noise must lie in .*; got nan"),
    (lambda: CorrelatedModels(per_class=20), "per_class must be True or False; got 20"),  # type: ignore[arg-type]
    (lambda: Pilot(half(4), np.full(4, 0.5), nan), r"threshold must lie in \[0, 1\]; got nan"),
    (lambda: Predicted(half(4), np.full(4, 0.5), 2.0), r"threshold must lie in \[0, 1\]; got 2"),
    (lambda: Features(signal=-1), "signal must be a whole number from 0 on; got -1"),
    (lambda: Features(noise=1.5), "noise must be a whole number from 0 on; got 1.5"),  # type: ignore[arg-type]
    (lambda: Features(signal=0, noise=0), "features together must be .* from 1 on; got 0"),
    (lambda: Features(per_class=0), "per_class must be a whole number from 1 on; got 0"),
    (lambda: TrainedOnLess(shift=nan), "shift must be a finite number; got nan"),
    (lambda: TrainedOnLess(exchanged="no"), "exchanged must be True or False; got 'no'"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("make", "found"), PARAMETERS)
def test_a_design_that_cannot_be_meant_is_refused(make: Callable[[], Any], found: str) -> None:
    with pytest.raises(AboveChanceError, match=found):
        make()


TABLE = Table(np.arange(40.0)[:, None], half(40))
EFFECTS: list[tuple[Any, float, str]] = [
    (Shift(3), nan, "effect must be a finite number; got nan"),
    (Scale(3), 0.0, "effect must be a finite number above 0; got 0"),
    (Mixture(3), 2.0, r"effect must lie in \[-0.5, 0.5\]; got 2"),
    (Logistic(3), nan, "effect must be a finite number; got nan"),
    (GaussianPredictions(), nan, "effect must be a finite number; got nan"),
    (Binormal(), nan, r"AUC must lie in \[0.5, 1\); got nan"),
    (CorrelatedModels(), nan, "effect must be a finite number; got nan"),
    (Pilot(half(4), np.full(4, 0.5)), 2.0, r"effect must lie in \[0, 1\]; got 2"),
    (Trained(), nan, "shift must be a finite number; got nan"),
    (Trained(TABLE), 0.5, "effect in a table must be 0, labels shuffled, or 1.*; got 0.5"),
    (TrainedOnLess(TABLE), 1.5, r"effect must lie in \[0, 1\]; got 1.5"),
]


@pytest.mark.parametrize(("design", "effect", "found"), EFFECTS)
def test_an_effect_that_cannot_be_meant_is_refused(design: Any, effect: float, found: str) -> None:
    with pytest.raises(AboveChanceError, match=found):
        design(20, effect, np.random.default_rng(1))


@pytest.mark.parametrize("noise", [1e-4, 5.0])
def test_the_least_and_the_most_noise_between_models_have_a_power(noise: float) -> None:
    known = closed_form(CorrelatedModels(noise), "accuracy", 200, 0.05)
    assert known is not None
    assert 0.0 <= known.power <= 1.0
    study = power(CorrelatedModels(noise), n=40, effects=0.05, replications=20, draws=19, rng=1)
    assert len(study.cells) == 4


@pytest.mark.parametrize("whole", [int, np.int64, np.uint8])
def test_an_eigenvector_has_a_number_of_any_type(whole: type) -> None:
    design = Shift(features=3, noise="ar1", direction=whole(2))
    named = np.linalg.eigh(design.covariance())[1][:, 1]
    np.testing.assert_array_equal(design.mean(20, 1.0), named)


def test_a_logistic_design_has_signal_unless_told_otherwise() -> None:
    assert Logistic(features=4).main == 0.5
    assert Logistic(features=4, square=0.25).main == 0.0
    assert Logistic(features=4, main=0.0).main == 0.0
    groups = Logistic(features=4)(2000, 5.0, np.random.default_rng(1))
    gap = groups.X[groups.labels == 1].mean() - groups.X[groups.labels == 0].mean()
    assert gap > 0.5
