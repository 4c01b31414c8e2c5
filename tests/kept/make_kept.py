"""Answer every small problem again, and keep the answers: `./run python tests/kept/make_kept.py`.

What is kept is what this version answers, right or wrong; references from outside stand in
`tests/references`. It is there so that no number changes without anybody noticing: the tests answer
the same problems and compare. Where a change is meant, this script writes the new answers and says
what changed by how much, for *Changed results* in CHANGELOG.md; `--look` only says it.
"""

import argparse
import json
import math
import os
import sys
from pathlib import Path
from zlib import crc32

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
HERE = Path(__file__).parent
sys.path[0] = str(HERE.parent)
from kept import problems  # noqa: E402

ANSWERS = HERE / "answers.json"
DIGITS = 7
# Equations are solved to 1e-7, and the last digits are another processor's.
RELATIVE, ABSOLUTE = 1e-6, 1e-11
MOST_SHOWN = 5


def kept() -> dict[str, list[object]]:
    """Answers by problem: a number for all places, then what stands there."""
    found = json.loads(ANSWERS.read_text("utf-8"))
    assert isinstance(found, dict)
    return found


def as_kept(answer: dict[str, object]) -> list[object]:
    """An answer as it is written down, floats to seven digits."""
    values = [float(f"{v:.{DIGITS}g}") if isinstance(v, float) else v for v in answer.values()]
    return [crc32("\n".join(answer).encode()), *values]


def changes(answer: dict[str, object], before: list[object]) -> list[str]:
    """What an answer has now where it had something else before."""
    places, *values = before
    if as_kept(answer)[0] != places:
        return [f"other places: {len(answer)} numbers, {len(values)} before"]
    found = []
    for (place, now), then in zip(answer.items(), values, strict=True):
        if not _alike(now, then):
            found.append(f"{place}: {then} → {now}")
    return found


def _alike(now: object, then: object) -> bool:
    if not isinstance(now, int | float) or not isinstance(then, int | float):
        return now == then
    if not (math.isfinite(now) and math.isfinite(then)):
        return now == then or (math.isnan(now) and math.isnan(then))
    return abs(now - then) <= RELATIVE * abs(then) + ABSOLUTE


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--look", action="store_true", help="say what changed, write nothing")
    options = parser.parse_args()
    before = kept() if ANSWERS.exists() else {}
    answers, changed = {}, 0
    for name in problems.names():
        answer = problems.answered(name)
        answers[name] = as_kept(answer)
        said = changes(answer, before[name]) if name in before else ["new"]
        changed += bool(said)
        for line in said[:MOST_SHOWN]:
            print(f"{name}{line if line.startswith('/') else ' ' + line}", flush=True)
        if not said:
            answers[name] = before[name]
    print(f"{changed} of {len(answers)} problems have another answer")
    if not options.look:
        lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in answers.items())
        ANSWERS.write_text("{\n" + lines + "\n}\n", "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
