"""Keeping a folder in step, on both stores: what is read, what is written, and what is left alone."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.conformance.notes import Notes, Words, chunk_ids, marks, open_notes, pieces
from tests.fixtures import SteppingClock

from recollect import InvalidInput, Memory, NotFound, UserMemory
from recollect.cli.progress import JsonProgress, say_what_waits
from recollect.cli.runner import CommandContext
from recollect.engine.drafts.items import embedded_texts
from recollect.model.files import Chunk, NamedRoot
from recollect.model.memories import Scope, Vector
from recollect.ports import Role
from recollect.storage.base import StoreWriter, TouchedFile
from recollect_files.ports import Disk, FolderWalk, SyncRules
from tests_files.reaching import disk_of, put

GARDEN = "# Garden\n\nThe ladder stands behind the shed.\n\n## Pond\n\nFrogs live there.\n"
KITCHEN = "The kettle is blue.\n"
NOW = datetime(2026, 2, 3, tzinfo=UTC)
DIARY = "We painted the fence.\n"


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    made = Notes(tmp_path / "notes")
    made.write("garden.md", GARDEN)
    made.write("rooms/kitchen.txt", KITCHEN)
    made.write("2026-02-03.md", DIARY)
    return made


@pytest.fixture
def words() -> Words:
    return Words()


@pytest.fixture
def memory(database: str, clock: SteppingClock, tmp_path: Path, words: Words) -> Iterator[Memory]:
    with open_notes(database, clock, tmp_path, words) as opened:
        yield opened
        assert opened.doctor() == ()


@pytest.fixture
def me(memory: Memory, notes: Notes) -> UserMemory:
    """A user whose folder was synced once."""
    mine = memory.user("me")
    (report,) = mine.files.sync(notes.root)
    assert (report.state, report.seen, report.added, report.embedded) == ("synced", 3, 3, report.written)
    return mine


def test_a_first_sync_keeps_every_file_with_its_lines_and_its_day(me: UserMemory, notes: Notes) -> None:
    kept = pieces(me)
    assert {one.path for one in kept} == {"garden.md", "rooms/kitchen.txt", "2026-02-03.md"}
    assert [one.dated_at for one in kept if one.path == "2026-02-03.md"] == [datetime(2026, 2, 3, tzinfo=UTC)]
    assert me.files.read("kitchen.txt").text == KITCHEN
    (status,) = me.files.folders()
    assert (status.folder.root, status.files, status.chunks, status.drift) == (str(notes.root), 3, len(kept), 0)
    assert status.folder.completed_at is not None


def test_an_unchanged_folder_is_neither_read_nor_written(
    me: UserMemory, memory: Memory, notes: Notes, words: Words, clock: SteppingClock
) -> None:
    before, asked = marks(memory), len(words.asked)
    told: list[object] = []
    (report,) = me.files.sync(notes.root, tell=told.append)
    assert (report.unchanged, report.writes, report.bytes_read, told) == (3, 0, 0, [])
    assert (marks(memory), len(words.asked)) == (before, asked)
    clock.advance(hours=2)  # a user who asks when the folder was last synced gets an answer
    me.files.sync(notes.root)
    assert me.files.folders()[0].folder.scanned_at > clock.moment - timedelta(minutes=1)


def test_only_chunks_that_changed_are_written_and_embedded(me: UserMemory, notes: Notes, words: Words) -> None:
    long = "".join(f"## Part {number}\n\n{'tree shed pond ' * 60}number {number}.\n\n" for number in range(40))
    notes.write("long.md", long)
    me.files.sync(notes.root)
    before, asked = chunk_ids(me, "long.md"), len(words.asked)
    notes.write("long.md", "A line before all.\n" + long.replace("number 20.", "number twenty."))
    (report,) = me.files.sync(notes.root)
    after = chunk_ids(me, "long.md")
    assert (report.changed, report.unchanged) == (1, 3)
    assert len(before) > 15
    assert 0 < report.written <= 4
    new = sorted(set(after) - set(before))
    assert report.written == report.embedded == len(new)
    written = me._engine.store.read(Scope(me.user_id), lambda reader: reader.get_chunks(new))
    assert sorted(words.asked[asked:]) == sorted(text for chunk in written for text in embedded_texts(chunk))
    assert report.kept == len(set(after) & set(before))
    assert {one.content for one in pieces(me) if "twenty" in one.content} != set()


def test_a_file_that_was_only_touched_keeps_everything(me: UserMemory, notes: Notes, words: Words) -> None:
    before, asked = pieces(me), len(words.asked)
    notes.touch("garden.md")
    (report,) = me.files.sync(notes.root)
    assert (report.touched, report.changed, report.written) == (1, 0, 0)
    assert me.files.sync(notes.root)[0].bytes_read == 0
    assert (pieces(me), len(words.asked)) == (before, asked)


def _rewrite(file: Path, text: str) -> None:
    """Write a file anew; its size and its time of modification stay, its time of change does not."""
    before = file.stat()
    assert len(text) == before.st_size
    while file.stat().st_ctime_ns == before.st_ctime_ns:
        file.write_text(text)
        os.utime(file, ns=(before.st_mtime_ns, before.st_mtime_ns))


def _put_in_place(file: Path, text: str) -> None:
    """Put another file in the place of one, with the same size and time of modification."""
    before = file.stat()
    other = file.with_name("other.tmp")
    other.write_text(text)
    os.utime(other, ns=(before.st_mtime_ns, before.st_mtime_ns))
    other.rename(file)
    assert (file.stat().st_size, file.stat().st_ino != before.st_ino) == (before.st_size, True)


def test_a_change_that_leaves_size_and_time_is_seen(me: UserMemory, notes: Notes) -> None:
    for change, text in ((_rewrite, "The kettle is pink.\n"), (_put_in_place, "The kettle is gray.\n")):
        change(notes.root / "rooms/kitchen.txt", text)
        (status,) = me.files.folders()
        assert status.drift == 1
        (report,) = me.files.sync()
        assert (report.changed, report.unchanged) == (1, 2)
        assert text.strip() in [one.content.strip() for one in pieces(me)]


def test_a_full_sync_reads_what_seems_unchanged(me: UserMemory, notes: Notes, memory: Memory, words: Words) -> None:
    """As on a disk that keeps no times of change; what is the same is not written."""
    kept, asked = chunk_ids(me, "garden.md"), len(words.asked)
    (report,) = me.files.sync(full=True)
    assert (report.bytes_read > 0, report.unchanged, report.writes, report.written) == (True, 3, 0, 0)
    kitchen = notes.root / "rooms/kitchen.txt"
    _rewrite(kitchen, "The kettle is pink.\n")
    now = kitchen.stat()

    def as_if_unchanged(writer: StoreWriter) -> None:
        file = writer.file_at(str(notes.root), "rooms/kitchen.txt")
        assert file is not None
        writer.touch_files([TouchedFile(file.id, file.path, file.size, now.st_mtime_ns, now.st_ctime_ns, now.st_ino)])

    memory._engine.store.write(me._scope, as_if_unchanged)
    assert me.files.sync()[0].changed == 0
    (planned,) = me.files.sync(full=True, dry_run=True)
    assert planned.changed == 3
    (report,) = me.files.sync(full=True)
    assert (report.changed, report.unchanged, report.touched) == (1, 2, 0)
    assert len(words.asked) == asked + 1
    assert chunk_ids(me, "garden.md") == kept


def test_files_stored_without_times_of_change_are_read_once_and_not_written(
    me: UserMemory, notes: Notes, memory: Memory, words: Words
) -> None:
    """As an earlier version left them."""
    kept, asked = chunk_ids(me, "garden.md"), list(words.asked)

    def as_before(writer: StoreWriter) -> None:
        files = [file for path in notes.paths() if (file := writer.file_at(str(notes.root), path))]
        writer.touch_files([TouchedFile(file.id, file.path, file.size, file.mtime_ns, 0, 0) for file in files])

    memory._engine.store.write(me._scope, as_before)
    (report,) = me.files.sync()
    assert (report.touched, report.changed, report.written, report.unchanged) == (3, 0, 0, 0)
    (report,) = me.files.sync()
    assert (report.touched, report.unchanged, report.bytes_read) == (0, 3, 0)
    assert (chunk_ids(me, "garden.md"), words.asked) == (kept, asked)


def test_a_text_that_becomes_binary_leaves_the_search(me: UserMemory, notes: Notes) -> None:
    notes.write("garden.md", bytes(range(256)) * 4)
    (report,) = me.files.sync()
    assert (report.removed, report.skipped.get("not a text")) == (1, 1)
    assert not [hit for hit in me.recall("ladder shed", files=True).hits if "ladder" in hit.content]
    assert {one.path for one in pieces(me)} == {"rooms/kitchen.txt", "2026-02-03.md"}
    notes.write("garden.md", GARDEN)
    assert me.files.sync()[0].added == 1


def test_an_interrupted_sync_is_finished_by_the_next(
    me: UserMemory, memory: Memory, notes: Notes, words: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was claimed waits for no lease; and the first batches are small, so that progress shows."""
    embed, sizes = words.embed, list[int]()

    def interrupted(texts: Sequence[str], role: Role) -> Vector:
        sizes.append(len(texts))
        if len(sizes) == 2:
            raise KeyboardInterrupt
        return embed(texts, role)

    for number in range(20):
        notes.write(f"more/{number}.md", f"Box {number} holds {number} screws.\n")
    monkeypatch.setattr(words, "embed", interrupted)
    with pytest.raises(KeyboardInterrupt):
        me.files.sync()
    waiting = me.stats().pending_jobs
    assert (sizes, waiting) == ([4, 8], 16)
    context, said = CommandContext.for_memory(memory, NOW), _Said()
    context._me, context._progress = me, said
    with pytest.raises(KeyboardInterrupt), say_what_waits(context):
        raise KeyboardInterrupt
    assert said.sentences == [
        "Interrupted: 16 texts wait for their vectors. The same command again, or `recollect worker`, does the rest."
    ]
    (report,) = me.files.sync()
    assert (report.writes, report.embedded, me.stats().pending_jobs) == (0, waiting, 0)


