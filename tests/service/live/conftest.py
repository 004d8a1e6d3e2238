"""Services with live search, in this process and in others."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.fixtures import OpenMemory
from tests.program import Program
from tests.reliability.zygote import Zygote
from tests.service.live.house import House, hosting
from tests.waiting import PATIENCE_S

Host = Callable[..., House]


@pytest.fixture
def host(open_memory: OpenMemory) -> Iterator[Host]:
    """Serve the test's store, with settings by their dotted names; those of the subscriptions as a mapping."""
    with ExitStack() as stack:

        def opened(board: dict[str, float] | None = None, **overrides: object) -> House:
            memory = open_memory(**{"embedding__provider": "none", **overrides})
            return stack.enter_context(hosting(memory, **(board or {})))

        yield opened


@pytest.fixture
def house(host: Host) -> House:
    """A service on the test's store."""
    return host()


@pytest.fixture
def houses(database: str) -> Iterator[list[str]]:
    """The addresses of two services on the test's store, each a process of its own."""
    pipe = subprocess.PIPE
    running = [
        Program(database, env=os.environ, module="tests.service.live.house", stdin=pipe, stdout=pipe, text=True)
        for _ in range(2)
    ]
    try:
        yield [process.stdout.readline().strip() for process in running if process.stdout]
    finally:
        codes = []
        for process in running:
            process.communicate(timeout=PATIENCE_S)
            codes.append(process.returncode)
    assert codes == [0, 0]


@pytest.fixture(scope="session")
def warm_zygote() -> Iterator[Zygote]:
    """One for the run."""
    running = Zygote()
    yield running
    running.stop()


@pytest.fixture
def zygote(warm_zygote: Zygote) -> Iterator[Zygote]:
    """Processes that start within milliseconds."""
    yield warm_zygote
    warm_zygote.clear()
