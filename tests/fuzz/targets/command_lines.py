"""Command lines of any words: an exit code, one line of explanation, never a traceback."""

import contextlib
import io
import json
import os
import tempfile
from functools import cache
from pathlib import Path
from random import Random

from fuzz.frame import LONGEST, Target

CODES = (0, 1, 2, 3, 4)
SHORT = (
    "y p site sick auc brier accuracy auc,brier 0 1 -1 0.5 1e999 nan = auc>=.7 {} [1,2] 12,3;4,5 "
    "0,0;0,0 majority holm json csv text -- - 10**9 é \udcff \x1b[31m"
)
FILES = (
    "good.csv ./good.csv good.tsv link.csv folder nothing.csv good.csv/x loop empty.csv bad.csv "
    "bad.parquet bad.json result.json locked.csv ~nobody-here/a.csv ~ \udcff.csv /proc/self/mem "
    "/dev/null /dev/full"
)
WORDS = (*SHORT.split(" "), "", " ", "a\nb", "x" * 300, "x" * 5000)
PATHS = (*FILES.split(" "), "x" * 300 + ".csv", "/" * 50)
OUT = ["--report", "--picture", "--store", "--junit", "--metrics", "-o", "--output"]
# what waits for a visitor, and studies of an hour, are tried elsewhere
NAMES = (
    "assess assess assess compare curves detect measures plot posterior report thresholds "
    "completion reproduce selftest power validate learning-curve searchlight group-maps select "
    "stability reliability asess --version -h"
)
COMMANDS = tuple(NAMES.split(" "))
LONG = COMMANDS[COMMANDS.index("reproduce") : COMMANDS.index("asess")]
QUICK = {"assess": ["--draws", "19"], "compare": ["--draws", "19"], "detect": ["--draws", "19"]}


def draw(rng: Random) -> bytes:
    command = rng.choice(COMMANDS)
    words = [command]
    if command in LONG:
        words.append(rng.choice(("--help", "--nothing", rng.choice(WORDS))))
        return json.dumps(words).encode()
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        words.append(rng.choice((rng.choice(PATHS), "good.csv", "good.csv", rng.choice(WORDS))))
    if rng.random() < 0.6 and command in QUICK:
        words += ["--outcome", "y", "--seed", "1", *QUICK[command]]
    for _ in range(rng.choice((0, 1, 2, 3))):
        option = rng.choice((rng.choice(OUT), str(rng.random())))
        words.append(option if option in OUT else f"option:{option}")
        if rng.random() < 0.8:
            words.append(rng.choice(PATHS if option in OUT else WORDS))
    return json.dumps(words).encode()


def attempt(data: bytes) -> str:
    from abovechance.cli import main

    os.chdir(folder())
    words = [_option(word) for word in json.loads(data)]
    words = [word for word in words if word not in ("--open", "--cluster")]
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    err.flush()
    said = err.buffer.getvalue().decode()
    if code not in CODES:
        raise AssertionError(f"exit code {code}")
    if "Traceback" in said or "mistake of its own" in said:
        raise AssertionError(f"{words!r}: {said}"[:600])
    if code in (2, 3):
        last = said.strip().split("\n")[-1]
        if not last.startswith("abovechance: ") or len(last) > LONGEST + 100:
            raise AssertionError(f"{words!r}: {said}"[:600])
        return "refused"
    return "answered"


@cache
def _options() -> tuple[str, ...]:
    """Every option of every command, by what the commands declare."""
    import click

    from abovechance.cli import COMMANDS, command

    with click.Context(command) as context:
        every = (command.get_command(context, name) for name in COMMANDS)
        found = {opt for one in every if one for param in one.params for opt in param.opts}
    return tuple(sorted(opt for opt in found if opt.startswith("-")))


def _option(word: str) -> str:
    if not word.startswith("option:"):
        return word
    every = _options()
    return every[int(float(word.removeprefix("option:")) * len(every))]


@cache
def folder() -> Path:
    """A folder with files good and bad, made once for every process."""
    place = Path(tempfile.mkdtemp(prefix="command-lines-"))
    rows = [f"{i},{i % 2},{(i * 37 % 100) / 100},{'ab'[i % 3 > 0]}" for i in range(30)]
    good = "id,y,p,site\n" + "\n".join(rows) + "\n"
    (place / "good.csv").write_text(good)
    (place / "locked.csv").write_text(good)
    (place / "good.tsv").write_text(good.replace(",", "\t"))
    (place / "empty.csv").write_text("")
    (place / "bad.csv").write_bytes(b'y,p\n1,"0.5\n\xff,\n')
    (place / "bad.parquet").write_bytes(b"PAR1" + bytes(range(256)) + b"PAR1")
    (place / "result.json").write_text('{"abovechance": "1", "estimates": []}')
    (place / "bad.json").write_text('{"abovechance": ')
    (place / "folder").mkdir()
    os.symlink("good.csv", place / "link.csv")
    os.symlink("loop", place / "loop")
    os.chmod(place / "locked.csv", 0)
    return place


TARGET = Target("command lines of any words", draw, attempt, seconds=120.0)
