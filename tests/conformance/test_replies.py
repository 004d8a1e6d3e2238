"""A reply is learned from together with the turn before it, and forgotten with either, on both stores."""

from pathlib import Path
from typing import Any

from recollect import Memory, UserMemory
from tests.fixtures import OpenMemory
from tests.rows import every

SISTER = "What's your sister's name?"
KEPT = f"{SISTER} Jana"
SAVED = "Nice to meet you. " + SISTER
DOG = "What's your dog's name?"

Said = list[dict[str, Any]]


def asked(question: str) -> dict[str, Any]:
    return {"role": "assistant", "content": question}


def said(text: str, speaker: str = "") -> dict[str, Any]:
    return {"role": "user", "content": text, "speaker": speaker}


def contents(me: UserMemory) -> list[str]:
    return sorted(record.content for record in me.list(limit=100).items)


def log(me: UserMemory, session: str = "s1") -> list[str]:
    return [message.content for message in me.conversation(session).messages()]


def taught(me: UserMemory, question: str = SISTER, answer: str = "Jana") -> str:
    """Have an answer learned in two turns; gives the id of the only memory."""
    me.after_turn([said("Hello!"), asked(question)], session="s1")
    me.after_turn([said(answer), asked("Noted.")], session="s1")
    (kept,) = me.list().items
    return kept.id


@every(
    ("question", "answer", "kept"),
    [
        (SISTER, "Jana", (KEPT, "sister", "", "Jana")),
        ("Where do you live?", "Brno", ("Where do you live? Brno", "user", "home", "Brno")),
        ("Kde bydlíš?", "V Brně", ("Kde bydlíš? V Brně", "user", "home", "Brně")),
        ("Как зовут твою жену?", "Ольга", ("Как зовут твою жену? Ольга", "жену", "", "Ольга")),
        (
            "Any allergies I should know about?",
            "yes, peanuts",
            ("Any allergies I should know about? yes, peanuts", "user", "allergy", "peanuts"),
        ),
        ("Where do you live?", "I live in Brno now.", ("I live in Brno now", "user", "home", "Brno")),
        ("Where do you live?", "depends", None),
        ("Shall I add that to your list?", "yes please", None),
        ("What's your PIN?", "4711", None),
        ("What's the gate code?", "4490", None),
    ],
)
def test_an_answer_is_kept_after_its_question(
    memory: Memory, question: str, answer: str, kept: tuple[str, str, str, str] | None
) -> None:
    me = memory.user(f"{question} {answer}")
    me.after_turn([said("Hello!"), asked(question)], session="s1")
    me.after_turn([said(answer), asked("Noted.")], session="s1")
    found = [(one.content, one.subject, one.key, one.value) for one in me.list().items]
    assert found == ([kept] if kept else [])


FIRST: Said = [said("Hello!"), asked(SAVED)]
SECOND: Said = [said("Jana"), asked("Noted.")]


def in_one(me: UserMemory) -> None:
    me.after_turn([*FIRST, *SECOND], session="s1")


def in_two(me: UserMemory) -> None:
    for turn in (FIRST, SECOND):
        me.after_turn(turn, session="s1")


def whole_each_time(me: UserMemory) -> None:
    me.after_turn(FIRST, session="s1")
    for _ in range(2):
        me.after_turn([*FIRST, *SECOND], session="s1")


def request_first(me: UserMemory) -> None:
    for turn in (FIRST, SECOND):
        me.before_prompt(turn[0]["content"], session="s1")
        me.after_turn(turn, session="s1")


def answers_alone(me: UserMemory) -> None:
    for turn in (FIRST, SECOND):
        me.before_prompt(turn[0]["content"], session="s1")
        me.after_turn(turn[1:], session="s1")
        me.after_turn(turn[1:], session="s1")


def first_turn_late(me: UserMemory) -> None:
    me.before_prompt("Jana", session="s1", id="m3")
    me.after_turn(FIRST, session="s1")
    me.after_turn([{**SECOND[0], "id": "m3"}, SECOND[1]], session="s1")


def question_by_hand(me: UserMemory) -> None:
    me.conversation("s1").extend(FIRST)
    me.after_turn(SECOND, session="s1")


def with_tools(me: UserMemory) -> None:
    call = {"id": "t1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    between: Said = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "t1", "content": DOG},
    ]
    me.after_turn([FIRST[0], *between, FIRST[1]], session="s1")
    me.after_turn([{"role": "system", "content": "Be brief."}, *SECOND], session="s1")


WAYS = (in_one, in_two, whole_each_time, request_first, answers_alone, first_turn_late, question_by_hand, with_tools)


def test_an_answer_is_the_same_however_it_is_delivered(memory: Memory) -> None:
    for way in WAYS:
        me = memory.user(way.__name__)
        way(me)
        (kept,) = me.list().items
        assert (kept.content, kept.value) == (KEPT, "Jana"), way.__name__
        origins = {origin.message.role: origin.span and origin.span.of(origin.text) for origin in
                   me.messages.origins(kept.id)}  # fmt: skip
        assert origins == {"assistant": SISTER, "user": "Jana"}, way.__name__
        assert sorted(one for one in log(me) if one in (SAVED, "Jana")) == ["Jana", SAVED], way.__name__
    assert memory.doctor() == ()


