"""Answers that are given a second time without searching, for as long as they are true, on both stores."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from threading import Thread
from typing import Any, cast

import pytest

from recollect import EmbeddingError, Memory, Recall, UserMemory
from recollect.engine.base.caches import _MAX_AGE
from recollect.model.memories import Scope, Vector
from recollect.ports import Role
from recollect.storage.base import Store, StoreReader
from tests.congruence.twins import DIMENSIONS, WordSum, direction
from tests.fixtures import OpenMemory, SteppingClock
from tests.rows import every
from tests.waiting import until

ASKED = "green tea"


class Watched:
    """A store that counts the searches for words."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.searches = 0
        self.while_searching: Callable[[], object] = lambda: None

    def read(self, scope: Scope, work: Callable[[StoreReader], Any]) -> Any:
        return self._store.read(scope, lambda reader: work(cast("StoreReader", _Counted(reader, self))))

    def searched(self) -> None:
        self.searches += 1
        self.while_searching()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class _Counted:
    def __init__(self, reader: StoreReader, watched: Watched) -> None:
        self._reader = reader
        self._watched = watched

    def text_candidates(self, *asked: Any) -> Any:
        self._watched.searched()
        return self._reader.text_candidates(*asked)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)


class Moody(WordSum):
    """An embedder that may fail to embed queries."""

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        if self.fails and role == "query":
            raise EmbeddingError("The provider is out of order.")
        return super().embed(texts, "passage")


class Opened:
    """A store in one process: its memory, the searches that were made, and the answers that are kept."""

    def __init__(self, memory: Memory, embedder: Moody) -> None:
        self.watched = Watched(memory._engine.store)
        self.engine = replace(memory._engine, store=cast("Store", self.watched))
        self.memory = Memory(self.engine)
        self.me = self.memory.user("me")
        self.you = self.memory.user("you")
        self.embedder = embedder

    def kept(self, user: str = "me") -> int:
        return sum(key[0] == user for key in self.engine.search.results._entries)

    def searches(self, ask: Callable[[], Recall]) -> int:
        """Ask, and say how often that searched for words."""
        before = self.watched.searches
        ask()
        return self.watched.searches - before


OpenStore = Callable[..., Opened]


@pytest.fixture
def opening(open_memory: OpenMemory) -> OpenStore:
    """Open the test's store as another process would."""

    def opener(**more: object) -> Opened:
        embedder = Moody()
        return Opened(open_memory(embedder, timezone="UTC", **more), embedder)

    return opener


@pytest.fixture
def store(opening: OpenStore) -> Opened:
    """A store in which two users have said and stored the same."""
    opened = opening()
    fill(opened, opened.me, opened.you)
    return opened


def fill(opened: Opened, *users: UserMemory) -> None:
    """Let users say and store the same."""
    for user in users:
        user.remember_many(["Anna keeps green tea", "The lamp is green"])
        user.conversation("c").append("user", "We are out of green tea.")
        user.conversation("c").append("assistant", "I order some green tea.")
    opened.memory.maintain()


