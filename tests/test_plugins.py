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


METHOD = """
import json, sys
import abovechance as ac
sys.path.insert(0, sys.argv[1])
from docs.generator import methods
cases = ac.examples.breast_cancer("p_texture")
asked = {"auc": "brunner_munzel"}
assessed = ac.assess(cases, ["auc", "somers_d"], methods=asked, draws=99, rng=1)
apart = ac.Binary([0] * 5 + [1] * 5, score=range(10))
few = ac.Binary([0, 1] * 4, score=range(8))
refused = ac.assess(few, "auc", methods=asked, draws=99, rng=1)
power = ac.power("auc=brunner_munzel", n=30, effects=0.9, replications=50, rng=1)
print(json.dumps({
    "rows": [[row.p_value, row.test] for row in assessed],
    "value": assessed["auc"].value,
    "page": ac.report(assessed).html,
    "apart": ac.assess(apart, "auc", methods=asked, draws=99, rng=1)["auc"].test,
    "refused": [refused["auc"].p_value, refused.advice[0].text],
    "power": [[row["statistic"], row["power"]] for row in power.rows()],
    "listed": ac.methods.describe("test"),
    "documented": methods.pages()["methods/test-brunner_munzel.rst"],
}))
"""


def test_the_example_package_adds_a_test_that_verbs_reports_and_docs_know(example: Path) -> None:
    out, err = python(METHOD, example, EXAMPLE / "src", argv=(str(ROOT),))
    assert err == ""
    got = json.loads(out)
    (p, title), (other, usual) = got["rows"]
    assert title == "Brunner–Munzel"
    assert usual == "Mann–Whitney, normal approximation"  # only the one that was asked for
    assert 0 < p < other < 1e-8
    assert "by Brunner and Munzel&#39;s test (Brunner and Munzel 2000)" in got["page"]
    assert "@article{brunner2000," in got["page"]
    assert got["apart"].startswith("Mann–Whitney")
    said = "Brunner and Munzel's test needs at least 10 cases; there are 8."
    assert got["refused"] == [None, f"no test against chance: {said}"]
    ((name, power),) = got["power"]
    assert name == "auc=brunner_munzel"
    assert 0.9 < power <= 1
    assert (
        "test brunner_munzel: Brunner and Munzel's test; pairs; independent cases"
        in got["listed"].splitlines()
    )
    assert got["documented"].startswith("Brunner–Munzel\n===")
    assert "- Brunner and Munzel 2000. The nonparametric" in got["documented"]


def test_the_command_line_takes_the_test_by_its_name(example: Path, tmp_path: Path) -> None:
    cases = tmp_path / "cases.csv"
    pairs = [(i % 2, 3 * (i % 2) + i % 7) for i in range(30)]
    cases.write_text("y,score\n" + "".join(f"{y},{s}\n" for y, s in pairs))
    asked = ("assess", str(cases), "--outcome", "y", "--score", "score", "--measures", "auc")
    folders = (example, EXAMPLE / "src")
    out, err = python(COMMAND, *folders, argv=(*asked, "--method", "auc=brunner_munzel"))
    assert err == ""
    assert "Brunner–Munzel; H0: a positive case is as likely" in out


PICTURE = """
import json
import matplotlib; matplotlib.use("Agg")
import abovechance as ac
numbers = ac.examples.diabetes()
axes = ac.plot(numbers, kind="errors")
page = ac.report(ac.assess(numbers, "mae", draws=99, rng=1), predictions=numbers).html
try:
    refused = ac.plot(ac.examples.breast_cancer(), kind="errors")
except ac.AboveChanceError as error:
    refused = str(error)
print(json.dumps({
    "of": ac.plots.pictures()["errors"].of,
    "label": axes.get_xlabel(),
    "cases": sum(bar.get_height() for bar in axes.patches),
    "page": page,
    "refused": refused,
}))
"""


def test_the_example_package_adds_a_picture_that_plots_and_reports_show(example: Path) -> None:
    out, err = python(PICTURE, example, EXAMPLE / "src")
    assert err == ""
    got = json.loads(out)
    assert got["of"] == ["numeric"]
    assert got["label"] == "Observed minus predicted"
    assert got["cases"] == 442
    assert "Cases to the right of the line were predicted too low." in got["page"]
    assert got["refused"] == "errors is for outcomes that are numbers; got binary."


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
    said = f"plug-in 'late' of late-comer declares {name!r}, but abovechance already has {clash!r}"
    assert [said in line for line in warned] == [True]


def test_of_two_plug_ins_with_one_name_the_first_by_package_is_kept(tmp_path: Path) -> None:
    for package in ("second", "first"):
        install(tmp_path, package, {"measures": {"own": f"{package}_module:mine"}})
        (tmp_path / f"{package}_module.py").write_text(DECLARE.format(name="mine", aliases=()))
    names, warned = catalogue(tmp_path)
    assert names.count("mine") == 1
    said = "plug-in 'own' of second declares 'mine', but plug-in 'own' of first already has 'mine'"
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


