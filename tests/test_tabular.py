"""Tables of results: what is printed, shown in a report and put into a pull request is one."""

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import abovechance as ac
from abovechance import examples, tabular
from abovechance.cli import main
from abovechance.inference import curves, posterior, significance
from abovechance.inference.contract import KINDS, contract, kind_of
from abovechance.inference.printing import PRINTED, blocks_of
from abovechance.reports.html import on_page
from abovechance.tabular import Cell, Column, Table, extent, markdown, text

TABLE = Table(
    columns=(Column("measure", "name"), Column("value"), Column("interval", "limits")),
    rows=((Cell("a|b"), Cell("0.1"), Cell("0 to 1")), (Cell("c"), Cell("0.2"), Cell())),
    title="Values",
    groups=("One", "Two"),
    grouped_by="family",
    caption="Said below.",
)


def texture() -> Any:
    return examples.breast_cancer("p_texture")


def features() -> tuple[Any, Any]:
    y = np.arange(24) % 2
    return np.random.default_rng(1).normal(size=(24, 3)) + y[:, None], y


def refitted() -> Any:
    from sklearn.dummy import DummyClassifier

    return ac.permutation_test(DummyClassifier(strategy="uniform"), *features(), draws=9, rng=1)


def recording() -> tuple[Any, Any]:
    y = np.arange(20) % 2
    return np.random.default_rng(1).normal(size=(20, 3, 4)) + y[:, None, None], y


def several() -> Any:
    return ac.decode_over_time([recording()[0]] * 4, recording()[1], draws=5, rng=1)


def relied_on() -> Any:
    from sklearn.naive_bayes import GaussianNB

    return ac.reliability(GaussianNB(), *features(), n=12, cv=2, draws=5, rng=1)


MADE: dict[str, Callable[[], Any]] = {
    "selection": lambda: ac.select(*features(), features=2, cv=2, rng=1),
    "stability": lambda: ac.stability(*features(), measure=["auc", "brier"], draws=3, rng=1),
    "reliability": relied_on,
    "assessment": lambda: ac.assess(texture(), draws=99, rng=1),
    "comparison": lambda: ac.compare(
        {"old": texture(), "new": examples.breast_cancer()}, margin=0.05, draws=99, rng=1
    ),
    "detection": lambda: ac.detect(*features(), tests=["hotelling", "sd"], draws=99, rng=1),
    "permutation_test": refitted,
    "power": lambda: ac.power("auc", n=[20, 40], effects=0.8, replications=20, rng=1),
    "sample_size": lambda: ac.sample_size("auc", effect=0.9, replications=20, rng=1),
    "precision_size": lambda: ac.sample_size(
        ac.studies.Binormal(), effect=0.8, width=0.2, measure="auc", replications=20, rng=1
    ),
    "posterior": lambda: posterior.accuracy(40, 10),
    "hierarchical_posterior": lambda: posterior.hierarchical(
        [[[18, 2], [6, 14]], [[17, 3], [2, 18]], [[12, 8], [7, 13]]]
    ),
    "curve": lambda: curves.decision(texture(), draws=99, rng=1),
    "thresholds": lambda: ac.thresholds(texture(), draws=99, rng=1),
    "calibration_error": lambda: significance.calibration(texture(), "ece", draws=99, rng=1),
    "null_distribution": lambda: significance.null_distribution(texture(), "auc", rng=1),
    "test": lambda: significance.mann_whitney(texture()),
    "subject_map": lambda: ac.decode_over_time(*recording(), draws=5, rng=1),
    "subject_maps": several,
    "group_maps": lambda: ac.group_maps(several(), draws=99, rng=1),
    "validation": lambda: ac.validate(GaussianNB(), *features(), draws=5, rng=1),
    "learning_curve": lambda: ac.learning_curve(
        GaussianNB(), *features(), sizes=[10, 14, 18], measures="auc", draws=2, rng=1
    ),
}


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return {kind: make() for kind, make in MADE.items()}


def test_every_kind_of_result_is_here() -> None:
    assert MADE.keys() == set(KINDS) - {"posteriors"}  # these are several, by name


@pytest.mark.parametrize("kind", list(MADE))
def test_a_result_says_its_kind_in_its_json(kind: str, results: dict[str, Any]) -> None:
    result = results[kind]
    facts = json.loads(result.to_json())
    assert result.kind == facts["kind"] == kind
    assert list(facts)[:2] == ["abovechance", "kind"]
    assert kind_of({key: value for key, value in facts.items() if key != "kind"}) in (kind, "")


@pytest.mark.parametrize("kind", sorted(PRINTED.keys() & MADE.keys()))
@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("full", [False, True])
def test_a_printed_result_fits_and_no_number_is_cut(
    kind: str, width: int, full: bool, results: dict[str, Any]
) -> None:
    blocks = results[kind].blocks(full=full)
    printed = text(blocks, width)
    assert max(extent(line) for line in printed.splitlines()) <= width
    assert "…" not in printed
    assert printed == text(blocks_of(json.loads(results[kind].to_json()), full=full), width)
    for table in (b for b in blocks if isinstance(b, Table)):
        alone = text([table], width)
        for row in table.rows:
            for column, cell in zip(table.columns, row, strict=True):
                if column.kind in ("number", "limits") and cell.filled and not cell.same:
                    whole = rf"(^|\s){re.escape(cell.text)}(\s|$)"
                    assert re.search(whole, alone, re.M), (column.heading, cell.text)


