"""Draw settings at random and look for answers that mislead: `./run audit --minutes M --seed S`.

Setting number i of a seed is always the same and so is what is found in it; minutes only decide how
many are looked at. Findings are kept in a store, which a later run of the same seed continues.
"""

import argparse
import json
import os
import sys
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")
TESTS = str(Path(__file__).parents[1])
sys.path[0] = TESTS  # not this folder: numba would import coverage.py
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (TESTS, os.environ.get("PYTHONPATH"))))

from statistical.audit.search import MOST, Look, run, table  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run audit", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--store", type=Path, help="default: audit-SEED.store in this folder")
    parser.add_argument("--table", type=Path, help="write the page here; printed otherwise")
    parser.add_argument("--settings", type=int, default=MOST, help="look at so many at most")
    parser.add_argument("--maps", action="store_true", help="group maps instead of predictions")
    parser.add_argument("--trained", action="store_true", help="trained models, by validate")
    parser.add_argument("--bands", action="store_true", help="bands of curves")
    parser.add_argument("--setting", type=int, help="look at this one only, and print all of it")
    options = parser.parse_args()
    rooms = [name for name in ("maps", "trained", "bands") if getattr(options, name)]
    room = rooms[0] if rooms else "predictions"
    look = Look(options.seed, room)
    if options.setting is not None:
        print(json.dumps(look.examined(options.setting), indent=1, ensure_ascii=False))
        return 0
    path = options.store or Path(
        f"audit-{'' if room == 'predictions' else room + '-'}{options.seed}.store"
    )
    done = run(look, options.minutes, options.workers, path, options.settings)
    page = table(look, done)
    if options.table:
        options.table.write_text(page, "utf-8")
    else:
        print(page, end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
