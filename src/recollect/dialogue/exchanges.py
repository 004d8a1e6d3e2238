"""What of a conversation is folded into a summary, what a model is shown, and which messages are delivered again.

A compaction keeps system prompts, the newest messages to the edge of a turn, and tool calls that still wait for their
results, or all of them if it is told to. The rest is folded. The plan names exact messages, so that carrying it out
later touches no others.

The invariants of a window: what is chosen fits, whatever the sizes; tool calls come with their results; the newest
turns come without a hole between them, but for what alone is too large; and a summary that fits beside them is shown.

Some hosts deliver each turn once, some the whole conversation each time, some both. So the delivery is laid over the
end of the known messages: the longest beginning of the delivery that is the end of the known is not new.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from recollect.model.literals import MessageRole
from recollect.model.media import media_names
from recollect.model.messages import STORED_AS, Message, Window

_MOST_OWN: Final = 3  # messages of one person in a row, after which the turn before is no longer answered
_SAID: Final = frozenset({"user", "assistant"})

_PROMPT_SHARE = 0.5
# The interfaces of models know no other roles than these and user and tool.
_ROLES_OF_MODELS: Final[Mapping[MessageRole, MessageRole]] = {"summary": "system", "reasoning": "assistant"}


@dataclass(frozen=True, slots=True)
class MessageExchange:
    """Messages that belong together. An incomplete one lacks a result, or the call that a result answers."""

    messages: tuple[Message, ...]
    complete: bool

    @property
    def tokens(self) -> int:
        """How much it takes up."""
        return sum(message.tokens for message in self.messages)

    @property
    def is_of_tools(self) -> bool:
        """Whether it is a call of tools, or a result."""
        return bool(self.messages[0].tool_calls) or self.messages[0].role == "tool"


def group_exchanges(messages: Iterable[Message]) -> list[MessageExchange]:
    """Group messages that come in order."""
    groups: list[list[Message]] = []
    waiting: dict[str, list[Message]] = {}  # by the id of a call whose result is still to come
    lost: set[str] = set()
    for message in messages:
        group = waiting.pop(message.tool_call_id, None) if message.role == "tool" else None
        if group is not None:
            group.append(message)
            continue
        if message.role == "tool":
            lost.add(message.id)
        groups.append([message])
        for call in message.tool_calls:
            waiting[call.id] = groups[-1]
    unanswered = {id(group) for group in waiting.values()}
    return [MessageExchange(tuple(group), id(group) not in unanswered and group[0].id not in lost) for group in groups]


@dataclass(frozen=True, slots=True)
class CompactionPlan:
    """What is folded, in order, and the summary that it is folded into the successor of."""

    folded: tuple[Message, ...]
    previous: Message | None

    @property
    def sources(self) -> tuple[Message, ...]:
        """Everything that the new summary is made from."""
        return (self.previous, *self.folded) if self.previous else self.folded


def plan_compaction(
    active: Sequence[Message], keep_recent: int, keep_tokens: float, *, keep_tools: bool = False
) -> CompactionPlan | None:
    """Say what to fold; None when there is nothing. Of very long messages fewer are kept, but always the last.

    With `keep_tools` no tool call is folded, nor is its result.
    """
    previous = next((message for message in active if message.role == "summary"), None)
    groups = group_exchanges(message for message in active if message.role not in ("summary", "system"))
    edge = _edge(groups, keep_recent, keep_tokens)
    # A call that waits for results may still get them; a result without its call never will be complete.
    old = (group for group in groups[:edge] if group.complete or not group.messages[0].tool_calls)
    folded = tuple(message for group in old if not (keep_tools and group.is_of_tools) for message in group.messages)
    if not folded:
        return None
    ordered = sorted(folded, key=lambda message: (message.sequence, message.said_at, message.id))
    return CompactionPlan(tuple(ordered), previous)


def _edge(groups: Sequence[MessageExchange], keep_recent: int, keep_tokens: float) -> int:
    """Give the position of the first exchange to keep: as many messages as wanted, back to where a user began."""
    count, tokens, edge = 0, 0, len(groups)
    while edge and count < keep_recent and (not count or tokens + groups[edge - 1].tokens <= keep_tokens):
        edge -= 1
        count += len(groups[edge].messages)
        tokens += groups[edge].tokens
    if edge == len(groups) or tokens > keep_tokens:
        return edge
    start = edge
    while start and groups[start].messages[0].role != "user" and edge - start < keep_recent:
        start -= 1
    return start if groups[start].messages[0].role == "user" else edge


def is_due(messages: int, tokens: int, *, most_messages: int, most_tokens: float) -> bool:
    """Say whether a conversation has grown enough to be compacted."""
    return messages > most_messages or tokens > most_tokens


def count_redelivered(known_messages: Sequence[Message], delivered: Sequence[Message]) -> int:
    """Say how many messages at the start of the delivery are the end of the known ones."""
    for length in range(min(len(known_messages), len(delivered)), 0, -1):
        if all(map(is_same_message, known_messages[-length:], delivered)):
            return length
    return 0


def is_same_message(known_message: Message, delivered: Message) -> bool:
    """Tell whether two messages are one: by their ids, or, when one of them has none, by what they say.

    Two people may say the same; a name that only one of the two has says nothing.
    """
    if known_message.external_id and delivered.external_id:
        return known_message.external_id == delivered.external_id
    if is_dated(known_message) and is_dated(delivered) and known_message.said_at != delivered.said_at:
        return False
    if known_message.speaker and delivered.speaker and known_message.speaker != delivered.speaker:
        return False
    if known_message.media and delivered.media and known_message.media != delivered.media:
        return False
    return _likeness(known_message) == _likeness(delivered)


def is_dated(message: Message) -> bool:
    """Tell whether the host said when it was said; otherwise that is the moment it was kept."""
    return message.said_at != message.created_at


def fingerprints(message: Message) -> tuple[str, ...]:
    """Identify a message in its conversation without telling what it says: by its words, and by its host's id."""
    shown = () if message.content else media_names(message.media)
    said = ("said", *_likeness(message)[:3], *shown, *(call.id for call in message.tool_calls))
    named = [("named", message.external_id)] if message.external_id else []
    texts = ("\x1f".join((message.conversation, *parts)) for parts in (said, *named))
    return tuple(hashlib.blake2b(text.encode(), digest_size=16).hexdigest() for text in texts)


