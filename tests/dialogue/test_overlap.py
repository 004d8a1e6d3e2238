"""What is new in what a host delivers again."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.dialogue.exchanges import count_redelivered, is_same_message
from recollect.model.messages import Message, ToolCall
from tests.dialogue.talks import answered, said

WORDS = ("yes", "no", "go on")


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    """Draw a history with repetitions, whose messages have ids, or not, or some of them."""
    named = draw(st.sampled_from([0.0, 0.5, 1.0]))
    made = []
    for number in range(draw(st.integers(0, 12))):
        role = "user" if number % 2 == 0 else "assistant"
        name = f"m{number}" if draw(st.floats(0, 1)) < named else ""
        made.append(said(role, draw(st.sampled_from(WORDS)), number=number, external_id=name))  # type: ignore[arg-type]
    return made


@given(history=histories(), known=st.integers(0, 12), start=st.integers(0, 12))
def test_a_history_that_is_delivered_from_anywhere_is_never_doubled(
    history: list[Message], known: int, start: int
) -> None:
    """A host delivers from some point that is known; at least all the rest of what is known is recognised."""
    known = min(known, len(history))
    start = min(start, known)
    assert count_redelivered(history[:known], history[start:]) >= known - start


@given(history=histories(), known=st.integers(0, 12))
def test_what_is_recognised_is_the_end_of_what_is_known(history: list[Message], known: int) -> None:
    length = count_redelivered(history[:known], history)
    tail = history[:known][len(history[:known]) - length :]
    assert all(map(is_same_message, tail, history))


def test_what_is_delivered_once_is_new() -> None:
    known = [said("user", "one", number=1), said("assistant", "two", number=2)]
    assert count_redelivered(known, [said("user", "three", number=3)]) == 0
    assert count_redelivered([], known) == 0
    assert count_redelivered(known, []) == 0


def test_the_longest_overlap_counts() -> None:
    known = [said("user", "yes", number=number) for number in range(3)]
    assert count_redelivered(known, [said("user", "yes", number=number) for number in range(5)]) == 3


def test_two_names_tell_apart_and_one_does_not() -> None:
    plain = said("user", "yes")
    jana, petr = plain._replace(speaker="Jana"), plain._replace(speaker="Petr")
    assert is_same_message(jana, jana)
    assert not is_same_message(jana, petr)
    assert is_same_message(jana, plain)
    assert is_same_message(plain, jana)
    assert is_same_message(jana._replace(external_id="a"), petr._replace(external_id="a"))


def test_two_ids_decide_and_one_does_not() -> None:
    plain = said("user", "yes")
    assert is_same_message(plain._replace(external_id="a"), plain._replace(external_id="a", content="edited"))
    assert not is_same_message(plain._replace(external_id="a"), plain._replace(external_id="b"))
    assert is_same_message(plain._replace(external_id="a"), plain)
    assert is_same_message(plain, plain._replace(external_id="a"))


def test_the_same_words_are_another_message_from_another_mouth_or_about_another_call() -> None:
    assert not is_same_message(said("user", "yes"), said("assistant", "yes"))
    assert not is_same_message(answered("call 1"), answered("call 2"))
    one, other = (said("assistant", tool_calls=(ToolCall(call_id, "look"),)) for call_id in ("1", "2"))
    assert not is_same_message(one, other)
    assert is_same_message(one, one)
