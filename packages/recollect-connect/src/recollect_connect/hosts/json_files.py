"""Changes of JSON files that belong to other programs."""

from collections.abc import Callable
from pathlib import Path

from recollect.errors import InvalidInput
from recollect_connect.hosts import json_text
from recollect_connect.hosts.changes import backup_of
from recollect_connect.hosts.host import FileChange, read_file

JsonEdit = Callable[[str], str]

_BOM = "\ufeff"
_EMPTY: tuple[object, ...] = ({}, [])


def plan_edit(path: Path, edit: JsonEdit) -> FileChange:
    """Plan an edit of a file; one that is not there, or is empty, begins as an empty object."""
    before = read_file(path)
    text = _decoded(path, before)
    return FileChange(path, before, _encoded(_edited(path, text if text.strip() else "{}\n", edit), before))


def plan_removal(path: Path, edit: JsonEdit, *, nothing: tuple[object, ...] = _EMPTY) -> FileChange:
    """Plan an edit that takes out what `plan_edit` put in.

    If the file then says what its backup says, it gets the bytes of the backup. A file that had no backup, because an
    installation made it, is deleted when nothing is left in it, or what counts as `nothing`.
    """
    before = read_file(path)
    text = _decoded(path, before)
    if before is None or not text.strip():
        return FileChange(path, before, before)
    edited = _edited(path, text, edit)
    if edited == text:
        return FileChange(path, before, before)
    saved = read_file(backup_of(path))
    if saved is None:
        return FileChange(path, before, None if json_text.parse(edited) in nothing else _encoded(edited, before))
    return FileChange(path, before, saved if _says_the_same(saved, edited) else _encoded(edited, before))


def parsed(path: Path) -> object:
    """Give what a file says; None if it is not there or cannot be read."""
    try:
        return json_text.parse(_decoded(path, read_file(path)))
    except (json_text.InvalidJson, InvalidInput):
        return None


def _says_the_same(saved: bytes, edited: str) -> bool:
    try:
        return _without_empty(json_text.parse(saved.decode("utf-8-sig"))) == _without_empty(json_text.parse(edited))
    except ValueError:
        return False


def _without_empty(value: object) -> object:
    """Leave out empty objects and lists, which say nothing."""
    if isinstance(value, dict):
        pruned = {key: _without_empty(member) for key, member in value.items()}
        return {key: member for key, member in pruned.items() if member not in _EMPTY}
    if isinstance(value, list):
        return [_without_empty(item) for item in value]
    return value


def _decoded(path: Path, content: bytes | None) -> str:
    try:
        return (content or b"").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8: byte {error.start} cannot be read. It is left as it is.") from None


def _encoded(text: str, before: bytes | None) -> bytes:
    mark = _BOM if before and before.startswith(_BOM.encode()) else ""
    return (mark + text).encode()


def _edited(path: Path, text: str, edit: JsonEdit) -> str:
    try:
        return edit(text)
    except json_text.InvalidJson as error:
        raise InvalidInput(
            f"{path}, line {error.line}: not the JSON that was expected there. It is left as it is; mend it and try "
            "again."
        ) from None
