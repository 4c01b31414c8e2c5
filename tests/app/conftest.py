"""A running server, and the browser of the reports' tests."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

REPORTS = Path(__file__).parents[1] / "reports" / "conftest.py"


def _shared() -> Any:
    specification = importlib.util.spec_from_file_location("tests_reports_conftest", REPORTS)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


SHARED = _shared()
browser = SHARED.browser
axe = SHARED.axe


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where the page is served."""
    from abovechance.app.web import served

    with served() as found:
        yield found
