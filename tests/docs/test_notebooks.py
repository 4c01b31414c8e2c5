"""The tutorials show what their code gives, and open as notebooks."""

import re
from pathlib import Path
from typing import Any

import pytest

from docs.blocks import agrees
from docs.generator import tutorials
from docs.notebooks import code_cells, distance, image_of, load, notebooks, outputs, text_of
from docs.test_pages import numbers, unfounded

LARGEST = 120_000  # bytes of a notebook with its figures
TOLERANCE = 8.0  # of 255, as for the pictures' own images
ids = [path.stem for path in notebooks()]


def test_there_is_a_tutorial_of_each_kind() -> None:
    assert [name.partition("-")[0] for name in ids] == [str(n) for n in range(1, 9)]
    assert {f"tutorials/{re.sub(r'^[0-9]+-', '', name)}.md" for name in ids} < set(
        tutorials.pages()
    )


@pytest.mark.parametrize("path", notebooks(), ids=ids)
def test_a_notebook_shows_what_its_code_gives(path: Path) -> None:
    notebook = load(path)
    for cell, shown in zip(code_cells(notebook), outputs(notebook), strict=True):
        kept: list[dict[str, Any]] = cell["outputs"]
        code = "".join(cell["source"])
        assert [one["output_type"] for one in kept] == [one["output_type"] for one in shown], code
        for one, other in zip(kept, shown, strict=True):
            assert agrees(text_of(one), text_of(other)), f"{code}\nshows:\n{text_of(other)}"
            image, again = image_of(one), image_of(other)
            assert (image is None) == (again is None)
            if image is not None and again is not None:
                assert distance(image, again) < TOLERANCE, code


@pytest.mark.parametrize("path", notebooks(), ids=ids)
def test_a_notebook_is_small_and_whole(path: Path) -> None:
    notebook = load(path)
    assert path.stat().st_size < LARGEST
    assert (notebook["nbformat"], notebook["metadata"]["kernelspec"]["name"]) == (4, "python3")
    cells = code_cells(notebook)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    for cell in cells:
        for output in cell["outputs"]:
            assert len(cell["metadata"].get("alt", "")) > 20 or image_of(output) is None
            assert max(map(len, text_of(output).splitlines()), default=0) <= 140


@pytest.mark.parametrize("path", notebooks(), ids=ids)
def test_a_notebook_ends_in_a_sentence_that_its_output_bears_out(path: Path) -> None:
    notebook = load(path)
    last = "".join(notebook["cells"][-1]["source"])
    assert re.search("^## The sentence (to publish|for the protocol)$", last, re.M)
    sentence = "\n".join(line for line in last.splitlines() if line.startswith("> "))
    printed = "".join(
        "".join(cell["source"]) + "".join(text_of(output) for output in cell["outputs"])
        for cell in code_cells(notebook)
    )
    assert numbers(sentence)
    assert unfounded(sentence, printed) == []