def test_a_worker_reads_a_reply_with_the_turn_before_it(open_memory: OpenMemory) -> None:
    memory = open_memory(capture__when="worker")
    whole, halves = memory.user("whole turns"), memory.user("answers alone")
    for request, answer in (("Hello!", SISTER), ("Jana", "Noted.")):
        whole.after_turn([said(request), asked(answer)], session="s1")
        halves.before_prompt(request, session="s1")
        halves.after_turn([asked(answer)], session="s1")
    assert memory.embed_waiting().read == 4
    for me in (whole, halves):
        assert contents(me) == [KEPT]
        assert len(me.messages.origins(me.list().items[0].id)) == 2


def test_a_request_teaches_with_the_answer_to_it(memory: Memory) -> None:
    # however many a host has saved before it hands over an answer, each once
    me = memory.user("user 0")
    me.before_prompt("I live in Brno.", session="s1")
    me.before_prompt("I'm allergic to peanuts.", session="s1")
    outcome = me.after_turn([asked("Noted.")], session="s1")
    assert [one.action for one in outcome.captured] == ["created", "created"]
    assert me.after_turn([asked("Noted.")], session="s1").captured == ()
    assert contents(me) == ["I live in Brno", "I'm allergic to peanuts"]

    # an older answer that arrives again or late says nothing about the newest request
    me = memory.user("user 1")
    me.after_turn([said("Hello!"), {**asked("Hi!"), "id": "a1"}], session="s1")
    me.before_prompt("I live in Brno.", session="s1")
    me.after_turn([{**asked("Hi!"), "id": "a1"}], session="s1")
    me.after_turn([said("Good evening!"), asked("Good evening!")], session="s1")
    assert contents(me) == []

    # what was imported is trusted less than what the user says
    me = memory.user("user 2")
    me.conversation("s1").import_messages([said("I live in Brno.")])
    me.after_turn([asked("Noted.")], session="s1")
    assert contents(me) == []

    # nor does a private conversation teach, or what was saved before it was made private
    me = memory.user("user 3")
    me.before_prompt("I live in Brno.", session="s1")
    me.conversation("s1").set_private()
    me.after_turn([asked("Noted.")], session="s1")
    assert contents(me) == []


def test_an_answer_is_forgotten_with_its_question_or_its_message(memory: Memory) -> None:
    for place in (1, 2):
        me = memory.user(f"message {place}")
        taught(me)
        me.forget(me.conversation("s1").messages()[place].id)
        assert contents(me) == []

    me = memory.user("by its session")
    taught(me)
    me.forget(session="s1")
    assert (contents(me), log(me)) == ([], [])

    me = memory.user("by its id")
    me.forget(taught(me, SAVED), sources=True)
    assert (contents(me), log(me)) == ([], ["Hello!", "Nice to meet you.", "Noted."])

    for query in (KEPT, "sister's name"):
        me = memory.user(f"by {query}")
        taught(me, SAVED)
        me.forget(query=query, all=True)
        assert (contents(me), log(me)) == ([], ["Hello!", "Nice to meet you.", "Noted."])
    assert memory.doctor() == ()


def test_a_forgotten_question_does_not_come_back_with_a_reply(memory: Memory) -> None:
    # it is not in the log any more
    me = memory.user("user 0")
    me.after_turn([said("Hello!"), asked(SISTER)], session="s1")
    me.forget(me.conversation("s1").messages()[1].id)
    me.after_turn([said("Jana"), asked("Noted.")], session="s1")
    assert contents(me) == []

    # nor when the host hands over the whole conversation, and another question was asked before
    me = memory.user("user 1")
    turns = [said("Hello!"), asked(DOG), said("Baryk"), asked(SISTER)]
    me.after_turn(turns, session="s1")
    me.forget(me.conversation("s1").messages()[3].id)
    me.after_turn([*turns, said("Jana"), asked("Noted.")], session="s1")
    assert contents(me) == [f"{DOG} Baryk"]

    # nor does an answer that was forgotten
    me = memory.user("user 2")
    turns = [said("Hello!"), asked(SISTER), said("Jana"), asked("Noted.")]
    me.after_turn(turns, session="s1")
    me.forget(query=KEPT, all=True)
    me.after_turn(turns, session="s1")
    assert contents(me) == []
    assert not any("sister" in text for text in log(me))


def test_the_question_is_forgotten_while_its_answer_waits_for_a_worker(open_memory: OpenMemory) -> None:
    memory = open_memory(capture__when="worker")
    me = memory.user("me")
    me.after_turn([said("Hello!"), asked(SISTER)], session="s1")
    me.after_turn([said("Jana"), asked("Noted.")], session="s1")
    me.forget(me.conversation("s1").messages()[1].id)
    memory.embed_waiting()
    assert contents(me) == []


