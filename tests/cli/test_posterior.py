"""`abovechance posterior` answers without any file."""

import json

import pytest

from abovechance.cli import main
from abovechance.inference.posterior import accuracy, balanced_accuracy

COUNTS = ["posterior", "--tp", "43", "--fn", "2", "--tn", "5", "--fp", "5"]
TABLE = [[5, 5], [2, 43]]


def test_four_counts_give_a_density_and_both_posteriors(capsys) -> None:
    assert main(COUNTS) == 0
    text = capsys.readouterr().out
    lines = [line.split() for line in text.splitlines()]
    (row,) = [line for line in lines if line[:1] == ["accuracy"]]
    assert row[1:7] == ["0.860", "0.864", "0.873", "0.759", "to", "0.936"]
    (row,) = [line for line in lines if line[:2] == ["balanced", "accuracy"]]
    assert row[2:4] == ["0.718", "0.718"]
    assert ">0.999" in row
    assert "Beta(1, 1) for each" in text
    assert "not p-values" in text
    assert any(mark in text for mark in "●o")


def test_json_holds_the_numbers(capsys) -> None:
    assert main([*COUNTS, "--format", "json", "--level", "0.9"]) == 0
    facts = json.loads(capsys.readouterr().out)
    share, balanced = facts["posteriors"]
    assert share["mean"] == accuracy(TABLE).mean
    limits = balanced_accuracy(TABLE).interval(0.9)
    assert balanced["interval"]["low"] == limits.low
    assert balanced["interval"]["level"] == 0.9
    assert balanced["chance"] == 0.5
    assert facts["abovechance"]


def test_a_whole_table_and_its_csv(capsys) -> None:
    assert main(["posterior", "--confusion", "5,5; 2,43", "--format", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("quantity,n,prior,mean,median,mode,std,chance,prob_above_chance,low")
    assert len(lines) == 3
    assert lines[2].startswith('balanced accuracy,55,"Beta(1, 1) for each class",0.7180')


def test_right_and_wrong_alone_give_accuracy(capsys) -> None:
    assert main(["posterior", "--correct", "48", "--wrong", "7", "--chance", "0.8"]) == 0
    text = capsys.readouterr().out
    assert "balanced" not in text
    assert f"0.800        {accuracy(48, 7).prob_above(0.8):.3f}" in text


@pytest.mark.parametrize("prior", ["jeffreys", "0.5", "0.5,0.5"])
def test_priors_are_words_or_numbers(capsys, prior: str) -> None:
    assert main([*COUNTS, "--prior", prior, "--format", "json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["posteriors"][0]["prior"] == "Beta(0.5, 0.5)"


def test_chance_of_three_classes_is_judged_by_the_dirichlet_prior(capsys) -> None:
    rows = "2,1,1;1,2,1;1,1,2"
    for extra in ([], ["--chance", str(1 / 3)]):
        assert main(["posterior", "--confusion", rows, "--format", "json", *extra]) == 0
        facts = json.loads(capsys.readouterr().out)["posteriors"][1]
        flat = balanced_accuracy([[2, 1, 1], [1, 2, 1], [1, 1, 2]])
        assert facts["prob_above_chance"] == flat.prob_above_chance < flat.prob_above(1 / 3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "give --tp --fn --tn --fp, --confusion, or --correct"),
        (["--tp", "3"], "give --fn, --tn, --fp too"),
        (["--correct", "3"], "belong together"),
        (["--correct", "3", "--wrong", "1", "--tp", "3"], "cannot be given with other counts"),
        (["--confusion", "1,2;3"], "as many columns as rows"),
        (["--confusion", "a,b;c,d"], 'as in "48,2;5,45"'),
        ([*COUNTS[1:], "--confusion", "1,2;3,4"], "cannot be given with other counts"),
        ([*COUNTS[1:], "--prior", "odd"], "--prior must be"),
        ([*COUNTS[1:], "--prior", "-1"], "prior must be"),
        ([*COUNTS[1:], "--level", "95"], "--level must lie between 0 and 1"),
        (["--tp", "-3"], "-3"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_two(capsys, arguments, words: str) -> None:
    assert main(["posterior", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert words in said.err
    assert said.err.startswith("abovechance: ")
    assert said.err.count("\n") == 1
