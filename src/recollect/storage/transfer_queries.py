"""Queries on the tables that are taken along, made from their description: read all, look up some, write some."""

from collections.abc import Iterator

from recollect.ports.transfer import MESSAGES, TRANSFERRED, StoredKind, TransferTable

_ARRAYS: dict[StoredKind, str] = {"id": "uuid[]", "text": "text[]"}

# What is made anew and has to be written with the row.
WRITTEN_ANEW = frozenset({"seq", "terms", "place", "name"})


def reading(table: TransferTable) -> str:
    """Name the query that gives all rows of a user."""
    return f"transfer_all_{table.name}"


def knowing(table: TransferTable) -> str:
    """Name the query that looks rows up by the first part of their key."""
    return f"transfer_some_{table.name}"


TALK = "transfer_talk"  # all messages of a conversation, in order


def writing(table: TransferTable) -> str:
    """Name the query that writes a row."""
    return f"transfer_add_{table.name}"


def transfer_queries(*, numbered: bool) -> Iterator[tuple[str, str]]:
    """Give all queries by name. Where rows are numbered, items are written with `seq`."""
    talk = f"SELECT {', '.join(MESSAGES.names)} FROM messages WHERE user_id = :user_id AND conversation_id = :id "  # noqa: S608
    yield TALK, f"{talk}ORDER BY sequence, said_at, id"
    for table in TRANSFERRED:
        kinds = {column.name: column.kind for column in table.columns}
        names = ", ".join(table.names)
        own = " AND ".join(filter(None, ("user_id = :user_id", table.only)))
        order = ", ".join(name if kinds[name] == "id" else f'{name} COLLATE "C"' for name in table.key)
        first = table.key[0]
        wanted = f"{first} = ANY(:keys::{_ARRAYS[kinds[first]]})"
        yield reading(table), f"SELECT {names} FROM {table.stored_in} WHERE {own} ORDER BY {order}"  # noqa: S608 - constants
        yield knowing(table), f"SELECT {names} FROM {table.stored_in} WHERE {own} AND {wanted}"  # noqa: S608
        if table.stored_in == table.name:
            anew = [name for name in table.derived if name in WRITTEN_ANEW and (numbered or name != "seq")]
            written = ("user_id", *table.names, *anew)
            values = ", ".join(f":{name}" for name in written)
            yield (
                writing(table),
                f"INSERT INTO {table.name} ({', '.join(written)}) VALUES ({values}) ON CONFLICT DO NOTHING",  # noqa: S608
            )
