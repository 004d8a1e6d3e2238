"""The embedding spaces of a database: which there are, and how one is made."""

from datetime import UTC, datetime

from recollect.model.literals import VectorKind
from recollect.model.memories import Space
from recollect.model.stats import SpaceState
from recollect.storage.postgres.connection import Connection
from recollect.storage.postgres.rows import QUERIES
from recollect.storage.spaces import Listing, listed

# Serialises changes of the schema between processes; any constant that nothing else in the database uses.
SCHEMA_LOCK = 0x7265636F6C6C6563

# Whoever writes shares it, whoever changes what spaces are used for has it alone: no item is owed vectors by a list of
# spaces that no longer holds, and nothing is stored while it is counted whether a space has everything.
_USE_LOCK = SCHEMA_LOCK + 1

# Above this an index on `vector` is not possible; `halfvec` goes to twice as many.
_MOST_VECTOR_DIMENSIONS = 2_000


def column_type(space: Space) -> str:
    """Give the type of the space's column, without its length."""
    return "vector" if space.dimensions <= _MOST_VECTOR_DIMENSIONS else "halfvec"


def number_type(space: Space) -> str:
    """Give the type of its numbers for NumPy, as the server wants them."""
    return ">f4" if column_type(space) == "vector" else ">f2"


def listing(connection: Connection) -> Listing:
    """Read all spaces."""
    found = connection.execute(QUERIES["list_spaces"].encode())
    return Listing(listed(row, row[9].astimezone(UTC)) for row in found)


def owed(connection: Connection, kind: VectorKind, given: Space | None, now: datetime) -> dict[Space, int]:
    """Give the spaces in which a new item of this kind needs a vector, with their numbers."""
    known = listing(connection)
    wanted = known.wanted(given)
    if any(known.number(kind, space) is None for space in wanted):
        lock(connection)
        known = listing(connection)
        wanted = known.wanted(given)  # somebody else may have been first
    return {
        space: known.number(kind, space) or register(connection, kind, space, state, now)
        for space, state in wanted.items()
    }


def share(connection: Connection) -> None:
    """Let spaces be used for what they are used for now, until the transaction ends. It comes before other locks."""
    connection.execute(QUERIES["share_spaces"].encode(), {"lock": _USE_LOCK})


def claim(connection: Connection) -> None:
    """Let nobody else write, or make or change spaces, before the transaction ends."""
    connection.execute(QUERIES["lock_schema"].encode(), {"lock": _USE_LOCK})
    lock(connection)


def lock(connection: Connection) -> None:
    """Let nobody else make spaces before the transaction ends."""
    connection.execute(QUERIES["lock_schema"].encode(), {"lock": SCHEMA_LOCK})


def register(connection: Connection, kind: VectorKind, space: Space, state: SpaceState, now: datetime) -> int:
    """Give a space its number and make its table, while the lock is held; one that exists gets the state."""
    known = listing(connection).number(kind, space)
    if known is not None:
        connection.execute(QUERIES["set_space_state"].encode(), {"number": known, "state": state})
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
        "state": state,
        "now": now,
    }
    connection.execute(QUERIES["insert_space"].encode(), values)
    made = {"number": number, "half": column_type(space) == "halfvec", "dimensions": space.dimensions}
    connection.execute(QUERIES["make_vectors"].encode(), made)
    return number