class _Said(JsonProgress):
    """Keeps the sentences that it is told."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def say(self, sentence: str) -> None:
        self.sentences.append(sentence)


def test_a_renamed_file_keeps_its_chunks_and_vectors_and_its_new_date(
    me: UserMemory, notes: Notes, words: Words
) -> None:
    ids, asked = chunk_ids(me, "2026-02-03.md"), len(words.asked)
    file_id = me.files.read("2026-02-03.md").file.id
    notes.move("2026-02-03.md", "diary/2026-02-17.md")
    (report,) = me.files.sync(notes.root)
    assert (report.renamed, report.added, report.removed, report.written) == (1, 0, 0, 0)
    assert (chunk_ids(me, "2026-02-17.md"), len(words.asked)) == (ids, asked)
    moved = me.files.read("diary/2026-02-17.md").file
    day = datetime(2026, 2, 17, tzinfo=UTC)
    assert (moved.id, moved.dated_at) == (file_id, day)
    (hit,) = [hit for hit in me.recall("painted fence", files=True).hits if hit.id in ids]
    assert (hit.occurred_at, hit.similarity is not None) == (day, True)
    with pytest.raises(NotFound):
        me.files.read("2026-02-03.md")


def test_what_moves_to_another_file_is_not_embedded_again(me: UserMemory, notes: Notes, words: Words) -> None:
    asked = len(words.asked)
    garden, kitchen = notes.text("garden.md"), notes.text("rooms/kitchen.txt")
    notes.write("garden.md", kitchen)
    notes.write("rooms/kitchen.txt", garden)
    (report,) = me.files.sync(notes.root)
    assert report.changed == 2
    assert words.asked[asked:] == []
    (hit, *_) = me.recall("ladder behind the shed", files=True).hits
    assert isinstance(hit.record, Chunk)
    assert (hit.record.path, hit.similarity is not None) == ("rooms/kitchen.txt", True)


def test_a_removed_file_is_removed(me: UserMemory, memory: Memory, notes: Notes) -> None:
    notes.remove("rooms/kitchen.txt")
    (report,) = me.files.sync(notes.root)
    assert (report.removed, report.seen) == (1, 2)
    assert not any("kettle" in hit.content for hit in me.recall("kettle", files=True).hits)
    assert (me.stats().files, memory.stats().files) == (2, 2)


def test_a_folder_that_is_missing_loses_nothing(me: UserMemory, notes: Notes) -> None:
    before = pieces(me)
    notes.root.rename(notes.root.with_name("elsewhere"))
    (report,) = me.files.sync(notes.root)
    assert (report.state, report.removed) == ("missing", 0)
    assert pieces(me) == before
    assert me.files.folders()[0].drift is None
    notes.root.with_name("elsewhere").rename(notes.root)
    assert me.files.sync()[0].unchanged == 3


def test_a_folder_that_is_empty_all_of_a_sudden_loses_nothing_unless_told(me: UserMemory, notes: Notes) -> None:
    before = pieces(me)
    for path in notes.paths():
        notes.remove(path)
    (report,) = me.files.sync(notes.root)
    assert (report.state, report.removed) == ("empty", 0)
    assert pieces(me) == before
    (report,) = me.files.sync(notes.root, even_if_empty=True)
    assert (report.state, report.removed, pieces(me)) == ("synced", 3, [])


class Halfway:
    """A disk of which a part cannot be looked into; everything else is the disk's own."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    def walk(self, root: NamedRoot, rules: SyncRules, own: frozenset[tuple[int, int]]) -> FolderWalk:
        """Look through a folder, but not to its end."""
        found = self._disk.walk(root, rules, own)
        seen = [one for one in found.seen if not one.path.startswith("rooms/")]
        return replace(found, seen=seen, complete=False, skipped={"no permission": 1})

    def __getattr__(self, name: str) -> object:
        return getattr(self._disk, name)


