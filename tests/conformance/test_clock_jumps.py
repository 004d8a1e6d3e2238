"""A clock that was ahead and goes back: no job waits for the time that was, and no key is open until then."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from recollect import Memory
from recollect.engine.maintenance import maintain
from recollect.errors import StoreUnavailable, UnknownKey
from tests.fixtures import OpenMemory, SteppingClock
from tests.reliability.figures import figure


def test_jobs_of_a_time_that_was_not_yet(open_memory: OpenMemory, clock: SteppingClock) -> None:
    me = open_memory(embedding__provider="none").user("me")
    for text in ("The pump is in the attic", "The ladder is in the shed", "The rope is in the car"):
        me.remember(text)
    memory = open_memory()
    store, space = memory._engine.store, memory._engine.space
    assert space is not None
    clock.advance(days=400)
    maintain.learn_space(memory._engine)
    now = clock.now()
    leased = store.claim_jobs(space, 1, now=now, lease_until=now + timedelta(minutes=5))
    assert len(leased) == 1
    clock.advance(days=-400)
    assert memory.embed_waiting(thorough=False).embedded == 3
    assert memory.doctor() == ()
    figure(14, "jobs", jumps=2, left_waiting=0)


def test_a_lease_that_another_worker_holds_is_respected(open_memory: OpenMemory, clock: SteppingClock) -> None:
    open_memory(embedding__provider="none").user("me").remember("The pump is in the attic")
    memory = open_memory()
    store, space = memory._engine.store, memory._engine.space
    assert space is not None
    maintain.learn_space(memory._engine)
    now = clock.now()
    store.claim_jobs(space, 1, now=now, lease_until=now + timedelta(days=1))
    assert memory.embed_waiting(thorough=False).embedded == 0


def test_a_key_of_a_time_that_was_not_yet(memory: Memory, clock: SteppingClock) -> None:
    clock.advance(days=400)
    brief = memory.keys.create(user="anna", expires_at=clock.now() + timedelta(hours=1))
    lasting = memory.keys.create(user="anna")
    memory.keys.identify(brief.secret)
    clock.advance(minutes=-2)  # clocks of several machines differ a little
    memory.keys.identify(brief.secret)
    clock.advance(days=-400)
    with pytest.raises(UnknownKey):
        memory.keys.identify(brief.secret)
    memory.keys.identify(lasting.secret)
    figure(14, "keys", jumps=3, left_open=0)


def _by_use(memory: Memory, secret: str) -> None:
    with pytest.raises(UnknownKey):
        memory.keys.identify(secret)


def _by_its_id(memory: Memory, secret: str) -> None:
    assert not memory.keys.is_live(secret.split("_")[1])


def _by_a_worker(memory: Memory, _: str) -> None:
    memory.embed_waiting(thorough=False)


def _by_another_key(memory: Memory, _: str) -> None:
    memory.keys.identify(memory.keys.create(user="bob").secret)


@pytest.mark.parametrize("notice", [_by_use, _by_its_id, _by_a_worker, _by_another_key])
def test_an_expired_key_stays_closed_when_the_clock_goes_back(
    notice: Callable[[Memory, str], None], open_memory: OpenMemory, clock: SteppingClock
) -> None:
    memory = open_memory()
    made = memory.keys.create(user="anna", expires_at=clock.now() + timedelta(hours=2))
    lasting = memory.keys.create(user="anna", expires_at=clock.now() + timedelta(days=9))
    clock.advance(hours=1)
    memory.keys.identify(made.secret)
    clock.advance(hours=1)
    notice(memory, made.secret)
    clock.advance(hours=-1)
    for again in (memory, open_memory()):  # a process that knew it before, and one that did not
        with pytest.raises(UnknownKey):
            again.keys.identify(made.secret)
        assert not again.keys.is_live(made.key.id)
        again.keys.identify(lasting.secret)
    key = next(key for key in memory.keys.list() if key.id == made.key.id)
    assert key.closed_by_expiry
    figure(14, "expired keys", jumps=2, left_open=0)


def test_a_key_that_is_revoked_in_time_is_not_called_expired(memory: Memory, clock: SteppingClock) -> None:
    made = memory.keys.create(user="anna", expires_at=clock.now() + timedelta(hours=1))
    revoked = memory.keys.revoke(made.key.id)
    clock.advance(hours=2)
    assert revoked.revoked_at is not None
    assert not revoked.closed_by_expiry


def test_an_expired_key_stays_closed_in_a_store_that_cannot_be_written(
    memory: Memory, clock: SteppingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = memory.keys.create(user="anna", expires_at=clock.now() + timedelta(hours=1))

    def refuse(_: object) -> None:
        raise StoreUnavailable("Another thread is writing.")

    monkeypatch.setattr(memory._engine.store, "close_expired_keys", refuse)
    clock.advance(hours=1)
    with pytest.raises(UnknownKey):
        memory.keys.identify(made.secret)
    clock.advance(minutes=-30)
    with pytest.raises(UnknownKey):
        memory.keys.identify(made.secret)
