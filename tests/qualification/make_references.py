"""Write the values that `abovechance selftest` computes again, from the references of the tests.

    python tests/qualification/make_references.py

Every row is a call of a public name, what it must give, and which programs say so; none of them was
computed by abovechance.
"""

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]
FILE = TESTS.parent / "src" / "abovechance" / "qualification" / "references.json"
sys.path.insert(0, str(TESTS))

from measures.test_classification_references import (  # noqa: E402
    OTHER_CURVES,
    textbook,
    textbook_name,
)
from measures.test_regression import FORMS_OF, NAMED_OTHERWISE, default_target  # noqa: E402

Row = dict[str, Any]
FEW = 2  # samples of each file
DRAWN = 10  # counts of each file


def reference(name: str) -> Any:
    return json.loads((TESTS / "references" / f"{name}.json").read_text("utf-8"))


def said_by(sources: dict[str, Any], value: float) -> str:
    """The programs that give a value, to ten digits."""
    agree = [
        name
        for name, found in sources.items()
        if isinstance(found, float | int) and math.isclose(found, value, rel_tol=1e-10)
    ]
    return ", ".join(agree) or next(iter(sources))


def numeric(value: Any) -> float | None:
    return None if value is None or value == "NaN" or value != value else float(value)


def of_classes(samples: Row) -> Iterator[Row]:
    from abovechance.measures import find
    from abovechance.predictions import View

    for file in ("classification_binary", "classification_multiclass"):
        for case in reference(file)["cases"][:FEW]:
            given, expected = case["input"], case["expected"]
            several, sample = "positive" not in given, f"{file} {case['id']}"
            samples[sample] = {key: given[key] for key in ("y", "pred", "prob")}
            for tag in expected:
                plain = _floats(expected)
                wanted = textbook(tag, plain, several)
                if wanted is None or tag in OTHER_CURVES:
                    continue
                measure = find(tag)
                if tag not in (measure.name, measure.label):
                    continue  # the same under another name
                options: Row = {"labels": given["levels"]}
                labels = measure.reads is View.LABEL
                if "positive" in given and (measure.directed or not labels):
                    options["pos_label"] = given["positive"]
                sources = expected[textbook_name(tag, several, expected)]
                yield {
                    "group": "Measures of classes",
                    "name": f"{tag}, {case['id']}" + " (3 classes)" * several,
                    "measure": tag,
                    "arguments": [
                        {"sample": sample, "column": "y"},
                        {"sample": sample, "column": "pred" if labels else "prob"},
                    ],
                    "options": options,
                    "expected": numeric(wanted),
                    "relative": 1e-10,
                    "source": said_by(sources, wanted),
                }


def _floats(expected: Any) -> Any:
    if isinstance(expected, dict):
        return {key: _floats(value) for key, value in expected.items()}
    return math.nan if expected == "NaN" else expected


def of_numbers(samples: Row) -> Iterator[Row]:
    for case in reference("regression")["cases"][:FEW]:
        sample = f"regression {case['id']}"
        samples[sample] = {key: case["input"][key] for key in ("y", "pred")}
        for quantity, sources in case["expected"].items():
            target = default_target(sources)
            if target == "none" or quantity in FORMS_OF:
                continue
            yield {
                "group": "Measures of numbers",
                "name": f"{quantity}, {case['id']}",
                "measure": NAMED_OTHERWISE.get(quantity, quantity),
                "arguments": [{"sample": sample, "column": key} for key in ("y", "pred")],
                "expected": numeric(target),
                "relative": 1e-10,
                "source": said_by(sources, numeric(target) or math.nan),
            }


def of_times(samples: Row) -> Iterator[Row]:
    for case in reference("survival_concordance")["cases"][:4]:
        sample, given = f"survival {case['id']}", case["input"]
        samples[sample] = {key: given[key] for key in ("time", "event", "risk")}
        sources = case["expected"]["harrell_c"]
        options = {"risk": {"sample": sample, "column": "risk"}, "tau": given["time_max"]}
        yield {
            "group": "Measures of times",
            "name": f"harrell_c, {case['id']}",
            "measure": "harrell_c",
            "arguments": [{"sample": sample, "column": key} for key in ("time", "event")],
            "options": options,
            "expected": numeric(sources["exact"]),
            "relative": 1e-10,
            "source": said_by(sources, numeric(sources["exact"]) or math.nan),
        }


