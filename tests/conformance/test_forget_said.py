"""Forgetting what was said: by a query, wherever it is said, and by a memory with the messages it came from."""

from pathlib import Path
from threading import Event
from typing import Any

import pytest

from recollect import InvalidInput, Memory, UserMemory
from tests.rows import every
from tests.waiting import PATIENCE_S

ILL = "I have type 1 diabetes and I live in Brno. My sister is called Jana."
PITY = "Sorry to hear about your diabetes! Brno is lovely."
PHOTO = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
TURN: list[dict[str, Any]] = [{"role": "user", "content": ILL}, {"role": "assistant", "content": PITY}]


def texts(me: UserMemory, session: str = "s1") -> list[str]:
    return [message.content for message in me.conversation(session).messages()]


def everything_shown(me: UserMemory, query: str) -> str:
    """Give all that a user or a model can be shown about a query."""
    hits = me.search_context(query, limit=50).hits
    window = me.conversation("s1").window().messages if "s1" in {talk.id for talk in me.conversations()} else ()
    shown = [hit.content for hit in hits] + [message.content for message in window]
    shown += [str(record) for page in [me.list(limit=100)] for record in page.items]
    shown.append(me.before_prompt("Which illness do I have, and who is my dentist?", session="later").block)
    return "\n".join(shown).lower()


def test_a_query_reaches_every_place_that_says_it(memory: Memory, me: UserMemory) -> None:
    me.after_turn(TURN, session="s1")
    planned = me.forget(query="diabetes", all=True, dry_run=True)
    assert planned.action == "would_delete"
    assert sorted((item.kind, item.fate) for item in planned.items) == [
        ("memory", "deleted"),
        ("message", "rewritten"),
        ("message", "rewritten"),
    ]
    assert {item.text for item in planned.items} == {
        "I have type 1 diabetes",
        "I have type 1 diabetes and I live in Brno.",
        "Sorry to hear about your diabetes!",
    }
    answer = me.forget(query="diabetes", all=True)
    assert (answer.action, answer.ids, answer.rewritten) == ("deleted", planned.ids, planned.rewritten)
    assert answer.items == planned.items, "what is gone is said in words"
    assert not any(item.text for item in answer.wordless().items)
    assert "diabet" not in everything_shown(me, "diabetes")
    assert texts(me) == ["I live in Brno. My sister is called Jana.", "Brno is lovely."]
    assert all(message.metadata["forgotten_at"] for message in me.conversation("s1").messages())
    assert {record.content for record in me.list().items} == {"I live in Brno", "My sister is called Jana"}
    assert me.recall("Where do I live?").hits[0].content == "I live in Brno"
    assert me.forget(query="diabetes").action == "not_found"
    assert memory.doctor() == ()


def test_what_is_rewritten_wakes_the_worker(memory: Memory, me: UserMemory) -> None:
    me.after_turn(TURN, session="s1")
    woken = Event()

    def work(_: Event) -> None:
        woken.set()

    memory._engine.background.employ(work)
    me.forget(query="nothing that was said")
    assert not woken.is_set()
    assert len(me.forget(query="diabetes", all=True).rewritten) == 2
    assert woken.wait(PATIENCE_S)


def test_a_memory_names_and_takes_along_the_messages_that_say_it(memory: Memory) -> None:
    # what a query means in other words goes with its message
    me = memory.user("user 0")
    me.after_turn([{"role": "user", "content": "I'm allergic to peanuts. The meeting is at nine."}], session="s1")
    stored = next(record for record in me.list().items if "peanuts" in record.content)
    answer = me.forget(stored.id, sources=True)
    assert (answer.action, answer.ids, len(answer.rewritten)) == ("deleted", (stored.id,), 1)
    assert texts(me) == ["The meeting is at nine."]

    # forgetting by id names the messages that still say it
    me = memory.user("user 1")
    me.after_turn([{"role": "user", "content": "I'm allergic to peanuts."}], session="s1")
    said = me.conversation("s1").messages()[0].id
    stored = me.list().items[0]
    answer = me.forget(stored.id)
    assert (answer.action, answer.sources, answer.rewritten) == ("deleted", (said,), ())
    assert texts(me) == ["I'm allergic to peanuts."]

    # a message of which nothing is left is deleted
    me = memory.user("user 2")
    me.after_turn([{"role": "user", "content": "I'm allergic to peanuts."}], session="s1")
    answer = me.forget(query="I am allergic to peanuts")
    assert (answer.action, answer.messages, answer.rewritten) == ("deleted", 1, ())
    assert texts(me) == []
    assert memory.doctor() == ()

    # an old version that says it goes alone
    me = memory.user("user 3")
    me.facts.set("user", "home", "Ostrava")
    me.facts.set("user", "home", "Brno")
    answer = me.forget(query="Ostrava", all=True)
    assert (answer.action, [item.kind for item in answer.items]) == ("deleted", ["version"])
    assert [record.value for record in me.history(me.list().items[0].id)] == ["Brno"]


