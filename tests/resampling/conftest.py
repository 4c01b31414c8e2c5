"""The plain and the compiled path of draws and sums; work that worker processes can import."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from abovechance.resampling import random_bits


@pytest.fixture(params=["plain", "compiled"])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(random_bits, "worthwhile", lambda *_, **__: request.param == "compiled")
    return str(request.param)


@pytest.fixture
def chores(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module of that name, importable here and in every process started from here."""
    folder = str(Path(__file__).parent)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", folder, prepend=os.pathsep)
    import chores

    yield chores
    sys.modules.pop("chores", None)
