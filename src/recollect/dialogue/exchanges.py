"""Groups messages into exchanges that must stay together: a call of tools with all of its results.

The invariant: every message is in exactly one exchange, exchanges keep the order of their first messages, and a model
would accept a complete one.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from recollect.model.messages import Message


@dataclass(frozen=True, slots=True)
class MessageExchange:
    """Messages that belong together. An incomplete one lacks a result, or the call that a result answers."""

    messages: tuple[Message, ...]
    complete: bool

    @property
    def tokens(self) -> int:
        """How much it takes up."""
        return sum(message.tokens for message in self.messages)


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