def test_a_host_that_delivers_the_history_again_brings_nothing_back(me: UserMemory) -> None:
    first = {"role": "user", "content": "Good morning, what is on today?"}
    me.after_turn([first, *TURN], session="s1")
    me.forget(query="diabetes", all=True)
    left = texts(me)
    more: list[dict[str, Any]] = [
        {"role": "user", "content": "And tomorrow?"},
        {"role": "assistant", "content": "Rain."},
    ]
    me.after_turn([first, *TURN, *more], session="s1")
    assert texts(me) == [*left, "And tomorrow?", "Rain."]
    assert "diabet" not in everything_shown(me, "diabetes")


def test_several_things_are_listed_by_kind_and_go_together_when_all_are_meant(me: UserMemory) -> None:
    me.remember("I live in Brno")
    me.remember("Jana's dentist in Brno closes on Fridays")
    me.conversation("s1").append("user", "The tram to Brno is late. I am tired.")
    answer = me.forget(query="Brno")
    assert (answer.action, answer.ids) == ("candidates", ())
    assert sorted(item.kind for item in answer.items) == ["memory", "memory", "message"]
    assert me.count() == 2
    assert me.forget(query="Brno", all=True, dry_run=True).action == "would_delete"
    assert me.forget(query="Brno", all=True).action == "deleted"
    assert me.count() == 0
    assert texts(me) == ["I am tired."]
    with pytest.raises(InvalidInput, match="belongs to a query"):
        me.forget("x", all=True)
    with pytest.raises(InvalidInput, match="belongs to an id"):
        me.forget(query="x", sources=True)


def test_what_tools_and_blocks_say_goes_and_their_form_stays(memory: Memory, me: UserMemory) -> None:
    chat = me.conversation("s1")
    chat.extend(
        [
            {"role": "user", "content": [{"type": "text", "text": "Look up insulin prices. Thanks."}, PHOTO]},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "find", "arguments": '{"q": "insulin", "n": 3}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "Insulin: 12 EUR"},
            {"role": "assistant", "content": "It costs 12 EUR.", "metadata": {"topic": "insulin"}},
        ]
    )
    assert me.forget(query="insulin", all=True).action == "deleted"
    user, call, result, answer = chat.messages()
    assert (user.content, user.blocks[0]["text"]) == ("Thanks.\n[image_url]", "Thanks.")
    assert call.tool_calls[0].arguments == '{"q": "", "n": 3}'
    assert result.content == "[forgotten]"
    assert answer.metadata["topic"] == ""
    assert [message.role for message in chat.window().messages] == ["user", "assistant", "tool", "assistant"]
    assert memory.doctor() == ()


def test_a_summary_is_made_again_without_it(memory: Memory, me: UserMemory) -> None:
    chat = me.conversation("s1")
    for number in range(8):
        chat.append(
            "user",
            f"The {number}. appointment about my diabetes is on Friday. I decided to paint room {number}.",
        )
        chat.append("assistant", f"I noted room {number}.")
    chat.compact(keep_recent=2)
    summary = chat.summary()
    assert summary is not None
    assert "diabetes" in summary.content
    answer = me.forget(query="diabetes", all=True)
    assert [item.fate for item in answer.items if item.kind == "summary"] == ["remade"]
    remade = chat.summary()
    assert remade is not None
    assert "diabetes" not in remade.content
    assert "I decided to paint room" in remade.content
    assert memory.doctor() == ()


