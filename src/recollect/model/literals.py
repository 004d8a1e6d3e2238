"""Literals: types, roles, sources and the like. Imports nothing heavy: the CLI shows them in its help."""

import re
from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Final, Literal, get_args

MemoryType = Literal[
    "preference", "decision", "fact", "entity", "experience", "event", "lesson", "session_summary", "other"
]
MEMORY_TYPES: tuple[MemoryType, ...] = get_args(MemoryType)
TYPE_ALIASES: Mapping[str, MemoryType] = {"file_chunk": "other"}  # accepted from older clients, never shown

# What a reader finds in a message; a rule is a standing wish to the assistant.
StatementType = Literal["fact", "preference", "decision", "event", "rule"]
STATEMENT_TYPES: tuple[StatementType, ...] = get_args(StatementType)

ItemKind = Literal["memory", "message", "chunk"]
ITEM_KINDS: tuple[ItemKind, ...] = get_args(ItemKind)

# What has vectors: all that is searched, and the names of places.
VectorKind = Literal["memory", "message", "chunk", "place"]
VECTOR_KINDS: tuple[VectorKind, ...] = get_args(VectorKind)

# The format of a file, by its content; and its origin: a synced folder of notes or of session logs, or added alone.
FileKind = Literal["markdown", "text", "code", "session", "pdf", "html", "docx", "email", "csv", "image"]
FILE_KINDS: tuple[FileKind, ...] = get_args(FileKind)
FileSource = Literal["memory", "sessions", "document"]
FileState = Literal["", "changed", "gone"]  # of a synced file, since it was read; '' when nothing is known of it
FILE_SOURCES: tuple[FileSource, ...] = get_args(FileSource)

MessageRole = Literal["user", "assistant", "system", "tool", "reasoning", "summary"]
MessageStatus = Literal["active", "compacted", "archived"]

# What may be appended. A summary is only ever made by compaction.
ROLES: tuple[MessageRole, ...] = ("user", "assistant", "system", "tool", "reasoning")

Source = Literal["memory", "request", "response", "reasoning", "tool", "system", "summary", "file"]
SOURCES: tuple[Source, ...] = get_args(Source)

# Where a search looks by default. System prompts repeat, and summaries say what their originals say.
USUAL_SOURCES: tuple[Source, ...] = ("memory", "request", "response", "reasoning", "tool", "file")

# The source of a hit by the role of the message.
SOURCE_OF: Mapping[MessageRole, Source] = {
    "user": "request",
    "assistant": "response",
    "reasoning": "reasoning",
    "tool": "tool",
    "system": "system",
    "summary": "summary",
}

# Geocoders; and the least population of a place in the offline gazetteer.
GeocoderName = Literal["auto", "offline", "nominatim", "none"]
GEOCODERS: tuple[GeocoderName, ...] = get_args(GeocoderName)
PlaceSize = Literal["500", "1000", "5000", "15000"]
PLACE_SIZES: tuple[PlaceSize, ...] = get_args(PlaceSize)

SearchLog = Literal["off", "counts", "queries"]

Fusion = Literal["weighted", "rrf", "fixed"]
FUSIONS: tuple[Fusion, ...] = get_args(Fusion)
RerankWhen = Literal["auto", "off", "always"]
RERANK_WHEN: tuple[RerankWhen, ...] = get_args(RerankWhen)


class Trust(IntEnum):
    """The trust tier of a memory, by its origin; rewording never raises it."""

    EXTERNAL = 0  # a tool, the web, mail, an import, another node
    FILE = 1  # the user's own files
    INFERRED = 2  # concluded from what the user did
    STATED = 3  # the user said so


# What each kind of source is trusted with. A detail may follow it: `tool:weather`, `user:telegram`.
SOURCE_TIERS: Mapping[str, Trust] = {
    **dict.fromkeys(("", "user", "user_stated", "stated"), Trust.STATED),
    **dict.fromkeys(("inferred", "learned", "agent", "assistant", "model"), Trust.INFERRED),
    **dict.fromkeys(("file", "files", "document", "note"), Trust.FILE),
    **dict.fromkeys(("external", "import", "tool", "web", "mail", "email", "node"), Trust.EXTERNAL),
}
_VOUCHED = frozenset({"import"})  # a user may say that an import is to be trusted


def tier_of(source: str, claimed: int | None = None) -> int:
    """Return the tier of what a source says: that of the source, or less where less is claimed.

    A source of another name is trusted as a conclusion is: it never replaces what the user stated.
    """
    kind = source.partition(":")[0].strip().casefold()
    tier = SOURCE_TIERS.get(kind, Trust.INFERRED)
    if claimed is None:
        return tier
    return claimed if kind in _VOUCHED else min(claimed, tier)


# What becomes of an added document of which a sentence is forgotten: its original stays until that is decided, goes
# with the whole document, or stays on purpose.
DocumentsFate = Literal["ask", "forget", "keep"]

# What a key may do. `admin` may do everything, for every user.
Permission = Literal["read", "write", "forget", "admin"]
PERMISSIONS: tuple[Permission, ...] = get_args(Permission)


# In the metadata of a memory: the texts whose secrets it keeps, encrypted, behind a keyed hash of them and a colon.
SEALED: Final = "sealed"

# What stands in a text where a secret was taken out; and where one was that is kept apart, encrypted.
REDACTION_MARK: Final = "[redacted: "
KEPT_MARK: Final = "[kept secret: "
_MARKS = re.compile(r"(\[redacted: |\[kept secret: )([^\[\]\n]{1,40})\]")


def marked(texts: Iterable[str], mark: str) -> tuple[str, ...]:
    """Name the kinds of secrets that were taken out of texts, each once, by the marks in their place."""
    found = (kind for text in texts if mark in text for made, kind in _MARKS.findall(text) if made == mark)
    return tuple(dict.fromkeys(found))


def without(kinds: Iterable[str]) -> str:
    """Say that kinds of secrets are missing: `without the password and the access code`."""
    return f"without {_the(kinds)}"


def together_with(kinds: Iterable[str]) -> str:
    """Say that kinds of secrets are there: `with the password and the access code`."""
    return f"with {_the(kinds)}"


def _the(kinds: Iterable[str]) -> str:
    *first, last = (f"the {kind}" for kind in kinds)
    return f"{', '.join(first)} and {last}" if first else last
