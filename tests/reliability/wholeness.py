"""What must hold of a conversation at any moment, whoever was compacting it and however they ended."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from recollect import Conversation, Message
from tests.storage.catalogue import plain

_WINDOWS = (60, 400, 4_000)


@dataclass(frozen=True)
class Spoken:
    """A message as its table has it."""

    id: str
    role: str
    status: str
    content: str
    sequence: int


@dataclass(frozen=True)
class Shape:
    """A conversation and what was made from what in it, read without any of our code."""

    messages: Mapping[str, Spoken]
    sources: Mapping[str, list[str]]

    @cached_property
    def live(self) -> list[str]:
        """The summaries that a window would show."""
        return [one.id for one in self.messages.values() if one.role == "summary" and one.status == "active"]

    @cached_property
    def folded(self) -> set[str]:
        """Whatever is marked as told by a summary, older summaries among it."""
        return {one.id for one in self.messages.values() if one.status != "active"}

    def told(self, summary: str) -> Counter[str]:
        """Everything that a summary was made from, directly or by way of others, and how often it was reached."""
        reached: Counter[str] = Counter()
        waiting = [summary]
        while waiting:
            found = [source for made in waiting for source in self.sources.get(made, ())]
            reached.update(found)
            waiting = [source for source in found if self.messages[source].role == "summary"]
        return reached


def shape_of(database: str, conversation: str) -> Shape:
    """Look at the tables."""
    with plain(database) as store:
        said = store.rows("SELECT id, role, status, content, sequence, conversation_id FROM messages ORDER BY sequence")
        made = store.rows("SELECT made_id, source_id FROM derivations WHERE made_kind = 'message'")
    messages = {str(row[0]): Spoken(str(row[0]), *row[1:5]) for row in said if row[5] == conversation}
    sources: dict[str, list[str]] = {}
    for made_id, source_id in made:
        sources.setdefault(str(made_id), []).append(str(source_id))
    return Shape(messages, sources)


def insist_whole(database: str, talk: Conversation, acknowledged: Mapping[str, str]) -> Shape:
    """Insist that nothing is lost, that there is one summary at most, and that it leads to all that is folded."""
    shape = shape_of(database, talk.id)
    lost = {known: text for known, text in acknowledged.items() if _text(shape, known) != text}
    assert lost == {}, "what was acknowledged is lost"
    assert len(shape.live) <= 1, "there are two live summaries"
    assert bool(shape.live) == bool(shape.folded), "messages are folded without a summary, or a summary without them"
    told = shape.told(shape.live[0]) if shape.live else Counter[str]()
    assert set(told) == shape.folded, "what is folded is not what the summary leads to"
    assert all(times == 1 for times in told.values()), "something was folded twice"
    _insist_order(shape)
    _insist_shown(talk, shape)
    return shape


def _text(shape: Shape, message_id: str) -> str | None:
    found = shape.messages.get(message_id)
    return found.content if found else None


def _insist_order(shape: Shape) -> None:
    spoken = [one.sequence for one in shape.messages.values() if one.role != "summary"]
    assert spoken == list(range(1, len(spoken) + 1)), "a place in the conversation is empty or taken twice"


def _insist_shown(talk: Conversation, shape: Shape) -> None:
    """The verbs show what the tables say: all of it between the window and the originals, and windows that fit."""
    originals = [one.id for one in talk.originals(shape.live[0])] if shape.live else []
    active = [one.id for one in shape.messages.values() if one.status == "active" and one.role != "summary"]
    assert originals == [key for key, one in shape.messages.items() if key in shape.folded and one.role != "summary"]
    shown = talk.window(10**6, reasoning=True).messages
    assert [one.id for one in shown if one.metadata.get("stored_as") != "summary"] == active
    summary = talk.summary()
    assert ([summary.id] if summary else []) == shape.live
    for most in _WINDOWS:
        window = talk.window(most, reasoning=True)
        assert window.tokens == _tokens(window.messages) <= most
        left = sum(one.metadata.get("stored_as") != "summary" for one in window.messages)
        assert window.omitted == len(active) + len(originals) - left


def _tokens(messages: tuple[Message, ...]) -> int:
    return sum(message.tokens for message in messages)
