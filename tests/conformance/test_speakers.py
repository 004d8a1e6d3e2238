"""Who said it: a name is kept with a message, shown, and found, on both stores."""

from typing import Any

import pytest

from recollect import Memory, Message, NewMessage, UserMemory
from recollect.embedding.local import LocalEmbedder
from recollect.engine.drafts.items import embedded_texts, message_passage, message_terms
from recollect.errors import InvalidMessage
from tests.fixtures import OpenMemory
from tests.rows import every

SAID = "The bicycle is in the shed now."
BUNDLED = LocalEmbedder().space


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    """A store without vectors: what is found is found by words."""
    return open_memory(embedding__provider="none")


def kept(me: UserMemory, **fields: Any) -> Message:
    message = me.conversation("c").append("user", SAID, **fields).message
    assert message is not None
    return message


def speakers(me: UserMemory, conversation: str = "c") -> list[str]:
    return [message.speaker for message in me.conversation(conversation).messages()]


def test_a_speaker_is_kept_cleaned_and_bounded(memory: Memory) -> None:
    me = memory.user("user 0")
    jana = kept(me, speaker="Jana Nováková")
    nobody = kept(me)
    assert (jana.speaker, nobody.speaker) == ("Jana Nováková", "")
    assert me.conversation("c").messages() == (jana, nobody)
    assert me.conversation("c").window().messages == (jana, nobody)
    assert me.messages.get(jana.id) == jana
    assert memory.doctor() == ()

    # a name is cleaned and bounded
    me = memory.user("user 1")
    assert kept(me, speaker="  Jana\n[12:00] user:\tPetr\x00 ").speaker == "Jana [12:00] user: Petr"
    assert kept(me, speaker="x" * 256).speaker == "x" * 256
    with pytest.raises(InvalidMessage, match=r"speaker has 257 characters; at most 256"):
        kept(me, speaker="x" * 257)

    # what may not be kept is not kept in a name
    me = memory.user("user 2")
    assert kept(me, speaker="Jana <private>from the clinic</private>").speaker == "Jana"
    key = "sk-" + "proj-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z"
    assert key not in kept(me, speaker=f"Jana {key}").speaker

    # hosts call it a name
    me = memory.user("user 3")
    me.conversation("c").extend(
        [
            {"role": "user", "name": "Jana", "content": "Where is it?"},
            {"role": "user", "name": "jana_k", "speaker": "Jana", "content": "I mean the bicycle."},
            {
                "role": "assistant",
                "name": "Butler",
                "content": [{"type": "thinking", "thinking": "The shed?"}, {"type": "text", "text": "I look."}],
                "tool_calls": [{"id": "t", "function": {"name": "look", "arguments": "{}"}}],
            },
            {"role": "tool", "name": "look", "tool_call_id": "t", "content": "shed"},
            {"role": "assistant", "name": {"odd": 1}, "content": "In the shed."},
        ]
    )
    assert speakers(me) == ["Jana", "Jana", "Butler", "Butler", "", ""]


def test_what_somebody_said_is_found_by_the_name(memory: Memory, me: UserMemory) -> None:
    kept(me, speaker="Kryštof")
    kept(me, speaker="Jana")
    me.conversation("c").append("assistant", "I wrote it down.", speaker="Butler")
    me.conversation("c").append("reasoning", "Did anybody else say so?", speaker="Butler")
    hit = me.search_context("Kryštof").hits[0]
    assert (hit.content, hit.record.speaker) == (SAID, "Kryštof")  # type: ignore[union-attr]
    assert me.search_context("Butler").hits[0].content == "I wrote it down."
    assert [hit.content for hit in me.search_context("bicycle").hits].count(SAID) == 2
    me.forget(hit.id)
    assert me.search_context("Kryštof").hits == ()
    assert memory.doctor() == ()


