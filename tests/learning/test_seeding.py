"""One seed makes everything random repeatable, and leaves alone what has its own."""

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from abovechance import permutation_test
from abovechance.learning.seeding import seeded, seeded_splitter

FOREST = RandomForestClassifier(3, max_depth=2)


def search(**settings) -> GridSearchCV:
    """A choice between learners by folds that are shuffled."""
    inner = StratifiedKFold(3, shuffle=True, **settings)
    return GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=inner)


@pytest.fixture
def data():
    rng = np.random.default_rng(1)
    y = np.arange(30) % 2
    return rng.normal(size=(30, 3)) + 0.5 * y[:, None], y


@pytest.mark.parametrize(
    "settings",
    [
        {"estimator": FOREST, "cv": 3},
        {"estimator": make_pipeline(StandardScaler(), FOREST), "cv": 3},
        {"estimator": DecisionTreeClassifier(), "cv": StratifiedKFold(3, shuffle=True)},
        {"estimator": make_pipeline(StandardScaler(), search()), "cv": 3},
    ],
    ids=["forest", "pipeline", "splitter", "inner splitter"],
)
def test_a_seed_repeats_a_random_learner_and_random_folds(data, settings) -> None:
    X, y = data
    one, two = (permutation_test(X=X, y=y, draws=4, rng=1, **settings) for _ in range(2))
    assert one.tests == two.tests
    np.testing.assert_array_equal(one.null["balanced_accuracy"], two.null["balanced_accuracy"])


def test_what_was_given_is_not_changed() -> None:
    nested = make_pipeline(StandardScaler(), BaggingClassifier(DecisionTreeClassifier()))
    found = seeded(nested, 5)
    states = [v for k, v in found.get_params().items() if k.endswith("random_state")]
    assert len(set(states)) == 2
    assert None not in states
    assert nested.get_params()["baggingclassifier__random_state"] is None
    own = make_pipeline(StandardScaler(), RandomForestClassifier(random_state=7))
    assert seeded(own, 5).get_params()["randomforestclassifier__random_state"] == 7


def test_another_seed_gives_another_state() -> None:
    assert seeded(FOREST, 1).random_state != seeded(FOREST, 2).random_state


def test_only_splitters_that_shuffle_by_chance_are_seeded() -> None:
    for splitter in (KFold(3, shuffle=True), ShuffleSplit(2), RepeatedKFold(n_splits=2)):
        assert seeded_splitter(splitter, 2**40 + 3).random_state == 3
        assert splitter.random_state is None
    for same in (KFold(3), KFold(3, shuffle=True, random_state=4), 5, [(0, 1)]):
        assert seeded_splitter(same, 1) is same


def test_splitters_inside_an_estimator_are_seeded_unless_they_have_their_own() -> None:
    given = search()
    assert seeded(given, 1).cv.random_state == seeded(given, 1).cv.random_state
    assert seeded(given, 1).cv.random_state not in (None, seeded(given, 2).cv.random_state)
    assert given.cv.random_state is None
    assert seeded(search(random_state=7), 1).cv.random_state == 7
    nested = make_pipeline(StandardScaler(), search())
    assert seeded(nested, 1).get_params()["gridsearchcv__cv"].random_state is not None


def test_a_splitter_beside_it_does_not_change_the_state_of_a_learner() -> None:
    grid = {"max_depth": [1, 2]}
    plain, shuffled = (GridSearchCV(FOREST, grid, cv=cv) for cv in (3, KFold(3, shuffle=True)))
    states = [seeded(s, 4).get_params()["estimator__random_state"] for s in (plain, shuffled)]
    assert states[0] == states[1]
