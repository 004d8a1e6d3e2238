"""What a model is shown: it always fits, and a model would accept it."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.dialogue.exchanges import choose_window, for_model, group_exchanges
from recollect.model.messages import Message
from tests.dialogue.talks import answered, called, in_order, lost_results, open_calls, said, talks
from tests.rows import every

ROOMS = st.one_of(st.integers(1, 400), st.sampled_from([1, 5, 1_000, 10_000, 100_000]))


@given(talk=talks(), room=ROOMS, reasoning=st.booleans())
def test_it_always_fits(talk: list[Message], room: int, reasoning: bool) -> None:  # noqa: FBT001 - drawn
    window = choose_window(talk, room, reasoning=reasoning)
    assert window.tokens == sum(message.tokens for message in window.messages) <= room
    assert window.max_tokens == room


@given(talk=talks(), room=ROOMS)
def test_a_call_never_comes_without_its_results_nor_a_result_without_its_call(talk: list[Message], room: int) -> None:
    shown = choose_window(talk, room).messages
    assert open_calls(shown) == set()
    assert lost_results(shown) == []


@given(talk=talks(), room=ROOMS, reasoning=st.booleans())
def test_prompts_come_first_then_the_summary_then_what_was_said_in_order(
    talk: list[Message],
    room: int,
    reasoning: bool,  # noqa: FBT001 - drawn
) -> None:
    shown = choose_window(talk, room, reasoning=reasoning).messages
    ranks = [{"system": 0, "summary": 1}.get(message.role, 2) for message in shown]
    assert ranks == sorted(ranks)
    assert in_order([message for message in shown if message.role == "system"])
    assert in_order([message for message in shown if message.role not in ("system", "summary", "tool")])
    assert len({message.id for message in shown}) == len(shown)


@given(talk=talks(), room=ROOMS, reasoning=st.booleans())
def test_what_is_left_out_is_counted(talk: list[Message], room: int, reasoning: bool) -> None:  # noqa: FBT001 - drawn
    window = choose_window(talk, room, reasoning=reasoning)
    counted = {"user", "assistant", "tool", "system"} | ({"reasoning"} if reasoning else set())
    asked = sum(message.role in counted for message in talk)
    assert window.omitted == asked - sum(message.role in counted for message in window.messages)
    assert reasoning or not any(message.role == "reasoning" for message in window.messages)


@given(talk=talks())
def test_with_room_for_everything_everything_complete_is_shown(talk: list[Message]) -> None:
    shown = choose_window(talk, 10**9, reasoning=True).messages
    spoken = [message for message in talk if message.role not in ("system", "summary")]
    whole = [message for group in group_exchanges(spoken) if group.complete for message in group.messages]
    rest = [message for message in talk if message.role in ("system", "summary")]
    assert {message.id for message in shown} == {message.id for message in (*whole, *rest)}


@given(talk=talks(), room=ROOMS)
def test_there_is_no_hole_but_for_what_could_never_be_shown(talk: list[Message], room: int) -> None:
    shown = choose_window(talk, room).messages
    spoken = [message for message in talk if message.role in ("user", "assistant", "tool")]
    left = room - sum(message.tokens for message in shown if message.role in ("system", "summary"))
    groups = [group for group in group_exchanges(spoken) if group.complete and group.tokens <= left]
    ids = {message.id for message in shown}
    flags = [all(message.id in ids for message in group.messages) for group in groups]
    assert flags == sorted(flags)  # left out first, shown last
    total = sum(group.tokens for group, flag in zip(groups, flags, strict=True) if flag)
    if False in flags:
        newest_left_out = groups[flags.index(True) - 1 if True in flags else -1]
        assert total + newest_left_out.tokens > left


@given(talk=talks())
def test_every_message_is_in_one_exchange(talk: list[Message]) -> None:
    groups = group_exchanges(talk)
    grouped = [message.id for group in groups for message in group.messages]
    assert sorted(grouped) == sorted(message.id for message in talk)
    starts = [group.messages[0].sequence for group in groups]
    assert starts == sorted(starts)
    for group in groups:
        alone = not open_calls(group.messages) and not lost_results(group.messages)
        assert group.complete == alone


def test_the_newest_prompts_win_when_not_all_fit() -> None:
    prompts = [said("system", f"rule {number}", number=number, tokens=40) for number in (1, 2, 3)]
    assert [message.sequence for message in choose_window(prompts, 170).messages] == [2, 3]
    assert [message.sequence for message in choose_window(prompts, 45).messages] == [3]


def test_a_new_prompt_with_every_turn_does_not_crowd_out_the_turns() -> None:
    talk = []
    for number in range(50):
        talk.append(said("system", f"It is minute {number}", number=2 * number, tokens=30))
        talk.append(said("user", f"Question {number}", number=2 * number + 1, tokens=10))
    roles = [message.role for message in choose_window(talk, 200).messages]
    assert (roles.count("system"), roles.count("user")) == (3, 11)


@every(
    ("summary", "turns", "room", "shown"),
    [
        (60, [50], 100, ["user"]),  # what was just said comes first
        (60, [50], 120, ["summary", "user"]),
        (60, [10] * 9, 100, ["summary", *["user"] * 4]),  # turns that would fill the window leave the summary its room
        (90, [10] * 9, 100, ["summary", "user"]),
        (91, [10] * 9, 100, ["user"] * 9),
        (70, [10] * 3, 100, ["summary", *["user"] * 3]),
        (1_199, [346], 2_000, ["summary", "user"]),
        (1_199, [100] * 8, 2_000, ["summary", *["user"] * 8]),
        (1_199, [100] * 40, 2_000, ["summary", *["user"] * 8]),
        (100, [], 100, ["summary"]),
        (101, [], 100, []),
    ],
)
def test_a_summary_is_shown_beside_what_was_just_said(
    summary: int, turns: list[int], room: int, shown: list[str]
) -> None:
    talk = [said("summary", number=1, tokens=summary)]
    talk += [said("user", number=number, tokens=tokens) for number, tokens in enumerate(turns, 2)]
    assert [message.role for message in choose_window(talk, room).messages] == shown


@given(talk=talks(), room=ROOMS, reasoning=st.booleans())
def test_a_summary_that_fits_beside_the_turns_shown_is_shown(
    talk: list[Message],
    room: int,
    reasoning: bool,  # noqa: FBT001 - drawn
) -> None:
    window = choose_window(talk, room, reasoning=reasoning)
    summary = next((message for message in talk if message.role == "summary"), None)
    if summary and summary not in window.messages:
        assert window.tokens + summary.tokens > room
    without = choose_window([message for message in talk if message is not summary], room, reasoning=reasoning)
    if summary and without.tokens + summary.tokens <= room:
        assert [message for message in window.messages if message is not summary] == list(without.messages)


def test_older_prompts_leave_the_summary_its_room() -> None:
    prompts = [said("system", number=number, tokens=10) for number in range(1, 6)]
    talk = [*prompts, said("summary", number=6, tokens=60), said("user", number=7), said("user", number=8)]
    assert [message.sequence for message in choose_window(talk, 100).messages] == [3, 4, 5, 6, 8]
    assert [message.sequence for message in choose_window(talk, 79).messages] == [3, 4, 5, 7, 8]


def test_a_model_is_given_roles_that_it_knows() -> None:
    summary = for_model(said("summary", "What was said.", metadata={"summarizer": "extractive"}))
    assert (summary.role, summary.metadata) == ("system", {"summarizer": "extractive", "stored_as": "summary"})
    assert for_model(said("reasoning")).role == "assistant"
    assert for_model(said("user")) == said("user")


def test_one_enormous_message_does_not_hide_what_came_before_it() -> None:
    talk = [said("user", number=1), said("user", number=2, tokens=10**6), said("assistant", number=3)]
    window = choose_window(talk, 100)
    assert [message.sequence for message in window.messages] == [1, 3]
    assert window.omitted == 1


@given(talk=talks(), room=ROOMS)
def test_results_come_right_after_their_calls(talk: list[Message], room: int) -> None:
    owed: set[str] = set()
    for message in choose_window(talk, room).messages:
        assert (message.role == "tool") == bool(owed), "something stands between a call and its result"
        owed |= {call.id for call in message.tool_calls}
        owed.discard(message.tool_call_id)


def test_an_exchange_that_does_not_fit_goes_as_a_whole() -> None:
    talk = [
        said("user", number=1), called("a", "b", number=2), answered("b", number=3), said("assistant", number=4),
        answered("a", number=5, tokens=40),
    ]  # fmt: skip
    assert [message.sequence for message in choose_window(talk, 69).messages] == [4]
    assert [message.sequence for message in choose_window(talk, 70).messages] == [2, 3, 5, 4]
    assert [message.sequence for message in choose_window(talk, 80).messages] == [1, 2, 3, 5, 4]
