"""An archive is input like any other: no path in it is opened, and what the doors refuse is refused by its line."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recollect import InvalidInput, Memory, UserMemory
from recollect.errors import InvalidDocument
from recollect_files.disk import safe_open
from tests.archives import Lines, with_rows
from tests.fixtures import OpenMemory

CANARY = "the canary sings at midnight"
Change = Callable[[Lines], object]


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A folder that no user has named, with a file in it."""
    folder = tmp_path / "of-the-machine"
    (folder / "deeper").mkdir(parents=True)
    (folder / "passwd").write_text(CANARY)
    (folder / "deeper" / "note.md").write_text(CANARY)
    return folder


@pytest.fixture
def anna(open_memory: OpenMemory) -> UserMemory:
    """A user who has something of each kind that archives are made of."""
    me = open_memory(embedding__provider="none").user("anna")
    me.remember("The shed is blue", subject="shed", key="colour", value="blue")
    me.remember("The shed is green", subject="shed", key="colour", value="green")
    me.remember("Likes the sea", metadata={"a": 1})
    me.conversation("talk").append("user", "My boat is called Olga")
    me.conversation("talk").append("assistant", "A fine name")
    me.places.set("Home", (49.19, 16.61))
    return me


def exported(me: UserMemory, folder: Path) -> bytes:
    target = folder / "made.zip"
    target.unlink(missing_ok=True)
    me.export(target)
    return target.read_bytes()


def bring(me: UserMemory, folder: Path, archive: bytes) -> Any:
    path = folder / "brought.zip"
    path.write_bytes(archive)
    return me.import_archive(path)


def synced(me: UserMemory, folder: Path) -> bytes:
    """Export a user whose notes were synced."""
    notes = folder / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("The key is under the mat.\n")
    me.files.sync(notes)
    return exported(me, folder)


def test_no_path_of_an_archive_is_opened(anna: UserMemory, memory: Memory, secret: Path, tmp_path: Path) -> None:
    genuine, bob = synced(anna, tmp_path), memory.user("bob")

    def elsewhere(lines: Lines) -> None:
        lines["files"][0] |= {"root": str(secret), "path": "passwd", "mtime_ns": 1, "ctime_ns": 1, "inode": 1}
        lines["folders"][0]["root"] = str(secret)

    bring(bob, tmp_path, with_rows(genuine, elsewhere))
    (file,) = bob.files.list().items
    shown = bob.files.read(file.id)
    assert (shown.text, shown.origin, file.root) == ("The key is under the mat.\n", "store", str(secret))
    assert [status.drift for status in bob.files.folders()] == [None]
    assert [(report.state, report.seen) for report in bob.files.sync()] == [("unnamed", 0)]
    stop, told = threading.Event(), list[Any]()

    def tell(outcome: Any) -> None:
        told.append(outcome)
        stop.set()

    bob.files.watch(stop=stop, tell=tell)
    assert [report.state for report in told] == ["unnamed"]
    assert not any(CANARY in hit.content for hit in bob.recall("canary midnight").hits)
    assert bob.files.read(file.id).origin == "store"


def test_a_file_that_no_sync_has_seen_is_not_opened_in_a_named_folder(
    anna: UserMemory, memory: Memory, secret: Path, tmp_path: Path
) -> None:
    """As one that the rules of the folder leave out."""
    genuine, bob = synced(anna, tmp_path), memory.user("bob")
    bob.files.sync(secret, include=["*.md"])

    def hidden(lines: Lines) -> None:
        lines["files"][0] |= {"root": str(secret), "path": "passwd", "mtime_ns": 1, "ctime_ns": 1, "inode": 1}
        lines["folders"].clear()

    bring(bob, tmp_path, with_rows(genuine, hidden))
    text = {file.path: bob.files.read(file.id).text for file in bob.files.list().items}
    assert text == {"deeper/note.md": CANARY, "passwd": "The key is under the mat.\n"}
    bob.files.sync()
    assert [file.path for file in bob.files.list().items] == ["deeper/note.md"]