def test_what_was_asked_already_is_answered_without_searching(store: Opened, clock: SteppingClock) -> None:
    first = store.me.recall(ASKED, only_related=False)
    assert first.hits
    assert store.searches(lambda: store.me.recall(ASKED, only_related=False)) == 0
    assert store.me.recall(ASKED, only_related=False) == first
    whole = store.me.search_context(ASKED, only_related=False)
    assert store.searches(lambda: store.me.search_context(ASKED, only_related=False)) == 0
    assert store.me.search_context(ASKED, only_related=False) == whole != first
    assert store.kept() == len(store.engine.search.results) == 2

    # whoever changes an answer changes only their own
    cast("dict[str, Any]", store.me.recall(ASKED, only_related=False).hits[0].metadata)["mine"] = True
    cast("dict[str, Any]", store.me.recall(ASKED, only_related=False).hits[0].parts.factors)["mine"] = 0.0
    again = store.me.recall(ASKED, only_related=False).hits[0]
    assert "mine" not in again.metadata
    assert "mine" not in again.parts.factors

    # that there is nothing is an answer too
    assert (
        store.me.recall("nothing -of -the -kind -green", only_related=False).hits
        == store.me.recall("zzz", min_score=1.0).hits
        == ()
    )
    assert store.searches(lambda: store.me.recall("zzz", min_score=1.0)) == 0

    # an answer grows old
    store.me.recall(ASKED, only_related=False)
    clock.moment += _MAX_AGE - timedelta(seconds=1)
    assert store.searches(lambda: store.me.recall(ASKED, only_related=False)) == 0
    clock.moment += timedelta(seconds=1)
    assert store.searches(lambda: store.me.recall(ASKED, only_related=False)) > 0
    clock.advance(seconds=-5)
    assert store.searches(lambda: store.me.recall(ASKED, only_related=False)) > 0


def forget_the_lamp(me: UserMemory) -> object:
    return me.forget(next(record.id for record in me.list().items if "lamp" in record.content))


def change_the_lamp(me: UserMemory) -> object:
    return me.update(next(record.id for record in me.list().items if "lamp" in record.content), importance=0.9)


WRITES: dict[str, Callable[[UserMemory], object]] = {
    "remember": lambda me: me.remember("Petr drinks coffee"),
    "remember many": lambda me: me.remember_many(["Petr drinks coffee", "Petr drinks water"]),
    "state a fact": lambda me: me.facts.set("Petr", "drink", "coffee"),
    "update": change_the_lamp,
    "forget": forget_the_lamp,
    "forget a session": lambda me: me.forget(session="c"),
    "append": lambda me: me.conversation("d").append("user", "Petr drinks coffee."),
    "compact": lambda me: me.conversation("c").compact(keep_recent=0),
    "rate": lambda me: me.messages.rate(me.conversation("c").messages()[-1].id, 1),
    "before a prompt": lambda me: me.before_prompt("Petr drinks coffee.", session="d"),
    "after a turn": lambda me: me.after_turn([{"role": "user", "content": "I prefer coffee."}], session="d"),
}


def searches_after_each_write(asking: Opened, writing: Opened) -> dict[str, list[int]]:
    """Let a user of its own ask, write in each way, and ask twice again; say how often both of these searched."""
    fill(asking, *map(asking.memory.user, WRITES))
    found = {}
    for name, write in WRITES.items():
        ask = partial(asking.memory.user(name).search_context, ASKED)
        ask()
        assert asking.searches(ask) == 0, name
        write(writing.memory.user(name))
        found[name] = [asking.searches(ask), asking.searches(ask)]
    return found


def test_any_write_lets_it_be_searched_again(opening: OpenStore) -> None:
    opened = opening()
    found = searches_after_each_write(opened, opened)
    assert not [name for name, (first, second) in found.items() if not first or second]


def test_so_does_a_write_of_another_process(opening: OpenStore) -> None:
    found = searches_after_each_write(opening(), opening())
    assert not [name for name, (first, _) in found.items() if not first]


def test_what_another_process_stores_and_forgets_is_seen_at_once(store: Opened, opening: OpenStore) -> None:
    other = opening()
    assert store.me.recall("coffee", only_related=False).hits[0].score < 0.9
    kept = other.me.remember("coffee")
    assert store.me.recall("coffee", only_related=False).hits[0].id == kept.id
    other.me.forget(kept.id)
    assert kept.id not in {hit.id for hit in store.me.recall("coffee", only_related=False).hits}


def test_a_vector_that_arrives_later_is_a_write(store: Opened) -> None:
    store.me.conversation("d").append("user", "Petr drinks coffee.")
    before = store.me.search_context("Petr", sources=["request"], only_related=False)
    store.memory.maintain()
    after = store.me.search_context("Petr", sources=["request"], only_related=False)
    assert (
        [hit.content for hit in before.hits][:1] == [hit.content for hit in after.hits][:1] == ["Petr drinks coffee."]
    )
    assert (before.hits[0].similarity is None, after.hits[0].similarity is None) == (True, False)


