"""What a conversation keeps and what of it a model is shown, on both stores."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from recollect import InvalidInput, Memory, NewMessage, NotFound, ToolCall, UserMemory
from recollect.errors import InvalidMessage
from tests.fixtures import OpenMemory, SteppingClock
from tests.rows import every
from tests.sizes import sized


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    """A store without vectors: nothing is searched here."""
    return open_memory(embedding__provider="none")


def texts(messages: Any) -> list[str]:
    return [message.content for message in messages]


def test_a_message_is_kept_with_all_that_was_said_about_it(
    memory: Memory, me: UserMemory, clock: SteppingClock
) -> None:
    moment = datetime(2026, 2, 27, 21, 30, 5, 250_001, tzinfo=UTC)
    appended = me.conversation("c").append(
        "assistant",
        "It is sunny in Brno.",
        id="m1",
        said_at=moment,
        model="gpt-9",
        input_tokens=0,
        output_tokens=12,
        thinking_tokens=3,
        metadata={"telegram_message_id": 17, "telegram_chat_id": "-100", "nested": {"a": [1, None, "ž"]}},
    )
    assert appended.action == "created"
    (kept,) = me.conversation("c").messages()
    assert kept == appended.message
    assert (kept.conversation, kept.external_id, kept.sequence, kept.role) == ("c", "m1", 1, "assistant")
    assert (kept.model, kept.input_tokens, kept.output_tokens, kept.thinking_tokens) == ("gpt-9", 0, 12, 3)
    assert kept.metadata == {"telegram_message_id": 17, "telegram_chat_id": "-100", "nested": {"a": [1, None, "ž"]}}
    assert (kept.said_at, kept.status, kept.feedback, kept.trust) == (moment, "active", None, 2)
    assert (kept.blocks, kept.tool_calls, kept.tool_call_id) == ((), (), "")
    assert 8 <= kept.tokens <= 20
    assert memory.doctor() == ()


def test_counts_of_tokens_are_kept_by_every_verb(me: UserMemory) -> None:
    counts = {"input_tokens": 900, "output_tokens": 0, "thinking_tokens": 3}
    message = {"role": "assistant", "content": "It is sunny in Brno.", **counts}
    me.conversation("append").append("assistant", "It is sunny in Brno.", **counts)  # type: ignore[arg-type]
    me.conversation("extend").extend([message])
    me.conversation("import").import_messages([{**message, "id": "m1"}])
    me.after_turn([{"role": "user", "content": "How is the weather?"}, message], session="turn")
    for name in ("append", "extend", "import", "turn"):
        kept = me.conversation(name).messages()[-1]
        assert {count: getattr(kept, count) for count in counts} == counts, name
    usage = {**message, "usage": {"input_tokens": 1, "output_tokens": 2}, "input_tokens": None, "output_tokens": 7}
    me.conversation("usage").extend([usage])
    (kept,) = me.conversation("usage").messages()
    assert (kept.input_tokens, kept.output_tokens) == (1, 7)
    with pytest.raises(InvalidMessage, match="output_tokens is -1"):
        me.conversation("extend").extend([{**message, "output_tokens": -1}])


def test_a_message_is_kept_once_and_a_batch_whole(memory: Memory) -> None:
    # a message that comes twice is kept once
    me = memory.user("user 0")
    chat = me.conversation("c")
    first = chat.append("user", "Hello", id="m1")
    again = chat.append("user", "Hello, edited", id="m1")
    assert (again.action, again.message) == ("duplicate", first.message)
    in_one_go = chat.extend([NewMessage("user", "Good day", id="m2"), NewMessage("user", "Good day", id="m2")])
    assert [one.action for one in in_one_go] == ["created", "duplicate"]
    assert in_one_go[1].id == in_one_go[0].id
    assert me.conversation("other").append("user", "Hello", id="m1").action == "created"
    assert texts(chat.messages()) == ["Hello", "Good day"]

    # without an id the same words are another message
    me = memory.user("user 1")
    chat = me.conversation("c")
    assert [chat.append("user", "yes").action for _ in range(2)] == ["created", "created"]
    assert texts(chat.messages()) == ["yes", "yes"]

    # all or nothing
    me = memory.user("user 2")
    with pytest.raises(InvalidMessage, match="empty"):
        me.conversation("c").extend([NewMessage("user", "Hello"), NewMessage("user", "  ")])
    assert me.conversation("c").messages() == ()
    assert me.stats().messages == 0


def test_messages_stand_in_the_order_in_which_they_were_said(memory: Memory, clock: SteppingClock) -> None:
    # a wrong clock does not reorder
    me = memory.user("user 0")
    chat = me.conversation("c")
    chat.append("user", "first", said_at=clock.moment + timedelta(days=400))
    chat.append("assistant", "second", said_at=clock.moment - timedelta(days=400))
    clock.advance(days=-3)
    chat.append("user", "third")
    assert texts(chat.messages()) == texts(chat.window().messages) == ["first", "second", "third"]

    # hosts that number their messages decide the order
    me = memory.user("user 1")
    chat = me.conversation("c")
    moment = clock.moment
    chat.append("user", "five", sequence=5)
    chat.append("user", "two, later", sequence=2, said_at=moment + timedelta(seconds=1))
    chat.append("user", "two, earlier", sequence=2, said_at=moment)
    after = chat.append("user", "after all").message
    assert after is not None
    assert after.sequence == 6
    assert texts(chat.messages()) == ["two, earlier", "two, later", "five", "after all"]
    assert texts(chat.window().messages) == texts(chat.messages())

    # messages of one moment stay in the order in which they came
    me = memory.user("user 2")
    chat = me.conversation("c")
    moment = clock.moment
    chat.extend([NewMessage("user", str(number), said_at=moment, sequence=7) for number in range(20)])
    assert texts(chat.messages()) == [str(number) for number in range(20)]

    # the listing goes on from a sequence
    me = memory.user("user 3")
    chat = me.conversation("c")
    chat.extend([NewMessage("user", str(number)) for number in range(10)])
    assert texts(chat.messages(limit=3)) == ["7", "8", "9"]
    assert texts(chat.messages(limit=3, before=8)) == ["4", "5", "6"]
    assert chat.messages(before=1) == ()
    assert me.conversation("nobody").messages() == ()


def test_blocks_thoughts_and_results_are_kept_apart(memory: Memory) -> None:
    # blocks are kept and come back
    me = memory.user("user 0")
    chat = me.conversation("c")
    content: list[Any] = [
        {"type": "text", "text": "What is this?"},
        {"type": "image", "source": {"url": "https://x/y"}},
    ]
    chat.append("user", content)
    chat.append("user", [{"type": "text", "text": "one"}, "two"])
    picture, plain = chat.messages()
    assert picture.content == "What is this?\n[image]"
    assert list(picture.blocks) == content
    assert (plain.content, plain.blocks) == ("one\ntwo", ())

    # thinking and results become messages of their own
    me = memory.user("user 1")
    chat = me.conversation("c")
    answer: list[Any] = [
        {"type": "thinking", "thinking": "I should look."},
        {"type": "text", "text": "One moment."},
        {"type": "tool_use", "id": "t1", "name": "look", "input": {"where": "shed"}},
    ]
    appended = chat.append("assistant", answer, id="m1")
    assert appended.message is not None
    assert appended.message.role == "assistant"
    chat.append("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "a rake"}], id="m2")
    thought, call, result = chat.messages()
    assert [thought.role, call.role, result.role] == ["reasoning", "assistant", "tool"]
    assert (thought.content, call.content, result.content) == ("I should look.", "One moment.", "a rake")
    assert call.tool_calls == (ToolCall("t1", "look", '{"where": "shed"}'),)
    assert result.tool_call_id == "t1"
    assert chat.append("assistant", answer, id="m1").action == "duplicate"
    assert len(chat.messages()) == 3

    # trust goes by who speaks
    me = memory.user("user 2")
    chat = me.conversation("c")
    chat.extend(
        [
            NewMessage("system", "Be brief."),
            NewMessage("user", "Where is it?"),
            NewMessage("reasoning", "Let me see."),
            NewMessage("assistant", tool_calls=[ToolCall("t", "look")]),
            NewMessage("tool", "In the shed.", tool_call_id="t"),
        ]
    )
    assert [(message.role, message.trust) for message in chat.messages()] == [
        ("system", 3),
        ("user", 3),
        ("reasoning", 2),
        ("assistant", 2),
        ("tool", 0),
    ]


def test_feedback_can_be_given_and_taken_back(me: UserMemory, memory: Memory) -> None:
    answer = me.conversation("c").append("assistant", "Hello")
    assert answer.id is not None
    for feedback in (1, -1, None):
        assert me.messages.rate(answer.id, feedback).feedback == feedback
        assert me.conversation("c").messages()[0].feedback == feedback
    for wrong in (0, 2, True, "1"):
        with pytest.raises(InvalidMessage, match="must be 1, -1 or None"):
            me.messages.rate(answer.id, wrong)  # type: ignore[arg-type]
    with pytest.raises(NotFound):
        memory.user("you").messages.rate(answer.id, 1)


def test_what_was_rated_down_sinks_until_that_is_undone(me: UserMemory) -> None:
    first, second = (me.remember(f"The blue pump is in the {place}").id for place in ("attic", "cellar"))
    said = [me.conversation(place).append("user", f"The red kite is in the {place}").id for place in ("loft", "shed")]
    plain = {hit.id: hit for hit in (*me.recall("blue pump").hits, *me.search_context("red kite").hits)}
    assert not any("feedback" in hit.parts.factors for hit in plain.values())
    for item, rate in ((first, me.rate), (second, me.rate), *((id_ or "", me.messages.rate) for id_ in said)):
        query = "blue pump" if item in (first, second) else "red kite"

        def seen(item: str = item, query: str = query) -> tuple[int, float]:
            hits = me.search_context(query).hits
            place = next(place for place, hit in enumerate(hits) if hit.id == item)
            return place, hits[place].parts.factors.get("feedback", 1.0)

        before = seen()
        rate(item, -1)
        assert seen()[0] >= 1
        assert seen()[1] < 0.5
        rate(item, 1)
        assert seen() == (0, 1.05)
        rate(item, None)
        assert seen() == before
    assert me.get(first).metadata == {}
    assert len(me.history(first)) == 1
    with pytest.raises(NotFound):
        me.rate(said[0] or "", 1)


def test_a_repeated_complaint_becomes_a_lesson_until_it_is_undone(memory: Memory, me: UserMemory) -> None:
    answers = [me.conversation("c").append("assistant", f"A long answer, number {n}").id or "" for n in range(3)]
    me.messages.rate(answers[0], -1, comment="Too long")
    me.messages.rate(answers[1], 1, comment="Too long")
    assert me.lessons() == ()
    me.messages.rate(answers[1], -1, comment="too long.")
    me.messages.rate(answers[2], -1, comment="Wrong")
    (lesson,) = me.lessons()
    assert (lesson.value, lesson.source, lesson.trust) == ("Too long", "learned", 2)
    assert me.conversation("c").messages()[0].metadata == {"feedback_comment": "Too long"}
    me.messages.rate(answers[2], -1, comment="too long")
    assert [one.id for one in me.lessons()] == [lesson.id]
    me.messages.rate(answers[2], None)
    assert [one.id for one in me.lessons()] == [lesson.id]
    me.messages.rate(answers[0], None)
    assert me.lessons() == ()
    me.messages.rate(answers[0], -1, comment="Too long")
    assert [one.value for one in me.lessons()] == ["Too long"]
    me.forget(session="c")
    assert me.lessons() == ()
    assert memory.doctor() == ()


def test_a_window_shows_prompts_then_the_newest_that_fit(memory: Memory) -> None:
    me = memory.user("user 0")
    chat = me.conversation("c")
    chat.append("user", "An old story that goes on and on, about a fox and a hen.")
    chat.append("system", "Be brief.")
    chat.append("reasoning", "A thought.")
    chat.append("user", "Hello there")
    chat.append("assistant", tool_calls=[{"id": "t", "name": "look", "arguments": "{}"}])
    window = chat.window(30)
    assert texts(window.messages) == ["Be brief.", "Hello there"]
    assert (window.omitted, window.max_tokens) == (2, 30)
    assert window.tokens == sum(message.tokens for message in window.messages)
    chat.append("tool", "a rake", tool_call_id="t")
    assert [message.role for message in chat.window(1_000).messages] == ["system", "user", "user", "assistant", "tool"]
    thoughtful = chat.window(1_000, reasoning=True).messages
    assert [message.role for message in thoughtful][1:3] == ["user", "assistant"]
    assert thoughtful[2].metadata == {"stored_as": "reasoning"}
    assert chat.window().max_tokens == 128_000
    assert me.conversation("nobody").window(10).messages == ()

    # a small window counts all that it leaves out
    me = memory.user("user 1")
    chat = me.conversation("c")
    chat.extend([NewMessage("user", f"Message number {number}") for number in range(100)])
    window = chat.window(30)
    assert window.messages
    assert window.omitted == 100 - len(window.messages)

    # thoughts do not take the place of what was said
    me = memory.user("user 2")
    chat = me.conversation("c")
    chat.append("user", "Hello there")
    chat.extend([NewMessage("reasoning", f"Thought {number}") for number in range(30)])
    assert texts(chat.window(30).messages) == ["Hello there"]


def test_conversations_are_listed_with_their_figures(memory: Memory, me: UserMemory) -> None:
    me.conversation("old").append("user", "Hello there")
    me.conversation("new").extend([NewMessage("user", "One"), NewMessage("assistant", "Two")])
    me.conversation("old").append("assistant", "Good day")
    memory.user("you").conversation("yours").append("user", "Hello")
    first, second = me.conversations()
    assert (first.id, first.messages, first.active_messages, first.private) == ("old", 2, 2, False)
    assert first.tokens == first.active_tokens == sum(message.tokens for message in me.conversation("old").messages())
    assert (second.id, second.messages) == ("new", 2)
    assert [info.id for info in me.conversations(limit=1)] == ["old"]
    assert me.stats().messages == 4
    assert memory.stats().messages == 5


def test_a_message_of_a_megabyte_is_kept_and_shown_only_where_it_fits(open_memory: OpenMemory) -> None:
    chat = open_memory(embedding__provider="none", compaction__auto=False).user("me").conversation("c")
    chat.append("user", "Read this")
    words = 20 * "word " * sized(2_000, 9_999)
    chat.append("user", words)
    assert chat.messages()[1].content == words.strip()
    assert texts(chat.window(1_000).messages) == ["Read this"]
    with pytest.raises(InvalidMessage, match="1,000,001 characters"):
        chat.append("user", "x" * 1_000_001)


@every(
    ("fields", "words"),
    [
        ({"role": "king", "content": "Hello"}, "Unknown role"),
        ({"role": "summary", "content": "Hello"}, "Unknown role"),
        ({"role": "user", "content": ""}, "empty"),
        ({"role": "user", "content": []}, "empty"),
        ({"role": "tool", "content": "x"}, "tool_call_id"),
        ({"role": "user", "content": "x", "sequence": -1}, "sequence is -1"),
        ({"role": "user", "content": "x", "sequence": True}, "sequence is True"),
        ({"role": "user", "content": "x", "input_tokens": 1.5}, "input_tokens is 1.5"),
        ({"role": "user", "content": "x", "id": "y" * 257}, "257 characters"),
        ({"role": "user", "content": "x", "said_at": datetime(2026, 1, 1)}, "said_at"),  # noqa: DTZ001
        ({"role": "user", "content": "x", "colour": "red"}, "colour"),
    ],
)
def test_what_cannot_be_kept_is_refused_by_name(me: UserMemory, fields: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        me.conversation("c").append(**fields)
    assert me.conversations() == ()


def test_a_conversation_needs_a_name_and_a_window_room(me: UserMemory, subtests: pytest.Subtests) -> None:
    names: tuple[Any, ...] = ("", " c", "c\n", "x" * 1_000, None, 7)
    for name in names:
        with subtests.test(name=name), pytest.raises(InvalidMessage, match="conversation id"):
            me.conversation(name)
    rooms: tuple[Any, ...] = (0, -1, 1.5, True, "many")
    for room in rooms:
        with subtests.test(room=room), pytest.raises(InvalidInput, match="max_tokens"):
            me.conversation("c").window(room)
