"""The reserve beside a SQLite file: on a full disk it is given back, so that what a user forgets is forgotten."""

import errno
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from recollect.api.memory import AuditedWrite
from recollect.engine.forgetting import forget
from recollect.errors import StoreFull
from recollect.storage.sqlite.erasing import ReserveFile
from tests.reliability.disk.recorder import Recording, recorded
from tests.storage.full_disk import SECRET, WAYS, WORD, attempt, fill_store, left_of, open_store

_MB = 2**20
_MOUNT = 'mount -t tmpfs -o size=24m tmpfs "$0" && exec "$1" -m tests.storage.full_disk "$0"'


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What was found on a disk of 24 MB, which only the process that looked could see."""
    folder = tmp_path_factory.mktemp("disk")
    names = ["--mount"] if os.geteuid() == 0 else ["--mount", "--user", "--map-root-user"]
    command = ["unshare", *names, "sh", "-c", _MOUNT, str(folder), sys.executable]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    except FileNotFoundError:
        pytest.skip("no `unshare` here to mount a small disk with; the layer that stands for one is tested below")
    if not ran.stdout and ("unshare:" in ran.stderr or "mount:" in ran.stderr):
        pytest.skip(f"a small disk cannot be mounted: {ran.stderr}; the layer that stands for one is tested below")
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def test_forgetting_ends_on_a_full_disk(told: dict[str, Any]) -> None:
    found = told["with"]
    assert found["store"] == "full"
    assert found["by id"] == ["deleted", "", 59]
    assert found["by query"] == ["deleted", "", 58]
    assert found["everything"] == ["deleted", "", 0]
    assert found["bytes"] == 0
    assert found["others left"] == 50


def test_a_store_is_opened_and_searched_on_a_full_disk(told: dict[str, Any]) -> None:
    assert told["with"]["opened"] == 58
    assert told["with"]["others"] == "The ferry 7 leaves at seven"


def test_the_reserve_is_private_and_allocated_and_made_again(told: dict[str, Any]) -> None:
    found = told["with"]
    assert (found["mode"], found["allocated"]) == (0o600, True)
    assert found["restocked"] == 4 * _MB
    assert found["afterwards"] == []


def test_without_a_reserve_a_full_disk_says_so_and_nothing_is_half_done(told: dict[str, Any]) -> None:
    found = told["without"]
    assert (found["reserve"], found["advice"]) == (False, [])
    assert (found["open"], found["forget"], found["count"]) == ("full", "full", 60)
    assert found["whole"] == [60, 0]


@pytest.mark.parametrize("way", WAYS)
def test_what_does_not_fit_into_the_reserve_is_forgotten_in_parts(told: dict[str, Any], way: str) -> None:
    found = told["parts"][way]
    assert (found["action"], found["left"]) == ("deleted", [0, 0, 0, 50])
    assert found["counted"] >= 120
    assert (found["doctor"], found["bytes"]) == ([], 0)


class _SmallDisk:
    """A disk with so much room for the files of a folder, the reserve included."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.clear()

    def used(self) -> int:
        return sum(path.stat().st_size for path in self._folder.iterdir() if path.is_file())

    def fill(self) -> None:
        self._room = self.used()

    def clear(self) -> None:
        self._room = 2**40

    def __call__(self, call: str, _: str) -> None:
        if call == "write" and self.used() >= self._room:
            raise apsw.FullError("no room")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[tuple[_SmallDisk, Recording]]:
    """A layer beneath SQLite that has no more room than a test says."""
    with recorded(tmp_path) as recording:
        disk = _SmallDisk(tmp_path)
        recording.before = disk
        yield disk, recording


@pytest.mark.parametrize("way", ["id", "query", "everything"])
def test_forgetting_ends_where_a_layer_has_no_room(
    way: str, disk: tuple[_SmallDisk, Recording], tmp_path: Path
) -> None:
    with open_store(tmp_path / "memory.db") as memory:
        ids = fill_store(memory)
        me = memory.user("me")
        disk[0].fill()
        assert attempt(lambda: me.remember("x" * 100_000)) == "full"
        ways = {
            "id": lambda: me.forget(ids[0]),
            "query": lambda: me.forget(query=SECRET),
            "everything": lambda: me.forget(everything=True),
        }
        forgotten = ways[way]()
        assert (forgotten.action, me.count()) == ("deleted", 0 if way == "everything" else 59)
        assert memory.user("other").count() == 50


