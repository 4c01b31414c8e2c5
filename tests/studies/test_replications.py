"""The papers' studies under their names, in small."""

import pytest

from abovechance.errors import AboveChanceError
from abovechance.signal import find
from abovechance.studies import Shift
from abovechance.studies.replications import STUDIES, distances, page, reproduce
from abovechance.studies.replications.tables import FAR

FIGURES = ["2", "3", "4", "5a", "5b", "6a", "6b", "7a", "7b", "8a", "8b", "9", "10a", "10b"]


def test_every_figure_has_a_name() -> None:
    assert {f"rosenblatt-fig{number}" for number in FIGURES} <= STUDIES.keys()
    assert {"dinga-power-simulated", "dinga-power-svm", "dinga-compare"} <= STUDIES.keys()


@pytest.mark.parametrize("name", [name for name in STUDIES if name.startswith("rosenblatt")])
def test_every_statistic_of_a_figure_exists_and_its_values_belong_to_cells(name: str) -> None:
    study = STUDIES[name]
    for test in study.tests.values():
        assert test == "oracle" or find(test)
    cells = {(s, n, e) for s in study.tests for n in study.n for e in study.effects}
    assert set(study.expected) <= cells
    assert ("Oracle" in study.tests) == isinstance(study.design, Shift)


@pytest.mark.parametrize("name", ["dinga-power-simulated", "dinga-compare"])
def test_the_expected_values_of_predictions_belong_to_cells(name: str) -> None:
    study = STUDIES[name]
    cells = {(s, n, e) for s in study.tests for n in study.n for e in study.effects}
    assert set(study.expected) <= cells


def test_two_group_cells_of_figure_5b_are_met() -> None:
    names = ["Hotelling", "Hotelling.shrink", "sd", "Oracle"]
    found = reproduce("rosenblatt-fig5b", statistics=names, replications=150, rng=1)
    assert len(distances(found)) == 9 + 6  # published cells, and theory for two statistics
    assert max(distances(found)) < FAR


def test_accuracy_cells_of_figure_5b_are_met() -> None:
    names = ["lda.CV.1", "lda.noCV.1"]  # z-scored cells are an artefact, and no bar
    found = reproduce("rosenblatt-fig5b", statistics=names, replications=100, rng=2)
    assert max(distances(found)) < FAR


def test_the_cells_of_predictions_are_met() -> None:
    for name in ("dinga-power-simulated", "dinga-compare"):
        found = reproduce(name, replications=40, rng=3)
        assert len(found.cells) == len(STUDIES[name].n) * len(STUDIES[name].effects) * 4
        assert max(distances(found)) < FAR


def test_a_page_says_how_it_was_made() -> None:
    found = reproduce("rosenblatt-fig10b", statistics=["Oracle"], replications=20, rng=4)
    text = page(found, STUDIES["rosenblatt-fig10b"])
    assert "reproduce rosenblatt-fig10b --replications 20 --seed 4 --statistics Oracle`" in text
    assert text.count("| Oracle |") == 3


def test_unknown_studies_and_statistics_are_refused() -> None:
    with pytest.raises(AboveChanceError, match="did you mean 'rosenblatt-fig5b'"):
        reproduce("rosenblatt-fig5bb")
    with pytest.raises(AboveChanceError, match="did you mean 'Hotelling'"):
        reproduce("rosenblatt-fig5b", statistics=["hotelling"])
