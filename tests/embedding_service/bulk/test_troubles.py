"""Batches that fail, hang, get lost or lose their worker, on both stores."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from recollect.model.memories import Scope
from tests.embedding_service.bulk.looking import TEXTS, Open, embedded, handed_in_at, kept_at, ordinary, patched_submit
from tests.fixtures import OpenMemory, SteppingClock
from tests.providers.batches import Plan
from tests.providers.server import ProviderServer


@pytest.fixture(params=["openai", pytest.param("gemini", marks=pytest.mark.slow)])
def provider(request: pytest.FixtureRequest) -> str:
    """Troubles do not depend on who has the batches, but for what is lost there."""
    name: str = request.param
    return name


def test_all_batches_are_collected_however_many_there_are(opened: Open, clock: SteppingClock) -> None:
    memory = opened()
    memory.user("me").remember_many(TEXTS)
    memory.embed_waiting()
    (batch,) = memory.status().bulks
    for number in range(120):
        now = clock.now()
        other = replace(batch, id=f"other {number}", state="cancelled", submitted_at=now, checked_at=now)
        memory._engine.store.save_bulk(other)
    assert batch not in memory.status().bulks, "only the newest are shown"
    clock.advance(minutes=1)
    assert memory.embed_waiting().embedded == 20


def test_a_batch_that_cannot_be_asked_about_stops_nothing_else(
    opened: Open, host: ProviderServer, clock: SteppingClock
) -> None:
    host.batches.plan = Plan(polls=2)
    memory = opened()
    memory.user("me").remember_many(TEXTS[:10])
    memory.embed_waiting()
    host.batches.plan = Plan()
    (sick,) = memory.status().bulks
    memory.user("me").remember_many(TEXTS[10:])
    memory.embed_waiting()
    memory.user("me").remember("One more in the meantime")
    clock.advance(minutes=1)
    host.faulty_path, host.fault = sick.provider_id, "error_500"
    worked = opened(embedding__bulk="off").embed_waiting()
    assert (worked.embedded, worked.unavailable, worked.in_bulk) == (11, "", 10)
    clock.advance(minutes=1)
    assert opened(embedding__bulk="off").embed_waiting().unavailable, "nothing else is known of the provider"
    host.fault = None
    clock.advance(minutes=1)
    assert opened().embed_waiting().embedded == 10
    assert (embedded(memory), ordinary(host), memory.doctor()) == ((21, 0, 0), 1, ())


def test_what_can_never_be_collected_is_given_up_at_once(
    opened: Open, host: ProviderServer, clock: SteppingClock
) -> None:
    memory = opened()
    memory.user("me").remember_many(TEXTS)
    memory.embed_waiting()
    (batch,) = memory.status().bulks
    clock.advance(minutes=1)
    host.refusal = f"About {TEXTS[3]}"
    host.faulty_path, host.fault = batch.provider_id, "refused"
    worked = memory.embed_waiting()
    assert (worked.embedded, worked.in_bulk, ordinary(host)) == (20, 0, 20)
    (batch,) = memory.status().bulks
    assert (batch.state, batch.reason) == ("failed", "the provider gave no usable answer about the batch")


@pytest.mark.parametrize("provider", ["openai", "gemini"], indirect=True)
def test_results_that_got_lost_at_the_provider(
    opened: Open, host: ProviderServer, clock: SteppingClock, provider: str
) -> None:
    memory = opened()
    memory.user("me").remember_many(TEXTS)
    memory.embed_waiting()
    clock.advance(minutes=1)
    if provider == "openai":
        host.faulty_path, host.fault = "/content", "not_found"
    else:
        host.batches.batches.clear()
    assert (memory.embed_waiting().embedded, ordinary(host)) == (20, 20)
    assert [batch.state for batch in memory.status().bulks] == ["failed"]


@pytest.mark.parametrize("fault", [None, "error_500"])
def test_a_batch_that_never_ends_is_given_up(
    opened: Open, host: ProviderServer, clock: SteppingClock, fault: str | None
) -> None:
    host.batches.plan = Plan(polls=1000)
    memory = opened()
    memory.user("me").remember_many(TEXTS)
    memory.embed_waiting()
    (batch,) = memory.status().bulks
    host.faulty_path, host.fault = batch.provider_id, fault
    clock.advance(hours=47)
    assert opened().embed_waiting().in_bulk == 20
    clock.advance(hours=2)
    worked = opened().embed_waiting()
    assert (worked.embedded, worked.in_bulk, ordinary(host)) == (20, 0, 20)
    assert [batch.state for batch in memory.status().bulks] == ["failed"]


@pytest.mark.parametrize("bulk", ["always", "auto"])
def test_what_a_failed_batch_had_is_not_handed_in_again(
    opened: Open, host: ProviderServer, clock: SteppingClock, bulk: str
) -> None:
    host.batches.plan = Plan(ending="failed")
    memory = opened(embedding__bulk=bulk, embedding__bulk_threshold=5)
    me = memory.user("me")
    me.remember_many(TEXTS)
    assert memory.embed_waiting().in_bulk == 20
    clock.advance(minutes=1)
    worked = memory.embed_waiting()
    assert (worked.embedded, worked.in_bulk, ordinary(host)) == (20, 0, 20)
    me.remember_many([f"{text} again" for text in TEXTS])
    assert memory.embed_waiting().embedded == 20
    me.remember_many([f"{text} and again" for text in TEXTS])
    clock.advance(hours=2)
    assert memory.embed_waiting().in_bulk == 20, "it may go better by now"


def test_what_a_batch_left_out_is_not_handed_in_again(opened: Open, host: ProviderServer, clock: SteppingClock) -> None:
    host.batches.plan = Plan(lost=3)
    memory = opened()
    memory.user("me").remember_many(TEXTS)
    memory.embed_waiting()
    clock.advance(minutes=1)
    worked = memory.embed_waiting()
    assert (worked.embedded, worked.in_bulk, ordinary(host)) == (20, 0, 3)


def test_a_batch_that_is_not_accepted_is_done_in_the_ordinary_way(
    opened: Open, host: ProviderServer, provider: str
) -> None:
    memory = opened()
    memory.user("me").remember_many(TEXTS)
    host.refusal = f"About {TEXTS[3]}"
    host.faulty_path, host.fault = handed_in_at(provider), "refused"
    assert (memory.embed_waiting().embedded, kept_at(host, provider)) == (20, 0)
    (batch,) = memory.status().bulks
    assert (batch.state, batch.reason) == ("failed", "the provider did not accept the batch")


def test_batches_that_can_never_be_handed_in(
    opened: Open, host: ProviderServer, clock: SteppingClock, provider: str
) -> None:
    memory = opened()
    memory.user("me").remember_many(TEXTS)
    host.faulty_path, host.fault = handed_in_at(provider), "error_500"
    for _ in range(10):
        assert memory.embed_waiting().unavailable
        clock.advance(minutes=1)
    assert memory.embed_waiting().embedded == 20


def test_each_user_pays_for_their_texts_even_if_a_worker_is_killed(
    opened: Open, host: ProviderServer, clock: SteppingClock, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = opened()
    for user in ("me", "you"):
        memory.user(user).remember_many(TEXTS)
    memory.embed_waiting()
    clock.advance(minutes=1)
    store = memory._engine.store
    write = store.write
    users: list[str] = []

    def killed(scope: Scope, work: Any) -> Any:
        users.append(scope.user_id)
        if len(users) == 2:
            raise KeyboardInterrupt
        return write(scope, work)

    day = clock.now().date().isoformat()
    with monkeypatch.context() as patch:
        patch.setattr(store, "write", killed)
        with pytest.raises(KeyboardInterrupt):
            memory.embed_waiting()
    half = sum(store.embedded(day).values())
    assert [batch.state for batch in memory.status().bulks] == ["collecting"]
    assert memory.embed_waiting().embedded == 0, "another worker may have the lease"
    clock.advance(seconds=301)
    assert memory.embed_waiting().embedded == 20
    (batch,) = memory.status().bulks
    assert (batch.state, batch.done, batch.tokens) == ("collected", 40, 2 * half)
    assert (sum(store.embedded(day).values()), half > 0) == (2 * half, True)


def test_one_worker_at_a_time_collects_a_batch(opened: Open, clock: SteppingClock) -> None:
    memory = opened()
    memory.user("me").remember_many(TEXTS)
    memory.embed_waiting()
    (batch,) = memory.status().bulks
    store = memory._engine.store
    held = replace(batch, state="collecting", checked_at=clock.now())
    assert [store.change_bulk(batch, held), store.change_bulk(batch, held)] == [True, False]
    clock.advance(minutes=1)
    assert (memory.embed_waiting().embedded, embedded(memory)) == (0, (0, 20, 0))
    clock.advance(minutes=5)
    later = replace(held, checked_at=clock.now())
    assert [store.change_bulk(held, later), store.change_bulk(held, later)] == [True, False]


def test_handing_in_may_take_its_time(
    opened: Open, host: ProviderServer, clock: SteppingClock, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, other = opened(), opened(embedding__bulk="off")
    memory.user("me").remember_many(TEXTS)
    meanwhile: list[int] = []

    def slow() -> None:
        clock.advance(minutes=30)
        meanwhile.append(other.embed_waiting().embedded)

    patched_submit(provider, monkeypatch, slow)
    assert (memory.embed_waiting().in_bulk, meanwhile) == (20, [0])
    clock.advance(minutes=1)
    assert (memory.embed_waiting().embedded, ordinary(host)) == (20, 0)


def test_a_batch_that_was_given_up_while_it_was_handed_in_is_cancelled(
    opened: Open, host: ProviderServer, clock: SteppingClock, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.batches.plan = Plan(polls=100)
    memory, other = opened(), opened(embedding__bulk="off")
    memory.user("me").remember_many(TEXTS)
    meanwhile: list[int] = []

    def far_too_slow() -> None:
        clock.advance(hours=2)
        meanwhile.append(other.embed_waiting().embedded)

    patched_submit(provider, monkeypatch, far_too_slow)
    worked = memory.embed_waiting()
    assert (worked.in_bulk, meanwhile, embedded(memory)) == (0, [20], (20, 0, 0))
    assert [batch.state for batch in memory.status().bulks] == ["failed"]
    assert any("cancel" in request.path for request in host.requests)
    assert kept_at(host, provider) == 0


def test_nothing_takes_time_between_handing_in_and_noting_it(
    opened: Open, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = opened()
    memory.user("me").remember_many(TEXTS)
    steps: list[str] = []
    tokenizer = type(memory._engine.tokenizer)
    count = tokenizer.count

    def counted(self: Any, text: str) -> int:
        steps.append("counted")
        return count(self, text)

    monkeypatch.setattr(tokenizer, "count", counted)
    patched_submit(provider, monkeypatch, lambda: steps.append("begun"), lambda: steps.append("handed in"))
    memory.embed_waiting()
    assert steps.index("begun") >= len(TEXTS)
    assert steps[-1] == "handed in"


def test_the_reason_of_a_failed_batch_quotes_no_text(opened: Open, host: ProviderServer, clock: SteppingClock) -> None:
    host.batches.plan = Plan(ending="failed")
    memory = opened()
    memory.user("me").remember_many(TEXTS)
    memory.embed_waiting()
    clock.advance(minutes=1)
    memory.embed_waiting()
    (batch,) = memory.status().bulks
    assert batch.reason == "the batch failed at the provider, or ran out of time there"


def test_batches_that_are_long_over_are_forgotten(opened: Open, host: ProviderServer, clock: SteppingClock) -> None:
    host.batches.plan = Plan(polls=1000)
    memory = opened()
    memory.user("me").remember_many(TEXTS[:10])
    memory.embed_waiting()
    host.batches.plan = Plan()
    memory.user("me").remember_many(TEXTS[10:])
    memory.embed_waiting()
    clock.advance(minutes=1)
    assert memory.embed_waiting().embedded == 10
    store = memory._engine.store
    store.forget_bulks(clock.now() + timedelta(days=1))
    assert [batch.state for batch in memory.status().bulks] == ["running"], "one that is not over is never forgotten"
    clock.advance(hours=49)
    memory.embed_waiting()
    clock.advance(days=6)
    memory.embed_waiting()
    assert [batch.state for batch in memory.status().bulks] == ["failed"]
    clock.advance(days=2)
    memory.embed_waiting()
    assert memory.status().bulks == ()


def test_nothing_stays_at_the_provider(opened: Open, host: ProviderServer, clock: SteppingClock, provider: str) -> None:
    memory = opened()
    memory.user("me").remember_many([*TEXTS, f"A text with {host.poison} in it"])
    memory.embed_waiting()
    assert kept_at(host, provider) > 0
    clock.advance(minutes=1)
    assert (memory.embed_waiting().embedded, kept_at(host, provider)) == (20, 0)


def test_a_model_that_is_dropped_takes_its_batches_along(open_memory: OpenMemory, host: ProviderServer) -> None:
    memory = open_memory(
        embedding__openai_api_key="secret-key",
        embedding__openai_endpoint=host.url("openai"),
    )
    memory.user("me").remember_many(TEXTS)
    memory.models.reembed("openai", "text-embedding-3-small", dimensions=128, bulk=True)
    memory.models.cancel_reembed()
    assert (len(memory.status().bulks), host.batches.files) == (1, {})
    memory.models.drop("openai/text-embedding-3-small")
    memory.models.reembed("openai", "text-embedding-3-small", dimensions=128, wait=False)
    assert memory.status().bulks == ()
