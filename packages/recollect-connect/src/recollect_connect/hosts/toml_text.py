"""Adds a marked block to the end of a TOML file and takes it out again; the rest of the file is not touched."""

import json
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

from recollect.errors import InvalidInput
from recollect_connect.hosts.changes import backup_of
from recollect_connect.hosts.host import FileChange, read_file

_BEGIN = "# recollect: begin (`recollect uninstall` removes this block)"
_END = "# recollect: end"
_BLOCK = re.compile(rf"(?:\r?\n)?{re.escape(_BEGIN)}.*?{re.escape(_END)}\r?\n?".encode(), re.DOTALL)


def toml_string(text: str) -> str:
    """Give a text as a basic string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_array(texts: Sequence[str]) -> str:
    """Give texts as an array."""
    return f"[{', '.join(map(toml_string, texts))}]"


def has_block(path: Path) -> bool:
    """Tell whether a file holds the block."""
    return _BLOCK.search(read_file(path) or b"") is not None


def has_table(path: Path, name: Sequence[str]) -> bool:
    """Tell whether a file defines a table. Raises InvalidInput if it is not TOML."""
    value: object = _parsed(path, read_file(path) or b"")
    for part in name:
        value = value.get(part) if isinstance(value, dict) else None
    return value is not None


def plan_block(path: Path, lines: Sequence[str]) -> FileChange:
    """Plan to put the block at the end of a file, in place of an older one."""
    before = read_file(path)
    rest = _BLOCK.sub(b"", before or b"")
    _parsed(path, rest)
    block = "\n".join((_BEGIN, *lines, _END, "")).encode()
    gap = b"" if not rest else b"\n" if rest.endswith(b"\n") else b"\n\n"
    after = rest + gap + block
    return FileChange(path, before, before if before and _says_same(before, after) else after)


def plan_block_removal(path: Path) -> FileChange:
    """Plan to take the block out. A file that an installation made is deleted when nothing is left in it."""
    before = read_file(path)
    if before is None or not _BLOCK.search(before):
        return FileChange(path, before, before)
    rest = _BLOCK.sub(b"", before)
    saved = read_file(backup_of(path))
    if saved is None:
        return FileChange(path, before, rest if rest.strip() else None)
    return FileChange(path, before, saved if saved.rstrip() == rest.rstrip() else rest)


def _says_same(before: bytes, after: bytes) -> bool:
    blocks = [_BLOCK.search(content) for content in (before, after)]
    return all(blocks) and len({block[0].strip() for block in blocks if block}) == 1


def _parsed(path: Path, content: bytes) -> dict[str, object]:
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except ValueError as error:
        raise InvalidInput(f"{path} is not valid TOML ({error}). It is left as it is; mend it and try again.") from None
