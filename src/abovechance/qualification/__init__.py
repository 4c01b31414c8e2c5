"""Whether an installation gives the numbers it should, in the spirit of installation qualification.

Reference values of other programs, small simulations of error rates and coverage, and digests of
draws, computed on the user's machine: `abovechance selftest`. Compiled loops made ahead:
`abovechance warm`.
"""

from typing import TYPE_CHECKING

from abovechance.lazy import lazily

if TYPE_CHECKING:
    from abovechance.qualification.self_testing import Check, SelfTest, selftest
    from abovechance.qualification.warming import Warmed, warm

__all__ = ["Check", "SelfTest", "Warmed", "selftest", "warm"]

__getattr__ = lazily(
    __name__,
    {
        **dict.fromkeys(("Check", "SelfTest", "selftest"), "self_testing"),
        **dict.fromkeys(("Warmed", "warm"), "warming"),
    },
)
