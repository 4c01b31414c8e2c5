"""Which models belong together: letters shared by models that were not told apart."""

from collections.abc import Iterable, Sequence


def compact_letters(models: Sequence[str], different: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Letters such that two models share one if and only if they were not found different.

    `models` from best to worst; `different` are the pairs that a test told apart.

    References
    ----------
    Piepho (2004), An algorithm for a letter-based representation of all-pairwise comparisons.

    Examples
    --------
    >>> compact_letters(["forest", "boost", "tree"], [("forest", "tree")])
    {'forest': 'a', 'boost': 'ab', 'tree': 'b'}
    """
    columns = [frozenset(models)]
    for first, second in different:
        columns = _split(columns, first, second)
    place = {model: i for i, model in enumerate(models)}
    columns.sort(key=lambda column: sorted(place[m] for m in column))
    found = dict.fromkeys(models, "")
    for number, column in enumerate(columns):
        for model in column:
            found[model] += _letter(number)
    return found


def _split(columns: list[frozenset[str]], first: str, second: str) -> list[frozenset[str]]:
    """Every group that holds both becomes two; a group within another one goes."""
    together = [c for c in columns if first in c and second in c]
    apart = [c for c in columns if not (first in c and second in c)]
    made = [c - {one} for c in together for one in (first, second)]
    for column in made:
        if not any(column <= other for other in apart):
            apart.append(column)
    return [c for c in apart if not any(c < other for other in apart)]


def _letter(number: int) -> str:
    """a … z, then a2, b2, …

    >>> _letter(2), _letter(27)
    ('c', 'b2')
    """
    rounds, place = divmod(number, 26)
    return chr(ord("a") + place) + (str(rounds + 1) if rounds else "")
