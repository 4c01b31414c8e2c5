"""Values and limits of a saved assessment as one level of names, as DVC shows them best."""

import json
import sys
from pathlib import Path


def flat(assessment: dict) -> dict[str, float]:
    values = {}
    for row in assessment["estimates"]:
        values[row["measure"]] = row["value"]
        if row["interval"] is not None:
            values[f"{row['measure']}_low"] = row["interval"]["low"]
            values[f"{row['measure']}_high"] = row["interval"]["high"]
    return values


if __name__ == "__main__":
    print(json.dumps(flat(json.loads(Path(sys.argv[1]).read_text("utf-8"))), indent=2))
