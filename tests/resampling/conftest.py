"""Every test of draws or sums runs on the plain and on the compiled path."""

import pytest

from abovechance.resampling import words


@pytest.fixture(params=["plain", "compiled"])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(words, "worthwhile", lambda *_, **__: request.param == "compiled")
    return str(request.param)
