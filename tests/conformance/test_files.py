"""Documents, reading files back, and forgetting them, on both stores."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import InvalidInput, Memory, NotFound, UserMemory
from recollect.errors import InvalidDocument
from recollect.model.files import TextPiece
from tests.conformance.notes import Notes, Words, chunk_ids, marks, open_notes, pieces
from tests.fixtures import SteppingClock
from tests.storage.catalogue import is_server

MANUAL = "# Manual\n\nPress the red button twice.\n\nThen wait.\n"


@pytest.fixture
def words() -> Words:
    return Words()


@pytest.fixture
def memory(database: str, clock: SteppingClock, tmp_path: Path, words: Words) -> Iterator[Memory]:
    with open_notes(database, clock, tmp_path, words) as opened:
        yield opened
        assert opened.doctor() == ()


@pytest.fixture
def me(memory: Memory) -> UserMemory:
    return memory.user("me")


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    made = Notes(tmp_path / "notes")
    made.write("garden.md", "# Garden\n\nThe ladder stands behind the shed.\n\n\nFrogs live in the pond.\n")
    made.write("rooms/kitchen.md", "The kettle is blue.\n")
    return made


def test_lines_are_read_without_the_rest_of_the_file(me: UserMemory) -> None:
    text = "\n".join(f"Lamp {row}: " + f"the {row}th one is lit. " * (200 if row == 40 else 2) for row in range(1, 81))
    file = me.files.add(text.encode(), name="lamps.txt").file
    whole = me.files.read(file.id).text
    assert [line.rstrip() for line in whole.split("\n")] == [line.rstrip() for line in text.split("\n")]
    for first, last in ((1, 1), (3, 9), (39, 41), (40, 40), (77, 500)):
        part = me.files.read(file.id, (first, last))
        assert part.text == "\n".join(whole.split("\n")[first - 1 : last])
        assert (part.first, part.last, part.origin) == (first, min(last, 80), "store")
    chunks = me.files.chunks(file.id, limit=100)
    assert me.files.chunks(file.id, limit=2) == chunks[:2]


def test_a_file_beyond_the_budget_says_so(database: str, tmp_path: Path) -> None:
    text = "".join(f"Paragraph {number} is about lamps and their oil.\n\n" for number in range(60))
    Notes(tmp_path / "large").write("a.md", text)
    budget: dict[str, Any] = {"files__most_pieces": 10, "files__chunk_tokens": 50, "files__chunk_overlap": 0}
    with open_notes(database, None, tmp_path, **budget) as memory:
        memory.user("sync").files.sync(tmp_path / "large")
        memory.user("document").files.add(text.encode(), name="a.md")
        for me in (memory.user("sync"), memory.user("document")):
            (file,) = me.files.list().items
            assert (file.chunks, file.cut) == (10, True)
            assert "text was cut: only the first 10 pieces are searched (files.most_pieces is 10)" in file.notes
            assert me.recall("oil of paragraph 1", files=True).hits


def originals(tmp_path: Path) -> list[bytes]:
    return [file.read_bytes() for file in (tmp_path / "originals").rglob("*") if file.is_file()]


def test_a_document_is_kept_once_and_given_back(me: UserMemory, memory: Memory, tmp_path: Path, words: Words) -> None:
    path = tmp_path / "manual.md"
    path.write_text(MANUAL, encoding="utf-8")
    added = me.files.add(path)
    assert (added.action, added.file.path, added.file.source, added.file.root) == (
        "created",
        "manual.md",
        "document",
        "",
    )
    assert me.files.original(added.file.id) == MANUAL.encode()
    before, asked = marks(memory), len(words.asked)
    assert asked == added.file.chunks
    again = me.files.add(MANUAL.encode(), name="other name.md")
    assert (again.action, again.file, marks(memory), len(words.asked)) == ("duplicate", added.file, before, asked)
    assert me.files.get(added.file.id) == added.file
    (hit,) = me.search_context("red button").hits
    assert (hit.source, hit.content) == ("file", "# Manual\n\nPress the red button twice.\n\nThen wait.")


def test_a_document_may_take_the_place_of_another(me: UserMemory, tmp_path: Path) -> None:
    first = me.files.add(b"The old manual.", name="manual.txt")
    beside = me.files.add(b"Another manual of the same name.", name="manual.txt")
    assert (first.action, beside.action) == ("created", "created")
    replaced = me.files.add(b"The new manual.", name="manual.txt", replace=True)
    assert replaced.action == "replaced"
    assert [file.id for file in me.files.list().items] == [replaced.file.id]
    assert originals(tmp_path) == [b"The new manual."]
    assert [one.content for one in pieces(me)] == ["The new manual."]


def test_what_is_no_document_is_refused(me: UserMemory, memory: Memory, tmp_path: Path, database: str) -> None:
    for offered in (tmp_path, tmp_path / "nowhere.md"):
        with pytest.raises(InvalidDocument):
            me.files.add(offered)
    with pytest.raises(InvalidInput):
        me.files.add(b"bytes without a name")
    if not is_server(database):
        with pytest.raises(InvalidDocument, match="the store itself"):
            me.files.add(database)
    assert me.files.list().items == ()
    assert memory.stats().files == 0


def test_pages_of_files(me: UserMemory, notes: Notes) -> None:
    me.files.sync(notes.root)
    added = [me.files.add(f"Document {number}.".encode(), name=f"{number}.txt").file for number in range(5)]
    page = me.files.list(limit=3)
    assert [file.id for file in page.items] == [file.id for file in added[:1:-1]]
    rest = me.files.list(limit=50, cursor=page.cursor)
    assert (len(rest.items), rest.cursor) == (4, None)
    assert {file.path for file in me.files.list(source="memory").items} == {"garden.md", "rooms/kitchen.md"}
    assert len(me.files.list(source="document").items) == 5
    with pytest.raises(InvalidInput):
        me.files.list(source="nowhere")  # type: ignore[arg-type]


def test_lines_are_the_same_from_the_disk_and_from_the_store(me: UserMemory, notes: Notes) -> None:
    me.files.sync(notes.root)
    asked = (None, (1, 3), (3, 3), (5, 99))
    on_disk = [me.files.read("garden.md", lines) for lines in asked]
    lines = notes.text("garden.md").split("\n")
    for wanted, there in zip(asked, on_disk, strict=True):
        assert (there.origin, there.current) == ("disk", True)
        first, last = wanted or (1, len(lines))
        assert there.text == "\n".join(lines[first - 1 : last]), wanted
    notes.remove("garden.md")
    for wanted, there in zip(asked, on_disk, strict=True):
        gone = me.files.read(there.file.id, wanted)
        assert (gone.origin, gone.text) == ("store", there.text), wanted
        assert (gone.first, gone.last) == (there.first, there.last), wanted


def test_a_file_that_has_changed_since_says_so(me: UserMemory, notes: Notes) -> None:
    me.files.sync(notes.root)
    notes.write("rooms/kitchen.md", "The kettle is red.\n")
    changed = me.files.read("rooms/kitchen.md")
    assert (changed.text, changed.current) == ("The kettle is red.\n", False)
    for lines in ((0, 1), (3, 2)):
        with pytest.raises(InvalidInput):
            me.files.read("rooms/kitchen.md", lines)
    with pytest.raises(NotFound):
        me.files.read("nowhere.md")


def test_a_name_that_several_files_have_must_be_longer(me: UserMemory, notes: Notes) -> None:
    notes.write("attic/Kitchen.md", "A box with old plates.\n")
    me.files.sync(notes.root)
    with pytest.raises(InvalidInput, match=r"2 files are called kitchen\.md"):
        me.files.read("kitchen.md")
    assert me.files.read("attic/kitchen.md").text == "A box with old plates.\n"
    assert me.files.read("rooms/kitchen.md:1-1").file.path == "rooms/kitchen.md"
    assert me.files.read(str(notes.root / "rooms/kitchen.md")).file.path == "rooms/kitchen.md"


def test_a_forgotten_file_does_not_come_back_by_itself(me: UserMemory, memory: Memory, notes: Notes) -> None:
    me.files.sync(notes.root)
    file = me.files.read("garden.md").file
    assert me.forget(file.id, dry_run=True).files == 1
    assert len(me.files.list().items) == 2
    forgotten = me.forget(file.id)
    assert (forgotten.action, forgotten.files) == ("deleted", 1)
    before = marks(memory)
    (report,) = me.files.sync(notes.root)
    assert (report.forgotten, report.added, marks(memory)) == (1, 0, before)
    (foreseen,) = me.files.sync(notes.root, dry_run=True)
    assert (foreseen.forgotten, foreseen.added, me.files.folders()[0].drift) == (1, 0, 0)
    text = notes.text("garden.md")
    notes.move("garden.md", "other.md")
    assert me.files.sync(notes.root)[0].forgotten == 1
    notes.move("other.md", "garden.md")
    notes.write("garden.md", f"{text}More of it.\n")
    assert me.files.sync(notes.root)[0].forgotten == 1
    assert [one.path for one in pieces(me)] == ["rooms/kitchen.md"]
    assert me.files.add(notes.root / "garden.md").action == "created"
    assert me.search_context("frogs in the pond").hits[0].type == "markdown"


def test_a_forgotten_document_comes_back_when_it_is_added(me: UserMemory, tmp_path: Path) -> None:
    added = me.files.add(MANUAL.encode(), name="manual.md")
    assert me.forget(added.file.id).files == 1
    assert (originals(tmp_path), pieces(me), me.files.list().items) == ([], [], ())
    with pytest.raises(NotFound):
        me.files.original(added.file.id)
    back = me.files.add(MANUAL.encode(), name="manual.md")
    assert (back.action, originals(tmp_path)) == ("created", [MANUAL.encode()])


def test_a_forgotten_folder_may_be_synced_again(me: UserMemory, notes: Notes) -> None:
    me.files.sync(notes.root)
    me.files.add(MANUAL.encode(), name="manual.md")
    forgotten = me.forget(folder=notes.root)
    assert (forgotten.action, forgotten.files) == ("deleted", 2)
    assert me.files.folders() == ()
    assert [file.path for file in me.files.list().items] == ["manual.md"]
    assert me.forget(folder=notes.root).action == "not_found"
    assert me.files.sync(notes.root)[0].added == 2


def test_forgetting_everything_forgets_files(me: UserMemory, memory: Memory, notes: Notes, tmp_path: Path) -> None:
    me.files.sync(notes.root)
    me.files.add(MANUAL.encode(), name="manual.md")
    assert me.forget(everything=True).files == 3
    assert (me.files.folders(), me.files.list().items, pieces(me), originals(tmp_path)) == ((), (), [], [])
    assert (memory.stats().files, memory.stats().chunks, memory.stats().vectors) == (0, 0, 0)
    notes.write("new.md", "The boiler hums.\n")
    (report,) = me.files.sync(notes.root)
    assert (report.added, report.forgotten) == (1, 2)
    me.forget(everything=True, allow_again=True)
    assert me.files.sync(notes.root)[0].added == 3


def test_files_cut_elsewhere_bring_their_vectors(me: UserMemory, words: Words) -> None:
    cut = [TextPiece("Press the red button.", "Manual", 1, 1), TextPiece("Then wait.", "Manual", 3, 4)]
    vectors = [[float(number == place) for number in range(16)] for place in range(2)]
    added = me.files.add_pieces("log/manual.md", cut, source="sessions", vectors=vectors, space=words.space)
    assert added is not None
    assert (added.action, added.file.chunks, words.asked) == ("created", 2, [])
    assert me.recall("button", files=True, vector=vectors[0]).hits[0].similarity == pytest.approx(1.0, abs=1e-5)
    assert me.files.add_pieces("log/manual.md", cut, source="sessions") is not None
    assert me.files.read("log/manual.md").text == "Press the red button.\n\nThen wait.\n"
    me.forget(added.file.id)
    assert me.files.add_pieces("log/manual.md", cut, source="sessions") is None


def test_nobody_sees_the_files_of_others(me: UserMemory, memory: Memory, notes: Notes) -> None:
    me.files.sync(notes.root)
    mine = me.files.add(MANUAL.encode(), name="manual.md").file
    other = memory.user("other")
    assert (other.files.list().items, other.files.folders(), pieces(other)) == ((), (), [])
    assert other.search_context("garden.md ladder behind the shed").hits == ()
    assert other.forget(mine.id).action == "not_found"
    assert other.forget(folder=notes.root).action == "not_found"
    for look in (other.files.get, other.files.original, other.files.read):
        with pytest.raises(NotFound):
            look(mine.id)
    assert (other.stats().files, me.stats().files) == (0, 3)
    theirs = other.files.add(MANUAL.encode(), name="manual.md")
    assert theirs.action == "created"
    other.forget(everything=True)
    assert me.files.original(mine.id) == MANUAL.encode()
    assert len(me.files.list().items) == 3


def test_the_figures_count_files(me: UserMemory, memory: Memory, notes: Notes) -> None:
    me.files.sync(notes.root)
    me.files.add(MANUAL.encode(), name="manual.md")
    kept = len(pieces(me))
    assert (me.stats().files, me.stats().chunks) == (3, kept)
    assert (memory.stats().files, memory.stats().chunks, memory.stats().vectors) == (3, kept, kept)
    assert memory.status().stats.files == 3
    (coverage,) = [one for one in memory.status().coverage if one.source == "chunk"]
    assert (coverage.items, coverage.vectors, coverage.waiting) == (kept, kept, 0)


def test_a_session_is_read_back_by_its_lines(me: UserMemory, notes: Notes) -> None:
    turns = [
        {"role": "user", "content": "Where is the\nblue pump that was in the cellar?"},
        {"role": "assistant", "content": "In the attic."},
        {"role": "user", "content": "No.\n" + "It is not there at all. " * 200},
    ]
    notes.write("talks/s1.jsonl", "\n".join(json.dumps(turn) for turn in turns))
    me.files.sync(notes.root)
    there = me.files.read("s1.jsonl")
    assert (there.file.kind, there.file.lines) == ("session", 3)
    assert me.files.read("s1.jsonl", (1, 1)).text == turns[0]["content"]
    assert len(chunk_ids(me, "s1.jsonl")) > 3
    assert me.files.read("s1.jsonl", (2, 2)).text == "In the attic."
    notes.remove("talks/s1.jsonl")
    gone = me.files.read(there.file.id)
    assert (gone.origin, gone.text) == ("store", there.text)
