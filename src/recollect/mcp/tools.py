"""The tools as a model sees them. `tools.json` says when to use each, what it takes and gives; `handlers` run them.

What a tool takes that is a verb comes from the verb's signature, by way of `verbs.json` (`tests/surface` writes it);
`takes` says what differs, as a patch of it in which null takes something away. The schemas use plain keywords only,
because hosts hand them on to models that know no others. `$use` inserts one of the file's definitions.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from recollect.mcp.arguments import ToolSchema


class Hints(NamedTuple):
    """What a host may want to know before it lets a model call a tool. Only `open_world` ones ask other services."""

    reads_only: bool
    destroys: bool = False
    repeatable: bool = True
    open_world: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: what a model is told about it, and what it takes and gives."""

    name: str
    title: str
    description: str
    takes: ToolSchema
    gives: ToolSchema
    hints: Hints
    verb: str = ""


VERBS_FILE: Final = Path(__file__).with_name("verbs.json")
_DOCUMENT: Final[dict[str, Any]] = json.loads(VERBS_FILE.with_name("tools.json").read_text(encoding="utf-8"))


def _expand(node: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(node, list):
        return [_expand(item) for item in node]
    if not isinstance(node, dict):
        return node
    expanded: dict[str, Any] = {}
    for name, value in node.items():
        expanded |= _expand(_DOCUMENT["definitions"][value]) if name == "$use" else {name: _expand(value)}
    return expanded


def _patched(schema: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """Apply a patch as RFC 7396 has it."""
    changed = {name: part for name, part in schema.items() if patch.get(name, part) is not None}
    for name, part in patch.items():
        if isinstance(part, dict):
            changed[name] = _patched(changed.get(name, {}), part)
        elif part is not None:
            changed[name] = part
    return changed


def read_tools() -> dict[str, Tool]:
    """Make the tools of the files."""
    verbs: dict[str, Any] = json.loads(VERBS_FILE.read_text(encoding="utf-8"))
    tools: dict[str, Tool] = {}
    for said in _expand(_DOCUMENT["tools"]):
        takes = _patched(verbs.get(said.get("verb", ""), {}), said["takes"])
        tools[said["name"]] = Tool(**{**said, "takes": takes, "hints": Hints(**said["hints"])})
    return tools


TOOLS: Final = read_tools()
FEDERATED: Final = "search_federated"  # offered only where other services are configured
PROMPT_ARGUMENTS: Final[ToolSchema] = _expand(_DOCUMENT["prompt"])
