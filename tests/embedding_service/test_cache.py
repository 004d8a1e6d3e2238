"""What was paid for is not paid for again, for as long as it is wanted and not a moment longer."""

from collections import Counter

import pytest

from recollect import Memory
from recollect.model.memories import NewMemory, Scope
from tests.embedding_service.looking import assert_all_is_well, cached, jobs, paid_for
from tests.fixtures import OpenMemory, SteppingClock
from tests.providers.server import ProviderServer
from tests.sizes import sized
from tests.storage.catalogue import plain
from tests.waiting import eventually

TEXTS = ("The ladder stands behind the shed", "Grandmother was born in Olomouc", "Coffee is bought on Thursdays")
MEGABYTE = 2**20


def of_user(database: str, user: str, role: str) -> set[str]:
    return {key for whose, what, key in cached(database) if (whose, what) == (user, role)}


def asked_and_noted(memory: Memory, database: str, user: str, question: str) -> None:
    """Search, and wait until the vector of the query is cached."""
    before = len(of_user(database, user, "query"))
    assert memory.user(user).recall(question).degraded == ()
    assert eventually(lambda: len(of_user(database, user, "query")) == before + 1)


def generation(memory: Memory, user: str) -> int:
    return memory._engine.store.read(Scope(user), lambda reader: reader.generation())


@pytest.mark.on_both_stores
def test_known_texts_make_no_request(open_service: OpenMemory, provider: ProviderServer, database: str) -> None:
    texts = [f"Parcel {number} lies in room {number % 97}" for number in range(sized(400, 10_000))]
    memory = open_service(embedding__dimensions=8)
    me = memory.user("me")
    decisions = [NewMemory(text, type="decision") for text in texts]
    me.remember_many(decisions, wait=True)
    assert sum(len(request.texts) for request in provider.requests) == len(texts)
    provider.requests.clear()
    assert {one.action for one in me.remember_many(decisions, wait=True)} == {"duplicate"}
    again = open_service(embedding__dimensions=8)
    known = again.user("me").remember_many([NewMemory(text, type="lesson") for text in texts], wait=True)
    assert Counter((one.action, one.degraded) for one in known) == {("created", ()): len(texts)}
    lessons = me.remember_many([NewMemory(text, type="fact") for text in texts], wait=False)
    assert {one.action for one in lessons} == {"created"}
    assert jobs(database) == []
    assert memory.embed_waiting().embedded == 0
    assert paid_for(provider, texts) == {}
    assert {one.share for one in memory.status().coverage} == {1.0}


def test_what_several_items_say_is_paid_for_once(open_service: OpenMemory, provider: ProviderServer) -> None:
    memory = open_service()
    me = memory.user("me")
    me.remember_many([NewMemory(text, type=kind) for text in TEXTS for kind in ("lesson", "fact")])
    assert memory.embed_waiting().embedded == 6
    assert paid_for(provider, TEXTS) == Counter(TEXTS)
    figures = memory.stats().cache
    assert (figures.entries, figures.hits + figures.misses) == (3, 6)


@pytest.mark.on_both_stores
def test_the_same_text_of_another_user_is_another_one(
    open_service: OpenMemory, provider: ProviderServer, database: str
) -> None:
    memory = open_service()
    memory.user("me").remember_many(TEXTS, wait=True)
    memory.user("you").remember_many(TEXTS, wait=True)
    memory.user("they").remember_many(TEXTS)
    memory.embed_waiting()
    assert paid_for(provider, TEXTS) == dict.fromkeys(TEXTS, 3)
    keys = [of_user(database, user, "passage") for user in ("me", "you", "they")]
    assert [len(one) for one in keys] == [3, 3, 3]
    assert len(set.union(*keys)) == 9


@pytest.mark.on_both_stores
def test_a_question_is_paid_for_once(open_service: OpenMemory, provider: ProviderServer, database: str) -> None:
    memory = open_service(recall__cache=0)
    memory.user("me").remember_many(TEXTS, wait=True)
    memory.user("you").remember_many(TEXTS, wait=True)
    asked_and_noted(memory, database, "me", "Where was she born?")
    provider.requests.clear()
    first = memory.user("me").recall("Where was she born?")
    again = open_service(recall__cache=0).user("me").recall("Where was she born?")
    assert [hit.similarity for hit in again.hits] == [hit.similarity for hit in first.hits]
    assert (first.degraded, again.degraded, provider.requests) == ((), (), [])
    asked_and_noted(memory, database, "you", "Where was she born?")
    assert provider.texts == ["Where was she born?"]


def test_a_question_that_is_kept_voids_no_answer(open_service: OpenMemory, database: str) -> None:
    memory = open_service()
    me = memory.user("me")
    me.remember_many(TEXTS, wait=True)
    before = generation(memory, "me")
    first = me.recall("ladder")
    assert eventually(lambda: len(of_user(database, "me", "query")) == 1)
    asked_and_noted(memory, database, "me", "Olomouc")
    assert generation(memory, "me") == before
    assert me.recall("ladder") == first
    me.remember("The violin hangs above the piano", wait=True)
    assert generation(memory, "me") > before


