"""The parameters of verbs as input schemas of tools: types, bounds and sentences come from their kinds.

No verb and no parameter is named here. They are written to `verbs.json` of `recollect.mcp`, which is read there in
place of signatures: a host that lists the tools need not wait for what verbs import.
"""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, Literal, get_args, get_origin

from recollect import Memory, UserMemory
from recollect.mcp.arguments import ToolSchema
from recollect.mcp.tools import TOOLS
from recollect.model.parameters import Parameter, is_moment, parameters, plain, several

_TYPES: Final[Mapping[Any, str]] = {int: "integer", float: "number", bool: "boolean"}


def verbs(memory: Memory) -> str:
    """Write what models are told of the verbs behind tools, each parameter in a line."""
    del memory
    names = [tool.verb for tool in TOOLS.values() if tool.verb]
    return "{\n" + ",\n".join(_written(name, schema_of(getattr(UserMemory, name))) for name in names) + "\n}\n"


def schema_of(verb: Callable[..., Any]) -> ToolSchema:
    """Give the schema of the parameters of a verb that are for models."""
    offered = [one for one in parameters(verb) if one.kind.for_models]
    needed = [one.name for one in offered if one.default is ...]
    return {
        "type": "object",
        "additionalProperties": False,
        **({"required": needed} if needed else {}),
        "properties": {one.name: _schema(one) for one in offered},
    }


def _schema(one: Parameter) -> dict[str, Any]:
    """Describe one. Of what may be several a model gives one, and no empty text unless that is the default."""
    kind, inner = one.kind, plain(several(one.type) or one.type)
    is_text = inner is str or (is_moment(inner) and inner is not datetime)
    said: dict[str, Any] = {
        "type": _TYPES.get(inner, "string"),
        "enum": [*get_args(inner)] if get_origin(inner) is Literal else None,
        "format": "date-time" if inner is datetime else None,
        "minimum": kind.least,
        "maximum": kind.most,
        "minLength": 1 if is_text and one.default != "" else None,
        "maxLength": kind.longest if is_text else None,
        "description": kind.said if kind.for_models is True else kind.for_models,
        "default": None if one.default is ... else one.default,
    }
    return {name: part for name, part in said.items() if part is not None}


def _written(name: str, schema: ToolSchema) -> str:
    *head, (_, properties) = schema.items()
    lines = ",\n".join(f"    {json.dumps(one)}: {json.dumps(said)}" for one, said in properties.items())
    return f'  "{name}": {json.dumps(dict(head))[:-1]}, "properties": {{\n{lines}\n  }}}}'
