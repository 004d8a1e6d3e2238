"""`Memory.load`: one stream with memories of any users, under the rules that hold for each of them."""

import dataclasses
import random
from datetime import UTC, datetime, timedelta

import pytest

from recollect import Memory, NewMemory
from recollect.api.memory import AuditedWrite
from recollect.engine.memories.remember import remember
from recollect.errors import InvalidMemory
from recollect.model.memories import MemoryRecord, Scope
from recollect.storage.base import StoreReader
from tests.fixtures import OpenMemory, SteppingClock
from tests.sizes import sized

_WORDS_ONLY = {"embedding__provider": "none"}


def _texts(memory: Memory, user: str) -> set[str]:
    return {record.content for record in memory.user(user).list().items}


def test_rows_of_many_users_are_stored_in_one_stream(open_memory: OpenMemory) -> None:
    memory = open_memory(**_WORDS_ONLY)
    memory.user("anna").remember("Owns a kayak")
    rows = [(f"user{number % 30}", f"Letter {number} went to box {number}") for number in range(300)]
    loaded = memory.load([("anna", "Owns a kayak"), *rows, ("anna", {"content": "Owns a lamp", "type": "fact"})])
    assert loaded._replace(actions=dict(loaded.actions)) == (302, 31, {"created": 301, "duplicate": 1}, {}, ())
    assert _texts(memory, "anna") == {"Owns a kayak", "Owns a lamp"}
    for user in range(30):
        assert _texts(memory, f"user{user}") == {text for owner, text in rows if owner == f"user{user}"}
    assert [hit.content for hit in memory.user("user7").recall("letter 37").hits][:1] == ["Letter 37 went to box 37"]
    assert memory.load(rows).actions == {"duplicate": 300}
    assert memory.doctor() == ()


def test_a_row_is_stored_as_it_is_audited_and_under_the_rules(open_memory: OpenMemory) -> None:
    # each row keeps its own metadata
    memory = open_memory(**_WORDS_ONLY)
    given: list[dict[str, object]] = [{"seen": True}, {"seen": 1}, {"seen": 1.0}]  # all the same to Python
    rows = [NewMemory(f"Shelf {number}", metadata=metadata) for number, metadata in enumerate(given)]
    memory.load([("anna", row) for row in rows])
    kept = {record.content: record.metadata for record in memory.user("anna").list().items}
    assert [repr(kept[row.content]) for row in rows] == [repr(row.metadata) for row in rows]

    # each user has a line in the audit log
    memory.load([("carl", "Owns a kayak"), ("dora", "Owns a lamp")], audit=AuditedWrite("key1", "load"))
    for user in ("carl", "dora"):
        ((line),) = memory.operations.audit_log(user)
        assert (line.actor, line.action, line.amount) == ("key1", "load", 1)

    # of a batch with a wrong row nothing is stored
    with pytest.raises(InvalidMemory):
        memory.load([("eve", "Owns a kayak"), ("ben", {"content": "Owns a lamp", "importance": 7})])
    assert memory.user("eve").count() == 0


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


def test_imported_rows_that_were_forgotten_stay_away(open_memory: OpenMemory) -> None:
    memory = open_memory(**_WORDS_ONLY)
    row = NewMemory("The key is under the pot", occurred_at=datetime(2026, 1, 1, tzinfo=UTC))
    memory.load([("anna", row), ("ben", row)])
    memory.user("anna").forget(query="key under the pot", all=True)
    loaded = memory.load([("anna", row), ("ben", row)], imported=True)
    assert loaded.actions == {"forgotten": 1, "duplicate": 1}
    assert memory.load([("anna", row)]).actions == {"created": 1}


def _offers(dice: random.Random, now: datetime, amount: int) -> list[NewMemory]:
    """Make memories of few slots and few values, so that they repeat, replace, outrank and outlive each other."""
    offers = []
    for _ in range(amount):
        value = dice.choice(["red", "blue", "Blue", "green"])
        offers.append(
            NewMemory(
                f"The lamp is {value}{dice.choice(['', '.', ', and shines at night'])}",
                type=dice.choice(["fact", "fact", "preference", "event", "other"]),
                subject=dice.choice(["lamp", "door"]),
                key=dice.choice(["", "colour", "colour", "shade"]),
                value=dice.choice([value, ""]),
                context=dice.choice(["", "", "work"]),
                source=dice.choice(["user_stated", "user_stated", "inferred", "tool:shop"]),
                confidence=dice.choice([0.5, 1.0]),
                valid_until=dice.choice([None, None, now + timedelta(hours=1)]),
                expires_at=dice.choice([None, None, None, now + timedelta(hours=1)]),
                address=dice.choice(["", "", "", "Main Street 1"]),
                metadata=dice.choice([{}, {"seen": 1}]),
            )
        )
        if offers[-1].key and offers[-1].type != "event" and dice.random() < 0.1:
            offers[-1] = dataclasses.replace(offers[-1], many=True)
    return sorted(offers, key=lambda offer: bool(offer.key and offer.type != "event"))  # those without a slot go first


def _rows_and_changes(memory: Memory, user: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Give all rows of a user and the order of changes; instead of its id each row has what it says.

    Where a repetition adds to a memory its version has an id of its own, which comes later in a batch.
    """

    def read(reader: StoreReader) -> tuple[list[str], list[tuple[str, str]]]:
        rows = {record.id: record for record in reader.get(reader.everything())}

        def said(row: MemoryRecord) -> str:
            successor = rows.get(row.superseded_by or "")
            return f"{row._replace(id='', superseded_by=None)} < {successor and said(successor)}"

        slotted = {one: said(row) for one, row in rows.items() if row.key and row.type != "event"}
        changes = [*reader.changes(0, 10_000)]
        assert [change.number for change in changes] == list(range(1, len(changes) + 1))
        # What has no slot is stored at once, and what the index refused of it later.
        return sorted(map(said, rows.values())), sorted(
            (change.what, slotted.get(change.id, "any")) for change in changes
        )

    return memory._engine.store.read(Scope(user), read)


def test_a_batch_gives_the_same_rows_as_one_by_one(
    open_memory: OpenMemory, clock: SteppingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory(**_WORDS_ONLY)
    monkeypatch.setattr(clock, "now", lambda: clock.moment)
    actions: set[str] = set()
    for seed in range(sized(2, 6)):
        dice = random.Random(seed)
        single, batch, load = (memory.user(f"{name} {seed}") for name in ("single", "batch", "load"))
        for amount in (sized(24, 60), 5, sized(16, 30)):
            offers = _offers(dice, clock.moment, amount)
            expected = [remember(memory._engine, Scope(single.user_id), offer).action for offer in offers]
            assert [result.action for result in batch.remember_many(offers)] == expected, seed
            memory.load([(load.user_id, offer) for offer in offers])
            actions.update(expected)
            for user in (batch, load):
                rows = _rows_and_changes(memory, user.user_id)
                assert rows == _rows_and_changes(memory, single.user_id), (seed, user.user_id)
            assert len({str(user.stats()) for user in (single, batch, load)}) == 1
            for user in (single, batch, load):
                user.forget(query="lamp red", all=True)
            clock.advance(hours=2)
    assert actions == {"created", "duplicate", "superseded", "outranked"}
    assert memory.doctor() == ()