def test_a_folder_that_was_not_seen_to_its_end_loses_nothing(me: UserMemory, notes: Notes) -> None:
    before = pieces(me)
    real = disk_of(me)
    put(me, Halfway(real))
    notes.write("new.md", "A new note.\n")
    (report,) = me.files.sync(notes.root)
    assert (report.state, report.added, report.removed) == ("incomplete", 1, 0)
    assert [one for one in pieces(me) if one.path != "new.md"] == before
    assert me.files.folders(look=False)[0].folder.trouble == {"no permission": 1}
    put(me, real)
    assert me.files.sync(notes.root)[0].writes == 0
    assert me.files.folders()[0].folder.trouble == {}


def test_a_dry_run_says_what_would_be_done_and_writes_nothing(me: UserMemory, memory: Memory, notes: Notes) -> None:
    notes.write("garden.md", "Changed.\n")
    notes.write("new.md", "New.\n")
    notes.remove("2026-02-03.md")
    before, kept = marks(memory), pieces(me)
    (report,) = me.files.sync(notes.root, dry_run=True)
    assert (report.added, report.changed, report.removed, report.dry_run) == (1, 1, 1, True)
    assert (marks(memory), pieces(me)) == (before, kept)
    assert me.files.folders()[0].drift == 3
    (done,) = me.files.sync(notes.root)
    assert (done.added, done.changed, done.removed) == (1, 1, 1)


