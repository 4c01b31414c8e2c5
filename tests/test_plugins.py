"""A package beside this one adds its declarations by entry points; a broken one costs a line."""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "plugin"


def install(folder: Path, package: str, points: Mapping[str, Mapping[str, str]]) -> None:
    """What an installer leaves behind of a package: its name and its entry points."""
    about = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [
        f"[abovechance.{group}]\n" + "".join(f"{k} = {v}\n" for k, v in entries.items())
        for group, entries in points.items()
    ]
    (about / "entry_points.txt").write_text("\n".join(lines))


def python(code: str, *folders: Path, argv: tuple[str, ...] = ()) -> tuple[str, str]:
    """What a Python of its own prints, with these folders on its path."""
    path = os.pathsep.join([*map(str, folders), str(ROOT / "src")])
    done = subprocess.run(
        [sys.executable, "-c", code, *argv],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "default"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """The example package as if it were installed, by its own pyproject."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    points = {k.removeprefix("abovechance."): v for k, v in project["entry-points"].items()}
    install(tmp_path, project["name"], points)
    return tmp_path


USED = """
import json, pickle, pydoc
import abovechance as ac
found = ac.measures.find("Spherical")
y, p = [0, 0, 1, 1, 0, 1], [0.2, 0.6, 0.4, 0.9, 0.1, 0.8]
row = ac.assess(y, p, ["good_score"], draws=99, rng=1)["spherical"]
both = ac.compare({"a": p, "b": p[::-1]}, y, ["spherical"], draws=99, rng=1)
print(json.dumps({
    "value": ac.measures.spherical([0, 1], [0.5, 1.0]),
    "applies": "spherical" in [m.name for m in ac.measures.applicable(ac.Binary(y, probability=p))],
    "estimate": row.value,
    "interval": [row.interval.low, row.interval.high],
    "p": row.p_value,
    "compared": both["spherical"].difference,
    "same": pickle.loads(pickle.dumps(found)) is found,
    "help": pydoc.render_doc(ac.measures.spherical, renderer=pydoc.plaintext),
}))
"""


def test_the_example_package_adds_a_measure_with_all_that_measures_have(example: Path) -> None:
    out, err = python(USED, example, EXAMPLE / "src")
    assert err == ""
    got = json.loads(out)
    assert got["value"] == pytest.approx((0.5**0.5 + 1.0) / 2.0)
    assert got["applies"]
    assert got["interval"][0] < got["estimate"] < got["interval"][1]
    assert 0 < got["p"] < 1
    assert got["compared"] > 0
    assert got["same"]
    assert "spherical(y_true, y_proba, *, pos_label=None" in got["help"]
    assert "- Package: abovechance_example" in got["help"]


COMMAND = "import sys; from abovechance.cli import main; sys.exit(main(sys.argv[1:]))"


def test_the_command_line_lists_it_with_its_origin(example: Path) -> None:
    folders = (example, EXAMPLE / "src")
    text, err = python(COMMAND, *folders, argv=("measures",))
    assert err == ""
    lines = [line.strip() for line in text.splitlines()]
    after = lines[lines.index("Quadratic (plug-in abovechance_example)") :]
    assert any(line.startswith("spherical ") for line in after)
    rows = json.loads(python(COMMAND, *folders, argv=("measures", "--format", "json"))[0])
    packages = {row["name"]: row["package"] for row in rows}
    assert packages["spherical"] == "abovechance_example"
    assert packages["brier"] == "abovechance"
    one, _ = python(COMMAND, *folders, argv=("measures", "spherical"))
    assert one.startswith("Spherical score (spherical; quadratic family)")


CATALOGUE = "import abovechance as ac; print(*ac.measures.every())"
DECLARE = """
from abovechance import measure
from abovechance.measures import Family, Form, Law
from abovechance.predictions import View

@measure(title="Mine", form=Form.LOSSES, family=Family.QUADRATIC, reads=View.PROBABILITY,
         range=(0.0, 1.0), best=0.0, law=Law.MEAN, source="me", aliases={aliases})
def {name}(outcome, probability):
    \"\"\"Mine.\"\"\"
    return (outcome - probability) ** 2
"""


def catalogue(folder: Path) -> tuple[list[str], list[str]]:
    """All measures by name, and the lines of warning that name a plug-in."""
    out, err = python(CATALOGUE, folder)
    return out.split(), [line for line in err.splitlines() if "plug-in" in line]


@pytest.mark.parametrize(
    ("module", "target", "says"),
    [
        ("raise RuntimeError('no luck')", "mine", "(RuntimeError: no luck)"),
        ("raise SystemExit('bye')", "mine", "(SystemExit: bye)"),
        ("import not_there_at_all", "mine", "(ModuleNotFoundError: No module named"),
        ("x = 3", "mine:y", "(AttributeError: "),
        ("x = 3", "mine:x", "(TypeError: 3 is not a Measure)"),
        ("x = ['auc']", "mine:x", "(TypeError: 'auc' is not a Measure)"),
        ("from abovechance.measures import auc", "mine", "declares no measure in mine."),
    ],
)
def test_a_broken_plug_in_is_named_in_one_line_and_left_out(
    module: str, target: str, says: str, tmp_path: Path
) -> None:
    install(tmp_path, "broken-things", {"measures": {"mine": target}})
    (tmp_path / "mine.py").write_text(module)
    names, warned = catalogue(tmp_path)
    assert "auc" in names
    assert len(warned) == 1
    assert "plug-in 'mine' of broken-things" in warned[0]
    assert says in warned[0]


@pytest.mark.parametrize(
    ("name", "aliases", "clash"),
    [
        ("auc", (), "auc"),
        ("mine", ("roc_auc",), "roc_auc"),
        ("recall_micro", (), "recall_micro"),
        ("f2_score", (), "f2_score"),
        ("mine", ("mae_trim",), "mae_trim"),
    ],
)
def test_a_name_that_is_taken_is_refused(
    name: str, aliases: tuple[str, ...], clash: str, tmp_path: Path
) -> None:
    install(tmp_path, "late-comer", {"measures": {"late": "late"}})
    (tmp_path / "late.py").write_text(DECLARE.format(name=name, aliases=aliases))
    names, warned = catalogue(tmp_path)
    assert names.count(name) == (name == "auc")
    said = (
        f"plug-in 'late' of late-comer declares {name!r}, but abovechance already has a {clash!r}"
    )
    assert [said in line for line in warned] == [True]


def test_of_two_plug_ins_with_one_name_the_first_by_package_is_kept(tmp_path: Path) -> None:
    for package in ("second", "first"):
        install(tmp_path, package, {"measures": {"own": f"{package}_module:mine"}})
        (tmp_path / f"{package}_module.py").write_text(DECLARE.format(name="mine", aliases=()))
    names, warned = catalogue(tmp_path)
    assert names.count("mine") == 1
    said = (
        "plug-in 'own' of second declares 'mine', but plug-in 'own' of first already has a 'mine'"
    )
    assert [said in line for line in warned] == [True]


def test_the_command_line_warns_in_a_line_of_its_own(tmp_path: Path) -> None:
    install(tmp_path, "broken-things", {"measures": {"mine": "not_there_at_all"}})
    out, err = python(COMMAND, tmp_path, argv=("measures", "brier"))
    assert out.startswith("Brier score")
    assert err.startswith("abovechance: plug-in 'mine' of broken-things cannot be loaded")
    assert len(err.splitlines()) == 1


def test_importing_the_package_loads_no_plug_in(tmp_path: Path) -> None:
    install(tmp_path, "eager", {"measures": {"eager": "eager"}})
    (tmp_path / "eager.py").write_text("raise SystemExit('loaded')")
    out, err = python("import abovechance as ac; ac.assess; print('still here')", tmp_path)
    assert (out, err) == ("still here\n", "")


def test_the_mechanism_serves_other_declarations_too(tmp_path: Path) -> None:
    program = """
from dataclasses import dataclass
from abovechance.plugins import declared
from pictures import Picture
print(*(p.name for p in declared("pictures", Picture, {"roc"})))
"""
    (tmp_path / "pictures.py").write_text(
        "from dataclasses import dataclass\n@dataclass\nclass Picture:\n    name: str\n"
        "own = [Picture('rose'), Picture('roc')]\n"
    )
    install(tmp_path, "painter", {"pictures": {"own": "pictures:own"}})
    out, err = python(program, tmp_path)
    assert out == "rose\n"
    assert "plug-in 'own' of painter declares 'roc', but abovechance already has a 'roc'" in err
