"""Fixtures for every test: reference values with their provenance."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import abovechance.learning.learners  # noqa: F401  # or its doctests would load it a second time

REFERENCES = Path(__file__).parent / "references"
SPECIAL = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


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
