"""Which number an embedding space has in this database, for each kind of item. The number names the space's table."""

from datetime import datetime
from typing import TypeAlias

from recollect.storage.postgres.connection import Connection
from recollect.storage.postgres.rows import QUERIES
from recollect.storage.statements import sql_folder
from recollect.types import Space
from recollect.vocabulary import ItemKind

# Serialises changes of the schema between processes; any constant that nothing else in the database uses.
SCHEMA_LOCK = 0x7265636F6C6C6563

# Above this an index on `vector` is not possible; `halfvec` goes to twice as many.
_MOST_VECTOR_DIMENSIONS = 2_000


def column_type(space: Space) -> str:
    """Give the type of the space's column."""
    return f"{'vector' if space.dimensions <= _MOST_VECTOR_DIMENSIONS else 'halfvec'}({space.dimensions})"


def number_type(space: Space) -> str:
    """Give the same for NumPy, as COPY sends it."""
    return ">f4" if space.dimensions <= _MOST_VECTOR_DIMENSIONS else ">f2"


Shelf: TypeAlias = tuple[ItemKind, Space]


def numbers(connection: Connection) -> dict[Shelf, int]:
    """Read all spaces."""
    return {
        (kind, Space(provider, model, revision, prefix_scheme, dimensions, normalised)): number
        for number, kind, provider, model, revision, prefix_scheme, dimensions, normalised in connection.execute(
            QUERIES["list_spaces"].encode()
        )
    }


def register(connection: Connection, kind: ItemKind, space: Space, now: datetime) -> int:
    """Find the space's number, or give it one and make its table in the running transaction."""
    known = numbers(connection).get((kind, space))
    if known is not None:
        return known
    connection.execute(QUERIES["lock_schema"].encode(), {"lock": SCHEMA_LOCK})
    known = numbers(connection).get((kind, space))
    if known is not None:
        return known
    row = connection.execute(QUERIES["next_space"].encode()).fetchone()
    number = int(row[0]) if row else 1
    values = {
        "number": number,
        "kind": kind,
        "provider": space.provider,
        "model": space.model,
        "revision": space.revision,
        "prefix_scheme": space.prefix_scheme,
        "dimensions": space.dimensions,
        "normalised": space.normalised,
        "now": now,
    }
    connection.execute(QUERIES["insert_space"].encode(), values)
    template = (sql_folder("postgres") / "space.sql").read_text(encoding="utf-8")
    connection.execute(template.replace("{space}", str(number)).replace("{type}", column_type(space)).encode())
    return number


class Spaces:
    """Remembers numbers that were read from committed data; a space never changes its number."""

    def __init__(self) -> None:
        self._numbers: dict[Shelf, int] = {}

    def number(self, connection: Connection, kind: ItemKind, space: Space) -> int | None:
        """Give the number, or None when no item of this kind was ever stored in this space."""
        if (kind, space) not in self._numbers:
            self._numbers = numbers(connection)
        return self._numbers.get((kind, space))
