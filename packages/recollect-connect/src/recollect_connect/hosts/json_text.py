"""Edits JSON as text, so that everything else in a file stays as it is, to the byte.

Comments and trailing commas are understood, as several hosts allow them. An entry is added after the last one of its
object or list, and removing it restores the text from before.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

JsonPath = Sequence[str | int]

_BLANK = re.compile(r"(?: \s+ | //[^\n]* | /\*.*?\*/ )*", re.VERBOSE | re.DOTALL)
_SAME_LINE = re.compile(r"(?: [ \t]* (?: //[^\n\r]* | /\*[^\n]*?\*/ ) )*", re.VERBOSE)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_LITERAL = re.compile(r"[-+.\w]+")
_DEEPEST = 200


class InvalidJson(ValueError):
    """A text that is not JSON; `line` says where."""

    def __init__(self, line: int) -> None:
        super().__init__(f"line {line} cannot be read as JSON")
        self.line = line


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A value and where it stands. Children of an object have a key; `key_start` is where an entry begins."""

    start: int
    end: int
    value: object
    children: tuple["JsonNode", ...] = ()
    key: str | None = None
    key_start: int = 0

    def child(self, step: str | int) -> "JsonNode | None":
        """Give a member or an item."""
        if isinstance(step, int):
            return self.children[step] if isinstance(self.value, list) and step < len(self.children) else None
        members = self.children if isinstance(self.value, dict) else ()
        return next((member for member in reversed(members) if member.key == step), None)


def parse(text: str) -> object:
    """Give what a text says. Raises InvalidJson."""
    return _root(text).value


def put(text: str, path: Sequence[str], value: object) -> str:
    """Set a member, and make the objects on the way to it."""
    node = _root(text)
    for depth, key in enumerate(path):
        following = node.child(key)
        if following is None:
            return _insert(text, node, key, _nested(path[depth + 1 :], value))
        node = following
    if node.value == value:
        return text
    indent = _indent_at(text, node.key_start or node.start)
    return text[: node.start] + _dumped(text, value, indent) + text[node.end :]


def append(text: str, path: Sequence[str], value: object) -> str:
    """Add an item to a list, and make the list and the objects on the way to it."""
    node = find(text, path)
    if node is None:
        return put(text, path, [value])
    return _insert(text, node, None, value)


def remove(text: str, path: JsonPath) -> str:
    """Remove a member or an item, with its comma. Nothing happens if it is not there."""
    parent = find(text, path[:-1])
    child = parent.child(path[-1]) if parent else None
    if parent is None or child is None:
        return text
    siblings = parent.children
    position = siblings.index(child)
    begin = child.key_start
    if position + 1 < len(siblings):  # its comma stands behind it
        comma = _BLANK.match(text, child.end).end()  # type: ignore[union-attr]
        return text[: _blank_before(text, begin)] + text[comma + 1 :]
    if position:
        before = siblings[position - 1]
        comma = _BLANK.match(text, before.end).end()  # type: ignore[union-attr]
        return text[:comma] + text[comma + 1 : _blank_before(text, begin)] + text[child.end :]
    inside = text[parent.start + 1 : begin] + text[child.end : parent.end - 1]
    kept = "" if not inside.replace(",", "").strip() else inside
    return text[: parent.start + 1] + kept + text[parent.end - 1 :]


def find(text: str, path: JsonPath) -> JsonNode | None:
    """Give what stands at a path."""
    node: JsonNode | None = _root(text)
    for step in path:
        node = node.child(step) if node else None
    return node


