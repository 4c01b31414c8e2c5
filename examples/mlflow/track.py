"""Values with their intervals, the report and the cases of a model in an MLflow run.

    python track.py predictions.csv p_forest

MLflow draws the values of its runs side by side; with the limits beside them one sees which
differences are more than chance.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import mlflow

import abovechance as ac


def track(predictions: ac.Binary) -> str:
    """Log an assessment into the active run, or a new one; its id."""
    answer = ac.assess(predictions, ["auc", "brier"], rng=1)
    with TemporaryDirectory() as folder, mlflow.start_run() as run:
        mlflow.log_params({"cases": predictions.n, "origin": predictions.origin})
        for row in answer:
            mlflow.log_metric(row.measure, row.value)
            if row.interval is not None:
                mlflow.log_metric(f"{row.measure}_low", row.interval.low)
                mlflow.log_metric(f"{row.measure}_high", row.interval.high)
        report = Path(folder) / "report.html"
        ac.report(answer, report, predictions=predictions)
        mlflow.log_artifact(str(report))
        mlflow.log_dict(answer.to_dict(), "assessment.json")
        return run.info.run_id


if __name__ == "__main__":
    file, column = sys.argv[1:]
    print(track(ac.read(file, probability=column, pos_label="malignant")))
