"""The background thread makes vectors, and no caller waits for it."""

import json
import os
import subprocess
from collections import Counter
from threading import Thread

import pytest

from recollect import Memory
from tests.embedding_service.conftest import DIMENSIONS
from tests.embedding_service.looking import (
    KEY,
    assert_all_is_well,
    found_by_words,
    paid_for,
)
from tests.fixtures import OpenMemory, SteppingClock
from tests.program import Program
from tests.providers.server import ProviderServer
from tests.waiting import PATIENCE_S, eventually

TEXTS = ("The ladder stands behind the shed", "Grandmother was born in Olomouc", "Coffee is bought on Thursdays")


def everything_embedded(memory: Memory) -> bool:
    return all(one.share == 1.0 for one in memory.status().coverage)


@pytest.mark.on_both_stores
def test_vectors_arrive_by_themselves(open_service: OpenMemory, provider: ProviderServer) -> None:
    memory = open_service(embedding__worker=True)
    me = memory.user("me")
    for text in TEXTS:
        me.remember(text)
        assert eventually(lambda: everything_embedded(memory))
    assert paid_for(provider, TEXTS) == Counter(TEXTS)
    assert_all_is_well(memory, "me", TEXTS)


def test_those_of_an_update_and_of_a_turn_too(open_service: OpenMemory, provider: ProviderServer) -> None:
    memory = open_service(embedding__worker=True)
    me = memory.user("me")
    stored = me.remember(TEXTS[0])
    assert eventually(lambda: everything_embedded(memory))
    me.update(stored.id, content=TEXTS[1])
    assert eventually(lambda: everything_embedded(memory))
    me.conversation("talk").append("user", "Where does the hedgehog sleep?")
    assert eventually(lambda: everything_embedded(memory))
    assert_all_is_well(memory, "me", TEXTS[1:2])


def test_without_the_thread_the_provider_is_not_called(open_service: OpenMemory, provider: ProviderServer) -> None:
    memory = open_service(embedding__worker=False)
    memory.user("me").remember_many(TEXTS)
    memory.close()
    assert provider.requests == []


def test_an_outage_is_survived(open_service: OpenMemory, provider: ProviderServer) -> None:
    memory = open_service(embedding__worker=True)
    me = memory.user("me")
    provider.fault = "error_500"
    me.remember(TEXTS[0])
    assert eventually(lambda: len(provider.requests) > 0)
    me.remember_many(TEXTS[1:])
    assert all(found_by_words(me, text) for text in TEXTS)
    provider.fault = None
    assert eventually(lambda: everything_embedded(memory))
    assert_all_is_well(memory, "me", TEXTS)


def test_those_of_a_model_whose_length_is_not_known_arrive_too(
    open_service: OpenMemory, provider: ProviderServer
) -> None:
    memory = open_service(
        embedding__worker=True,
        embedding__provider="openai-compatible",
        embedding__endpoint=provider.url("openai-compatible"),
        embedding__model="some-model",
        embedding__dimensions=None,
    )
    memory.user("me").remember(TEXTS[0])
    assert eventually(lambda: memory.status().space is not None and everything_embedded(memory))
    assert_all_is_well(memory, "me", TEXTS[:1])


def test_closing_does_not_wait_for_a_provider_that_hangs(
    open_service: OpenMemory, provider: ProviderServer, clock: SteppingClock
) -> None:
    memory = open_service(embedding__worker=True, embedding__timeout_s=600.0)
    provider.fault = "hang"
    memory.user("me").remember_many(TEXTS)
    assert eventually(lambda: len(provider.requests) > 0)
    closing = Thread(target=memory.close)
    closing.start()
    closing.join(PATIENCE_S)
    assert not closing.is_alive()
    provider.fault = None
    clock.advance(days=1)
    after = open_service()
    assert after.embed_waiting().embedded == 3
    assert_all_is_well(after, "me", TEXTS)


@pytest.mark.parametrize("manner", ["close", "leave"])
def test_a_program_ends_though_a_provider_hangs(
    database: str, provider: ProviderServer, open_service: OpenMemory, manner: str
) -> None:
    overrides = {
        "database": database,
        "embedding.provider": "openai",
        "embedding.endpoint": provider.url("openai"),
        "embedding.api_key": KEY,
        "embedding.dimensions": DIMENSIONS,
        "embedding.timeout_s": 600.0,
    }
    provider.fault = "hang"
    pipe = subprocess.PIPE
    typed, module = (json.dumps(overrides), manner), "tests.embedding_service.leaving"
    with Program(*typed, env=os.environ, module=module, stdin=pipe, stdout=pipe, text=True) as program:
        try:
            assert eventually(lambda: len(provider.requests) > 0)
            said, _ = program.communicate("\n", timeout=PATIENCE_S)
        finally:
            program.kill()
    assert (said, program.returncode) == ("done\n", 0)
    memory = open_service()
    assert [record.content for record in memory.user("me").list().items] == [TEXTS[0]]
