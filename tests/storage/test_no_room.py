"""Where nothing can be written: a medium that is read-only, and a disk that is full."""

import errno
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

import apsw
import psycopg
import pytest

from recollect import Memory, UserMemory
from recollect.errors import StoreFull, StoreReadOnly, StoreUnavailable
from recollect.service.error_responses import problem_for
from recollect.storage.postgres import connection as postgres_connection
from recollect.storage.sqlite import connection as sqlite_connection
from tests.storage.later import as_version, later_version
from tests.storage.repair.damaging import opened
from tests.waiting import PATIENCE_S

# As root every file can be written, so the process becomes another user first; all that is used then is loaded before.
_READER = """
import json, os, sys
from recollect import Memory
from recollect.errors import StoreReadOnly

path = sys.argv[1]
def look(memory):
    me = memory.user("me")
    first = me.list().items[0]
    return [me.recall("where is the pump?").hits[0].content, me.search_context("pump").hits[0].content,
            me.get(first.id).content, me.count(), [*memory.status().advice], len(memory.doctor())]

with Memory.open(path) as memory:
    memory.user("me").remember("The pump is in the attic")
    look(memory)
os.chmod(path, 0o444)
os.chmod(os.path.dirname(path), 0o555)
if os.geteuid() == 0:
    os.setgroups([])
    os.setresuid(65534, 65534, 65534)
refused = []
with Memory.open(path) as memory:
    seen = look(memory)
    me = memory.user("me")
    for write in (lambda: me.remember("Something else"), lambda: me.forget(query="pump", all=True), memory.maintain):
        try:
            write()
        except StoreReadOnly as error:
            refused.append(str(error))
print(json.dumps([seen, refused]))
"""


def test_a_store_on_a_read_only_medium_is_searched() -> None:
    with TemporaryDirectory(prefix="recollect-medium-") as folder:
        Path(folder).chmod(0o755)
        path = Path(folder, "medium", "memory.db")
        try:
            ran = subprocess.run(
                [sys.executable, "-c", _READER, str(path)],
                capture_output=True,
                text=True,
                check=False,
                timeout=PATIENCE_S,
            )
        finally:
            path.parent.chmod(0o755)
        assert ran.returncode == 0, ran.stderr
        assert {file.name for file in path.parent.iterdir()} == {"memory.db", "memory.db-reserve"}
    (*seen, advice, problems), refused = json.loads(ran.stdout)
    assert seen == ["The pump is in the attic"] * 3 + [1]
    assert advice == [f"{path} is read-only: it can be searched, but nothing can be stored or forgotten."]
    assert problems == 1  # others may read it
    expected = f"{path} cannot be written: the file, its folder or its disk is read-only. It can be searched; copy it"
    assert [text[: len(expected)] for text in refused] == [expected] * 3


def test_what_is_in_the_log_of_a_read_only_medium_is_read_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        memory.user("me").remember("The pump is in the attic")
        assert Path(f"{path}-wal").stat().st_size
        monkeypatch.setattr(sqlite_connection, "is_read_only", lambda _: True)
        with Memory.open(path) as reading:
            assert reading.user("me").count() == 1


def test_an_older_store_on_a_read_only_medium_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "memory.db"
    Memory.open(path).close()
    monkeypatch.setattr(sqlite_connection, "is_read_only", lambda _: True)
    with (
        as_version(later_version(tmp_path / "later")),
        pytest.raises(StoreUnavailable, match="has to be migrated, but it is read-only") as caught,
    ):
        Memory.open(path)
    assert not isinstance(caught.value, StoreReadOnly)


_WRITES: tuple[Callable[[UserMemory, str], object], ...] = (
    lambda me, long: me.remember(long),
    lambda me, long: me.remember_many([{"content": long}]),
    lambda me, long: me.facts.set("pump", "manual", long),
    lambda me, long: me.events.log(long),
    lambda me, long: me.conversation("s1").append("user", long),
    lambda me, long: me.files.add(long.encode(), name="notes.txt"),
    lambda me, long: me.after_turn([{"role": "user", "content": long}], session="s1"),
)


def test_every_verb_says_that_the_disk_is_full(tmp_path: Path) -> None:
    with opened(tmp_path / "memory.db") as memory:
        me = memory.user("me")
        me.remember("The pump is in the attic")
        writer: Any = memory._engine.store._writer  # type: ignore[attr-defined]
        writer.pragma("max_page_count", writer.pragma("page_count"))
        for number, write in enumerate(_WRITES):
            with pytest.raises(StoreFull, match="The disk is full: nothing of this write to"):
                write(me, f"{number} " + " ".join(f"{number}word{word}" for word in range(9_000)))
        assert me.recall("where is the pump?").hits[0].content == "The pump is in the attic"
        assert me.count() == 1


def test_over_http_a_read_only_store_is_said_to_be_one() -> None:
    refusal = problem_for(StoreReadOnly("/secret/path cannot be written"))
    assert (refusal.status, refusal.detail.split(":")[0]) == (503, "The store is read-only")


def test_over_http_a_full_disk_is_said_to_be_one() -> None:
    refusal = problem_for(StoreFull("The disk is full: nothing of this write to /secret/path was kept"))
    assert (refusal.status, "/secret" in refusal.detail) == (507, False)


def _fail(error: Exception) -> NoReturn:
    raise error


def test_each_way_in_which_a_disk_is_full_has_one_name(tmp_path: Path) -> None:
    for error in (apsw.FullError("full"), OSError(errno.ENOSPC, "no space"), OSError(errno.EDQUOT, "quota")):
        with pytest.raises(StoreFull, match="The disk is full"), sqlite_connection.translated(tmp_path):
            _fail(error)
    with pytest.raises(StoreFull, match="The disk is full"), postgres_connection.translated("a server"):
        _fail(psycopg.errors.DiskFull("no space"))
