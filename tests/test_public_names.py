"""The package is the address: what a folder offers is listed, can be had, and says what it is.

The order of the lists is kept by the linter (RUF022).
"""

import importlib
import inspect
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
# Formulas on plain arrays, for the rest of the package: addressed by module, not offered to users.
INTERNAL = {
    "abovechance.numerics",
    "abovechance.numerics.kernels",
    "abovechance.numerics.machine_room",
}
ALL = {".".join(path.parent.relative_to(SOURCE).parts) for path in SOURCE.rglob("__init__.py")}
FOLDERS = sorted(ALL - INTERNAL)


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_lists_what_it_offers(folder: str) -> None:
    package = importlib.import_module(folder)
    names = package.__all__
    assert len(set(names)) == len(names)
    assert [name for name in names if not hasattr(package, name)] == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_public_function_and_class_says_what_it_is(folder: str) -> None:
    package = importlib.import_module(folder)
    offered = {name: getattr(package, name) for name in package.__all__}
    silent = [
        name
        for name, thing in offered.items()
        if (inspect.isclass(thing) or inspect.isroutine(thing)) and not inspect.getdoc(thing)
    ]
    assert silent == []
