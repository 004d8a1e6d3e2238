"""A repair brings nothing back that was forgotten, also when old pages of a file have reappeared."""

import shutil
from pathlib import Path

import pytest

from recollect import Memory
from tests.storage.repair.damaging import FORGOTTEN, PAGE, damage, fill, opened, pages_of, sealed

_DOOMED = [f"The neighbour's parrot number {number} said something rude" for number in range(30)]


@pytest.fixture
def path(emptied: tuple[Path, list[bytes]], tmp_path: Path) -> Path:
    return Path(shutil.copy(emptied[0], tmp_path / "memory.db"))


@pytest.fixture
def old_pages(emptied: tuple[Path, list[bytes]]) -> list[bytes]:
    """The pages on which what was forgotten had been."""
    return emptied[1]


@pytest.fixture(scope="module")
def emptied(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[bytes]]:
    """Make a store from which much was forgotten; give the pages on which that had been, too."""
    path = tmp_path_factory.mktemp("emptied") / "memory.db"
    before = path.with_name("before.db")
    fill(path, rows=20)
    with opened(path) as memory:
        doomed = memory.user("me").remember_many([{"content": text} for text in _DOOMED])
    shutil.copy(path, before)
    numbers, content = pages_of(before, 13, "memories"), before.read_bytes()
    pages = [content[(number - 1) * PAGE : number * PAGE] for number in numbers]
    with opened(path) as memory:
        for one in doomed:
            memory.user("me").forget(one.id)
    assert b"parrot" not in path.read_bytes()
    kept = [page for page in pages if b"parrot" in page]
    assert kept
    return path, kept


def test_tombstones_apply_to_stray_pages(path: Path, old_pages: list[bytes]) -> None:
    """The disk has lost the writes that emptied the pages, and the first page, which would tell that they are free."""
    path.write_bytes(path.read_bytes() + b"".join(old_pages))
    damage(path, [1], zeros=True)
    repaired = Memory.repair(path)
    assert repaired is not None
    assert any("had been forgotten" in note for note in repaired.notes)
    _insist_gone(path)


def test_free_pages_are_not_read(path: Path, old_pages: list[bytes]) -> None:
    """Another program has written to the file, one that does not overwrite what it deletes."""
    content = path.read_bytes()
    last = len(content) // PAGE
    first, trunk, numbers = bytearray(content[:PAGE]), last + 1, range(last + 2, last + 2 + len(old_pages))
    first[28:32] = (last + 1 + len(old_pages)).to_bytes(4, "big")
    first[32:40] = trunk.to_bytes(4, "big") + (1 + len(old_pages)).to_bytes(4, "big")
    listed = bytes(4) + len(old_pages).to_bytes(4, "big") + b"".join(number.to_bytes(4, "big") for number in numbers)
    free = sealed(listed + bytes(PAGE - len(listed)))
    path.write_bytes(sealed(bytes(first)) + content[PAGE:] + free + b"".join(old_pages))
    assert Memory.repair(path) is None  # so far nothing is wrong with it
    damage(path, pages_of(path, 10, "changes")[:1])
    repaired = Memory.repair(path)
    assert repaired is not None
    assert repaired.notes == ()
    _insist_gone(path)


def test_pages_behind_the_end_are_not_read(path: Path, old_pages: list[bytes]) -> None:
    damage(path, pages_of(path, 10, "changes")[:1])
    path.write_bytes(path.read_bytes() + b"".join(old_pages))
    repaired = Memory.repair(path)
    assert repaired is not None
    assert repaired.notes == ()
    _insist_gone(path)


def _insist_gone(path: Path) -> None:
    with opened(path) as memory:
        me = memory.user("me")
        contents = {item.content for item in me.list(limit=1000).items}
        assert not contents & {FORGOTTEN, *_DOOMED}
        assert "Tool 1 hangs on hook 7" in contents
        assert not any("parrot" in hit.content for hit in me.recall("parrot said something rude").hits)
    assert b"parrot" not in path.read_bytes()
