"""Which number an embedding space has in this file, for each kind of item. The number names the space's two tables."""

from datetime import datetime
from operator import itemgetter
from typing import TypeAlias

import apsw

from recollect.storage.sqlite.codec import to_micros
from recollect.storage.sqlite.connection import rows
from recollect.storage.sqlite.rows import QUERIES
from recollect.storage.statements import sql_folder
from recollect.types import Space
from recollect.vocabulary import ItemKind

Shelf: TypeAlias = tuple[ItemKind, Space]


def numbers(connection: apsw.Connection) -> dict[Shelf, int]:
    """Read all spaces."""
    return {
        (kind, Space(provider, model, revision, prefix_scheme, dimensions, bool(normalised))): number
        for number, kind, provider, model, revision, prefix_scheme, dimensions, normalised in rows(
            connection, QUERIES["list_spaces"]
        )
    }


def register(connection: apsw.Connection, kind: ItemKind, space: Space, now: datetime) -> int:
    """Find the space's number, or give it one and make its tables in the running transaction."""
    known = numbers(connection).get((kind, space))
    if known is not None:
        return known
    number: int = rows(connection, QUERIES["next_numbers"], {"amount": 1, "name": "space"})[0][0]
    values = {
        "number": number,
        "kind": kind,
        "provider": space.provider,
        "model": space.model,
        "revision": space.revision,
        "prefix_scheme": space.prefix_scheme,
        "dimensions": space.dimensions,
        "normalised": int(space.normalised),
        "now": to_micros(now),
    }
    connection.execute(QUERIES["insert_space"], values)
    template = (sql_folder("sqlite") / "space.sql").read_text(encoding="utf-8")
    connection.execute(template.replace("{space}", str(number)))
    return number


class Spaces:
    """Remembers numbers that were read from committed data; a space never changes its number."""

    def __init__(self) -> None:
        self._numbers: dict[Shelf, int] = {}

    def number(self, connection: apsw.Connection, kind: ItemKind, space: Space) -> int | None:
        """Give the number, or None when no item of this kind was ever stored in this space."""
        if (kind, space) not in self._numbers:
            self._numbers = numbers(connection)
        return self._numbers.get((kind, space))

    def newest(self, connection: apsw.Connection) -> tuple[Space, int] | None:
        """Give the space of memories that was registered last, which is the one most likely asked about next."""
        if not self._numbers:
            self._numbers = numbers(connection)
        found = ((space, number) for (kind, space), number in self._numbers.items() if kind == "memory")
        return max(found, key=itemgetter(1), default=None)
