"""For every test: reference values with their provenance; which settings an ordinary run takes."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import abovechance.learning.learners  # noqa: F401  # or its doctests would load it a second time

REFERENCES = Path(__file__).parent / "references"
GOLDEN = (5**0.5 - 1.0) / 2.0
SPECIAL = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


@pytest.hookimpl(tryfirst=True)  # before those marked slow are left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test marked part(k) all settings but one in k are slow.

    Which one follows the golden ratio: every k-th of a grid would often be the same of a kind.
    """
    seen = Counter[str]()
    for item in items:
        part = item.get_closest_marker("part")
        if part is None:
            continue
        test = item.nodeid.partition("[")[0]
        if seen[test] * GOLDEN % 1.0 >= 1.0 / part.args[0]:
            item.add_marker(pytest.mark.slow)
        seen[test] += 1


def _numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    return SPECIAL.get(value, value) if isinstance(value, str) else value


@pytest.fixture(autouse=True)
def _no_stated_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Text is laid out as in a pipe, whatever runs the tests says of its screen."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(autouse=True)
def _no_processes_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test has patched holds for all of its work, however long a busy machine takes."""
    monkeypatch.setenv("ABOVECHANCE_WORKERS", "1")


@pytest.fixture(scope="session")
def reference() -> Callable[[str], Any]:
    """Reference values by file name, the strings for NaN and infinity made numbers."""
    return lambda name: _numbers(json.loads((REFERENCES / f"{name}.json").read_text("utf-8")))