def test_nobody_gets_the_answer_of_another(store: Opened) -> None:
    mine = store.me.search_context(ASKED, only_related=False)
    assert store.searches(lambda: store.you.search_context(ASKED, only_related=False)) > 0
    yours = store.you.search_context(ASKED, only_related=False)
    assert [hit.content for hit in mine.hits] == [hit.content for hit in yours.hits]
    assert {hit.id for hit in mine.hits}.isdisjoint(hit.id for hit in yours.hits)
    assert (store.kept("me"), store.kept("you")) == (1, 1)

    # what another user writes changes nothing
    store.me.recall(ASKED, only_related=False)
    store.you.remember("Petr drinks green tea")
    assert store.searches(lambda: store.me.recall(ASKED, only_related=False)) == 0

    # after everything is forgotten there is no answer
    assert store.me.search_context(ASKED, only_related=False).hits
    store.me.forget(everything=True)
    assert store.me.search_context(ASKED, only_related=False).hits == ()
    assert store.you.search_context(ASKED, only_related=False).hits


def questions(me: UserMemory, clock: SteppingClock) -> list[Callable[[], Recall]]:
    """Give questions of which no two are the same."""
    early, late = clock.moment - timedelta(days=9), clock.moment + timedelta(days=9)
    asked: list[dict[str, Any]] = [
        {},
        {"limit": 1},
        {"limit": 2},
        {"min_score": 0.1},
        {"prefer": "fact"},
        {"prefer": ["fact", "event"]},
        {"diverse": True},
        {"type": "fact"},
        {"type": ["fact", "event"]},
        {"subject": "Anna"},
        {"key": "drink"},
        {"context": "work"},
        {"session": "c"},
        {"since": early},
        {"until": late},
        {"as_of": late},
        {"min_importance": 0.1},
        {"vector": direction("another")},
        {"vector": [1.0] * DIMENSIONS},
    ]
    said: list[dict[str, Any]] = [
        {},
        {"limit": 1},
        {"sources": ["request"]},
        {"sources": ["response"]},
        {"session": "c"},
        {"current": "c"},
        {"since": early},
        {"until": late},
    ]
    words = ["green", "tea green", "Green tea", '"green tea"', "green -tea"]
    return [
        *(partial(me.recall, ASKED, **one) for one in asked),
        *(partial(me.search_context, ASKED, **one) for one in said),
        *(partial(me.recall, one) for one in words),
    ]


def test_another_question_has_another_answer(store: Opened, clock: SteppingClock) -> None:
    different = questions(store.me, clock)
    assert all(store.searches(ask) > 0 for ask in different)
    assert store.kept() == len(different)
    assert all(store.searches(ask) == 0 for ask in different)


def test_what_is_forgotten_is_not_kept_in_an_answer_either(store: Opened) -> None:
    store.me.recall(ASKED, only_related=False)
    store.me.search_context("lamp", only_related=False)
    store.you.recall(ASKED, only_related=False)
    forget_the_lamp(store.me)
    assert (store.kept("me"), store.kept("you")) == (0, 1)
    store.me.recall(ASKED, only_related=False)
    store.me.forget(everything=True)
    assert (store.kept("me"), store.kept("you")) == (0, 1)


FORGETTING: dict[str, Callable[[UserMemory], object]] = {
    "one": forget_the_lamp,
    "everything": lambda me: me.forget(everything=True),
}


