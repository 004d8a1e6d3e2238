"""The OpenAPI document has a shape that generators of clients take."""

import re
from collections.abc import Iterator
from typing import Any

JOINED = ("anyOf", "oneOf", "allOf", "not")
METHODS = ("get", "post", "put", "patch", "delete")


def operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in document["paths"].values():
        yield from (path[method] for method in METHODS if method in path)


def nodes(inside: object) -> Iterator[dict[str, Any]]:
    """Give every object of the document."""
    if isinstance(inside, dict):
        yield inside
    for inner in inside.values() if isinstance(inside, dict) else inside if isinstance(inside, list) else ():
        yield from nodes(inner)


def bodies(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for operation in operations(document):
        content = operation.get("requestBody", {}).get("content", {})
        if "application/json" in content:
            yield content["application/json"]["schema"]


def test_bodies_are_plain_objects(document: dict[str, Any]) -> None:
    """A body is one component, or one of several by reference; no component is joined from parts."""
    for body in bodies(document):
        several = body.get("oneOf") or body.get("anyOf") or [body]
        assert all("$ref" in one or one == {"type": "null"} for one in several), body
    for name, schema in document["components"]["schemas"].items():
        assert not set(JOINED) & schema.keys(), name
        assert schema["type"] == "object", name


def test_no_constant_is_a_switch(document: dict[str, Any]) -> None:
    assert not [node for node in nodes(document) if isinstance(node.get("const"), bool)]


def test_headers_are_plain_texts(document: dict[str, Any]) -> None:
    """A time in a header makes a generator leave out the whole operation."""
    sent = [
        one for operation in operations(document) for one in operation.get("parameters", ()) if one["in"] == "header"
    ]
    assert sent
    assert not [one["name"] for one in sent for node in nodes(one) if "format" in node]


def test_patterns_begin_at_the_beginning(document: dict[str, Any]) -> None:
    """Some clients match, others search: an anchored pattern means the same to both."""
    found = {node["pattern"] for node in nodes(document) if isinstance(node.get("pattern"), str)}
    assert found
    for pattern in found:
        assert pattern.startswith("^"), pattern
        assert re.compile(pattern)
        assert "(?" not in pattern, f"{pattern} is not in every language"


def test_a_problem_is_described_once(document: dict[str, Any]) -> None:
    assert "Problem" in document["components"]["schemas"]
    for operation in operations(document):
        for answer in operation["responses"].values():
            shown = answer.get("content", {}).get("application/problem+json")
            assert shown is None or shown["schema"] == {"$ref": "#/components/schemas/Problem"}
    assert len([node for node in nodes(document) if node.get("title") == "Problem"]) == 1


def test_operations_have_short_names(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for operation in operations(document)]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+){0,3}", name) for name in names), names
    assert {"store_memory", "search_memories", "forget"} <= set(names)


def test_references_lead_somewhere(document: dict[str, Any]) -> None:
    named = {node["$ref"].rpartition("/")[2] for node in nodes(document) if "$ref" in node}
    assert named <= document["components"]["schemas"].keys()


def test_a_patch_has_no_defaults(document: dict[str, Any]) -> None:
    """A client that sends defaults would overwrite what it was not asked to change."""
    fields = document["components"]["schemas"]["MemoryPatch"]["properties"]
    assert not [name for name, field in fields.items() if "default" in field]
