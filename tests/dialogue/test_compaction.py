"""What compaction folds: never what must stay, never twice, and nothing gets lost."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.dialogue.exchanges import group_exchanges, is_due, plan_compaction
from recollect.model.messages import Message
from tests.dialogue.talks import answered, called, in_order, open_calls, said, talks

KEEP = st.sampled_from([0, 1, 2, 4, 16, 1_000])
ROOM = st.sampled_from([0, 30, 100, 700, 10**9])


def planned(talk: list[Message], keep: int, room: float) -> tuple[list[Message], list[Message]]:
    """Give what is folded and what stays."""
    found = plan_compaction(talk, keep, room)
    folded = list(found.folded) if found else []
    ids = {message.id for message in folded}
    return folded, [message for message in talk if message.id not in ids]


@given(talk=talks(), keep=KEEP, room=ROOM)
def test_prompts_summaries_and_open_exchanges_are_never_folded(talk: list[Message], keep: int, room: int) -> None:
    folded, _ = planned(talk, keep, room)
    assert {message.role for message in folded} <= {"user", "assistant", "tool", "reasoning"}
    assert open_calls(folded) == set()
    waiting = open_calls([message for message in talk if message.role not in ("system", "summary")])
    for message in folded:
        assert not waiting & {call.id for call in message.tool_calls}


@given(talk=talks(), keep=KEEP, room=ROOM)
def test_no_exchange_is_torn_apart(talk: list[Message], keep: int, room: int) -> None:
    folded, _ = planned(talk, keep, room)
    ids = {message.id for message in folded}
    for group in group_exchanges(message for message in talk if message.role not in ("system", "summary")):
        assert len({message.id in ids for message in group.messages}) == 1


@given(talk=talks(), keep=KEEP, room=ROOM)
def test_every_message_is_folded_once_or_stays(talk: list[Message], keep: int, room: int) -> None:
    folded, kept = planned(talk, keep, room)
    assert in_order(folded)
    assert len({message.id for message in folded}) == len(folded)
    assert sorted(message.id for message in (*folded, *kept)) == sorted(message.id for message in talk)


@given(talk=talks(), keep=KEEP, room=ROOM)
def test_the_successor_is_made_from_the_summary_before_it(talk: list[Message], keep: int, room: int) -> None:
    found = plan_compaction(talk, keep, room)
    summaries = [message for message in talk if message.role == "summary"]
    if found:
        assert ([found.previous] if found.previous else []) == summaries
        assert found.sources == (*summaries, *found.folded)


@given(talk=talks(), keep=KEEP, room=ROOM)
def test_tools_are_kept_on_request_and_all_else_is_folded_as_ever(talk: list[Message], keep: int, room: int) -> None:
    folded, _ = planned(talk, keep, room)
    kept = plan_compaction(talk, keep, room, keep_tools=True)
    of_tools = [message for message in folded if message.tool_calls or message.role == "tool"]
    assert list(kept.folded if kept else ()) == [message for message in folded if message not in of_tools]


@given(talk=talks(), keep=KEEP, room=ROOM)
def test_planning_again_finds_nothing(talk: list[Message], keep: int, room: int) -> None:
    _, kept = planned(talk, keep, room)
    assert plan_compaction(kept, keep, room) is None


@given(talk=talks(), keep=KEEP)
def test_as_many_as_wanted_are_kept_while_there_is_room(talk: list[Message], keep: int) -> None:
    _, kept = planned(talk, keep, 10**9)
    spoken = [message for message in talk if message.role not in ("system", "summary")]
    left = [message for message in kept if message.role not in ("system", "summary")]
    assert len(left) >= min(keep, len(spoken))


@given(talk=talks(), room=ROOM)
def test_keeping_nothing_folds_all_that_is_complete(talk: list[Message], room: int) -> None:
    _, kept = planned(talk, 0, room)
    stayed = [message for message in kept if message.role not in ("system", "summary")]
    assert all(not group.complete for group in group_exchanges(stayed))


def test_the_edge_is_where_a_user_began() -> None:
    talk = [said("user" if number % 3 == 1 else "assistant", number=number) for number in range(1, 10)]
    _, kept = planned(talk, 4, 10**9)
    assert [message.sequence for message in kept] == [4, 5, 6, 7, 8, 9]


def test_of_very_long_messages_only_the_last_is_kept() -> None:
    talk = [said("user", number=number, tokens=1_000) for number in range(1, 6)]
    _, kept = planned(talk, 4, 100)
    assert [message.sequence for message in kept] == [5]


def test_a_call_that_waits_stays_however_old_and_goes_once_it_is_answered() -> None:
    waits = called("a", number=1)
    talk = [waits, *(said("user", number=number) for number in range(2, 9))]
    assert waits not in planned(talk, 2, 10**9)[0]
    answer = answered("a", number=9)
    folded, _ = planned([*talk, answer, *(said("user", number=number) for number in (10, 11))], 2, 10**9)
    assert waits in folded
    assert answer in folded


def test_results_that_nobody_asked_for_do_not_stay_forever() -> None:
    stray = answered("nobody's", number=1)
    folded, _ = planned([stray, *(said("user", number=number) for number in range(2, 6))], 1, 10**9)
    assert stray in folded


def test_a_conversation_is_due_by_its_size_or_by_its_length() -> None:
    bounds = {"most_messages": 10, "most_tokens": 70.0}
    assert not is_due(10, 70, **bounds)  # type: ignore[arg-type]
    assert is_due(11, 0, **bounds)  # type: ignore[arg-type]
    assert is_due(1, 71, **bounds)  # type: ignore[arg-type]
