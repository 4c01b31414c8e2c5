"""Values with their intervals, and the report, in a run of Weights & Biases.

    WANDB_MODE=offline python track.py predictions.csv p_forest

Offline nothing leaves the machine; `wandb sync` sends the run later.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import wandb

import abovechance as ac


def track(predictions: ac.Binary, project: str = "abovechance") -> dict[str, float]:
    """Log an assessment as the summary of a run, and give what was logged."""
    answer = ac.assess(predictions, ["auc", "brier"], rng=1)
    values = {}
    for row in answer:
        values[row.measure] = row.value
        if row.interval is not None:
            values[f"{row.measure}_low"] = row.interval.low
            values[f"{row.measure}_high"] = row.interval.high
    with TemporaryDirectory() as folder, wandb.init(project=project) as run:
        run.summary.update(values)
        report = Path(folder) / "report.html"
        ac.report(answer, report, predictions=predictions)
        run.log({"report": wandb.Html(report.read_text("utf-8"), inject=False)})
    return values


if __name__ == "__main__":
    file, column = sys.argv[1:]
    print(track(ac.read(file, probability=column, pos_label="malignant")))
