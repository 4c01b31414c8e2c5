"""The local page driven like a user: upload, drag and drop, correct the guess, see the report."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from abovechance import examples

FRAME = "document.getElementById('report')"


@pytest.fixture
def page(browser: Any, address: str) -> Any:
    browser.media("light")
    browser.size(1180, 900)
    browser.open(address)
    browser.evaluate(
        "URL.createObjectURL = (make => blob => ((window.held = blob), make.call(URL, blob)))"
        "(URL.createObjectURL);0"
    )
    return browser


def upload(page: Any, *paths: Path) -> None:
    """Choose files with the file picker."""
    root = page.call("DOM.getDocument")["root"]["nodeId"]
    node = page.call("DOM.querySelector", nodeId=root, selector="#input")["nodeId"]
    page.call("DOM.setFileInputFiles", nodeId=node, files=[str(path) for path in paths])


def drag(page: Any, *paths: Path) -> None:
    """Drag files onto the page and drop them."""
    x, y = page.evaluate(
        "(b => [b.x + b.width / 2, b.y + b.height / 2])"
        "(document.getElementById('drop').getBoundingClientRect())"
    )
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        page.call("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)


def choose(page: Any, role: str, value: str) -> None:
    page.evaluate(
        f"(s => {{ s.value = {json.dumps(value)}; s.dispatchEvent(new Event('change')); }})"
        f"(document.getElementById({json.dumps(role)}))"
    )


def tick(page: Any, *names: str) -> None:
    page.evaluate(
        "for (const box of document.querySelectorAll('#predicted input'))"
        f" box.checked = {json.dumps(names)}.includes(box.value);0"
    )


def shown(page: Any) -> str:
    """The report in its frame, once it is there."""
    page.until(f"!document.getElementById('result').hidden && !!{FRAME}.src")
    text: str = page.evaluate("window.held.text()")
    return text


GIVEN: list[Callable[..., None]] = [upload, drag]


@pytest.mark.part(2)
@pytest.mark.parametrize("give", GIVEN, ids=["chosen", "dropped"])
def test_a_file_is_assessed(give: Callable[..., None], page: Any, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    lines = examples.path("breast_cancer").read_text("utf-8").splitlines()
    columns = [line.split(",") for line in lines]
    kept = [columns[0].index(name) for name in ("id", "outcome", "p_forest")]
    path.write_text("\n".join(",".join(row[i] for i in kept) for row in columns), "utf-8")
    give(page, path)
    page.until("!document.getElementById('form').hidden")
    assert page.evaluate("document.getElementById('outcome').value") == "outcome"
    assert page.evaluate("document.getElementById('positive').value") == "malignant"
    page.click("#go")
    html = shown(page)
    assert "Better than chance" in html
    assert "mine.csv" in html
    assert page.complaints == []


def test_the_report_runs_inside_its_frame(page: Any) -> None:
    page.click("#example")
    page.until("!document.getElementById('form').hidden")
    tick(page, "p_forest")
    page.evaluate(f"{FRAME}.addEventListener('load', () => (window.framed = true));0")
    page.click("#go")
    page.until("window.framed")
    page.settle()
    assert page.complaints == []  # a script that its policy stopped would complain
    assert page.evaluate(f"{FRAME}.contentDocument") is None  # sandboxed: another origin


def test_columns_of_a_file_are_compared(page: Any) -> None:
    page.click("#example")
    page.until("!document.getElementById('form').hidden")
    ticked = page.evaluate(
        "[...document.querySelectorAll('#predicted input:checked')].map(b => b.value)"
    )
    assert sorted(ticked) == ["p_forest", "p_texture"]
    page.click("#go")
    assert "p_forest is better" in shown(page)


def test_two_files_are_compared(page: Any, tmp_path: Path) -> None:
    header, *lines = examples.path("breast_cancer").read_text("utf-8").splitlines()
    at = header.split(",").index
    paths = []
    for model in ("p_forest", "p_texture"):
        path = tmp_path / f"{model}.csv"
        rows = [line.split(",") for line in lines]
        body = [f"{r[at('id')]},{r[at('outcome')]},{r[at(model)]}" for r in rows]
        path.write_text("\n".join(["id,outcome,probability", *body]), "utf-8")
        paths.append(path)
    upload(page, *paths)
    page.until("document.querySelectorAll('#list li').length === 2")
    page.click("#go")
    assert "p_forest.csv is better" in shown(page)


def test_a_sheet_of_a_workbook_is_chosen(page: Any, tmp_path: Path) -> None:
    import openpyxl

    made = openpyxl.Workbook()
    for name, last in (("Old", "p"), ("New", "probability")):
        sheet = made.create_sheet(name)
        sheet.append(["id", "y", last])
        for i in range(40):
            sheet.append([f"case {i}", i % 2, 0.2 + 0.5 * (i % 2) + (i * 7 % 20) / 100])
    made.save(tmp_path / "book.xlsx")
    upload(page, tmp_path / "book.xlsx")
    page.until("!document.getElementById('form').hidden")
    ticked = "[...document.querySelectorAll('#predicted :checked')].map(box => box.value)"
    assert page.evaluate(ticked) == ["p"]
    page.evaluate(
        "(s => { s.value = 'New'; s.dispatchEvent(new Event('change')); })"
        "(document.querySelector('#list select'))"
    )
    page.until(f"({ticked})[0] === 'probability'")
    assert page.evaluate("document.querySelector('#list select').value") == "New"
    page.click("#go")
    assert "--sheet New" in shown(page)


def test_a_wrong_guess_is_explained_and_corrected(page: Any, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    rows = [f"{'ab'[i % 2]},{0.1 + (i * 7 % 20) / 40 + (i % 2) / 5:.3f},{i}" for i in range(80)]
    path.write_text("\n".join(["group,first,number", *rows]), "utf-8")
    upload(page, path)
    page.until("!document.getElementById('form').hidden")
    choose(page, "outcome", "")
    page.click("#go")
    said = page.until("document.getElementById('problem').textContent")
    assert said == "say which column holds what was observed."
    choose(page, "outcome", "group")
    choose(page, "positive", "b")
    tick(page, "first")
    page.click("#go")
    assert "chance" in shown(page)
    assert page.evaluate("document.getElementById('problem').hidden") is True


def test_what_is_no_table_is_refused_with_the_remedy(page: Any, tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    path.write_bytes(b"PK\x03\x04" + bytes(50))
    upload(page, path)
    said = page.until("document.getElementById('problem').textContent")
    assert "damaged or cut off. Copy it again." in said
    assert page.evaluate("document.getElementById('form').hidden") is True


def test_a_hostile_file_name_and_columns_run_nothing(page: Any, tmp_path: Path) -> None:
    path = tmp_path / "<img src=x onerror=alert(1)>.csv"
    rows = [f"{i % 2},{(i % 7) / 7:.3f}" for i in range(20)]
    path.write_text("\n".join(["outcome,<script>alert(1)</script>", *rows]), "utf-8")
    upload(page, path)
    page.until("!document.getElementById('form').hidden")
    choose(page, "kind", "probability")
    tick(page, "<script>alert(1)</script>")
    page.click("#go")
    assert "<script>alert" not in shown(page)
    assert page.complaints == []


def test_the_page_is_accessible(page: Any, axe: str) -> None:
    page.click("#example")
    page.until("!document.getElementById('form').hidden")
    assert page.violations(axe) == []
    page.media("dark")
    assert page.violations(axe, colours=True) == []


def test_the_page_does_not_scroll_sideways_on_a_phone(page: Any) -> None:
    page.size(390, 844, phone=True)
    page.click("#example")
    page.until("!document.getElementById('form').hidden")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_only_the_own_server_is_asked(page: Any, address: str) -> None:
    page.click("#example")
    page.until("!document.getElementById('form').hidden")
    tick(page, "p_forest")
    page.click("#go")
    shown(page)
    assert page.requests
    assert all(url.startswith((address, "blob:", "data:")) for url in page.requests)


def test_missing_values_and_subgroups_are_dealt_with_on_the_page(page: Any, tmp_path: Path) -> None:
    rows = [
        f"{k % 2},{'' if k == 5 else f'0.{2 + k * 7 % 5 + 2 * (k % 2)}'},{'ab'[k % 4 // 2]}"
        for k in range(80)
    ]
    file = tmp_path / "cases.csv"
    file.write_text("\n".join(["y,p,site", *rows]), "utf-8")
    upload(page, file)
    page.until("!document.getElementById('form').hidden")
    page.evaluate("document.getElementById('go').click();0")
    said = page.until("document.getElementById('problem').textContent")
    assert "“Cases that miss a value: leave out”" in said
    choose(page, "missing", "drop")
    choose(page, "by", "site")
    page.evaluate("document.getElementById('mailed').checked = true;0")
    page.evaluate("document.getElementById('go').click();0")
    page.until("!document.getElementById('result').hidden")
    text = page.evaluate("held.text()")
    assert "By subgroup" in text
    assert "79 cases" in text
    assert "Predicted probabilities by class" not in text
