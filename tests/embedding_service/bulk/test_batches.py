"""Large amounts through the batch APIs of OpenAI and Gemini, on both stores."""

import pytest

from recollect.text.passages import cut_passages
from tests.embedding_service.bulk.looking import TEXTS, Open, embedded, ordinary
from tests.fixtures import OpenMemory, SteppingClock
from tests.providers.batches import Plan
from tests.providers.server import ProviderServer


def test_a_batch_is_handed_in_and_collected(opened: Open, host: ProviderServer, clock: SteppingClock) -> None:
    memory = opened()
    memory.user("me").remember_many(TEXTS)
    handed_in = memory.embed_waiting()
    assert (handed_in.embedded, handed_in.in_bulk, embedded(memory)) == (0, 20, (0, 20, 0))
    (batch,) = memory.status().bulks
    assert (batch.state, batch.texts, batch.tokens > 0, bool(batch.provider_id)) == ("running", 20, True, True)
    assert memory.user("me").recall("lantern 3").hits, "it is found by its words meanwhile"
    clock.advance(minutes=1)
    assert memory.embed_waiting().embedded == 20
    assert (embedded(memory), ordinary(host)) == ((20, 0, 0), 1), "the one is the question"
    (batch,) = memory.status().bulks
    assert (batch.state, batch.done) == ("collected", 20)
    best = memory.user("me").recall(TEXTS[3]).hits[0]
    assert best.content == TEXTS[3]
    assert best.similarity is not None
    assert best.similarity > 0.5
    assert memory.doctor() == ()


def test_the_passages_of_a_long_text_travel_in_one_batch(
    opened: Open, host: ProviderServer, clock: SteppingClock
) -> None:
    memory = opened()
    long_text = " ".join(f"{' '.join([f'word{number}'] * 9)} end." for number in range(30))
    memory.user("me").remember_many([long_text, *TEXTS])
    memory.embed_waiting()
    (batch,) = memory.status().bulks
    assert batch.texts == len(TEXTS) + 1 + len(cut_passages(long_text)) > 24
    clock.advance(minutes=1)
    assert memory.embed_waiting().embedded == 21
    assert (embedded(memory), ordinary(host), memory.status().embedding_today.tokens > 0) == ((21, 0, 0), 0, True)
    assert memory.user("me").recall("word29").hits[0].content == long_text
    assert memory.doctor() == ()


def test_a_batch_is_polled_at_intervals(opened: Open, host: ProviderServer, clock: SteppingClock) -> None:
    host.batches.plan = Plan(polls=3)
    memory = opened()
    memory.user("me").remember_many(TEXTS)
    memory.embed_waiting()
    memory.embed_waiting()
    asked = len(host.requests)
    memory.embed_waiting()
    assert len(host.requests) == asked
    for _ in range(3):
        clock.advance(minutes=1)
        memory.embed_waiting()
    assert embedded(memory) == (20, 0, 0)


def test_another_process_goes_on(opened: Open, clock: SteppingClock) -> None:
    first = opened()
    first.user("me").remember_many(TEXTS)
    first.embed_waiting()
    first.close()
    clock.advance(minutes=1)
    assert opened().embed_waiting().embedded == 20


def test_what_a_batch_did_not_bring_is_done_in_the_ordinary_way(
    opened: Open, host: ProviderServer, clock: SteppingClock
) -> None:
    host.batches.plan = Plan(lost=3)
    memory = opened()
    memory.user("me").remember_many(TEXTS)
    memory.embed_waiting()
    clock.advance(minutes=1)
    memory = opened(embedding__bulk="off")
    memory.embed_waiting()
    assert (embedded(memory), ordinary(host)) == ((20, 0, 0), 3)


@pytest.mark.parametrize("ending", ["failed", "expired"])
def test_a_batch_that_ends_badly_loses_nothing(
    opened: Open, host: ProviderServer, clock: SteppingClock, ending: str
) -> None:
    host.batches.plan = Plan(ending=ending)  # type: ignore[arg-type]
    memory = opened()
    memory.user("me").remember_many(TEXTS)
    memory.embed_waiting()
    clock.advance(minutes=1)
    memory = opened(embedding__bulk="off")
    memory.embed_waiting()
    assert embedded(memory) == (20, 0, 0)
    (batch,) = memory.status().bulks
    assert (batch.state, bool(batch.reason)) == ("failed", True)
    assert memory.doctor() == ()


