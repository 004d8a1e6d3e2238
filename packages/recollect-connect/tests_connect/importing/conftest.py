"""A store for imports: a file, because imports know nothing of stores, and those have tests of their own."""

import shutil
from pathlib import Path

import pytest
from tests.fixtures import OpenMemory

from recollect import Memory, UserMemory


@pytest.fixture
def database(tmp_path: Path, empty_file: Path) -> str:
    folder = tmp_path / "store"
    folder.mkdir()
    return str(shutil.copy(empty_file, folder / "memory.db"))


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    """A store without vectors, unless a test is about them."""
    return open_memory(embedding__provider="none")


@pytest.fixture
def me(memory: Memory) -> UserMemory:
    return memory.user("me")
