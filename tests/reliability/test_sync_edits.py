"""A folder that is edited at random and synced step by step: what is kept is always what a first sync would keep."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from recollect import Memory, UserMemory
from tests.conformance.notes import Kept, Notes, open_notes, pieces
from tests.reliability.edits import Editor
from tests.sizes import sized

_STEPS = sized(170, 10_000)
_COMPARED_EVERY = sized(3, 1)
_AT_ONCE = 4  # so many edits between two syncs, now and then
_TICKS_EVERY = 100  # how often a file is saved twice within the same tick of the clock
_SEED = 20260301
_FRESH_STORE_EVERY = 200  # comparisons, so that the store that is compared with stays small


class Fresh:
    """Gives what a first sync keeps: for a user nobody has heard of, in a store beside the one that is tried."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count()
        self._memory: Memory | None = None

    def pieces(self, root: Path) -> list[Kept]:
        """Sync a folder for the first time."""
        number = next(self._numbers)
        if self._memory is None or number % _FRESH_STORE_EVERY == 0:
            self.close()
            self._memory = _opened(self._folder, f"fresh{number}.db")
        somebody = self._memory.user(f"user{number}")
        somebody.files.sync(root)
        return pieces(somebody)

    def close(self) -> None:
        """Close the store."""
        if self._memory is not None:
            self._memory.close()


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Fresh]:
    """What to compare with."""
    made = Fresh(tmp_path)
    yield made
    made.close()


def _opened(folder: Path, name: str) -> Memory:
    """Open a store that cuts files into small pieces, so that small files have many of them."""
    return open_notes(str(folder / name), None, folder, files__chunk_tokens=60, files__chunk_overlap=12)


def test_step_by_step_is_as_good_as_from_scratch(tmp_path: Path, fresh: Fresh) -> None:
    notes = Notes(tmp_path / "notes")
    editor = Editor(notes, _SEED)
    for _ in range(6):
        editor.new()
    compared = chunks = written = 0
    with _opened(tmp_path, "memory.db") as memory:
        me = memory.user("me")
        for step in range(_STEPS):
            for _ in range(editor.chance.randint(1, _AT_ONCE) if step % 7 == 0 else 1):
                editor.step()
            if step % _TICKS_EVERY == _TICKS_EVERY - 1:
                _save_twice_within_a_tick(me, notes, step)
            (report,) = me.files.sync(notes.root, even_if_empty=True)
            written += report.written
            if step % _COMPARED_EVERY == 0 or step == _STEPS - 1:
                kept = pieces(me)
                assert kept == fresh.pieces(notes.root), f"seed {_SEED}, step {step}: {editor.done[-_AT_ONCE:]}"
                _insist_exact(notes, kept)
                compared += 1
                chunks += len(kept)
        assert me.files.sync(notes.root)[0].writes == 0
        assert memory.doctor() == ()
    print(f"\n{_STEPS} edits, {compared} comparisons of {chunks} chunks, {written} chunks written")  # noqa: T201 - a result
    assert chunks > 10 * compared
    assert written < chunks, "nothing was ever kept"


def _save_twice_within_a_tick(me: UserMemory, notes: Notes, step: int) -> None:
    """Save a file, sync, and save it again at once with as many bytes: only the time of change can tell."""
    name = f"tick{step}.md"
    for state in ("one", "two"):
        (notes.root / name).write_text(f"State {state} of step {step}\n", encoding="utf-8")
        me.files.sync(notes.root)
    assert [one.content for one in pieces(me) if one.path == name] == [f"State two of step {step}"]
    notes.touch(name)


def _insist_exact(notes: Notes, kept: list[Kept]) -> None:
    """Insist that lines and columns lead back to exactly the text of each piece, and that nothing is left out."""
    texts = {path: notes.text(path).split("\n") for path in {one.path for one in kept} if not path.endswith(".jsonl")}
    for one in kept:
        if one.path in texts:
            lines = "\n".join(texts[one.path][one.start_line - 1 : one.end_line])
            assert lines[one.start_column : one.start_column + len(one.content)] == one.content
    wanted = {path for path in notes.paths() if path.endswith((".md", ".txt")) and notes.text(path).strip()}
    assert texts.keys() == wanted
