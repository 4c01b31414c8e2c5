"""A version is made in a clone: number, dates, commit and tag, or a line that says why not."""

import re
import subprocess
import sys
from datetime import date
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DAY = date(2031, 5, 7)
FILES = (
    "pyproject.toml",
    "CITATION.cff",
    "CHANGELOG.md",
    "src/abovechance/__init__.py",
    "release/conda/recipe.yaml",
)
URLS = """
[project.urls]
Homepage = "https://example.org/a"
Documentation = "https://example.org/a/docs"
Source = "https://example.org/a/code"
Issues = "https://example.org/a/issues"
Changelog = "https://example.org/a/changes"
"""


@pytest.fixture(scope="module")
def release() -> Any:
    spec = spec_from_file_location("release_script", ROOT / "release/release.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def git(folder: Path, *words: str) -> str:
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The files that hold a version, as they are now, in a repository of their own."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text("utf-8"), "utf-8")
    about = tmp_path / "pyproject.toml"
    about.write_text(re.sub(r"\n\[project\.urls\]\n(.+\n)*", "\n", about.read_text()) + URLS)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "config", "user.name", "A")
    git(tmp_path, "config", "user.email", "a@example.org")
    committed(tmp_path)
    return tmp_path


def committed(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "As it is")


def refusal(release: Any, project: Path, capsys: Any, *argv: str) -> str:
    before = git(project, "log", "--format=%H")
    assert release.main(argv, project, DAY) == 2
    assert git(project, "log", "--format=%H") == before
    said: str = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


def test_a_version_is_written_dated_committed_and_tagged(release: Any, project: Path) -> None:
    old = (project / "CHANGELOG.md").read_text("utf-8")
    assert release.main(["9.1.0"], project, DAY) == 0
    assert '__version__ = "9.1.0"' in (project / FILES[3]).read_text("utf-8")
    citation = (project / "CITATION.cff").read_text("utf-8")
    assert "\nversion: 9.1.0\ndate-released: 2031-05-07\n" in citation
    assert '\n  version: "9.1.0"\n' in (project / FILES[4]).read_text("utf-8")
    changelog = (project / "CHANGELOG.md").read_text("utf-8")
    assert "## Unreleased\n\n## 9.1.0 (2031-05-07)\n\n### Added\n" in changelog
    assert len(changelog) == len(old) + len("\n## 9.1.0 (2031-05-07)\n")
    assert git(project, "status", "--porcelain") == ""
    assert git(project, "describe").strip() == "v9.1.0"


def test_the_next_version_moves_the_date(release: Any, project: Path) -> None:
    assert release.main(["9.1.0"], project, DAY) == 0
    path = project / "CHANGELOG.md"
    news = "## Unreleased\n\n### Fixed\n\n- `read`: a slip.\n"
    path.write_text(path.read_text("utf-8").replace("## Unreleased\n", news), "utf-8")
    committed(project)
    assert release.main(["9.1.1"], project, date(2031, 6, 1)) == 0
    citation = (project / "CITATION.cff").read_text("utf-8")
    assert re.findall("^date-released: (.+)$", citation, re.M) == ["2031-06-01"]


def test_a_dry_run_changes_nothing(release: Any, project: Path, capsys: Any) -> None:
    assert release.main(["9.1.0", "--dry-run"], project, DAY) == 0
    said = capsys.readouterr().out
    assert 'src/abovechance/__init__.py: __version__ = "9.1.0"' in said
    assert "CHANGELOG.md: ## 9.1.0 (2031-05-07)" in said
    assert "would be refused" not in said
    assert git(project, "status", "--porcelain") == git(project, "tag") == ""


@pytest.mark.parametrize("wanted", ["1", "1.2", "v1.2.3", "1.2.3-final", "01.2.3"])
def test_what_is_no_version_is_refused(
    release: Any, project: Path, capsys: Any, wanted: str
) -> None:
    assert "a version is three numbers" in refusal(release, project, capsys, wanted)


def test_an_earlier_version_is_refused(release: Any, project: Path, capsys: Any) -> None:
    assert "must be later than" in refusal(release, project, capsys, "0.0.1")


def test_nothing_new_is_refused(release: Any, project: Path, capsys: Any) -> None:
    assert release.main(["9.1.0"], project, DAY) == 0
    assert "there is nothing new" in refusal(release, project, capsys, "9.2.0")


def test_changed_results_need_a_minor_version(release: Any, project: Path, capsys: Any) -> None:
    assert release.main(["9.1.0"], project, DAY) == 0
    path = project / "CHANGELOG.md"
    news = "## Unreleased\n\n### Changed results\n\n- `auc`: by .1.\n"
    path.write_text(path.read_text("utf-8").replace("## Unreleased\n", news), "utf-8")
    committed(project)
    assert "must be a minor one at least" in refusal(release, project, capsys, "9.1.1")
    assert release.main(["9.2.0"], project, DAY) == 0


def test_changes_that_are_not_committed_are_refused(
    release: Any, project: Path, capsys: Any
) -> None:
    (project / "new.txt").write_text("x")
    assert "not committed" in refusal(release, project, capsys, "9.1.0")


def test_a_package_without_links_is_refused(release: Any, project: Path, capsys: Any) -> None:
    about = project / "pyproject.toml"
    about.write_text(about.read_text("utf-8").replace(URLS, ""), "utf-8")
    committed(project)
    said = refusal(release, project, capsys, "9.1.0")
    assert "[project.urls] where the project lives; it lacks Homepage" in said


def test_it_runs_as_a_script(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "release/release.py"), "9.1.0", "--dry-run"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert '__version__ = "9.1.0"' in done.stdout
