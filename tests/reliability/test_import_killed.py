"""SIGKILL during an import: the store is sound, and the same import brings the rest and nothing twice."""

import random
import time
import zipfile
from pathlib import Path

from recollect.engine.carry.archive import FILE
from recollect.engine.carry.lines import SECRETS, member_of
from recollect.storage.base.tables import TOMBSTONES
from tests.reliability.figures import figure
from tests.reliability.opening import open_memory
from tests.reliability.zygote import Zygote
from tests.sizes import sized
from tests.storage.catalogue import is_server

_SEED = 20260817
_POINTS = sized(2, 60)
_STEPS = 12  # of some more
_MOMENT_S = 0.01
_LEFT_OUT = (FILE, SECRETS, member_of(TOMBSTONES))


def _archive(tmp_path: Path) -> Path:
    """Export a store with something of several kinds."""
    with open_memory(str(tmp_path / "source.db")) as memory:
        me = memory.user("anna")
        me.remember_many([f"The jar number {number} is on the shelf" for number in range(40)])
        kept = me.remember("The shed is blue")
        me.update(kept.id, content="The shed is green")
        talk = me.conversation("talk")
        for number in range(30):
            talk.append("user", f"I have seen {number} geese.", id=f"m{number}")
        (tmp_path / "notes").mkdir()
        (tmp_path / "notes" / "a.md").write_text("# Notes\n\nThe ladder is in the cellar.\n")
        me.files.sync(tmp_path / "notes")
        memory.export(tmp_path / "1.zip")
    return tmp_path / "1.zip"


def _members(archive: Path) -> dict[str, bytes]:
    """Read an archive, but for the tombstone of having forgotten everything before the next point."""
    with zipfile.ZipFile(archive) as opened:
        names = (name for name in opened.namelist() if name not in _LEFT_OUT)
        return {name: opened.read(name) for name in names}


def test_a_killed_import_is_repeated(database: str, tmp_path: Path, zygote: Zygote) -> None:
    chance, archive, killed = random.Random(_SEED), _archive(tmp_path), 0
    for number in range(_POINTS):
        child = zygote.start("import_on", database=database, archive=str(archive), pause_at=chance.randrange(1, _STEPS))
        assert child.hear() == "paused"
        if number % 2:  # killed between two transactions, or within one
            child.say("go on")
            time.sleep(chance.uniform(0, _MOMENT_S))
        child.kill()
        killed += "done" not in child.rest()
        with open_memory(database) as memory:
            assert memory.doctor() == (), number
            memory.import_archive(archive)
            memory.export(tmp_path / f"{number}-again.zip")
            assert _members(tmp_path / f"{number}-again.zip") == _members(archive), number
            assert memory.doctor() == (), number
            memory.user("anna").forget(everything=True, allow_again=True)
    assert killed >= _POINTS // 2
    store = "postgresql" if is_server(database) else "sqlite"
    figure(1, f"{store}, import, seed {_SEED}", kill_points=_POINTS, killed_at_work=killed, lost=0, half_done=0)
