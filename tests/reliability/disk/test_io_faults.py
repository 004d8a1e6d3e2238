"""Each write, sync, truncation and deletion of each verb fails in turn, once or for as long as the verb lasts.

That is reported, and a verb that is acknowledged all the same has been kept. The store holds all of the verb or nothing
of it, and the next verb works, in the same process and after opening again.
"""

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
import pytest

from recollect import RecollectError, StoreError
from tests.conformance.notes import Notes
from tests.reliability.disk.images import Disk
from tests.reliability.disk.recorder import Call, Recording, recorded
from tests.reliability.disk.verbs import DOOMED, VERBS, World, held, open_world, prepare
from tests.reliability.figures import figure
from tests.reliability.opening import open_memory
from tests.sizes import sized
from tests.storage.catalogue import plain
from tests.waiting import PATIENCE_S, until

_MOST = sized(2, 10_000)  # calls of each verb that fail: all of them in full size
_NAME = "memory.db"
_AFTER = "After the trouble"


@dataclass
class Fault:
    """Lets one call fail, or all from it on until it is lifted; without a number it only counts them."""

    number: int = 0
    error: type[apsw.Error] = apsw.IOError
    lasting: bool = False
    calls: int = 0
    lifted: bool = False

    def __call__(self, call: Call, name: str) -> None:
        if self.lifted:
            return
        self.calls += 1
        if self.number and (self.calls == self.number or (self.lasting and self.calls > self.number)):
            raise self.error(f"{call} {self.calls} of {name} failed")


@dataclass
class Tally:
    """What the faults of one verb came to."""

    faults: int = 0
    reported: int = 0
    absorbed: int = 0
    false_acknowledgements: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Base:
    """A prepared store that is not open, and the notes beside it."""

    folder: Path

    @contextmanager
    def copied(self, to: Path, *, reads: bool = False) -> Iterator[tuple[World, Recording]]:
        """Open a copy, in use already, and record what is done to it."""
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(self.folder, to)
        with recorded(to / "store", reads=reads) as recording:
            world = open_world(to / "store" / _NAME, Notes(to / "notes"))
            try:
                world.memory.user("other").remember("Something else")
                yield world, recording
            finally:
                world.memory.close()


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Base:
    """A store with what the verbs change."""
    folder = tmp_path_factory.mktemp("faults") / "base"
    (folder / "store").mkdir(parents=True)
    world = open_world(folder / "store" / _NAME, Notes(folder / "notes"))
    prepare(world)
    world.memory.close()
    return Base(folder)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("name", VERBS)
