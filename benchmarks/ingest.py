"""Bulk ingest of 100,000 memories with given vectors: everything we do against the bare writing of the same bytes."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import apsw
import psycopg
from pgvector import Vector as PgVector
from pgvector.psycopg import register_vector
from psycopg.types.json import Jsonb

from benchmarks.figures import Figure, seconds
from benchmarks.lifelike import DIMENSIONS, sentences, vectors
from benchmarks.stores import open_memory
from recollect import NewMemory
from recollect.clock import SystemClock
from recollect.engine.drafts.memory_drafts import draft_memories
from recollect.model.memories import Draft, Vector
from recollect.storage.base.tables import RECORD_FIELDS, TIME_FIELDS, columns
from recollect.storage.sqlite import session as sqlite_codec

BATCH = 10_000
RECORD_COLUMNS = columns(RECORD_FIELDS)


def measure(folder: Path, address: str, amount: int) -> Iterator[Figure]:
    """Compare both stores with their drivers."""
    texts, given = sentences(amount), vectors(amount)
    drafts = draft_memories([NewMemory(text) for text in texts], SystemClock().now())
    items = [NewMemory(text, vector=vector) for text, vector in zip(texts, given, strict=True)]
    rows = [
        (*sqlite_codec.to_row(number, "me", draft), vector.tobytes())
        for number, (draft, vector) in enumerate(zip(drafts, given, strict=True), 1)
    ]
    bare, ours = _in_turn(
        lambda run: _bare_sqlite(folder / f"bare{run}.db", rows),
        lambda run: _ours(str(folder / f"ours{run}.db"), "me", items),
    )
    yield _figure("SQLite", bare, ours, amount)
    tuples = [_plain_row(draft, vector) for draft, vector in zip(drafts, given, strict=True)]
    with open_memory(address):
        pass  # the schema exists before the peer copies its shape
    bare, ours = _in_turn(
        lambda run: _bare_postgres(address, run, tuples), lambda run: _ours(address, f"user{run}", items)
    )
    yield _figure("PostgreSQL", bare, ours, amount)


def _plain_row(draft: Draft, vector: Vector) -> tuple[Any, ...]:
    """Give a row as anybody would hand it to the driver."""
    values = draft.record._asdict()
    values.update(id=UUID(draft.record.id), metadata=Jsonb(draft.record.metadata), media=Jsonb([]))
    return ("me", draft.content_hash, list(draft.terms), *values.values(), PgVector(vector))


def _in_turn(bare: Callable[[int], None], ours: Callable[[int], None]) -> tuple[float, float]:
    """Run both three times in turn; the best run of each is the one that nobody disturbed."""
    times = [(seconds(partial(bare, run)), seconds(partial(ours, run))) for run in range(3)]
    return min(time for time, _ in times), min(time for _, time in times)


def _figure(store: str, bare: float, ours: float, amount: int) -> Figure:
    detail = f"{amount / ours:,.0f} memories/s with terms and codes, bare {amount / bare:,.0f} rows/s"
    return Figure(f"bulk ingest on {store}, speed against bare", bare / ours, 0.4, "at least", detail)


def _ours(database: str, user: str, items: Sequence[NewMemory]) -> None:
    with open_memory(database) as memory:
        memory.user(user).remember_many(items)


def _bare_sqlite(path: Path, rows: Sequence[tuple[Any, ...]]) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    names = ", ".join(RECORD_COLUMNS)
    connection.execute(
        f"CREATE TABLE bare (seq INTEGER, user_id, content_hash, terms, place, {names}, vector,"
        " PRIMARY KEY (user_id, id))"
    )
    marks = ", ".join("?" * len(rows[0]))
    for start in range(0, len(rows), BATCH):
        with connection:
            connection.executemany(f"INSERT INTO bare VALUES ({marks})", rows[start : start + BATCH])  # noqa: S608
    connection.close()


def _column_type(column: str) -> str:
    if column in TIME_FIELDS:
        return "timestamptz"
    special = {"id": "uuid", "superseded_by": "uuid", "metadata": "jsonb", "media": "jsonb", "trust": "int2"}
    return special.get(column, "float8" if column in {"importance", "confidence", "lat", "lng"} else "text")


def _bare_postgres(address: str, run: int, rows: Sequence[tuple[Any, ...]]) -> None:
    with psycopg.connect(address) as connection:
        register_vector(connection)
        connection.execute(f"CREATE TABLE bare{run} (LIKE memories, embedding vector({DIMENSIONS}))")
        connection.execute(f"ALTER TABLE bare{run} ADD PRIMARY KEY (user_id, id)")
        names = ", ".join(("user_id", "content_hash", "terms", *RECORD_COLUMNS, "embedding"))
        for start in range(0, len(rows), BATCH):
            with connection.cursor().copy(f"COPY bare{run} ({names}) FROM STDIN (FORMAT BINARY)") as copy:
                copy.set_types(["text", "text", "text[]", *map(_column_type, RECORD_COLUMNS), "vector"])
                for row in rows[start : start + BATCH]:
                    copy.write_row(row)
            connection.commit()
