"""Makes stores in which every table has rows, damages their files, and compares the rows before and after."""

import random
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from recollect import Memory
from recollect.storage.sqlite.connection import open_connection
from tests.fixtures import SteppingClock
from tests.reliability.opening import WITH_QUICK_VECTORS, open_memory

PAGE = 8192
FORGOTTEN = "The door code is 4711, do not tell the neighbours"

# What a repair makes anew, or counts on.
_CHANGED = {"users": ("generation", "resets"), "conversations": ("compacting_until",)}
_LEFT_OUT = ("sqlite_stat1", "sqlite_stat4", "schema_migrations", "sequence")


def opened(path: Path, **settings: Any) -> Memory:
    """Open a store whose vectors are made from checksums."""
    return open_memory(str(path), clock=SteppingClock(), **{**WITH_QUICK_VECTORS, **settings})


def fill(path: Path, *, rows: int = 150) -> None:
    """Make a store with rows in its tables, long texts, old versions, and something that was forgotten."""
    folder = path.parent / f"{path.name}.notes"
    folder.mkdir()
    (folder / "garden.md").write_text("# Garden\n\n" + "The pump stands behind the shed. " * 300)
    with opened(path) as memory:
        me, other = memory.user("me"), memory.user("other")
        me.remember_many([{"content": f"Tool {number} hangs on hook {number * 7}"} for number in range(rows)])
        me.remember("We planted the pear tree", type="event", lat=48.2, lng=16.4, address="Wien")
        for number in range(12):
            me.conversation("c").append("user", f"The pump {number} in the garden. " + "It drips. " * number * 200)
            me.facts.set("pump", "place", f"bed {number}")
        other.remember("Likes green tea", type="preference")
        me.files.sync(folder)
        memory.keys.create("laptop", user="me")
        me.forget(me.remember(FORGOTTEN).id)


def rows_of(path: Path) -> dict[str, set[tuple[Any, ...]]]:
    """Give all rows of all tables, but for what a repair counts on."""
    found: dict[str, set[tuple[Any, ...]]] = {}
    with closing(open_connection(path, 10)) as connection:
        names = connection.execute(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict"
        ).fetchall()
        for (name,) in names:
            if name in _LEFT_OUT:
                continue
            columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{name}")')]
            kept = [column for column in columns if column not in _CHANGED.get(str(name), ())]
            listed = ", ".join(f'"{column}"' for column in kept)
            rows = connection.execute(f'SELECT {listed} FROM "{name}"').fetchall()  # noqa: S608 - of the schema
            found[str(name)] = {row for row in rows if not str(row[0]).startswith("repair:")}
    return found


def damage(path: Path, pages: Iterable[int], *, zeros: bool = False, seed: int = 0) -> None:
    """Change a byte of each of these pages, or overwrite them with zeros."""
    content, chance = bytearray(path.read_bytes()), random.Random(seed)
    for number in pages:
        start = (number - 1) * PAGE
        if zeros:
            content[start : start + PAGE] = bytes(PAGE)
        else:
            content[start + chance.randrange(PAGE)] ^= chance.randrange(1, 256)
    path.write_bytes(content)


def kept_aside(path: Path) -> list[Path]:
    """Give the damaged files beside a store, without their logs."""
    return sorted(path.parent.glob(f"{path.name}.damaged-*Z"))


def pages_of(path: Path, kind: int, table: str) -> list[int]:
    """Give the pages of a table of one kind of page."""
    with closing(open_connection(path, 10)) as connection:
        numbers = [row[0] for row in connection.execute("SELECT pageno FROM dbstat WHERE name = ?", (table,))]
    content = path.read_bytes()
    return sorted(int(str(one)) for one in numbers if content[(int(str(one)) - 1) * PAGE] == kind)


def beside(path: Path) -> list[str]:
    """Give the names of the files of a store that are in its folder."""
    found = (file.name for file in path.parent.glob(f"{path.name}*") if file.is_file())
    return sorted(name for name in found if not name.endswith("-reserve"))


def sealed(page: bytes) -> bytes:
    """Give a page its checksum."""
    first = second = 0
    for place in range(0, PAGE - 8, 8):
        first = (first + int.from_bytes(page[place : place + 4], "little") + second) % 2**32
        second = (second + int.from_bytes(page[place + 4 : place + 8], "little") + first) % 2**32
    return page[: PAGE - 8] + first.to_bytes(4, "little") + second.to_bytes(4, "little")
