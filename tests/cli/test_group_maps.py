"""`abovechance group-maps`: folders of subjects' maps in, the group's maps out."""

import json
from pathlib import Path

import numpy as np
import pytest

from abovechance.cli import main
from abovechance.maps import read_map
from abovechance.maps.group_level import group_maps
from maps.kills import blocks, files, killed_after
from statistical.map_subjects import ball, group, volume

FEW = ["--draws", "199", "--seed", "1"]


@pytest.fixture
def maps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Six subjects, decoded over time: no images, so nothing but numpy is needed."""
    where = volume(20)
    people = group(np.random.default_rng(1), where, 6, 20, signal=2.5 * ball(where, 2), chance=0.0)
    for number, one in enumerate(people):
        one.write(tmp_path / "maps" / f"sub-{number + 1:02d}")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "maps"


def test_a_folder_of_subjects_becomes_a_group(
    maps: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["group-maps", "maps", *FEW, "--out", "group"]) == 0
    said = capsys.readouterr()
    assert "Signal at" in said.out
    assert "6 subjects, 20 null maps each; 20 centres; 199 combinations" in said.out
    assert "3 files written to group" in said.err
    facts = json.loads((maps.parent / "group" / "group.json").read_text("utf-8"))
    own = group_maps([read_map(maps / f"sub-{i:02d}") for i in range(1, 7)], draws=199, rng=1)
    assert facts["peaks"] == json.loads(own.to_json())["peaks"]


def test_files_are_the_same_from_processes_and_from_a_store(maps: Path) -> None:
    assert main(["group-maps", "maps", *FEW, "--out", "a"]) == 0
    more = ["--workers", "2", "--store", "work.db"]
    assert main(["group-maps", "maps", *FEW, *more, "--out", "b"]) == 0
    assert main(["group-maps", "maps", *FEW, "--store", "work.db", "--out", "c"]) == 0
    for other in ("b", "c"):
        for path in (maps.parent / "a").iterdir():
            assert (maps.parent / other / path.name).read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_files_are_the_same_from_a_cluster(maps: Path) -> None:
    pytest.importorskip("distributed")
    assert main(["group-maps", "maps", *FEW, "--out", "a"]) == 0
    assert main(["group-maps", "maps", *FEW, "--cluster", "local", "--out", "b"]) == 0
    assert files(maps.parent / "b") == files(maps.parent / "a")


def test_a_run_that_was_killed_is_resumed_and_leaves_the_same_files(maps: Path) -> None:
    ask = ["group-maps", "maps", "--draws", "2000", "--seed", "1"]
    assert main([*ask, "--out", "a"]) == 0
    again = [*ask, "--store", "work.db", "--out", "b"]
    killed_after(2, again)
    assert blocks(maps.parent / "work.db") == 2
    assert main(again) == 0
    assert blocks(maps.parent / "work.db") > 2
    assert files(maps.parent / "b") == files(maps.parent / "a")


@pytest.mark.parametrize("method", ["stelzer", "joint", "sign_flip", "prevalence"])
def test_every_method_answers_as_json_csv_and_a_report(
    method: str, maps: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ask = ["group-maps", "maps", *FEW, "--method", method]
    assert main([*ask, "--format", "json", "--report", "page.html"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["kind"], facts["method"]) == ("group_maps", method)
    page = (maps.parent / "page.html").read_text("utf-8")
    assert "Where is the signal?" in page
    assert "Time course" in page
    assert main([*ask, "--format", "csv"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0].startswith("time,name,centre,size,statistic,effect,z,p_value")
    assert len(rows) == len(facts["peaks"]) + 1
    (maps.parent / "saved.json").write_text(json.dumps(facts), "utf-8")
    assert main(["report", "saved.json", "--output", "again.html"]) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "'nowhere' holds no maps of subjects"),
        (["maps/sub-01"], "at least 2 subjects; got 1"),
        (["maps", "maps/sub-01"], "two folders hold maps of one subject"),
        (["maps", "--method", "prevalence", "--control", "tfce"], "not defined"),
        (["maps", "--method", "joint", "--with-observed"], "--with-observed goes with"),
        (["maps", "--cluster-p", "2"], "--cluster-p must lie between 0 and 1"),
        (
            ["maps", "--control", "cluster"],
            "--draws 999 would do, or raise --cluster-p to 0.005",
        ),
        (["maps", "--out", "maps/sub-01/map.json"], "--out must be a folder"),
        (["maps", "--alpha", "5"], "between 0 and 1"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    arguments: list[str], said: str, maps: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["group-maps", *arguments, *FEW]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.strip().splitlines()) == 1


def test_a_store_of_another_seed_says_which(maps: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["group-maps", "maps", *FEW, "--store", "work.db"]) == 0
    assert main(["group-maps", "maps", "--draws", "199", "--store", "work.db"]) == 2
    assert "give --seed 1" in capsys.readouterr().err
