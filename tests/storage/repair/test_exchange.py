"""A repair beside other processes, killed at any moment, and on disks that refuse."""

import errno
import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NoReturn

import apsw
import pytest

from recollect import Memory
from recollect.errors import FileDamaged, InvalidInput, NotFound, StoreFull, StoreUnavailable
from recollect.storage.sqlite.repair import salvage
from tests.program import Program
from tests.sizes import sized
from tests.storage.repair.damaging import beside, damage, kept_aside, opened, pages_of, rows_of
from tests.waiting import PATIENCE_S

_TOOLS = [f"Tool {number} hangs on hook {number}" for number in range(40)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store whose catalogue is damaged."""
    path = tmp_path / "memory.db"
    with opened(path) as memory:
        memory.user("me").remember_many([{"content": text} for text in _TOOLS])
    damage(path, [1])
    return path


def _contents(path: Path) -> list[str]:
    with opened(path) as memory:
        return sorted(item.content for item in memory.user("me").list(limit=1000).items)


def _run(module: str, *words: str) -> str:
    pipe = subprocess.PIPE
    process = Program(*words, env=os.environ, module=module, stdout=pipe, stderr=pipe, text=True)
    said, complaints = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, complaints
    return str(said)


def test_killed_at_every_call(tmp_path: Path) -> None:
    """Whatever call is the last: the rows are there, once, and the damaged file is kept with its log."""
    original, damaged = tmp_path / "original.db", tmp_path / "damaged.db"
    with opened(original) as memory:
        memory.user("me").remember_many([{"content": text} for text in _TOOLS])
    with opened(original) as memory:
        memory.user("me").remember("Only the log has this")
        for suffix in ("", "-wal"):
            shutil.copy(f"{original}{suffix}", f"{damaged}{suffix}")
    content = bytearray(damaged.read_bytes())
    content[content.index(b"CREATE TABLE memories")] ^= 1
    damaged.write_bytes(content)
    work = tmp_path / "work"
    work.mkdir()
    found = json.loads(_run("tests.storage.repair.killing", str(damaged), str(work)))
    assert len(found) > sized(3, 10)
    for number, after in enumerate(found, 1):
        assert after["memories"] == sorted([*_TOOLS, "Only the log has this"]), number
        assert after["problems"] == ["repaired"], number
        assert after["aside"] == after["logs"] == [True], number
        assert after["beside"] == ["", ".damaged-", ".damaged-"], number


def test_processes_that_open_it_at_once_repair_it_once(path: Path) -> None:
    with ThreadPoolExecutor(4) as threads:
        said = list(threads.map(lambda number: _run("tests.storage.repair.opening", str(path), str(number)), range(4)))
    assert sorted(said) == ["False\n"] * 3 + ["True\n"]
    assert _contents(path) == sorted([*_TOOLS, *(f"Process {number} was here" for number in range(4))])
    assert len(kept_aside(path)) == 1


def test_a_file_that_is_in_use_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with opened(path) as memory:
        memory.user("me").remember("The pump is in the attic")
        memory._engine.store.scrub()
        damage(path, [1])
        before = path.read_bytes()
        for attempt in (lambda: Memory.repair(path), lambda: opened(path, **{"sqlite.busy_timeout_s": 1})):
            with pytest.raises((StoreUnavailable, FileDamaged), match=r"another process has it open.*Stop them"):
                attempt()
        assert path.read_bytes() == before
        assert kept_aside(path) == []
    with opened(path) as memory:
        assert memory.repaired is not None
        assert [item.content for item in memory.user("me").list().items] == ["The pump is in the attic"]


def test_a_connection_that_waited_for_the_repair_gets_the_new_file(path: Path) -> None:
    """One that goes on with the old file would write to what is only kept aside."""
    Memory.repair(path)
    with opened(path) as memory:
        memory.user("me").remember("Written after the repair")
    (aside,) = kept_aside(path)
    assert b"Written after the repair" not in aside.read_bytes()
    assert "Written after the repair" in _contents(path)


def test_refused_if_the_settings_say_so(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(FileDamaged, match=r"recollect repair.*restore a backup"):
        opened(path, **{"sqlite.on_damage": "refuse"})
    assert path.read_bytes() == before
    assert kept_aside(path) == []


def test_a_full_disk_leaves_the_damaged_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()

    def full(*_: object) -> NoReturn:
        raise apsw.FullError("database or disk is full")

    monkeypatch.setattr(salvage, "mend", full)
    with pytest.raises(StoreFull, match="disk is full"):
        Memory.repair(path)
    with pytest.raises(FileDamaged, match=r"could not be repaired now.*disk is full"):
        opened(path)
    assert path.read_bytes() == before
    assert {name for name in beside(path) if "shm" not in name and "wal" not in name} == {"memory.db"}


def test_a_disk_without_links(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()

    def unsupported(*_: object) -> NoReturn:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", unsupported)
    assert Memory.repair(path) is not None
    assert _contents(path) == sorted(_TOOLS)
    assert [file.read_bytes() for file in kept_aside(path)] == [before]


def test_damage_that_is_met_later_is_repaired_at_the_next_opening(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with opened(path) as memory:
        memory.user("me").remember_many([{"content": f"{text}. " * 20} for text in _TOOLS])
    before = rows_of(path)["memories"]
    damage(path, pages := pages_of(path, 13, "memories")[3:4])
    with opened(path) as memory:
        assert memory.repaired is None
        with pytest.raises(FileDamaged, match="recollect repair"):
            memory.user("me").list(limit=1000)
        (told,) = [problem for problem in memory.doctor() if problem.check == "damage"]
        assert (told.count, f"(number {pages[0]}) differ from the checksum" in told.advice) == (1, True)
    with opened(path) as memory:
        assert memory.repaired is not None
        found = memory.user("me").list(limit=1000).items
        assert 0 < len(found) < len(before)
        assert memory.repaired.lost("memories") == len(before) - len(found)
    with opened(path) as memory:
        assert memory.repaired is None


def test_what_cannot_be_repaired_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="is not there"):
        Memory.repair(tmp_path / "nothing.db")
    (tmp_path / "empty.db").touch()
    with pytest.raises(InvalidInput, match=r"is empty.*Restore a backup"):
        Memory.repair(tmp_path / "empty.db")
    with pytest.raises(InvalidInput, match="repaired by its server"):
        Memory.repair("postgresql://localhost/memories")
    assert not (tmp_path / "nothing.db").exists()
