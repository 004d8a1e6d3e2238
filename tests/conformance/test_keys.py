"""Keys: made, recognised, revoked, and never in the way; on both stores."""

from contextlib import closing
from datetime import timedelta
from threading import Thread
from typing import Any

import apsw
import pytest

from recollect import Memory, NotFound
from recollect.authorization import Principal
from recollect.engine.base import embedders
from recollect.errors import InvalidInput, UnknownKey
from tests.fixtures import OpenMemory, SteppingClock
from tests.waiting import PATIENCE_S


def stored_ids(memory: Memory) -> set[str]:
    rows = memory._engine.store.keys()
    return {key.id for key in rows}


def test_a_key_is_known_by_its_secret_alone(memory: Memory, clock: SteppingClock) -> None:
    made = memory.keys.create("laptop", user="anna", scopes=("read",))
    assert memory.keys.identify(made.secret) == Principal(made.key.id, "anna", frozenset({"read"}))
    for wrong in (made.secret[:-1], f"{made.secret}x", made.secret.upper(), "", "rk__", made.key.id):
        with pytest.raises(UnknownKey):
            memory.keys.identify(wrong)

    # its use is noted once a minute
    (first,) = memory.keys.list()
    assert first.last_used_at is not None
    clock.advance(seconds=30)
    memory.keys.identify(made.secret)
    assert memory.keys.list() == (first,)
    clock.advance(seconds=31)
    memory.keys.identify(made.secret)
    (later,) = memory.keys.list()
    assert later.last_used_at is not None
    assert later.last_used_at > first.last_used_at


def test_expiry_and_revocation_hold_at_once(memory: Memory, clock: SteppingClock) -> None:
    brief = memory.keys.create(user="anna", expires_at=clock.now() + timedelta(hours=1))
    lasting = memory.keys.create(user="anna")
    memory.keys.identify(brief.secret)
    clock.advance(hours=2)
    with pytest.raises(UnknownKey):
        memory.keys.identify(brief.secret)
    memory.keys.revoke(lasting.key.id)
    memory.keys.revoke(lasting.key.id)
    with pytest.raises(UnknownKey):
        memory.keys.identify(lasting.secret)
    with pytest.raises(NotFound):
        memory.keys.revoke("0123456789abcdef")
    assert [line.action for line in memory.operations.audit_log()] == ["keys.create", "keys.create", "keys.revoke"]


def test_maintenance_removes_links_and_sessions_that_have_ended(memory: Memory, clock: SteppingClock) -> None:
    key = memory.keys.create(user="anna")
    revoked = memory.keys.create(user="anna")
    memory.keys.revoke(revoked.key.id)
    used, unused = (memory.keys.create_link(user="anna") for _ in range(2))
    ended = [memory.keys.open_session(used.secret), memory.keys.open_session(key.secret)]
    clock.advance(hours=13)
    live = memory.keys.open_session(key.secret)
    listed = [key.key.id, revoked.key.id, live.key.id]
    assert [known.id for known in memory.keys.list()] == listed
    assert stored_ids(memory) == {*listed, used.key.id, unused.key.id, *(session.key.id for session in ended)}
    memory.maintain()
    assert stored_ids(memory) == {*listed}
    assert memory.keys.identify_session(live.secret).user_id == "anna"
    with pytest.raises(UnknownKey):
        memory.keys.identify_session(ended[0].secret)


def test_what_cannot_be_a_key(memory: Memory, clock: SteppingClock, subtests: pytest.Subtests) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"scopes": ("read",)}, "belongs to a user"),
        ({"user": "anna", "scopes": ("admin",)}, "for every user"),
        ({"user": "anna", "scopes": ("fly",)}, "Unknown scope: fly"),
        ({"user": "anna", "scopes": ()}, "opens nothing"),
        ({"user": "anna", "expires_at": clock.now() - timedelta(days=1)}, "expire"),
    ]
    for given, why in wrong:
        with subtests.test(given=given), pytest.raises(InvalidInput, match=why):
            memory.keys.create(**given)
    assert memory.keys.list() == ()


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_nobody_waits_for_a_writer_to_come_in(open_memory: OpenMemory, database: str) -> None:
    memory = open_memory(sqlite__busy_timeout_s=600)
    made = memory.keys.create(user="anna")
    with closing(apsw.Connection(database)) as other:
        other.execute("BEGIN IMMEDIATE")
        coming_in = Thread(target=memory.keys.identify, args=(made.secret,), daemon=True)
        coming_in.start()
        coming_in.join(PATIENCE_S)
        assert not coming_in.is_alive()
        other.execute("ROLLBACK")


def test_a_write_needs_one_connection(open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that asks for something else meanwhile waits for all writers that do the same."""
    monkeypatch.setattr(embedders, "_MAX_AGE_S", -1.0)  # whatever is known has to be looked up anew
    memory = open_memory(postgres__pool_size=1, postgres__connect_timeout_s=2)
    me = memory.user("me")
    me.remember("Likes rye bread")
    me.conversation("c1").append("user", "Hello")
    me.after_turn([{"role": "user", "content": "I moved to Brno."}], session="s1")
    assert me.before_prompt("Where do I live?", session="s1").degraded == ()
    assert me.conversation("c1").compact(keep_recent=0).action == "compacted"
    memory.embed_waiting()
    assert memory.user("me").stats().pending_jobs == 0
