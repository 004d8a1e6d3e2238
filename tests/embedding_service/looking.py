"""What a test of the embedding service looks at: the true cosines, the stored ones, and what travelled with a key."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from recollect import Memory, UserMemory
from recollect.model.filters import Filters
from recollect.model.memories import Scope, Space
from tests.providers.server import ProviderServer, Recorded
from tests.providers.vectors import vector_of
from tests.storage.catalogue import plain

KEY = "sk-SERVICE-0123456789"
ASKED = "behind the piano in October"


def astray(requests: Iterable[Recorded]) -> list[str]:
    """Name the requests that carry the key anywhere but where it belongs, or lack it."""
    return [
        f"{request.method} {request.path}"
        for request in requests
        if request.headers.get("Authorization") != f"Bearer {KEY}"
        or KEY in request.path + str(request.body) + _others(request)
    ]


def _others(request: Recorded) -> str:
    return str([value for name, value in request.headers.items() if name != "Authorization"])


def paid_for(provider: ProviderServer, texts: Iterable[str]) -> Counter[str]:
    """Count how often each of these texts was asked for. What is asked in order to try a provider is another matter."""
    wanted = frozenset(texts)
    return Counter(text for text in provider.texts if text in wanted)


def expected_cosine(text: str, question: str, space: Space) -> float:
    """Compute how near a text is to a question, from what the server is known to answer."""
    one, other = (vector_of(said, "any", space.model, space.dimensions) for said in (text, question))
    return float(one @ other)


def stored_cosines(memory: Memory, user: str, question: str, space: Space) -> dict[str, float]:
    """Ask the store itself how near all of a user's live memories are to a question; by their texts."""
    vector = vector_of(question, "any", space.model, space.dimensions)
    wanted = Filters(now=memory._engine.clock.now())

    def work(reader: Any) -> dict[str, float]:
        near = {one.id: one.cosine for one in reader.nearest(space, vector, wanted, 10_000)}
        return {record.content: near[record.id] for record in reader.get([*near])}

    return memory._engine.store.read(Scope(user), work)


def assert_right_vectors(memory: Memory, user: str, texts: Sequence[str]) -> None:
    """These texts and no others have a vector in the space that is searched, and each has its own."""
    space = memory.status().space
    assert space is not None
    assert stored_cosines(memory, user, ASKED, space) == pytest.approx(
        {text: expected_cosine(text, ASKED, space) for text in texts}, abs=1e-5
    )


def assert_all_is_well(memory: Memory, user: str, texts: Sequence[str]) -> None:
    """Everything is embedded as it should be, nothing waits or was given up on, and search misses nothing."""
    status = memory.status()
    assert {(one.share, one.waiting, one.parked) for one in status.coverage} == {(1.0, 0, 0)}
    assert status.parked == ()
    assert memory.doctor() == ()
    assert_right_vectors(memory, user, texts)
    me = memory.user(user)
    for text in texts[:3]:
        answer = me.recall(text)
        assert answer.degraded == ()
        assert answer.hits[0].content == text
        assert answer.hits[0].similarity == pytest.approx(1.0, abs=1e-5)


def found_by_words(me: UserMemory, text: str) -> bool:
    """Whether a search with words of a text finds it."""
    return text in [hit.content for hit in me.recall(" ".join(text.split()[-2:])).hits]


def cached(database: str) -> set[tuple[str, str, str]]:
    """Give what the cache holds, as (user, role, key), read with the plain driver."""
    with plain(database) as store:
        return {(row[0], row[1], row[2]) for row in store.rows("SELECT user_id, role, key FROM embedding_cache")}


def jobs(database: str) -> list[tuple[Any, ...]]:
    """Give what waits for a vector, as (item, attempts), read with the plain driver."""
    with plain(database) as store:
        return [(str(row[0]), row[1]) for row in store.rows("SELECT item_id, attempts FROM jobs ORDER BY item_id")]
