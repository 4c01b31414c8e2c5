"""Every number in a report is a number of the result, rounded as it is shown."""

import base64
import gzip
import json
import math
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from abovechance import __version__, examples
from abovechance.inference import assess
from abovechance.predictions import Binary
from abovechance.reports import report

NUMBER = re.compile(r"(?<![\w.])[−+]?\d+(?:[.\u202f]\d+)*(?:e-?\d+)?%?")


class Page(HTMLParser):
    """Tables by id, and the text of chosen elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.texts: dict[str, str] = {}
        self.scripts: dict[str, str] = {}
        self._table = self._inside = self._script = ""
        self._cell = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in ("dt", "dd") and self._inside:
            self.texts[self._inside] = self.texts.get(self._inside, "") + " "
        if tag == "table":
            self._table = given.get("id", "?")
            self.tables[self._table] = []
        elif tag == "tr" and self._table:
            self.tables[self._table].append([])
        elif tag in ("td", "th") and self._table:
            self.tables[self._table][-1].append("")
            self._cell = True
        elif tag in ("p", "pre", "dl") or given.get("class") == "answer":
            self._inside = given.get("id") or given.get("class") or tag
        elif tag == "script":
            self._script = given.get("type") or "program"

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self._table, self._cell = "", False
        elif tag in ("p", "pre", "dl", "section"):
            self._inside = ""
        elif tag == "script":
            self._script = ""

    def handle_data(self, data: str) -> None:
        if self._script:
            self.scripts[self._script] = self.scripts.get(self._script, "") + data
        elif self._table and self._cell:
            self.tables[self._table][-1][-1] += data.strip("\n")
        elif self._inside:
            self.texts[self._inside] = self.texts.get(self._inside, "") + data

    @property
    def result(self) -> Any:
        if "application/json" in self.scripts:
            return json.loads(self.scripts["application/json"])
        packed = base64.b64decode(self.scripts["application/gzip"])
        return json.loads(gzip.decompress(packed))


def values_in(facts: Any) -> Iterator[float]:
    """Every number of a result, deep down."""
    if isinstance(facts, dict):
        for item in facts.values():
            yield from values_in(item)
    elif isinstance(facts, list):
        for item in facts:
            yield from values_in(item)
    elif isinstance(facts, int | float) and not isinstance(facts, bool):
        yield float(facts)
    elif facts in ("Infinity", "-Infinity"):
        yield math.inf if facts == "Infinity" else -math.inf
    elif isinstance(facts, str):
        yield from (float(found) for found in re.findall(r"\d+(?:\.\d+)?", facts))


def is_of(text: str, values: set[float]) -> bool:
    """Whether a number as shown is one of the values, rounded to as many digits."""
    share = text.endswith("%")
    plain = text.rstrip("%").replace("−", "-").replace("+", "").replace("\u202f", "")
    if plain.lstrip("-") == "∞":
        return any(str(value).endswith("Infinity") for value in values)
    shown = float(plain) / (100 if share else 1)
    digits = len(plain.partition(".")[2].partition("e")[0]) + (2 if share else 0)
    half = 0.5000001 * 10.0**-digits
    if "e" in plain:
        half = abs(shown) * 0.06
    return any(abs(value - shown) <= half for value in values if math.isfinite(value))


def numbers(text: str) -> list[str]:
    """The numbers in a text; years of citations, counts of a list and the version are none."""
    aside = r"\([^()]*\d{4}(; [^()]*\d{4})*\)|and \d+ more|abovechance [\d.]+\d"
    return NUMBER.findall(re.sub(aside, "", text))


@pytest.fixture(scope="module")
def page(assessment: Any, models: dict[str, Any]) -> Page:
    return Page(report(assessment, predictions=models["forest"]).html)


@pytest.fixture(scope="module")
def compared(comparison: Any, models: dict[str, Any]) -> Page:
    return Page(report(comparison, predictions=models).html)


def test_the_embedded_result_is_the_result(
    page: Page, compared: Page, assessment: Any, comparison: Any
) -> None:
    assert page.result == assessment.to_dict()
    assert compared.result == comparison.to_dict()


@pytest.mark.parametrize("table", ["measures", "all-measures"])
def test_every_row_of_measures_equals_the_result(page: Page, table: str) -> None:
    heading, *rows = page.tables[table]
    by_title = {e["title"]: e for e in page.result["estimates"]}
    assert len(rows) > 10
    for row in rows:
        cells = dict(zip(heading, row, strict=True))
        estimate = by_title[cells["Measure"].removesuffix(" ★").strip()]
        interval = estimate["interval"] or {}
        expected = {
            "Estimate": estimate["value"],
            "Low": interval.get("low"),
            "High": interval.get("high"),
            "Chance": estimate["chance"],
            "p": estimate["p_value"],
        }
        for name, value in expected.items():
            if value is None:
                assert cells[name] == ""
            elif cells[name] == "<0.0001":
                assert 0 < value < 0.0001
            else:
                assert is_of(cells[name], {value}), (cells["Measure"], name, cells[name], value)


def test_all_measures_are_in_the_report(page: Page) -> None:
    assert len(page.tables["all-measures"]) - 1 == len(page.result["estimates"])


def test_differences_equal_the_result(compared: Page) -> None:
    heading, *rows = compared.tables["differences"]
    for row, difference in zip(rows, compared.result["differences"], strict=True):
        cells = dict(zip(heading, row, strict=True))
        assert is_of(cells["Difference"], {difference["difference"]})
        assert is_of(cells["Low"], {difference["interval"]["low"]})
        assert is_of(cells["High"], {difference["interval"]["high"]})


@pytest.mark.parametrize("which", ["answer", "text-1", "text-2", "latex-1", "latex-2"])
def test_every_number_of_a_sentence_is_in_the_result(
    page: Page, compared: Page, models: dict[str, Any], which: str
) -> None:
    for one in (page, compared):
        text = one.texts.get(which) or one.texts.get("p", "")
        if which.startswith("latex"):
            text = re.sub(r"\$-\$", "−", re.sub(r"~\\citep\{[^}]*\}", "", text)).replace("\\%", "%")
            text = text.replace("$", "").replace("\\,", "\u202f")
        values = set(values_in(one.result)) | {0.001}  # p < 0.001
        values.add(float(models["forest"].prevalences[1]))
        values.add(float(len(one.result.get("models", ()))))
        found = numbers(text.replace("\u00a0", " "))
        strange = [n for n in found if not is_of(n, values)]
        assert strange == []
    assert len(numbers(page.texts["text-2"])) > 10


@pytest.mark.parametrize("name", ["detection", "study", "sizes"])
def test_every_number_of_tests_and_powers_is_in_the_result(
    name: str, request: pytest.FixtureRequest
) -> None:
    result = request.getfixturevalue(name)
    one = Page(report(result).html)
    assert one.result == {"abovechance": __version__, **result.to_dict()}
    values = {*values_in(one.result), 0.001, 0.8, 0.05}  # p < 0.001; the usual power and level
    values |= {float(len(one.result.get("tests", ())))}
    for which in ("answer", "text-1", "text-2", "tiles"):
        text = one.texts.get(which) or one.texts["p"]
        found = numbers(re.sub("95% CI", "", text.replace("\u00a0", " ")))
        assert [n for n in found if not is_of(n, values)] == [], which
    (table,) = (rows for id_, rows in one.tables.items() if id_ in ("tests", "sizes", "cells"))
    shown = [n for row in table[1:] for cell in row[1:] for n in numbers(cell)]
    assert len(shown) > 5
    assert [n for n in shown if not is_of(n, values)] == []


def test_tiles_are_in_the_result(page: Page) -> None:
    values = set(values_in(page.result)) | {106 / 285}
    found = numbers(page.texts["tiles"])
    assert len(found) > 6
    assert [n for n in found if not is_of(n, values)] == []


def test_a_wrong_number_would_be_seen() -> None:
    assert is_of("0.951", {0.9508771929824561})
    assert not is_of("0.950", {0.9508771929824561})
    assert not is_of("−0.951", {0.9508771929824561})
    assert is_of("37.2%", {106 / 285})


def test_the_text_and_latex_of_a_paragraph_say_the_same(page: Page) -> None:
    text = numbers(page.texts["text-2"].replace("\u00a0", " "))
    latex = re.sub(r"\$-\$", "−", page.texts["latex-2"]).replace("$", "").replace("\\%", "%")
    assert numbers(latex) == text


def test_undefined_values_and_their_reasons_are_visible() -> None:
    nobody = Binary([0, 0, 0, 1], label=[0, 0, 0, 0], labels=[0, 1])
    html = report(assess(nobody, rng=1), predictions=nobody).html
    page = Page(html)
    row = next(r for r in page.tables["measures"] if r[0].startswith("Positive predictive value"))
    reason = next(e["undefined"] for e in page.result["estimates"] if e["measure"] == "ppv")
    assert "–" in row
    assert reason in "".join(row)


def test_an_infinite_score_is_shown_with_its_cause() -> None:
    sure = Binary([0, 1, 1, 0], probability=[0.0, 0.0, 1.0, 0.2])
    page = Page(report(assess(sure, ["log_score"], rng=1)).html)
    assert "−∞" in page.texts["answer"] or "−∞" in page.texts["p"]
    assert page.result["estimates"][0]["remark"] in "".join(page.texts.values())


def test_advice_is_visible_with_code_and_source(assessment: Any) -> None:
    html = report(assessment).html
    assert assessment.advice
    for advice in assessment.advice:
        assert advice.code in html
        assert advice.source.replace("&", "&amp;") in html


def test_cross_validated_predictions_get_no_p_value_and_the_report_says_so() -> None:
    iris = examples.iris()
    page = Page(report(assess(iris, rng=1), predictions=iris).html)
    assert "p" not in page.tables["measures"][0]
    assert "no p-value" in " ".join(page.texts.values())


def test_the_null_is_drawn_as_often_as_its_p_was() -> None:
    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    cases = Binary(y, probability=np.clip(0.4 + 0.2 * y + 0.2 * rng.normal(size=60), 0.01, 0.99))
    for draws in (99, 1999):
        found = assess(cases, ["brier"], rng=1, draws=draws)
        assert found["brier"].draws == draws
        html = report(found, predictions=cases).html
        assert f"{draws} values under permuted outcomes" in html.replace("\u202f", "").replace(
            ",", ""
        )
