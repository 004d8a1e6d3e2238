"""Quotas: what a user may have, held inside the transaction that would exceed it."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from recollect import SettingsError
from recollect.engine.base.context import Quotas
from recollect.errors import QuotaExceeded
from recollect.settings import LimitSettings
from tests.fixtures import OpenMemory
from tests.storage.catalogue import plain

_WORDS_ONLY = {"embedding__provider": "none"}


def _usage(database: str, user: str) -> tuple[int, int]:
    with plain(database) as store:
        ((memories, size),) = store.rows(f"SELECT memories, bytes FROM users WHERE user_id = '{user}'")  # noqa: S608
    return int(memories), int(size)


def test_a_full_user_can_forget_and_go_on(open_memory: OpenMemory) -> None:
    memory = open_memory(limits__memories=3, limits__users=["ben: memories=5"], **_WORDS_ONLY)
    anna, ben = memory.user("anna"), memory.user("ben")
    anna.remember_many(["Owns a kayak", "Owns a ladder"])
    with pytest.raises(QuotaExceeded, match=r"it holds 3 memories \(limits\.memories\).*Forget something") as full:
        anna.remember_many(["Owns a lamp", "Owns an oven"])
    assert full.value.quota == "memories"
    last = anna.remember("Owns a sofa")
    for refused in ("Owns a lamp", "Owns an oven"):
        with pytest.raises(QuotaExceeded):
            anna.remember(refused)
    with pytest.raises(QuotaExceeded):
        anna.update(last.id, content="Owns two sofas")
    assert anna.remember("Owns a sofa").action == "duplicate", "nothing is added"
    anna.conversation("c").append("user", "I say what I like")
    assert {item.content for item in anna.list().items} == {"Owns a kayak", "Owns a ladder", "Owns a sofa"}
    anna.forget(last.id)
    assert anna.remember("Owns a lamp").action == "created"
    ben.remember_many(["Owns one", "Owns two", "Owns three", "Owns four", "Owns five"])
    with pytest.raises(QuotaExceeded):
        ben.remember("Owns six")
    assert memory.doctor() == ()


def test_writers_at_once_do_not_overrun(open_memory: OpenMemory, database: str) -> None:
    stores = [open_memory(limits__memories=10, **_WORDS_ONLY) for _ in range(2)]

    def store(number: int) -> bool:
        try:
            stores[number % 2].user("anna").remember(f"Owns jar {number}")
        except QuotaExceeded:
            return False
        return True

    with ThreadPoolExecutor(6) as crowd:
        assert sum(crowd.map(store, range(24))) == 10
    assert _usage(database, "anna")[0] == 10


def test_bytes_are_counted_whatever_happens(open_memory: OpenMemory, database: str) -> None:
    """Doctor compares the counter with the rows after every kind of write."""
    memory = open_memory(**_WORDS_ONLY)
    anna = memory.user("anna")
    first = anna.remember("Öl für das Fahrrad")
    assert _usage(database, "anna") == (1, len("Öl für das Fahrrad".encode()))
    anna.update(first.id, content="Öl für das Tandem")
    anna.facts.set("lamp", "place", "attic")
    anna.facts.set("lamp", "place", "cellar")
    anna.remember_many([f"Shelf {number}" for number in range(30)])
    conversation = anna.conversation("c")
    conversation.append("user", "The spare key is under the mat")
    conversation.append("assistant", "I will remember the mat")
    added = anna.files.add(b"# Notes\n\nThe boiler needs water.\n", name="notes.md")
    anna.files.add(b"# Notes\n\nThe boiler needs oil.\n", name="notes.md", replace=True)
    assert memory.doctor() == ()
    anna.forget(query="spare key", all=True)
    anna.forget(first.id)
    assert added.action == "created"
    assert memory.doctor() == ()
    anna.forget(everything=True)
    assert _usage(database, "anna") == (0, 0)
    assert memory.doctor() == ()


def test_texts_and_documents_count_as_storage(open_memory: OpenMemory) -> None:
    memory = open_memory(limits__storage_mb=1, **_WORDS_ONLY)
    anna = memory.user("anna")
    half = "jar " * 140_000
    anna.files.add(half[:450_000].encode(), name="half.md")  # its text and the document itself
    with pytest.raises(QuotaExceeded, match=r"texts and documents have 1 MB \(limits\.storage_mb\)") as full:
        anna.files.add(f"again {half[:150_000]}".encode(), name="more.md")
    assert full.value.quota == "storage"
    assert len(anna.files.list().items) == 1
    assert memory.user("ben").remember("Owns a jar").action == "created"


def test_an_import_stops_at_the_quota_and_goes_on_when_there_is_room(
    open_memory: OpenMemory, database: str, tmp_path: Path
) -> None:
    source = open_memory(**_WORDS_ONLY).user("ben")
    source.remember_many([f"Owns jar {number}" for number in range(6)])
    source.conversation("c").append("user", "I say what I like")
    source.export(tmp_path / "ben.zip")
    anna = open_memory(limits__memories=4, limits__users=["cleo: storage_mb=1"], **_WORDS_ONLY).user("anna")
    anna.remember("Owns a kayak")
    with pytest.raises(QuotaExceeded, match=r"it holds 4 memories"):
        anna.import_archive(tmp_path / "ben.zip")
    assert _usage(database, "anna")[0] == 1, "what does not fit in is not begun"
    roomy = open_memory(limits__memories=7, **_WORDS_ONLY)
    assert roomy.user("anna").import_archive(tmp_path / "ben.zip").brought["memories"] == 6
    assert (_usage(database, "anna")[0], roomy.doctor()) == (7, ())
    assert sum(roomy.user("anna").import_archive(tmp_path / "ben.zip").brought.values()) == 0, (
        "a full user may repeat it"
    )


def test_a_wrong_exception_is_refused() -> None:
    for line in ("anna", "anna:", ": memories=1", "anna: memories", "anna: jars=1", "a: memories=x"):
        with pytest.raises(SettingsError, match=r"limits\.users: .*memories=N, storage_mb=N, texts_per_minute=N"):
            Quotas(LimitSettings(users=(line,)))
