"""The power goes out at any call: what was acknowledged is there, nothing is half done, and the file is sound.

All verbs are recorded once. Then images are made of what a disk could hold at each sync, just before and after it, and
at calls in between. The pages that SQLite reads from an image must be, byte for byte, those of one of the commits
between the last acknowledgement and the moment of the loss; each such commit, and a part of the images, is opened by
Recollect and examined.
"""

import hashlib
import random
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event as ThreadEvent
from typing import Any

import apsw
import pytest

from tests.conformance.notes import Notes
from tests.reliability.disk.images import Disk, Image
from tests.reliability.disk.recorder import Event, Recording, acknowledged, recorded
from tests.reliability.disk.verbs import VERBS, World, held, open_world, prepare
from tests.reliability.figures import figure
from tests.reliability.opening import open_memory
from tests.sizes import sized
from tests.storage.catalogue import plain
from tests.waiting import until

_SEED = 20260301
_IMAGES = sized(66, 12_000)
_CONTROL = 600  # images of a store that does not sync; the first bad one ends it
_EACH = 6  # images of one moment
_OPENED = sized(33, 100)  # one in so many images is opened by Recollect
_LOG_PAGES = 60  # after so many pages the log is emptied into the file: often, since much can go wrong there
_NAME = "memory.db"
_WRITERS = 8
_LETTERS = sized(4, 30)


@dataclass
class Commits:
    """The pages of a store after each commit, in order, as hashes; and how far it was acknowledged."""

    folder: Path
    pages: list[str] = field(default_factory=list)
    acknowledged: int = -1
    holds: list[object] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    judged: str = ""  # the pages of the last image

    def look(self, image: Image) -> None:
        """Note the state of a disk on which nothing is lost."""
        found = self.read(image)
        if not self.pages or found != self.pages[-1]:
            self.pages.append(found)
            with plain(str(self.folder / _NAME)) as store:
                tables = store.rows("SELECT count(*) FROM sqlite_schema WHERE name = 'files'")
                self.holds.append(held(store) if tables != [(0,)] else ())

    def mark(self, what: str) -> None:
        """Note that all up to here was acknowledged."""
        self.acknowledged = len(self.pages) - 1
        self.marks.append(self.acknowledged)

    def read(self, image: Image) -> str:
        """Read all pages of an image by way of SQLite, which recovers what it can."""
        lay_out(image, self.folder)
        with closing(apsw.Connection(str(self.folder / _NAME))) as connection:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            if connection.pragma("page_count") == 0:
                return "empty"
            return hashlib.sha256(_without_checksums(connection)).hexdigest()

    def verdict(self, image: Image) -> str:
        """Say what an image is: kept, lost or damaged."""
        try:
            self.judged = self.read(image)
        except apsw.Error as error:
            return f"damaged: {error}"
        if self.judged in self.pages[max(self.acknowledged, 0) :]:
            return "kept"
        return "lost" if self.judged in self.pages else "damaged: these pages were never committed"


@dataclass
class ManyWriters(Commits):
    """The commits of threads that write at the same time; what was acknowledged is known by its text."""

    told: set[str] = field(default_factory=set)

    def mark(self, what: str) -> None:
        """Note that a text was acknowledged, or shown to a reader."""
        self.told.add(what)

    def verdict(self, image: Image) -> str:
        """Say what an image is, by the newest commit that it can be."""
        found = super().verdict(image)
        if found != "kept":
            return found
        last = len(self.pages) - 1 - self.pages[::-1].index(self.judged)
        tables: Any = self.holds[last]
        return "kept" if self.told <= {row[0] for table in tables[:1] for row in table} else "lost"


def _without_checksums(connection: apsw.Connection) -> bytes:
    """Give all pages without their checksums, which are made when a page leaves the log for the file."""
    pages, size = bytearray(connection.serialize("main")), int(connection.pragma("page_size"))
    reserved = connection.reserve_bytes("main")
    for end in range(size, len(pages) + 1, size):
        pages[end - reserved : end] = bytes(reserved)
    return bytes(pages)