def test_a_receipt_counts_once_what_was_forgotten_at_the_second_try(
    disk: tuple[_SmallDisk, Recording], tmp_path: Path
) -> None:
    with open_store(tmp_path / "memory.db") as memory:
        fill_store(memory)
        me = memory.user("me")
        file = me.files.add(b"The pump is in the attic", name="pump.txt").file
        disk[0].fill()
        receipt = me.forget(file.id, receipt=True).receipt
        assert receipt is not None
        assert receipt.counts["files"] == 1


def test_forgetting_without_a_reserve_fails_whole_where_a_layer_has_no_room(
    disk: tuple[_SmallDisk, Recording], tmp_path: Path
) -> None:
    with open_store(tmp_path / "memory.db", 0) as memory:
        fill_store(memory)
        disk[0].fill()
        with pytest.raises(StoreFull):
            memory.user("me").forget(everything=True)
        assert memory.user("me").count() == 60
        disk[0].clear()


def test_a_deletion_that_does_not_fit_leaves_the_reserve_to_a_smaller_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(tmp_path / "memory.db") as memory:
        kept = memory.user("me").remember("The pump is in the attic")
        tries = []

        def fail(*_: object) -> None:
            tries.append(0 if not (tmp_path / "memory.db-reserve").exists() else 4)
            raise StoreFull("The disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(memory._engine.store, "write", fail)
            with pytest.raises(StoreFull):
                memory.user("me").forget(kept.id)
        assert tries == [4, 0, 0]
        assert (tmp_path / "memory.db-reserve").stat().st_size == 4 * _MB
        assert memory.user("me").forget(kept.id).action == "deleted"


class _CrashError(BaseException):
    """Ends a process, as far as the store is concerned."""


def test_what_a_crash_interrupts_is_forgotten_at_the_next_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(tmp_path / "memory.db") as memory:
        fill_store(memory)
        me, store = memory.user("me"), memory._engine.store
        for colour in ("red", "green", "blue"):
            me.facts.set("lamp", "colour", colour)
        calls, write = itertools.count(), store.write

        def write_until_the_crash(scope: Any, work: Any) -> Any:
            match next(calls):
                case 0 | 1:
                    raise StoreFull("The disk is full")
                case 4:
                    raise _CrashError
                case _:
                    return write(scope, work)

        with monkeypatch.context() as patch:
            patch.setattr(forget, "_MOST", 8)
            patch.setattr(store, "write", write_until_the_crash)
            with pytest.raises(_CrashError):
                me.forget(everything=True)
        assert 0 < me.count() < 60
        assert [fact.value for fact in me.facts("lamp")] == ["blue"]  # no old version took its place
        assert len(store.unfinished_forgetting()) == 1
    with open_store(tmp_path / "memory.db") as memory:
        assert (memory.user("me").count(), memory.stats().messages, memory.user("other").count()) == (0, 0, 50)
        assert memory._engine.store.unfinished_forgetting() == []
        assert memory.doctor() == ()
    assert left_of(tmp_path, WORD) == 0


def test_what_is_forgotten_in_parts_is_in_the_audit_log_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(tmp_path / "memory.db") as memory:
        fill_store(memory)
        store, calls = memory._engine.store, itertools.count()
        write = store.write

        def fail_twice(scope: Any, work: Any) -> Any:
            if next(calls) < 2:
                raise StoreFull("The disk is full")
            return write(scope, work)

        monkeypatch.setattr(store, "write", fail_twice)
        audited = memory.user("me", audit=AuditedWrite("local", "forget"))
        forgotten = audited.forget(everything=True, receipt=True)
        (*_, line) = [line for line in memory.operations.audit_log("me") if line.action == "forget"]
        assert (line.amount, len(forgotten.ids)) == (len(forgotten.ids), 61)
        assert forgotten.receipt is not None
        assert memory.verify_erasure(forgotten.receipt).erased


def test_a_reserve_grows_with_its_database_up_to_its_limit(tmp_path: Path) -> None:
    database = tmp_path / "memory.db"
    reserve = ReserveFile(database, 9 * _MB)
    assert (reserve.wanted_bytes(), reserve.restock()) == (0, True)
    for size, expected in ((1, 4), (2 * _MB, 8), (20 * _MB, 9)):
        database.write_bytes(b"")
        os.truncate(database, size)
        assert reserve.restock()
        assert reserve.held_bytes() == expected * _MB
        assert reserve.path.stat().st_blocks * 512 >= expected * _MB
    assert ReserveFile(database, 3 * _MB).restock()
    assert reserve.held_bytes() == 3 * _MB
    assert ReserveFile(database, 0).restock()
    assert not reserve.path.exists()


def test_opening_takes_a_part_of_a_reserve_and_deleting_the_rest(tmp_path: Path) -> None:
    database = tmp_path / "memory.db"
    database.write_bytes(b"x")
    reserve = ReserveFile(database, 2 * _MB)
    assert not reserve.release_some()
    assert reserve.restock()
    assert [reserve.release_some(), reserve.held_bytes()] == [True, _MB]
    assert [reserve.release_some(), reserve.held_bytes(), reserve.release()] == [True, 0, False]
    assert reserve.restock()
    with reserve.released() as released:
        assert released
        assert not reserve.restock()  # as a worker in another thread would
        assert reserve.held_bytes() == 0
    assert reserve.restock()


def test_a_reserve_leaves_as_much_room_free_as_it_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = tmp_path / "memory.db"
    database.write_bytes(b"x")
    free = 8 * _MB - 1
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": free}))
    reserve = ReserveFile(database, 32 * _MB)
    assert not reserve.restock()
    free = 8 * _MB
    assert reserve.restock()
    assert reserve.release()
    free = 3 * _MB
    assert not reserve.restock()  # what is left of its own is taken back all the same
    assert reserve.held_bytes() == 3 * _MB
    free = _MB
    assert reserve.restock()


def test_a_lost_reserve_is_told_until_there_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(tmp_path / "memory.db") as memory:
        memory.user("me").remember("The pump is in the attic")
        assert memory.doctor() == ()
        (tmp_path / "memory.db-reserve").unlink()
        with monkeypatch.context() as patch:
            patch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 0}))
            memory.maintain()
            assert [problem.check for problem in memory.doctor()] == ["reserve"]
            (told,) = memory.status().advice
            assert "nearly full (0 MB free): of the 4 MB that are kept for forgetting on a full disk, 0 are" in told
        assert memory.doctor() == ()
        assert not any("kept for forgetting" in advice for advice in memory.status().advice)


