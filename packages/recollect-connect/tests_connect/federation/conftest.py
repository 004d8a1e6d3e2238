"""A store of our own, and other nodes. Which database it is does not matter here."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.fixtures import OpenMemory

from recollect import Memory
from tests_connect.federation.server import NodeServer

KEY = "rk_0123456789_GEHEIM"
MakeNode = Callable[..., NodeServer]
OpenWith = Callable[..., Memory]


@pytest.fixture
def database(tmp_path: Path, empty_file: Path) -> str:
    return str(shutil.copy(empty_file, tmp_path / "memory.db"))


@pytest.fixture
def node() -> Iterator[MakeNode]:
    """Start nodes; each has found these texts, whatever it is asked for."""
    with ExitStack() as running:
        yield lambda *contents: running.enter_context(NodeServer(*contents))


@pytest.fixture
def open_with(open_memory: OpenMemory) -> OpenWith:
    """Open the store with nodes, given by name as servers or addresses; they are for everybody, unless said."""

    def opener(*, budget_s: float = 10.0, users: str = "*", **nodes: NodeServer | str) -> Memory:
        lines = [
            f"{name} url={other if isinstance(other, str) else other.url} key={KEY}-{name} users={users}"
            for name, other in nodes.items()
        ]
        options = {"federation__nodes": lines, "federation__budget_s": budget_s, "embedding__provider": "none"}
        return open_memory(**options)

    return opener
