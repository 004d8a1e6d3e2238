"""A process that uses every verb while it watches its own `open` calls, and tells what it saw.

The database must never be opened by Python in a process that has it open as a database: closing that descriptor would
drop the locks of the process. Files are known by their inode, so that a link or another spelling is noticed as well.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.reliability.link import Link
from tests.reliability.opening import WITH_VECTORS, open_memory, vector_of

_SUFFIXES = ("", "-wal", "-shm", "-journal")


class Watch:
    """Notes each `open` of the database's files."""

    def __init__(self, database: Path) -> None:
        self._files = [Path(f"{database}{suffix}") for suffix in _SUFFIXES]
        self._paths = {os.path.realpath(file) for file in self._files}
        self.opened = 0
        self.violations: list[str] = []

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Be told of an event in this interpreter."""
        if event != "open" or isinstance(arguments[0], int):
            return
        self.opened += 1
        path = os.fsdecode(arguments[0])
        if os.path.realpath(path) in self._paths or self._same_file(path):
            self.violations.append(path)

    def _same_file(self, path: str) -> bool:
        with suppress(OSError, ValueError):
            found = os.stat(path)  # noqa: PTH116 - pathlib raises events of its own
            return any((found.st_dev, found.st_ino) == known for known in self._inodes())
        return False

    def _inodes(self) -> set[tuple[int, int]]:
        known = set()
        for file in self._files:
            with suppress(OSError):
                found = os.stat(file)  # noqa: PTH116
                known.add((found.st_dev, found.st_ino))
        return known


def use_everything(database: Path) -> None:
    """Call every verb of the store and of a user."""
    text = "The boat is moored at pier 4"
    with open_memory(str(database), **WITH_VECTORS) as memory, open_memory(str(database)) as again:
        me = memory.user("me")
        first = me.remember(text, vector=vector_of(text), metadata={"a": 1}).id
        me.remember_many([{"content": f"Buoy {number}", "vector": vector_of(str(number))} for number in range(50)])
        me.remember("Blue", subject="boat", key="colour", vector=vector_of("Blue"))
        me.remember("Red", subject="boat", key="colour", vector=vector_of("Red"))
        me.update(first, content=text + " again", vector=vector_of(text + " again"))
        me.recall("boat", vector=vector_of(text))
        me.get(first)
        me.list()
        me.history(first)
        me.count()
        me.stats()
        me.forget(first)
        me.forget(query="a red boat", dry_run=True)
        again.user("you").remember("The tide comes at noon")
        again.user("you").recall("tide")
        again.user("you").forget(everything=True)
        for opened in (memory, again):
            opened.stats()
            opened.status()
            opened.doctor()
            opened.maintain()
    with open_memory(str(database)) as memory:
        memory.user("me").files.add(b"The log of the boat.", name="log.txt")
        memory.backup(database.with_name("backups"))
        memory.backup(database.with_name("backups"), keep=1)
        memory.restore(database.with_name("backups"), database.with_name("restored.db"))
        memory.doctor()


def watch_opens(link: Link, folder: str) -> None:
    """Use everything under watch, and then open the files in ways that must be noticed."""
    database = Path(folder, "memory.db")
    watch = Watch(database)
    sys.addaudithook(watch)
    use_everything(database)
    link.say([watch.opened, watch.violations])
    watch.violations = []
    database.read_bytes()
    os.close(os.open(os.fsencode(database), os.O_RDONLY))
    link_to_it = database.with_name("link")
    link_to_it.hardlink_to(database)
    link_to_it.read_bytes()
    link.say(watch.violations)


TASKS: tuple[Callable[..., None], ...] = (watch_opens,)
