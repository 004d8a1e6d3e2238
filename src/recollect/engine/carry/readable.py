"""Memory as people read it: Markdown in a zip file, the answer to the question what is known about a user.

Whatever was said is quoted line by line, so that no text can pass for a heading or a link of the export itself.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from recollect.engine.base import audit
from recollect.engine.base.context import Engine
from recollect.engine.carry.writer import ExportWriter
from recollect.model.literals import MEMORY_TYPES
from recollect.model.media import TEXT_LIMITS, ending_of, original_name
from recollect.model.memories import Scope
from recollect.storage.base import TransferReader
from recollect.storage.base.tables import (
    CONVERSATIONS,
    DERIVATIONS,
    FILES,
    FOLDERS,
    MEMORIES,
    MESSAGES,
    NAMED_PLACES,
    SPENDING,
    TransferTable,
)

_UNSAFE: Final = re.compile(r"[^\w.-]+")
_LONGEST_NAME: Final = 60

Values = dict[str, Any]


class ReadableExport:
    """A readable export under way."""

    def __init__(self, engine: Engine, reader: TransferReader, out: ExportWriter) -> None:
        self._engine = engine
        self._reader = reader
        self._out = out

    def write(self, scopes: Sequence[Scope], *, apart: bool) -> None:
        """Write the files of these users, who may have a folder each."""
        for number, scope in enumerate(scopes, start=1):
            self._user(scope, f"{number:04}-{_safe(scope.user_id)}/" if apart else "")

    def _user(self, scope: Scope, folder: str) -> None:
        self._out.users[scope.user_id] = None
        before = Counter(self._out.rows)
        for kind in dict.fromkeys((*MEMORY_TYPES, *(row[1] for row in self._reader.rows(scope, MEMORIES)))):
            self._add(f"{folder}memories/{_safe(kind)}.md", self._memories(scope, kind))
        for number, talk in enumerate(self._rows(scope, CONVERSATIONS), start=1):
            self._add(f"{folder}conversations/{number:04}-{_safe(talk['id'])}.md", self._transcript(scope, talk))
        self._add(f"{folder}files.md", self._files(scope))
        for file in self._rows(scope, FILES):
            if file["original"]:
                name = f"{folder}documents/{file['id']}-{_safe(file['path'].rpartition('/')[2])}"
                self._out.add_original(name, file["original"], file["digest"])
        for digest, medium in self._media(scope).items():
            self._out.add_original(f"{folder}{_media_name(medium)}", original_name(scope.user_id, digest), digest)
        self._add(f"{folder}places.md", self._places(scope))
        self._add(f"{folder}log.md", self._log(scope))
        self._add(f"{folder}README.md", iter((_read_me(scope.user_id, self._out.rows - before),)))

    def _add(self, name: str, lines: Iterator[str]) -> None:
        """Write a file, unless there is nothing to say."""
        first = next(lines, None)
        if first is not None:
            self._out.add(name, (line.encode() for part in ((first,), lines) for line in part))

    def _rows(self, scope: Scope, table: TransferTable) -> Iterator[Values]:
        for row in self._reader.rows(scope, table):
            yield dict(zip(table.names, row, strict=True))

    def _memories(self, scope: Scope, kind: str) -> Iterator[str]:
        """Describe the memories of a type, each with where it was said. Rows and their sources are sorted alike."""
        notes = self._rows(scope, DERIVATIONS)
        note = next(notes, None)
        heading = f"# Memories: {kind}\n"
        for memory in self._rows(scope, MEMORIES):
            said: list[str] = []
            while note is not None and note["made_id"] <= memory["id"]:
                if note["made_id"] == memory["id"]:
                    said.append(f"{note['source_kind']} {note['source_id']}")
                note = next(notes, None)
            if memory["type"] == kind:
                self._out.rows["memories"] += 1
                yield heading + _memory(memory, said)
                heading = ""

    def _transcript(self, scope: Scope, talk: Values) -> Iterator[str]:
        self._out.rows["conversations"] += 1
        title = talk["metadata"].get("title") or talk["id"]
        yield f"# Conversation: {_inline(title)}\n\nFrom {_time(talk['created_at'])} to {_time(talk['updated_at'])}.\n"
        for row in self._reader.talk(scope, talk["id"]):
            message = dict(zip(MESSAGES.names, row, strict=True))
            self._out.rows["messages"] += 1
            speaker = f" ({_inline(message['speaker'])})" if message["speaker"] else ""
            calls = "".join(
                f"\nCalled `{_inline(name)}`:\n\n{_quote(given)}" for _, name, given in message["tool_calls"]
            )
            status = "" if message["status"] == "active" else f", {message['status']}"
            yield (
                f"\n## {message['role']}{speaker}, {_time(message['said_at'])}{status}\n\n"
                f"{_quote(message['content'])}{calls}\n"
                f"{_pictured(message)}"
                f"{_facts(message, ('feedback', 'model', 'place_label', 'address', 'lat', 'lng', 'metadata', 'id'))}"
            )

    def _files(self, scope: Scope) -> Iterator[str]:
        heading = "# Files\n"
        for folder in self._rows(scope, FOLDERS):
            yield f"{heading}\nThe folder {_inline(folder['root'])} was last read at {_time(folder['scanned_at'])}.\n"
            heading = ""
        for file in self._rows(scope, FILES):
            self._out.rows["files"] += 1
            shown = ("root", "kind", "mime", "size", "digest", "dated_at", "created_at", "updated_at", "metadata", "id")
            yield f"{heading}\n## {_inline(file['path'])}\n\n{_facts(file, shown)}"
            heading = ""

    def _media(self, scope: Scope) -> dict[str, Values]:
        """Give the media with originals, each once."""
        found: dict[str, Values] = {}
        for item in (item for table in (MEMORIES, MESSAGES) for item in self._rows(scope, table)):
            for medium in item["media"]:
                if medium.get("original"):
                    found.setdefault(medium["original"], medium)
        return found

    def _places(self, scope: Scope) -> Iterator[str]:
        heading = "# Places\n\n"
        for place in self._rows(scope, NAMED_PLACES):
            self._out.rows["named_places"] += 1
            address = f", {_inline(place['address'])}" if place["address"] else ""
            yield f"{heading}- {_inline(place['name'])}: {place['lat']}, {place['lng']}{address}\n"
            heading = ""

    def _log(self, scope: Scope) -> Iterator[str]:
        """Say what was done with the memory, by which key, and what models were paid for."""
        heading = "# What was done\n\n"
        for line in audit.lines(self._engine, scope):
            yield f"{heading}- {_time(line.done_at)}: {_inline(line.action)}, {line.amount}, by {_inline(line.actor)}\n"
            heading = ""
        heading = "\n# What models were asked\n\n"
        for spent in self._rows(scope, SPENDING):
            tokens = f"{spent['input_tokens']} tokens in, {spent['output_tokens']} out"
            yield f"{heading}- {spent['day']}: {_inline(spent['purpose'])}, {_inline(spent['model'])}, {tokens}\n"
            heading = ""


def _memory(memory: Values, said: list[str]) -> str:
    shown = (
        "subject", "key", "value", "context", "source", "confidence", "importance", "occurred_at", "valid_from",
        "valid_until", "expires_at", "session_id", "address", "place_label", "lat", "lng", "metadata", "created_at",
        "updated_at", "superseded_by", "id",
    )  # fmt: skip
    state = ", replaced since" if memory["superseded_by"] else ""
    origin = f"- said in: {', '.join(said)}\n" if said else ""
    facts = f"{_pictured(memory)}{_facts(memory, shown)}{origin}"
    return f"\n## {_time(memory['created_at'])}{state}\n\n{_quote(memory['content'])}\n{facts}"


def _facts(values: Values, names: tuple[str, ...]) -> str:
    """List fields that say something."""
    told = ((name, values[name]) for name in names if values[name] not in (None, "", {}, []))
    return "".join(
        f"- {name.replace('_', ' ')}: {_time(value) if isinstance(value, datetime) else _inline(value)}\n"
        for name, value in told
    )


def _pictured(item: Values) -> str:
    """List the media of a memory or message: what they are and show, and where they are."""
    return "".join(
        f"- {media['kind']}: {_inline(' · '.join((*_words(media), media.get('url') or _media_name(media))))}\n"
        for media in item["media"]
    )


def _words(media: Values) -> list[str]:
    return [media[name] for name in TEXT_LIMITS if media.get(name)]


def _media_name(media: Values) -> str:
    return f"media/{media['original'][:16]}{ending_of(media.get('mime', ''))}"


def _quote(text: str) -> str:
    return "".join(f"> {line}\n" for line in text.splitlines()) or "> \n"


def _inline(value: object) -> str:
    """Give a value on one line, with nothing that Markdown would take for its own."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", " ".join(str(value).split()))


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC")


def _safe(name: str) -> str:
    """Give part of a name that any system can have as that of a file."""
    return _UNSAFE.sub("_", name).strip("._")[:_LONGEST_NAME] or "_"


def _read_me(user: str, counts: Counter[str]) -> str:
    rows = "".join(f"- {what.replace('_', ' ')}: {amount}\n" for what, amount in counts.items())
    return (
        f"# What is stored about {_inline(user)}\n\n"
        "`memories/` holds what is remembered, by kind, with older versions; `conversations/` what was said; "
        "`files.md` lists documents and notes, `documents/` holds the documents, `media/` pictures and sounds; "
        "`places.md` the places with a name; "
        "`log.md` what was done and by which key. Times are in UTC.\n\n"
        f"{rows}"
    )
