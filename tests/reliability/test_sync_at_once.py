"""Processes that sync the same folder at once while another edits it: nothing is lost, and nothing is there twice."""

from collections import Counter
from pathlib import Path

import pytest

from recollect.model.memories import Scope
from tests.conformance.notes import Notes, pieces
from tests.reliability.edits import Editor
from tests.reliability.points import SEED
from tests.reliability.syncing import open_small
from tests.reliability.zygote import Zygote, at_once
from tests.sizes import sized

_FILES = sized(10, 25)
_ROUNDS = sized(2, 60)
_EDITS = sized(50, 5_000)


@pytest.mark.parametrize("vectors", [pytest.param(False, marks=pytest.mark.slow), True], ids=["words", "vectors"])
def test_two_sync_what_a_third_edits(database: str, zygote: Zygote, tmp_path: Path, *, vectors: bool) -> None:
    notes = Notes(tmp_path / "notes")
    editor = Editor(notes, SEED)
    for number in range(_FILES):
        notes.write(f"{number % 3}/n{number}.md", "\n".join(editor.lines(30)))
    shared = {"database": database, "root": str(notes.root), "rounds": _ROUNDS, "vectors": vectors}
    syncing = [zygote.start("sync_at_once", **shared) for _ in range(2)]
    editing = zygote.start("edit_at_once", root=str(notes.root), seed=SEED, steps=_EDITS)
    *_, edits = at_once([*syncing, editing])
    assert edits == _EDITS
    with open_small(database, vectors=vectors) as memory, open_small(str(tmp_path / "fresh.db")) as fresh:
        me, somebody = memory.user("me"), fresh.user("me")
        assert memory.doctor() == ()
        known = me._engine.store.read(Scope("me"), lambda reader: reader.known_files(str(notes.root)))
        assert max(Counter(one.path for one in known).values(), default=1) == 1  # all may be deleted by then
        me.files.sync(notes.root, even_if_empty=True, wait=False)
        somebody.files.sync(notes.root)
        assert pieces(me) == pieces(somebody)
        assert me.files.sync(notes.root)[0].writes == 0
        assert memory.doctor() == ()
