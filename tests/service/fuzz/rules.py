"""What fields of a body mean to each other, as schemas: the document leaves this out, and the service checks it.

With these rules added, what fits the document is taken, and what does not is refused.
"""

from typing import Any, Final

from recollect.engine.drafts.memory_drafts import HAPPENINGS
from recollect.model.literals import MEMORY_TYPES
from recollect.service.body_model import VISIBLE

_NOT_EMPTY: Final = r"[^\s\x00-\x1f\x85]"  # what cleaning leaves something of
_NOT_BLANK: Final = r"[^\s\x1c-\x1f\x85\ufeff]"  # more than space
_PAIR: Final[dict[str, Any]] = {
    "required": ["lat", "lng"],
    "properties": {"lat": {"type": "number"}, "lng": {"type": "number"}},
}
_NO_PAIR: Final[dict[str, Any]] = {"properties": {"lat": {"type": "null"}, "lng": {"type": "null"}}}
_LAT_WITH_LNG: Final[dict[str, Any]] = {"anyOf": [_PAIR, _NO_PAIR]}
_SOMEWHERE: Final[dict[str, Any]] = {
    "anyOf": [
        _PAIR,
        *(
            {"required": [name], "properties": {**_NO_PAIR["properties"], name: {"pattern": VISIBLE}}}
            for name in ("address", "place_label")
        ),
    ]
}

# Only a memory with a key can be one of many; what happened has no value.
_HAS_A_KEY: Final[dict[str, Any]] = {
    "anyOf": [
        {"properties": {"many": {"const": False}}},
        {
            "required": ["key"],
            "properties": {
                "key": {"type": "string", "pattern": _NOT_EMPTY},
                "type": {"enum": [kind for kind in MEMORY_TYPES if kind not in HAPPENINGS]},
            },
        },
    ]
}

# A message says or shows something or calls a tool; the result of a tool may be empty, but says of which call it is.
_SAYS_SOMETHING: Final[dict[str, Any]] = {
    "anyOf": [
        {
            "required": ["tool_call_id"],
            "properties": {"role": {"const": "tool"}, "tool_call_id": {"type": "string", "minLength": 1}},
        },
        {
            "required": ["content"],
            "properties": {
                "role": {"not": {"const": "tool"}},
                "content": {"anyOf": [{"type": "string", "pattern": _NOT_BLANK}, {"type": "array", "minItems": 1}]},
            },
        },
        *(
            {
                "required": [name],
                "properties": {"role": {"not": {"const": "tool"}}, name: {"type": "array", "minItems": 1}},
            }
            for name in ("tool_calls", "media")
        ),
    ]
}

_TARGETS: Final = ("id", "query", "session", "source", "folder")
_NO_TARGET: Final[dict[str, Any]] = {**{name: {"type": "null"} for name in _TARGETS}, "everything": {"const": False}}


def _reach(named: str) -> dict[str, Any]:
    """Say which switches do not go together with what is named."""
    owners = (("all", "query"), ("sources", "id"), ("allow_again", "everything"))
    return {switch: {"const": False} for switch, owner in owners if owner != named}


_EXACTLY_ONE: Final[dict[str, Any]] = {
    "oneOf": [
        {"required": [name], "properties": {**_NO_TARGET, **_reach(name), name: {"type": "string"}}}
        for name in _TARGETS
    ]
    + [
        {
            "required": ["everything"],
            "properties": {**_NO_TARGET, **_reach("everything"), "everything": {"const": True}},
        }
    ],
    "not": {"required": ["receipt", "dry_run"], "properties": {"receipt": {"const": True}, "dry_run": {"const": True}}},
}

_TYPED: Final = ("FactBody", "PreferenceBody", "EventBody", "LessonBody", "InstructionBody")
_PLACED: Final = ("NewMemoryBody", "MemoryPatch", "ContextQuery", "SimpleQuery", "BeforePromptBody", *_TYPED)
_RULES: Final[dict[str, dict[str, Any]]] = {
    **dict.fromkeys(_PLACED, _LAT_WITH_LNG),
    "NewMemoryBody": {"allOf": [_HAS_A_KEY, _LAT_WITH_LNG]},
    "LocationBody": _SOMEWHERE,
    "MessageBody": {"allOf": [_SAYS_SOMETHING, _LAT_WITH_LNG]},
    "ForgetBody": _EXACTLY_ONE,
}


def add_rules(document: dict[str, Any]) -> None:
    """Add the rules to the schemas of the document."""
    for name, rule in _RULES.items():
        document["components"]["schemas"][name].update(rule)
