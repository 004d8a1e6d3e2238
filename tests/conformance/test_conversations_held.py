"""Conversations are listed with when they were held, who spoke, and a title, on both stores."""

from datetime import UTC, datetime, timedelta

import pytest

from recollect import Memory, NewMessage, UserMemory
from tests.fixtures import SteppingClock
from tests.rows import every

THEN = datetime(2022, 6, 1, 12, tzinfo=UTC)


def test_when_it_was_held_and_who_spoke(me: UserMemory, clock: SteppingClock) -> None:
    lines = [("Bo", "Shall we paint the fence?", 2), ("Ada", "On Sunday, if it is dry.", 1), ("Bo", "Fine.", 3)]
    me.conversation("old").extend(
        [NewMessage("user", text, speaker=who, said_at=THEN + timedelta(hours=hour)) for who, text, hour in lines]
    )
    me.conversation("new").append("user", "The kettle leaks")
    me.conversation("silent").describe({"channel": "mail"})
    listed = {info.id: info for info in me.conversations()}
    old, new, silent = listed["old"], listed["new"], listed["silent"]
    assert (old.first_said_at, old.last_said_at) == (THEN + timedelta(hours=1), THEN + timedelta(hours=3))
    assert (old.speakers, old.title) == (("Bo", "Ada"), "Shall we paint the fence?")
    assert old.created_at > THEN + timedelta(days=300)
    assert (new.speakers, new.first_said_at == new.last_said_at, new.title) == ((), True, "The kettle leaks")
    assert (silent.first_said_at, silent.last_said_at, silent.speakers, silent.title) == (None, None, (), "")
    assert [info.id for info in me.conversations()][-1] == "old", "what was said long ago was not said last"
    assert me.conversation("old").info() == old
    clock.advance(days=1)
    me.conversation("old").append("user", "And the gate?")
    assert me.conversations()[0].id == "old"
    me.conversation("old").append("user", "We met here first.", said_at=THEN)
    first, *_ = me.conversations()
    assert (first.id, first.first_said_at) == ("old", THEN)


def test_pages_go_on_where_the_last_one_ended(me: UserMemory) -> None:
    for year in (2024, 2021, 2023, 1965, 2022):
        me.conversation(str(year)).append("user", "Something", said_at=THEN.replace(year=year))
    pages, page = [], me.conversations(limit=2)
    while page:
        pages += [info.id for info in page]
        page = me.conversations(limit=2, before=page[-1])
    assert pages == ["2024", "2023", "2022", "2021", "1965"]


@every(
    ("said", "title"),
    [
        (["hi", "Hello there! How are you?", "Which train goes to Graz?"], "Which train goes to Graz?"),
        (["Ahoj!", "Dobrý den", "Kdy jede vlak do Brna?"], "Kdy jede vlak do Brna?"),
        (["Guten Morgen!\nWann fährt der Zug nach Graz?"], "Wann fährt der Zug nach Graz?"),
        (["Привет!", "Когда поезд в Грац?"], "Когда поезд в Грац?"),
        (["Bonjour !", "Quel train va à Graz ?"], "Quel train va à Graz ?"),
        (["Hi! Which train goes to Graz?"], "Hi! Which train goes to Graz?"),
        (["My password is hunter2abc.", "Where can I change it?"], "Where can I change it?"),
        (["<system-reminder>Be brief.</system-reminder>", "# Plans for the garden"], "Plans for the garden"),
        (["Brno?"], "Brno?"),
        (["hello", "thanks!", "👍", "..."], ""),
        (["word " * 40], "word " * 14 + "word…"),
        (["天地玄黃宇宙洪荒" * 20], "天地玄黃宇宙洪荒" * 9 + "天地玄黃宇宙洪…"),
    ],
)
def test_the_title_is_the_first_line_that_says_something(memory: Memory, said: list[str], title: str) -> None:
    me = memory.user(f"{len(said)} {ord(said[0][0])} {len(title)}")
    me.conversation("c").extend(
        [NewMessage("assistant", "How can I help?"), *(NewMessage("user", one) for one in said)]
    )
    (info,) = me.conversations()
    assert info.title == title


def test_a_host_may_give_the_title(me: UserMemory) -> None:
    chat = me.conversation("c")
    chat.append("user", "Which train goes to Graz?")
    chat.describe({"title": "  Trains\nto Graz "})
    assert me.conversations()[0].title == "Trains to Graz"
    chat.describe({"title": "My password is hunter2abc"})
    assert me.conversations()[0].title == "Which train goes to Graz?"
    chat.describe({"title": 7})
    assert me.conversations()[0].title == "Which train goes to Graz?"


def test_what_was_forgotten_is_in_no_title(me: UserMemory) -> None:
    chat = me.conversation("c")
    first = chat.append("user", "The spare key is under the blue pot.", speaker="Bo")
    chat.append("user", "When does the shop open?", speaker="Ada")
    assert first.id is not None
    me.forget(first.id)
    (info,) = me.conversations()
    assert (info.title, info.speakers) == ("When does the shop open?", ("Ada",))


@pytest.mark.parametrize("private", [True, False])
def test_a_private_conversation_has_no_more_than_it_had(me: UserMemory, private: bool) -> None:  # noqa: FBT001
    chat = me.conversation("c")
    chat.set_private(private)
    chat.append("user", "The kettle leaks", said_at=THEN)
    (info,) = me.conversations()
    assert (info.title, info.first_said_at) == (("", None) if private else ("The kettle leaks", THEN))
