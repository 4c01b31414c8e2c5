"""Reports of subgroups: models within them, whether they differ, rows that can be told apart."""

import re
from typing import Any

import numpy as np
import pytest

from abovechance import Binary, assess, compare, report
from abovechance.plots import chart_of
from abovechance.reports.html import on_page

BY = np.array(["<30", "30-44", "45+"])[np.arange(150) % 3]


@pytest.fixture(scope="module")
def models() -> dict[str, Binary]:
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=150)
    turned = 2.0 * y - 1.0
    return {
        name: Binary(y, probability=1 / (1 + np.exp(-gain * turned - rng.normal(size=150))))
        for name, gain in (("new_model", 2.0), ("old_model", 0.7))
    }


@pytest.fixture(scope="module")
def comparison(models: dict[str, Binary]) -> Any:
    asked: dict[str, Any] = {"by": BY, "by_name": "age", "between": True, "draws": 99, "rng": 1}
    return compare(models, ["auc", "brier", "accuracy"], **asked)


def test_paired_models_are_never_said_to_have_different_cases(comparison: Any) -> None:
    document = report(comparison).document
    methods = document.paragraphs[0].text
    assert "Models were compared on the same cases" in methods
    assert "Models were also compared within subgroups (age=<30, age=30-44 and age=45+)" in methods
    assert "Each model was also compared between subgroups, on different cases" in methods
    captions = {table.title: table.caption for table in document.tables}
    pair = "new_model − old_model"
    assert captions[f"Differences, {pair}"].startswith("On the same cases.")
    assert captions[f"Within subgroups, {pair}"].startswith("On the same cases.")
    apart = captions["Between subgroups of different cases, new_model"]
    assert apart.startswith("On different cases.")


def test_every_clause_of_the_methods_stands_once(comparison: Any) -> None:
    methods = report(comparison).document.paragraphs[0].text
    nulls = re.findall(r"\(null hypothesis: ([^)]*)\)", methods)
    assert len(nulls) == len(set(nulls))
    assert not re.search(r"t\(\d", methods)


def test_rows_of_every_table_can_be_told_apart(comparison: Any) -> None:
    for table in map(on_page, report(comparison).document.tables):
        names = [i for i, column in enumerate(table.columns) if column.kind == "name"]
        rows = [tuple(row[i].text for i in names) for row in table.rows]
        assert len(set(rows)) == len(rows), table.title


def test_the_interaction_is_in_table_and_paragraph(comparison: Any) -> None:
    document = report(comparison).document
    table = next(t for t in document.tables if t.name == "interactions")
    assert [row[0].text for row in table.rows] == [t.title for t in comparison.interactions]
    assert "the same in every subgroup" in table.caption
    said = document.paragraphs[1].text
    assert "within age=<30 (50 cases, " in said
    assert re.search(r"shown to differ between the subgroups \(F = ", said)


def test_labels_of_pictures_are_distinct_and_have_room(comparison: Any) -> None:
    for kind in ("differences", "subgroups"):
        chart = chart_of(comparison, kind)
        assert len(set(chart.y.labels)) == len(chart.y.labels)
        lines = max(-(-len(label) // 22) for label in chart.y.labels)
        assert chart.rows * 1.75 / len(chart.y.labels) >= 1.2 * lines
    assert chart.y.labels[1] == "age=<30 (50 cases)"


def test_values_of_models_stand_with_their_intervals(comparison: Any) -> None:
    document = report(comparison.to_dict()).document
    said = document.paragraphs[1].text
    assert re.search(
        r"was 0\.\d+ \(95% CI 0\.\d+ to [01]\.\d+\) for new_model and 0\.\d+ \(95", said
    )
    table = on_page(next(t for t in document.tables if t.name == "measures"))
    low = [column.heading for column in table.columns].index("Low")
    assert all(row[low].value is not None for row in table.rows)
    assert document.checklist is not None
    items = {row[1].text: row[2].text for row in document.checklist.rows}
    assert items["Performance with intervals"].startswith("95% intervals")


def test_subgroups_of_an_assessment_have_cases_events_and_intervals(
    models: dict[str, Binary],
) -> None:
    one = models["old_model"]
    found = assess(one, ["auc", "accuracy"], by=BY, by_name="age", draws=99, rng=1)
    table = on_page(next(t for t in report(found).document.tables if t.name == "by"))
    headings = [column.heading for column in table.columns]
    assert headings[:5] == ["Measure", "Subgroup", "Cases", "Events", "Estimate"]
    assert [row[1].text for row in table.rows] == ["age=<30", "age=30-44", "age=45+"] * 2
    events = [int(one.positive[label == BY].sum()) for label in ("<30", "30-44", "45+")]
    assert [row[3].value for row in table.rows[:3]] == events
    assert all(row[headings.index("Low")].value is not None for row in table.rows)
