"""Plans a compaction: which messages are folded into the summary, and which stay.

Kept are system prompts, the newest messages to the edge of a turn, and tool calls that still wait for their results.
The rest is folded. The plan names exact messages, so that carrying it out later touches no others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.dialogue.exchanges import MessageExchange, group_exchanges
from recollect.model.messages import Message


@dataclass(frozen=True, slots=True)
class CompactionPlan:
    """What is folded, in order, and the summary that it is folded into the successor of."""

    folded: tuple[Message, ...]
    previous: Message | None

    @property
    def sources(self) -> tuple[Message, ...]:
        """Everything that the new summary is made from."""
        return (self.previous, *self.folded) if self.previous else self.folded


def plan_compaction(active: Sequence[Message], keep_recent: int, keep_tokens: float) -> CompactionPlan | None:
    """Say what to fold; None when there is nothing. Of very long messages fewer are kept, but always the last."""
    previous = next((message for message in active if message.role == "summary"), None)
    groups = group_exchanges(message for message in active if message.role not in ("summary", "system"))
    edge = _edge(groups, keep_recent, keep_tokens)
    # A call that waits for results may still get them; a result without its call never will be complete.
    old = (group for group in groups[:edge] if group.complete or not group.messages[0].tool_calls)
    folded = tuple(message for group in old for message in group.messages)
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
