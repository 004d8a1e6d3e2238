"""Contents in the manner of OpenAI, Anthropic and OpenClaw: whatever is in them is found in what is kept."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import NewMessage, ToolCall
from recollect.dialogue.blocks import messages_of, read_content, role_of, tool_calls
from recollect.errors import InvalidMessage
from tests.rows import every

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=8)


def one(offered: Any) -> NewMessage:
    (message,) = messages_of(offered)
    return message


def test_a_plain_text_is_the_text() -> None:
    assert one({"role": "user", "content": "Hello"}) == NewMessage("user", "Hello")
    assert read_content("Hello").text == "Hello"


def test_openai() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": '{"place": "Brno"}'}}
    message = one({"role": "assistant", "content": None, "tool_calls": [call], "id": "m1", "model": "gpt"})
    assert tool_calls(message.tool_calls) == (ToolCall("call_1", "look", '{"place": "Brno"}'),)
    assert (message.content, message.id, message.model) == ("", "m1", "gpt")
    result = one({"role": "tool", "tool_call_id": "call_1", "content": "sunny"})
    assert (result.role, result.tool_call_id, result.content) == ("tool", "call_1", "sunny")
    parts = read_content(
        [{"type": "input_text", "text": "See"}, {"type": "image_url", "image_url": {"url": "https://x/y"}}]
    )
    assert parts.text == "See\n[image_url]"
    assert parts.blocks[1]["image_url"] == {"url": "https://x/y"}


@every(
    ("role", "fields", "speaker"),
    [
        ("user", {"name": "Jana"}, "Jana"),
        ("assistant", {"name": "Butler"}, "Butler"),
        ("user", {"name": "jana_k", "speaker": "Jana"}, "Jana"),
        ("user", {"name": "Jana", "speaker": ""}, "Jana"),
        ("user", {"name": None}, ""),
        ("user", {"name": {"first": "Jana"}}, ""),
        ("tool", {"name": "look", "tool_call_id": "t"}, ""),
        ("function", {"name": "look", "tool_call_id": "t"}, ""),
    ],
)
def test_who_speaks(role: str, fields: dict[str, Any], speaker: str) -> None:
    assert one({"role": role, "content": "Hello", **fields}).speaker == speaker


def test_anthropic() -> None:
    content = [
        {"type": "thinking", "thinking": "Where is it?", "signature": "…"},
        {"type": "text", "text": "I will look."},
        {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"place": "Žďár"}},
    ]
    thought, answer = messages_of({"role": "assistant", "content": content, "id": "m2", "model": "claude"})
    assert (thought.role, thought.content, thought.id, thought.model) == (
        "reasoning",
        "Where is it?",
        "m2#thinking",
        "claude",
    )
    parts = read_content(answer.content)
    assert (answer.role, answer.id, parts.text) == ("assistant", "m2", "I will look.")
    assert parts.calls == (ToolCall("toolu_1", "look", '{"place": "Žďár"}'),)
    results = [
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "sunny"}]},
        {"type": "tool_result", "tool_use_id": "toolu_2", "content": None},
    ]
    first, second = messages_of({"role": "user", "content": results, "id": "m3"})
    assert (first.role, first.tool_call_id, first.id) == ("tool", "toolu_1", "m3#result0")
    assert read_content(first.content).text == "sunny"
    assert (second.tool_call_id, second.id, second.content) == ("toolu_2", "m3#result1", "")


def test_a_result_with_words_of_the_user_is_two_messages() -> None:
    content = [{"type": "tool_result", "tool_use_id": "t", "content": "sunny"}, {"type": "text", "text": "And now?"}]
    result, said = messages_of({"role": "user", "content": content})
    assert (said.role, read_content(said.content).text) == ("user", "And now?")
    assert (result.role, result.content, result.id) == ("tool", "sunny", "")


def test_openclaw() -> None:
    call = {"type": "toolCall", "id": "c1", "name": "look", "arguments": {"place": "Brno"}}
    message = one({"role": "assistant", "content": [call], "timestamp": 1_772_355_600_000})
    assert read_content(message.content).calls == (ToolCall("c1", "look", '{"place": "Brno"}'),)
    assert message.said_at == datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
    result = one({"role": "toolResult", "toolCallId": "c1", "content": [{"type": "text", "text": "sunny"}]})
    assert (result.role, result.tool_call_id) == ("tool", "c1")


@every(
    ("fields", "name"),
    [
        ({"__openclaw": {"id": "m1", "seq": 4}, "idempotencyKey": "k1:user"}, "m1"),
        ({"__openclaw": {"senderIsOwner": True}, "idempotencyKey": "k1:user"}, "k1:user"),
        ({"id": "own", "__openclaw": {"id": "m1"}}, "own"),
        ({"__openclaw": "m1"}, ""),
    ],
)
def test_how_openclaw_names_a_message(fields: dict[str, Any], name: str) -> None:
    assert one({"role": "user", "content": "Hello", **fields}).id == name


@every(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 3, "reasoning_tokens": 2}, (10, 3, 2)),
        ({"input_tokens": 10, "output_tokens": 3}, (10, 3, None)),
        ({"input": 10, "output": 3, "thinking_tokens": 4}, (10, 3, 4)),
        ({"input_tokens": "ten"}, (None, None, None)),
        (None, (None, None, None)),
    ],
)
def test_what_a_model_was_paid_for(usage: Any, expected: tuple[int | None, ...]) -> None:
    message = one({"role": "assistant", "content": "Hello", "usage": usage})
    assert (message.input_tokens, message.output_tokens, message.thinking_tokens) == expected


@every(
    ("given", "expected"),
    [
        (1_772_355_600, datetime(2026, 3, 1, 9, 0, tzinfo=UTC)),
        (1_772_355_600.5, datetime(2026, 3, 1, 9, 0, 0, 500_000, tzinfo=UTC)),
        ("2026-03-01T10:00:00+01:00", datetime(2026, 3, 1, 9, 0, tzinfo=UTC)),
        ("2026-03-01T09:00:00", datetime(2026, 3, 1, 9, 0, tzinfo=UTC)),
        (None, None),
    ],
)
def test_moments_as_hosts_write_them(given: object, expected: datetime | None) -> None:
    assert one({"role": "user", "content": "Hello", "said_at": given}).said_at == expected


@every(("name", "role"), [("human", "user"), ("AI", "assistant"), ("developer", "system")])
def test_roles_have_other_names(name: str, role: str) -> None:
    assert role_of(name) == role


@given(texts=st.lists(WORDS, min_size=1, max_size=5), bare=st.booleans())
def test_texts_in_blocks_are_the_text(texts: list[str], bare: bool) -> None:  # noqa: FBT001 - drawn
    parts = read_content([text if bare else {"type": "text", "text": text} for text in texts])
    assert parts.text == "\n".join(texts)
    assert (parts.blocks, parts.calls, parts.thinking, parts.results) == ((), (), "", ())


_BLOCKS = st.one_of(
    st.fixed_dictionaries({"type": st.sampled_from(["text", "output_text"]), "text": WORDS}),
    st.fixed_dictionaries({"type": st.sampled_from(["thinking", "reasoning"]), "thinking": WORDS}),
    st.fixed_dictionaries({"type": st.just("tool_use"), "id": WORDS, "name": WORDS, "input": st.just({"a": 1})}),
    st.fixed_dictionaries({"type": st.just("tool_result"), "tool_use_id": WORDS, "content": WORDS}),
    st.fixed_dictionaries({"type": st.sampled_from(["image", "document", "audio"]), "source": WORDS}),
)


@given(content=st.lists(_BLOCKS, min_size=1, max_size=6))
def test_nothing_is_dropped(content: list[dict[str, Any]]) -> None:
    made = list(messages_of({"role": "assistant", "content": content}))
    kept = json.dumps([[message.role, message.content, message.tool_call_id] for message in made], ensure_ascii=False)
    for block in content:
        for name, value in block.items():
            assert name == "type" or json.dumps(value, ensure_ascii=False) in kept or value in kept
    assert sum(message.role == "tool" for message in made) == sum(block["type"] == "tool_result" for block in content)


@every(
    ("offered", "words"),
    [
        ({"content": "Hello"}, "needs a role"),
        ("Hello", "needs a role"),
        ({"role": "king", "content": "Hello"}, "Unknown role 'king'"),
        ({"role": "summary", "content": "Hello"}, "Unknown role 'summary'"),
        ({"role": "user", "content": 7}, "content is a int"),
        ({"role": "user", "content": {"type": "text"}}, "list of blocks"),
        ({"role": "user", "content": [7]}, "block is a int"),
        ({"role": "assistant", "content": [{"type": "tool_use", "name": "look"}]}, "needs an id and a name"),
        ({"role": "user", "content": [{"type": "tool_result", "content": "x"}]}, "names no tool call"),
        ({"role": "user", "content": "Hello", "said_at": "yesterday"}, "'yesterday'"),
        ({"role": "user", "content": "Hello", "timestamp": 1e300}, "1e\\+300"),
    ],
)
def test_what_cannot_be_understood_is_named(offered: Any, words: str) -> None:
    with pytest.raises(InvalidMessage, match=words):
        list(messages_of(offered))
