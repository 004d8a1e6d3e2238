"""Reads notes of basic-memory: Markdown with front matter, whose list items are observations and relations.

An observation is `- [category] what was observed #tag (context)`, a relation `- relation_type [[Another note]]`.
Links within sentences say no more than that they are there.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Final

from recollect.model.memories import NewMemory
from recollect_connect.importing.mem0 import fact
from recollect_connect.importing.parse_values import metadata_of, name_of, type_of

FORMAT: Final = "basic-memory"
TOO_LONG: Final = "too long for an observation; it is in the file"
LINK: Final = "a link within a sentence says no relation"
_FENCES: Final = ("```", "~~~")
_ITEM: Final = re.compile(r"[ \t]*+(?:[-*+]|\d{1,9}[.)])[ \t]++(\S.*+)")
_CATEGORY: Final = re.compile(r"\[([^\[\]()]++)\]\s++(\S.*+)")
_CLOCK: Final = re.compile(r"[\d:.,\s-]+")
_LABEL: Final = re.compile(r"""(?:"([^"]++)"|'([^']++)'|(\S++))\s*+""")
_LONGEST_LINE: Final = 20_000


@dataclass(frozen=True, slots=True)
class Note:
    """A note that was read: what it is called, what it says of itself, and the memories in it."""

    title: str
    matter: Mapping[str, Any]
    memories: tuple[NewMemory, ...]
    skipped: Counter[tuple[str, str]] = field(default_factory=Counter)


def is_note(text: str) -> bool:
    """Tell whether a Markdown file was written by basic-memory, or in its manner."""
    matter, _ = front_matter(text)
    return "permalink" in matter or any(_observation(item) or _relation(item) for _, item in _items(text))


def read(text: str, path: str, trust: int) -> Note:
    """Read a note. `path` is where it lies, with slashes."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    matter, _ = front_matter(plain)
    title = name_of(matter.get("title") or PurePosixPath(path).stem)
    about = {"imported_from": FORMAT, "note": path, "permalink": matter.get("permalink"), "tags": matter.get("tags")}
    memories, skipped = [], Counter[tuple[str, str]]()
    for line, item in _items(plain):
        here = {**about, "line": line}
        relation, observation = _relation(item), _observation(item)
        if relation:
            verb, target = relation
            memories.append(fact(title, name_of(verb), name_of(target), format=FORMAT, trust=trust, about=here))
        elif observation:
            memories.append(_memory(title, observation, here, trust))
    skipped["lines", TOO_LONG] += sum(len(line) > _LONGEST_LINE for line in plain.split("\n"))
    skipped["links", LINK] += plain.count("[[") - sum(memory.type == "fact" and bool(memory.key) for memory in memories)
    return Note(title, matter, tuple(memories), +skipped)


def _items(text: str) -> Iterator[tuple[int, str]]:
    """Give the items of lists with the numbers of their lines; what stands in code is none."""
    fence = ""
    for number, line in enumerate(text.split("\n"), start=1):
        bare = line.lstrip(" \t")[:3]
        if bare in _FENCES:
            fence = "" if bare == fence else fence or bare
        elif not fence and len(line) <= _LONGEST_LINE and (item := _ITEM.fullmatch(line)):
            yield number, item[1].rstrip()


def _observation(item: str) -> tuple[str, str] | None:
    """Give the category and the text of an observation. Tasks, times and links in brackets are no categories."""
    found = _CATEGORY.fullmatch(item)
    if found:
        category = found[1].strip()
        if len(category) == 1 and (category in "xX" or not category.isalnum()):
            return None
        return None if not category or _CLOCK.fullmatch(category) else (category, found[2].strip())
    tagged = any(len(word) > 1 and word.startswith("#") for word in item.split())
    return ("", item) if tagged and not item.startswith("[") else None


def _relation(item: str) -> tuple[str, str] | None:
    """Give the type and the target of a relation; a type of several words is in quotes."""
    label = _LABEL.match(item)
    verb = next(filter(None, label.groups()), "").strip() if label else ""
    rest = item[label.end() :] if label else ""
    if not verb or "[[" in verb or not rest.startswith("[["):
        return None
    target, closed, after = rest[2:].partition("]]")
    single = after.strip()
    if not closed or not target.strip() or (single and not (single.startswith("(") and single.endswith(")"))):
        return None
    return verb, target.strip()


def _memory(title: str, observation: tuple[str, str], about: Mapping[str, Any], trust: int) -> NewMemory:
    category, text = observation
    said, context = _context(text)
    tags = [word.lstrip("#") for word in said.split() if word.startswith("#") and len(word) > 1]
    return NewMemory(
        said,
        type=type_of(category, "fact"),
        subject=title,
        context=name_of(context),
        source=f"import:{FORMAT}",
        trust=trust,
        metadata=metadata_of({**about, "category": category, "tags": tags or about.get("tags")}),
    )


def _context(text: str) -> tuple[str, str]:
    """Part what was observed from the parenthesis it ends with."""
    start = text.rfind("(") if text.endswith(")") else -1
    return (text[:start].strip(), text[start + 1 : -1].strip()) if start > 0 else (text, "")


def front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Part a note from its front matter: plain values, and lists in either manner. What is more is left out."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != "---":
        return {}, text
    end = next((number for number, line in enumerate(lines[1:500], start=1) if line.rstrip() in ("---", "...")), 0)
    if not end:
        return {}, text
    found: dict[str, Any] = {}
    key = ""
    for line in lines[1:end]:
        name, colon, value = line.partition(":")
        if line.lstrip().startswith("- ") and key:
            found[key] = [*(found[key] if isinstance(found[key], list) else ()), _scalar(line.lstrip()[2:])]
        elif colon and name and not name[0].isspace() and not name.startswith("#"):
            key = name.strip()
            found[key] = _value(value.strip())
    return found, "\n".join(lines[end + 1 :])


def _value(written: str) -> str | list[str]:
    if written.startswith("[") and written.endswith("]"):
        return [part for piece in written[1:-1].split(",") if (part := _scalar(piece))]
    return _scalar(written)


def _scalar(written: str) -> str:
    plain = written.strip()
    return plain[1:-1] if len(plain) > 1 and plain[0] == plain[-1] and plain[0] in "'\"" else plain