def test_a_text_that_is_refused_is_parked_with_the_reason(
    opened: Open, host: ProviderServer, clock: SteppingClock
) -> None:
    memory = opened()
    memory.user("me").remember_many([*TEXTS, f"A text with {host.poison} in it"])
    memory.embed_waiting()
    clock.advance(minutes=1)
    memory.embed_waiting()
    assert embedded(memory) == (20, 0, 1)
    (parked,) = memory.status().parked
    assert (parked.user_id, parked.source, bool(parked.reason)) == ("me", "memory", True)


def test_few_texts_do_not_wait_for_a_batch(opened: Open, host: ProviderServer) -> None:
    host.batches.plan = Plan(polls=3)
    memory = opened(embedding__bulk="auto", embedding__bulk_threshold=10)
    memory.user("me").remember_many(TEXTS[:9])
    assert memory.embed_waiting().embedded == 9
    memory.user("me").remember_many([f"{text} again" for text in TEXTS[:10]])
    assert memory.embed_waiting().in_bulk == 10
    memory.user("me").remember("One more in the meantime")
    assert memory.embed_waiting().embedded == 1


def test_a_change_meanwhile_is_not_overwritten(opened: Open, host: ProviderServer, clock: SteppingClock) -> None:
    memory = opened()
    me = memory.user("me")
    kept = me.remember_many(TEXTS)
    memory.embed_waiting()
    me.update(kept[0].id, content="Grandmother was born in Olomouc")
    me.forget(kept[1].id)
    clock.advance(minutes=1)
    memory = opened(embedding__bulk="off")
    memory.embed_waiting()
    me = memory.user("me")
    best = me.recall("Grandmother was born in Olomouc").hits[0]
    alone = opened(embedding__bulk="off").user("other")
    alone.remember("Grandmother was born in Olomouc", wait=True)
    assert best.similarity == pytest.approx(alone.recall("Grandmother was born in Olomouc").hits[0].similarity)
    assert (me.stats().pending_jobs, memory.doctor()) == (0, ())


def test_a_provider_that_is_away_loses_nothing(opened: Open, host: ProviderServer, clock: SteppingClock) -> None:
    memory = opened()
    memory.user("me").remember_many(TEXTS)
    host.fault = "error_500"
    worked = memory.embed_waiting()
    assert (bool(worked.unavailable), embedded(memory)) == (True, (0, 20, 0))
    host.fault = None
    memory = opened()
    assert memory.embed_waiting().in_bulk == 20
    host.fault = "error_500"
    clock.advance(minutes=1)
    assert memory.embed_waiting().unavailable
    host.fault = None
    clock.advance(minutes=1)
    assert opened().embed_waiting().embedded == 20


def test_a_text_that_was_paid_for_needs_no_batch(opened: Open, host: ProviderServer) -> None:
    memory = opened(embedding__bulk="off")
    memory.user("me").remember_many(TEXTS, wait=True)
    memory = opened()
    chat = memory.user("me").conversation("c")
    for text in TEXTS:
        chat.append("assistant", text)
    worked = memory.embed_waiting()
    assert (worked.embedded, worked.in_bulk, memory.status().coverage[1].vectors) == (20, 0, 20)


def test_a_change_of_the_model_in_bulk(open_memory: OpenMemory, host: ProviderServer, clock: SteppingClock) -> None:
    memory = open_memory(
        embedding__openai_api_key="secret-key",
        embedding__openai_endpoint=host.url("openai"),
    )
    memory.user("me").remember_many(TEXTS)
    estimate = memory.models.estimate("openai", "text-embedding-3-small", dimensions=128)
    assert (estimate.items, estimate.tokens > 100) == (20, True)
    assert estimate.cost is not None
    assert estimate.bulk_cost == pytest.approx(estimate.cost / 2)
    begun = memory.models.reembed("openai", "text-embedding-3-small", dimensions=128, bulk=True)
    assert (begun.state, begun.in_bulk) == ("building", 20)
    assert memory.user("me").recall(TEXTS[3]).degraded == ()
    clock.advance(minutes=1)
    assert memory.models.reembed().state == "finished"
    assert memory.status().embedding == "openai/text-embedding-3-small"


def test_a_change_that_is_cancelled_cancels_its_batches(open_memory: OpenMemory, host: ProviderServer) -> None:
    memory = open_memory(
        embedding__openai_api_key="secret-key",
        embedding__openai_endpoint=host.url("openai"),
    )
    memory.user("me").remember_many(TEXTS)
    memory.models.reembed("openai", "text-embedding-3-small", dimensions=128, bulk=True)
    memory.models.cancel_reembed()
    assert [batch.cancelled for batch in host.batches.batches.values()] == [True]
    (batch,) = memory.status().bulks
    assert batch.state == "cancelled"
    assert memory.status().embedding == "local/recollect-encoder-4"
    assert memory.doctor() == ()
