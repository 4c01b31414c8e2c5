"""Pages made from the source hold what the source declares."""

import re
from pathlib import Path

import pytest

from abovechance.cli import COMMANDS
from abovechance.measures import every
from docs.generator import advice, commands, links, measures, methods

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


def test_measures_of_binary_and_numeric_outcomes_have_a_picture(
    measure_pages: dict[str, str],
) -> None:
    for name, measure in every().items():
        plain = {"binary", "numeric"} & measure.outcomes and not measure.many_outputs
        if plain and measure.family.value != "survival":
            assert "<polyline" in measure_pages[f"measures/{name}.rst"], name


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