def test_a_private_passage_is_no_question(memory: Memory, me: UserMemory) -> None:
    me.after_turn([said("Hello!"), asked(f"Good evening. <private>{SISTER}</private>")], session="s1")
    me.after_turn([said("Jana"), asked("Noted.")], session="s1")
    assert not any("sister" in content for content in contents(me))
    me.conversation("s2").set_private()
    assert me.messages.capture("Jana", session="s2", before=SISTER) == ()
    assert memory.doctor() == ()


def test_what_was_known_does_not_hang_on_the_question(memory: Memory, me: UserMemory) -> None:
    me.after_turn([said("I live in Brno."), asked("Nice.")], session="s1")
    (known,) = me.list().items
    me.after_turn([said("Hello!"), asked("Where do you live?")], session="s2")
    (again,) = me.after_turn([said("Brno"), asked("Noted.")], session="s2").captured
    assert (again.action, again.id) == ("duplicate", known.id)
    assert [origin.message.content for origin in me.messages.origins(known.id)] == ["I live in Brno.", "Brno"]
    me.forget(session="s1")
    assert contents(me) == ["I live in Brno"]
    me.forget(me.conversation("s2").messages()[2].id)
    assert contents(me) == []
    assert memory.doctor() == ()


def test_people_of_a_group_answer_each_other(memory: Memory, me: UserMemory) -> None:
    me.after_turn([said("Petr, what's your dog's name?", "Jana"), said("Baryk", "Petr")], session="s1")
    (kept,) = me.list().items
    assert kept.content == "Petr, what's your dog's name? Baryk"
    assert [origin.message.speaker for origin in me.messages.origins(kept.id)] == ["Jana", "Petr"]

    # what a person says after a question of their own answers nothing
    me = memory.user("alone")
    me.after_turn([said(DOG, "Petr"), said("Baryk", "Petr")], session="s1")
    assert not any(DOG in content for content in contents(me))


@every(
    ("question", "answer", "kept"),
    [
        ("Wie heißt dein Hund?", "his name is Rex", "Rex"),
        ("What's your dog's name?", "jmenuje se Baryk", "Baryk"),
        ("Jak se jmenuje tvá sestra?", "Jana", "Jana"),
    ],
)
def test_the_turn_before_may_be_in_another_language(memory: Memory, question: str, answer: str, kept: str) -> None:
    me = memory.user(question)
    me.after_turn([said("Hello!"), asked(question)], session="s1")
    me.after_turn([said(answer), asked("Noted.")], session="s1")
    (record,) = me.list().items
    assert (record.content, record.value) == (f"{question} {answer}", kept)


def test_a_text_is_captured_after_what_was_said_before_it(memory: Memory) -> None:
    # as the caller says
    me = memory.user("user 0")
    assert [one.content for one in me.messages.preview_capture("Jana", before=SISTER)] == [KEPT]
    assert me.messages.should_capture("Jana", before=SISTER)
    assert not me.messages.should_capture("Jana")
    assert [one.action for one in me.messages.capture("Jana", session="s1", before=SISTER)] == ["created"]
    assert contents(me) == [KEPT]
    (statement,) = me.messages.read("Jana", before=SISTER).statements
    assert (statement.is_answer, statement.about) == (True, "your sister")
    (captured,) = me.messages.explain("Jana", before=SISTER).captured
    assert captured.question is not None

    # or as the session has it
    me = memory.user("user 1")
    me.conversation("s1").append("assistant", SISTER)
    me.messages.capture("Jana", session="s1")
    (kept,) = me.list().items
    assert kept.content == KEPT
    assert [origin.message.content for origin in me.messages.origins(kept.id)] == [SISTER]
    me.forget(me.conversation("s1").messages()[0].id)
    assert contents(me) == []


def test_a_secret_that_was_asked_for_is_named_and_not_kept(me: UserMemory) -> None:
    explained = me.messages.explain("4490", before="What's the gate code?")
    assert explained.captured == ()
    assert {one.reason for one in explained.skipped} <= {"secret"}
    assert me.messages.capture("4490", session="s1", before="What's the gate code?") == ()


def test_an_answer_survives_its_archive(open_memory: OpenMemory, tmp_path: Path) -> None:
    memory = open_memory()
    me = memory.user("me")
    kept = taught(me)
    me.export(tmp_path / "me.zip")
    other = open_memory(database=str(tmp_path / "other.db"))
    other.user("me").import_archive(tmp_path / "me.zip")
    moved = other.user("me")
    assert moved.messages.origins(kept) == me.messages.origins(kept)
    moved.forget(moved.conversation("s1").messages()[1].id)
    assert contents(moved) == []


def test_a_value_that_was_answered_takes_the_place_of_the_older_one(me: UserMemory) -> None:
    me.after_turn([said("I live in Graz."), asked("Where do you live now?")], session="s1")
    me.after_turn([said("Brno"), asked("Noted.")], session="s1")
    (home,) = me.facts("user", key="home")
    assert (home.content, home.value) == ("Where do you live now? Brno", "Brno")
    assert [record.value for record in me.history(home.id)] == ["Graz", "Brno"]
