"""The words of the field that people type. Imports nothing heavy, because the command line shows them in its help."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Literal, get_args

MemoryType = Literal[
    "preference", "decision", "fact", "entity", "experience", "event", "lesson", "session_summary", "other"
]
MEMORY_TYPES: tuple[MemoryType, ...] = get_args(MemoryType)

ItemKind = Literal["memory", "message", "chunk"]
ITEM_KINDS: tuple[ItemKind, ...] = get_args(ItemKind)

# What has vectors: all that is searched, and the names of places, by which places are likened to each other.
VectorKind = Literal["memory", "message", "chunk", "place"]
VECTOR_KINDS: tuple[VectorKind, ...] = get_args(VectorKind)

# What a file is, by what is in it; and where it comes from: a synced folder of notes or of session logs, or by itself.
FileKind = Literal["markdown", "text", "code", "session", "pdf", "html", "docx", "email", "csv", "image"]
FILE_KINDS: tuple[FileKind, ...] = get_args(FileKind)
FileSource = Literal["memory", "sessions", "document"]
FILE_SOURCES: tuple[FileSource, ...] = get_args(FileSource)

MessageRole = Literal["user", "assistant", "system", "tool", "reasoning", "summary"]
MessageStatus = Literal["active", "compacted", "archived"]

# What may be appended. A summary is only ever made by compaction.
ROLES: tuple[MessageRole, ...] = ("user", "assistant", "system", "tool", "reasoning")

Source = Literal["memory", "request", "response", "reasoning", "tool", "system", "summary", "file"]
SOURCES: tuple[Source, ...] = get_args(Source)

# Where a search looks by itself. System prompts say the same each time, and summaries what their originals say.
USUAL_SOURCES: tuple[Source, ...] = ("memory", "request", "response", "reasoning", "tool", "file")

# What a search calls a message of each role.
SOURCE_OF: Mapping[MessageRole, Source] = {
    "user": "request",
    "assistant": "response",
    "reasoning": "reasoning",
    "tool": "tool",
    "system": "system",
    "summary": "summary",
}

# Who says what coordinates are called; and how many people a place has at least that is named offline.
GeocoderName = Literal["auto", "offline", "nominatim", "none"]
GEOCODERS: tuple[GeocoderName, ...] = get_args(GeocoderName)
PlaceSize = Literal["500", "1000", "5000", "15000"]
PLACE_SIZES: tuple[PlaceSize, ...] = get_args(PlaceSize)

Fusion = Literal["weighted", "rrf", "fixed"]
FUSIONS: tuple[Fusion, ...] = get_args(Fusion)


class Trust(IntEnum):
    """Where a memory comes from, as a tier that nothing ever raises by rewording."""

    EXTERNAL = 0  # a tool, the web, mail, an import, another node
    FILE = 1  # the user's own files
    INFERRED = 2  # concluded from what the user did
    STATED = 3  # the user said so


# What a key may do. `admin` may do everything, for every user.
Permission = Literal["read", "write", "forget", "admin"]
PERMISSIONS: tuple[Permission, ...] = get_args(Permission)