@pytest.mark.parametrize("what", FORGETTING)
def test_an_answer_that_was_found_while_something_is_forgotten_is_not_kept(store: Opened, what: str) -> None:
    answers, dropped = store.engine.search.results, store.engine.search.results.drops
    forgetting = Thread(target=FORGETTING[what], args=[store.memory.user("me")])

    def forget_meanwhile() -> None:
        store.watched.while_searching = lambda: None
        forgetting.start()
        # not until it is over: on SQLite it waits for readers that still see what is forgotten
        until(lambda: answers.drops != dropped)

    store.watched.while_searching = forget_meanwhile
    found = store.me.recall("lamp", only_related=False)
    forgetting.join()
    assert answers.drops == dropped + 1
    assert found.degraded == ()
    assert "The lamp is green" in {hit.content for hit in found.hits}
    assert store.kept() == 0
    assert "The lamp is green" not in {hit.content for hit in store.me.recall("lamp", only_related=False).hits}
    assert store.kept() == 1


@every("end", ["expires_at", "valid_until"])
def test_what_lapses_vanishes_when_its_time_has_come(store: Opened, clock: SteppingClock, end: str) -> None:
    ends: dict[str, datetime] = {end: clock.moment + timedelta(seconds=20)}
    brief = store.me.remember("green tea is on offer", **ends)  # type: ignore[arg-type]

    def found() -> bool:
        return brief.id in {hit.id for hit in store.me.recall(ASKED, only_related=False).hits}

    assert found()
    clock.advance(seconds=10)
    assert store.searches(lambda: store.me.recall(ASKED, only_related=False)) == 0
    assert found()
    clock.advance(seconds=10)
    assert not found()


def test_yesterday_is_another_day_after_midnight(store: Opened, clock: SteppingClock) -> None:
    clock.moment = clock.moment.replace(hour=23, minute=59, second=50)
    today = store.me.recall("green tea today", only_related=False).hits[0]
    clock.advance(seconds=20)
    tomorrow = store.me.recall("green tea today", only_related=False).hits[0]
    assert today.parts.factors["time"] > tomorrow.parts.factors["time"] > 1.0  # right before today counts less


def test_a_cache_of_zero_keeps_nothing(opening: OpenStore) -> None:
    store = opening(recall__cache=0)
    store.me.remember("Anna keeps green tea")
    first = store.me.recall(ASKED, only_related=False)
    assert store.searches(lambda: store.me.recall(ASKED, only_related=False)) == 1
    assert [hit.id for hit in store.me.recall(ASKED, only_related=False).hits] == [hit.id for hit in first.hits]
    assert len(store.engine.search.results) == 0


def test_no_more_answers_are_kept_than_wanted_the_latest_used(opening: OpenStore) -> None:
    store = opening(recall__cache=2)
    store.me.remember("Anna keeps green tea")
    for query in ("green", "tea", "green", "Anna"):
        store.me.recall(query, only_related=False)
    assert len(store.engine.search.results) == 2
    asked = (partial(store.me.recall, query, only_related=False) for query in ("green", "Anna", "tea"))
    assert [store.searches(ask) for ask in asked] == [0, 0, 1]


def test_an_answer_that_lacks_something_is_not_kept(store: Opened) -> None:
    store.embedder.fails = True
    assert store.me.recall(ASKED, only_related=False).degraded == ("vector",)
    assert store.searches(lambda: store.me.recall(ASKED, only_related=False)) > 0
    assert store.kept() == 0
    store.embedder.fails = False
    whole = store.me.recall(ASKED, only_related=False)
    assert (whole.degraded, store.kept()) == ((), 1)
    store.embedder.fails = True
    assert store.me.recall(ASKED, only_related=False).degraded == ("vector",)


def test_an_answer_that_took_too_long_for_all_of_it_is_not_kept(store: Opened, clock: SteppingClock) -> None:
    store.watched.while_searching = lambda: clock.advance(hours=1)
    assert store.me.recall(ASKED, only_related=False).degraded == ("vector",)
    assert store.kept() == 0
    store.watched.while_searching = lambda: None
    assert store.me.recall(ASKED, only_related=False).degraded == ()
    assert store.kept() == 1