def _likeness(message: Message) -> tuple[str, str, str, tuple[str, ...]]:
    return message.role, message.content, message.tool_call_id, tuple(call.id for call in message.tool_calls)


def turn_before(role: str, speaker: str, earlier: Sequence[Message]) -> Message | None:
    """Give what another said last, before a speaker in a role says something: the assistant, or a person of a group."""
    own = 0
    said: Message
    for said in reversed(earlier):
        if said.role not in _SAID or not said.content:
            continue
        if (said.role, said.speaker) != (role, speaker):
            return said
        own += 1
        if own == _MOST_OWN:
            break
    return None


def choose_window(active: Sequence[Message], max_tokens: int, *, reasoning: bool = False) -> Window:
    """Give the system prompts, the summary and the newest turns that fit.

    The newest prompt, the newest exchange and the summary come first, then older prompts, and older turns at last.
    """
    every = [message for message in active if message.role == "system"]
    prompts = _prompts(every, max_tokens, max_tokens)
    spoken = [message for message in active if _is_spoken(message, reasoning=reasoning)]
    room = max_tokens - _tokens(prompts[-1:])
    groups = [group for group in group_exchanges(spoken) if group.complete and group.tokens <= room]
    summaries = [message for message in active if message.role == "summary"]
    first = _tokens(summaries) + (groups[-1].tokens if groups else 0)
    if first > room:
        summaries, first = [], 0
    prompts = _prompts(every, max_tokens, max_tokens - first)
    recent = _newest_exchanges(groups, max_tokens - _tokens((*prompts, *summaries)))
    chosen = (*prompts, *summaries, *recent)
    total = sum(_is_spoken(message, reasoning=reasoning) or message.role == "system" for message in active)
    shown = len(prompts) + len(recent)
    return Window(chosen, _tokens(chosen), max_tokens, total - shown)


def for_model(message: Message) -> Message:
    """Give a message the role that models take in the place of its own, which its metadata name."""
    role = _ROLES_OF_MODELS.get(message.role)
    if role is None:
        return message
    return message._replace(role=role, metadata={**message.metadata, STORED_AS: message.role})


def _is_spoken(message: Message, *, reasoning: bool) -> bool:
    return message.role in ("user", "assistant", "tool") or (reasoning and message.role == "reasoning")


def _prompts(prompts: Sequence[Message], max_tokens: int, room: int) -> list[Message]:
    """Take the newest system prompt, and older ones while half of all is left; some hosts send one a turn."""
    newest_prompts: list[Message] = []
    taken = 0
    for prompt in reversed(prompts):
        if taken + prompt.tokens <= (min(max_tokens * _PROMPT_SHARE, room) if newest_prompts else max_tokens):
            newest_prompts.append(prompt)
            taken += prompt.tokens
    return newest_prompts[::-1]


def _newest_exchanges(groups: Sequence[MessageExchange], room: int) -> list[Message]:
    """Take exchanges from the end. Each stays in one piece, because a model wants results right after their calls."""
    newest_groups: list[MessageExchange] = []
    left = room
    for group in reversed(groups):
        if not group.complete or group.tokens > room:
            continue  # too large or incomplete for any model; what came before it still fits
        if group.tokens > left:
            break
        newest_groups.append(group)
        left -= group.tokens
    return [message for group in reversed(newest_groups) for message in group.messages]


def _tokens(messages: Iterable[Message]) -> int:
    return sum(message.tokens for message in messages)
