"""Names and texts that no database likes, on both stores: each is kept as far as it can be, and none stops a sync."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.notes import Notes, open_notes, pieces
from tests.fixtures import SteppingClock
from tests.rows import every

from recollect import InvalidInput, Memory, NotFound, UserMemory
from recollect.model.files import TextPiece


@pytest.fixture
def memory(database: str, clock: SteppingClock, tmp_path: Path) -> Iterator[Memory]:
    """A store that finds files by their words."""
    with open_notes(database, clock, tmp_path) as opened:
        yield opened
        assert opened.doctor() == ()


@pytest.fixture
def me(memory: Memory) -> UserMemory:
    return memory.user("me")


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    made = Notes(tmp_path / "notes")
    made.write("plain.md", "An ordinary lantern.\n")
    return made


def test_strange_names(me: UserMemory, notes: Notes) -> None:
    names = ["a\nb.md", "🎉 party.md", "tab\t'quote\".md", "%s ?1 :x.md", "ünï/中文.md", "-rf.md", " .md", "İ.md"]
    for name in names:
        notes.write(name, f"The lantern of {json.dumps(name)}.\n")
    (report,) = me.files.sync(notes.root, hidden=True)
    assert {one.path for one in pieces(me)} == {*names, "plain.md"}
    assert report.skipped == {}
    for name in names:
        assert me.files.read(str(notes.root / name)).text == notes.text(name)
    assert me.files.sync(notes.root)[0].writes == 0
    notes.move("a\nb.md", "c\r\nd.md")
    assert me.files.sync(notes.root)[0].renamed == 1


def test_a_name_that_is_no_text(me: UserMemory, notes: Notes) -> None:
    try:
        Path(os.fsdecode(os.fsencode(notes.root) + b"/caf\xe9.md")).write_bytes(b"The lantern of the cafe.\n")
    except OSError:
        pytest.skip("this file system has no such names")
    (report,) = me.files.sync(notes.root)
    again = me.files.sync(notes.root)[0]
    assert again.writes == 0
    kept = {one.path for one in pieces(me)}
    assert "plain.md" in kept
    assert len(kept) + sum(report.skipped.values()) == 2, "it is neither kept nor told"


def test_texts_that_are_none(me: UserMemory, notes: Notes) -> None:
    notes.write("bytes.md", b"# Lantern \xff\xfe\n\nNUL \x00 and \xed\xa0\x80 here.\n")
    notes.write(
        "front.md", '---\ntitle: "NUL \\0 and \\ud800"\n"k\\0": [1, .nan, .inf]\ndate: 2026-99-99\n---\nThe lantern.\n'
    )
    turns = [
        {"type": "session", "id": "s\0\ud800", "cwd": "/\0"},
        {"role": "user", "content": "The lantern \0 and \ud800 go out.", "timestamp": "not a time"},
        {"role": "assistant", "content": [{"type": "text", "text": "Out \udfff they go, \0."}], "timestamp": 1e300},
        {"role": "user", "content": "The first lantern.", "timestamp": "0001-01-01T00:00:00+14:00"},
        {"role": "user", "content": "The last lantern.", "timestamp": "9999-12-31T23:59:59-12:00"},
        {"role": "user", "content": "A late lantern.", "timestamp": "9999-12-31T12:00:00Z"},
        {"role": "user", "content": "An early lantern.", "timestamp": "0001-01-01T12:00:00Z"},
    ]
    notes.write("s.jsonl", "\n".join(json.dumps(turn) for turn in turns))
    notes.write("long.txt", " ".join(f"lantern {number}" for number in range(20_000)))
    notes.write("empty.md", "")
    notes.write("blank.md", " \n\n\t\n")
    (report,) = me.files.sync(notes.root)
    assert (report.added, dict(report.skipped)) == (7, {})
    assert {one.path for one in pieces(me)} == {"plain.md", "bytes.md", "front.md", "s.jsonl", "long.txt"}
    assert me.files.sync(notes.root)[0].writes == 0
    assert {hit.source for hit in me.search_context("lantern", limit=20).hits} == {"file"}
    for path in ("bytes.md", "front.md", "s.jsonl"):
        there = me.files.read(path)
        notes.remove(path)
        gone = me.files.read(there.file.id)
        assert gone.text.split() == there.text.split(), "the disk and the store disagree"


def test_strange_documents(me: UserMemory) -> None:
    added = me.files.add(b"The lantern.", name="caf\udce9.md")
    assert added.file.path == "caf\ufffd.md"
    cut = [TextPiece("The \0 lantern \ud800.", "Head \0", 1, 1, role="user")]
    brought = me.files.add_pieces(
        "talk \ud800\0", cut, source="sessions", metadata={"a\0": ["\ud800", {"b": "\0"}], "n": 1}
    )
    assert brought is not None
    assert me.files.get(brought.file.id).metadata == {"a\ufffd": ["\ufffd", {"b": "\ufffd"}], "n": 1}
    assert {one.content for one in pieces(me)} == {"The lantern.", "The \ufffd lantern \ufffd."}
    assert len(me.search_context("lantern").hits) == 2
    assert me.files.original(added.file.id) == b"The lantern."


@every("name", ["a\0b.md", "a\ud800b.md", ""])
def test_names_that_no_file_can_have(me: UserMemory, notes: Notes, name: str) -> None:
    me.files.sync(notes.root)
    for ask in (
        me.files.sync,
        me.files.add,
        me.files.read,
        lambda name: me.files.sync(notes.root, include=[f"{name}\0"]),
    ):
        with pytest.raises((InvalidInput, NotFound)):
            ask(name)
    assert len(me.files.list().items) == 1


def test_one_pattern_needs_no_list(me: UserMemory, notes: Notes) -> None:
    notes.write("plain.txt", "A text.\n")
    me.files.sync(notes.root, include="*.md")
    assert {one.path for one in pieces(me)} == {"plain.md"}


def test_other_settings_cut_anew(database: str, clock: SteppingClock, tmp_path: Path, notes: Notes) -> None:
    notes.write("long.md", "\n\n".join(f"Paragraph {number} about lanterns and kettles." for number in range(100)))
    with open_notes(database, clock, tmp_path) as memory:
        memory.user("me").files.sync(notes.root)
        before = pieces(memory.user("me"))
    with open_notes(database, clock, tmp_path, files__chunk_tokens=50, files__chunk_overlap=0) as memory:
        me, fresh = memory.user("me"), memory.user("fresh")
        (report,) = me.files.sync(notes.root)
        assert report.changed == 2
        fresh.files.sync(notes.root)
        assert before != pieces(me) == pieces(fresh)
        assert me.files.sync(notes.root)[0].writes == 0
        assert memory.doctor() == ()
