"""Sample sizes by stochastic search, against sizes by formula."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abovechance.errors import AboveChanceError, FileError, NotApplicable
from abovechance.resampling import Store
from abovechance.studies import (
    Binormal,
    BinormalPair,
    GaussianPredictions,
    Pilot,
    Predicted,
    Shift,
    power,
    sample_size,
)
from abovechance.studies.closed_forms import smallest
from abovechance.studies.sample_sizes import Meter, least_size, probit_line


def test_the_search_ends_near_the_formula_within_its_stated_error() -> None:
    gaps = []
    for seed in range(6):
        (size,) = sample_size(
            GaussianPredictions(), ["binomial"], effect=1.0, replications=240, rng=seed
        ).sizes
        assert size.n is not None
        assert size.se is not None
        gaps.append((size.n - 45) / size.se)  # the exact power passes .8 at 42 and, for good, at 48
    assert np.abs(gaps).max() < 3.9


def test_a_better_model_needs_fewer_cases() -> None:
    sizes = [
        sample_size(Binormal(), ["auc"], effect=auc, replications=120, rng=1).sizes[0]
        for auc in (0.65, 0.8)
    ]
    assert [size.formula for size in sizes] == sorted((s.formula or 0 for s in sizes), reverse=True)
    assert (sizes[0].n or 0) > (sizes[1].n or 0)


def test_what_the_largest_size_does_not_reach_has_no_answer() -> None:
    found = sample_size(Binormal(), ["auc"], effect=0.55, largest=50, replications=40, rng=1)
    assert found.sizes[0].n is None
    assert found.cells == ()


def test_a_power_with_teeth_counts_from_the_last_one_below() -> None:
    assert smallest(lambda n: min(1.0, n / 50) - 0.1 * (n % 4 == 0), 0.8, 10_000) == 45


def test_the_probit_line_is_that_of_the_data() -> None:
    from scipy.special import ndtr

    x = np.array([2.0, 3.0, 4.0, 5.0])
    times = np.full(4, 1e6)
    line, covariance = probit_line(x, ndtr(-2 + 0.7 * x) * times, times)
    np.testing.assert_allclose(line, [-2.0, 0.7], rtol=1e-8)
    assert np.all(np.linalg.eigvalsh(covariance) > 0)


def test_a_target_below_the_level_is_refused() -> None:
    with pytest.raises(AboveChanceError, match="target must lie"):
        sample_size(Binormal(), ["auc"], effect=0.7, target=0.01)


@pytest.mark.parametrize(
    ("auc", "test", "target", "n"),
    [
        (0.99, "fisher", 0.8, 9),
        (0.99, "auc", 0.8, 6),
        (0.985, "binomial", 0.8, 8),
        (0.97, "auc", 0.5, 6),
        (0.999, "auc", 0.8, 6),
        (0.9999, "auc", 0.1, 6),  # with fewer cases no p is below .05
    ],
)
def test_a_strong_effect_needs_the_few_cases_with_which_a_test_can_reject(
    auc: float, test: str, target: float, n: int
) -> None:
    found = sample_size(Binormal(), test, effect=auc, target=target, replications=200, rng=1)
    (size,) = found.sizes
    assert size.n == n
    assert size.power is not None
    assert size.power >= target
    assert size.interval is not None
    assert size.interval[0] <= n <= size.interval[1] < 12
    json.loads(found.to_json())


def test_a_permuted_measure_is_searched_below_the_first_size() -> None:
    (size,) = sample_size(
        Binormal(), ["brier"], effect=0.8, target=0.3, replications=200, draws=99, rng=1
    ).sizes
    assert size.n is not None
    assert 6 <= size.n <= 10
    assert size.power is not None
    assert size.power > 0.25


@pytest.mark.parametrize(("prevalence", "seed"), [(0.1, 5), (0.02, 2)])
def test_few_samples_that_are_nearly_all_found_do_not_send_the_search_far_away(
    prevalence: float, seed: int
) -> None:
    (size,) = sample_size(
        Binormal(prevalence), "auc", effect=0.97, target=0.9, replications=60, rng=seed
    ).sizes
    assert size.n is not None
    assert size.formula is not None
    assert size.n < 4 * size.formula


@pytest.mark.parametrize(("replications", "seed"), [(60, 1), (50, 2), (30, 3)])
def test_a_size_with_which_nothing_is_found_is_no_answer(replications: int, seed: int) -> None:
    (size,) = sample_size(
        Binormal(), "auc", effect=0.7, target=0.06, replications=replications, rng=seed
    ).sizes
    assert size.n == 6  # with fewer cases no p is below .05
    assert size.power is not None
    assert size.power > 0.0


@pytest.mark.parametrize("seed", range(4))
def test_no_answer_is_contradicted_by_its_own_check(seed: int) -> None:
    def jump(sample: Any, rng: np.random.Generator) -> float:
        return 0.0 if sample.positive.size >= 70 and rng.random() < 0.9 else 1.0

    found = sample_size(Binormal(), jump, effect=0.7, replications=60, draws=19, rng=seed)
    (size,) = found.sizes
    assert size.n is not None
    assert size.n >= 70
    assert size.power_interval is not None
    assert size.power_interval.high >= 0.8
    assert found.cells[0].power == size.power


def test_a_power_that_stays_below_the_target_has_no_size() -> None:
    def seldom(sample: Any, rng: np.random.Generator) -> float:
        return 0.0 if rng.random() < 0.5 else 1.0

    found = sample_size(
        Binormal(), seldom, effect=0.7, target=0.6, largest=200, replications=400, rng=2
    )
    assert found.sizes[0].n is None
    assert found.cells == ()


def test_the_search_starts_where_the_test_is_defined() -> None:
    (size,) = sample_size(
        Shift(features=23), ["hotelling"], effect=0.5, replications=40, draws=39, rng=1
    ).sizes
    assert size.formula == 38
    assert size.n is not None
    assert size.n >= 25
    assert least_size(Shift(features=23), "hotelling", 0.5, largest=100, seed=0) == 25
    assert least_size(Shift(features=2), "lda.cv8", 0.5, largest=100, seed=0) == 8


def test_a_design_that_fails_with_very_few_cases_is_searched_above_them() -> None:
    def own(n: int, effect: float, rng: np.random.Generator) -> Predicted:
        if n < 8:
            raise RuntimeError("too few rows to split")
        return Binormal()(n, effect, rng)

    (size,) = sample_size(own, "auc", effect=0.99, replications=40, rng=1).sizes
    assert size.n == 8
    with pytest.raises(RuntimeError, match="too few rows to split"):
        sample_size(lambda n, effect, rng: own(4, effect, rng), "auc", effect=0.99)


def test_a_test_that_is_never_defined_is_refused_with_the_reason() -> None:
    with pytest.raises(NotApplicable, match=r"up to 20 cases\. hotelling needs n - 2 >= p"):
        sample_size(Shift(features=23), ["hotelling"], effect=0.5, largest=20)


def test_the_formula_is_kept_below_any_largest_size() -> None:
    sizes = [
        sample_size(Binormal(), "auc", effect=0.7, largest=most, replications=24, rng=1).sizes[0]
        for most in (60, 64, 1000)
    ]
    assert [size.formula for size in sizes] == [49, 49, 49]
    assert smallest(lambda n: n / 100, 0.5, 49) is None
    assert smallest(lambda n: n / 100, 0.5, 50) == 50
    assert smallest(lambda n: 1.0, 0.5, 50) == 4


def test_progress_is_told_within_a_test() -> None:
    told: list[tuple[int, int]] = []
    sample_size(
        Binormal(),
        ["auc", "fisher"],
        effect=0.8,
        replications=64,
        rng=1,
        progress=lambda done, total: told.append((done, total)),
    )
    assert len(told) > 20
    assert told == sorted(told)
    assert len({total for _, total in told}) == 1
    assert told[-1][0] == told[-1][1]
    assert all(done < total for done, total in told[:-1])


def test_a_search_longer_than_planned_is_not_done_before_its_end() -> None:
    told: list[tuple[int, int]] = []
    meter = Meter(lambda done, total: told.append((done, total)), tests=1, each=100)
    heard = meter.listen()
    assert heard is not None
    heard(150, 300)
    meter.finish()
    assert told == [(99, 100), (100, 100)]


def test_functions_of_one_name_are_searched_apart() -> None:
    sizes = sample_size(
        Binormal(),
        [lambda sample, rng: 0.0, lambda sample, rng: 1.0],
        effect=0.7,
        largest=40,
        replications=24,
        rng=1,
    ).sizes
    assert [(size.statistic, size.n) for size in sizes] == [("<lambda>", 4), ("<lambda> (2)", None)]


def test_sizes_print_as_a_table() -> None:
    found = sample_size(
        Binormal(), ["auc", "fisher"], effect=0.7, largest=60, replications=60, rng=1
    )
    assert found.conditions == (
        "effect: AUC (0.7), prevalence 0.5, labels positive above 0.5, one-sided tests at level "
        "0.05"
    )
    assert str(found) == found.to_text()  # the table of the command, and no other
    rows = {line.split()[0]: line.split() for line in found.to_text(width=200).splitlines() if line}
    assert rows["auc"][-1] == "49"
    assert str(found.sizes[0].n) in rows["auc"]
    assert ">60" in rows["fisher"]
    assert [row["n"] for row in found.rows()] == [size.n for size in found.sizes]
    assert str(found.sizes[0]).startswith(f"auc: {found.sizes[0].n} cases [")
    assert str(found.sizes[1]) == "fisher: no size tried has a power of 0.8"


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"design": Binormal(0.3)}, "prevalence is 0.5 there and 0.3 here"),
        ({"tests": ["fisher"]}, "tests is auc there and fisher here"),
        ({"rng": 2}, "seed is 1 there and 2 here"),
        ({"target": 0.9}, "target is 0.8 there and 0.9 here"),
    ],
)
def test_a_store_of_another_search_says_what_is_different(
    tmp_path: Path, changed: dict[str, Any], told: str
) -> None:
    asked = {
        "design": Binormal(),
        "tests": ["auc"],
        "effect": 0.8,
        "replications": 24,
        "rng": 1,
        "store": str(tmp_path / "sizes.sqlite"),
    }
    first = sample_size(**asked)  # type: ignore[arg-type]
    assert sample_size(**asked) == first  # type: ignore[arg-type]
    with pytest.raises(FileError, match=told):
        sample_size(**{**asked, **changed})  # type: ignore[arg-type]


def test_a_store_is_taken_as_its_path_is(tmp_path: Path) -> None:
    asked = {"effect": 0.8, "replications": 24, "rng": 1}
    path = str(tmp_path / "sizes.sqlite")
    first = sample_size(Binormal(), "auc", **asked, store=Store(path))  # type: ignore[arg-type]
    assert sample_size(Binormal(), "auc", **asked, store=path) == first  # type: ignore[arg-type]
    with pytest.raises(FileError, match="tests is auc there and fisher here"):
        sample_size(Binormal(), "fisher", **asked, store=Store(path))  # type: ignore[arg-type]
    own = Store(tmp_path / "own.sqlite", {"a program of": "several searches"})
    for test in ("auc", "fisher"):
        sample_size(Binormal(), test, **asked, store=own)  # type: ignore[arg-type]


def test_a_store_of_powers_is_not_one_of_sizes(tmp_path: Path) -> None:
    store = str(tmp_path / "powers.sqlite")
    power(Binormal(), "auc", n=20, replications=16, rng=1, store=store)
    with pytest.raises(FileError, match="a search for sample sizes is absent there and wanted"):
        sample_size(Binormal(), "auc", effect=0.7, replications=16, rng=1, store=store)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"effect": float("nan")}, "effect must be a finite number"),
        ({"target": float("nan")}, "target must be a finite number"),
        ({"largest": 2}, "largest must be a whole number from 4 on"),
        ({"replications": 0}, "replications must be at least 1"),
        ({"tests": ["auc", "brier"], "alpha": 0.001, "draws": 99}, "draws must be at least 999"),
    ],
)
def test_sizes_that_cannot_be_found_are_refused_before_the_search(
    asked: dict[str, Any], told: str
) -> None:
    with pytest.raises(AboveChanceError, match=told):
        sample_size(**{"design": Binormal(), "tests": "auc", "effect": 0.7, **asked})


def test_unequal_classes_come_with_a_word_on_accuracy() -> None:
    y = np.arange(60) < 20
    pilot = Pilot(y, np.where(y, 0.7, 0.2) + np.linspace(0.0, 0.1, 60))

    def own(n: int, effect: float, rng: np.random.Generator) -> Predicted:
        return pilot(n, effect, rng)

    codes = {
        (name, test): [
            remark.code
            for remark in sample_size(design, test, effect=effect, replications=24, rng=1).advice
        ]
        for name, design, effect in (
            ("pilot", pilot, 1.0),
            ("own", own, 1.0),
            ("rare", Binormal(0.4), 0.9),
            ("equal", Binormal(), 0.9),
        )
        for test in ("binomial", "accuracy")
    }
    assert codes == {
        ("pilot", "binomial"): ["AC801", "AC802", "AC803"],
        ("pilot", "accuracy"): ["AC801", "AC802"],
        ("own", "binomial"): ["AC803"],
        ("own", "accuracy"): [],
        ("rare", "binomial"): ["AC803"],
        ("rare", "accuracy"): [],
        ("equal", "binomial"): [],
        ("equal", "accuracy"): [],
    }


def test_a_size_is_found_for_a_test_by_name_or_a_model_in_numbers() -> None:
    quick: dict[str, Any] = {"replications": 40, "draws": 19, "rng": 1}
    named = sample_size("auc", **quick)
    assert named == sample_size(Binormal(), "auc", effect=0.7, **quick)
    assert "an AUC of 0.7" in " ".join(str(named).split())
    pair = BinormalPair(auc=0.6, auc2=0.9, prevalence=0.4, correlation=0.2)
    models = {"auc": 0.6, "versus": 0.9, "prevalence": 0.4, "correlation": 0.2}
    two = sample_size(**models, tests="auc", **quick)
    assert two == sample_size(pair, "auc", **quick)
    assert two.sizes[0].formula == pytest.approx(two.sizes[0].n, rel=0.3)
    with pytest.raises(AboveChanceError, match="effect must be a number or None"):
        sample_size("auc", effect=[0.6, 0.7], **quick)  # type: ignore[arg-type]
