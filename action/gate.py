"""Judge a model's predictions by a standard stated beforehand: the script of the GitHub Action.

Run anywhere, it does what the Action does:

    python action/gate.py predictions.csv --goals "sensitivity>=.85" --arguments "--seed 1"
    python action/gate.py predictions.csv --command compare \\
        --arguments "--models new,old --baseline old --margin auc=.03"

Each option may come from the environment instead (GATE_FILE, GATE_COMMAND, …), as from the Action.
The exit code is the command's: 0 met, 1 not met or worse, 4 undecided, 2 and 3 for what went wrong.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence

VERDICTS = {0: "met", 1: "not met", 4: "undecided"}
NOTES = {"met": "notice", "undecided": "warning"}
MARKER = "<!-- abovechance -->"


def options(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """What was typed, else what the environment says."""

    def stated(name: str, otherwise: str = "") -> str:
        return os.environ.get(f"GATE_{name}", "") or otherwise

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="*", help="predictions; several files for compare")
    parser.add_argument(
        "--command", choices=("assess", "compare"), default=stated("COMMAND", "assess")
    )
    parser.add_argument("--goals", default=stated("GOALS"), help="one goal a line")
    parser.add_argument("--arguments", default=stated("ARGUMENTS"), help="as one would type them")
    parser.add_argument("--comment", default=stated("COMMENT", "false"), help="true: on the PR")
    found = parser.parse_args(argv)
    found.file = found.file or shlex.split(stated("FILE"))
    if not found.file:
        parser.error("name the file of the predictions.")
    return found


def command(asked: argparse.Namespace) -> list[str]:
    """The words of the command; nothing of it passes through a shell."""
    goals = [line.strip() for line in asked.goals.splitlines() if line.strip()]
    words = [word for goal in goals for word in ("--goal", goal)]
    return [asked.command, *asked.file, *shlex.split(asked.arguments), *words]


def tell(path: str | None, text: str) -> None:
    """Append to a file that the runner reads, where there is one."""
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)


def comment(text: str) -> None:
    """Write the comment on the pull request, or replace the one of an earlier run."""
    repository = os.environ.get("GITHUB_REPOSITORY", "")
    number = _pull_request()
    if not repository or number is None:
        print("gate: there is no pull request to comment on.", file=sys.stderr)
        return
    comments = f"repos/{repository}/issues/{number}/comments"
    listed = _gh(
        "api", "--paginate", comments, "--jq", f'.[]|select(.body|startswith("{MARKER}")).id'
    )
    last = listed.split()[-1:] if listed else []
    where = f"repos/{repository}/issues/comments/{last[0]}" if last else comments
    _gh("api", "--method", "PATCH" if last else "POST", where, "--input", "-", given={"body": text})


def _pull_request() -> int | None:
    path = os.environ.get("GITHUB_EVENT_PATH")
    if not path:
        return None
    with open(path, encoding="utf-8") as file:
        found = json.load(file).get("pull_request") or {}
    return found.get("number")


def _gh(*words: str, given: dict[str, str] | None = None) -> str:
    """What gh answers; a comment that cannot be written changes no verdict."""
    sent = None if given is None else json.dumps(given)
    try:
        done = subprocess.run(["gh", *words], input=sent, capture_output=True, text=True)
    except OSError as error:
        print(f"gate: no comment was written: {error}.", file=sys.stderr)
        return ""
    if done.returncode:
        print(f"gate: no comment was written: {done.stderr.strip()}", file=sys.stderr)
        return ""
    return done.stdout


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command, show what it says where it will be read, and end as it ended."""
    asked = options(argv)
    words = [sys.executable, "-m", "abovechance", *command(asked), "--format", "markdown"]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    verdict = VERDICTS.get(done.returncode, "could not be judged")
    print(done.stdout, end="")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        print(f"::{NOTES.get(verdict, 'error')} title=abovechance::{verdict}")
    tell(os.environ.get("GITHUB_STEP_SUMMARY"), done.stdout)
    tell(os.environ.get("GITHUB_OUTPUT"), f"verdict={verdict}\n")
    if asked.comment == "true" and done.stdout:
        comment(done.stdout)
    print(f"gate: {verdict}", file=sys.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