@pytest.mark.on_both_stores
def test_forgetting_takes_along_all_that_was_made_of_a_text(open_service: OpenMemory, database: str) -> None:
    memory = open_service()
    me = memory.user("me")
    me.remember(TEXTS[1], wait=True)
    others = of_user(database, "me", "passage")
    stored = me.remember("The spare key is under the flowerpot", wait=True)
    merged = me.remember("the spare key is under the flowerpot!", wait=True)
    assert (merged.action, merged.id) == ("duplicate", stored.id)
    me.update(stored.id, content="The spare key is under the doormat")
    me.update(stored.id, content="The spare key is in the garage")
    memory.embed_waiting()
    assert len(of_user(database, "me", "passage") - others) == 4
    asked_and_noted(memory, database, "me", "Where is the key?")
    asked_and_noted(memory, database, "me", "Who was born where?")
    memory.user("you").remember(TEXTS[1], wait=True)
    asked_and_noted(memory, database, "you", "Where is the key?")
    assert me.forget(stored.id).action == "deleted"
    assert of_user(database, "me", "passage") == others
    assert of_user(database, "me", "query") == set()
    assert [len(of_user(database, "you", role)) for role in ("passage", "query")] == [1, 1]


def test_a_version_that_waited_leaves_nothing_behind_either(open_service: OpenMemory, database: str) -> None:
    memory = open_service()
    me = memory.user("me")
    stored = me.remember(TEXTS[0])
    me.update(stored.id, content=TEXTS[1])
    assert memory.embed_waiting().embedded == 2
    me.update(stored.id, content=TEXTS[2])
    assert memory.embed_waiting().embedded == 1
    assert len(of_user(database, "me", "passage")) == 3
    me.forget(stored.id)
    assert cached(database) == set()


@pytest.mark.on_both_stores
def test_a_conversation_leaves_nothing_behind(open_service: OpenMemory, database: str) -> None:
    memory = open_service()
    me = memory.user("me")
    for text in TEXTS:
        me.conversation("talk").append("user", text)
    me.remember("The violin hangs above the piano", wait=True)
    kept = of_user(database, "me", "passage")
    assert memory.embed_waiting().embedded == 3
    assert len(of_user(database, "me", "passage")) == 4
    me.forget(session="talk")
    assert of_user(database, "me", "passage") == kept


@pytest.mark.on_both_stores
def test_what_expires_leaves_nothing_behind(open_service: OpenMemory, database: str, clock: SteppingClock) -> None:
    memory = open_service()
    me = memory.user("me")
    stored = me.remember(TEXTS[0], expires_at=clock.now().replace(year=2027), wait=True)
    assert me.get(stored.id).expires_at is not None
    clock.advance(days=700)
    assert memory.maintain().expired == 1
    assert cached(database) == set()


@pytest.mark.on_both_stores
def test_who_forgets_everything_leaves_nothing(open_service: OpenMemory, database: str) -> None:
    memory = open_service()
    for user in ("me", "you"):
        memory.user(user).remember_many(TEXTS, wait=True)
        asked_and_noted(memory, database, user, "Where was she born?")
    memory.user("me").forget(everything=True)
    assert {user for user, _, _ in cached(database)} == {"you"}
    with plain(database) as store:
        assert store.rows("SELECT user_id FROM embedding_cache_uses") == [("you",)]
    assert len(cached(database)) == 4


@pytest.mark.on_both_stores
def test_the_oldest_goes_when_room_is_short(open_service: OpenMemory, database: str) -> None:
    memory = open_service(embedding__dimensions=1536, embedding__cache_mb=1)
    me = memory.user("me")
    me.remember_many([f"Old parcel {number}" for number in range(150)], wait=True)
    old = of_user(database, "me", "passage")
    me.remember_many([f"New parcel {number}" for number in range(150)], wait=True)
    new = of_user(database, "me", "passage") - old
    assert (len(old), len(new)) == (150, 150)
    memory.maintain()
    left = of_user(database, "me", "passage")
    assert new < left
    assert memory.stats().cache.bytes == len(left) * 1536 * 4 <= MEGABYTE


def test_room_is_made_though_the_oldest_are_small(open_service: OpenMemory, database: str) -> None:
    memory = open_service(embedding__dimensions=8, embedding__cache_mb=1)
    memory.user("me").remember_many([f"Parcel {number}" for number in range(250)], wait=True)
    assert memory.models.reembed(dimensions=1536).state == "finished"
    memory.maintain()
    assert 0 < memory.stats().cache.bytes <= MEGABYTE


def test_without_room_nothing_is_kept(open_service: OpenMemory, provider: ProviderServer, database: str) -> None:
    memory = open_service(embedding__cache_mb=0, recall__cache=0)
    me = memory.user("me")
    me.remember(TEXTS[0], wait=True)
    me.remember_many(TEXTS[1:])
    memory.embed_waiting()
    assert [me.recall("ladder").degraded for _ in range(2)] == [(), ()]
    assert paid_for(provider, (*TEXTS, "ladder")) == {**dict.fromkeys(TEXTS, 1), "ladder": 2}
    assert cached(database) == set()
    assert_all_is_well(memory, "me", TEXTS)


def test_a_cache_that_is_given_up_is_emptied(open_service: OpenMemory, database: str) -> None:
    open_service().user("me").remember_many(TEXTS, wait=True)
    assert len(cached(database)) == 3
    open_service(embedding__cache_mb=0).maintain()
    assert cached(database) == set()


@pytest.mark.on_both_stores
def test_how_often_it_was_of_use(open_service: OpenMemory) -> None:
    memory = open_service()
    assert memory.stats().cache.hit_rate is None
    me = memory.user("me")
    me.remember_many(TEXTS, wait=True)
    assert memory.stats().cache.hit_rate == 0.0
    me.remember(TEXTS[0], type="lesson", wait=True)
    figures = memory.stats().cache
    assert (figures.entries, figures.hits, figures.misses) == (3, 1, 3)
    assert figures.bytes == 3 * 24 * 4
    assert figures.hit_rate == pytest.approx(0.25)
    memory.user("you").remember(TEXTS[0])
    memory.embed_waiting()
    assert (memory.stats().cache.hits, memory.stats().cache.misses) == (1, 4)