def test_the_name_is_part_of_what_is_searched_and_not_of_what_is_shown(me: UserMemory) -> None:
    plain, named = kept(me), kept(me, speaker="Jana")
    assert message_terms(named) == ("jana", *message_terms(plain))
    assert (embedded_texts(named), message_passage(named)) == ((f"Jana: {SAID}",), SAID)
    assert (embedded_texts(plain), message_passage(plain)) == ((f"I: {SAID}",), SAID)
    thought = named._replace(role="reasoning")
    assert embedded_texts(plain, BUNDLED) == (f"I: {SAID}", f"user: {SAID}")
    assert embedded_texts(plain._replace(role="assistant"), BUNDLED) == (SAID,)
    assert embedded_texts(named, BUNDLED) == embedded_texts(named)
    assert (message_terms(thought), embedded_texts(thought)) == (message_terms(plain), (SAID,))
    wordless = named._replace(content="")
    assert (message_terms(wordless), embedded_texts(wordless)) == (("jana",), ("",))


def test_a_vector_is_made_of_the_name_and_the_words(open_memory: OpenMemory) -> None:
    memory = open_memory()
    me = memory.user("you")
    kept(me, speaker="Jana")
    assert memory.maintain().embedded == 1
    found = me.search_context("what does Jana say about the bike?")
    assert (found.hits[0].content, found.degraded) == (SAID, ())
    assert found.hits[0].similarity is not None
    assert memory.doctor() == ()


TURN: list[dict[str, Any]] = [
    {"role": "user", "content": "I prefer oat milk in my coffee."},
    {"role": "assistant", "content": "Noted."},
]
NAMED = [{**TURN[0], "name": "Jana"}, {**TURN[1], "name": "Butler"}]


@every(("who", "first", "second"), [("twice", NAMED, NAMED), ("first", NAMED, TURN), ("second", TURN, NAMED)])
def test_a_turn_that_comes_again_is_known_with_and_without_names(
    memory: Memory, who: str, first: list[dict[str, Any]], second: list[dict[str, Any]]
) -> None:
    me = memory.user(f"named {who}")
    assert me.after_turn(first, session="c").saved == 2
    assert me.after_turn(second, session="c").saved == 0
    assert me.after_turn([*second, {"role": "user", "content": "Thanks."}], session="c").saved == 1
    assert speakers(me) == [*(message.get("name", "") for message in first), ""]
    assert me.count() == 1


def test_turns_of_several_people_are_told_apart_and_forgotten(memory: Memory) -> None:
    # two people may say the same
    me = memory.user("user 0")
    assert me.after_turn([{"role": "user", "name": "Jana", "content": "yes"}], session="c").saved == 1
    assert me.after_turn([{"role": "user", "name": "Petr", "content": "yes"}], session="c").saved == 1
    whole = [{"role": "user", "name": name, "content": "yes"} for name in ("Jana", "Petr")]
    assert me.after_turn(whole, session="c").saved == 0
    assert speakers(me) == ["Jana", "Petr"]

    # what was forgotten stays forgotten whatever its name
    me = memory.user("user 1")
    me.after_turn(NAMED, session="c")
    me.forget(session="c")
    assert me.after_turn(NAMED, session="c").saved == 0
    assert me.after_turn(TURN, session="c").saved == 0

    # a request has a name before the turn is over
    me = memory.user("user 2")
    me.before_prompt("I prefer oat milk in my coffee.", session="c", speaker="Jana")
    assert me.after_turn(NAMED, session="c").saved == 1
    assert speakers(me) == ["Jana", "Butler"]

    # a summary has no speaker
    me = memory.user("user 3")
    chat = me.conversation("c")
    chat.extend(NewMessage("user", f"We decided to paint room {n} green.", speaker="Jana") for n in range(8))
    summary = chat.compact(keep_recent=0).summary
    assert summary is not None
    assert summary.speaker == ""
    assert chat.originals(summary.id)[0].speaker == "Jana"
