"""Tool calls in words: which tool, with what, and whether it failed."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from recollect.model.messages import ToolCall
from recollect.text.summary.sentences import trouble_line
from recollect.text.summary.shortening import shortened

TROUBLED = "which reported:"

_LONGEST_ARGUMENT = 60
_LONGEST_ARGUMENTS = 20_000  # a longer JSON is somebody's file, not worth reading for one word
_LONGEST_TROUBLE = 100
_MOST_ARGUMENTS = 4
_TELLING = ("entity_id", "entity", "target", "id", "name", "title", "path", "file", "url", "query", "to", "subject")
_LOOKING = (
    "get",
    "list",
    "read",
    "search",
    "find",
    "fetch",
    "query",
    "look",
    "recall",
    "view",
    "show",
    "check",
    "memory",
)


class Call(NamedTuple):
    """A tool call: what it was called with, what went wrong, and whether it only looked at something."""

    name: str
    argument: str
    trouble: str
    looks: bool


def read_call(call: ToolCall, result: str | None) -> Call:
    """Describe a tool call and its result, if one is known."""
    verb = call.name.rpartition(".")[2].rpartition("__")[2].casefold()
    trouble = shortened(trouble_line(result[:300]), _LONGEST_TROUBLE) if result else ""
    return Call(" ".join(call.name.split())[:80], _main_argument(call.arguments), trouble, verb.startswith(_LOOKING))


def written(calls: Iterable[Call]) -> list[str]:
    """Put calls into words, those of the same tool together."""
    by_tool: dict[tuple[str, str], dict[str, None]] = {}
    for call in calls:
        by_tool.setdefault((call.name, call.trouble), {})[call.argument] = None
    return [
        _line(name, trouble, [text for text in arguments if text]) for (name, trouble), arguments in by_tool.items()
    ]


def _line(name: str, trouble: str, arguments: list[str]) -> str:
    shown = "; ".join(arguments[:_MOST_ARGUMENTS])
    more = f" and {len(arguments) - _MOST_ARGUMENTS} more" if len(arguments) > _MOST_ARGUMENTS else ""
    reported = f", {TROUBLED} {trouble}" if trouble else ""
    return f"Called {name}" + (f" ({shown}{more})" if shown else "") + reported


def _main_argument(arguments: str) -> str:
    """Give the argument that tells what a call was about, as `name value`."""
    found = _read(arguments)
    key = next((key for key in _TELLING if _is_telling(found.get(key))), None)
    if key is None:
        key = next((key for key, value in found.items() if _is_telling(value)), None)
    if key is None:
        return ""
    return shortened(" ".join(f"{key} {found[key]}".split()), _LONGEST_ARGUMENT)


def _read(arguments: str) -> Mapping[str, Any]:
    if len(arguments) > _LONGEST_ARGUMENTS:
        return {}
    try:
        found = json.loads(arguments)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _is_telling(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and bool(str(value).strip())
