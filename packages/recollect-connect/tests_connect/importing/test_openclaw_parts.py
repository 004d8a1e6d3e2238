"""What is found of OpenClaw, and what its databases say, without touching them."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from tests.rows import every

from recollect.errors import InvalidDocument
from recollect.model.memories import Space
from recollect_connect.importing.openclaw import tables
from recollect_connect.importing.openclaw.find_stores import find
from recollect_connect.importing.openclaw.index import AS_A_FILE, AS_A_SESSION, CHANGED, IndexPlaces, is_same
from recollect_connect.importing.openclaw.tables import IndexedChunk
from tests_connect.importing.openclaw_folder import Database, chunk, fingerprint, header, log, note, turn, unit

OPENAI = Space("openai", "text-embedding-3-small", "", "none", 1536, normalised=True)


def test_workspaces_logs_and_databases_are_found_wherever_they_lie(tmp_path: Path) -> None:
    home = tmp_path / ".openclaw"
    note(home / "workspace" / "MEMORY.md", "long")
    note(home / "workspace" / "SOUL.md", "be kind")
    note(home / "workspace" / "TODO.md", "later")
    note(home / "workspace" / "memory" / "2026-01-31.md", "day")
    note(home / "workspace" / "node_modules" / "x" / "MEMORY.md", "no")
    note(home / "workspace" / ".git" / "USER.md", "no")
    note(home / "workspace-work" / "memory" / "2026-02-01-standup.md", "day")
    sessions = home / "agents" / "main" / "sessions"
    log(sessions / "a.jsonl", header("a"))
    for name in ("a.jsonl.reset.2026", "b.jsonl.deleted.2026", "a.trajectory.jsonl", "sessions.json", "a.jsonl.lock"):
        note(sessions / name, "{}")
    Database(home / "memory" / "main.sqlite").close()
    (home / "elsewhere").symlink_to(tmp_path)
    found = find(tmp_path)
    assert [path.name for path in found.workspaces] == ["workspace", "workspace-work"]
    assert found.session_folders == [sessions]
    assert [path.name for path in found.databases] == ["main.sqlite"]
    assert sorted((what, Path(place).name) for what, _, place in found.left_out) == [
        ("files", "SOUL.md"),
        ("files", "TODO.md"),
        ("files", "sessions.json"),
        ("folders", "elsewhere"),
        ("session logs", "a.jsonl.reset.2026"),
        ("session logs", "a.trajectory.jsonl"),
        ("session logs", "b.jsonl.deleted.2026"),
    ]
    assert find(home / "workspace").workspaces == [home / "workspace"]


def test_a_folder_without_anything_of_openclaw_is_told_apart(tmp_path: Path) -> None:
    note(tmp_path / "letters" / "mum.txt", "hello")
    with pytest.raises(InvalidDocument, match=r"nothing of OpenClaw: no workspace .* Found: letters"):
        find(tmp_path)
    with pytest.raises(InvalidDocument, match="cannot be looked into"):
        find(tmp_path / "nowhere")


@pytest.mark.parametrize("mode", ["delete", "wal", "hot"])
def test_a_database_is_read_without_a_trace(tmp_path: Path, mode: str) -> None:
    path = Database(tmp_path / "db" / "main.sqlite").chunks(chunk("a.md", "one")).close()
    writer = sqlite3.connect(path)
    if mode != "delete":
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("UPDATE chunks SET text = 'two'")
        writer.commit()
    if mode == "wal":
        writer.close()  # what is in the log goes to the file, and the log goes away
    before = fingerprint(tmp_path)
    assert (f"db/{path.name}-wal" in before) is (mode == "hot")
    with tables.opened(path) as connection:
        ((kind, name, (found,)),) = tables.files(connection, tables.GENERATIONS[1])
        assert found is not None
        assert (kind, name, found.text) == ("memory", "a.md", "one" if mode == "delete" else "two")
        assert fingerprint(tmp_path) == before
    assert fingerprint(tmp_path) == before
    writer.close()


@pytest.mark.parametrize("content", [b"", b"not a database", b"SQLite format 3\x00" + b"\xff" * 5000])
def test_what_is_no_database_is_said(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.sqlite"
    path.write_bytes(content)
    if not content:
        with tables.opened(path) as connection:
            assert list(tables.generations(connection)) == []
    else:
        with (
            pytest.raises(InvalidDocument, match="cannot be read as a SQLite database"),
            tables.opened(path) as connection,
        ):
            list(tables.generations(connection))
    assert [one.name for one in tmp_path.iterdir()] == ["x.sqlite"]


def test_a_view_that_looks_like_an_index_is_not_asked(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE VIEW chunks AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS path, "
            "i AS start_line, i AS end_line, i AS hash, i AS model, i AS text, i AS embedding FROM n"
        )
    with tables.opened(path) as connection:
        assert list(tables.generations(connection)) == []


@pytest.mark.parametrize("new", [False, True])
def test_vectors_of_both_manners_are_read(tmp_path: Path, *, new: bool) -> None:
    database = Database(tmp_path / "x.sqlite", new=new).chunks(chunk("a.md", "one", embedding=[0.5, -0.25]))
    path = database.cached("two", [1.0, 2.0]).close()
    with tables.opened(path) as connection:
        (names,) = tables.generations(connection)
        assert tables.provider_of(connection, names) == "openai"
        ((_, _, (found,)),) = tables.files(connection, names)
        assert found is not None
        assert np.array_equal(tables.vector(found.embedding), np.array([0.5, -0.25], np.float32))  # type: ignore[arg-type]
        assert tables.cached(connection, names) == {("openai", "text-embedding-3-small"): 1}


@every(
    "stored", [None, 3, "", "[]", "{}", "[1, null]", "[[1]]", "[0, 0]", "nan", "[1e999]", b"", b"1234567", b"\xff" * 8]
)
def test_what_is_no_vector_is_none(stored: object) -> None:
    assert tables.vector(stored) is None


def test_malformed_rows_are_told_from_the_others(tmp_path: Path) -> None:
    path = Database(tmp_path / "x.sqlite").chunks(
        chunk("a.md", "fine"), chunk("a.md", " "), chunk("a.md", "odd", (0, 3)), chunk("a.md", "back", (5, 2)),
        chunk("a.md", "far", (1, 2**31)), chunk("a.md", "x" * 100_001)
    ).close()  # fmt: skip
    with tables.opened(path) as connection:
        ((_, _, found),) = tables.files(connection, tables.GENERATIONS[1])
    assert [one.text if one else None for one in found].count(None) == 5


def test_a_space_is_the_same_only_if_all_of_it_is() -> None:
    assert is_same("openai", "text-embedding-3-small", OPENAI)
    assert not is_same("openai", "text-embedding-3-large", OPENAI)
    assert not is_same("voyage", "text-embedding-3-small", OPENAI)
    assert not is_same("", "text-embedding-3-small", OPENAI)
    assert not is_same("openai", "text-embedding-3-small", None)
    gemini = Space("gemini", "gemini-embedding-001", "", "gemini", 3072, normalised=True)
    assert is_same("gemini", "models/gemini-embedding-001", gemini)
    assert not is_same(
        "ollama", "nomic-embed-text", Space("ollama", "nomic-embed-text", "", "nomic", 768, normalised=True)
    )


def piece(path: str, text: str, source: str = "memory") -> IndexedChunk:
    return IndexedChunk(path, source, 1, 1, "", "", text, None)


def test_a_chunk_is_gone_only_if_its_file_is(tmp_path: Path) -> None:
    note(tmp_path / "workspace" / "MEMORY.md", "# Facts\nThe key is under the mat.\n")
    note(tmp_path / "workspace-work" / "MEMORY.md", "# Work\nStandup at nine.\n")
    log(tmp_path / "agents" / "main" / "sessions" / "s1.jsonl", header("s1"), turn("user", "Hi"))
    main = IndexPlaces(find(tmp_path), "main", frozenset({"s2"}))
    assert main.fate(piece("MEMORY.md", "The key is under the mat.")) == AS_A_FILE
    assert main.fate(piece("MEMORY.md", "Standup at nine.")) == AS_A_FILE
    assert main.fate(piece("MEMORY.md", "The key is in the pot.")) == CHANGED
    assert main.fate(piece("memory/2026-01-01.md", "Rain.")) == ""
    assert main.fate(piece("../../etc/passwd", "root")) == ""
    assert main.fate(piece("/etc/passwd", "root")) == ""
    assert main.fate(piece("sessions/s1.jsonl", "User: Hi", "sessions")) == AS_A_FILE
    assert main.fate(piece("sessions/main/s2.jsonl", "User: Hi", "sessions")) == AS_A_SESSION
    assert main.fate(piece("sessions/s3.jsonl", "User: Hi", "sessions")) == ""
    assert main.fate(piece("sessions/" + "long" * 2_000, "User: Hi", "sessions")) == ""
    assert main.fate(piece("memory/" + "long" * 2_000 + ".md", "Rain.")) == ""
    assert main.fate(piece("memory/a\0b.md", "Rain.")) == ""
    assert IndexPlaces(find(tmp_path), "other", frozenset()).fate(piece("MEMORY.md", "Mine.")) == ""
    assert unit(1, 3) == [0.0, 1.0, 0.0]
