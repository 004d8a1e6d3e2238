"""`Memory.load`: one stream with memories of any users, under the rules that hold for each of them."""

from datetime import UTC, datetime

import pytest

from recollect import Memory, NewMemory
from recollect.api.memory import AuditedWrite
from recollect.errors import InvalidMemory
from tests.conftest import OpenMemory

_WORDS_ONLY = {"embedding__provider": "none"}


def _texts(memory: Memory, user: str) -> set[str]:
    return {record.content for record in memory.user(user).list().items}


def test_rows_of_many_users_are_stored_in_one_stream(open_memory: OpenMemory) -> None:
    memory = open_memory(**_WORDS_ONLY)
    memory.user("anna").remember("Owns a kayak")
    rows = [(f"user{number % 30}", f"Letter {number} went to box {number}") for number in range(900)]
    loaded = memory.load([("anna", "Owns a kayak"), *rows, ("anna", {"content": "Owns a lamp", "type": "fact"})])
    assert loaded._replace(actions=dict(loaded.actions)) == (902, 31, {"created": 901, "duplicate": 1}, {}, ())
    assert _texts(memory, "anna") == {"Owns a kayak", "Owns a lamp"}
    for user in range(30):
        assert _texts(memory, f"user{user}") == {text for owner, text in rows if owner == f"user{user}"}
    assert [hit.content for hit in memory.user("user7").recall("letter 37").hits][:1] == ["Letter 37 went to box 37"]
    assert memory.load(rows).actions == {"duplicate": 900}
    assert memory.doctor() == ()


def test_later_values_supersede_earlier_ones(open_memory: OpenMemory) -> None:
    memory = open_memory(**_WORDS_ONLY)

    def colour(value: str) -> NewMemory:
        return NewMemory(f"The lamp is {value}", type="fact", subject="lamp", key="colour", value=value)

    users = ("anna", "ben")
    memory.user("anna").remember_many([colour("white")])
    loaded = memory.load([(user, colour(value)) for value in ("red", "blue", "blue") for user in users])
    assert loaded.actions == {"created": 1, "superseded": 3, "duplicate": 2}
    for user in users:
        assert _texts(memory, user) == {"The lamp is blue"}
    history = memory.user("anna").history(memory.user("anna").list().items[0].id)
    assert [version.value for version in history] == ["white", "red", "blue"]


def test_a_user_beyond_a_quota_is_named_and_the_others_are_stored(open_memory: OpenMemory) -> None:
    memory = open_memory(limits__memories=3, limits__users=["ben: memories=50"], **_WORDS_ONLY)
    rows = [(user, f"{user} owns thing {number}") for number in range(30) for user in ("anna", "ben")]
    loaded = memory.load([*rows, ("carla", "Owns a lamp")])
    assert (loaded.rows, loaded.users, loaded.actions) == (61, 2, {"created": 31})
    assert [*loaded.refused] == ["anna"]
    assert "limits.memories" in loaded.refused["anna"]
    assert [memory.user(user).count() for user in ("anna", "ben", "carla")] == [0, 30, 1]


def test_each_user_has_a_line_in_the_audit_log(open_memory: OpenMemory) -> None:
    memory = open_memory(**_WORDS_ONLY)
    memory.load([("anna", "Owns a kayak"), ("ben", "Owns a lamp")], audit=AuditedWrite("key1", "load"))
    for user in ("anna", "ben"):
        ((line),) = memory.operations.audit_log(user)
        assert (line.actor, line.action, line.amount) == ("key1", "load", 1)


def test_a_wrong_row_is_named_and_nothing_of_its_batch_is_stored(open_memory: OpenMemory) -> None:
    memory = open_memory(**_WORDS_ONLY)
    with pytest.raises(InvalidMemory):
        memory.load([("anna", "Owns a kayak"), ("ben", {"content": "Owns a lamp", "importance": 7})])
    assert memory.user("anna").count() == 0


def test_imported_rows_that_were_forgotten_stay_away(open_memory: OpenMemory) -> None:
    memory = open_memory(**_WORDS_ONLY)
    row = NewMemory("The key is under the pot", occurred_at=datetime(2026, 1, 1, tzinfo=UTC))
    memory.load([("anna", row), ("ben", row)])
    memory.user("anna").forget(query="key under the pot", all=True)
    loaded = memory.load([("anna", row), ("ben", row)], imported=True)
    assert loaded.actions == {"forgotten": 1, "duplicate": 1}
    assert memory.load([("anna", row)]).actions == {"created": 1}
