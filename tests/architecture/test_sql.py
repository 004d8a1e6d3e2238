"""All SQL is in the files, where both databases can be seen side by side."""

import re
from pathlib import Path

from tests.sources import SOURCES, outline

# Where SQL is assembled on purpose, and the few words to a database that are no queries.
_ASSEMBLERS = {
    "filters.py",
    "tables.py",
    "forgotten.py",
    "erasing.py",
    "upkeep.py",
    "connection.py",
    "schema.py",
    "distribute.py",
    "cluster.py",
    "dump.py",
    "trees.py",
    "salvage.py",
}
_COMMANDS = re.compile(
    r"(BEGIN|BEGIN IMMEDIATE|COMMIT|ROLLBACK(; BEGIN IMMEDIATE| TO one_write; RELEASE one_write)?"
    r"|VACUUM( \(ANALYZE\) .*)?|ANALYZE .*|DELETE|PRAGMA (integrity_check|optimize|user_version).*)"
)  # DELETE alone is a verb of HTTP
_STATEMENT = re.compile(
    r"\s*(SELECT|INSERT|UPDATE|DELETE|REPLACE|MERGE|WITH|CREATE|ALTER|DROP|TRUNCATE|COPY|SET|BEGIN|COMMIT|ROLLBACK|VACUUM"
    r"|ANALYZE|PRAGMA|GRANT|LOCK)\b"
)


def _statements(source: Path) -> list[str]:
    """Give the texts in a module that look like SQL. What an f-string leaves open is a gap."""
    return [text for text in outline(source).texts if _STATEMENT.match(text)]


_FOREIGN = "openclaw"  # reads the tables of another program, which have no twin


def test_no_sql_in_python() -> None:
    package = SOURCES[0]
    found = {
        f"{source.relative_to(package)}: {text}"
        for source in package.rglob("*.py")
        if not ("storage" in source.parts and source.name in _ASSEMBLERS) and source.parent.name != _FOREIGN
        for text in _statements(source)
        if not _COMMANDS.fullmatch(text)
    }
    assert found == set(), "SQL belongs into the .sql files"


def test_the_search_for_sql_finds_some() -> None:
    package = SOURCES[0]
    assert any("schema_migrations" in text for text in _statements(package / "storage" / "sqlite" / "upkeep.py"))
    assert any(
        text.startswith("VACUUM (ANALYZE) {}") for text in _statements(package / "storage" / "postgres" / "store.py")
    )