def test_files_lose_the_sentence_and_do_not_bring_it_back(memory: Memory, me: UserMemory, tmp_path: Path) -> None:
    note = tmp_path / "notes" / "health.md"
    note.parent.mkdir()
    note.write_text("# Health\n\nMy diabetes was found in 2019. The dentist is Dr. Novak.\n\nI run on Sundays.\n")
    me.files.sync(note.parent)
    planned = me.forget(query="diabetes", all=True, dry_run=True)
    assert [(item.kind, item.path.partition(":")[0], item.text) for item in planned.items] == [
        ("file", "health.md", "My diabetes was found in 2019.")
    ]
    me.forget(query="diabetes", all=True)
    for changed in (False, True):
        shown = everything_shown(me, "diabetes") + me.files.read("health.md").text
        assert "diabetes" not in shown
        assert "Dr. Novak" in me.files.read("health.md").text
        assert "dr. novak" in everything_shown(me, "dentist")
        if not changed:
            note.write_text("# Health\n\nA new line.\n\nMy diabetes was found in 2019. The dentist is Dr. Novak.\n")
            assert me.files.sync(note.parent)[0].changed == 1
    assert memory.doctor() == ()


def test_words_that_mean_little_or_are_said_elsewhere_forget_nothing_more(memory: Memory) -> None:
    # words that carry no meaning forget nothing
    me = memory.user("user 0")
    me.conversation("s1").append("user", "What is it that you want to do with the one I told you about?")
    for query in ("what did you say?", "it", "everything we talked about"):
        assert me.forget(query=query).action in ("not_found", "candidates")
    assert len(texts(me)) == 1

    # a question means its answer
    me = memory.user("user 1")
    me.remember("I have type 1 diabetes")
    me.conversation("s1").append("user", "Which illness do I have?")
    answer = me.forget(query="which illness do I have?", dry_run=True)
    assert answer.action in ("would_delete", "candidates")
    assert [item.text for item in answer.items] in ([], ["I have type 1 diabetes"])

    # a memory in other words does not go for words that are said elsewhere
    me = memory.user("user 2")
    me.remember("The lawn mower stands in the shed")
    me.conversation("s1").append("user", "The lawnmower is broken. I am tired.")
    answer = me.forget(query="lawnmower")
    assert answer.action in ("candidates", "deleted")
    assert me.count() == 1


@every(
    "query",
    ["user", "mode", "dark mode", "Jana", "which mode do I prefer?", "I never prefer dark mode in all applications"],
)
def test_a_query_that_does_not_say_the_memory_itself_only_shows_it(me: UserMemory, query: str) -> None:
    kept = me.remember("The user and Jana prefer dark mode in all applications", type="preference")
    answer = me.forget(query=query)
    assert (answer.action, answer.ids, me.count()) == ("candidates", (), 1)
    shown = {(hit.id, hit.content, hit.type) for hit in answer.candidates if hit.created_at}
    assert (kept.id, "The user and Jana prefer dark mode in all applications", "preference") in shown
    assert me.forget(query=query, dry_run=True).action == "candidates"


@every("query", ["Prefers dark mode in all applications", "in all applications, prefers DARK mode!"])
def test_a_query_that_says_the_memory_itself_forgets_at_once_and_says_what(memory: Memory, query: str) -> None:
    me = memory.user(query)
    gone = me.remember("Prefers dark mode in all applications")
    me.remember("The room is dark")
    answer = me.forget(query=query)
    assert (answer.action, answer.ids) == ("deleted", (gone.id,))
    assert [(item.kind, item.text) for item in answer.items] == [("memory", "Prefers dark mode in all applications")]
    assert me.count() == 1


def test_few_words_take_no_longer_sentences_along(me: UserMemory) -> None:
    me.remember("Oat milk")
    talk = me.conversation("s1")
    for number in range(5):
        talk.append("user", f"Shop {number} sells oat milk for {number} EUR.")
    answer = me.forget(query="oat milk")
    assert (answer.action, me.count(), len(texts(me))) == ("candidates", 1, 5)
    assert sorted(item.kind for item in answer.items) == ["memory", *["message"] * 5]
    assert all(item.id and item.text and item.created_at for item in answer.items)
    for item in answer.items:
        assert me.forget(item.id).action == "deleted"
    assert (me.count(), texts(me)) == (0, [])


def test_whatever_is_forgotten_is_said_in_words(me: UserMemory, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "tea.md").write_text("Green tea.\n")
    me.files.sync(notes)
    me.conversation("s1").append("user", "The kettle is new.")
    kept = me.remember("Tea is in the tin", source="import")
    me.remember("The tin is red", source="camera")
    said = [
        [item.text or item.path for item in answer.items]
        for answer in (me.forget(kept.id), me.forget(source="camera"), me.forget(session="s1"), me.forget(folder=notes))
    ]
    assert said == [["Tea is in the tin"], ["The tin is red"], ["The kettle is new."], ["tea.md"]]
