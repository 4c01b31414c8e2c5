"""How the methods that results name are spoken of in a sentence."""

import re

INTERVALS = (
    (r"^Wilson$", "Wilson's score method"),
    (r"^Wilson at the effective n$", "Wilson's score method at the effective sample size"),
    (
        r"^Wilson at the effective n over (\d+) clusters$",
        r"Wilson's score method at the effective sample size over \1 clusters",
    ),
    (
        r"^Wilson at the effective n, sampling weights$",
        "Wilson's score method at the effective sample size under the weights",
    ),
    (r"^Tango$", "Tango's score method"),
    (r"^DeLong$", "DeLong's method"),
    (r"^DeLong, t\((.+)\)$", r"DeLong's method with Student's t (\1 degrees of freedom)"),
    (r"^Welch t, unpaired, t\((.+)\)$", r"Welch's t (\1 degrees of freedom)"),
    (r"^adjusted-logit DeLong$", "DeLong's method on the adjusted logit scale"),
    (r"^adjusted-logit Obuchowski$", "Obuchowski's method on the adjusted logit scale"),
    (
        r"^Newcombe and logit (\w+)(.*)$",
        r"the wider limits of Newcombe's method and \1's on the logit scale\2",
    ),
    (
        r"^MOVER of Newcombe and logit (\w+)(.*)$",
        r"the MOVER method with the wider of Newcombe's limits and \1's on the logit scale\2",
    ),
    (
        r"^MOVER of both intervals \((.+)\)$",
        r"the MOVER method with both models' own limits (\1) and their correlation",
    ),
    (
        r"^paired jackknife over (\d+) clusters, Student's t$",
        r"a paired jackknife over \1 clusters with Student's t",
    ),
    (r"^paired jackknife, Student's t$", "a paired jackknife with Student's t"),
    (r"^MOVER of Newcombe(.*)$", r"the MOVER method with Newcombe's limits\1"),
    (r"^Newcombe$", "Newcombe's method"),
    (
        r"^DeLong, unpaired, t\((.+)\)$",
        r"DeLong's method for different cases (\1 degrees of freedom)",
    ),
    (r"^DeLong, unpaired, (.+)$", r"DeLong's method for different cases, \1"),
    (r"^posterior, equal tailed$", "that of the posterior with equal tails"),
    (r"^posterior, highest density$", "that of highest posterior density"),
    (r"^MOVER with (\w+)$", r"the MOVER method with \1's limits"),
    (
        r"^MOVER with (\w+) over (\d+) clusters$",
        r"the MOVER method with \1's limits over \2 clusters",
    ),
    (
        r"^MOVER with (\w+), sampling weights$",
        r"the MOVER method with \1's limits under the weights",
    ),
    (r"^Dirichlet posterior, Jeffreys$", "the Dirichlet posterior under Jeffreys' prior"),
    (
        r"^Dirichlet posterior, Jeffreys, effective n over (\d+) clusters$",
        r"the Dirichlet posterior under Jeffreys' prior at the effective sample size over \1 "
        "clusters",
    ),
    (
        r"^Dirichlet posterior, Jeffreys, effective n, sampling weights$",
        "the Dirichlet posterior under Jeffreys' prior at the effective sample size",
    ),
    (
        r"^Dirichlet posterior, one case over all cells$",
        "the Dirichlet posterior under a prior worth one case",
    ),
    (
        r"^Dirichlet posterior, one case over all cells, effective n over (\d+) clusters$",
        r"the Dirichlet posterior under a prior worth one case at the effective sample size over "
        r"\1 clusters",
    ),
    (
        r"^Dirichlet posterior, one case over all cells, effective n, sampling weights$",
        "the Dirichlet posterior under a prior worth one case at the effective sample size",
    ),
    (r"^profile likelihood$", "the profile likelihood"),
    (r"^infinitesimal jackknife, logit scale$", "the infinitesimal jackknife on the logit scale"),
    (r"^studentised bootstrap, (\d+) draws$", r"a studentised bootstrap with \1 draws"),
    (
        r"^studentised bootstrap of (\d+) clusters, (\d+) draws$",
        r"a studentised bootstrap of \1 clusters with \2 draws",
    ),
    (r"^Student's t, padded$", "Student's t after Bonett and Price"),
    (r"^Tango, as of (\d+)( clusters)?$", r"Tango's score method as of \1 clusters"),
    (r"^bootstrap BCa( of counts)?, (\d+) draws$", r"a BCa bootstrap\1 with \2 draws"),
    (r"^jackknife, Student.s t$", "leaving out each case in turn, with Student's t"),
    (
        r"^jackknife over (\d+) clusters, Student.s t$",
        r"leaving out each of \1 clusters in turn, with Student's t",
    ),
    (r"^Nadeau–Bengio over (\d+) folds$", r"the Nadeau–Bengio correction over \1 folds"),
    (r"^t over (\d+) (\w+)$", r"Student's t over \1 \2"),
)
TESTS = (
    (r"^permutation$", "a permutation test"),
    (r"^permutation; ([^:]+): (.+)$", r"a permutation test (\1, which \2)"),
    (r"^permutation; (.+)$", r"a permutation test (\1)"),
    (r"^permutation, exact$", "an exact permutation test"),
    (r"^Mann–Whitney, (.+)$", r"the Mann–Whitney test (\1)"),
    (r"^McNemar, exact$", "McNemar's exact test"),
    (r"^DeLong$", "DeLong's test"),
    (r"^DeLong, t\((.+)\)$", r"DeLong's test with Student's t (\1 degrees of freedom)"),
    (r"^Welch t, unpaired, t\((.+)\)$", r"Welch's t-test (\1 degrees of freedom)"),
    (
        r"^DeLong, unpaired, t\((.+)\)$",
        r"DeLong's test for different cases (\1 degrees of freedom)",
    ),
    (r"^DeLong, unpaired, (.+)$", r"DeLong's test for different cases (\1)"),
    (r"^sign flip$", "a sign-flip test"),
    (r"^sign flip, exact$", "an exact sign-flip test"),
    (r"^stratified sign flip$", "a stratified sign-flip test"),
    (r"^stratified sign flip, exact$", "an exact stratified sign-flip test"),
    (r"^studentised bootstrap$", "a studentised bootstrap test"),
    (r"^studentised bootstrap of (\d+) clusters$", r"a studentised bootstrap test of \1 clusters"),
    (r"^likelihood ratio, (.+)$", r"a likelihood-ratio test (\1)"),
    (r"^outcomes simulated", "outcomes simulated"),
)


