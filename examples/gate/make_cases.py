"""The patients of the example, simulated: `python make_cases.py > cases.csv`."""

import csv
import sys

import numpy as np

SEED, CASES = 7, 400


def main() -> None:
    rng = np.random.default_rng(SEED)
    age = rng.normal(60, 12, CASES).round()
    marker = np.exp(rng.normal(1, 0.6, CASES)).round(2)
    pressure = rng.normal(130, 18, CASES).round()
    logit = -9 + 0.05 * age + 1.4 * np.log(marker) + 0.03 * pressure
    sick = rng.random(CASES) < 1 / (1 + np.exp(-logit))
    write = csv.writer(sys.stdout, lineterminator="\n")
    write.writerow(["age", "marker", "pressure", "sick"])
    for row in zip(age, marker, pressure, sick, strict=True):
        write.writerow([int(row[0]), row[1], int(row[2]), int(row[3])])


if __name__ == "__main__":
    main()