def test_a_fault_is_reported(name: str, base: Base, tmp_path: Path) -> None:
    verb, tally, counting = VERBS[name], Tally(), Fault()
    copy = tmp_path / "copy"
    with base.copied(copy) as (world, recording):
        before = _held(copy)
        recording.before = counting
        verb(world)
        counting.lifted = True
        after = _held(copy)
    assert counting.calls > 0
    for error, lasting in ((apsw.IOError, False), (apsw.FullError, True)):
        for number in range(1, counting.calls + 1, -(-counting.calls // _MOST)):
            fault = Fault(number, error, lasting)
            with base.copied(copy) as (world, recording):
                done = _tried(verb, world, recording, fault, tally)
                found = _held(copy)
                assert found in ([after] if done else [before, after]), f"{fault} left half of it"
                if done and not _is_durable(_replayed(base, recording), after, copy):
                    tally.false_acknowledgements.append(f"{fault}")
                if name == "forget" and found == after:
                    _insist_erased(world, base, recording)
                assert world.memory.user("other").remember(_AFTER).action == "created"
            _insist_sound(copy)
    counts = {"faults": tally.faults, "reported": tally.reported, "absorbed": tally.absorbed}
    figure(3, name, **counts, false_acknowledgements=len(tally.false_acknowledgements))
    assert tally.false_acknowledgements == []
    assert tally.reported > 0


def test_a_sync_that_fails_is_reported_to_all_writers_who_share_it(base: Base, tmp_path: Path) -> None:
    copy, writers = tmp_path / "copy", [f"user{number}" for number in range(8)]

    def fail(call: Call, name: str) -> None:
        if (call, name) == ("sync", f"{_NAME}-wal"):
            raise apsw.IOError("the sync failed")

    with base.copied(copy) as (world, recording), ThreadPoolExecutor(len(writers)) as threads:
        turns: Any = world.memory._engine.store._turns  # type: ignore[attr-defined]
        turns.take()
        calls = [threads.submit(world.memory.user(user).remember, "The saw hangs behind the door") for user in writers]
        until(lambda: len(turns._waiting) == len(writers), "all writers in line")
        recording.before = fail
        turns.end()
        failed = [call.exception(PATIENCE_S) for call in calls]
        recording.before = Fault()
        assert [type(error) for error in failed] == [StoreError] * len(writers)
        assert [world.memory.user(user).count() for user in writers] == [0] * len(writers)
        assert world.memory.user("other").remember(_AFTER).action == "created"
    figure(3, "a sync that writers share", faults=1, reported=len(failed), false_acknowledgements=0)
    _insist_sound(copy)


_QUESTIONS: dict[str, Callable[[World], Any]] = {
    "recall": lambda world: world.memory.user("me").recall("Where is the key?"),
    "search_context": lambda world: world.memory.user("me").search_context("parcel"),
    "list": lambda world: world.memory.user("me").list(),
    "window": lambda world: world.memory.user("me").conversation("talk").window(),
    "stats": lambda world: world.memory.stats(),
}


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("name", _QUESTIONS)
def test_a_read_that_fails_gives_no_wrong_answer(name: str, base: Base, tmp_path: Path) -> None:
    ask, copy = _QUESTIONS[name], tmp_path / "copy"
    reads = wrong = told = 0
    while True:
        fault = Fault(number=reads + 1)
        with base.copied(copy, reads=True) as (world, recording):
            recording.before = fault
            answer = None
            with suppress(RecollectError):
                answer = ask(world)
            fault.lifted = True
            right = ask(world)
        if fault.calls <= reads:
            break
        reads += 1
        told += answer is None or bool(getattr(answer, "degraded", ()))
        wrong += answer is not None and not getattr(answer, "degraded", ()) and _told(answer) != _told(right)
    figure(3, f"reads of {name}", faults=reads, reported=told, wrong_answers=wrong, false_acknowledgements=0)
    assert reads > 0
    assert wrong == 0


def _told(answer: Any) -> object:
    """Give what an answer says, without how long it took."""
    hits = getattr(answer, "hits", None)
    return answer if hits is None else [hit.content for hit in hits]


def _tried(verb: Callable[[World], object], world: World, recording: Recording, fault: Fault, tally: Tally) -> bool:
    """Say whether a verb was acknowledged although a call failed."""
    recording.before = fault
    tally.faults += 1
    try:
        verb(world)
    except RecollectError:
        tally.reported += 1
        return False
    else:
        tally.absorbed += 1
        return True
    finally:
        fault.lifted = True


def _held(copy: Path) -> object:
    with plain(str(copy / "store" / _NAME)) as store:
        return held(store)


def _replayed(base: Base, recording: Recording) -> Disk:
    disk = Disk.of({path.name: path.read_bytes() for path in (base.folder / "store").iterdir() if path.is_file()})
    for event in recording.events:
        disk.apply(event)
    return disk


def _insist_erased(world: World, base: Base, recording: Recording) -> None:
    """Insist that what was forgotten is erased, or that the store says that it is not yet, and erases it later."""
    if not world.memory.status().erasure_pending:
        assert DOOMED.encode() not in b"".join(_replayed(base, recording).whole().values())
    world.memory.maintain()
    assert world.memory.status().erasure_pending == ""
    assert DOOMED.encode() not in b"".join(_replayed(base, recording).whole().values())


def _is_durable(disk: Disk, after: object, copy: Path) -> bool:
    """Say whether what was acknowledged is there after a loss of power."""
    image = copy / "image"
    image.mkdir()
    for name, data in disk.synced().items():
        (image / name).write_bytes(data)
    with plain(str(image / _NAME)) as store:
        return held(store) == after


def _insist_sound(copy: Path) -> None:
    with open_memory(str(copy / "store" / _NAME)) as memory:
        assert memory.doctor() == ()
        assert {one.content for one in memory.user("other").list().items} == {"Something else", _AFTER}
