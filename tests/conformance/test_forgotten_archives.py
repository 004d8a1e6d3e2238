"""An older archive brings back nothing that was forgotten since, nor what was made from it; the rest it brings."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect import Memory, NewMessage, UserMemory
from recollect.engine.carry import import_archive as bringing
from tests.fixtures import OpenMemory, SteppingClock

SAID = ("I decided to sell the blue boat.", "I decided to buy the red house.", "My sister is called Anna.")


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    return open_memory(embedding__provider="none", serve__search_log="queries", session_summaries=True)


def _lived(me: UserMemory, archive: Path) -> None:
    """Speak, have it summed up, and once more as a memory, and export it."""
    talk = me.conversation("c")
    for said in SAID:
        me.after_turn([NewMessage("user", said), NewMessage("assistant", "Noted.")], session="c")
    assert talk.compact(keep_recent=1).action == "compacted"
    me.after_turn([NewMessage("user", "What about tomorrow?")], session="c")
    me.end_session("c")
    assert "boat" in str(talk.summary())
    me.export(archive)


def _texts(me: UserMemory) -> str:
    seen = [*(record.content for record in me.list(limit=100).items)]
    for talk in me.conversations():
        seen += [str(me.conversation(talk.id).messages(limit=100)), str(me.conversation(talk.id).window())]
    return "\n".join(seen)


def _message(me: UserMemory, word: str) -> str:
    return next(
        one.id for one in me.conversation("c").messages(limit=100) if word in one.content and one.role == "user"
    )


FORGETTING: dict[str, Callable[[UserMemory], object]] = {
    "message": lambda me: me.forget(_message(me, "boat")),
    "query": lambda me: me.forget(query="sell the blue boat", all=True),
    "session": lambda me: me.forget(session="c"),
    "everything": lambda me: me.forget(everything=True),
}


def test_no_summary_comes_back(memory: Memory, tmp_path: Path, subtests: pytest.Subtests) -> None:
    for way, forget in FORGETTING.items():
        with subtests.test(way=way):
            me, archive = memory.user(way), tmp_path / f"{way}.zip"
            _lived(me, archive)
            forget(me)
            me.import_archive(archive)
            assert "boat" not in _texts(me)
            assert ("Anna" in _texts(me)) == (way in ("message", "query"))
            assert memory.doctor() == ()
            if way == "session":
                assert me.conversations() == ()
                assert me.after_turn([NewMessage("user", "A new talk.")], session="c").saved == 1


def test_messages_without_their_summary_are_active_where_the_archive_brings_them(
    memory: Memory, tmp_path: Path, clock: SteppingClock
) -> None:
    me, other = memory.user("me"), memory.user("other")
    _lived(me, tmp_path / "old.zip")
    me.forget(_message(me, "boat"))
    clock.advance(minutes=1)
    me.export(tmp_path / "new.zip")
    other.import_archive(tmp_path / "new.zip", of_user="me")
    for record in other.list(limit=100).items:
        other.forget(record.id)
    stored = [message.id for message in other.conversation("c").messages(limit=100)]
    memory._engine.store.write(other._scope, lambda writer: writer.delete_messages(stored))
    brought = other.import_archive(tmp_path / "old.zip", of_user="me")
    assert brought.skipped["messages", bringing.FORGOTTEN] == 2
    window = str(other.conversation("c").window())
    assert "boat" not in _texts(other)
    assert "Summary" not in window
    assert all(word in window for word in ("red house", "Anna", "tomorrow"))


def test_what_was_also_learned_elsewhere_stays(memory: Memory, tmp_path: Path) -> None:
    me = memory.user("me")
    for session in ("c", "d"):
        me.after_turn([NewMessage("user", SAID[2])], session=session)
    me.export(tmp_path / "old.zip")
    (learned,) = me.list().items
    me.forget(session="c")
    assert me.get(learned.id)
    memory._engine.store.write(me._scope, lambda writer: writer.delete([learned.id]))
    me.import_archive(tmp_path / "old.zip")
    assert me.get(learned.id).content == learned.content


def test_a_killed_import_and_a_forgetting_leave_no_summary(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    me, other = memory.user("me"), memory.user("other")
    _lived(me, tmp_path / "old.zip")

    def stop(what: str, done: int, total: int) -> None:
        if what == "memories":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        other.import_archive(tmp_path / "old.zip", of_user="me", tell=stop)
    other.forget(_message(other, "boat"))
    other.import_archive(tmp_path / "old.zip", of_user="me")
    window = str(other.conversation("c").window())
    assert "boat" not in _texts(other)
    assert all(word in window for word in ("red house", "Anna"))


def test_forgetting_while_an_import_runs(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    me, other = memory.user("me"), memory.user("other")
    _lived(me, tmp_path / "old.zip")
    monkeypatch.setattr(bringing, "_MOST_ROWS", 1)

    def forget(what: str, done: int, total: int) -> None:
        if what == "messages" and done == 1:
            other.forget(_message(other, "boat"))

    other.import_archive(tmp_path / "old.zip", of_user="me", tell=forget)
    assert "boat" not in _texts(other)
    assert "Anna" in _texts(other)


def test_a_conversation_that_went_on_elsewhere_comes_without_what_was_forgotten(
    open_memory: OpenMemory, memory: Memory, tmp_path: Path, clock: SteppingClock
) -> None:
    me, other = memory.user("me"), memory.user("other")
    for one in (me, other):
        one.after_turn([NewMessage("user", SAID[0])], session="c")
        one.conversation("c").describe({"title": "The boat"})
    me.forget(session="c")
    clock.advance(minutes=1)
    other.after_turn([NewMessage("user", SAID[2])], session="c")
    other.export(tmp_path / "other.zip")
    me.import_archive(tmp_path / "other.zip", of_user="other")
    assert "boat" not in _texts(me) + str(me.conversations())
    assert "Anna" in _texts(me)


def test_a_turn_that_arrives_late_is_not_stored(me: UserMemory, clock: SteppingClock) -> None:
    said = NewMessage("user", SAID[0], said_at=clock.now())
    clock.advance(minutes=1)
    me.after_turn([NewMessage("user", SAID[1])], session="c")
    me.forget(session="c")
    assert me.after_turn([said], session="c").saved == 0
    assert me.after_turn([said], session="d").saved == 1
    me.forget(everything=True)
    assert me.after_turn([said], session="e").saved == 0
    assert {one.action for one in me.conversation("imported").import_messages([_named(said)])} == {"created"}
    assert me.after_turn([NewMessage("user", SAID[0], said_at=clock.now())], session="e").saved == 1


def _named(message: NewMessage) -> dict[str, Any]:
    return {"role": message.role, "content": message.content, "said_at": message.said_at, "id": "m-1"}


def test_names_are_accepted_anew(memory: Memory, tmp_path: Path, clock: SteppingClock) -> None:
    me = memory.user("me")
    me.places.set("Cabin", (49.19, 16.61))
    me.export(tmp_path / "old.zip")
    me.places.forget("Cabin")
    me.import_archive(tmp_path / "old.zip")
    assert me.places.named() == ()
    clock.advance(minutes=1)
    me.places.set("Cabin", (50, 16))
    me.export(tmp_path / "new.zip")
    me.places.forget("Cabin")
    memory.user("other").import_archive(tmp_path / "new.zip", of_user="me")
    assert [place.lat for place in memory.user("other").places.named()] == [50]


def test_a_heading_that_was_forgotten_stays_away(memory: Memory, tmp_path: Path, clock: SteppingClock) -> None:
    me, notes = memory.user("me"), tmp_path / "notes"
    notes.mkdir()
    text = "# The Zwick clinic\n\nIt is white.\n\n## The garden\n\n" + "The fence is painted blue. " * 200
    (notes / "a.md").write_text(text)
    me.files.sync(notes)
    me.export(tmp_path / "old.zip")
    assert "Zwick" in str(me.search_context("fence painted", limit=20).hits)
    me.forget(query="Zwick clinic", all=True)
    me.import_archive(tmp_path / "old.zip")
    clock.moment += timedelta(minutes=1)
    (notes / "a.md").write_text(f"{text}\nAnd more.\n")
    me.files.sync(notes)
    hits = me.search_context("fence painted", limit=20).hits
    assert hits
    assert "Zwick" not in str(hits)
