"""What holds of the files of the project as a whole."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCKS = [f"requirements-{name}" for name in ("bench", "docs", "run", "test", "uv")]

# Written with gaps, so that this file does not hold what it forbids.
HOSTS = (
    rb"p[y]pi\.(org|python)|python[h]osted|npm[j]s\.|crates[.]io|\.de[b]ian\.org|ana[c]onda\.org"
)
PATHS = rb"/w[o]rk/|/r[o]ot/|/h[o]me/\w+/|/U[s]ers/\w+/|/opt/(w[h]eels|p[y])|[A-Z]:\\U[s]ers"


def project_files() -> list[Path]:
    """Files that are tracked, or would be by `git add`: a slip is found before it is committed."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others"]
    names = subprocess.run(
        [*command, "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    return [ROOT / name for name in sorted(set(names.split("\0"))) if (ROOT / name).is_file()]


def lines_with(pattern: bytes, files: list[Path]) -> list[str]:
    found = []
    for path in files:
        for number, line in enumerate(path.read_bytes().splitlines(), start=1):
            if re.search(pattern, line):
                found.append(f"{path.relative_to(ROOT)}:{number}")
    return found


def pinned(lock: str) -> dict[str, Requirement]:
    """The requirements of a lock by name; each must be pinned and carry a hash."""
    requirements = {}
    text = (ROOT / f"{lock}.lock").read_text("utf-8")
    for entry in text.replace("\\\n", " ").splitlines():
        line, *hashes = entry.split("--hash=")
        assert hashes, f"no hash in {lock}.lock: {entry}"
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}\s*", item) for item in hashes), line
        requirement = Requirement(line)
        assert requirement.url is None, line
        assert str(requirement.specifier).startswith("=="), line
        requirements[canonicalize_name(requirement.name)] = requirement
    return requirements


def test_no_file_names_a_package_registry() -> None:
    assert lines_with(HOSTS, project_files()) == []


def test_no_file_holds_a_path_of_the_machine_it_was_made_on() -> None:
    assert lines_with(PATHS, project_files()) == []


@pytest.mark.parametrize("text", ["py" + "pi.org", "files.python" + "hosted.org"])
def test_a_registry_would_be_seen(text: str) -> None:
    assert re.search(HOSTS, text.encode())


@pytest.mark.parametrize("text", ["/ro" + "ot/x", "/ho" + "me/ada/x", "/Use" + "rs/ada/x"])
def test_a_path_of_a_machine_would_be_seen(text: str) -> None:
    assert re.search(PATHS, text.encode())


def test_no_lock_that_names_hosts_is_kept() -> None:
    unwanted = {"uv.lock", "pylock.toml", "poetry.lock", "Pipfile.lock"}
    assert [path for path in project_files() if path.name in unwanted] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_requirement_is_pinned_with_hashes(lock: str) -> None:
    assert pinned(lock)


def test_the_locks_agree_on_versions_and_contain_the_one_of_the_demo() -> None:
    run, *others = (pinned(f"requirements-{name}") for name in ("run", "test", "bench", "docs"))
    assert all(run.keys() <= other.keys() for other in others)
    together = [item for lock in (run, *others) for item in lock.items()]
    versions = {(name, str(pin.specifier)) for name, pin in together}
    assert len(versions) == len({name for name, _ in versions}), sorted(versions)


def test_the_locks_satisfy_the_declared_dependencies() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    project, groups = declared["project"], declared["dependency-groups"]
    extras = project["optional-dependencies"]
    wanted = {
        "requirements-run": [*project["dependencies"], *groups["build"]],
        "requirements-test": [
            *groups["test"],
            *(
                need
                for name in ("app", "cluster", "excel", "plot", "stats")
                for need in extras[name]
            ),
        ],
        "requirements-bench": groups["bench"],
        "requirements-docs": groups["docs"],
        "requirements-uv": groups["installer"],
    }
    for lock, requirements in wanted.items():
        locked = pinned(lock)
        for requirement in map(Requirement, requirements):
            pin = locked[canonicalize_name(requirement.name)]
            version = str(pin.specifier).removeprefix("==")
            assert requirement.specifier.contains(version), f"{requirement} in {lock}: ./run lock"


@pytest.mark.parametrize("script", ["run", ".ci/run"])
def test_scripts_can_be_started(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)


def test_ci_runs_the_tests_like_everyone_else() -> None:
    assert "./run test" in (ROOT / ".ci/run").read_text("utf-8")


@pytest.mark.parametrize(
    "name",
    ["ARCHITECTURE.md", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md"],
)
def test_the_files_a_reader_looks_for_are_there(name: str) -> None:
    assert (ROOT / name).read_text("utf-8").strip()


def test_the_changelog_has_a_place_for_the_next_change() -> None:
    assert re.search(r"^## \[?Unreleased", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)


def test_the_citation_names_the_current_version() -> None:
    package = (ROOT / "src/abovechance/__init__.py").read_text("utf-8")
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    (version,) = re.findall(r'^__version__ = "(.+)"$', package, re.MULTILINE)
    assert re.findall(r"^version: (.+)$", citation, re.MULTILINE) == [version]


def test_an_advice_code_means_one_thing() -> None:
    homes: dict[str, set[str]] = {}
    for path in (ROOT / "src").rglob("*.py"):
        package = path.parent.name if path.parent.name in ("comparison", "curves") else path.stem
        for code in re.findall(r'"(AC\d{3})"', path.read_text("utf-8")):
            homes.setdefault(code, set()).add(package)
    assert homes
    assert {code: found for code, found in homes.items() if len(found) > 1} == {}
