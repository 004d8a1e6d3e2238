"""A difference in meaning is never a duplicate, the same words are one memory, however they come: on both stores."""

from recollect import Memory
from tests.reliability.figures import figure
from tests.sizes import sized
from tests.text.same.pairs import MESSAGES, differing, styled

_PROMISE = 17
_EACH = sized(60, 1)  # one of so many pairs and messages is told


def test_a_difference_in_meaning_is_never_a_duplicate(memory: Memory) -> None:
    me = memory.user("differing")
    pairs = [*differing()][::_EACH]
    dropped = []
    for one, other in pairs:
        first, second = me.remember(one), me.remember(other)
        dropped += [(one, other)] if second.action != "created" and second.id == first.id else []
        me.forget(everything=True, allow_again=True)
    figure(_PROMISE, "pairs that mean different things", pairs=len(pairs), dropped=len(dropped))
    assert dropped == []


def test_a_difference_in_style_is_one(memory: Memory) -> None:
    pairs = [*styled()][::_EACH]
    me = memory.user("styled")
    known = sum(me.remember(one).id == me.remember(other).id for one, other in pairs)
    figure(_PROMISE, "pairs that differ in style", styled=len(pairs), known_again=known)
    assert known >= 0.95 * len(pairs)


def test_captured_and_stored_are_one(memory: Memory) -> None:
    texts = MESSAGES[::_EACH]
    twice = 0
    for number, text in enumerate(texts):
        for order in ("stored", "captured"):
            me = memory.user(f"{order}{number}")
            turn = [{"role": "user", "content": text}]
            if order == "stored":
                me.remember(text)
            assert me.after_turn(turn, session="talk").captured
            if order == "captured":
                me.remember(text)
            twice += me.count() != 1
    figure(_PROMISE, "messages stored and captured, in both orders", messages=len(texts), kept_twice=twice)
    assert twice == 0
