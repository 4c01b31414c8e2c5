"""Predictions of two models for the same patients, side by side.

python predict.py NEW.json BASELINE.json < cases.csv > predictions.csv
"""

import csv
import json
import math
import sys
from pathlib import Path


def risk(model: dict[str, float], case: dict[str, str]) -> float:
    """The probability that a logistic model gives."""
    logit = (
        model["intercept"]
        + model["age"] * float(case["age"])
        + model["log_marker"] * math.log(float(case["marker"]))
        + model["pressure"] * float(case["pressure"])
    )
    return 1 / (1 + math.exp(-logit))


def main() -> None:
    new, baseline = (json.loads(Path(name).read_text("utf-8")) for name in sys.argv[1:3])
    write = csv.writer(sys.stdout, lineterminator="\n")
    write.writerow(["sick", "new", "baseline"])
    for case in csv.DictReader(sys.stdin):
        write.writerow([case["sick"], f"{risk(new, case):.6f}", f"{risk(baseline, case):.6f}"])


if __name__ == "__main__":
    main()
