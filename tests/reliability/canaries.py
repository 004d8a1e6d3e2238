"""Words that occur nowhere else, put wherever a memory keeps text, and the search for what is left of them."""

import random
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tests.sizes import sized

_LETTERS = "bcdfghjklmnpqrtvxz"  # none that spell the name of a password, such as pwd: its value would be left out
_LENGTH = 16
_MIDDLE = slice(3, 13)
_SUSPECT = re.compile(rb"[%s]{10,}" % _LETTERS.encode())
_LONG_SHARE = 1 / sized(10, 20)  # of the texts are too long for one page
_TEXT_FIELDS = ("subject", "value", "context", "session", "address", "place_label")


class Asked(Protocol):
    """A store, wherever it is open."""

    def ask(self, verb: str, **arguments: Any) -> Any:
        """Have it do something for a user, and get the answer as plain values."""
        ...


@dataclass
class Canaries:
    """Makes words, and remembers which of them it made."""

    seed: int
    words: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)

    def word(self) -> str:
        """Make a word; all of them are different."""
        self.words.append("".join(self._chance.choices(_LETTERS, k=_LENGTH)))
        return self.words[-1]

    def text(self) -> str:
        """Make a sentence with a word in it; now and then one that does not fit on one page of the database."""
        word = self.word()
        return f"Note {word} well. " * (1500 if self._chance.random() < _LONG_SHARE else 1)


def fill(store: Asked, user: str, canaries: Canaries) -> list[str]:
    """Put canaries into every field by way of every verb; gives the ids to forget."""
    ids = []
    for _ in range(sized(4, 15)):
        text = canaries.text()
        ids.append(store.ask("remember", user=user, content=text, vector_of=text)["id"])
    batch = [{"content": text, "vector_of": text} for text in (canaries.text() for _ in range(sized(10, 40)))]
    ids += [answer["id"] for answer in store.ask("remember_many", user=user, memories=batch)]
    ids += [_in_fields(store, user, canaries) for _ in range(sized(3, 10))]
    ids += [_updated(store, user, canaries) for _ in range(sized(2, 8))]
    ids += [_superseded(store, user, canaries) for _ in range(sized(2, 5))]
    return ids


def _in_fields(store: Asked, user: str, canaries: Canaries) -> str:
    text = canaries.text()
    fields = {name: f"{name} {canaries.word()}" for name in _TEXT_FIELDS}
    metadata = {canaries.word(): [canaries.word(), {"deep": canaries.word()}]}
    made: dict[str, Any] = store.ask("remember", user=user, content=text, vector_of=text, metadata=metadata, **fields)
    return str(made["id"])


def _updated(store: Asked, user: str, canaries: Canaries) -> str:
    """A memory with two versions of its past."""
    text = canaries.text()
    memory_id: str = store.ask("remember", user=user, content=text, vector_of=text)["id"]
    for _ in range(2):
        text = canaries.text()
        store.ask("update", user=user, id=memory_id, content=text, vector_of=text)
    return memory_id


def _superseded(store: Asked, user: str, canaries: Canaries) -> str:
    """A slot that has had three values."""
    subject, key = canaries.word(), canaries.word()
    for _ in range(3):
        value = canaries.word()
        text = f"It is {value} now"
        made = store.ask(
            "remember", user=user, content=text, vector_of=text, subject=subject, key=key, value=value, type="fact"
        )
    return str(made["id"])


def left_in_files(database: str, canaries: Canaries) -> list[str]:
    """Give the words of which something is left in the files of an SQLite store.

    Only for a process that does not have the store open.
    """
    files = (Path(f"{database}{suffix}") for suffix in ("", "-wal", "-shm", "-journal"))
    return left_in(b"".join(file.read_bytes() for file in files if file.exists()), canaries)


def left_in(raw: bytes, canaries: Canaries) -> list[str]:
    """Give the words of which something is left in some bytes.

    An index leaves out what a word has in common with the one before it, and an analyser may cut off its end; so the
    middle of each word is searched for, among all that looks like one.
    """
    suspects = b" ".join(_SUSPECT.findall(raw.lower()))
    return [word for word in canaries.words if word[_MIDDLE].encode() in suspects]
