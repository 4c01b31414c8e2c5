"""Reports as a reader meets them: in a browser, by mouse and by keyboard, on paper and phone."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from abovechance import examples
from abovechance.format import number
from abovechance.inference import assess
from abovechance.reports import report

Opened = Callable[..., Any]


def figure(title: str) -> str:
    """The expression for a figure by its title."""
    return (
        "[...document.querySelectorAll('figure')]"
        f".find(f => f.querySelector('h3').textContent === {json.dumps(title)})"
    )


@pytest.fixture(scope="module")
def pages(
    models: dict[str, Any],
    assessment: Any,
    comparison: Any,
    detection: Any,
    study: Any,
    sizes: Any,
    survival: Any,
) -> dict[str, str]:
    iris, diabetes = examples.iris(), examples.diabetes()
    risks = assess(survival, ["c_index"], draws=99, rng=1)
    return {
        "assessment": report(assessment, predictions=models["forest"], command="x").html,
        "comparison": report(comparison, predictions=models).html,
        "multiclass": report(assess(iris, rng=1), predictions=iris).html,
        "numeric": report(assess(diabetes, rng=1), predictions=diabetes).html,
        "survival": report(risks, predictions=survival).html,
        "detection": report(detection).html,
        "power": report(study).html,
        "sizes": report(sizes).html,
        "saved": report(json.loads(assessment.to_json())).html,
    }


PAGES = (
    "assessment",
    "comparison",
    "multiclass",
    "numeric",
    "survival",
    "detection",
    "power",
    "sizes",
    "saved",
)


@pytest.mark.parametrize("name", PAGES)
def test_a_report_loads_nothing_and_has_no_errors(
    name: str, pages: dict[str, str], opened: Opened
) -> None:
    browser = opened(pages[name])
    browser.settle()
    assert browser.complaints == []
    assert [url for url in browser.requests if not url.startswith("file:")] == []
    assert len(browser.requests) == 1


ALIKE = """
for (const item of document.querySelectorAll("details")) item.open = true;
for (const body of document.querySelectorAll("tbody")) while (body.rows[4]) body.deleteRow(4);0
"""  # rows of a table are alike: some of each are looked at


@pytest.mark.part(2)
@pytest.mark.parametrize("name", PAGES)
def test_a_report_is_accessible_in_light_and_dark(
    name: str, pages: dict[str, str], opened: Opened, axe: str
) -> None:
    browser = opened(pages[name])
    browser.evaluate(ALIKE)
    assert browser.violations(axe) == []
    browser.media("dark")
    assert browser.violations(axe, colours=True) == []


def test_a_word_that_cannot_be_read_would_be_seen(
    pages: dict[str, str], opened: Opened, axe: str
) -> None:
    browser = opened(pages["sizes"], scheme="dark")
    browser.evaluate("document.querySelector('h1').style.color = '#222';0")
    assert [found[0] for found in browser.violations(axe, colours=True)] == ["color-contrast"]


@pytest.mark.part(2)
@pytest.mark.parametrize("name", PAGES)
def test_a_report_does_not_scroll_sideways(
    name: str, pages: dict[str, str], opened: Opened
) -> None:
    browser = opened(pages[name], width=390)
    browser.evaluate("document.querySelectorAll('details').forEach(d => (d.open = true))")
    for width in (390, 768, 1180):
        browser.size(width, 900, phone=width < 500)
        assert browser.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [390, 1180])
def test_words_keep_their_size_on_a_phone(
    width: int, pages: dict[str, str], opened: Opened
) -> None:
    browser = opened(pages["assessment"], width=width)
    sizes = browser.evaluate(
        "[...document.querySelectorAll('.plot span')]"
        ".map(e => parseFloat(getComputedStyle(e).fontSize))"
    )
    assert min(sizes) >= 11


def test_a_report_prints_on_a4(pages: dict[str, str], opened: Opened) -> None:
    pdf = opened(pages["assessment"]).pdf()
    boxes = {
        tuple(round(float(x)) for x in box.split())
        for box in re.findall(r"/MediaBox\s*\[([^\]]+)\]", pdf.decode("latin-1"))
    }
    assert boxes == {(0, 0, 595, 842)} or boxes == {(0, 0, 596, 842)}
    assert pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") >= 2


def test_dark_paper_is_dark_and_the_button_turns_it(pages: dict[str, str], opened: Opened) -> None:
    browser = opened(pages["assessment"], scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = browser.evaluate(ground)
    browser.click("#theme")
    light = browser.evaluate(ground)
    assert sum(map(int, re.findall(r"\d+", dark)[:3])) < 100
    assert sum(map(int, re.findall(r"\d+", light)[:3])) > 600
    browser.click("#theme")
    assert browser.evaluate(ground) == dark


def test_a_table_sorts_by_its_headings(pages: dict[str, str], opened: Opened) -> None:
    browser = opened(pages["assessment"])
    read = (
        "[...document.querySelectorAll('#measures tbody tr')]"
        ".map(r => r.cells[1].textContent.replace('−', '-')).filter(t => t !== '–').map(Number)"
    )
    before = browser.evaluate(read)
    browser.click("#measures th:nth-child(2) button")
    rising = browser.evaluate(read)
    browser.click("#measures th:nth-child(2) button")
    falling = browser.evaluate(read)
    assert rising == sorted(before)
    assert falling == sorted(before, reverse=True)
    state = "document.querySelector('#measures th:nth-child(2)').getAttribute('aria-sort')"
    assert browser.evaluate(state) == "descending"


def test_values_that_are_not_plain_numbers_sort_by_size(
    pages: dict[str, str], opened: Opened
) -> None:
    browser = opened(pages["assessment"])
    column = browser.evaluate(
        "[...document.querySelectorAll('#measures th')].findIndex(h => h.textContent === 'p') + 1"
    )
    browser.click(f"#measures th:nth-child({column}) button")
    texts = browser.evaluate(
        "[...document.querySelectorAll('#measures tbody tr')]"
        f".map(r => r.cells[{column} - 1].textContent)"
    )
    shown = [text for text in texts if text]
    assert shown[0] == "<0.0001"
    assert texts[: len(shown)] == shown  # what is empty comes last


def test_the_pointer_reads_curves_without_covering_them(
    pages: dict[str, str], opened: Opened
) -> None:
    browser = opened(pages["comparison"])
    roc = figure("ROC curve")
    place = browser.evaluate(
        f"(f => {{ f.scrollIntoView({{block: 'center'}});"
        " const b = f.querySelector('.frame').getBoundingClientRect();"
        f" return [b.x + b.width * 0.3, b.y + b.height * 0.5]; }})({roc})"
    )
    browser.move(*place)
    texts = browser.evaluate(f"[...({roc}).querySelectorAll('.legend li')].map(l => l.innerText)")
    at = browser.evaluate(f"({roc}).querySelector('.xtitle').textContent")
    assert re.fullmatch(r"False positive rate 0\.3\d*", at)
    for line, name in zip(texts, ("forest", "texture"), strict=False):
        assert re.fullmatch(rf"{name}\s+[01]\.\d+ \([01]\.?\d* to [01]\.?\d*\)", line), line
    covered = browser.evaluate(
        f"(f => {{ const b = f.querySelector('.frame').getBoundingClientRect();"
        " return [...f.querySelectorAll('.legend li, .xtitle')].map(l => l.getBoundingClientRect())"
        f".some(l => l.bottom > b.top + 1 && l.top < b.bottom - 1); }})({roc})"
    )
    assert covered is False
    top = f"({roc}).querySelector('.frame').getBoundingClientRect().top"
    reading = browser.evaluate(top)
    browser.move(5, 5)
    assert browser.evaluate(top) == reading  # nothing jumps when the pointer leaves


def test_the_pointer_reads_what_the_table_says(pages: dict[str, str], opened: Opened) -> None:
    browser = opened(pages["assessment"])
    values = browser.evaluate(
        """((figure) => {
          const frame = figure.querySelector('.frame'), box = frame.getBoundingClientRect();
          const row = figure.querySelector('tbody').rows[10];
          const x = box.left + Number(row.cells[0].textContent) * box.width;
          frame.dispatchEvent(new PointerEvent('pointermove', {clientX: x, clientY: box.top + 5}));
          const read = figure.querySelector('.legend b').textContent;
          return [Number(row.cells[1].textContent), parseFloat(read)];
        })"""
        f"({figure('Calibration')})"
    )
    assert values[1] == pytest.approx(values[0], abs=0.01)


def test_a_chart_is_read_by_keyboard(pages: dict[str, str], opened: Opened) -> None:
    browser = opened(pages["assessment"])
    browser.evaluate("document.querySelectorAll('.reader')[0].focus()")
    reader = "document.querySelectorAll('.reader')[0]"
    first = browser.evaluate(f"{reader}.ariaValueText")
    for _ in range(5):
        browser.key("ArrowRight")
    later = browser.evaluate(f"{reader}.ariaValueText")
    assert re.search(r"\d", first)
    assert later != first
    assert browser.evaluate("document.querySelector('.xtitle').textContent") == later
    browser.evaluate("document.activeElement.blur()")
    assert browser.evaluate("document.querySelector('.xtitle').textContent") not in (first, later)


def test_everything_that_acts_is_reached_by_tabs(pages: dict[str, str], opened: Opened) -> None:
    browser = opened(pages["assessment"])
    reached = set()
    for _ in range(12):
        browser.key("Tab")
        reached.add(
            browser.evaluate("document.activeElement.id || document.activeElement.className")
        )
    assert {"skip", "theme", "json", "reader"} <= reached


def saved(browser: Any, selector: str) -> str:
    """What a button would save, caught on its way."""
    browser.evaluate(
        "URL.createObjectURL = blob => { window.caught = blob; return '#'; };"
        "HTMLAnchorElement.prototype.click = () => {};0"
    )
    browser.evaluate("window.caught = null")
    browser.evaluate(f"document.querySelector({json.dumps(selector)}).click()")
    browser.until("!!window.caught")
    text: str = browser.evaluate("window.caught.text()")
    return text


@pytest.mark.parametrize("name", ["saved", "comparison"])
def test_the_json_that_is_saved_is_the_result(
    name: str, pages: dict[str, str], opened: Opened, assessment: Any, comparison: Any
) -> None:
    browser = opened(pages[name])
    result = assessment if name == "saved" else comparison
    assert json.loads(saved(browser, "#json")) == result.to_dict()


def test_a_long_json_is_packed_and_unpacked(assessment: Any, opened: Opened) -> None:
    facts = assessment.to_dict()
    facts["estimates"] = [{**e, "model": m} for m in ("a", "b", "ü") for e in facts["estimates"]]
    html = report(facts).html
    assert 'type="application/gzip"' in html
    assert json.loads(saved(opened(html), "#json")) == facts


def test_the_csv_that_is_saved_is_exact(
    pages: dict[str, str], opened: Opened, assessment: Any
) -> None:
    import csv
    import io

    text = saved(opened(pages["saved"]), "section [data-csv]")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == len(assessment)
    for row, estimate in zip(rows, assessment, strict=True):
        assert row["measure"] == estimate.measure
        assert float(row["value"]) == estimate.value
        if estimate.interval is not None:
            assert float(row["interval_low"]) == estimate.interval.low


def test_the_data_of_a_chart_can_be_saved(pages: dict[str, str], opened: Opened) -> None:
    lines = saved(opened(pages["comparison"]), "figure [data-csv]").splitlines()
    assert lines[0].split(",")[-4:] == ["Difference", "Low", "High", "p"]
    assert len(lines) > 4


@pytest.mark.parametrize("name", ["assessment", "multiclass"])
def test_every_picture_can_be_saved_as_a_file_of_its_own(
    name: str, pages: dict[str, str], opened: Opened
) -> None:
    browser = opened(pages[name])
    titles = browser.evaluate("[...document.querySelectorAll('figure h3')].map(h => h.innerText)")
    browser.evaluate(
        "[...document.querySelectorAll('figure')].map((f, i) => (f.id = `at-${i}`)) && 0"
    )
    for i, title in enumerate(titles):
        svg = ElementTree.fromstring(saved(browser, f"#at-{i} [data-picture=svg]"))
        words = ["".join(text.itertext()) for text in svg.iter("{http://www.w3.org/2000/svg}text")]
        assert title in " ".join(words)
        axis = browser.evaluate(f"document.querySelector('#at-{i} .xtitle').innerText")
        assert axis in " ".join(words)
        marks = browser.evaluate(f"document.querySelectorAll('#at-{i} .xt').length")
        assert len(words) > marks
        shapes = [tag for tag in svg.iter() if tag.tag.endswith(("path", "rect"))]
        drawn = browser.evaluate(f"document.querySelectorAll('#at-{i} .plot path').length")
        assert len(shapes) >= drawn - 4  # all but places that only the read-out looks for
    saved(browser, "#at-0 [data-picture=png]")
    start = browser.evaluate("caught.arrayBuffer().then(b => [...new Uint8Array(b).slice(0, 8)])")
    assert bytes(start) == b"\x89PNG\r\n\x1a\n"
    assert browser.complaints == []


def test_tables_can_be_copied_for_word_markdown_and_latex(
    pages: dict[str, str], opened: Opened, assessment: Any
) -> None:
    browser = opened(pages["assessment"])
    browser.evaluate(
        "window.copied = {}; const take = async x => { window.copied.text = x; };"
        "Object.defineProperty(navigator, 'clipboard', {value: {writeText: take, write: async x => "
        "{ window.copied.html = await (await x[0].getType('text/html')).text(); }}}); 0"
    )

    def copied(how: str, kind: str) -> str:
        browser.evaluate("window.copied = {}; 0")
        browser.evaluate(f"document.querySelector('[data-table={how}]').click()")
        text: str = browser.until(f"window.copied.{kind}")
        return text

    value = number(assessment["auc"].value)
    latex = copied("latex", "text").splitlines()
    assert latex[0].startswith("\\begin{tabular}{l")
    assert latex[-1] == "\\end{tabular}"
    rows = [line for line in latex if "&" in line]
    assert len({line.count(" & ") for line in rows}) == 1
    assert any(line.startswith("Area under the ROC curve & " + value) for line in rows)
    assert not re.search(r"[<>−★]", "".join(rows).replace("$<$", "").replace("$>$", ""))
    markdown = copied("markdown", "text").splitlines()
    assert markdown[1].startswith("| --- | ---: |")
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in markdown}) == 1
    table = ElementTree.fromstring(copied("word", "html"))
    cells = [[cell.text for cell in row] for row in table.iter("tr")]
    assert len(cells) == len(markdown) - 1
    assert any(row[:2] == ["Area under the ROC curve", value] for row in cells)


def test_a_paragraph_can_be_copied_or_selected(pages: dict[str, str], opened: Opened) -> None:
    browser = opened(pages["assessment"])
    browser.click("[data-copy=text-1]")
    said = browser.until(
        "(t => t !== 'Copy' && t)(document.querySelector('[data-copy=text-1]').textContent)"
    )
    assert said in ("Copied", "Selected: press Ctrl+C")


@pytest.mark.parametrize(
    ("name", "limit"), [("assessment", 130_000), ("comparison", 150_000), ("multiclass", 130_000)]
)
def test_a_report_is_small(name: str, limit: int, pages: dict[str, str]) -> None:
    assert len(pages[name].encode()) < limit


def test_two_models_with_every_measure_stay_below_160_kb(
    models: dict[str, Any], comparison: Any
) -> None:
    facts = comparison.to_dict()
    facts["estimates"] = [
        {**row.to_dict(), "model": name} for name, p in models.items() for row in assess(p, rng=1)
    ]
    size = len(report(facts, predictions=models).html.encode())
    assert size < 160_000


def test_a_report_is_written_where_it_was_asked_for(assessment: Any, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    made = report(assessment, path)
    assert path.read_text("utf-8") == made.html