def test_rules_hold_until_others_are_given(me: UserMemory, notes: Notes) -> None:
    notes.write("secret/plan.md", "Nobody reads this.\n")
    notes.write(".hidden/dot.md", "Nor this.\n")
    notes.write("drafts/one.md", "Nor that.\n")
    notes.write(".gitignore", "drafts/\n")
    me.files.sync(notes.root, exclude=["secret/"])
    assert {one.path for one in pieces(me)} == {"garden.md", "rooms/kitchen.txt", "2026-02-03.md"}
    assert me.files.sync()[0].writes == 0
    me.files.sync(notes.root, exclude=[], hidden=True, gitignore=False)
    assert {"secret/plan.md", ".hidden/dot.md", "drafts/one.md"} <= {one.path for one in pieces(me)}
    me.files.sync(notes.root, include=["*.txt"])
    assert {one.path for one in pieces(me)} == {"rooms/kitchen.txt"}


def test_a_folder_must_be_one(memory: Memory, notes: Notes) -> None:
    mine = memory.user("me")
    with pytest.raises(InvalidInput, match="none has been synced"):
        mine.files.sync()
    with pytest.raises(InvalidInput, match="is a file"):
        mine.files.sync(notes.root / "garden.md")
    (report,) = mine.files.sync(notes.root / "nowhere")
    assert (report.state, mine.files.folders()) == ("missing", ())


