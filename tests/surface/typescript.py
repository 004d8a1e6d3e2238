"""The types of the TypeScript client, written from the OpenAPI document and `typescript.tsv`, which names them.

No verb and no field is named here. A schema that the table does not name is written out where it is used; a type that
has all members of an earlier one extends it.
"""

import json
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from recollect import Memory
from tests.rows import read_rows
from tests.surface.listings import openapi

TABLE: Final = Path(__file__).with_name("typescript.tsv")
_HEADS: Final = {
    "inputs": """\
// What the verbs take: the fields of the HTTP routes, by the same names. A limit or a rule that a type cannot say is
// checked by the service. Written from the service's OpenAPI document by `python -m tests.surface`.

/** A moment: a Date, or a string with a time zone such as `2026-03-01T12:00:00Z`. */
export type DateLike = Date | string;
""",
    "results": """\
// What the service answers. Times are strings as in JSON (RFC 3339); fields that can be absent are optional.
// Written from the service's OpenAPI document by `python -m tests.surface`.

import type { {imports} } from "./inputs.js";
""",
}
_MOMENTS: Final = {"inputs": "DateLike", "results": "string"}
_PLAIN: Final = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
_WIDTH: Final = 120


class Named(NamedTuple):
    """A type that the client exports: the schema, field or route it is of, some of its fields, and what to say of it.

    Fields are left out after a minus; after a plus there are no others.
    """

    file: str
    name: str
    of: str
    fields: str
    said: str


class Member(NamedTuple):
    """A field of a type."""

    type: str
    is_optional: bool
    said: str


def declarations(file: str) -> Callable[[Memory], str]:
    """Give what writes one of the two files."""
    return lambda memory: _Writer(openapi(memory), file).text()


class _Writer:
    """Writes a file."""

    def __init__(self, document: Mapping[str, Any], file: str) -> None:
        self._paths, self._schemas = document["paths"], document["components"]["schemas"]
        self._file = file
        rows = [Named(*row) for row in read_rows(TABLE)]
        self._rows = [row for row in rows if row.file == file]
        self._whole = {row.of: row.name for row in rows if not row.fields}
        self._imported: set[str] = set()
        self._unions: dict[str, Named] = {}
        for row in filter(_is_union, rows):
            schema, _, field = row.of.partition(".")
            self._unions[self._type(self._schemas[schema]["properties"][field])] = row

    def text(self) -> str:
        """Give the whole file."""
        unions = {row.name: union for union, row in self._unions.items()}
        parts: list[str] = []
        earlier: dict[str, Mapping[str, Member]] = {}
        for row in self._rows:
            if row.name in unions:
                parts.append(f"{_comment(row.said)}export type {row.name} = {unions[row.name]};\n")
                continue
            members = self._members(row)
            bases = {name: shape for name, shape in earlier.items() if _is_part(shape, members)}
            nearest = [name for name in bases if not any(_is_part(bases[name], shape) for shape in bases.values())]
            own = {name: said for name, said in members.items() if not any(name in bases[base] for base in nearest)}
            extends = f" extends {', '.join(nearest)}" if nearest else ""
            said = row.said or self._schemas[row.of]["description"]
            parts.append(f"{_comment(said)}export interface {row.name}{extends} {_braced(own)}\n")
            earlier[row.name] = members
        head = _HEADS[self._file].replace("{imports}", ", ".join(sorted(self._imported)))
        return "\n".join([head, *parts])

    def _members(self, row: Named) -> dict[str, Member]:
        """Give the fields of a body, or the query of a route; a list in a query may be its only item."""
        method, _, path = row.of.partition(" ")
        if path:
            asked = [one for one in self._paths[path][method.lower()]["parameters"] if one["in"] == "query"]
            found = {one["name"]: self._member(one["schema"], one.get("required"), is_alone=True) for one in asked}
        else:
            found = self._fields(self._schemas[row.of])
        chosen = row.fields[1:].split()
        assert set(chosen) <= found.keys(), row
        if row.fields.startswith("+"):
            return {name: found[name] for name in chosen}
        return {name: member for name, member in found.items() if name not in chosen}

    def _fields(self, schema: Mapping[str, Any]) -> dict[str, Member]:
        required = schema.get("required", ())
        return {name: self._member(field, name in required) for name, field in schema["properties"].items()}

    def _member(self, field: Mapping[str, Any], is_required: object, *, is_alone: bool = False) -> Member:
        return Member(self._type(field, is_alone=is_alone), not is_required, self._said(field))

    def _said(self, field: Mapping[str, Any]) -> str:
        """Give what is said of a field, or of its schema if that has no name."""
        for one in (field, *field.get("anyOf", ()), field.get("items", {})):
            schema = one.get("$ref", "").rpartition("/")[2]
            unnamed = self._schemas[schema] if schema and schema not in self._whole else {}
            if said := one.get("description") or unnamed.get("description"):
                return str(said)
        return ""

    def _type(self, schema: Mapping[str, Any], *, is_alone: bool = False) -> str:
        options = schema.get("anyOf", [schema])
        null = [one for one in options if one.get("type") == "null"]
        text = " | ".join(self._single(one, is_alone=is_alone) for one in options if one not in null)
        return " | ".join((self._known(text), *(["null"] if null else [])))

    def _known(self, text: str) -> str:
        """Give the name of a union, if it has one."""
        row = self._unions.get(text)
        if row is None:
            return text
        if row.file != self._file:
            self._imported |= {row.name}
        return row.name

    def _single(self, schema: Mapping[str, Any], *, is_alone: bool) -> str:
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            return self._whole.get(name) or _braced(self._fields(self._schemas[name]))
        if "enum" in schema or "const" in schema:
            values = schema.get("enum", [schema.get("const")])
            return self._known(" | ".join(json.dumps(value) for value in values))
        if schema.get("type") == "array":
            item = self._type(schema["items"])
            several = f"({item})[]" if " | " in item and not item.startswith("{") else f"{item}[]"
            return f"{item} | {several}" if is_alone else several
        if schema.get("type") == "object":
            inner = schema["additionalProperties"]
            return f"Record<string, {'unknown' if inner is True else self._type(inner)}>"
        return _MOMENTS[self._file] if schema.get("format") in ("date-time", "moment") else _PLAIN[schema["type"]]


def _is_union(row: Named) -> bool:
    return "." in row.of


def _is_part(one: Mapping[str, Member], other: Mapping[str, Member]) -> bool:
    return len(one) < len(other) and all(name in other and other[name][:2] == one[name][:2] for name in one)


def _braced(members: Mapping[str, Member]) -> str:
    """Write a type with a line for each field."""
    lines = [
        f"{_comment(member.said)}{name}{'?' if member.is_optional else ''}: {member.type};\n"
        for name, member in members.items()
    ]
    return f"{{\n{textwrap.indent(''.join(lines), '  ')}}}"


def _comment(said: str) -> str:
    """Write what is said for people, in whole sentences."""
    if not said:
        return ""
    paragraphs = [" ".join(paragraph.split()) for paragraph in said.split("\n\n")]
    paragraphs[-1] += "" if paragraphs[-1].endswith(".") else "."
    lines = "\n\n".join(textwrap.fill(paragraph, _WIDTH) for paragraph in paragraphs).split("\n")
    if len(lines) == 1:
        return f"/** {lines[0]} */\n"
    return "/**\n" + "".join(f" * {line}".rstrip() + "\n" for line in lines) + " */\n"
