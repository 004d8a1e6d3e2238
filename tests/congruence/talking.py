"""One user who talks, in both stores: messages are compared with each id replaced by its number, as memories are."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from hypothesis import strategies as st

from recollect import Message, NewMessage, Recall, ToolCall, UserMemory
from recollect.model.memories import Scope
from tests.congruence.offers import places, sentences
from tests.congruence.twins import START, Pair, Twins

NAMES = ("kitchen", "garden", "тайна")
EVERYTHING = 2**31


class Talker(Pair):
    """A pair that knows messages by their numbers, too."""

    def __init__(self, twins: Twins) -> None:
        pair = twins.user()
        super().__init__(pair.users, pair.clock)
        self.said: tuple[dict[str, str], dict[str, str]] = ({}, {})

    def _look(self) -> None:
        super()._look()
        for said, user in zip(self.said, self.users, strict=True):
            for message_id in message_ids(user):
                said.setdefault(message_id, f"said {len(said)}")

    def _known(self, side: int, text: str) -> str | None:
        return self.said[side].get(text) or super()._known(side, text)

    def agree_about_said(self, name: str, ask: Callable[[UserMemory, str], object]) -> Any:
        """Tell or ask both the same about the message with this number."""
        ids = [next(id_ for id_, known in self.said[side].items() if known == name) for side in (0, 1)]
        one, other = (
            self._plain(side, self._outcome(side, lambda user, id_=ids[side]: ask(user, id_)))  # type: ignore[misc]
            for side in (0, 1)
        )
        assert one == other
        return one

    def agree_on_found(self, ask: Callable[[UserMemory], Recall], limit: int) -> None:
        """Ask both a question about what was said; scores that are equal may come in any order."""
        self.agree_on_hits(ask, limit, 0.25)


def message_ids(user: UserMemory) -> Sequence[str]:
    """Give the ids of all messages a user has, in the order of storing."""
    store, scope = user._engine.store, Scope(user.user_id)
    return store.read(
        scope, lambda rows: sorted(one for name in rows.conversation_ids() for one in rows.message_ids(name))
    )


def active(user: UserMemory, name: str) -> Sequence[Message]:
    """Give all that is active in a conversation, the live summaries among it."""
    store, scope = user._engine.store, Scope(user.user_id)
    return store.read(scope, lambda rows: rows.active_messages(name, EVERYTHING))


def kept(user: UserMemory, name: str) -> tuple[Message, ...]:
    """Give all of a conversation."""
    return user.conversation(name).messages(limit=1_000)


def error_name(answer: Any) -> str | None:
    """Give the name of the error that both stores answered with."""
    return answer[0] if isinstance(answer, tuple) else None


_LESSONS = (
    "I prefer oat milk in my coffee.",
    "I live in Brno.",
    "I live in Prague.",
    "My name is Anna.",
    "Пожалуйста, запомни, что я люблю зелёный чай.",
)
_TEXTS = st.one_of(
    sentences,
    st.sampled_from(_LESSONS),
    st.sampled_from(["yes", "Please plant ten tulips in the garden.", "<private>nobody</private>", "[12:30] Hello"]),
    st.integers(1, 700).map(lambda amount: "tulip garden " * amount),
)
_MOMENTS = st.sampled_from([None, None, START, START, START - timedelta(days=3), START + timedelta(days=900)])
_SEQUENCES = st.sampled_from([None, None, None, 1, 2, 7, 7, 40])
_IDS = st.one_of(st.just(""), st.sampled_from(["m1", "m2", "m3"]), st.uuids().map(str))


@st.composite
def spoken(draw: st.DrawFn, roles: Sequence[str] = ("user", "assistant", "reasoning", "system")) -> NewMessage:
    """Draw a message of a person or a model."""
    return NewMessage(
        draw(st.sampled_from(["user", "assistant", *roles])),
        draw(_TEXTS),
        id=draw(_IDS),
        sequence=draw(_SEQUENCES),
        said_at=draw(_MOMENTS),
        metadata=draw(st.sampled_from([{}, {"chat": 7}])),
        speaker=draw(st.sampled_from(["", "", "Jana", "Кирилл"])),
        **draw(places),
    )


@st.composite
def exchanges(draw: st.DrawFn) -> list[NewMessage]:
    """Draw a call of tools with its results, some of which may be missing or come in another order."""
    ids = [f"call {draw(st.integers(0, 5))}.{part}" for part in range(draw(st.integers(1, 3)))]
    entity = draw(st.sampled_from(["light.garage", "cover.door", "nothing"]))
    calls = [ToolCall(call_id, "turn_on", f'{{"entity_id": "{entity}"}}') for call_id in ids]
    answered = draw(st.lists(st.sampled_from(ids), unique=True))
    results = [NewMessage("tool", draw(_TEXTS), tool_call_id=call_id) for call_id in answered]
    return [NewMessage("assistant", draw(st.sampled_from(["", "I do."])), tool_calls=calls), *results]


talks = st.one_of(st.lists(spoken(), min_size=1, max_size=4), exchanges())


def plain_turn(messages: Sequence[NewMessage]) -> list[NewMessage]:
    """Give messages as hooks deliver them: without numbers, and with ids that no other message has."""
    ids = [message.id if len(message.id) > len("m1") else "" for message in messages]
    return [
        NewMessage(said.role, said.content, id=id_, tool_calls=said.tool_calls, tool_call_id=said.tool_call_id)
        for said, id_ in zip(messages, ids, strict=True)
    ]