FOUND = {
    "methods": "import abovechance as ac; print(*(m.name for m in ac.methods.every()))",
    "pictures": "import abovechance as ac; print(*ac.plots.pictures())",
}
OWN = {"methods": "wilson", "pictures": "roc"}
DECLARED = {
    "methods": """
from abovechance import methods
from abovechance.inference.proportions import wilson as other  # not declared here: left alone
from abovechance.measures import Law

@methods.interval(title="Mine", words="mine", source="wilson1927", laws=[Law.PAIRS])
def {first}(measure, predictions, settings):
    return 0.0, 1.0

@methods.{kind}(title="Mine", words="mine", source="wilson1927", laws=[Law.PAIRS], hypothesis="h")
def {second}(measure, predictions, settings):
    return 0.5

again = {second}
""",
    "pictures": """
from abovechance.plots import picture
from abovechance.plots.case_pictures import residuals  # not declared here: left alone

@picture(of=("numeric",))
def {first}(models):
    \"\"\"Nothing.\"\"\"

@picture(of=("numeric",))
def {second}(models):
    \"\"\"Nothing.\"\"\"
""",
}


def found(group: str, folder: Path) -> tuple[list[str], list[str]]:
    """All methods or pictures by name, and the lines of warning that name a plug-in."""
    out, err = python(FOUND[group], folder)
    return out.split(), [line for line in err.splitlines() if "plug-in" in line]


@pytest.mark.parametrize("group", FOUND)
def test_of_a_plug_in_with_a_name_that_is_taken_the_rest_is_kept(
    group: str, tmp_path: Path
) -> None:
    install(tmp_path, "late-comer", {group: {"late": "late"}})
    own = OWN[group]
    text = DECLARED[group].format(first=own, second="mine", kind="test")
    (tmp_path / "late.py").write_text(text)
    names, warned = found(group, tmp_path)
    assert names.count("mine") == names.count(own) == 1
    called = f"interval {own}" if group == "methods" else own
    said = f"declares {called!r}, but abovechance already has {called!r}; it is left out."
    assert [f"plug-in 'late' of late-comer {said}" in line for line in warned] == [True]


def test_a_test_may_have_the_name_of_an_interval(tmp_path: Path) -> None:
    install(tmp_path, "two-kinds", {"methods": {"two": "two"}})
    text = DECLARED["methods"].format(first="mine", second="wilson", kind="test")
    (tmp_path / "two.py").write_text(text)
    names, warned = found("methods", tmp_path)
    assert (names.count("mine"), names.count("wilson"), warned) == (1, 2, [])


@pytest.mark.parametrize("group", FOUND)
def test_a_broken_plug_in_of_any_group_is_left_out_whole(group: str, tmp_path: Path) -> None:
    install(tmp_path, "broken-things", {group: {"mine": "mine"}})
    text = DECLARED[group].format(first="mine", second="other", kind="interval")
    (tmp_path / "mine.py").write_text(f"{text}\nraise RuntimeError('no luck')\n")
    names, warned = found(group, tmp_path)
    assert OWN[group] in names
    assert not {"mine", "other"} & set(names)
    assert len(warned) == 1
    assert "plug-in 'mine' of broken-things cannot be loaded" in warned[0]
    assert "(RuntimeError: no luck)" in warned[0]


def test_a_package_offers_what_its_modules_declare(tmp_path: Path) -> None:
    install(tmp_path, "whole-package", {"methods": {"all": "whole"}})
    (tmp_path / "whole").mkdir()
    (tmp_path / "whole" / "__init__.py").write_text("from whole.part import mine, other")
    text = DECLARED["methods"].format(first="mine", second="other", kind="comparison")
    (tmp_path / "whole" / "part.py").write_text(text)
    names, warned = found("methods", tmp_path)
    assert {"mine", "other"} <= set(names)
    assert warned == []


def test_a_method_of_a_program_is_refused_at_once_where_its_name_is_taken(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        DECLARED["methods"].format(first="wilson", second="other", kind="test")
    )
    program = """
import abovechance as ac
try:
    import mine
except ac.AboveChanceError as error:
    print(error)
"""
    out, err = python(program, tmp_path)
    assert err == ""
    assert out.startswith("'wilson' is the name of another interval, of abovechance.inference.")
    assert out.endswith("; take another name.\n")


def test_a_plug_in_that_was_imported_before_is_taken_once(tmp_path: Path) -> None:
    install(tmp_path, "early", {"methods": {"mine": "mine"}})
    (tmp_path / "mine.py").write_text(
        DECLARED["methods"].format(first="mine", second="other", kind="test")
    )
    out, err = python("import mine; " + FOUND["methods"], tmp_path)
    assert err == ""
    assert out.split().count("mine") == out.split().count("other") == 1
