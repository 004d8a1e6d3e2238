"""SIGKILL at random moments of a sync: what is left is sound, and the next sync makes it what it would have become."""

import random
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from recollect import Memory, UserMemory
from recollect.engine.drafts.items import embedded_texts
from recollect.model.files import Chunk
from recollect.model.memories import Scope, Vector
from recollect.storage.base import StoreReader
from tests.conformance.notes import Kept, Notes, pieces
from tests.reliability.edits import Editor
from tests.reliability.opening import vector_of
from tests.reliability.points import SEED, Kills
from tests.reliability.syncing import LEASE_S, open_small
from tests.reliability.zygote import Child, Zygote, was_killed
from tests.sizes import sized
from tests.waiting import PATIENCE_S

_POINTS = sized(2, 50)  # on each store, once with vectors and once without
_FILES = 40
_EDITS = 12  # between two syncs
_FROM_SCRATCH_EVERY = 3  # points
_MOMENT_S = 0.015


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    """A folder with many small notes."""
    made = Notes(tmp_path / "notes")
    _fill(made, Editor(made, SEED), 0)
    return made


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Memory]:
    """A store to sync the same folder into, from scratch."""
    with open_small(str(tmp_path / "fresh.db")) as memory:
        yield memory


def _fill(notes: Notes, editor: Editor, batch: int) -> None:
    """Write so many notes that there are enough."""
    for number in range(_FILES - len(notes.paths())):
        notes.write(f"{batch}-{number % 5}/n{number}.md", "\n".join(editor.lines(40)))


def _kill(child: Child, kills: Kills, words: int) -> bool:
    """Kill a process that syncs, after so many transactions and a moment more; says whether it was still at it."""
    assert child.hear() == "ready"
    child.say("go")
    heard: list[object] = []
    while len(heard) < words and "done" not in heard:
        heard.append(child.hear())
    time.sleep(kills.chance.uniform(0, _MOMENT_S))
    child.kill()
    heard += child.rest()
    kills.points += 1
    kills.killed += was_killed(child.end())
    return "done" not in heard


def _kept_from_scratch(fresh: Memory, notes: Notes, point: int) -> list[Kept]:
    somebody = fresh.user(f"user{point}")
    somebody.files.sync(notes.root)
    return pieces(somebody)


@pytest.mark.parametrize("vectors", [pytest.param(False, marks=pytest.mark.slow), True], ids=["words", "vectors"])
def test_a_sync_that_was_killed_is_completed_by_the_next(
    database: str, zygote: Zygote, notes: Notes, fresh: Memory, *, vectors: bool
) -> None:
    kills, editor, halfway, partly = Kills(), Editor(notes, SEED, most_files=_FILES), 0, 0
    before: list[Kept] = []
    for point in range(_POINTS):
        child = zygote.start("sync_on", database=database, root=str(notes.root), vectors=vectors)
        first = point % _FROM_SCRATCH_EVERY == 0
        halfway += _kill(child, kills, kills.chance.randrange(_FILES // 4 + 3 if first else 5))
        with open_small(database, vectors=vectors) as memory:
            me = memory.user("me")
            assert memory.doctor() == ()
            expected = _kept_from_scratch(fresh, notes, point)
            left = pieces(me)
            partly += left not in (before, expected)
            _insist_whole_files(left, before, expected)
            me.files.sync(notes.root, even_if_empty=True, wait=False)
            assert pieces(me) == expected, f"seed {SEED}, point {point}"
            assert memory.doctor() == ()
            if point % _FROM_SCRATCH_EVERY == _FROM_SCRATCH_EVERY - 1:
                me.forget(folder=notes.root)
            before = pieces(me)
        for _ in range(_EDITS):
            editor.step()
        _fill(notes, editor, point + 1)
    kills.show(f"sync with {'vectors' if vectors else 'words'}", database, halfway=halfway, partly=partly)
    assert halfway > kills.points // 3
    assert partly > 0
    if vectors:
        _insist_vectors(database, notes)


def _insist_whole_files(left: list[Kept], before: list[Kept], after: list[Kept]) -> None:
    """Insist that each file is there as it was, or as it is, or not at all."""
    earlier, later = _by_path(before), _by_path(after)
    for path, found in _by_path(left).items():
        assert found in (earlier.get(path), later.get(path)), f"{path} is neither what it was nor what it is"


def _by_path(kept: list[Kept]) -> dict[str, list[Kept]]:
    return {path: list(found) for path, found in groupby(kept, key=lambda one: one.path)}


def _insist_vectors(database: str, notes: Notes) -> None:
    """Insist that in the end every chunk has the vector of its own text."""
    with open_small(database, vectors=True) as memory:
        me = memory.user("me")
        me.files.sync(notes.root, even_if_empty=True)
        deadline = time.monotonic() + PATIENCE_S
        while memory.embed_waiting() and memory.stats().pending_jobs:
            assert time.monotonic() < deadline, "the queue does not come to its end"
            time.sleep(LEASE_S / 10)  # what a killed process held comes free
        (coverage,) = [one for one in memory.status().coverage if one.source == "chunk"]
        assert (coverage.items, coverage.share) == (len(pieces(me)), 1.0)
        assert memory.doctor() == ()
        cosines = _cosines(me, random.Random(SEED))
        assert len(cosines) > 20
        assert min(cosines) > 0.999


def _cosines(me: UserMemory, chance: random.Random) -> list[float]:
    """Measure how near the vectors of some chunks are to those of their texts."""
    space = me._engine.space
    assert space is not None
    scope = Scope(me.user_id)
    chunks = me._engine.store.read(
        scope, lambda reader: [one for file_id in reader.file_ids() for one in reader.chunks_of(file_id)]
    )

    def near(reader: StoreReader) -> list[float]:
        some = chance.sample(chunks, min(60, len(chunks)))
        return [reader.cosines("chunk", space, _unit(chunk), [chunk.id]).get(chunk.id, 0.0) for chunk in some]

    return me._engine.store.read(scope, near)


def _unit(chunk: Chunk) -> Vector:
    raw = np.array(vector_of(embedded_texts(chunk)[0]), np.float32)
    unit: Vector = raw / np.float32(np.linalg.norm(raw))
    return unit