def interval_words(method: object) -> str:
    """The method of an interval, after "obtained by".

    >>> interval_words("Nadeau–Bengio over 5 folds (mean 0.481)")
    'the Nadeau–Bengio correction over 5 folds'
    """
    return _replaced(str(method).split(" (mean")[0], INTERVALS)


def test_words(test: object) -> str:
    """A test, after "by".

    >>> test_words("McNemar, exact"), test_words("my own")
    ("McNemar's exact test", 'my own')
    """
    return _replaced(str(test), TESTS)


def test_name(test: object) -> str:
    """A test beside its p-value, without its circumstances.

    >>> test_name("sign flip"), test_name("Mann–Whitney, normal approximation")
    ('sign-flip test', 'Mann–Whitney test')
    """
    return re.sub("^(an?|the) ", "", test_words(test).partition(" (")[0])


def hypothesis_words(hypothesis: object) -> str:
    """A hypothesis without brackets, so that it can stand in some.

    >>> hypothesis_words("both are independent (margins fixed)")
    'both are independent, margins fixed'
    """
    return re.sub(r" \(([^()]*)\)", r", \1", str(hypothesis))


def _replaced(text: str, wordings: tuple[tuple[str, str], ...]) -> str:
    for pattern, words in wordings:
        if re.search(pattern, text):
            return re.sub(pattern, words, text)
    return text
