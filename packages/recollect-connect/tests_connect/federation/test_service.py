"""What our own service answers is what we read from a node: nothing is lost, and nothing is called a lie."""

import json

from tests.fixtures import OpenMemory

from recollect import Memory
from recollect.model.literals import MEMORY_TYPES, SOURCES
from recollect.service.responses import RecallBody, dump
from recollect_connect.federation.node_answers import parse_answer
from tests_connect.federation.server import closed_port


def filled(memory: Memory) -> Memory:
    me = memory.user("anna")
    for kind in MEMORY_TYPES:
        me.remember(f"tea of the type {kind}", type=kind, lat=50.1, lng=14.4, metadata={"a": [1, None]})
    chat = me.conversation("c1")
    for role in ("user", "assistant", "system", "reasoning"):
        chat.append(role, f"tea, says the {role}")
    return memory


def test_an_answer_of_our_service_is_read_whole(open_memory: OpenMemory) -> None:
    memory = filled(open_memory())
    found = memory.user("anna").search_context("tea", limit=100, sources=SOURCES)
    body = json.loads(dump(RecallBody, found))
    said = parse_answer(body, "office", 100)
    assert len(said.hits) == len(found.hits) > 10
    for ours, theirs in zip(found.hits, said.hits, strict=True):
        assert (theirs.id, theirs.source, theirs.type) == (ours.id, ours.source, ours.type)
        assert (theirs.content, theirs.score, theirs.created_at) == (ours.content, ours.score, ours.created_at)
        assert theirs.occurred_at == ours.occurred_at


def test_what_our_service_had_to_do_without_is_read(open_memory: OpenMemory) -> None:
    nobody = {"embedding__provider": "openai", "embedding__api_key": "sk", "embedding__endpoint": closed_port()}
    memory = filled(open_memory(**nobody, embedding__retries=0))
    found = memory.user("anna").search_context("tea")
    assert found.degraded
    assert parse_answer(json.loads(dump(RecallBody, found)), "office", 10).degraded == found.degraded
