"""JSON schemas in words: types, bounds and examples. Pure functions."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

OpenApiSchema: TypeAlias = Mapping[str, Any]
LinkedText: TypeAlias = tuple[str, str]  # words, and the model they link to, or ''

_DEEPEST: Final = 6
_RANGES: Final = (
    ("minimum", "maximum", ""),
    ("minLength", "maxLength", " characters"),
    ("minItems", "maxItems", " items"),
)
_BOUNDS: Final = {
    "exclusiveMinimum": "more than ",
    "exclusiveMaximum": "less than ",
    "pattern": "matches ",
    "format": "",
}
_SAMPLES: Final[Mapping[str, object]] = {"integer": 1, "number": 0.5, "boolean": True, "null": None}
_FORMATTED: Final = {"date-time": "2026-01-31T12:00:00Z", "date": "2026-01-31", "uri": "https://example.org/"}


_WORDS: Final = {"string": "text", "integer": "whole number"}


def describe_type(schema: OpenApiSchema) -> list[LinkedText]:
    """Say what a schema describes: `text`, `list of Hit`, `number or null`."""
    if "$ref" in schema:
        name = model_name(schema)
        return [(name, name)]
    for joined, word in (("anyOf", " or "), ("oneOf", " or "), ("allOf", " and ")):
        if schema.get(joined):
            return _joined([describe_type(part) for part in schema[joined]], word)
    named: Any = schema.get("type", "anything")
    if isinstance(named, list):
        return _joined([describe_type({**schema, "type": each}) for each in named], " or ")
    if named == "array":
        return [("list of ", ""), *describe_type(_inner(schema, "items"))]
    if named == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        return [("object of ", ""), *describe_type(_inner(schema, "additionalProperties"))]
    shown = "bytes" if schema.get("format") == "binary" else _WORDS.get(named, named)
    return [(shown, "")]


def describe_bounds(schema: OpenApiSchema) -> Iterator[str]:
    """Say what a value has to keep to, and what it is when it is left out."""
    options = [schema, *(part for joined in ("anyOf", "oneOf", "allOf") for part in schema.get(joined, ()))]
    for option in options:
        if "enum" in option:
            yield "one of " + ", ".join(to_json(value) for value in option["enum"])
        if "const" in option:
            yield f"always {to_json(option['const'])}"
        yield from _ranges(option)
        yield from (f"{words}{option[name]}" for name, words in _BOUNDS.items() if name in option)
        if isinstance(option.get("items"), Mapping):
            yield from (f"each {words}" for words in describe_bounds(option["items"]))
    if schema.get("default") is not None:
        yield f"default {to_json(schema['default'])}"


def make_example(schema: OpenApiSchema, models: Mapping[str, OpenApiSchema], depth: int = 0) -> object:
    """Make a value that a schema describes: the one it gives itself, or else the plainest with what is required."""
    if schema.get("examples"):
        return schema["examples"][0]
    for said in ("example", "const", "default"):
        if schema.get(said) is not None:
            return schema[said]
    if "$ref" in schema:
        return make_example(models.get(model_name(schema), {}), models, depth + 1) if depth < _DEEPEST else {}
    for joined in ("anyOf", "oneOf", "allOf"):
        if schema.get(joined):
            return make_example(schema[joined][0], models, depth + 1)
    return _plainest(schema, models, depth)


def model_name(schema: OpenApiSchema) -> str:
    """Give the name of the model that a reference means."""
    return str(schema["$ref"]).rpartition("/")[2]


def list_fields(schema: OpenApiSchema, models: Mapping[str, OpenApiSchema]) -> list[tuple[str, OpenApiSchema, bool]]:
    """Give the fields of an object, or of the model that is meant, and whether each has to be there."""
    if "$ref" in schema:
        schema = models.get(model_name(schema), {})
    required = schema.get("required", ())
    return [(name, inner, name in required) for name, inner in schema.get("properties", {}).items()]


def to_json(value: object) -> str:
    """Write a value as it stands in JSON."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _plainest(schema: OpenApiSchema, models: Mapping[str, OpenApiSchema], depth: int) -> object:
    if schema.get("enum"):
        return schema["enum"][0]
    named = schema.get("type", "object" if "properties" in schema else "string")
    named = named[0] if isinstance(named, list) else named
    if named == "object":
        wanted = [
            (name, inner)
            for name, inner, required in list_fields(schema, models)
            if required or inner.get("examples") or inner.get("example") is not None
        ]
        return {name: make_example(inner, models, depth + 1) for name, inner in wanted}
    if named == "array":
        return [make_example(_inner(schema, "items"), models, depth + 1)] if depth < _DEEPEST else []
    return _SAMPLES.get(named, _FORMATTED.get(schema.get("format", ""), "text"))


def _ranges(schema: OpenApiSchema) -> Iterator[str]:
    for low, high, unit in _RANGES:
        least, most = (f"{schema[end]:,}".removesuffix(".0") if end in schema else "" for end in (low, high))
        if least and most:
            yield f"{least} to {most}{unit}"
        elif least or most:
            yield f"at least {least}{unit}" if least else f"at most {most}{unit}"


def _inner(schema: OpenApiSchema, name: str) -> OpenApiSchema:
    found = schema.get(name, {})
    return found if isinstance(found, Mapping) else {}


def _joined(parts: list[list[LinkedText]], word: str) -> list[LinkedText]:
    joined: list[LinkedText] = []
    for part in parts:
        joined += [(word, ""), *part] if joined else part
    return joined
