"""What was forgotten stays so, also while others sync, watch, add or sweep; and what is not forgotten stays."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest
from tests.conformance.notes import Notes
from tests.fixtures import OpenMemory
from tests.waiting import until

from recollect import InvalidInput, Memory, UserMemory, load_settings
from recollect.errors import RecollectError, StoreUnavailable
from recollect.model import SyncReport
from recollect_files import sync
from tests_files.reaching import disk_of


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    return open_memory(embedding__provider="none", files__debounce_s=0.05, files__check_minutes=0.01)


@pytest.fixture
def me(memory: Memory) -> UserMemory:
    return memory.user("me")


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    made = Notes(tmp_path / "notes")
    made.write("a.md", "The kettle is green.\n")
    made.write("b.md", "The ladder is short.\n")
    return made


def _found(me: UserMemory, query: str) -> list[str]:
    return [hit.metadata["path"] for hit in me.search_context(query, sources=("file",), min_score=0.3).hits]


def test_a_file_that_grew_too_large_keeps_what_is_known_of_it(open_memory: OpenMemory, notes: Notes) -> None:
    me = open_memory(embedding__provider="none", files__most_mb=1).user("me")
    me.files.sync(notes.root)
    notes.write("a.md", "The kettle is green.\n" * 60_000)
    (report,) = me.files.sync(notes.root)
    assert (report.removed, report.skipped) == (0, {"too large": 1})
    assert _found(me, "kettle") == ["a.md"]


def test_a_forgotten_file_does_not_come_back_in_the_place_of_another(me: UserMemory, notes: Notes) -> None:
    me.files.sync(notes.root)
    (kettle,) = (file for file in me.files.list().items if file.path == "a.md")
    me.forget(kettle.id)
    notes.move("a.md", "b.md")
    (report,) = me.files.sync(notes.root)
    assert report.forgotten == 1
    assert _found(me, "kettle") == []
    assert _found(me, "ladder") == []  # nothing of it lies there any more
    before = me.files.sync(notes.root)[0]
    assert (before.forgotten, before.bytes_read) == (1, 0)


def test_a_folder_is_known_from_its_first_file_on(me: UserMemory, memory: Memory, notes: Notes) -> None:
    """As when a first sync is killed: what is kept of a folder can be forgotten with it."""

    class KilledError(Exception):
        pass

    def killed(_progress: object) -> None:
        raise KilledError

    with pytest.raises(KilledError):
        me.files.sync(notes.root, tell=killed)
    assert [status.folder.completed_at for status in me.files.folders()] == [None]
    assert me.forget(folder=notes.root).files == 2
    assert me.files.sync(notes.root)[0].added == 2
    assert memory.doctor() == ()


def test_a_folder_that_is_forgotten_while_it_is_read_stays_so(me: UserMemory, notes: Notes) -> None:
    me.files.sync(notes.root)
    notes.write("c.md", "The boiler hums.\n")
    disk = disk_of(me)
    read: Callable[..., Iterator[object]] = disk.read

    def reading(*wanted: object) -> Iterator[object]:
        me.forget(folder=notes.root)
        yield from read(*wanted)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disk, "read", reading, raising=False)
        (report,) = me.files.sync(notes.root)
    assert report.forgotten == 1
    assert (me.files.list().items, me.files.folders()) == ((), ())


@contextmanager
def _watching(
    me: UserMemory, *roots: Path, tell: Callable[[SyncReport | RecollectError], None] = lambda _news: None
) -> Iterator[None]:
    stop = Event()
    watcher = Thread(target=lambda: me.files.watch(*roots, stop=stop, tell=tell))
    watcher.start()
    try:
        yield
    finally:
        stop.set()
        watcher.join()


@pytest.mark.parametrize("everything", [True, False])
def test_a_watch_does_not_bring_back_what_is_forgotten(me: UserMemory, notes: Notes, *, everything: bool) -> None:
    with _watching(me, notes.root, other := notes.root.parent / "other"):
        until(lambda: len(me.files.list().items) == 2)
        me.forget(everything=True) if everything else me.forget(folder=notes.root)
        notes.write("c.md", "The boiler hums.\n")
        Notes(other).write("seen.md", "The clock ticks.\n")  # when this is seen, the other folder was looked at, too
        until(lambda: _found(me, "clock"))
        assert [file.path for file in me.files.list().items] == ["seen.md"]


def test_a_folder_that_is_forgotten_right_after_the_first_look_of_a_watch_stays_so(
    me: UserMemory, notes: Notes
) -> None:
    def forget_at_once(news: SyncReport | RecollectError) -> None:
        if isinstance(news, SyncReport) and news.added == 2:
            me.forget(folder=notes.root)

    with _watching(me, notes.root, other := notes.root.parent / "other", tell=forget_at_once):
        Notes(other).write("seen.md", "The clock ticks.\n")
        until(lambda: _found(me, "clock"))
        notes.write("c.md", "The boiler hums.\n")
        Notes(other).write("later.md", "The stove glows.\n")
        until(lambda: _found(me, "stove"))
        assert {file.path for file in me.files.list().items} == {"seen.md", "later.md"}


def test_a_folder_that_is_forgotten_while_a_watch_looks_through_it_stays_so(me: UserMemory, notes: Notes) -> None:
    me.files.sync(notes.root)
    notes.write("c.md", "The boiler hums.\n")
    disk, looked = disk_of(me), Event()
    walk: Callable[..., object] = disk.walk

    def walking(root: str, *rules: object) -> object:
        if root == str(notes.root) and not looked.is_set():
            looked.set()
            me.forget(folder=notes.root)
        return walk(root, *rules)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disk, "walk", walking, raising=False)
        with _watching(me, notes.root, other := notes.root.parent / "other"):
            Notes(other).write("seen.md", "The clock ticks.\n")
            until(lambda: _found(me, "clock"))
    assert looked.is_set()
    assert ([file.path for file in me.files.list().items], [one.folder.root for one in me.files.folders()]) == (
        ["seen.md"],
        [str(other)],
    )


@pytest.mark.parametrize("everything", [True, False])
def test_a_watch_whose_sync_failed_half_way_does_not_bring_back_what_is_forgotten(
    me: UserMemory, notes: Notes, monkeypatch: pytest.MonkeyPatch, *, everything: bool
) -> None:
    """The files are committed, the sync fails after that, and all is forgotten before the watch looks again."""
    failed = Event()
    record: Callable[..., None] = sync._record_scan

    def fail_once(*scanned: object) -> None:
        if not failed.is_set():
            failed.set()
            me.forget(everything=True) if everything else me.forget(folder=notes.root)
            raise StoreUnavailable("The disk is busy.")
        record(*scanned)

    monkeypatch.setattr(sync, "_record_scan", fail_once)
    with _watching(me, notes.root, other := notes.root.parent / "other"):
        until(failed.is_set)
        Notes(other).write("seen.md", "The clock ticks.\n")
        until(lambda: _found(me, "clock"))  # perhaps still in the first round
        notes.write("c.md", "The boiler hums.\n")
        for number in range(2):
            Notes(other).write(f"{number}.md", f"The stove{number} glows.\n")
            until(lambda number=number: _found(me, f"stove{number}"))  # type: ignore[misc]
        assert {file.path for file in me.files.list().items} == {"seen.md", "0.md", "1.md"}


@pytest.mark.parametrize("step", ["walk", "read"])
def test_a_first_sync_during_which_everything_is_forgotten_brings_nothing(
    me: UserMemory, notes: Notes, step: str
) -> None:
    disk, forgets = disk_of(me), ["a sync", "a watch"]
    original: Callable[..., Iterable[object]] = getattr(disk, step)

    def forgetting(root: str, *wanted: object) -> object:
        found = original(root, *wanted)
        if root == str(notes.root) and forgets:
            forgets.pop()
            me.forget(everything=True)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disk, step, forgetting, raising=False)
        (report,) = me.files.sync(notes.root)
        assert (report.added, report.forgotten) == (0, 2)
        with _watching(me, notes.root, other := notes.root.parent / "other"):
            until(lambda: not forgets)
            Notes(other).write("seen.md", "The clock ticks.\n")
            until(lambda: _found(me, "clock"))
    assert [file.path for file in me.files.list().items] == ["seen.md"]
    assert me.files.sync(notes.root)[0].added == 2, "what was never known was not forgotten"


def test_a_folder_that_became_a_link_is_forgotten_by_its_name(me: UserMemory, notes: Notes) -> None:
    me.files.sync(notes.root)
    elsewhere = notes.root.with_name("elsewhere")
    notes.root.rename(elsewhere)
    notes.root.symlink_to(elsewhere)
    assert me.forget(folder=notes.root).files == 2


def test_a_part_of_a_file_is_not_forgotten_alone(me: UserMemory, notes: Notes) -> None:
    me.files.sync(notes.root)
    (hit,) = me.search_context("kettle", sources=("file",), min_score=0.3).hits
    with pytest.raises(InvalidInput, match=rf"a part of a\.md.*{hit.metadata['file_id']}"):
        me.forget(hit.id)


def test_a_store_leaves_the_documents_of_others_alone(open_memory: OpenMemory, tmp_path: Path) -> None:
    shared = str(tmp_path / "originals")
    first = open_memory(embedding__provider="none", files__originals=shared)
    kept = first.user("me").files.add(b"The manual of the mill.", name="mill.txt").file
    for file in Path(shared).rglob("*"):
        os.utime(file, (1e9, 1e9))
    another = load_settings(
        os.devnull,
        environ={},
        overrides={"database": str(tmp_path / "another.db"), "embedding.provider": "none", "files.originals": shared},
    )
    with Memory.open(settings=another) as second:
        second.user("me").files.add(b"The clock ticks.", name="clock.txt")
        second.maintain()
    assert first.user("me").files.original(kept.id) == b"The manual of the mill."


def test_originals_are_no_notes(me: UserMemory, tmp_path: Path) -> None:
    me.files.add(b"The manual of the mill.", name="mill.txt")
    (tmp_path / "note.md").write_text("The clock ticks.\n", encoding="utf-8")
    (report,) = me.files.sync(tmp_path, include=["*"])
    assert report.skipped["own database"] >= 1
    assert _found(me, "mill") == ["mill.txt"]


def test_other_filters_leave_files_out(me: UserMemory, notes: Notes) -> None:
    me.files.sync(notes.root)
    assert me.recall("kettle", files=True).hits
    assert me.recall("kettle", files=True, subject="Nobody").hits == ()


def test_names_are_masked(me: UserMemory) -> None:
    added = me.files.add(b"words", name="<private>Anna</private> plan.txt")
    assert added.file.path == "plan.txt"
