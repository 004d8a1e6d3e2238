"""No table and no column is overlooked when memory moves: each is taken along, or named with the reason why not."""

import re
import sqlite3
from typing import Final

import psycopg

from recollect import Memory
from recollect.storage.base.tables import TRANSFERRED

_SPACES = re.compile(r"(vectors|codes)_\d+")  # vectors go along when they are wanted
_OF_SQLITE = re.compile(
    r"(memory|message|chunk)_terms(_\w+)?|sqlite_\w+"
)  # made anew from terms, or the database's own

# What stays, and why.
LEFT_BEHIND: Final = {
    "users": "counters, made anew",
    "sequence": "numbers of rows in SQLite, given out anew",
    "media_originals": "made anew from the media of items",
    "places": "made anew from the addresses and labels of items",
    "geocodes": "a cache of what geocoders said",
    "embedding_spaces": "the space that is searched goes along with the vectors",
    "embedding_cache": "a cache of vectors that were paid for",
    "embedding_cache_uses": "figures about a cache",
    "bulk_batches": "work in progress at a provider",
    "answers": "responses to requests of the last day",
    "changes": "the order of changes is the store's own",
    "audit_log": "who did what in this store; its chain of hashes belongs to it",
    "api_keys": "keys open one store",
    "scope_members": "who may see a shared scope is said in each store anew",
    "store_marks": "what is true of the store as a whole",
    "store_secrets": "the secrets of tombstones go along with them",
    "schema_migrations": "the version of the schema",
}


def _columns(database: str) -> dict[str, set[str]]:
    """Read the tables and their columns from the catalogue."""
    if database.startswith("postgresql"):
        with psycopg.connect(database) as server:
            found = server.execute(
                "SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
                "WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 "
                "AND NOT a.attisdropped"
            ).fetchall()
    else:
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as file:
            tables = [row[0] for row in file.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
            wanted = [table for table in tables if not _OF_SQLITE.fullmatch(table)]
            pairs = [(table, file.execute(f"PRAGMA table_info({table})").fetchall()) for table in wanted]
            found = [(table, column[1]) for table, columns in pairs for column in columns]
    columns: dict[str, set[str]] = {}
    for table, column in found:
        columns.setdefault(table, set()).add(column)
    return columns


def test_every_column_is_taken_along_or_named(database: str) -> None:
    with Memory.open(database) as memory:
        memory.user("me").remember("Likes the sea")
    columns = {table: names for table, names in _columns(database).items() if not _SPACES.fullmatch(table)}
    described = {table.stored_in: table for table in TRANSFERRED}
    assert columns.keys() - described.keys() - LEFT_BEHIND.keys() == set()
    assert not described.keys() & LEFT_BEHIND.keys()
    for name, table in described.items():
        anew = set(table.derived) - (set() if "seq" in columns[name] else {"seq"})
        assert columns[name] == {"user_id", *table.names, *anew}, name
        assert all(table.names.index(part) >= 0 for part in table.key)
    assert LEFT_BEHIND.keys() - columns.keys() <= {"sequence"}  # which PostgreSQL needs not
