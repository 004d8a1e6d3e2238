"""The embedding spaces of a file: which there are, and how one is made."""

from datetime import datetime

import apsw

from recollect.model.literals import VectorKind
from recollect.model.memories import Space
from recollect.model.stats import SpaceState
from recollect.storage.spaces import Listing, listed
from recollect.storage.sqlite.codec import from_micros, to_micros
from recollect.storage.sqlite.connection import rows
from recollect.storage.sqlite.rows import QUERIES
from recollect.storage.statements import sql_folder


def listing(connection: apsw.Connection) -> Listing:
    """Read all spaces."""
    return Listing(listed(row, from_micros(row[9])) for row in rows(connection, QUERIES["list_spaces"]))


def owed(connection: apsw.Connection, kind: VectorKind, given: Space | None, now: datetime) -> dict[Space, int]:
    """Give the spaces in which a new item of this kind needs a vector, with their numbers."""
    known = listing(connection)
    return {
        space: known.number(kind, space) or register(connection, kind, space, state, now)
        for space, state in known.wanted(given).items()
    }


def register(connection: apsw.Connection, kind: VectorKind, space: Space, state: SpaceState, now: datetime) -> int:
    """Give a space its number and make its tables in the running transaction; one that exists gets the state."""
    known = listing(connection).number(kind, space)
    if known is not None:
        connection.execute(QUERIES["set_space_state"], {"number": known, "state": state})
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
        "state": state,
        "now": to_micros(now),
    }
    connection.execute(QUERIES["insert_space"], values)
    template = (sql_folder("sqlite") / "space.sql").read_text(encoding="utf-8")
    connection.execute(template.replace("{space}", str(number)))
    return number
