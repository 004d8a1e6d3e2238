"""The queue of messages that wait to be read: claimed in order, by one worker a user, on both stores."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from recollect import Memory
from recollect.model.memories import Scope
from recollect.model.stats import UnreadMessages
from recollect.storage.base import ReadJob, Store

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
LEASE = NOW + timedelta(minutes=5)
ANNA, BOB = Scope("anna"), Scope("bob")


@pytest.fixture
def store(memory: Memory) -> Store:
    return memory._engine.store


def say(memory: Memory, scope: Scope, *texts: str) -> list[str]:
    """Save messages and owe them a reading; gives their ids."""
    conversation = memory.user(scope.user_id).conversation("c1")
    ids = [conversation.append("user", text).id or "" for text in texts]
    memory._engine.store.write(scope, lambda writer: writer.owe_readings(ids, NOW))
    return ids


def claimed(store: Store, limit: int = 10, now: datetime = NOW, scope: Scope | None = None) -> list[str]:
    return [job.message.content for job in claim(store, limit, now, scope)]


def claim(store: Store, limit: int = 10, now: datetime = NOW, scope: Scope | None = None) -> list[ReadJob]:
    return [*store.claim_readings(limit, now=now, lease_until=now + timedelta(minutes=5), scope=scope)]


def test_messages_are_claimed_in_the_order_in_which_they_came(memory: Memory, store: Store) -> None:
    say(memory, ANNA, "one", "two")
    say(memory, BOB, "three")
    say(memory, ANNA, "four")
    jobs = claim(store)
    assert [(job.scope, job.message.content, job.attempts) for job in jobs] == [
        (ANNA, "one", 0),
        (ANNA, "two", 0),
        (BOB, "three", 0),
        (ANNA, "four", 0),
    ]
    assert jobs[0].message == memory.user("anna").conversation("c1").messages()[0]
    assert claim(store) == []


def test_one_worker_at_a_time_reads_a_user(memory: Memory, store: Store) -> None:
    say(memory, ANNA, "one", "two", "three")
    say(memory, BOB, "four")
    assert claimed(store, 2, scope=ANNA) == ["one", "two"], "a worker may ask for one user"
    assert claimed(store) == ["four"]
    assert claimed(store) == []
    assert claimed(store, now=LEASE - timedelta(microseconds=1)) == []
    assert claimed(store, now=LEASE) == ["one", "two", "three", "four"]


def test_many_workers_at_once_share_the_users_among_them(memory: Memory, store: Store) -> None:
    users = [Scope(f"user {number}") for number in range(6)]
    for scope in users:
        say(memory, scope, "one", "two", "three")
    with ThreadPoolExecutor(6) as workers:
        claims = [*workers.map(lambda _: claim(store, 2), range(12))]
    assert sorted([job.message.content for job in jobs] for jobs in claims) == [[]] * 6 + [["one", "two"]] * 6
    assert {job.scope for jobs in claims for job in jobs} == {*users}


def test_a_message_that_failed_keeps_the_later_ones_of_its_user_waiting(memory: Memory, store: Store) -> None:
    say(memory, ANNA, "one", "two")
    say(memory, BOB, "three")
    first, second, _ = claim(store)
    store.postpone_readings([first], "It is odd.", NOW + timedelta(minutes=2), to_blame=True)
    store.postpone_readings([second], "", NOW, to_blame=False)
    assert claimed(store) == []
    assert [(job.message.content, job.attempts) for job in claim(store, now=NOW + timedelta(minutes=2))] == [
        ("one", 1),
        ("two", 0),
    ]


def test_a_message_that_was_given_up_on_holds_nothing_up(memory: Memory, store: Store) -> None:
    say(memory, ANNA, "one", "two")
    jobs = claim(store)
    assert store.unread() == UnreadMessages(2, 0, NOW)
    store.postpone_readings(jobs[:1], "It is odd.", None, to_blame=True)
    store.postpone_readings(jobs[1:], "", NOW, to_blame=False)
    assert store.unread() == UnreadMessages(1, 1, NOW, "It is odd.")
    assert claimed(store) == ["two"]
    assert [problem.check for problem in memory.doctor()] == ["messages_given_up_on"]
    assert store.revive_parked(LEASE) == 1
    assert [(job.message.content, job.attempts) for job in claim(store, now=LEASE)] == [("one", 0), ("two", 0)]
    assert memory.doctor() == ()


def test_a_message_is_owed_one_reading_and_finished_once(memory: Memory, store: Store) -> None:
    ids = say(memory, ANNA, "one", "two")
    assert store.write(BOB, lambda writer: writer.finish_readings(ids)) == []
    assert store.write(ANNA, lambda writer: writer.finish_readings(ids[:1])) == ids[:1]
    assert store.write(ANNA, lambda writer: writer.finish_readings(ids)) == ids[1:]
    assert store.unread() == UnreadMessages()

    # a message is owed one reading
    ids = say(memory, ANNA, "three")
    (job,) = claim(store)
    store.postpone_readings([job], "It is odd.", None, to_blame=True)
    store.write(ANNA, lambda writer: writer.owe_readings(ids, LEASE))
    assert store.unread() == UnreadMessages(0, 1, None, "It is odd.")

    # jobs of other kinds are left alone
    ids = say(memory, BOB, "four")
    with_vector = memory.stats().pending_jobs
    claim(store)
    store.write(ANNA, lambda writer: writer.finish_readings(ids))
    assert memory.stats().pending_jobs == with_vector
    assert store.geocoding_counts() == (0, 0)


def test_what_was_learned_or_forgotten_meanwhile_is_not_claimed(memory: Memory, store: Store) -> None:
    ids = say(memory, ANNA, "one", "two")
    store.write(ANNA, lambda writer: writer.mark_learned(ids[:1]))
    assert claimed(store) == ["two"]
    assert store.unread().waiting == 1
    store.write(ANNA, lambda writer: writer.finish_readings(ids))

    ids = say(memory, ANNA, "one", "two")
    say(memory, BOB, "three")
    memory.user("anna").forget(ids[0])
    assert store.unread().waiting == 2
    memory.user("anna").forget(everything=True)
    assert store.unread().waiting == 1
    assert claimed(store) == ["three"]
    assert memory.doctor() == ()