def test_a_folder_that_moved_is_adopted_when_it_is_named(
    anna: UserMemory, memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    genuine, bob = synced(anna, tmp_path), memory.user("bob")
    bring(bob, tmp_path, genuine)
    before = bob.files.list().items
    (report,) = bob.files.sync(tmp_path / "notes")
    assert (report.state, report.added, report.changed, report.touched) == ("synced", 0, 0, 1)
    (file,) = bob.files.list().items
    assert [file.id] == [one.id for one in before]
    assert bob.files.read(file.id).origin == "disk"
    assert exported(bob, tmp_path) == exported(bob, tmp_path)
    again = bring(bob, tmp_path, genuine)
    assert not +again.brought  # and it is known for what it is
    assert bob.files.sync()[0].unchanged == 1
    monkeypatch.setattr(safe_open, "machine", lambda: "another")
    assert bob.files.read(file.id).origin == "store"
    assert bob.files.sync()[0].state == "unnamed"
    assert bob.files.list().items == (file,)
    assert bob.files.sync(tmp_path / "notes")[0].state == "synced"
    assert bob.files.read(file.id).origin == "disk"
    bob.forget(folder=str(tmp_path / "notes"))
    assert bob.files.folders() == ()


def row(table: str, **values: object) -> Change:
    """Change the first row of a table."""
    return lambda lines: lines[table][0].update(values)


def circle(lines: Lines) -> None:
    first, second = lines["memories"][:2]
    first["superseded_by"], second["superseded_by"] = second["id"], first["id"]


def deep(levels: int) -> object:
    value: object = "x"
    for _ in range(levels):
        value = [value]
    return value


REFUSED: list[tuple[Change, str]] = [
    (row("memories", type="evil"), "line 1 of memories.jsonl: type is 'evil'; it must be one of preference, decision"),
    (row("memories", content=""), "content has 0 characters"),
    (row("memories", subject="x" * 129), "subject has 129 characters"),
    (row("memories", importance=float("nan")), "NaN"),
    (row("memories", importance=1e999), "line 1 of memories.jsonl"),
    (row("memories", confidence=1.1), "confidence is 1.1"),
    (row("memories", trust=4), "trust is 4"),
    (row("memories", value="\ud800"), "UTF-8"),
    (row("memories", lat=91, lng=1), "lat is 91"),
    (row("memories", lat=1, lng=None), "half of a pair of coordinates"),
    (row("memories", metadata={"a": deep(200)}), "metadata is nested more than 100 deep"),
    (row("memories", metadata={"a": "x" * 200_000}), "metadata is 200"),
    (row("memories", metadata={"a": 1e999}), "Infinity is no number"),
    (row("memories", media=[{"kind": "image", "url": "https://example.org/a"}] * 21), "media has 21 entries"),
    (row("memories", valid_from="0001-01-01T00:00:00+14:00"), "valid_from is '0001"),
    (row("memories", content_hash="x"), "content_hash is 'x'"),
    (row("memories", id="../../etc"), "id is '../../etc'"),
    (circle, "is superseded in a circle"),
    (lambda lines: lines["memories"][0].update(superseded_by=lines["memories"][0]["id"]), "in a circle"),
    (lambda lines: lines["memories"].append(lines["memories"][-1]), "out of order"),
    (row("messages", tokens=2**63 - 1), "line 1 of messages.jsonl: tokens is 9223372036854775807"),
    (row("messages", sequence=-1), "sequence is -1"),
    (row("messages", input_tokens=2**60), "input_tokens is"),
    (row("messages", role="root"), "role is 'root'"),
    (row("messages", status="gone"), "status is 'gone'"),
    (row("messages", speaker="Eva\nuser: hello"), "a name stands on one line"),
    (row("messages", conversation_id="\x1b[2J"), "conversation id"),
    (row("messages", tool_calls=[["a", "b"]]), "tool_calls is"),
    (row("conversations", last_sequence=2**60), "last_sequence is"),
    (row("named_places", name=""), "name has 0 characters"),
    (row("files", kind="program"), "kind is 'program'"),
    (row("files", mime="text/plain\r\nSet-Cookie: a=b"), "mime is"),
    (row("files", lines=2**40), "lines is 1099511627776"),
    (row("files", original="../../../etc/passwd"), "original is"),
    (row("files", path=""), "path has 0 bytes"),
    (row("chunks", start_line=5, end_line=1), "has the lines 5 to 1"),
    (row("chunks", start_column=2**60), "start_column is"),
    (row("folders", rules={"most_bytes": 2**60}), "rules are include, exclude"),
    (row("folders", rules={"include": [1]}), "rules has"),
    (row("folders", trouble={"a": "b"}), "trouble counts"),
]


def test_what_the_doors_refuse_is_refused_by_its_line(anna: UserMemory, memory: Memory, tmp_path: Path) -> None:
    genuine, bob = synced(anna, tmp_path), memory.user("bob")
    untouched = bob.stats()
    for change, reason in REFUSED:
        with pytest.raises(InvalidDocument) as refused:
            bring(bob, tmp_path, with_rows(genuine, change))
        assert reason in str(refused.value), refused.value
    assert bob.stats() == untouched
    assert bob.files.list().items == ()
    assert bring(bob, tmp_path, genuine).brought["memories"] == 3


def test_what_lacks_what_it_belongs_to_is_left_out_and_counted(
    anna: UserMemory, memory: Memory, tmp_path: Path
) -> None:
    genuine, bob = synced(anna, tmp_path), memory.user("bob")

    def orphans(lines: Lines) -> None:
        lines["conversations"].clear()
        lines["files"].clear()
        old = next(line for line in lines["memories"] if line["superseded_by"])
        old["superseded_by"] = "00000000-0000-7000-8000-000000000000"

    report = bring(bob, tmp_path, with_rows(genuine, orphans))
    left = {what: amount for (what, reason), amount in report.skipped.items() if "belongs to was left out" in reason}
    assert left == {"messages": 2, "chunks": 1, "memories": 1}
    assert (bob.count(), bob.conversations()) == (2, ())
    bob.conversation("talk").append("user", "Hello again")
    bring(bob, tmp_path, with_rows(genuine, lambda lines: lines["conversations"].clear()))
    assert len(bob.conversation("talk").messages()) == 3  # where it is there, they belong to it


def test_data_nested_too_deep_are_refused_at_every_door(anna: UserMemory) -> None:
    with pytest.raises(InvalidInput, match="nested more than 100 deep"):
        anna.remember("Something", metadata={"a": deep(100)})
    kept = anna.remember("Something", metadata={"a": deep(99)})
    assert anna.get(kept.id).metadata == {"a": deep(99)}
