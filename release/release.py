"""Make a version: number, dates and tag, in one commit.

    ./run release VERSION [--dry-run]

The number goes into the package, the citation and the conda recipe; what stands under Unreleased in
the changelog becomes the version's, with today's date. Nothing is pushed and nothing uploaded.
"""

import argparse
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from packaging.version import InvalidVersion, Version

PACKAGE = Path("src/abovechance/__init__.py")
CITATION = Path("CITATION.cff")
CHANGELOG = Path("CHANGELOG.md")
RECIPE = Path("release/conda/recipe.yaml")
LINKS = ("Homepage", "Documentation", "Source", "Issues", "Changelog")
UNRELEASED = "## Unreleased\n"


class Refused(Exception):
    """Why no version can be made."""


def plan(root: Path, wanted: str, day: date) -> dict[Path, str]:
    """The files of a version as they will be; refused if it is not the next one."""
    package = (root / PACKAGE).read_text("utf-8")
    current = _one(r'^__version__ = "(.+)"$', package, PACKAGE)
    changelog = (root / CHANGELOG).read_text("utf-8")
    news = _news(changelog)
    _check_number(current, wanted, news, first=not re.search(r"^## \[?\d", changelog, re.M))
    citation = _written(r"^version: .+$", f"version: {wanted}", root, CITATION)
    citation = re.sub(r"^date-released: .+\n", "", citation, flags=re.M)
    dated = f"version: {wanted}\ndate-released: {day.isoformat()}\n"
    return {
        PACKAGE: package.replace(f'"{current}"', f'"{wanted}"', 1),
        CITATION: citation.replace(f"version: {wanted}\n", dated, 1),
        RECIPE: _written(r'^  version: ".+"$', f'  version: "{wanted}"', root, RECIPE),
        CHANGELOG: changelog.replace(
            UNRELEASED, f"{UNRELEASED}\n## {wanted} ({day.isoformat()})\n", 1
        ),
    }


def _news(changelog: str) -> str:
    if UNRELEASED not in changelog:
        raise Refused(f"{CHANGELOG} must have a heading '{UNRELEASED.strip()}'; it has none.")
    news = re.split(r"^## ", changelog.partition(UNRELEASED)[2], flags=re.M)[0]
    if not news.strip():
        raise Refused(f"nothing stands under Unreleased in {CHANGELOG}: there is nothing new.")
    return news


def _check_number(current: str, wanted: str, news: str, *, first: bool) -> None:
    try:
        new, old = Version(wanted), Version(current)
    except InvalidVersion:
        new, old = Version("0"), Version(current)
    if str(new) != wanted or len(new.release) != 3:
        raise Refused(f"a version is three numbers, as 1.2.3 or 1.2.3rc1; got {wanted!r}.")
    if new < old or (new == old and not first):
        raise Refused(f"the version must be later than {current}; got {wanted}.")
    if "### Changed results" in news and new.release[:2] == old.release[:2] and not first:
        raise Refused(
            f"{CHANGELOG} lists changed results, so the version must be a minor one at least; "
            f"got {wanted} after {current}."
        )


def check_links(root: Path) -> None:
    """Refuse a package that does not say where it lives."""
    about = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    lacking = [link for link in LINKS if link not in about["project"].get("urls", {})]
    if lacking:
        raise Refused(
            f"pyproject.toml must say under [project.urls] where the project lives; it lacks "
            f"{', '.join(lacking)}."
        )


def check_tree(root: Path, tag: str) -> None:
    """Refuse a tree with changes that are not committed, and a tag that is taken."""
    if _git(root, "status", "--porcelain"):
        raise Refused("there are changes that are not committed; commit or undo them.")
    if _git(root, "tag", "--list", tag):
        raise Refused(f"there is a tag {tag} already.")


def make(root: Path, wanted: str, day: date) -> None:
    """Write the files, commit and tag them."""
    check_links(root)
    check_tree(root, f"v{wanted}")
    files = plan(root, wanted, day)
    for path, text in files.items():
        (root / path).write_text(text, "utf-8")
    _git(root, "add", *map(str, files))
    _git(root, "commit", "--quiet", "--message", f"Version {wanted}")
    _git(root, "tag", "--annotate", "--message", f"Version {wanted}", f"v{wanted}")


def main(argv: Sequence[str], root: Path, day: date) -> int:
    parser = argparse.ArgumentParser("./run release", description=str(__doc__).split("\n")[0])
    parser.add_argument("version", help="the new version, as 1.2.3")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done")
    given = parser.parse_args(argv)
    try:
        if not given.dry_run:
            make(root, given.version, day)
            print(f"version {given.version} is committed and tagged v{given.version}. Then:")
            print("  git push --follow-tags")
            print(f"  python -m build && twine upload dist/*{given.version}*")
            return 0
        for path, text in plan(root, given.version, day).items():
            old = (root / path).read_text("utf-8").splitlines()
            for line in (line for line in text.splitlines() if line not in old):
                print(f"{path}: {line}")
        for check in (check_links, lambda where: check_tree(where, f"v{given.version}")):
            try:
                check(root)
            except Refused as refused:
                print(f"would be refused: {refused}")
    except Refused as refused:
        print(f"abovechance: {refused}", file=sys.stderr)
        return 2
    return 0


def _written(pattern: str, line: str, root: Path, path: Path) -> str:
    text = (root / path).read_text("utf-8")
    _one(pattern, text, path)
    return re.sub(pattern, line, text, flags=re.M)


def _one(pattern: str, text: str, path: Path) -> str:
    found = re.findall(pattern, text, re.M)
    if len(found) != 1:
        raise Refused(f"{path} must have one line with its version; it has {len(found)}.")
    return str(found[0])


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True)
    if done.returncode:
        raise Refused(f"git {words[0]}: {done.stderr.strip()}")
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], Path(__file__).parents[1], datetime.now(UTC).date()))
