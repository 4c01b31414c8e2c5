"""The folders are the architecture: imports point down only, and slow libraries load late."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from abovechance.cli import COMMANDS

SOURCE = Path(__file__).parents[1] / "src"

# Lowest first; a layer uses itself and those before it. ARCHITECTURE.md says what each is for.
LAYERS = (
    "lazy",
    "errors",
    "paths",
    "advice",
    "arrays",
    "format",
    "limits",
    "tabular",
    "plugins",
    "progress",
    "docstrings",
    "settings",
    "numerics",
    "resampling",
    "predictions",
    "gate",
    "io",
    "measures",
    "examples",
    "learning",
    "signal",
    "inference",
    "testing",
    "studies",
    "maps",
    "plots",
    "reports",
    "qualification",
    "app",
    "cli",
)

# Each costs a tenth of a second to two seconds to load, or belongs to an extra: never at the top
# of a module. Compiled kernels may import numba, for they are themselves imported late.
LATE = (
    "dask",
    "distributed",
    "matplotlib",
    "narwhals",
    "nibabel",
    "nilearn",
    "numba",
    "pandas",
    "polars",
    "pyarrow",
    "pyreadstat",
    "python_calamine",
    "scipy.stats",
    "sklearn",
)
KERNELS = ("abovechance.numerics.kernels", "abovechance.numerics.machine_room")


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(SOURCE.rglob("*.py"))}


def imported(node: ast.AST, package: str) -> Iterator[str]:
    """Full names a single node imports; for `from a import b` both a and a.b."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = package.split(".")[: 1 - node.level or None] if node.level else []
        base = ".".join([*above, *([node.module] if node.module else [])])
        yield base
        yield from (f"{base}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        # A module named in a string, to be imported by importlib.
        parts = node.value.split(".")
        if parts[0] == "abovechance" and len(parts) > 1 and all(map(str.isidentifier, parts)):
            yield node.value


def everywhere(tree: ast.AST, package: str) -> set[str]:
    return {name for node in ast.walk(tree) for name in imported(node, package)}


def at_the_top(tree: ast.AST, package: str) -> set[str]:
    """Imports that happen on loading: not inside a function, not for the type checker alone."""
    names: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting.extend(node.orelse)
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            names.update(imported(node, package))
        waiting.extend(ast.iter_child_nodes(node))
    return names


def package_of(module: str) -> str:
    return module if MODULES[module].name == "__init__.py" else module.rpartition(".")[0]


def within(name: str, library: str) -> bool:
    return name == library or name.startswith(library + ".")


def compiled(module: str) -> bool:
    """Whether a module is of compiled loops; the doors of their folders are not."""
    return any(module.startswith(folder + ".") for folder in KERNELS)


def climbing(module: str, names: set[str]) -> list[str]:
    """The imports of a module that point up, or at the whole package."""
    layer = LAYERS.index(module.split(".")[1])
    allowed = {"abovechance", "abovechance.__version__"}
    ours = sorted(name for name in names if within(name, "abovechance") and name not in allowed)
    return [name for name in ours if name.split(".")[1] not in LAYERS[: layer + 1]]


def parsed(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text("utf-8"))


BELOW_THE_TOP = [module for module in MODULES if module != "abovechance"]


@pytest.mark.parametrize("module", BELOW_THE_TOP)
def test_every_module_belongs_to_a_layer(module: str) -> None:
    assert module.split(".")[1] in (*LAYERS, "__main__")


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {path.parent for path in MODULES.values()}
    assert sorted(str(folder) for folder in folders if not (folder / "__init__.py").is_file()) == []


@pytest.mark.parametrize("module", [m for m in BELOW_THE_TOP if not m.endswith("__main__")])
def test_imports_point_down(module: str) -> None:
    assert climbing(module, everywhere(parsed(module), package_of(module))) == []


# What pictures, tables and pages may take numbers from: they draw and print, and compute none.
COMPUTING = (
    "abovechance.numerics",
    "abovechance.resampling",
    "abovechance.learning",
    "abovechance.signal",
    "abovechance.inference.intervals",
    "scipy",
)


@pytest.mark.parametrize("module", [m for m in MODULES if within(m, "abovechance.plots")])
def test_no_picture_computes_numbers(module: str) -> None:
    names = everywhere(parsed(module), package_of(module))
    taken = sorted(n for n in names if any(within(n, other) for other in COMPUTING))
    assert [n for n in taken if not n.endswith(".signal.find") and n != "abovechance.signal"] == []


def test_no_module_has_the_name_of_another() -> None:
    names = [module.rpartition(".")[2] for module in MODULES]
    assert sorted(name for name in set(names) if names.count(name) > 1) == []


@pytest.mark.parametrize("module", [m for m in MODULES if "." in m and not m.endswith("__main__")])
def test_no_module_has_the_name_of_what_its_folder_offers(module: str) -> None:
    folder, _, name = module.rpartition(".")
    loaded, package = import_module(module), import_module(folder)
    assert name not in getattr(package, "_HOMES", ())  # it would be the module once that is loaded
    if name in getattr(package, "__all__", ()):
        assert getattr(package, name) is loaded


@pytest.mark.parametrize("module", list(MODULES))
def test_slow_libraries_are_imported_late(module: str) -> None:
    early = at_the_top(parsed(module), package_of(module))
    late = [name for name in LATE if not (name == "numba" and compiled(module))]
    assert sorted(name for name in early if any(within(name, other) for other in late)) == []


@pytest.mark.parametrize("module", [m for m in MODULES if not compiled(m)])
def test_compiled_kernels_are_imported_late(module: str) -> None:
    early = at_the_top(parsed(module), package_of(module))
    assert sorted(name for name in early & set(MODULES) if compiled(name)) == []


def names_asked(tree: ast.AST) -> list[int]:
    """Lines that compare the name of a measure."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        for side in (node.left, *node.comparators)
        if isinstance(side, ast.Attribute) and side.attr == "name"
        if (
            isinstance(side.value, ast.Name)
            and side.value.id in ("measure", "m", "chosen", "known")
        )
        or (isinstance(side.value, ast.Attribute) and side.value.attr == "measure")
    ]


def test_nothing_in_inference_asks_the_name_of_a_measure() -> None:
    asked = {m: names_asked(parsed(m)) for m in MODULES if m.startswith("abovechance.inference")}
    assert {module: lines for module, lines in asked.items() if lines} == {}


def test_a_comparison_of_names_would_be_seen() -> None:
    assert names_asked(ast.parse('if self.measure.name == "kendall": pass')) == [1]
    assert names_asked(ast.parse('quick = m.name in ("auc", "brier")')) == [1]
    assert names_asked(ast.parse("f.name not in about")) == []


def predictions_asked(tree: ast.AST) -> list[int]:
    """Lines that ask which kind of predictions they have."""
    kinds = {"Binary", "Multiclass", "Numeric", "Survival"}
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        if isinstance(node.func, ast.Name) and node.func.id == "isinstance"
        if kinds & {n.id for n in ast.walk(node.args[1]) if isinstance(n, ast.Name)}
    ]


def test_nothing_in_inference_asks_the_kind_of_predictions() -> None:
    inside = (m for m in MODULES if within(m, "abovechance.inference"))
    asked = {module: predictions_asked(parsed(module)) for module in inside}
    assert {module: lines for module, lines in asked.items() if lines} == {}


def test_a_question_for_the_kind_of_predictions_would_be_seen() -> None:
    assert predictions_asked(ast.parse("if isinstance(p, Binary | Multiclass): pass")) == [1]
    assert predictions_asked(ast.parse("isinstance(p, Predictions)")) == []


def test_predictions_are_changed_in_their_own_folder_only() -> None:
    inside = {
        module
        for module in MODULES
        if module.startswith(("abovechance.measures", "abovechance.inference"))
        for node in ast.walk(parsed(module))
        if isinstance(node, ast.Attribute) and node.attr == "__dict__"
    }
    assert inside == set()


def loaded(statement: str) -> set[str]:
    """The modules in memory after a statement, in a Python of its own."""
    program = f"{statement}\nimport sys; print(); print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


HELP = """
from abovechance.cli import main
assert main({arguments}) == 0
"""
HEAVY = {"matplotlib", "narwhals", "numba", "numpy", "pyarrow", "scipy", "sklearn"}


def test_importing_the_package_loads_no_numpy() -> None:
    assert loaded("import abovechance") & HEAVY == set()


def test_help_loads_nothing_heavy() -> None:
    assert loaded(HELP.format(arguments=["--help"])) & HEAVY == set()


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_help_of_a_command_loads_nothing_heavy(command: str) -> None:
    assert loaded(HELP.format(arguments=[command, "--help"])) & HEAVY == set()


def test_no_module_loads_a_slow_library_when_imported() -> None:
    quick = [name for name in MODULES if not (compiled(name) or within(name, "abovechance.app"))]
    everything = loaded("import " + ", ".join(n for n in quick if not n.endswith("__main__")))
    assert everything & set(LATE) == set()


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import abovechance.cli", ["abovechance.cli"]),
        ("def f():\n    from abovechance.inference import assess", ["abovechance.inference"]),
        ("from abovechance import reports", ["abovechance.reports"]),
        ("from ..studies import power", ["abovechance.studies"]),
        ("load('abovechance.plots')", ["abovechance.plots"]),
        ("from abovechance.numerics import ranks", []),
        ("from abovechance import __version__", []),
    ],
)
def test_an_import_that_points_up_would_be_seen(source: str, found: list[str]) -> None:
    seen = climbing(
        "abovechance.measures.rank", everywhere(ast.parse(source), "abovechance.measures")
    )
    assert [name for name in seen if name.count(".") == 1] == found


@pytest.mark.parametrize(
    ("source", "early"),
    [
        ("from scipy import stats", True),
        ("try:\n    import scipy.stats as st\nexcept ImportError:\n    pass", True),
        ("class A:\n    from scipy.stats import beta", True),
        ("def f():\n    import scipy.stats", False),
        ("if TYPE_CHECKING:\n    import scipy.stats", False),
        ("from scipy import special", False),
    ],
)
def test_an_early_import_would_be_seen(source: str, early: bool) -> None:
    names = at_the_top(ast.parse(source), "abovechance.measures")
    assert any(within(name, "scipy.stats") for name in names) is early


def reads_a_title(node: ast.AST) -> bool:
    """Whether a call, or `in`, takes the text of a method or a test apart."""
    texts: list[ast.expr] = []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in ("startswith", "endswith", "split", "partition", "removesuffix"):
            texts = [node.func.value]
    elif isinstance(node, ast.Compare) and any(isinstance(op, ast.In) for op in node.ops):
        texts = node.comparators
    return any(
        isinstance(part, ast.Attribute) and part.attr in ("method", "test")
        for text in texts
        for part in ast.walk(text)
    )


def test_nothing_is_read_out_of_the_title_of_a_method() -> None:
    above = ("abovechance.inference", "abovechance.cli", "abovechance.reports", "abovechance.plots")
    found = {
        f"{name}:{node.lineno}"
        for name, path in MODULES.items()
        if name.startswith(above)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if reads_a_title(node)
    }
    assert found == set()
    for name in ("inference.sentences", "reports.methods"):
        text = MODULES[f"abovechance.{name}"].read_text("utf-8")
        assert "import re" not in text
