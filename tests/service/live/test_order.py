"""The order of changes: however it is read, piece by piece or at once, now or later, it says the same."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect import Memory, load_settings
from recollect.engine.search.live import LiveHit
from recollect.model.literals import SOURCES
from tests.reliability.opening import QuickEmbedder, vector_of
from tests.sizes import sized

_WORDS = ("bicycle", "green", "oven", "Prague", "never", "again")
_QUERIES = ("", "bicycle", "green bicycle", '"green bicycle"', "bicycle -oven", "green bicycle oven Prague")
_USERS = count()

_texts = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=4).map(" ".join)
_deeds = st.one_of(
    st.tuples(st.just("remember"), _texts),
    st.tuples(st.just("with vector"), _texts),
    st.tuples(st.just("say"), _texts),
    st.tuples(st.just("update"), st.integers(0, 10), _texts),
    st.tuples(st.just("forget"), st.integers(0, 10)),
    st.tuples(st.just("embed")),
)
_pieces = st.lists(st.integers(1, 7), min_size=1, max_size=6)


@pytest.fixture
def quick(database: str) -> Iterator[Memory]:
    """A store whose vectors cost nothing, and come when they are asked for."""
    wanted = {"database": database, "embedding.worker": False, "embedding.wait": "never"}
    loaded = load_settings(environ={}, overrides=wanted)
    with Memory.open(settings=loaded, embedder=QuickEmbedder()) as memory:
        yield memory


def _do(memory: Memory, user: str, ids: list[str], deed: tuple[Any, ...]) -> None:
    me = memory.user(user)
    match deed:
        case ("remember", text):
            ids.append(me.remember(text).id)
        case ("with vector", text):
            ids.append(me.remember(text, vector=vector_of(text)).id)
        case ("say", text):
            made = me.conversation("c").append("user", text).id
            ids.extend([made] if made else [])
        case ("update", which, text) if ids:
            known = [one.id for one in me.list(limit=100).items]
            if known and not any(one.content == text for one in me.list(limit=100).items):
                me.update(known[which % len(known)], content=text)
        case ("forget", which) if ids:
            me.forget(ids[which % len(ids)])
        case ("embed",):
            memory.embed_waiting(thorough=False)


def _all(memory: Memory, user: str, query: str, sizes: list[int], after: int = 0) -> list[LiveHit]:
    """Read everything, so many changes at a time."""
    watch = memory.operations.live_query(user, query, sources=SOURCES)
    found: list[LiveHit] = []
    turns = 0
    while True:
        news = memory.operations.changes(user, watch, after, limit=sizes[turns % len(sizes)])
        assert not news.missed
        assert all(after < hit.number <= news.position for hit in news.hits)
        assert news.position > after or not news.more
        found += news.hits
        after, turns = news.position, turns + 1
        if not news.more:
            assert after == memory.operations.change_position(user)
            return found


@settings(
    max_examples=sized(15, 500),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(deeds=st.lists(_deeds, max_size=20), query=st.sampled_from(_QUERIES), pieces=_pieces, cut=st.integers(0, 25))
def test_pieces_of_any_size_say_the_same(
    quick: Memory, deeds: list[tuple[Any, ...]], query: str, pieces: list[int], cut: int
) -> None:
    user, ids = f"user{next(_USERS)}", list[str]()
    for deed in deeds:
        _do(quick, user, ids, deed)
    whole = _all(quick, user, query, [1_000])
    assert _all(quick, user, query, pieces) == whole
    assert [hit.number for hit in whole] == sorted({hit.number for hit in whole})
    assert _all(quick, user, query, pieces, after=min(cut, quick.operations.change_position(user))) == [
        hit for hit in whole if hit.number > cut
    ]


@settings(
    max_examples=sized(10, 250),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(deeds=st.lists(_deeds, max_size=12), query=st.sampled_from(_QUERIES))
def test_whoever_looks_all_the_time_sees_what_whoever_looks_later_sees(
    quick: Memory, deeds: list[tuple[Any, ...]], query: str
) -> None:
    """But for what was changed or forgotten in between: that cannot be seen any more."""
    user, ids = f"user{next(_USERS)}", list[str]()
    watch = quick.operations.live_query(user, query, sources=SOURCES)
    seen: list[tuple[int, str]] = []
    position = 0
    for deed in deeds:
        if deed[0] not in ("forget", "update"):
            _do(quick, user, ids, deed)
        news = quick.operations.changes(user, watch, position)
        seen += [(hit.number, hit.hit.id) for hit in news.hits]
        position = news.position
    assert seen == [(hit.number, hit.hit.id) for hit in _all(quick, user, query, [1_000])]
    assert len({item for _, item in seen}) == len(seen), "something came twice"


def test_very_long_texts_come_in_small_portions(quick: Memory) -> None:
    texts = [f"{number} " + "long " * 19_000 for number in range(12)]
    ids = [made.id for made in quick.user("me").remember_many(texts)]
    watch = quick.operations.live_query("me")
    news = quick.operations.changes("me", watch, 0)
    assert news.more
    assert 0 < len(news.hits) < len(ids)
    assert news.position == news.hits[-1].number
    assert [hit.hit.id for hit in _all(quick, "me", "", [200])] == ids
