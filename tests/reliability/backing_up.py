"""What processes do while a store is backed up: they write and forget, or write backups until they are killed."""

from collections.abc import Callable
from itertools import count
from typing import Any

from tests.postgres_server import TOOLS
from tests.reliability.link import Link
from tests.reliability.opening import open_memory


def write_on(link: Link, database: str, originals: str, name: str) -> None:
    """Remember texts and add documents without end, forget some of them, and acknowledge each."""
    settings: dict[str, Any] = {"files.originals": originals}
    with open_memory(database, **settings) as memory:
        me = memory.user(name)
        for number in count():
            text = f"Crate {number} of {name} stands in hall {number}"
            link.say(["memory", me.remember(text).id, text])
            if number % 4 == 0:
                document = f"The papers of crate {number} of {name}."
                link.say(["file", me.files.add(document.encode(), name=f"{number}.txt").file.id, document])
            if number % 8 == 4:
                doomed = me.files.add(f"Waste paper {number} of {name}.".encode(), name=f"waste-{number}.txt")
                me.forget(doomed.file.id)


def back_up_on(link: Link, database: str, originals: str, folder: str) -> None:
    """Write one backup after the other, and acknowledge each."""
    settings: dict[str, Any] = {"files.originals": originals, "postgres.tools_folder": str(TOOLS)}
    with open_memory(database, **settings) as memory:
        link.say("ready")
        while True:
            link.say(memory.backup(folder, keep=3).folder)


TASKS: tuple[Callable[..., None], ...] = (write_on, back_up_on)
