# ruff: noqa: RUF001  # letters of other alphabets are the point here
import json
from typing import Any

import pytest

from recollect.errors import LlmError
from recollect.llm import ChatClient, ChatExtractor
from recollect.model.messages import Captured, Usage
from recollect.ports import Extractor
from tests.llm.server import ChatServer, Reply, completion, failure

SAID = (
    "I moved to Brno in 2024 and my favourite editor is Helix. Ich trinke lieber Tee. Мне нравится чай с мятой. "
    "I don't like working on Sundays."
)
EDITOR = {
    "content": "my favourite editor is Helix",
    "type": "preference",
    "subject": "me",
    "key": "Favourite Editor",
    "value": "Helix",
}


@pytest.fixture
def extractor(client: ChatClient) -> Extractor:
    return ChatExtractor(client)


def answer(*findings: Any) -> Reply:
    return completion(json.dumps({"findings": findings}, ensure_ascii=False))


def test_a_finding_is_what_the_user_said(server: ChatServer, extractor: Extractor) -> None:
    server.replies = [answer(EDITOR)]
    found, usage = extractor.extract(SAID, 5)
    assert found == (
        Captured(
            content="my favourite editor is Helix",
            type="preference",
            subject="me",
            key="favourite editor",
            value="Helix",
            confidence=0.7,
            rule="llm",
        ),
    )
    assert usage == Usage(120, 30)


def test_the_model_is_told_what_it_needs(server: ChatServer, extractor: Extractor) -> None:
    server.replies = [answer()]
    assert extractor.extract(SAID, 3) == ((), Usage(120, 30))
    instructions, question = (part["content"] for part in server.requests[0].body["messages"])
    assert "at most 3 findings" in instructions
    assert '{"findings": [{"content"' in instructions
    assert "preference, decision, fact" in instructions
    assert "session_summary" not in instructions
    mark = question.split("<said ")[1].split(">")[0]
    assert mark in instructions
    assert question == f"<said {mark}>\n{SAID}\n</said {mark}>"


@pytest.mark.parametrize(
    "content",
    [
        "User moved to Brno in 2024",
        "The user's favourite editor is Helix",
        "Ich trinke lieber Tee.",
        "Пользователь: нравится чай с мятой",
    ],
)
def test_a_finding_may_be_reworded_a_little(server: ChatServer, extractor: Extractor, content: str) -> None:
    server.replies = [answer({"content": content, "type": "fact"})]
    [found] = extractor.extract(SAID, 5)[0]
    assert (found.content, found.key, found.value) == (content, "", "")


@pytest.mark.parametrize(
    "finding",
    [
        {"content": "I moved to Brno in 2023", "type": "fact"},
        {"content": "I am allergic to peanuts and cats", "type": "fact"},
        {"content": "I never moved to Brno in 2024", "type": "fact"},
        {"content": "I like working on Sundays", "type": "preference"},
        {"content": "I moved to Brno because my employer asked me to transfer there", "type": "fact"},
        {"content": "I moved to Brno in 2024", "type": "session_summary"},
        {"content": "I moved to Brno in 2024", "type": "secret"},
        {"content": "I moved to Brno in 2024", "type": ["fact"]},
        {"content": "Helix", "type": "fact"},
        {"content": "Helix " * 100, "type": "fact"},
        {"content": ["my favourite editor is Helix"], "type": "fact"},
        {"type": "fact"},
        "my favourite editor is Helix",
        None,
    ],
)
def test_what_is_invented_or_malformed_is_dropped(server: ChatServer, extractor: Extractor, finding: object) -> None:
    server.replies = [answer(finding, EDITOR)]
    found, _ = extractor.extract(SAID, 5)
    assert [item.content for item in found] == [EDITOR["content"]]


@pytest.mark.parametrize(
    "change", [{"value": "Emacs"}, {"value": ""}, {"key": "a\u0000b" * 40}, {"subject": "x" * 300}]
)
def test_a_slot_is_filled_only_with_what_was_said(
    server: ChatServer, extractor: Extractor, change: dict[str, str]
) -> None:
    server.replies = [answer(EDITOR | change)]
    [found] = extractor.extract(SAID, 5)[0]
    assert (found.subject, found.key, found.value) == ("", "", "")


def test_no_more_than_asked_for_and_none_twice(server: ChatServer, extractor: Extractor) -> None:
    server.replies = [answer(EDITOR, EDITOR, {"content": "I moved to Brno in 2024", "type": "event"}, EDITOR)]
    assert len(extractor.extract(SAID, 5)[0]) == 2
    assert len(extractor.extract(SAID, 1)[0]) == 1


@pytest.mark.parametrize("wrapped", ["```json\n{}\n```", "Here you are:\n{}\nAnything else?", "{}"])
def test_json_is_found_wherever_it_stands(server: ChatServer, extractor: Extractor, wrapped: str) -> None:
    server.replies = [completion(wrapped.replace("{}", json.dumps([EDITOR])))]
    assert len(extractor.extract(SAID, 5)[0]) == 1


@pytest.mark.parametrize("text", ["", "I found nothing.", '{"findings": "none"}', "{" * 5_000, '{"findings": [', "7"])
def test_what_is_not_the_asked_json_is_an_error(server: ChatServer, extractor: Extractor, text: str) -> None:
    server.replies = [completion(text)]
    with pytest.raises(LlmError) as caught:
        extractor.extract(SAID, 5)
    assert caught.value.usage_tokens == 150


def test_a_model_that_cannot_be_asked_is_an_error(server: ChatServer, extractor: Extractor) -> None:
    server.replies = [failure(503)]
    with pytest.raises(LlmError):
        extractor.extract(SAID, 5)


@pytest.mark.parametrize(("text", "limit"), [("", 5), ("  short ", 5), (SAID, 0)])
def test_nothing_is_asked_when_nothing_can_be_found(
    server: ChatServer, extractor: Extractor, text: str, limit: int
) -> None:
    assert extractor.extract(text, limit) == ((), Usage())
    assert server.requests == []
