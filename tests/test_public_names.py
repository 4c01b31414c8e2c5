"""The package is the address: what a folder offers is listed, can be had, and says what it is.

The order of the lists is kept by the linter (RUF022).
"""

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import abovechance as ac

SOURCE = Path(__file__).parents[1] / "src"
# Formulas on plain arrays, for the rest of the package: addressed by module, not offered to users.
INTERNAL = {
    "abovechance.numerics",
    "abovechance.numerics.kernels",
    "abovechance.numerics.machine_room",
}
ALL = {".".join(path.parent.relative_to(SOURCE).parts) for path in SOURCE.rglob("__init__.py")}
# Modules that offer methods by their names, as folders do.
OFFERING = {"abovechance.inference.intervals", "abovechance.inference.significance"}
FOLDERS = sorted((ALL | OFFERING) - INTERNAL)


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_lists_what_it_offers(folder: str) -> None:
    package = importlib.import_module(folder)
    names = package.__all__
    assert len(set(names)) == len(names)
    assert [name for name in names if not hasattr(package, name)] == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_public_function_and_class_says_what_it_is(folder: str) -> None:
    package = importlib.import_module(folder)
    offered = {name: getattr(package, name) for name in package.__all__}
    silent = [
        name
        for name, thing in offered.items()
        if (inspect.isclass(thing) or inspect.isroutine(thing)) and not inspect.getdoc(thing)
    ]
    assert silent == []


def test_everything_a_user_needs_is_reached_from_one_import() -> None:
    known = vars(ac.errors).items()
    classes = [k for k, v in known if getattr(v, "__module__", "") == "abovechance.errors"]
    classes = [name for name in classes if inspect.isclass(getattr(ac.errors, name))]
    assert sorted([*classes, "did_you_mean"]) == sorted(ac.errors.__all__)
    assert [name for name in classes if name not in str(ac.errors.__doc__)] == []
    for name in ("RocDisplay", "CalibrationDisplay", "DecisionDisplay", "ConfusionDisplay"):
        assert inspect.isclass(getattr(ac.plots, name))
    declaring = ("Family", "Form", "Law", "View", "Calibration", "LabelScore")
    assert all(inspect.isclass(getattr(ac.measures, name)) for name in declaring)


@pytest.mark.parametrize("workers", [ac.Serial(), ac.Processes(1)], ids=repr)
def test_verbs_take_the_executors_that_are_offered(workers: object, tmp_path: Path) -> None:
    cases = ac.examples.breast_cancer("p_texture")
    asked: dict[str, Any] = {"draws": 39, "rng": 1}
    here = ac.assess(cases, ["brier"], **asked)["brier"].p_value
    store = ac.Store(tmp_path / "draws.db")
    there = ac.assess(cases, ["brier"], **asked, workers=workers, store=store)["brier"].p_value
    assert here == there
    assert (tmp_path / "draws.db").is_file()


@pytest.mark.parametrize("wrong", [[1, 2], "two", 1.5, None, {"map": 1}], ids=repr)
def test_what_is_no_executor_is_refused(wrong: object) -> None:
    with pytest.raises(ac.AboveChanceError, match="workers must be a"):
        ac.assess([0, 1, 0, 1], [0.1, 0.7, 0.4, 0.9], ["brier"], workers=wrong)


def test_the_package_names_everything_it_offers() -> None:
    assert [name for name in ac.__all__ if not re.search(rf"\b{name}\b", str(ac.__doc__))] == []


def test_nothing_is_offered_that_no_verb_takes() -> None:
    assert not hasattr(ac, "Resampling")  # verbs take draws=, rng=, workers=, store=


def test_a_name_that_is_not_there_is_answered_with_the_nearest() -> None:
    with pytest.raises(AttributeError, match=r"has no attribute 'asess'") as missing:
        _ = ac.asess
    assert (missing.value.name, missing.value.obj) == ("asess", ac)  # Python then suggests
    with pytest.raises(AttributeError, match=r"'briar'; did you mean 'brier'\?"):
        _ = ac.measures.briar


@pytest.mark.parametrize(
    "function",
    [ac.curves.roc, ac.intervals.delong, ac.significance.fisher, ac.thresholds],
    ids=lambda f: f.__name__,
)
def test_arrays_in_place_of_predictions_are_taken_for_them(function: Any) -> None:
    outcome, predicted = [0, 1, 0, 1, 1], [0.1, 0.7, 0.4, 0.9, 0.3]
    options = {"rng": 1} if "rng" in inspect.signature(function).parameters else {}
    made = ac.Binary(outcome, probability=predicted)
    taken = "y_true, predictions taken for probabilities of 1; 5 rows\n"  # said first by some
    said = str(function(outcome, predicted, **options)).removeprefix(taken)
    assert said == str(function(made, **options))
    with pytest.raises(ac.errors.DataError, match=r"takes predictions made with Binary\(y_true"):
        function(outcome)
    with pytest.raises(TypeError, match="unexpected keyword"):
        function(ac.examples.breast_cancer(), no_such_option=1)
