"""Finds out what an export is by what is in it, never by its name alone."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import islice
from typing import Final

from recollect.api.backups import OWN, is_own_export
from recollect.errors import InvalidDocument, InvalidInput
from recollect_connect.importing import basic_memory, chatgpt, claude, mem0
from recollect_connect.importing.archives import ExportArchive, Member
from recollect_connect.importing.deliver import shown
from recollect_connect.importing.export_entries import ExportEntry, documents, entries
from recollect_connect.importing.parse_values import mapping_of

FORMATS: Final = (OWN, chatgpt.FORMAT, claude.FORMAT, mem0.FORMAT, basic_memory.FORMAT)
MOST_OF_A_NOTE: Final = 10 * 2**20
_LOOKED_AT: Final = 50  # parts of a document, and files of a folder
_MEANT: Final = (
    "an export of Recollect, a ChatGPT export (conversations with `mapping`), a Claude export (conversations with "
    "`chat_messages`), "
    "memories of mem0 (objects with `id` and `memory`), a folder of basic-memory notes"
)


def checked(format: str) -> str:
    """Insist on a format that is known."""
    known = format.strip().lower().replace("_", "-")
    if known not in FORMATS:
        raise InvalidInput(f"Unknown format {format!r}. Formats are: {', '.join(FORMATS)}.")
    return known


def parts(member: Member) -> Iterator[ExportEntry]:
    """Give the parts of a JSON file, whether it is one document or one a line."""
    with closing(member.open()) as stream:
        lines = member.base.removesuffix(".gz").endswith((".jsonl", ".ndjson"))
        yield from documents(stream, member.name) if lines else entries(stream, member.name)


def json_members(archive: ExportArchive) -> list[Member]:
    """Give the files that may be JSON."""
    endings = (".json", ".jsonl", ".ndjson", ".jsonl.gz", ".json.gz")
    return [one for one in archive.members if archive.kind == "file" or one.base.endswith(endings)]


def notes(archive: ExportArchive) -> list[Member]:
    """Give the files that may be notes."""
    return [one for one in archive.members if one.base.endswith((".md", ".markdown"))]


def text(member: Member) -> str:
    """Read a note; what is not UTF-8 in it is replaced."""
    with closing(member.open()) as stream:
        return stream.read(MOST_OF_A_NOTE).decode("utf-8", "replace")


def format_of(archive: ExportArchive) -> str:
    """Say in which format an export is. Raises InvalidDocument saying what was found."""
    if archive.kind != "folder" and is_own_export(archive.path):
        return OWN
    seen: list[str] = []
    for member in sorted(json_members(archive), key=_promise)[:_LOOKED_AT]:
        try:
            found = list(islice(parts(member), _LOOKED_AT))
        except InvalidDocument:
            if archive.kind == "file" or "conversations" in member.base:
                raise
            continue
        kind = next(filter(None, map(_kind, found)), "")
        if kind:
            return kind
        seen.append(f"{shown(member.name)} is {_described(found)}")
    if archive.kind == "folder" and _has_notes(archive):
        return basic_memory.FORMAT
    raise InvalidDocument(f"{archive.path}: {'; '.join(seen[:3]) or _nothing(archive)}. That is none of: {_MEANT}.")


def _promise(member: Member) -> tuple[bool, bool, str]:
    """Sort what holds conversations or memories first."""
    return not member.base.startswith("conversations"), not member.base.startswith("memor"), member.name


def _kind(entry: ExportEntry) -> str:
    given = mapping_of(entry.value)
    if "mapping" in given:
        return chatgpt.FORMAT
    if "chat_messages" in given or "conversations_memory" in given:
        return claude.FORMAT
    if entry.key in ("conversations_memory", "chat_messages"):
        return claude.FORMAT
    return mem0.FORMAT if entry.listed and entry.key in mem0.LISTS and mem0.is_memory(given) else ""


def _has_notes(archive: ExportArchive) -> bool:
    names = {member.name for member in archive.members}
    if names & {"MEMORY.md", "SOUL.md"}:
        raise InvalidDocument(f"{archive.path} is a workspace of OpenClaw. Use import-openclaw for it.")
    return any(basic_memory.is_note(text(member)) for member in notes(archive)[:_LOOKED_AT])


def _nothing(archive: ExportArchive) -> str:
    if archive.kind == "file":
        return "there is nothing in it"
    found = "Markdown without observations or relations (use sync for it)" if notes(archive) else "no JSON"
    return f"{len(archive.members)} files are in it, {found}"


def _described(found: list[ExportEntry]) -> str:
    """Say in words what a JSON document is."""
    if not found:
        return "an empty JSON list or object"
    first = found[0]
    if not first.listed or first.key:
        return f"a JSON object with the keys {_keys({entry.key: None for entry in found})}"
    if not isinstance(first.value, Mapping):
        return f"a JSON list of values such as {shown(repr(first.value)[:40])}"
    return f"a JSON list of objects with the keys {_keys(first.value)}"


def _keys(given: Mapping[str, object]) -> str:
    names = [shown(key)[:40] for key in islice(given, 8)]
    return ", ".join(names) + (", …" if len(given) > len(names) else "") if names else "none"
