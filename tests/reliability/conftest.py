"""Processes for the tests of this folder."""

from collections.abc import Iterator

import pytest

from tests.reliability.zygote import Zygote


@pytest.fixture(scope="session")
def warm_zygote() -> Iterator[Zygote]:
    """One for the run: children start from it within milliseconds."""
    running = Zygote()
    yield running
    running.stop()


@pytest.fixture
def zygote(warm_zygote: Zygote) -> Iterator[Zygote]:
    """The same, without children of other tests."""
    yield warm_zygote
    warm_zygote.clear()
