"""The functions with which people search in psql: a user is needed, and no wall is passed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from recollect import Memory
from tests.fixtures import OpenMemory

Connection = psycopg.Connection[Any]
pytestmark = pytest.mark.parametrize("database", ["postgresql"], indirect=True)
_PUMP = "The pump is in the attic"


@pytest.fixture
def memory(open_memory: OpenMemory, tmp_path: Path) -> Memory:
    """A store of two users; one has said, noted and filed something."""
    memory = open_memory()
    me = memory.user("me")
    me.remember(_PUMP, type="fact", importance=0.5, metadata={"floor": 3})
    old = me.remember("The pump is in the cellar", type="fact", subject="pump", key="place")
    me.update(old.id, content="The pump is in the shed")
    me.conversation("s1").append("user", "Where is the pump?")
    me.conversation("s1").append("assistant", "The pump is in the attic, as ever")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "house.md").write_text("# House\n\nThe pump is in the attic, too.\n")
    me.files.sync(tmp_path / "notes")
    memory.user("you").remember("The pump of another user is in the attic")
    memory.embed_waiting()
    return memory


@pytest.fixture
def asked(memory: Memory, database: str) -> Iterator[tuple[Connection, str]]:
    """A connection under row-level security, and the vector of what is looked for."""
    assert memory
    with psycopg.connect(database) as connection:
        (space,) = connection.execute(
            "SELECT number FROM embedding_spaces WHERE kind = 'memory' AND state = 'active'"
        ).fetchone() or (0,)
        row = connection.execute(
            f"SELECT v.embedding::text FROM vectors_{space} v "  # noqa: S608
            "JOIN memories m ON m.user_id = v.user_id AND m.id = v.item_id WHERE m.content = %s",
            (_PUMP,),
        ).fetchone()
        assert row
        connection.execute("SET LOCAL ROLE recollect_app")
        yield connection, row[0]
        connection.rollback()


def _rows(connection: Connection, call: str, *values: object) -> list[tuple[Any, ...]]:
    return connection.execute(f"SELECT * FROM {call}".encode(), values or None).fetchall()  # noqa: S608 - our own names


def test_each_source_is_searched_for_the_user_who_is_named(asked: tuple[Connection, str]) -> None:
    connection, vector = asked
    memories = _rows(connection, "search_memories(%s, 'me', p_threshold => 0.1)", vector)
    assert memories[0][1:6] == (_PUMP, "fact", 0.5, 1.0, {"floor": 3})
    assert memories[0][7] == pytest.approx(1, abs=0.01)
    assert {row[1] for row in memories} == {_PUMP, "The pump is in the shed"}
    assert _rows(connection, "search_memories(%s, 'me', 'preference')", vector) == []
    assert len(_rows(connection, "search_memories(%s, 'me', NULL, 1, 0)", vector)) == 1
    assert len(_rows(connection, "search_memories(%s, 'me', NULL, 10, 0.99)", vector)) == 1
    ((_, request, response, summary, _),) = _rows(connection, "search_responses(%s, 'me')", vector)
    assert (response, summary, bool(request)) == ("The pump is in the attic, as ever", None, True)
    ((_, _, index, text, name, _),) = _rows(connection, "search_file_chunks(%s, 'me')", vector)
    assert (index, name) == (0, "house.md")
    assert "in the attic, too" in text
    found = _rows(connection, "search_context(%s, 'me', 10, 0)", vector)
    assert {row[0] for row in found} == {"memory", "request", "response", "file"}
    assert [row[2] for row in found] == sorted((row[2] for row in found), reverse=True)
    assert found[0][:2] == ("memory", _PUMP)
    assert not any("another user" in row[1] for row in found)
    assert _rows(connection, "memories") == []  # what a search may see ends with it


def _call(connection: Connection, call: str, user: str) -> None:
    """Call a function in a transaction that works for a user, or for none."""
    with connection.transaction():
        reach = "user" if user else ""
        connection.execute(
            "SELECT set_config('recollect.reach', %s, true), set_config('recollect.user_id', %s, true)", (reach, user)
        )
        _rows(connection, call)


def test_a_user_is_needed_and_no_other_is_reached(asked: tuple[Connection, str]) -> None:
    connection, vector = asked
    for name in ("search_memories", "search_responses", "search_file_chunks", "search_context"):
        with pytest.raises(psycopg.errors.NullValueNotAllowed, match="p_user_id is missing"):
            _call(connection, f"{name}('{vector}')", "")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="works for another user"):
            _call(connection, f"{name}('{vector}', 'me')", "you")
        with pytest.raises(psycopg.DataError, match="the query has 3 dimensions"):
            _call(connection, f"{name}('[1,2,3]', 'me')", "me")
        _call(connection, f"{name}('{vector}', 'me')", "me")
        _call(connection, f"{name}('{vector}', 'me')", "")
        assert _rows(connection, f"{name}(%s, 'stranger')", vector) == []
