"""`abovechance searchlight`: images and tables in, maps out."""

import json
from pathlib import Path

import numpy as np
import pytest

from abovechance.cli import main
from abovechance.maps import read_map, simulate_subjects
from abovechance.maps.images import trials_of
from maps.kills import blocks, files, killed_after

IMAGES = ["sub-01/bold.nii.gz", "sub-02/bold.nii.gz"]
FEW = ["--neighbours", "7", "--draws", "4", "--seed", "1"]


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("nibabel")
    simulate_subjects(2, voxel=20, rng=1).write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(*more: str, out: str = "maps") -> int:
    base = ["--labels", "labels.tsv", "--mask", "mask.nii.gz", "--out", out]
    return main(["searchlight", *IMAGES, *base, *FEW, *more])


def test_maps_of_all_subjects_are_written_and_told_of(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask() == 0
    said = capsys.readouterr()
    assert "labels.tsv: labels = label; runs = run" in said.out
    assert "sub-02" in said.out
    assert "14 files written to maps" in said.err
    one = read_map(study / "maps" / "sub-02")
    assert (one.subject, one.runs, one.draws) == ("sub-02", 4, 4)
    assert (study / "maps" / "sub-01" / "observed.nii.gz").is_file()


def test_files_are_the_same_from_processes_a_store_and_one_subject_at_a_time(study: Path) -> None:
    assert ask() == 0
    assert ask("--workers", "2", "--store", "work.db", out="shared") == 0
    assert ask("--store", "work.db", out="resumed") == 0
    rest = ["--labels", "labels.tsv", "--mask", "mask.nii.gz", "--out", "single", *FEW]
    for image in IMAGES:
        assert main(["searchlight", image, *rest]) == 0
    for other in ("shared", "resumed", "single"):
        for path in (study / "maps").rglob("*"):
            if path.suffix in (".npy", ".json"):
                same = study / other / path.relative_to(study / "maps")
                assert same.read_bytes() == path.read_bytes()


def test_a_run_that_was_killed_is_resumed_and_leaves_the_same_files(study: Path) -> None:
    base = ["searchlight", *IMAGES, "--labels", "labels.tsv", "--mask", "mask.nii.gz", *FEW]
    assert main([*base, "--out", "a"]) == 0
    again = [*base, "--store", "work.db", "--out", "b"]
    killed_after(1, again)
    assert blocks(study / "work.db") == 1
    assert main(again) == 0
    assert blocks(study / "work.db") > 1
    assert files(study / "b") == files(study / "a")


def test_patterns_that_a_shell_leaves_are_expanded(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rest = ["--labels", "labels.tsv", "--mask", "mask.nii.gz", "--out", "maps", *FEW]
    assert main(["searchlight", "sub-*/bold.nii.gz", *rest]) == 0
    assert (study / "maps" / "sub-02" / "map.json").is_file()
    assert main(["searchlight", "none-*.nii.gz", *rest]) == 2
    assert "no file matches 'none-*.nii.gz'" in capsys.readouterr().err


def test_the_answer_is_json_csv_and_a_report_too(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask("--format", "json", "--report", "page.html") == 0
    facts = json.loads(capsys.readouterr().out)
    assert [one["subject"] for one in facts["maps"]] == ["sub-01", "sub-02"]
    assert "Where is the signal?" in (study / "page.html").read_text("utf-8")
    assert ask("--format", "csv") == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        (["--statistic", "nonsense"], 2, "unknown statistic 'nonsense'"),
        (["--radius", "3", "--parcels", "mask.nii.gz"], 2, "give one of radius, neighbours and"),
        (["--label-column", "colour"], 2, "colour"),
        (["--process-mask", "sub-01/bold.nii.gz"], 2, "--process-mask must have the shape"),
    ],
)
def test_what_is_wrong_is_one_line_and_code_2(
    study: Path, more: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask(*more) == code
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_a_store_of_another_seed_says_which(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask("--store", "work.db") == 0
    base = ["--labels", "labels.tsv", "--mask", "mask.nii.gz", "--out", "maps"]
    again = ["--neighbours", "7", "--draws", "4", "--store", "work.db"]
    assert main(["searchlight", *IMAGES, *base, *again]) == 2
    assert "To resume that run, give --seed 1." in capsys.readouterr().err


def test_a_file_that_is_no_image_is_refused(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (study / "mask.nii.gz").write_bytes(b"not an image")
    assert ask() == 2
    assert "'mask.nii.gz' cannot be read as an image" in capsys.readouterr().err


def test_labels_are_found_for_all_for_each_beside_images_and_by_subject(tmp_path: Path) -> None:
    rows = "trial_type\tchunk\n" + "".join(f"{'ab'[k % 2]}\t{k // 2}\n" for k in range(4))
    names, images = ["sub-1", "sub-2"], [str(tmp_path / f"sub-{k}/bold.nii") for k in (1, 2)]
    shared = tmp_path / "labels.tsv"
    shared.write_text(rows, "utf-8")
    for_all = trials_of([str(shared)], images, names)
    assert for_all["sub-2"].labels.tolist() == ["a", "b", "a", "b"]
    assert np.asarray(for_all["sub-2"].runs).tolist() == ["0", "0", "1", "1"]
    assert trials_of([str(shared)], images, names, runs="no")["sub-1"].runs is None
    for image in images:
        Path(image).parent.mkdir()
        (Path(image).parent / "events.csv").write_text(rows.replace("\t", ","), "utf-8")
    beside = trials_of(["events.csv"], images, names)
    each = trials_of([str(Path(i).parent / "events.csv") for i in images], images, names)
    assert beside["sub-1"].labels.tolist() == each["sub-1"].labels.tolist() == list("abab")
    lines = [f"sub-{s}\t{'xy'[(k + s) % 2]}" for s in (1, 2) for k in range(3)]
    shared.write_text("\n".join(["participant_id\tlabel", *lines]) + "\n", "utf-8")
    apart = trials_of([str(shared)], images, names)
    assert [apart[name].labels.tolist() for name in names] == [list("yxy"), list("xyx")]
