"""What happens to a folder between a look at it and the writing of what was seen, on both stores."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from tests.conformance.notes import Notes, open_notes, pieces
from tests.fixtures import SteppingClock

from recollect import Memory, UserMemory
from recollect.model.files import NamedRoot, SkippedFile
from recollect.ports import ChunkingRecipe
from recollect_files.ports import Disk, FolderWalk, ReadFile, ReadRequest, SyncRules
from tests_files import reaching


class Between:
    """A disk on which something happens after it was walked, or after it was read, once; it is the real one besides."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self.after_walk: Callable[[], object] | None = None
        self.after_read: Callable[[], object] | None = None

    def walk(self, root: NamedRoot, rules: SyncRules, own: frozenset[tuple[int, int]]) -> FolderWalk:
        """Look through a folder, and let something happen."""
        found = self._disk.walk(root, rules, own)
        happens, self.after_walk = self.after_walk, None
        if happens:
            happens()
        return found

    def read(
        self, root: NamedRoot, wishes: Sequence[ReadRequest], recipe: ChunkingRecipe
    ) -> Iterator[ReadFile | SkippedFile]:
        """Read files, and let something happen before the caller hears of them."""
        found = list(self._disk.read(root, wishes, recipe))
        happens, self.after_read = self.after_read, None
        if happens:
            happens()
        yield from found

    def __getattr__(self, name: str) -> object:
        return getattr(self._disk, name)


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    made = Notes(tmp_path / "notes")
    made.write("garden.md", "The garden is green.\n")
    made.write("kitchen.md", "The kettle is blue.\n")
    return made


@pytest.fixture
def memory(database: str, clock: SteppingClock, tmp_path: Path) -> Iterator[Memory]:
    with open_notes(database, clock, tmp_path) as opened:
        yield opened
        assert opened.doctor() == ()


@pytest.fixture
def me(memory: Memory, notes: Notes) -> UserMemory:
    """A slow user whose folder was synced once."""
    mine = memory.user("me")
    mine.files.sync(notes.root)
    reaching.put(mine, Between(reaching.disk_of(mine)))
    return mine


@pytest.fixture
def again(database: str, clock: SteppingClock, tmp_path: Path) -> Iterator[UserMemory]:
    """The same person in another process, who is quick."""
    with open_notes(database, clock, tmp_path) as opened:
        yield opened.user("me")


def disk_of(me: UserMemory) -> Between:
    """Give the disk on which something will happen."""
    disk = reaching.disk_of(me)
    assert isinstance(disk, Between)
    return disk


def contents(me: UserMemory) -> dict[str, str]:
    """Give what is kept of each file; each of these is one chunk."""
    return {one.path: one.content for one in pieces(me)}


def test_a_look_at_the_present_does_not_bless_what_another_wrote(
    me: UserMemory, again: UserMemory, notes: Notes
) -> None:
    before = notes.text("garden.md")

    def another_state_is_synced() -> None:
        moment_ns = (notes.root / "garden.md").stat().st_mtime_ns
        notes.write("garden.md", "The garden is white.\n")
        again.files.sync(notes.root)
        notes.write("garden.md", before)
        os.utime(notes.root / "garden.md", ns=(moment_ns, moment_ns))

    notes.touch("garden.md")
    disk_of(me).after_read = another_state_is_synced
    me.files.sync(notes.root)
    me.files.sync(notes.root)
    assert contents(me)["garden.md"] == before.strip()


def test_a_file_that_came_back_meanwhile_stays(me: UserMemory, again: UserMemory, notes: Notes) -> None:
    def it_comes_back() -> None:
        notes.write("garden.md", "The garden is back.\n")
        again.files.sync(notes.root)

    notes.remove("garden.md")
    disk_of(me).after_walk = it_comes_back
    assert me.files.sync(notes.root)[0].removed == 0
    assert contents(me)["garden.md"] == "The garden is back."


def test_a_file_that_was_moved_and_came_back_is_there_twice(me: UserMemory, again: UserMemory, notes: Notes) -> None:
    def it_comes_back() -> None:
        notes.write("garden.md", "The garden is back.\n")
        again.files.sync(notes.root, exclude=["shed.md"])

    notes.move("garden.md", "shed.md")
    disk_of(me).after_walk = it_comes_back
    me.files.sync(notes.root)
    assert contents(me) == {
        "garden.md": "The garden is back.",
        "shed.md": "The garden is green.",
        "kitchen.md": "The kettle is blue.",
    }


def test_what_is_forgotten_while_it_is_read_stays_forgotten(me: UserMemory, again: UserMemory, notes: Notes) -> None:
    notes.write("garden.md", "The garden is white.\n")
    disk_of(me).after_read = lambda: again.forget(again.files.read("garden.md").file.id)
    (report,) = me.files.sync(notes.root)
    assert report.forgotten == 1
    assert contents(me) == {"kitchen.md": "The kettle is blue."}


def test_what_another_has_synced_already_is_written_once(me: UserMemory, again: UserMemory, notes: Notes) -> None:
    notes.write("garden.md", "The garden is white.\n")
    notes.write("new.md", "Something new.\n")
    notes.move("kitchen.md", "rooms/kitchen.md")
    disk_of(me).after_read = lambda: again.files.sync(notes.root)
    (report,) = me.files.sync(notes.root)
    assert (report.added, report.changed, report.renamed, report.removed, report.written) == (0, 0, 0, 0, 0)
    assert contents(me) == {
        "garden.md": "The garden is white.",
        "new.md": "Something new.",
        "rooms/kitchen.md": "The kettle is blue.",
    }


def test_files_that_vanish_before_they_are_read_are_told(me: UserMemory, notes: Notes) -> None:
    notes.write("new.md", "Something new.\n")
    disk_of(me).after_walk = lambda: notes.remove("new.md")
    (report,) = me.files.sync(notes.root)
    assert (report.added, [one.path for one in report.trouble]) == (0, ["new.md"])
    assert me.files.sync(notes.root)[0].writes == 0
