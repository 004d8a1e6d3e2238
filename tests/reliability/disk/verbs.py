"""Each verb that writes, on a small store, and what a store holds of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect import Memory
from recollect.model.messages import NewMessage
from tests.conformance.notes import Notes
from tests.reliability.opening import WITH_QUICK_VECTORS, open_memory
from tests.reliability.talking import line
from tests.reliability.turns import TURN
from tests.storage.catalogue import Plain

DOOMED = "The key is under the third pot"
_HELD = (
    "SELECT content, type, importance, superseded_by IS NULL FROM memories",
    "SELECT content, role, status, learned FROM messages",
    "SELECT content, start_line FROM chunks",
    "SELECT path, digest, source, chunks FROM files",
)


@dataclass(frozen=True)
class World:
    """An open store, and a folder with notes beside it."""

    memory: Memory
    notes: Notes

    def known(self, text: str) -> str:
        """Give the id of a memory."""
        (found,) = (one.id for one in self.memory.user("me").list().items if one.content == text)
        return found


def open_world(database: Path, notes: Notes) -> World:
    """Open a store that embeds at once and keeps originals beside it."""
    settings = {**WITH_QUICK_VECTORS, "files.originals": str(database.parent / "originals")}
    return World(open_memory(str(database), **settings), notes)


def prepare(world: World) -> None:
    """Fill a store with what the verbs change."""
    me = world.memory.user("me")
    me.remember_many(["The ladder leans on the barn", DOOMED, "The mower has a full tank"])
    me.conversation("talk").extend([NewMessage("user", line("host", number)) for number in range(6)])
    for number in range(3):
        world.notes.write(f"n{number}.md", f"# Note {number}\n\nThe seeds of bed {number} came in March.\n")


def _sync(world: World) -> object:
    world.notes.write("n1.md", "# Note 1\n\nThe seeds of bed 1 were sown in April, and watered.\n")
    return world.memory.user("me").files.sync(world.notes.root, wait=False)


VERBS: dict[str, Callable[[World], object]] = {
    "remember": lambda world: world.memory.user("me").remember("The saw hangs behind the door"),
    "remember_many": lambda world: world.memory.user("me").remember_many(
        [f"Order {number} of screws is on shelf {number}" for number in range(30)]
    ),
    "update": lambda world: world.memory.user("me").update(
        world.known("The mower has a full tank"), content="The mower is out of petrol"
    ),
    "forget": lambda world: world.memory.user("me").forget(world.known(DOOMED)),
    "after_turn": lambda world: world.memory.user("me").after_turn(list(TURN), session="turn"),
    "sync": _sync,
    "compact": lambda world: world.memory.user("me").conversation("talk").compact(keep_recent=1),
    "add": lambda world: world.memory.user("me").files.add(b"The boiler was serviced in May.\n", name="boiler.txt"),
    "maintain": lambda world: world.memory.maintain(),
}


def held(store: Plain) -> tuple[tuple[Any, ...], ...]:
    """Say what a store holds, without ids and times, which are never the same."""
    return tuple(tuple(sorted(store.rows(query), key=repr)) for query in _HELD)
