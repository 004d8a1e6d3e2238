"""The tools as a model sees them. `tools.json` says when to use each, what it takes and gives; `handlers` run them.

The schemas use plain keywords only, because hosts hand them on to models that know no others. `$use` inserts one of the
file's definitions.
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


_DOCUMENT: Final[dict[str, Any]] = json.loads(Path(__file__).with_name("tools.json").read_text(encoding="utf-8"))


def _expand(node: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(node, list):
        return [_expand(item) for item in node]
    if not isinstance(node, dict):
        return node
    expanded: dict[str, Any] = {}
    for name, value in node.items():
        expanded |= _expand(_DOCUMENT["definitions"][value]) if name == "$use" else {name: _expand(value)}
    return expanded


TOOLS: Final[Mapping[str, Tool]] = {
    tool["name"]: Tool(**{**_expand(tool), "hints": Hints(**tool["hints"])}) for tool in _DOCUMENT["tools"]
}
FEDERATED: Final = "search_federated"  # offered only where other services are configured
PROMPT_ARGUMENTS: Final[ToolSchema] = _expand(_DOCUMENT["prompt"])
