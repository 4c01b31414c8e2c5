"""How the methods that results name are spoken of in a sentence, from their declarations."""

from collections.abc import Mapping
from typing import Any

from abovechance.inference.method import Kind, Use

ARTICLES = ("an ", "a ", "the ")


def interval_words(interval: Mapping[str, Any]) -> str:
    """The method of an interval, after "obtained by".

    >>> interval_words({"method": "Wilson", "by": {"name": "wilson"}})
    "Wilson's score method"
    >>> interval_words({"method": "my own"})
    'my own'
    """
    return Use.of_interval(interval).words


def words_of_test(test: object, by: Mapping[str, Any] | None = None) -> str:
    """A test, after "by".

    >>> words_of_test("McNemar, exact", {"name": "mcnemar", "version": "exact"})
    "McNemar's exact test"
    >>> words_of_test("my own")
    'my own'
    """
    return Use.of(Kind.TEST, test, by).words


def name_of_test(test: object, by: Mapping[str, Any] | None = None) -> str:
    """A test beside its p-value, without its circumstances.

    >>> name_of_test("sign flip"), name_of_test("Mann–Whitney, exact", {"name": "mann_whitney"})
    ('sign-flip test', 'Mann–Whitney test')
    """
    words = words_of_test(test, by).partition(" (")[0]
    article = next((a for a in ARTICLES if words.startswith(a)), "")
    return words.removeprefix(article)


def hypothesis_words(hypothesis: object) -> str:
    """A hypothesis without brackets, so that it can stand in some.

    >>> hypothesis_words("both are independent (margins fixed)")
    'both are independent, margins fixed'
    """
    return str(hypothesis).replace(" (", ", ").replace(")", "")
