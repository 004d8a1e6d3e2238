"""What is stored is there at once, and gets its vector once: by whom, when, and what stands in the way."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Final

import pytest

from recollect import Memory
from recollect.engine.drafts import memory_drafts
from recollect.model.memories import NewMemory, Scope
from recollect.storage.base import StoreWriter
from tests.embedding_service.looking import (
    KEY,
    assert_all_is_well,
    assert_right_vectors,
    found_by_words,
    jobs,
    paid_for,
)
from tests.fixtures import OpenMemory, SteppingClock
from tests.providers.server import POISON, ProviderServer
from tests.sizes import sized
from tests.waiting import PATIENCE_S, eventually

TEXTS = ("The ladder stands behind the shed", "Grandmother was born in Olomouc", "Coffee is bought on Thursdays")

LEASED: Final = {"embedding__lease_s": 60}


def warmed_up(memory: Memory) -> None:
    """Let a worker do what it does only once for a store, so that the next request is one for the texts of a test."""
    memory.user("someone").remember("A first text")
    assert memory.embed_waiting().embedded == 1


def test_a_stored_text_is_found_by_its_words_before_the_provider_is_called(
    open_service: OpenMemory, provider: ProviderServer, database: str
) -> None:
    memory = open_service()
    me = memory.user("me")
    stored = me.remember_many(TEXTS)
    assert [one.degraded for one in stored] == [()] * 3
    assert provider.requests == []
    assert jobs(database) == sorted((one.id, 0) for one in stored)
    assert all(found_by_words(me, text) for text in TEXTS)
    assert memory.embed_waiting().embedded == 3
    assert jobs(database) == []
    assert_all_is_well(memory, "me", TEXTS)


@pytest.mark.on_both_stores
def test_a_row_and_its_job_come_together_or_not_at_all(open_service: OpenMemory, database: str) -> None:
    memory = open_service()
    engine, space = memory._engine, memory.status().space
    drafts = memory_drafts.draft_memories([NewMemory(text) for text in TEXTS], engine.clock.now())

    def work(writer: StoreWriter) -> None:
        writer.insert(drafts, space)
        raise LookupError("the power fails here")

    with pytest.raises(LookupError):
        engine.store.write(Scope("me"), work)
    assert (memory.stats().memories, jobs(database)) == (0, [])
    engine.store.write(Scope("me"), lambda writer: writer.insert(drafts, space))
    assert (memory.stats().memories, len(jobs(database))) == (3, 3)


def test_who_waits_gets_the_vector_at_once(open_service: OpenMemory, provider: ProviderServer, database: str) -> None:
    memory = open_service()
    me = memory.user("me")
    assert me.remember(TEXTS[0], wait=True).degraded == ()
    assert (provider.texts, jobs(database)) == ([TEXTS[0]], [])
    me.remember_many(TEXTS[1:], wait=True)
    assert (provider.texts, jobs(database)) == ([*TEXTS], [])
    assert_all_is_well(memory, "me", TEXTS)


def test_the_settings_decide_for_those_who_do_not_say(open_service: OpenMemory, provider: ProviderServer) -> None:
    open_service(embedding__wait="always").user("me").remember(TEXTS[0])
    open_service(embedding__wait="never").user("me").remember(TEXTS[1])
    open_service().user("me").remember(TEXTS[2])
    assert provider.texts == [TEXTS[0]]


def test_even_the_local_encoder_need_not_be_waited_for(open_memory: OpenMemory, database: str) -> None:
    memory = open_memory()
    me = memory.user("me")
    waiting = me.remember(TEXTS[0], wait=False)
    me.remember(TEXTS[1])
    assert jobs(database) == [(waiting.id, 0)]
    assert found_by_words(me, TEXTS[0])
    assert memory.embed_waiting().embedded == 1
    assert me.recall("climbing up to the roof").hits[0].id == waiting.id


@pytest.mark.on_both_stores
def test_two_workers_never_pay_twice(open_service: OpenMemory, provider: ProviderServer) -> None:
    texts = [
        f"Parcel {number} lies in room {number % 7}" for number in range(sized(300, 1_500))
    ]  # of 256 at a time at most
    first, second = (open_service(embedding__timeout_s=PATIENCE_S) for _ in range(2))
    first.user("me").remember_many(texts)
    provider.at_once = 2
    with ThreadPoolExecutor(2) as pool:
        worked = [future.result() for future in [pool.submit(one.embed_waiting) for one in (first, second)]]
    assert sum(one.embedded for one in worked) == len(texts)
    assert paid_for(provider, texts) == Counter(texts)
    assert provider.activity.most_at_once >= 2
    assert_all_is_well(first, "me", texts)


def test_when_a_lease_ends_another_takes_over(
    open_service: OpenMemory, provider: ProviderServer, clock: SteppingClock
) -> None:
    lost, other = open_service(**LEASED, embedding__concurrency=1), open_service(**LEASED)
    warmed_up(lost)
    provider.requests.clear()
    lost.user("me").remember_many(TEXTS)
    with ThreadPoolExecutor(1) as pool:
        with provider.misbehaving("hang", times=1):
            hanging = pool.submit(lost.embed_waiting)
            assert eventually(lambda: len(provider.requests) == 1)
            assert other.embed_waiting().embedded == 0
            clock.advance(seconds=61)
            assert other.embed_waiting().embedded == 3
        worked = hanging.result()
    assert (worked.embedded, worked.parked) == (0, 0)
    assert_all_is_well(other, "me", TEXTS)


@pytest.mark.on_both_stores
def test_a_refused_text_is_parked_and_does_not_hold_up_others(
    open_service: OpenMemory, provider: ProviderServer, database: str
) -> None:
    texts = [f"Parcel {number} lies in room {number % 7}" for number in range(200)]
    bad = f"Parcel {POISON} must not be opened"
    memory = open_service(embedding__concurrency=1)
    me = memory.user("me")
    stored = me.remember_many([*texts[:77], bad, *texts[77:]])
    worked = memory.embed_waiting()
    assert (worked.embedded, worked.parked, worked.unavailable) == (200, 1, "")
    assert len(provider.requests) < 30, "a batch is halved, not taken apart text by text"
    (parked,) = memory.status().parked
    assert (parked.user_id, parked.source, parked.id, parked.attempts) == ("me", "memory", stored[77].id, 1)
    assert "invalid content" in parked.reason
    assert jobs(database) == [(stored[77].id, 1)]
    assert found_by_words(me, bad)
    assert_right_vectors(memory, "me", texts)
    asked = len(provider.requests)
    assert memory.embed_waiting().parked == 0
    assert len(provider.requests) == asked, "a parked text is not retried"


def test_several_refused_texts_are_all_found(open_service: OpenMemory, provider: ProviderServer) -> None:
    texts = [f"Parcel {number} lies in room {number % 7}" for number in range(64)]
    bad = [f"{POISON} number {number}" for number in range(3)]
    memory = open_service()
    memory.user("me").remember_many(chain(bad[:1], texts[:20], bad[1:2], texts[20:], bad[2:]))
    worked = memory.embed_waiting()
    assert (worked.embedded, worked.parked) == (64, 3)
    assert_right_vectors(memory, "me", texts)


@pytest.mark.on_both_stores
def test_what_was_parked_is_tried_again_when_asked(open_service: OpenMemory, provider: ProviderServer) -> None:
    memory = open_service()
    texts = (*TEXTS, f"A {POISON} text")
    memory.user("me").remember_many(texts)
    assert memory.embed_waiting().parked == 1
    assert memory.retry_parked() == 1
    assert memory.embed_waiting().parked == 1
    provider.poison = "something else"
    assert memory.embed_waiting().embedded == 0
    assert memory.retry_parked() == 1
    assert memory.embed_waiting().embedded == 1
    assert memory.retry_parked() == 0
    assert_all_is_well(memory, "me", texts)


def test_what_was_parked_goes_when_it_is_forgotten(open_service: OpenMemory, database: str) -> None:
    memory = open_service()
    me = memory.user("me")
    stored = me.remember_many([*TEXTS, f"A {POISON} text"])
    memory.embed_waiting()
    assert [one.id for one in memory.status().parked] == [stored[3].id]
    assert me.forget(stored[3].id).action == "deleted"
    assert (memory.status().parked, jobs(database)) == ((), [])
    assert_all_is_well(memory, "me", TEXTS)


@pytest.mark.on_both_stores
def test_what_waits_goes_when_it_is_forgotten(
    open_service: OpenMemory, provider: ProviderServer, database: str
) -> None:
    memory = open_service()
    me = memory.user("me")
    stored = me.remember_many(TEXTS)
    me.forget(stored[1].id)
    assert sorted(jobs(database)) == sorted([(stored[0].id, 0), (stored[2].id, 0)])
    assert memory.embed_waiting().embedded == 2
    assert paid_for(provider, TEXTS) == Counter([TEXTS[0], TEXTS[2]])


def test_jobs_follow_the_texts_they_were_made_for(
    open_service: OpenMemory, provider: ProviderServer, database: str
) -> None:
    memory = open_service()
    me = memory.user("me")
    stored = me.remember(TEXTS[0])
    me.update(stored.id, content=TEXTS[1])
    me.update(stored.id, importance=0.9)
    versions = me.history(stored.id)
    assert [one.content for one in versions] == [TEXTS[0], TEXTS[1], TEXTS[1]]
    assert jobs(database) == sorted((one.id, 0) for one in versions)
    assert memory.embed_waiting().embedded == 3
    assert paid_for(provider, TEXTS) == Counter(TEXTS[:2])
    assert me.stats().with_vector == 3
    assert_all_is_well(memory, "me", TEXTS[1:2])


def test_an_update_while_a_worker_has_the_text(
    open_service: OpenMemory, provider: ProviderServer, clock: SteppingClock
) -> None:
    lost, other = open_service(**LEASED, embedding__concurrency=1), open_service(**LEASED)
    warmed_up(lost)
    provider.requests.clear()
    me = other.user("me")
    stored = me.remember(TEXTS[0])
    with ThreadPoolExecutor(1) as pool:
        with provider.misbehaving("hang", times=1):
            hanging = pool.submit(lost.embed_waiting)
            assert eventually(lambda: len(provider.requests) == 1)
            me.update(stored.id, content=TEXTS[1])
            assert other.embed_waiting().embedded == 1
            assert_right_vectors(other, "me", TEXTS[1:2])
        hanging.result()
    clock.advance(seconds=61)
    other.embed_waiting()
    assert me.stats().with_vector == 2
    assert_all_is_well(other, "me", TEXTS[1:2])


def test_vectors_are_stored_without_waiting_when_their_length_is_not_known(
    open_service: OpenMemory, provider: ProviderServer
) -> None:
    unknown = {
        "embedding__provider": "openai-compatible",
        "embedding__endpoint": provider.url("openai-compatible"),
        "embedding__model": "some-model",
        "embedding__dimensions": None,
    }
    memory = open_service(**unknown)
    me = memory.user("me")
    assert [one.degraded for one in me.remember_many(TEXTS)] == [()] * 3
    assert (memory.status().space, provider.requests) == (None, [])
    answer = me.recall("ladder")
    assert ([hit.content for hit in answer.hits], answer.degraded) == ([TEXTS[0]], ("vector",))
    assert memory.embed_waiting().embedded == 3
    assert_all_is_well(memory, "me", TEXTS)
    provider.requests.clear()
    again = open_service(**unknown)
    space = again.status().space
    assert (space and space.dimensions, provider.requests) == (96, [])
    assert again.user("me").recall("something about Olomouc").degraded == ()


def test_who_waits_also_waits_to_learn_the_length(open_service: OpenMemory, provider: ProviderServer) -> None:
    memory = open_service(
        embedding__provider="openai-compatible",
        embedding__endpoint=provider.url("openai-compatible"),
        embedding__model="some-model",
        embedding__dimensions=None,
    )
    me = memory.user("me")
    provider.fault = "error_500"
    assert me.remember(TEXTS[0], wait=True).degraded == ("vector",)
    provider.fault = None
    assert [one.degraded for one in me.remember_many(TEXTS[1:], wait=True)] == [(), ()]
    assert_right_vectors(memory, "me", TEXTS[1:])
    assert memory.embed_waiting().embedded == 1
    assert_all_is_well(memory, "me", TEXTS)


def test_a_length_that_cannot_be_asked_for_changes_nothing(open_service: OpenMemory, provider: ProviderServer) -> None:
    memory = open_service(
        embedding__provider="openai-compatible",
        embedding__endpoint=provider.url("openai-compatible"),
        embedding__model="some-model",
        embedding__dimensions=None,
    )
    memory.user("me").remember_many(TEXTS)
    for fault in ("error_500", "nan", "zeros", "fewer", "html"):
        provider.fault = fault
        worked = memory.embed_waiting()
        assert (worked.embedded, bool(worked.unavailable)) == (0, True)
        assert memory.status().space is None
    provider.fault = None
    assert memory.embed_waiting().embedded == 3
    assert_all_is_well(memory, "me", TEXTS)


def test_what_was_stored_without_vectors_gets_them_when_there_is_a_provider(
    open_service: OpenMemory, provider: ProviderServer
) -> None:
    without = open_service(embedding__provider="none")
    without.user("me").remember_many(TEXTS)
    assert without.user("me").recall("ladder").degraded == ()
    assert without.maintain().embedded == 0
    memory = open_service()
    assert memory.maintain().embedded == 3
    assert_all_is_well(memory, "me", TEXTS)


def test_the_model_of_the_store_counts_not_that_of_the_settings(
    open_service: OpenMemory, provider: ProviderServer
) -> None:
    open_service().user("me").remember_many(TEXTS[:2], wait=True)
    memory = open_service(embedding__model="text-embedding-3-large")
    me = memory.user("me")
    me.remember(TEXTS[2], wait=True)
    assert me.recall("ladder").degraded == ()
    assert {request.body["model"] for request in provider.requests} == {"text-embedding-3-small"}
    assert_all_is_well(memory, "me", TEXTS)
    (advice,) = [one for one in memory.status().advice if "settings name" in one]
    assert "openai/text-embedding-3-large" in advice
    assert "openai/text-embedding-3-small" in advice
    assert "recollect reembed" in advice


def test_a_change_of_the_model_does_not_wait_for_the_provider_that_is_left(
    open_service: OpenMemory, provider: ProviderServer
) -> None:
    memory: Memory = open_service(
        embedding__compatible_endpoint=provider.url("openai-compatible"), embedding__compatible_api_key=KEY
    )
    me = memory.user("me")
    me.remember_many(TEXTS[:2], wait=True)
    provider.faulty_path = "/openai/v1/embeddings"
    provider.fault = "error_500"
    me.remember(TEXTS[2])
    assert memory.models.reembed("openai-compatible", "some-model", wait=False).state == "building"
    memory.embed_waiting()
    assert memory.status().embedding == "openai-compatible/some-model"
    assert_all_is_well(memory, "me", TEXTS)
