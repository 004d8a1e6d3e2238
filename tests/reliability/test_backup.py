"""Backups under load: each holds every write that was acknowledged before it began, and a killed one leaves none.

Several processes remember, add documents and forget without a pause while backups are written and restored.
"""

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest

from recollect import Memory, Settings, load_settings
from recollect.api import backups
from tests.fixtures import Server
from tests.postgres_server import TOOLS
from tests.reliability.figures import figure
from tests.reliability.zygote import Child, Zygote, was_killed
from tests.sizes import sized

_BACKUPS = sized(1, 20)
_WRITERS = sized(2, 3)
_KILLS = sized(1, 60)
_SEED = 20260301

Place = Callable[[str], Settings]


@pytest.fixture
def place(database: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Place]:
    """The settings of the test's store, and of new ones; the new databases are dropped in the end."""
    made: list[str] = []

    def settings(name: str) -> Settings:
        address = database
        if name != "live":
            address = str(tmp_path / f"{name}.db")
            if "://" in database:
                server: Server = request.getfixturevalue("server")
                made.append(address := server.fresh(empty=True))
        overrides = {
            "database": address,
            "files.originals": str(tmp_path / f"originals-{name}"),
            "postgres.tools_folder": str(TOOLS),
            "embedding.provider": "none",
            "embedding.worker": False,
            "places.geocoder": "none",
        }
        return load_settings(environ={}, overrides=overrides)

    yield settings
    for address in made:
        request.getfixturevalue("server").drop(address)


class Writer:
    """A process that writes, and all that it has acknowledged."""

    def __init__(self, zygote: Zygote, settings: Settings, name: str) -> None:
        self.name = name
        self.child: Child = zygote.start(
            "write_on", database=settings.database, originals=settings.files.originals, name=name
        )
        self.acknowledged: list[list[str]] = []
        self._thread = Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        try:
            while True:
                self.acknowledged.append(self.child.hear())
        except EOFError:
            return

    def end(self) -> None:
        self.child.kill()
        self._thread.join()
        self.child.end()


def _lost(memory: Memory, name: str, acknowledged: list[list[str]]) -> list[str]:
    """Name what was acknowledged and is not there, or not as it was."""
    me = memory.user(name)
    there: dict[str, str] = {}
    cursor: str | None = None
    while True:
        page = me.list(limit=1000, cursor=cursor)
        there |= {record.id: record.content for record in page.items}
        if (cursor := page.cursor) is None:
            break
    texts = {item_id: text for kind, item_id, text in acknowledged if kind == "memory"}
    files = {item_id: text for kind, item_id, text in acknowledged if kind == "file"}
    lost = [text for item_id, text in texts.items() if there.get(item_id) != text]
    return lost + [text for item_id, text in files.items() if me.files.original(item_id) != text.encode()]


def test_each_backup_under_load_holds_what_was_acknowledged_before(
    place: Place, zygote: Zygote, tmp_path: Path
) -> None:
    live = place("live")
    restored, acknowledged, meanwhile = 0, 0, 0
    lost: list[str] = []
    with Memory.open(settings=live) as memory:
        writers = [Writer(zygote, live, f"writer{number}") for number in range(_WRITERS)]
        while any(len(writer.acknowledged) < sized(10, 20) for writer in writers):
            time.sleep(0.01)
        for number in range(_BACKUPS):
            before = {writer.name: list(writer.acknowledged) for writer in writers}
            made = memory.backup(tmp_path / "backups", keep=2)
            meanwhile += sum(len(writer.acknowledged) - len(before[writer.name]) for writer in writers)
            assert made.missing == 0
            if number == _BACKUPS - 1:
                for writer in writers:
                    writer.end()
            new = place(f"new{number}")
            Memory.restore(made.folder, settings=new)
            with Memory.open(settings=new) as other:
                assert other.doctor() == ()
                for name, known in before.items():
                    lost += _lost(other, name, known)
                    acknowledged += len(known)
            restored += 1
    counts = {"not_restored": _BACKUPS - restored, "acknowledged": acknowledged, "differences": len(lost)}
    figure(11, "under load", backups=restored, **counts, acknowledged_meanwhile=meanwhile)
    assert lost == []


def test_a_killed_backup_leaves_nothing_that_looks_like_one(place: Place, zygote: Zygote, tmp_path: Path) -> None:
    live, chance, killed = place("live"), random.Random(_SEED), 0
    folder = tmp_path / "backups"
    with Memory.open(settings=live) as memory:
        memory.user("me").remember_many([f"Crate {number} stands in hall {number}" for number in range(200)])
        for number in range(5):
            memory.user("me").files.add(f"The papers of crate {number}.".encode(), name=f"{number}.txt")
        started = time.monotonic()
        memory.backup(folder)
        whole_s = time.monotonic() - started
        for _ in range(_KILLS):
            child = zygote.start(
                "back_up_on", database=live.database, originals=live.files.originals, folder=str(folder)
            )
            assert child.hear() == "ready"
            time.sleep(chance.uniform(0, 1.5 * whole_s))
            child.kill()
            child.rest()
            killed += was_killed(child.end())
            whole = [path for path in folder.iterdir() if not path.name.startswith(".")]
            assert whole
            for path in whole:
                backups.check(path)
        memory.backup(folder, keep=1)
    assert [path.name[0] for path in folder.iterdir()] == ["2"], "what the killed ones left is gone"
    assert killed == _KILLS
    figure(1, "backing up", kill_points=killed, lost=0, half_done=0)
