"""A clock that was ahead and goes back: no job waits for the time that was, and no key is open until then."""

from datetime import timedelta

import pytest

from recollect import Memory
from recollect.engine.maintenance import worker_pass
from recollect.errors import UnknownKey
from tests.conftest import OpenMemory, SteppingClock
from tests.reliability.figures import figure


def test_jobs_of_a_time_that_was_not_yet(open_memory: OpenMemory, clock: SteppingClock) -> None:
    me = open_memory(embedding__provider="none").user("me")
    for text in ("The pump is in the attic", "The ladder is in the shed", "The rope is in the car"):
        me.remember(text)
    memory = open_memory()
    store, space = memory._engine.store, memory._engine.space
    assert space is not None
    clock.advance(days=400)
    worker_pass.learn_space(memory._engine)
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
    worker_pass.learn_space(memory._engine)
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
