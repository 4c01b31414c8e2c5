"""Every test of a number with two ways of computing it runs on both."""

import pytest

from abovechance.numerics import censoring, counts, ranks


@pytest.fixture(params=["plain", "compiled"])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    for module in (censoring, ranks, counts):
        monkeypatch.setattr(module, "worthwhile", lambda *_, **__: request.param == "compiled")
    return str(request.param)
