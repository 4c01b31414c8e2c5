"""Progress: a bar after a second for whoever asks or watches, nothing for others."""

import io
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance import examples
from abovechance import progress as bars
from abovechance.errors import AboveChanceError


def verbs() -> dict[str, Callable[..., Any]]:
    """Everything that can take long, made short."""
    one = examples.breast_cancer("p_texture")
    other = examples.breast_cancer("p_forest")
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 3)), np.arange(30) % 2
    few: dict[str, Any] = {"draws": 99, "rng": 1}

    def learner() -> Any:
        from sklearn.naive_bayes import GaussianNB

        return GaussianNB()

    return {
        "assess": lambda **how: ac.assess(one, ["average_precision"], **few, **how),
        "compare": lambda **how: ac.compare([one, other], ["average_precision"], **few, **how),
        "detect": lambda **how: ac.detect(X, y, tests=["hotelling"], **few, **how),
        "permutation_test": lambda **how: ac.permutation_test(learner(), X, y, **few, **how),
        "stability": lambda **how: ac.stability(X, y, draws=12, rng=1, **how),
        "reliability": lambda **how: ac.reliability(
            learner(), X, y, n=12, cv=2, draws=12, rng=1, **how
        ),
        "power": lambda **how: ac.power("auc", n=40, replications=40, rng=1, **how),
        "sample_size": lambda **how: ac.sample_size(
            auc=0.9, tests=["auc"], replications=40, rng=1, **how
        ),
    }


@pytest.mark.parametrize("verb", list(verbs()))
def test_every_verb_that_can_be_long_shows_a_bar(
    verb: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bars, "PATIENCE", 0.0)
    monkeypatch.setattr(bars, "STEP", 0.0)
    told: list[tuple[int, int]] = []
    verbs()[verb](progress=lambda done, total: told.append((done, total)))
    assert told
    assert all(0 <= done <= total for done, total in told)
    assert capsys.readouterr().err == ""
    verbs()[verb](progress=True)
    bar = capsys.readouterr().err
    if any(done < total for done, total in told):
        assert "%|" in bar
    assert not bar or bar.endswith("\r")  # wiped when all is done


def test_a_bar_waits_a_second_and_is_wiped() -> None:
    stream, now = io.StringIO(), iter([0.0, 0.5, 1.5, 3.0, 4.0])
    bar = bars.Bar(stream, clock=lambda: next(now))
    bar(10, 100)
    assert stream.getvalue() == ""
    bar(50, 100)
    assert stream.getvalue() == "\r50%|###############               | 50/100 [00:01<00:01]"
    bar(75, 100)
    assert stream.getvalue().endswith("75/100 [00:03<00:01]")
    bar(100, 100)
    assert stream.getvalue().rsplit("\r", 2)[1].strip() == ""


class Screen(io.StringIO):
    """An error stream that somebody looks at."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "seen"), [(Screen, True), (io.StringIO, False)])
def test_whoever_watches_sees_a_bar_without_asking(stream, seen, monkeypatch) -> None:
    monkeypatch.setattr(bars, "PATIENCE", 0.0)
    monkeypatch.setattr(bars, "STEP", 0.0)
    for how, shown in (({}, seen), ({"progress": False}, False)):
        monkeypatch.setattr("sys.stderr", stream())
        verbs()["permutation_test"](**how)
        assert ("%|" in sys.stderr.getvalue()) == shown


def test_the_second_is_that_of_all_parts_together() -> None:
    stream, now = io.StringIO(), iter([0.0, 0.9, 1.1])
    bar = bars.Bar(stream, clock=lambda: next(now))
    bar(1, 1)
    assert stream.getvalue() == ""
    bar(1, 2)
    assert "50%|" in stream.getvalue()


def test_progress_that_is_neither_is_refused() -> None:
    with pytest.raises(AboveChanceError, match="progress must be True, or a function"):
        ac.power("auc", n=40, replications=40, progress="yes")