def of_shares() -> Iterator[Row]:
    methods = {
        "wilson": "wilson",
        "clopper_pearson": "clopper_pearson",
        "jeffreys_boundary_adjusted": "jeffreys",
    }
    for case in reference("proportion_ci")["cases"][:DRAWN]:
        given = case["input"]
        for key, method in methods.items():
            for at, end in enumerate(("low", "high")):
                value = case["expected"][key]["mpmath"][at]
                agree = {name: ends[at] for name, ends in case["expected"][key].items()}
                yield {
                    "group": "Intervals",
                    "name": f"{method} {end}, {given['x']} of {given['n']}",
                    "call": f"intervals.{method}",
                    "arguments": [given["x"], given["n"]],
                    "options": {"confidence_level": given["conf_level"]},
                    "get": end,
                    "expected": value,
                    "relative": 1e-10,
                    "source": said_by(agree, value),
                }
    for case in reference("hanley_mcneil")["cases"][:4]:
        given, sources = case["input"], case["expected"]["se"]
        yield {
            "group": "Intervals",
            "name": f"Hanley-McNeil standard error, {case['id']}",
            "call": "intervals.hanley_mcneil",
            "arguments": [given["auc"], given["n_pos"], given["n_neg"]],
            "expected": sources["exact"],
            "relative": 1e-10,
            "source": said_by(sources, sources["exact"]),
        }


def of_counts() -> Iterator[Row]:
    sides = {"greater": "p_greater", "less": "p_less", "two-sided": "p_two.sided"}
    for case in reference("binomial_test")["cases"][:DRAWN]:
        given = case["input"]
        for side, key in sides.items():
            sources = case["expected"][key]
            value = sources.get("exact", sources.get("R::binom.test"))
            yield {
                "group": "Tests",
                "name": f"binomial, {side}, {given['k']} of {given['n']} against {given['p']:g}",
                "call": "significance.binomial",
                "arguments": [given["k"], given["n"], given["p"]],
                "options": {"alternative": side},
                "get": "p_value",
                "expected": value,
                "relative": 1e-10,
                "source": said_by(sources, value),
            }
    for case in reference("mcnemar")["cases"]:
        b, c = case["input"]["b"], case["input"]["c"]
        for get, key in (("p_value", "exact_two.sided"), ("mid_p", "midp_two.sided")):
            sources = case["expected"][key]
            yield {
                "group": "Tests",
                "name": f"McNemar {get}, {b} against {c}",
                "call": "significance.mcnemar",
                "arguments": [b, c],
                "get": get,
                "expected": sources["exact"],
                "relative": 1e-10,
                "source": said_by(sources, sources["exact"]),
            }


def of_arrangements(samples: Row) -> Iterator[Row]:
    for case in reference("permutation_exact")["cases"][:3]:
        sample = f"permutation {case['id']}"
        samples[sample] = {key: case["input"][key] for key in ("y", "p")}
        made = {"sample": sample, "as": "Binary", "columns": {"y_true": "y", "probability": "p"}}
        for measure in ("brier", "log_score", "auc", "accuracy"):
            yield {
                "group": "Tests",
                "name": f"permutation of {measure}, all arrangements, {case['id']}",
                "call": "significance.permutation",
                "arguments": [made, measure],
                "options": {"draws": 20_000, "rng": 1},
                "get": "p_value",
                "expected": case["expected"][f"{measure}_p_inclusive"]["exact"],
                "relative": 1e-10,
                "source": "exact",
            }


def of_posteriors() -> Iterator[Row]:
    for case in reference("brodersen_binary")["cases"][:FEW]:
        given = case["input"]
        table = [[given["TN"], given["FP"]], [given["FN"], given["TP"]]]
        for get, key in (("mean", "accuracy_mean"), ("median", "accuracy_median")):
            sources = case["expected"][key]
            value = sources.get("exact", sources.get("quadrature", sources.get("highprec")))
            yield {
                "group": "Posteriors",
                "name": f"{get} of accuracy, {case['id']}",
                "call": "posterior.accuracy",
                "arguments": [table],
                "get": get,
                "expected": value,
                "relative": 1e-10,
                "source": said_by(sources, value),
            }


def made() -> Row:
    """What the file holds."""
    samples: Row = {}
    values = [
        *of_classes(samples),
        *of_numbers(samples),
        *of_times(samples),
        *of_shares(),
        *of_counts(),
        *of_arrangements(samples),
        *of_posteriors(),
    ]
    about = {
        "exact": "exact rational arithmetic, or mpmath to 40 digits and more",
        "mpmath": "mpmath, 40 digits",
        "sklearn": "scikit-learn 1.9.1",
        "R": "R 4.2.2; packages with their versions are in tests/references",
    }
    return {"about": about, "samples": samples, "values": values}


def text(held: Row) -> str:
    """One sample and one value a line."""
    lines = ['{"about": ' + json.dumps(held["about"], ensure_ascii=False) + ",", '"samples": {']
    named = [f"{json.dumps(name)}: {json.dumps(part)}" for name, part in held["samples"].items()]
    lines += [",\n".join(named), "},", '"values": [']
    lines += [",\n".join(json.dumps(row, ensure_ascii=False) for row in held["values"]), "]}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(made()), "utf-8")
    print(f"{FILE}: {len(made()['values'])} values, {FILE.stat().st_size:,} bytes")
