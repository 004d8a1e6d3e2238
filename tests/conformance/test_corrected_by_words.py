"""Messages that correct what is known by their words: what they deny, and what they say is over."""

from collections.abc import Sequence

from recollect import Memory, UserMemory
from tests.rows import every


def tell(me: UserMemory, *messages: str) -> None:
    """Say messages in one conversation, each answered."""
    for message in messages:
        me.after_turn([{"role": "user", "content": message}, {"role": "assistant", "content": "Noted."}], session="s1")


def known(me: UserMemory) -> set[str]:
    return {record.content for record in me.list(limit=100).items}


@every(
    ("told", "over"),
    [
        (("I drive a Skoda", "I sold the Skoda, now I drive a Tesla"), "I drive a Skoda"),
        (("Ich fahre einen Golf.", "Wir haben den Golf gestern verkauft."), "Ich fahre einen Golf"),
    ],
)
def test_what_is_over_goes_to_the_history(memory: Memory, told: Sequence[str], over: str) -> None:
    me = memory.user(over)
    tell(me, told[0])
    (before,) = me.list().items
    tell(me, *told[1:])
    assert over not in known(me)
    ended = me.get(before.id)
    assert ended.superseded_by is not None
    assert ended.valid_until is not None
    assert me.history(before.id)[0].content == over
    assert memory.doctor() == ()


def test_what_is_said_of_something_else_ends_nothing(memory: Memory) -> None:
    me = memory.user("me")
    tell(me, "I drive a Skoda", "I sold my old bike last week.", "My sister sold her Skoda.")
    assert "I drive a Skoda" in known(me)


def test_what_is_denied_is_corrected_where_it_is_kept(memory: Memory) -> None:
    me = memory.user("me")
    first = me.preferences.set("lighting", "evening_brightness", "40 %", context="after_sunset")
    tell(me, "No, not 40 %, I want 60 % in the evening from now on")
    (held,) = me.preferences("lighting")
    assert (held.key, held.value, held.context) == ("evening_brightness", "60 %", "after_sunset")
    assert "I want 60 % in the evening from now on" in held.content
    assert me.get(first.id).superseded_by == held.id


def test_a_value_without_a_key_is_corrected_too(memory: Memory) -> None:
    me = memory.user("me")
    tell(me, "I like the light at 40 % in the evening")
    assert len(known(me)) == 1
    tell(me, "No, not 40 %, I want 60 % in the evening from now on")
    assert not any("40 %" in content for content in known(me))
    assert any("60 %" in content for content in known(me))


def test_a_denial_of_nothing_that_is_known_changes_nothing(memory: Memory) -> None:
    me = memory.user("me")
    kept = me.preferences.set("lighting", "evening_brightness", "40 %")
    tell(me, "not 30 % but 60 %", "not 40 %, please")
    assert [held.id for held in me.preferences("lighting")] == [kept.id]
    assert memory.user("other").count() == 0


@every(
    ("told", "said"),
    [
        ("My sister's favourite colour is blue", "Make the header not blue but green, please"),
        ("I like the light at 40 % in the evening", "No, not 40 % of the budget but 60 % went to rent"),
        ("I drive a Skoda", "the Skoda stopped on the motorway yesterday"),
    ],
)
def test_what_is_said_of_something_else_corrects_nothing(memory: Memory, told: str, said: str) -> None:
    me = memory.user(told)
    tell(me, told)
    (before,) = me.list().items
    tell(me, said)
    kept = me.get(before.id)
    assert (kept.content, kept.value, kept.superseded_by) == (before.content, before.value, None)


def test_what_is_meant_may_stand_in_the_turn_before(memory: Memory) -> None:
    me = memory.user("me")
    me.preferences.set("lighting", "evening_brightness", "40 %")
    tell(me, "The image is scaled to not 40 % but 60 %")
    assert [held.value for held in me.preferences("lighting")] == ["40 %"]
    me.conversation("s2").append("assistant", "I have set the evening brightness to 40 %.")
    me.after_turn([{"role": "user", "content": "not 40 % but 60 %"}], session="s2")
    assert [held.value for held in me.preferences("lighting")] == ["60 %"]
