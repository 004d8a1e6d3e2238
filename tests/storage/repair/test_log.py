"""The log beside a damaged file: what was committed is saved from it, and damage in it does not go unnoticed."""

import shutil
from pathlib import Path

import pytest

from recollect import Memory
from tests.storage.repair.damaging import PAGE, kept_aside, opened, rows_of

_FRAME = 24 + PAGE
_HEADER = 32


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store as a killed process leaves it: the newest rows are only in its log."""
    original = tmp_path / "original.db"
    with opened(original) as memory:
        memory.user("me").remember_many([{"content": f"Tool {number} hangs on hook {number}"} for number in range(40)])
    copy = tmp_path / "memory.db"
    with opened(original) as memory:
        me = memory.user("me")
        for number in range(6):
            me.remember(f"Parcel {number} came today")
        for suffix in ("", "-wal"):
            shutil.copy(f"{original}{suffix}", f"{copy}{suffix}")
    return copy


def _contents(path: Path) -> set[str]:
    with opened(path) as memory:
        return {item.content for item in memory.user("me").list(limit=1000).items}


_TOOLS = {f"Tool {number} hangs on hook {number}" for number in range(40)}
_PARCELS = [f"Parcel {number} came today" for number in range(6)]


def test_rows_of_the_log_are_saved(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[content.index(b"CREATE TABLE memories")] ^= 1  # a page of the catalogue, of which the log has no copy
    path.write_bytes(content)
    log = Path(f"{path}-wal").read_bytes()
    assert _contents(path) == {*_TOOLS, *_PARCELS}
    (aside,) = kept_aside(path)
    assert aside.read_bytes() == content
    assert Path(f"{aside}-wal").read_bytes() == log


def _commits(log: bytes) -> list[int]:
    """Give the frames that end a transaction."""
    frames = range((len(log) - _HEADER) // _FRAME)
    return [
        number for number in frames if log[_HEADER + number * _FRAME + 4 : _HEADER + number * _FRAME + 8] != bytes(4)
    ]


def _flip(path: Path, frame: int) -> None:
    log = bytearray(Path(f"{path}-wal").read_bytes())
    log[_HEADER + frame * _FRAME + 24 + 4000] ^= 1
    Path(f"{path}-wal").write_bytes(log)


def test_damage_in_the_midst_of_the_log_is_noticed(path: Path) -> None:
    """SQLite by itself would go on silently without all that was written after the damage."""
    commits = _commits(Path(f"{path}-wal").read_bytes())
    assert len(commits) >= 6
    _flip(path, commits[1])
    with opened(path) as memory:
        assert memory.repaired is not None
        assert "log" in memory.repaired.reason
        found = {item.content for item in memory.user("me").list(limit=1000).items}
        assert {problem.check for problem in memory.doctor()} == {"repaired"}
    assert found <= {*_TOOLS, *_PARCELS}
    assert _PARCELS[-1] in found


def test_damage_in_the_last_transaction_is_like_a_power_failure(path: Path) -> None:
    commits = _commits(Path(f"{path}-wal").read_bytes())
    _flip(path, commits[-1] - 1)
    assert _contents(path) == {*_TOOLS, *_PARCELS[:-1]}
    assert kept_aside(path) == []


def test_a_file_that_was_emptied_beside_its_log(path: Path) -> None:
    """SQLite would remove the log."""
    path.write_bytes(b"")
    repaired = Memory.repair(path)
    assert repaired is not None
    assert rows_of(path)["memories"]
    assert _contents(path) <= {*_TOOLS, *_PARCELS}
