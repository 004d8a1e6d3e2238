"""The OpenAPI document, in a shape that generators of clients take.

Bodies are plain objects, a problem is described once, operations have short names, and every pattern is anchored.
"""

import json
from typing import Any, ClassVar, Final

from fastapi import FastAPI
from fastapi.routing import APIRoute

from recollect.service.body_model import VISIBLE
from recollect.service.responses import ProblemDocument

PROBLEM: Final = {"$ref": "#/components/schemas/Problem"}
FILE_FORM: Final = {"$ref": "#/components/schemas/FileForm"}
BINARY: Final = {"type": "string", "format": "binary"}

_FILE_FORM: Final[dict[str, Any]] = {
    "title": "FileForm",
    "description": "A form with a document as its only part.",
    "type": "object",
    "properties": {"file": BINARY},
    "required": ["file"],
    "additionalProperties": False,
}

# Some generated clients match a pattern from the beginning of a text only.
_ANCHORED: Final = {VISIBLE: rf"^[\s\S]*?{VISIBLE}"}


def operation_name(route: APIRoute) -> str:
    """Name an operation by its function: `store_memory` becomes a function or a method of a generated client."""
    return route.name


class DocumentedApp(FastAPI):
    """An application with such a document; all applications of a process have the same routes."""

    _document: ClassVar[str] = ""

    def openapi(self) -> dict[str, Any]:
        """Give the document; it is made once in a process, which takes most of a second."""
        if self.openapi_schema is None:
            if not DocumentedApp._document:
                document, problem = super().openapi(), ProblemDocument.model_json_schema()
                document["components"]["schemas"] |= {"FileForm": _FILE_FORM, "Problem": problem}
                _anchor_patterns(document)
                DocumentedApp._document = json.dumps(document)
            self.openapi_schema = json.loads(DocumentedApp._document)
        return self.openapi_schema


def _anchor_patterns(node: object) -> None:
    if isinstance(node, list):
        for item in node:
            _anchor_patterns(item)
    if not isinstance(node, dict):
        return
    pattern = node.get("pattern")
    if isinstance(pattern, str):
        node["pattern"] = _ANCHORED.get(pattern, pattern)
    for inner in node.values():
        _anchor_patterns(inner)