def lay_out(image: Image, folder: Path) -> None:
    """Make a folder that holds an image and nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, data in image.items():
        (folder / name).write_bytes(data)
        (folder / name).chmod(0o600)


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    """What happens to a store that is made, used by every verb, closed, opened again and used once more."""
    folder = tmp_path_factory.mktemp("power")
    store, notes = folder / "store", Notes(folder / "notes")
    store.mkdir()
    with recorded(store) as recording:
        for again in (False, True):
            world = open_world(store / _NAME, notes)
            world.memory._engine.store._writer.wal_autocheckpoint(_LOG_PAGES)  # type: ignore[attr-defined]
            _use(world, recording, again=again)
            world.memory.close()
            recording.mark("close")
    return recording.events


def _use(world: World, recording: Recording, *, again: bool) -> None:
    if again:
        world.memory.user("me").remember("The store was opened again")
        recording.mark("remember")
        return
    prepare(world)
    recording.mark("prepare")
    for name, verb in VERBS.items():
        verb(world)
        recording.mark(name)


def _moments(events: Sequence[Event], chance: random.Random, amount: int) -> set[int]:
    """Choose after which calls the power goes out: before and after each sync first, then anywhere."""
    syncs = [number for number, event in enumerate(events) if event.kind in {"sync", "settle", "delete"}]
    edges = sorted({edge for number in syncs for edge in (number - 1, number)})
    chance.shuffle(edges)
    others = list(range(len(events)))
    chance.shuffle(others)
    return set((edges + others)[:amount])


def _is_end_of_commit(event: Event, before: Event | None) -> bool:
    """Whether a commit may be complete: the header of the last page that it writes to the log says its length.

    `before` is the call before this one that concerns the log; those of other threads may lie in between.
    """
    if event.kind in {"delete", "mark"}:
        return True
    return bool(
        before and event.file.endswith("-wal") and len(before.data) == 24 and int.from_bytes(before.data[4:8], "big")
    )


def _replay(events: Sequence[Event], commits: Commits, images: int) -> Iterator[tuple[str, Image]]:
    """Replay a recording; gives each image with its verdict."""
    chance = random.Random(_SEED)
    moments = _moments(events, chance, -(-images // _EACH))
    disk, before = Disk.of({}), None
    commits.look({})
    each = -(-images // len(moments))
    for number, event in enumerate(events):
        disk.apply(event)
        if _is_end_of_commit(event, before):
            commits.look(disk.whole())
        if event.kind == "mark":
            commits.mark(event.file)
        if number in moments:
            for image in disk.images(chance, each):
                yield commits.verdict(image), image
        before = event if event.file.endswith("-wal") else before


def test_power_loss(tmp_path: Path, events: list[Event]) -> None:
    assert acknowledged(events) == ["prepare", *VERBS, "close", "remember", "close"]
    commits, made, opened, bad = Commits(tmp_path / "image"), 0, 0, []
    for verdict, image in _replay(events, commits, _IMAGES):
        made += 1
        if verdict != "kept":
            bad.append((made, verdict))
        elif made % _OPENED == 0 and image.get(_NAME):
            lay_out(image, tmp_path / "opened")
            _insist_sound(tmp_path / "opened" / _NAME)
            opened += 1
    lost = sum(verdict == "lost" for _, verdict in bad)
    figure(2, "power loss", images=made, lost=lost, damaged=len(bad) - lost, opened_by_Recollect=opened)
    assert bad == []
    _insist_all_or_nothing(commits)
    assert len(commits.pages) > len(VERBS)


def _insist_sound(database: Path) -> None:
    with open_memory(str(database)) as memory:
        assert memory.doctor() == ()
        memory.user("me").remember("After the loss")
        assert memory.user("me").recall("after the loss").hits[0].content == "After the loss"


def _insist_all_or_nothing(commits: Commits) -> None:
    """Between two acknowledgements a store holds what it held before the verb, or what it holds after it."""
    for start, end in zip(commits.marks, commits.marks[1:], strict=False):
        for number in range(start, end):
            assert commits.holds[number] in (commits.holds[start], commits.holds[end]), (
                f"commit {number} is half a verb"
            )


@pytest.mark.parametrize(("file", "verdict"), [(f"{_NAME}-wal", "lost"), (_NAME, "damaged")])
def test_the_images_tell_a_store_that_does_not_sync(
    tmp_path: Path, events: list[Event], file: str, verdict: str
) -> None:
    careless = [event for event in events if (event.kind, event.file) != ("sync", file)]
    verdicts = (found.partition(":")[0] for found, _ in _replay(careless, Commits(tmp_path / "image"), _CONTROL))
    assert verdict in verdicts


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    """What happens to a store while threads write for many users, and another reads what they wrote."""
    folder = tmp_path_factory.mktemp("crowd") / "store"
    folder.mkdir()
    done = ThreadEvent()
    with recorded(folder) as recording, open_memory(str(folder / _NAME)) as memory:
        memory._engine.store._writer.wal_autocheckpoint(_LOG_PAGES)  # type: ignore[attr-defined]
        shared = memory._engine.store._turns  # type: ignore[attr-defined]

        def write(number: int) -> None:
            for letter in range(_LETTERS):
                memory.user(f"user{number}").remember(text := f"Letter {letter} of user {number}")
                recording.mark(text)

        def read() -> None:
            while not done.wait(0.01):
                for number in range(_WRITERS):
                    for record in memory.user(f"user{number}").list(limit=_LETTERS).items:
                        recording.mark(record.content)

        with ThreadPoolExecutor(_WRITERS + 1) as threads:
            reading = threads.submit(read)
            shared.take()  # so that at least the first writes share a commit
            writing = [threads.submit(write, number) for number in range(_WRITERS)]
            until(lambda: len(shared._waiting) == _WRITERS, "all writers in line")
            shared.end()
            wait(writing)
            done.set()
            assert [call.exception() for call in (*writing, reading)] == [None] * (_WRITERS + 1)
    return recording.events


def test_power_loss_while_many_threads_write(tmp_path: Path, crowd: list[Event]) -> None:
    commits = ManyWriters(tmp_path / "image")
    bad, made = [], 0
    for verdict, image in _replay(crowd, commits, _IMAGES):
        made += 1
        if verdict != "kept":
            bad.append((made, verdict))
        elif made % _OPENED == 0 and image.get(_NAME):
            lay_out(image, tmp_path / "opened")
            _insist_sound(tmp_path / "opened" / _NAME)
    lost = sum(verdict == "lost" for _, verdict in bad)
    figure(2, "power loss, many threads", images=made, lost=lost, damaged=len(bad) - lost)
    assert bad == []
    assert len(commits.told) == _WRITERS * _LETTERS
    assert len(commits.pages) < _WRITERS * _LETTERS  # or nothing was shared


def test_the_images_tell_threads_that_are_answered_before_the_sync(tmp_path: Path, crowd: list[Event]) -> None:
    careless = [event for event in crowd if (event.kind, event.file) != ("sync", f"{_NAME}-wal")]
    verdicts = (found for found, _ in _replay(careless, ManyWriters(tmp_path / "image"), _CONTROL))
    assert "lost" in verdicts
