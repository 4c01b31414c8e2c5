"""Pages made from the source hold what the source declares."""

import itertools
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import abovechance as ac
from abovechance.cli import COMMANDS
from abovechance.measures import every
from abovechance.plots import chart_of, pictures
from docs.generator import advice, commands, gallery, links, measured, measures, methods, tutorials

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def measure_pages() -> dict[str, str]:
    return measures.pages()


def test_every_measure_has_a_page(measure_pages: dict[str, str]) -> None:
    assert {f"measures/{name}.rst" for name in [*every(), "index"]} == set(measure_pages)


def test_a_page_holds_the_facts_of_its_measure(measure_pages: dict[str, str]) -> None:
    page = measure_pages["measures/brier.rst"]
    for fact in (
        "0 to 1, best 0",
        "Brier \\(1950\\)|Brier (1950)",
        "neg_brier_score",
        "studentised",
    ):
        assert re.search(fact, page) or fact in page, fact
    assert "Depends on prevalence\n     - yes" in page
    assert "Depends on prevalence\n     - no" in measure_pages["measures/auc.rst"]


def test_every_measure_has_a_picture_of_how_it_behaves(measure_pages: dict[str, str]) -> None:
    without = [n for n in every() if "<polyline" not in measure_pages[f"measures/{n}.rst"]]
    assert without == []


def test_every_row_of_the_tables_is_of_known_methods_and_measures() -> None:
    found = measured.rows()
    known = {f"{m.kind.value}-{m.name}" for m in methods.declarations().every()}
    assert len(found) > 200
    for row in found:
        assert [rule for rule in measured.RULES if rule.fits(row)] == [measured.rule_of(row)]
        assert row.measure in {"", *every()}
    for rule in measured.RULES:
        assert any(rule.fits(row) for row in found), rule
        assert set(rule.methods) <= known
        assert set(rule.measures) <= every().keys()


def test_a_page_shows_what_was_measured(measure_pages: dict[str, str]) -> None:
    page = measure_pages["measures/kappa.rst"]
    method = "Dirichlet posterior, one case over all cells"
    assert f"{method}\n     - n = 150, 3 classes\n     - covers\n     - 0.949" in page
    assert "Not simulated for this measure" in measure_pages["measures/max_error.rst"]
    pages = methods.pages()
    assert "- rejects\n     - 0.0200\n     - 10000" in pages["methods/test-fisher.rst"]
    assert "(least 0.914)\n     - exact" in pages["methods/interval-wilson.rst"]
    assert "0.653" not in pages["methods/interval-wilson.rst"]  # clusters ignored
    assert "Not simulated." in pages["methods/interval-agresti_coull.rst"]


def test_the_gallery_has_every_picture_with_its_code() -> None:
    page = gallery.page()
    for name, picture in pictures().items():
        assert f"## {name}\n" in page
        assert gallery.code(picture) in page
        assert f"images/gallery/{name}-paper.svg" in page


@cache
def _made_by(source: str) -> object:
    names: dict[str, object] = {"ac": ac, "np": np}
    exec(source, names)
    return names["shown"]


@pytest.mark.part(3)
@pytest.mark.parametrize("name", pictures())
def test_the_code_in_the_gallery_makes_its_picture(name: str) -> None:
    assert chart_of(_made_by(gallery.thing(pictures()[name])), name).layers


def test_a_tutorial_page_holds_text_code_and_output() -> None:
    pages, images = tutorials.pages(), tutorials.images()
    page = pages["tutorials/survival.md"]
    assert "```python\nimport numpy as np" in page
    assert "\n250 cases, survival outcome" in page
    assert "survival-1.png" in page
    assert images["tutorials/survival-1.png"].startswith(b"\x89PNG")
    assert "survival.md" in pages["tutorials/index.md"]


def test_every_advice_code_of_the_source_has_its_text() -> None:
    source = "".join(p.read_text("utf-8") for p in (ROOT / "src").rglob("*.py"))
    known = advice.codes()
    assert set(re.findall(r'"(AC\d{3})"', source)) == set(known)
    assert [code for code, (texts, _) in known.items() if not any(texts)] == []
    page = advice.page()
    assert [code for code in known if f"**{code}**" not in page] == []


def test_advice_keeps_the_words_and_leaves_out_the_data() -> None:
    texts, source = advice.codes()["AC040"]
    assert texts[0].startswith("no interval for …: chance makes distances greater than 0")
    assert source == "Roelofs et al. (2022)"


def test_every_command_is_on_the_page_with_its_help() -> None:
    page = commands.page()
    for name in COMMANDS:
        assert f"## {name}\n" in page
        assert f"Usage: abovechance {name}" in page


def test_methods_have_pages_where_they_are_declared() -> None:
    found = methods.pages()
    assert "methods/index.rst" in found
    declared = methods.declarations()
    if declared is not None:
        assert len(found) == len(declared.every()) + 1


def test_links_that_lead_nowhere_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there">x</a> <a href="b.html#gone">y</a> <a href="c.html">z</a>'
        '<a href="https://example.org">w</a>'
    )
    (tmp_path / "b.html").write_text('<h1 id="there">b</h1><a href="#">top</a>')
    assert links.broken(tmp_path) == ["a.html links to b.html#gone", "a.html links to c.html"]


def test_the_reference_has_every_public_name() -> None:
    import abovechance

    page = (ROOT / "docs/reference.md").read_text("utf-8")
    missing = [name for name in abovechance.__all__ if f":: abovechance.{name}" not in page]
    assert missing == ["AboveChanceError"]  # with abovechance.errors


def test_the_published_schema_of_results_is_that_of_their_classes() -> None:
    from abovechance.inference.contract import FILE
    from docs.generator import result_schema

    assert FILE.read_text("utf-8") == result_schema.text()


def test_no_table_of_a_page_has_an_empty_heading() -> None:
    """A heading without words says nothing to who hears the page."""
    for page in sorted((ROOT / "docs").rglob("*.md")):
        lines = page.read_text("utf-8").splitlines()
        for above, below in itertools.pairwise(lines):
            if re.fullmatch(r"\|[-:| ]+\|", below) and above.startswith("|"):
                cells = [cell.strip() for cell in above.strip("|").split("|")]
                assert all(cells), f"{page}: {above}"
