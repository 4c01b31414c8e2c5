"""Results to report, and a browser to look at reports with."""

import importlib.util
import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from abovechance import examples
from abovechance.inference import assess, compare

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
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The accessibility checker axe-core: from a Python package that holds it, or from npm."""
    specification = importlib.util.find_spec("axe_core_python")
    if specification is not None and specification.origin is not None:
        return (Path(specification.origin).parent / "axe.min.js").read_text("utf-8")
    npm = shutil.which("npm")
    folder = tmp_path_factory.mktemp("axe")
    command = [str(npm), "pack", "--silent", "axe-core@4"]
    done = npm and subprocess.run(command, cwd=folder, capture_output=True, timeout=120)
    archives = list(folder.glob("*.tgz"))
    if not done or not archives:
        pytest.skip("axe-core is not to be had: accessibility was not checked.")
    with tarfile.open(archives[0]) as archive:
        member = archive.extractfile("package/axe.min.js")
        assert member is not None
        return member.read().decode("utf-8")


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