def test_two_folders_may_hold_the_same_path(me: UserMemory, tmp_path: Path, words: Words) -> None:
    other = Notes(tmp_path / "other")
    other.write("garden.md", GARDEN)
    asked = len(words.asked)
    me.files.sync(other.root)
    assert len(words.asked) == asked, "the same text was embedded twice"
    assert len([one for one in pieces(me) if one.path == "garden.md"]) == 2 * len(
        chunk_ids(me, f"{other.root}/garden.md")
    )
    with pytest.raises(InvalidInput, match=r"2 files are called garden\.md"):
        me.files.read("garden.md")
    assert me.files.read("other/garden.md").file.root == str(other.root)
    assert [report.unchanged for report in me.files.sync()] == [3, 1]
    assert me.forget(folder=other.root).files == 1
    assert me.files.read("garden.md").text == GARDEN


def test_the_store_itself_is_never_read(memory: Memory, tmp_path: Path, database: str) -> None:
    mine = memory.user("me")
    (report,) = mine.files.sync(tmp_path, include=["*"], exclude=["originals/"])
    names = {one.path for one in pieces(mine)}
    assert not any(name.startswith("memory.db") for name in names)
    if "://" not in database:
        assert sum(report.skipped.values()) >= 1


def test_a_change_within_the_same_tick_of_the_clock_is_noticed(me: UserMemory, notes: Notes) -> None:
    file = notes.root / "garden.md"
    for number in range(3):
        file.write_text(f"State {number} of the garden.\n", encoding="utf-8")
        me.files.sync(notes.root)
        file.write_text(f"State {number + 5} of the garden.\n", encoding="utf-8")  # as long as the one before
        me.files.sync(notes.root)
        assert me.files.read("garden.md").current
        assert [one.content for one in pieces(me) if one.path == "garden.md"] == [f"State {number + 5} of the garden."]


def on_disk(me: UserMemory, query: str) -> dict[str, str]:
    """Ask, and say of each file that is found what has become of it."""
    hits = me.search_context(query, sources=["file"]).hits
    return {hit.record.path: hit.on_disk for hit in hits if isinstance(hit.record, Chunk)}


def test_a_hit_says_that_its_file_has_changed_or_is_gone(me: UserMemory, notes: Notes, tmp_path: Path) -> None:
    query = "ladder shed kettle fence"
    files = ("garden.md", "rooms/kitchen.txt", "2026-02-03.md")
    assert on_disk(me, query) == dict.fromkeys(files, "")
    notes.write("garden.md", GARDEN.replace("ladder", "long ladder"))
    (notes.root / "rooms/kitchen.txt").unlink()
    assert on_disk(me, query) == {"garden.md": "changed", "rooms/kitchen.txt": "gone", "2026-02-03.md": ""}
    assert on_disk(me, query)["garden.md"] == "changed"  # also when the answer comes from a cache
    hit = me.recall("kettle", files=True).hits[0]
    assert hit.marks == ("the file is no longer on disk",)

    # a link is no file, and is not followed
    (notes.root / "2026-02-03.md").unlink()
    (notes.root / "2026-02-03.md").symlink_to(notes.root / "garden.md")
    assert on_disk(me, query)["2026-02-03.md"] == "gone"

    # a folder that is away, or was named elsewhere, says nothing of its files
    notes.root.rename(tmp_path / "elsewhere")
    assert set(on_disk(me, query).values()) == {""}
    (tmp_path / "elsewhere").rename(notes.root)

    me.files.sync(notes.root)
    assert on_disk(me, query) == {"garden.md": ""}


def test_a_document_has_no_place_on_disk(me: UserMemory) -> None:
    me.files.add(b"The kettle of the neighbours is red.\n", name="neighbours.md")
    assert on_disk(me, "kettle neighbours")["neighbours.md"] == ""
