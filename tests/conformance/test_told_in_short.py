"""A name or a place that is told in short is no correction, on both stores."""

from recollect import Memory, UserMemory
from tests.fixtures import SteppingClock
from tests.rows import every


def held(me: UserMemory, key: str) -> list[str]:
    return [row.value for row in me.list().items if row.key == key]


@every(
    ("key", "whole", "short"),
    [
        ("name", "Petra Novák", "Petra"),
        ("name", "Petra Novák", "Novák"),
        ("name", "Анна Мария Иванова", "анна иванова"),
        ("home", "Brno, Czech Republic", "Brno"),
        ("location", "the shelf, the kitchen", "The kitchen."),
    ],
)
def test_a_shorter_form_changes_nothing_and_a_fuller_one_is_taken(
    memory: Memory, key: str, whole: str, short: str
) -> None:
    me = memory.user(f"{whole} {short}")
    first = me.facts.set("user", key, short)
    fuller = me.facts.set("user", key, whole)
    assert (fuller.action, fuller.existing_id) == ("superseded", first.id)
    again = me.facts.set("user", key, short)
    assert (again.action, again.existing_id) == ("duplicate", fuller.id)
    assert held(me, key) == [whole]
    guess = me.facts.set("user", key, short, source="inferred")
    assert guess.action == "duplicate"
    assert me.facts.doubts() == ()


@every(
    ("key", "one", "other"),
    [
        ("name", "Petra Novák", "Petra Svobodová"),
        ("name", "Petra Novák", "Novák Petra Marie"),
        ("home", "New York", "York"),
        ("home", "Brno, Czech Republic", "Republic"),
        ("colour", "light blue", "blue"),
        ("diet", "vegan, gluten-free", "vegan"),
    ],
)
def test_another_value_is_a_correction(memory: Memory, key: str, one: str, other: str) -> None:
    me = memory.user(f"{one} {other}")
    me.facts.set("user", key, one)
    assert me.facts.set("user", key, other).action == "superseded"
    assert held(me, key) == [other]


def test_what_is_trusted_more_is_taken_in_short_too(me: UserMemory) -> None:
    me.facts.set("user", "name", "Petra Novák", source="web")
    assert me.facts.set("user", "name", "Petra").action == "superseded"
    assert held(me, "name") == ["Petra"]


def test_a_name_is_told_in_a_conversation(me: UserMemory, clock: SteppingClock) -> None:
    for number, text in enumerate(
        ("My name is Petra.", "My name is Petra Novák.", "Jmenuji se Petra a preferuji čaj.")
    ):
        me.after_turn([{"role": "user", "content": text}], session=f"s{number}")
        clock.advance(days=1)
    assert held(me, "name") == ["Petra Novák"]
    assert [one.replaces for one in me.messages.preview_capture("My name is Petra.") if one.key == "name"] == [""]
    assert me.facts.doubts() == ()
