"""A conversation on its way in, in the form that every export is brought into.

The invariant: a message has the id that the other system gave it, so that bringing it again adds nothing.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from recollect.model.literals import MessageRole
from recollect.model.messages import NewMessage
from recollect_connect.importing.parse_values import id_of, metadata_of, moment_of, text_of

EMPTY: Final = "nothing in it"
OTHER_BRANCH: Final = "another branch of the conversation"
NAMES_ONLY: Final = "the export has its name only"
LONGEST_TEXT: Final = 900_000  # characters; a message may have a million, and cleaning may add some


@dataclass(slots=True)
class ChatSession:
    """A conversation that was read: what was said in order, what it is about, and what was left out of it."""

    id: str
    title: str = ""
    began_at: datetime | None = None
    messages: list[NewMessage] = field(default_factory=list)
    skipped: Counter[tuple[str, str]] = field(default_factory=Counter)
    about: dict[str, Any] = field(default_factory=dict)

    def skip(self, reason: str, amount: int = 1, *, what: str = "messages") -> None:
        """Count what is left out."""
        if amount:
            self.skipped[what, reason] += amount

    def say(self, role: MessageRole, text: str, given: Mapping[str, Any], *, suffix: str = "") -> None:
        """Add what was said, in several messages if it is too long for one.

        `given` may have `id`, `at`, `model` and `metadata`. Without a time it was said when the one before it was.
        """
        kept = text_of(text)
        if not kept.strip():
            self.skip(EMPTY)
            return
        number = len(self.messages)
        name = id_of(given.get("id"), f"{number} {role} {sha256(kept.encode()).hexdigest()}") + suffix
        before = self.messages[-1].said_at if self.messages else self.began_at
        message = NewMessage(
            role,
            kept,
            id=name,
            said_at=moment_of(given.get("at")) or before,
            model=text_of(given.get("model"))[:100],
            metadata=metadata_of(given.get("metadata") or {}),
        )
        self.messages.extend(_cut(message, kept))


def _cut(message: NewMessage, text: str) -> Iterator[NewMessage]:
    if len(text) <= LONGEST_TEXT:
        yield message
        return
    for number, start in enumerate(range(0, len(text), LONGEST_TEXT), start=1):
        part = text[start : start + LONGEST_TEXT]
        if part.strip():
            yield replace(message, content=part, id=f"{message.id}#part{number}")


def way_back(leaf: str, parents: Mapping[str, str]) -> list[str]:
    """Give the ids from the first message to a leaf. A circle ends where it closes."""
    way: dict[str, None] = {}
    here = leaf
    while here in parents and here not in way:
        way[here] = None
        here = parents[here]
    return [*reversed(way)]
