"""What tells that something was forgotten, and what shows whether it is gone.

Tombstones are keyed hashes of what was forgotten: without the secret of the store no text can be tried against them.
One that came from another store is keyed with that store's secret, whose name stands before it.

What a store holds is read by queries on every table with its columns of text, made from the catalogue: a column that is
new is read as well.
"""

import hmac
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Final, NamedTuple

from recollect.model.backups import DatabaseFacts
from recollect.model.media import original_name
from recollect.storage.base.session import StoreSession
from recollect.storage.base.tables import IDENTITY
from recollect.storage.base.values import StoredRow

_BYTES = 16
_OWN = "tombstones"
_FOREIGN = f"{_OWN}:"
_NAMES_PURPOSE = b"names of originals in backups"  # their key hides them in one that is encrypted: they tell much


class TombstoneSecrets(NamedTuple):
    """The secret of a store, and those of the stores from which tombstones were brought, by their names."""

    own: bytes
    foreign: Mapping[str, bytes]

    def mark(self, fingerprint: str) -> str:
        return keyed(self.own, fingerprint)

    def marks(self, fingerprint: str) -> tuple[str, ...]:
        """Give all tombstones that a fingerprint may have."""
        foreign = (f"{name}:{keyed(secret, fingerprint)}" for name, secret in self.foreign.items())
        return self.mark(fingerprint), *foreign

    def named(self, tombstone: str) -> str:
        """Give a stored tombstone with the name of its secret."""
        return tombstone if ":" in tombstone else f"{secret_name(self.own)}:{tombstone}"

    def stored(self, tombstone: str) -> str:
        """Give a tombstone with the name of its secret as it is stored."""
        return tombstone.removeprefix(f"{secret_name(self.own)}:")

    def by_name(self) -> dict[str, bytes]:
        return {secret_name(self.own): self.own, **self.foreign}


def tombstone_secret(session: StoreSession) -> bytes:
    """Read the store's own secret, in a transaction that works for the store as a whole."""
    return bytes(session.row("get_secret", {"name": _OWN})[0])


def tombstone_secrets(session: StoreSession) -> TombstoneSecrets:
    """Read all secrets, in such a transaction."""
    rows = {name: bytes(value) for name, value in session.rows("list_secrets")}
    foreign = {name.removeprefix(_FOREIGN): rows[name] for name in sorted(rows) if name.startswith(_FOREIGN)}
    return TombstoneSecrets(rows[_OWN], foreign)


def add_foreign(session: StoreSession, name: str, secret: bytes) -> None:
    """Keep the secret of another store, in such a transaction."""
    session.execute("add_secret", {"name": f"{_FOREIGN}{name}", "value": secret})


def secret_name(secret: bytes) -> str:
    return blake2b(secret, digest_size=8).hexdigest()


def keyed(secret: bytes, fingerprint: str) -> str:
    return hmac.digest(secret, fingerprint.encode("utf-8", "surrogatepass"), "sha256")[:_BYTES].hex()


# When a row was written, by whatever name its table has for it.
_STORED_AT: Final = ("created_at", "updated_at", "kept_at", "changed_at", "asked_at", "scanned_at")
_OWNER: Final = "user_id"

# Numbers in bytes, and what keys the marks themselves.
_WORDLESS_COLUMNS: Final = frozenset({"vector", "code"})
_WORDLESS_TABLES: Final = frozenset({"store_secrets", "schema_migrations", "sqlite_schema", "sqlite_temp_schema"})


class CatalogueColumn(NamedTuple):
    """A column as the catalogue lists it; its kind is `text`, `bytes`, or '' for all others."""

    table: str
    name: str
    kind: str


class TextTable(NamedTuple):
    """A table that can hold text. `times` are the columns that say when a row was stored."""

    name: str
    owned: bool
    times: tuple[str, ...]
    texts: tuple[str, ...]
    blobs: frozenset[str]

    def statement(self, *, of_user: bool) -> str:
        """Select the owner, the times and the texts of all rows, or of one user's."""
        owner = _quoted(_OWNER) if self.owned else "''"
        texts = (_quoted(name) if name in self.blobs else f"{_quoted(name)}::text" for name in self.texts)
        columns = ", ".join((owner, *map(_quoted, self.times), *texts))
        where = f" WHERE {_quoted(_OWNER)} = :user_id" if of_user else ""
        return f"SELECT {columns} FROM {_quoted(self.name)}{where}"  # noqa: S608 - names from the catalogue


def text_tables(columns: Iterable[CatalogueColumn]) -> list[TextTable]:
    """Give the tables that can hold text."""
    by_table: dict[str, list[CatalogueColumn]] = {}
    for column in columns:
        if column.table not in _WORDLESS_TABLES:
            by_table.setdefault(column.table, []).append(column)
    tables = []
    for name, found in by_table.items():
        names = {column.name for column in found}
        texts = {one.name: one.kind for one in found if one.kind and one.name not in {_OWNER, *_WORDLESS_COLUMNS}}
        if texts:
            times = tuple(time for time in _STORED_AT if time in names)
            blobs = frozenset(column for column, kind in texts.items() if kind == "bytes")
            tables.append(TextTable(name, _OWNER in names, times, tuple(texts), blobs))
    return tables


def _quoted(name: str) -> str:
    return '"{}"'.format(name.replace('"', '""'))


def stored_rows(session: StoreSession, user_id: str | None) -> Iterator[StoredRow]:
    """Give the rows of every table that can hold text: those of one user, or of the whole store."""
    for table in text_tables(CatalogueColumn(*row) for row in session.rows("text_columns")):
        if user_id is None or table.owned:
            yield from _text_rows(session, table, user_id)


def _text_rows(session: StoreSession, table: TextTable, user_id: str | None) -> Iterator[StoredRow]:
    values = {} if user_id is None else {"user_id": user_id}
    first = 1 + len(table.times)
    for row in session.stream_statement(table.statement(of_user=user_id is not None), values):
        moments = [session.codec.time(value) for value in row[1:first] if value is not None]
        texts = {name: value for name, value in zip(table.texts, row[first:], strict=True) if value}
        yield StoredRow(table.name, row[0], max(moments, default=None), texts)


def database_facts(session: StoreSession, tables: Mapping[str, int], schema_version: int) -> DatabaseFacts:
    """Say what a database with so many rows holds, inside a transaction that works for the store as a whole."""
    of_files = session.stream_statement("SELECT DISTINCT original FROM files WHERE original <> ''", {})
    of_media = session.stream_statement("SELECT DISTINCT user_id, original FROM media_originals", {})
    originals = {str(name) for (name,) in of_files} | {original_name(user, digest) for user, digest in of_media}
    return DatabaseFacts(
        tables=tables,
        schema_version=schema_version,
        identity=session.mark(IDENTITY) or 0,
        originals=tuple(sorted(originals)),
        names_key=hmac.digest(tombstone_secret(session), _NAMES_PURPOSE, "sha256"),
    )
