"""What processes do to a folder of notes while others do the same, or until they are killed."""

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from recollect import Memory
from recollect_files import sync
from tests.conformance.notes import Notes
from tests.reliability.edits import Editor
from tests.reliability.link import Link
from tests.reliability.opening import WITH_QUICK_VECTORS, open_memory

LEASE_S = 1.0  # soon after a process was killed its work is given to another
_SMALL: dict[str, Any] = {"files.chunk_tokens": 60, "files.chunk_overlap": 12, "embedding.lease_s": LEASE_S}
_BATCH_FILES = 4  # so that a sync of few files has many transactions, and many moments between them


def open_small(database: str, originals: str = "off", *, vectors: bool = False) -> Memory:
    """Open a store that cuts files into small pieces, so that few files have many of them."""
    settings = {**_SMALL, "files.originals": originals, **(WITH_QUICK_VECTORS if vectors else {})}
    return open_memory(database, **settings)


def sync_on(link: Link, database: str, root: str, *, vectors: bool) -> None:
    """Sync a folder in many small transactions, and say how far it is after each."""
    vars(sync)["_BATCH_FILES"] = _BATCH_FILES
    with open_small(database, vectors=vectors) as memory:
        me = memory.user("me")
        me.count()  # so that all connections are there when the moment to be killed is chosen
        link.say("ready")
        link.hear()
        me.files.sync(root, even_if_empty=True, tell=lambda progress: link.say(progress.done))
    link.say("done")


def sync_at_once(link: Link, database: str, root: str, rounds: int, *, vectors: bool) -> None:
    """Sync a folder again and again while others sync it and somebody edits it."""
    vars(sync)["_BATCH_FILES"] = _BATCH_FILES
    with open_small(database, vectors=vectors) as memory:
        me = memory.user("me")
        link.say("ready")
        link.hear()
        for _ in range(rounds):
            me.files.sync(root, even_if_empty=True)
    link.say("done")


def edit_at_once(link: Link, root: str, seed: int, steps: int) -> None:
    """Edit a folder while others sync it; now and then the time of a file is that of its change."""
    notes = Notes(Path(root), count(1_000_000))  # later than all that was written before
    editor = Editor(notes, seed, most_files=40)
    link.say("ready")
    link.hear()
    for number in range(steps):
        editor.step()
        if number % 20 == 0 and notes.paths():
            with (notes.root / editor.path()).open("a", encoding="utf-8") as file:
                file.write(f"\nEntry number {number}.")
    link.say(steps)


TASKS: tuple[Callable[..., Any], ...] = (sync_on, sync_at_once, edit_at_once)
