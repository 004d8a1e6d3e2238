"""A change of the model at a provider: other processes follow without being told, and each request asks for one model.

What a change promises about searches and rows is tested with embedders of the tests' own, in `conformance`.
"""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from recollect import Memory
from tests.embedding_service.looking import assert_all_is_well, assert_right_vectors, cached, expected_cosine, paid_for
from tests.fixtures import OpenMemory
from tests.providers.server import ProviderServer
from tests.sizes import sized

TEXTS = ("The ladder stands behind the shed", "Grandmother was born in Olomouc", "Coffee is bought on Thursdays")
LARGE = "text-embedding-3-large"


def similarity(memory: Memory, question: str) -> float | None:
    answer = memory.user("me").recall(question)
    assert answer.degraded == ()
    return answer.hits[0].similarity


def test_another_process_follows_at_its_next_search(open_service: OpenMemory, provider: ProviderServer) -> None:
    memory, other = open_service(), open_service()
    memory.user("me").remember_many(TEXTS, wait=True)
    old = other.status().space
    assert old is not None
    assert similarity(other, "ladder") == pytest.approx(expected_cosine(TEXTS[0], "ladder", old), abs=1e-5)
    memory.models.reembed(model=LARGE, dimensions=40, wait=False)
    assert similarity(other, "ladder") == pytest.approx(expected_cosine(TEXTS[0], "ladder", old), abs=1e-5)
    assert memory.models.reembed().state == "finished"
    new = memory.status().space
    assert new is not None
    assert (new.model, new.dimensions) == (LARGE, 40)
    assert similarity(other, "ladder") == pytest.approx(expected_cosine(TEXTS[0], "ladder", new), abs=1e-5)
    other.user("me").remember("The violin hangs above the piano", wait=True)
    other.embed_waiting()
    assert_all_is_well(other, "me", (*TEXTS, "The violin hangs above the piano"))


def test_a_new_process_needs_no_other_settings(open_service: OpenMemory, provider: ProviderServer) -> None:
    memory = open_service()
    memory.user("me").remember_many(TEXTS, wait=True)
    memory.models.reembed(model=LARGE, dimensions=40)
    memory.close()
    provider.requests.clear()
    after = open_service()
    assert after.status().embedding == f"openai/{LARGE}"
    assert_all_is_well(after, "me", TEXTS)
    assert {(request.body["model"], request.body["dimensions"]) for request in provider.requests} == {(LARGE, 40)}


@pytest.mark.on_both_stores
def test_each_text_is_paid_for_once_in_each_space(
    open_service: OpenMemory, provider: ProviderServer, database: str
) -> None:
    memory = open_service()
    memory.user("me").remember_many(TEXTS, wait=True)
    provider.requests.clear()
    memory.models.reembed(model=LARGE, dimensions=40)
    memory.models.reembed()  # back to what the settings name
    assert memory.status().embedding == "openai/text-embedding-3-small"
    assert paid_for(provider, TEXTS) == Counter(TEXTS)
    assert len(cached(database)) == len(TEXTS)  # the same keys
    assert memory.stats().cache.entries == 2 * len(TEXTS)
    memory.models.drop(f"openai/{LARGE}")
    assert memory.stats().cache.entries == len(TEXTS)
    assert_all_is_well(memory, "me", TEXTS)


@pytest.mark.on_both_stores
def test_two_processes_may_work_on_one_change(open_service: OpenMemory, provider: ProviderServer) -> None:
    texts = [f"Parcel {number} lies in room {number % 7}" for number in range(sized(600, 1_200))]
    memory, other = open_service(), open_service()
    memory.user("me").remember_many(texts, wait=True)
    provider.requests.clear()
    provider.latency_s = 0.05
    memory.models.reembed(model=LARGE, dimensions=40, wait=False)
    with ThreadPoolExecutor(2) as pool:
        worked = [future.result() for future in [pool.submit(one.embed_waiting) for one in (memory, other)]]
    assert sum(one.embedded for one in worked) == len(texts)
    assert paid_for(provider, texts) == Counter(texts)
    after = open_service()
    assert after.status().embedding == f"openai/{LARGE}"
    assert_right_vectors(after, "me", texts)