def _insert(text: str, parent: JsonNode, key: str | None, value: object) -> str:
    """Add an entry after the last one of an object or a list."""
    if not isinstance(parent.value, dict if key is not None else list):
        raise InvalidJson(text.count("\n", 0, parent.start) + 1)
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    outer = _indent_at(text, parent.key_start or parent.start)
    last = parent.children[-1] if parent.children else None
    one_line = "\n" not in text.rstrip()
    if one_line and len(text.strip()) > len("{}"):
        entry = f"{name}{json.dumps(value, ensure_ascii=False)}"
        if last is None:
            return text[: parent.start + 1] + entry + text[parent.start + 1 :]
        return f"{text[: last.end]}, {entry}{text[last.end :]}"
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = _indent_at(text, last.key_start) if last else outer + _unit(text)
    entry = f"{newline}{indent}{name}{_dumped(text, value, indent)}"
    if last is None:
        return text[: parent.start + 1] + entry + newline + outer + text[parent.end - 1 :]
    comma = _BLANK.match(text, last.end).end()  # type: ignore[union-attr]
    if text[comma] == ",":  # a trailing one
        behind = _SAME_LINE.match(text, comma + 1).end()  # type: ignore[union-attr]
        return text[:behind] + entry + text[behind:]
    behind = _SAME_LINE.match(text, last.end).end()  # type: ignore[union-attr]
    return text[: last.end] + "," + text[last.end : behind] + entry + text[behind:]


def _nested(keys: Sequence[str], value: object) -> object:
    for key in reversed(keys):
        value = {key: value}
    return value


def _dumped(text: str, value: object, indent: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return f"{newline}{indent}".join(lines)


def _unit(text: str) -> str:
    """Give one step of indentation, as the first indented line has it."""
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return found[1] if found else "  "


def _indent_at(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip())]


def _blank_before(text: str, position: int) -> int:
    return len(text[:position].rstrip())


def _root(text: str) -> JsonNode:
    reader = _JsonReader(text)
    node = reader.read(reader.skip(0), 0)
    if reader.skip(node.end) != len(text):
        raise reader.invalid(node.end)
    return node


class _JsonReader:
    """Reads a text into nodes."""

    def __init__(self, text: str) -> None:
        self._text = text

    def skip(self, position: int) -> int:
        """Give where blanks and comments end."""
        return _BLANK.match(self._text, position).end()  # type: ignore[union-attr]

    def invalid(self, position: int) -> InvalidJson:
        """Say where the text is wrong."""
        return InvalidJson(self._text.count("\n", 0, position) + 1)

    def read(self, start: int, depth: int) -> JsonNode:
        """Read a value."""
        opening = self._text[start : start + 1]
        if depth > _DEEPEST:
            raise self.invalid(start)
        if opening == "{":
            members = tuple(self._members(start + 1, depth))
            end = self._end(start, members, "}")
            return JsonNode(start, end, {member.key: member.value for member in members}, members, None, start)
        if opening == "[":
            items = tuple(self._items(start + 1, depth))
            return JsonNode(start, self._end(start, items, "]"), [item.value for item in items], items, None, start)
        matched = (_STRING if opening == '"' else _LITERAL).match(self._text, start)
        try:
            if matched:
                return JsonNode(start, matched.end(), json.loads(matched[0]), (), None, start)
        except ValueError:
            pass
        raise self.invalid(start)

    def _end(self, start: int, children: tuple[JsonNode, ...], closing: str) -> int:
        position = self.skip(children[-1].end if children else start + 1)
        if children and self._text[position : position + 1] == ",":
            position = self.skip(position + 1)
        if self._text[position : position + 1] != closing:
            raise self.invalid(position)
        return position + 1

    def _members(self, position: int, depth: int) -> Iterator[JsonNode]:
        position = self.skip(position)
        while self._text[position : position + 1] == '"':
            name = self.read(position, depth)
            colon = self.skip(name.end)
            if self._text[colon : colon + 1] != ":":
                raise self.invalid(colon)
            value = self.read(self.skip(colon + 1), depth + 1)
            yield JsonNode(value.start, value.end, value.value, value.children, str(name.value), name.start)
            position = self.skip(value.end)
            if self._text[position : position + 1] != ",":
                return
            position = self.skip(position + 1)

    def _items(self, position: int, depth: int) -> Iterator[JsonNode]:
        position = self.skip(position)
        while position < len(self._text) and self._text[position] != "]":
            item = self.read(position, depth + 1)
            yield item
            position = self.skip(item.end)
            if self._text[position : position + 1] != ",":
                return
            position = self.skip(position + 1)
