"""Whether an installation gives the numbers it should, in the spirit of installation qualification.

Reference values of other programs, small simulations of error rates and coverage, and digests of
draws, computed on the user's machine: `abovechance selftest`.
"""

from typing import TYPE_CHECKING

from abovechance.lazy import lazily

if TYPE_CHECKING:
    from abovechance.qualification.self_testing import Check, SelfTest, selftest

__all__ = ["Check", "SelfTest", "selftest"]

__getattr__ = lazily(__name__, dict.fromkeys(__all__, "self_testing"))