def test_a_store_that_grows_on_a_disk_with_room_is_not_told_that_it_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(tmp_path / "memory.db") as memory:
        memory.user("me").remember_many([f"Ferry {number} leaves. {'It is on time. ' * 600}" for number in range(600)])
        reserve = tmp_path / "memory.db-reserve"
        assert reserve.stat().st_size == 4 * _MB
        assert not any("full" in advice for advice in memory.status().advice)
        assert reserve.stat().st_size > 8 * _MB
        reserve.unlink()

        def refuse(*_: object) -> None:
            raise OSError(errno.EDQUOT, "Disk quota exceeded")

        monkeypatch.setattr(ReserveFile, "_allocate", refuse)
        (told,) = memory.status().advice
        assert "cannot be kept (Disk quota exceeded)" in told


def test_a_reserve_is_in_no_backup_and_no_sync(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    with open_store(notes / "memory.md") as memory:
        reserve = notes / "memory.md-reserve"
        assert reserve.exists()
        os.link(reserve, notes / "also.md")
        (notes / "pump.md").write_text("The pump is in the attic")
        (report,) = memory.user("me").files.sync(notes)
        assert (report.state, report.added) == ("synced", 1)
        memory.backup(tmp_path / "backup")
    assert not [path for path in (tmp_path / "backup").rglob("*") if "reserve" in path.name]
