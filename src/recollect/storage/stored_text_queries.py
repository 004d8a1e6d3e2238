"""Queries on every table with its columns of text, made from the catalogue: a column that is new is read as well."""

from collections.abc import Iterable
from typing import Final, NamedTuple

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
    tables = [_table(name, found) for name, found in by_table.items()]
    return [table for table in tables if table.texts]


def _table(name: str, columns: list[CatalogueColumn]) -> TextTable:
    names = {column.name for column in columns}
    texts = [column for column in columns if column.kind and column.name not in {_OWNER, *_WORDLESS_COLUMNS}]
    return TextTable(
        name,
        _OWNER in names,
        tuple(time for time in _STORED_AT if time in names),
        tuple(column.name for column in texts),
        frozenset(column.name for column in texts if column.kind == "bytes"),
    )


def _quoted(name: str) -> str:
    return '"{}"'.format(name.replace('"', '""'))
