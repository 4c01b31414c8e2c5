"""Charts of every kind, and matplotlib without a screen."""

import importlib.util
from pathlib import Path

import pytest

from abovechance.plots.chart import Chart


@pytest.fixture(scope="session")
def gallery() -> dict[str, Chart]:
    """One chart of every kind by name."""
    path = Path(__file__).parent / "gallery.py"
    specification = importlib.util.spec_from_file_location("gallery", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    found: dict[str, Chart] = module.charts()
    return found


@pytest.fixture(autouse=True)
def no_screen() -> None:
    import matplotlib

    matplotlib.use("Agg")
