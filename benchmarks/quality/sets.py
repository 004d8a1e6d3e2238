"""Sets: what is stored, and the questions about it, read from two files of JSON lines."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

DATA = Path(__file__).resolve().parent.parent / "data"
OWN_SET = DATA / "quality"
_USER_NAMES = frozenset({"user", "human"})
_ASSISTANT_NAMES = frozenset({"assistant", "ai", "bot", "chatbot", "agent", "model", "llm", "system"})


class BadSet(Exception):
    """A set that cannot be measured; the message names the file and the line."""


@dataclass(frozen=True, slots=True)
class Line:
    """Something to store. With a session it is a message of that conversation, otherwise a memory.

    What the user or the assistant said outside of any session is a conversation of one message.
    """

    id: str
    user: str
    session: str | None
    said_at: datetime | None
    speaker: str
    content: str

    @property
    def role(self) -> Literal["user", "assistant"]:
        """Who speaks: the assistant when it is called like one, otherwise a person."""
        words = set(re.findall(r"[^\W_]+", self.speaker.casefold()))
        return "assistant" if words and words <= _ASSISTANT_NAMES else "user"

    @property
    def person(self) -> str:
        """The name of a person who is called by one."""
        return "" if self.role == "assistant" or self.speaker.casefold() in _USER_NAMES else self.speaker


@dataclass(frozen=True, slots=True)
class Query:
    """A question, and the lines that answer it."""

    id: str
    user: str
    text: str
    category: str
    relevant: frozenset[str]


@dataclass(frozen=True, slots=True)
class QualitySet:
    """What is stored, and the questions that have an answer in it."""

    lines: Sequence[Line]
    queries: Sequence[Query]

    @property
    def users(self) -> tuple[str, ...]:
        """The users who have stored something, in order of appearance."""
        return tuple(dict.fromkeys(line.user for line in self.lines))


def load(folder: Path) -> QualitySet:
    """Read a set. Questions without a fair answer are left out."""
    owners: dict[str, str] = {}
    lines: list[Line] = []
    for where, entry in _entries(folder / "corpus.jsonl"):
        line = _line(entry, where)
        if line.id in owners:
            raise BadSet(f"{where}: the id {line.id!r} was given to an earlier line.")
        owners[line.id] = line.user
        lines.append(line)
    queries: dict[str, Query] = {}
    for where, entry in _entries(folder / "queries.jsonl"):
        query = _query(entry, where)
        if query.id in queries:
            raise BadSet(f"{where}: the id {query.id!r} was given to an earlier query.")
        if query.category == "adversarial" or not query.relevant:
            continue
        unknown = sorted(one for one in query.relevant if owners.get(one) != query.user)
        if unknown:
            raise BadSet(f"{where}: relevant id {unknown[0]!r} is no line of user {query.user!r} in corpus.jsonl.")
        queries[query.id] = query
    if not queries:
        raise BadSet(f"{folder / 'queries.jsonl'}: no query has an answer; there is nothing to measure.")
    return QualitySet(lines, list(queries.values()))


def _entries(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Give the objects of a file, each with its place for messages."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadSet(f"{path}: cannot be read: {error.strerror}. A set has corpus.jsonl and queries.jsonl.") from error
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            entry = json.loads(line)
        except ValueError as error:
            raise BadSet(f"{where}: not JSON: {error}.") from error
        if not isinstance(entry, dict):
            raise BadSet(f"{where}: found a {type(entry).__name__}, expected an object.")
        yield where, entry


def _line(entry: Mapping[str, Any], where: str) -> Line:
    text, caption = _optional_text(entry, "text", where), _optional_text(entry, "caption", where)
    line_id, speaker = _text(entry, "id", where), _optional_text(entry, "speaker", where)
    alone = line_id if speaker.casefold() in _USER_NAMES | _ASSISTANT_NAMES else None
    return Line(
        id=line_id,
        user=_text(entry, "user", where),
        session=_optional_text(entry, "session", where) or alone,
        said_at=_moment(entry, where),
        speaker=speaker,
        content="\n".join(part for part in (text, f"[image: {caption}]" if caption else "") if part),
    )


def _query(entry: Mapping[str, Any], where: str) -> Query:
    relevant = entry.get("relevant")
    if not isinstance(relevant, list) or not all(isinstance(one, str) for one in relevant):
        raise BadSet(f"{where}: relevant is {relevant!r}; it must be a list of ids.")
    return Query(
        id=_text(entry, "id", where),
        user=_text(entry, "user", where),
        text=_text(entry, "text", where),
        category=_text(entry, "category", where),
        relevant=frozenset(relevant),
    )


def _text(entry: Mapping[str, Any], name: str, where: str) -> str:
    text = _optional_text(entry, name, where)
    if not text:
        raise BadSet(f"{where}: {name} is missing.")
    return text


def _optional_text(entry: Mapping[str, Any], name: str, where: str) -> str:
    value = entry.get(name)
    if value is not None and not isinstance(value, str):
        raise BadSet(f"{where}: {name} is {value!r}; it must be a text.")
    return (value or "").strip()


def _moment(entry: Mapping[str, Any], where: str) -> datetime | None:
    given = _optional_text(entry, "timestamp", where)
    if not given:
        return None
    try:
        moment = datetime.fromisoformat(given)
    except ValueError as error:
        raise BadSet(f"{where}: timestamp is {given!r}; it must be like 2025-03-08T10:20:00.") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def spread(queries: Sequence[Query], most: int | None) -> Sequence[Query]:
    """Take some queries from all over the set."""
    if most is None or most >= len(queries):
        return queries
    return [queries[number * len(queries) // most] for number in range(most)]
