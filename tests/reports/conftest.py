"""Results to report, and a browser to look at reports with."""

import importlib.util
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from abovechance import examples
from abovechance.inference import assess, compare, detect
from abovechance.predictions import Survival
from abovechance.studies import Binormal, power, sample_size

HERE = Path(__file__).parent


def loaded(name: str) -> ModuleType:
    """A module that stands beside the tests."""
    specification = importlib.util.spec_from_file_location(
        f"tests_reports_{name}", HERE / f"{name}.py"
    )
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def absent(what: str) -> None:
    """Skip with a line that can be seen; on a machine that accepts changes, fail."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is needed here: a skip would hide a broken report.")
    pytest.skip(f"{what} is not installed: reports were not looked at.")


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A headless Chromium with one page."""
    module = loaded("browser")
    program = module.chromium()
    if program is None:
        absent("chromium")
    with module.browsing(program, tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="session")
def axe() -> str:
    """The accessibility checker axe-core, from the Python package that holds it."""
    specification = importlib.util.find_spec("axe_core_python")
    if specification is None or specification.origin is None:
        absent("axe-core-python")
        raise AssertionError
    return (Path(specification.origin).parent / "axe.min.js").read_text("utf-8")


@pytest.fixture(scope="session")
def models() -> dict[str, Any]:
    """Two models of the same cases."""
    return {"forest": examples.breast_cancer(), "texture": examples.breast_cancer("p_texture")}


@pytest.fixture(scope="session")
def assessment(models: dict[str, Any]) -> Any:
    """Every measure of one model."""
    return assess(models["forest"], rng=1)


@pytest.fixture(scope="session")
def comparison(models: dict[str, Any]) -> Any:
    """Two models compared."""
    return compare(models, rng=1)


@pytest.fixture(scope="session")
def detection() -> Any:
    """Two classes that differ, by two statistics."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 3)) + 2.0 * (np.arange(30) % 2)[:, None]
    y = np.where(np.arange(30) % 2, "b", "a")
    return detect(X, y, tests=["hotelling", "srivastava_du"], draws=199, rng=1)


@pytest.fixture(scope="session")
def study() -> Any:
    """Powers of two tests with three numbers of cases."""
    tests = ["fisher", "auc"]
    return power(Binormal(), tests, n=[20, 40, 80], effects=0.75, replications=60, rng=1)


@pytest.fixture(scope="session")
def sizes() -> Any:
    """The number of cases that one test needs."""
    return sample_size(Binormal(), ["auc"], effect=0.75, replications=60, rng=1)


@pytest.fixture(scope="session")
def survival() -> Any:
    """Risks of censored times."""
    rng = np.random.default_rng(6)
    risk = rng.normal(size=120)
    time = rng.exponential(np.exp(-risk))
    return Survival(time, rng.random(120) < 0.8, risk=risk)


@pytest.fixture(scope="session")
def opened(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Open a report in the browser, in a scheme and at a width."""
    folder = tmp_path_factory.mktemp("reports")

    def show(html: str, *, scheme: str = "light", width: int = 1180) -> Any:
        path = folder / "report.html"
        path.write_text(html, encoding="utf-8")
        browser.media(scheme)
        browser.size(width, 900, phone=width < 500)
        browser.open(path.as_uri())
        return browser

    return show