@pytest.mark.parametrize("kind", list(MADE))
def test_every_result_has_rows_csv_frame_and_markdown(kind: str, results: dict[str, Any]) -> None:
    result = results[kind]
    assert result.to_csv().count("\n") >= 2
    if hasattr(result, "rows"):
        assert len(result.to_frame("polars")) == len(result.rows())
    assert result.to_markdown().strip()


@pytest.mark.parametrize("kind", sorted(PRINTED.keys() & MADE.keys()))
def test_tables_of_text_page_and_markdown_hold_the_same_numbers(
    kind: str, results: dict[str, Any]
) -> None:
    for table in (b for b in results[kind].blocks() if isinstance(b, Table)):
        page = on_page(table)
        shown = {cell.text for row in page.rows for cell in row if cell.value is not None}
        wide = text([table], 400)
        for cell in shown:
            assert cell in wide or any(c.same for row in table.rows for c in row), cell
        rows = table.markdown().splitlines()
        assert len([row for row in rows if row.startswith("|")]) == len(table.rows) + 2


def test_print_shows_what_the_command_shows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    argv = ["assess", str(examples.path("breast_cancer")), "--outcome", "outcome"]
    argv += ["--positive", "malignant", "--probability", "p_texture", "--seed", "1"]
    found = ac.assess(texture(), draws=99, rng=1)
    for full in (True, False):
        assert main([*argv, "--draws", "99", *["--all"] * full]) == 0
        shown = capsys.readouterr().out
        printed = found.to_text(full=full)
        for word in ("estimate", "95% interval", "chance", "p", "Skill"):
            assert word in printed
        assert ("Intervals" in printed and "H0:" in printed) == full
        assert ("12 of 53 measures; --all" in " ".join(printed.split())) == (not full)
        assert printed.split("\nCategorical", 1)[1].strip() in shown
    assert str(found) == found.to_text()


@pytest.mark.parametrize("kind", ["assessment", "comparison", "detection", "permutation_test"])
def test_the_answer_is_printed_first(kind: str, results: dict[str, Any]) -> None:
    notes = [b for b in results[kind].blocks() if isinstance(b, tabular.Note)]
    first = next(b for b in notes if b.style == "bold")
    assert first.text.startswith(ac.report(results[kind]).document.verdict)


def test_an_infinite_chance_is_explained() -> None:
    y, p = [0, 1, 0, 1, 1, 0] * 5, [0.2, 0.8, 0.4, 1.0, 0.6, 0.3] * 5
    for q, said in ((p, True), ([min(x, 0.9) for x in p], False)):
        model = ac.Binary(y, probability=q)
        compared = ac.compare({"a": model, "b": ac.Binary(y, probability=[0.5] * 30)}, "log_score")
        for result in (ac.assess(model, ["log_score"], draws=99, rng=1), compared):
            assert ("infinitely wrong" in " ".join(str(result).split())) == said


def test_a_command_prints_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["assess", str(examples.path("breast_cancer")), "--outcome", "outcome"]
    argv += ["--positive", "malignant", "--probability", "p_texture", "--measures", "auc,brier"]
    assert main([*argv, "--draws", "99", "--seed", "1", "--format", "markdown"]) == 0
    out = capsys.readouterr().out
    assert "| family | measure | estimate | 95% interval | chance | p |" in out
    assert re.search(r"\| Rank \| Area under the ROC curve( \\\*)? \| 0\.817 \|", out)


def test_groups_are_headings_in_text_and_a_column_elsewhere() -> None:
    printed = text([TABLE], 60).splitlines()
    assert printed[0] == "Values"
    assert printed[2:5] == ["One", "  a|b    0.1  0 to 1", "Two"]
    assert markdown([TABLE]).splitlines()[2] == "| family | measure | value | interval |"
    assert on_page(TABLE).columns[0].heading == "Family"


def test_names_stand_above_their_numbers_before_columns_are_given_up() -> None:
    row = (Cell("age_group=30-44"), Cell("0.123"), Cell("−0.020 to 0.138"), Cell("not shown"))
    table = Table(
        title="Within",
        columns=(
            Column("subgroup", "name"),
            Column("difference"),
            Column("95% interval", "limits"),
            Column("better", "name"),
        ),
        rows=(row, row),
        groups=("Brier score", "Brier score"),
    )
    printed = text([table], 50).splitlines()
    assert printed == [
        "Within",
        "    difference  95% interval     better",
        "Brier score",
        "  age_group=30-44",
        "         0.123  −0.020 to 0.138  not shown",
        "  age_group=30-44",
        "         0.123  −0.020 to 0.138  not shown",
    ]
    assert "difference 0.123" in text([table], 30)  # too narrow for columns


def test_markdown_shows_labels_as_they_are() -> None:
    assert "a\\|b" in TABLE.markdown()
    hostile = Table(columns=(Column("m", "name"),), rows=((Cell("<b>*x*\n_y_"),),))
    assert hostile.markdown().splitlines()[-1] == "| \\<b\\>\\*x\\* \\_y\\_ |"


def test_a_p_of_one_exact_test_is_said_once(results: dict[str, Any]) -> None:
    facts = contract(results["assessment"])
    (table,) = [
        b for b in blocks_of(facts, full=True) if isinstance(b, Table) and b.name == "measures"
    ]
    same = [cell for row in table.rows for cell in row if cell.same]
    exact = [e for e in facts["estimates"] if e["p_value"] is not None and not e["draws"]]
    distinct = {(e["test"], e["hypothesis"], e["p_value"]) for e in exact}
    assert 20 < len(same) <= len(exact) - len(distinct)
    assert text([table], 100).count(tabular.DITTO) == len(same)
