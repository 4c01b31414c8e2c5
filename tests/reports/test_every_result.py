"""Whatever the package returns can be saved as JSON and reported from it."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance import examples, report
from abovechance.cli import main
from abovechance.errors import DataError
from abovechance.inference import curves, intervals, posterior, significance
from abovechance.inference.miscalibration import calibration
from abovechance.inference.results import Result
from abovechance.inference.thresholds import thresholds
from replications.brodersen import figures

CANCER = [str(examples.path("breast_cancer")), "--outcome", "outcome", "--positive", "malignant"]
FEW = ["--draws", "99", "--seed", "1"]
SUBJECTS = [[[18, 2], [6, 14]], [[17, 3], [2, 18]], [[12, 8], [7, 13]]]


def one() -> Any:
    return examples.breast_cancer("p_texture")


def two() -> dict[str, Any]:
    return {name: examples.breast_cancer(name) for name in ("p_forest", "p_texture")}


def halves() -> Any:
    return np.array(["odd", "even"])[np.arange(one().n) % 2]


def features() -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    y = np.arange(24) % 2
    return rng.normal(size=(24, 3)) + y[:, None], y


def followed() -> Any:
    rng = np.random.default_rng(2)
    return ac.Survival(rng.exponential(size=60), rng.random(60) < 0.7, risk=rng.normal(size=60))


def sizes() -> Any:
    return ac.sample_size("auc", effect=0.9, replications=20, rng=1)


def studied() -> Any:
    return ac.power("auc", n=[20], effects=0.8, replications=20, rng=1)


def narrow() -> Any:
    return ac.sample_size("auc", auc=0.8, width=0.2, replications=20, rng=1)


def relied_on() -> Any:
    from sklearn.naive_bayes import GaussianNB

    return ac.reliability(GaussianNB(), *features(), n=12, cv=2, draws=5, rng=1)


def recording() -> tuple[np.ndarray, np.ndarray]:
    y = np.arange(20) % 2
    return np.random.default_rng(1).normal(size=(20, 3, 4)) + y[:, None, None], y


def validated() -> Any:
    from sklearn.naive_bayes import GaussianNB

    return ac.validate(GaussianNB(), *features(), draws=5, rng=1)


def grown() -> Any:
    from sklearn.naive_bayes import GaussianNB

    return ac.learning_curve(
        GaussianNB(), *features(), sizes=[10, 14, 18], measures="auc", draws=2, rng=1
    )


def of_a_group() -> Any:
    made = ac.decode_over_time([recording()[0]] * 4, recording()[1], draws=5, rng=1)
    return ac.group_maps(made, draws=99, rng=1)


KINDS: dict[str, Callable[[], Any]] = {
    "selection": lambda: ac.select(*features(), features=2, cv=2, rng=1),
    "nothing selected": lambda: ac.select(*features(), gain=9.0, cv=2, rng=1),
    "stability": lambda: ac.stability(*features(), measure=["auc", "brier"], draws=3, rng=1),
    "nothing stable": lambda: ac.stability(*features(), cutoff=1.0, features=2, draws=9, rng=1),
    "reliability": relied_on,
    "assessment": lambda: ac.assess(one(), ["auc", "brier"], draws=99, rng=1),
    "subgroups": lambda: ac.assess(one(), ["auc"], by=halves(), draws=99, rng=1),
    "classes": lambda: ac.assess(examples.iris(), ["accuracy"], draws=99, rng=1),
    "comparison": lambda: ac.compare(two(), ["auc", "brier"], draws=99, rng=1),
    "within": lambda: ac.compare(two(), ["auc"], by=halves(), between=True, draws=99, rng=1),
    "margin": lambda: ac.compare(two(), ["accuracy"], margin=0.1, rope=0.01, draws=99, rng=1),
    "detection": lambda: ac.detect(*features(), tests=["hotelling"], draws=99, rng=1),
    "map": lambda: ac.decode_over_time(*recording(), draws=5, rng=1),
    "maps": lambda: ac.decode_over_time([recording()[0]] * 2, recording()[1], draws=5, rng=1),
    "group of maps": of_a_group,
    "validation": validated,
    "learning curve": grown,
    "posterior": lambda: posterior.accuracy(40, 10),
    "balanced posterior": lambda: posterior.balanced_accuracy([[48, 2], [5, 45]]),
    "hierarchical": lambda: posterior.hierarchical(SUBJECTS),
    "thresholds": lambda: thresholds(one(), draws=99, rng=1),
    "choice": lambda: thresholds(one(), draws=99, rng=1).choices[1],
    "calibration": lambda: curves.calibration(one()),
    "roc": lambda: curves.roc(one(), draws=99, rng=1),
    "precision-recall": lambda: curves.precision_recall(one(), draws=99, rng=1),
    "decision": lambda: curves.decision(one(), draws=99, rng=1),
    "cost": lambda: curves.cost(one(), draws=99, rng=1),
    "test": lambda: significance.mann_whitney(one()),
    "test of two": lambda: significance.delong(*two().values()),
    "mcnemar": lambda: significance.mcnemar(3, 9),
    "calibration error": lambda: calibration(one(), "ece", draws=99, rng=1),
    "null distribution": lambda: significance.null_distribution(one(), "auc", rng=1),
    "survival": lambda: curves.survival(followed())["low risk"],
    "figures": figures,
    "classifier": lambda: figures().classifiers[0],
    "quantity": lambda: figures().classifiers[0].posteriors[0],
    "power": studied,
    "power cell": lambda: studied().cells[0],
    "sample size": sizes,
    "size": lambda: sizes().sizes[0],
    "precision": narrow,
    "width": lambda: narrow().widths[0],
}


@cache
def made(kind: str) -> Any:
    return KINDS[kind]()


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_result_is_reported_from_itself_and_from_its_json(kind: str) -> None:
    result = made(kind)
    assert isinstance(result, Result)
    direct = report(result)
    saved = report(json.loads(result.to_json()))
    assert direct.document.verdict == saved.document.verdict
    results = [
        [paragraph for paragraph in found.document.paragraphs if paragraph.title == "Results"]
        for found in (direct, saved)
    ]
    assert results[0] == results[1]
    for found in (direct, saved):
        assert found.document.verdict
        assert found.document.tables or found.document.charts
        page = found.html
        assert "None" not in "".join(str(found.document.headline))
        assert page.startswith("<!doctype html>")


def kinds_of_results(base: type = Result) -> set[type]:
    found = set()
    for cls in base.__subclasses__():
        found |= {cls} | kinds_of_results(cls)
    return {cls for cls in found if cls.__module__.startswith("abovechance.")}


def test_what_is_asked_for_by_name_is_gone_through_in_order_too() -> None:
    import abovechance.inference.cv_reliability
    import abovechance.inference.learning_curves
    import abovechance.inference.refit
    import abovechance.inference.stability_selection
    import abovechance.inference.validation
    import abovechance.maps.group_level  # noqa: F401

    named = {cls for cls in kinds_of_results() if hasattr(cls, "__getitem__")}
    assert len(named) >= 10
    assert {cls.__name__ for cls in named if "__iter__" not in vars(cls)} == set()
    assert {cls.__name__ for cls in named if "__len__" not in vars(cls)} == set()
    chosen = made("thresholds")
    assert list(chosen) == [chosen[choice.criterion] for choice in chosen.choices]
    assert len(chosen) == 4


def test_no_kind_of_result_is_forgotten() -> None:
    import abovechance.inference.refit
    import abovechance.studies  # noqa: F401

    refitted = {"RefitTest"}  # reported in test_detections.py
    known = {type(made(kind)).__name__ for kind in KINDS}
    assert {cls.__name__ for cls in kinds_of_results()} - known - refitted == set()


@pytest.mark.parametrize(
    "argv",
    [
        ["posterior", "--tp", "40", "--fn", "10", "--tn", "45", "--fp", "5"],
        ["posterior", "--correct", "9", "--wrong", "1"],
        ["thresholds", *CANCER, "--probability", "p_texture", *FEW],
        *(
            ["curves", *CANCER, "--probability", "p_texture", "--kind", kind, *FEW]
            for kind in ("calibration", "roc", "precision-recall", "decision", "cost")
        ),
    ],
    ids=lambda argv: f"{argv[0]} {argv[-5] if argv[0] == 'curves' else ''}",
)
def test_the_json_of_every_command_is_reported(
    argv: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*argv, "--format", "json"]) == 0
    saved, page = tmp_path / "r.json", tmp_path / "r.html"
    saved.write_text(capsys.readouterr().out, "utf-8")
    assert main(["report", str(saved), "-o", str(page)]) == 0
    assert capsys.readouterr().out.endswith(f"Written: {page}\n")
    text = page.read_text("utf-8")
    assert "<svg" in text or "<table" in text
    assert main([*argv, "--report", str(page)]) == 0
    assert f"abovechance {argv[0]}" in page.read_text("utf-8")


def test_a_saved_curve_is_drawn_as_the_curve_is() -> None:
    for kind in ("calibration", "roc", "precision-recall", "decision", "cost"):
        curve = made(kind)
        direct, saved = report(curve).document, report(json.loads(curve.to_json())).document
        assert [c.title for c in saved.charts] == [c.title for c in direct.charts]
        assert len(saved.charts) == 1
        for mine, theirs in zip(direct.charts[0].series, saved.charts[0].series, strict=True):
            np.testing.assert_allclose(mine.columns[1], theirs.columns[1])


def test_posteriors_by_name_are_reported_together() -> None:
    found = {"a": posterior.accuracy(40, 10), "b": posterior.balanced_accuracy([[48, 2], [5, 45]])}
    document = report(found).document
    assert [row[0].text for row in document.tables[0].rows] == ["accuracy", "balanced accuracy"]
    assert len(document.charts) == 1


def test_what_is_no_result_is_refused() -> None:
    for wrong in ({"x": 1}, 3, intervals):
        with pytest.raises(DataError, match="a result of abovechance is needed"):
            report(wrong)
