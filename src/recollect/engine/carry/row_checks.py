"""What a row of an archive may say: what the doors would have taken, so that no later read stumbles over it.

The invariant: the limits are those by which the doors check. A check raises ValueError, whose text follows the name of
the field: `type is 'evil'; it must be one of ...`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from recollect import ids
from recollect.engine.conversations.message_drafts import MAX_BLOCK_CHARACTERS, MAX_NAME, conversation_name
from recollect.engine.drafts.memory_drafts import LIMITS, METADATA_LIMIT, checked_mapping
from recollect.errors import InvalidInput
from recollect.model.literals import FILE_KINDS, MEMORY_TYPES
from recollect.model.media import DIGEST, MOST_MEDIA
from recollect.model.places import LONGEST_LABEL
from recollect.storage.base.tables import (
    CHUNKS,
    CONVERSATIONS,
    DERIVATIONS,
    FILES,
    FOLDERS,
    MEMORIES,
    MESSAGES,
    NAMED_PLACES,
    SEARCH_LOG,
    SPENDING,
    TOMBSTONES,
    TransferTable,
)
from recollect.text.clean import MAX_CHARACTERS

RowCheck: TypeAlias = Callable[[Any], object]

_SHOWN: Final = 60
_LARGEST_NUMBER: Final = 2**53 - 1  # of what a host numbers
_LARGEST_AMOUNT: Final = 2**43  # a million of them add up to what a database can count
_LARGEST_COUNT: Final = 2**31 - 1
_MOST_LINES: Final = 2**24
_LONGEST_ROOT, _LONGEST_PATH = 1_000, 1_300  # bytes that fit into one entry of an index together
_LONGEST_NOTE: Final = 1_000
_RULES: Final[Mapping[str, type]] = {"include": list, "exclude": list, "hidden": bool, "gitignore": bool}


def _shown(value: object) -> str:
    return ascii(value if not isinstance(value, str) else value[:_SHOWN])[:_SHOWN]


def _one_of(choices: Sequence[str], value: str) -> None:
    if value not in choices:
        raise ValueError(f"is {_shown(value)}; it must be one of {', '.join(choices)}")


def _fits(pattern: re.Pattern[str], value: str) -> None:
    if not pattern.fullmatch(value):
        raise ValueError(f"is {_shown(value)}, which it cannot be")


def _text(most: int, value: str, *, least: int = 0) -> None:
    if not least <= len(value) <= most:
        raise ValueError(f"has {len(value):,} characters; it must have {least:,} to {most:,}")


def _bytes(most: int, value: str, *, least: int = 0) -> None:
    if not least <= len(value.encode()) <= most:
        raise ValueError(f"has {len(value.encode()):,} bytes; it must have {least:,} to {most:,}")


def _whole(most: int, value: int | None, *, least: int = 0) -> None:
    if value is not None and not least <= value <= most:
        raise ValueError(f"is {value}; it must be from {least} to {most}")


def _speaker(value: str) -> None:
    _text(MAX_NAME, value)
    if value != " ".join(value.split()):
        raise ValueError(f"is {_shown(value)}; a name stands on one line")


def _json(most: int, value: object) -> None:
    try:
        checked_mapping("data", {"": value} if value else {}, limit=most)
    except InvalidInput as error:
        raise ValueError(str(error).removeprefix("data ").rstrip(".")) from error


def _media(value: Sequence[object]) -> None:
    if len(value) > MOST_MEDIA:
        raise ValueError(f"has {len(value):,} entries; at most {MOST_MEDIA} are kept")


def _notes(value: Sequence[str]) -> None:
    for note in value:
        _text(_LONGEST_NOTE, note)
    _json(MAX_BLOCK_CHARACTERS, value)


def _rules(value: Mapping[str, Any]) -> None:
    """Check for rules that a sync can be begun with."""
    for name, rule in value.items():
        texts = type(rule) is list and all(type(pattern) is str for pattern in rule)
        if type(rule) is not _RULES.get(name) or (type(rule) is list and not texts):
            raise ValueError(f"has {_shown(name)}: {_shown(rule)}; rules are {', '.join(_RULES)}")
    _json(MAX_BLOCK_CHARACTERS, value)


def _trouble(value: Mapping[str, Any]) -> None:
    for amount in value.values():
        if type(amount) is not int:
            raise ValueError(f"counts {_shown(amount)}; it holds whole numbers")
        _whole(_LARGEST_COUNT, amount)
    _json(METADATA_LIMIT, value)


def _ids(value: str) -> None:
    for one in value.split(" ") if value else ():
        if ids.canonical(one) != one:
            raise ValueError(f"names {_shown(one)}, which is no id")


_name: Final = partial(_text, MAX_NAME)
_amount: Final = partial(_whole, _LARGEST_AMOUNT)
_count: Final = partial(_whole, _LARGEST_COUNT)
_number: Final = partial(_whole, _LARGEST_NUMBER)
_metadata: Final = partial(_json, 2 * METADATA_LIMIT)  # twice, because what is noted about it is added
_long_text: Final = partial(_text, MAX_BLOCK_CHARACTERS)
_long_json: Final = partial(_json, 2 * MAX_BLOCK_CHARACTERS)

_CHECKS: Final[Mapping[TransferTable, Mapping[str, RowCheck]]] = {
    MEMORIES: {
        **{name: partial(_text, LIMITS[name]) for name in ("subject", "key", "value", "context", "source")},
        "session_id": partial(_text, LIMITS["session"]),
        "type": partial(_one_of, MEMORY_TYPES),
        "content": partial(_text, MAX_CHARACTERS, least=1),
        "content_hash": partial(_fits, re.compile(r"[0-9a-f]{32}(?:[0-9a-f]{16})?")),
        "metadata": _metadata,
        "media": _media,
    },
    CONVERSATIONS: {"id": conversation_name, "last_sequence": partial(_whole, _LARGEST_NUMBER, least=-1),
                    "metadata": _metadata},
    MESSAGES: {
        **dict.fromkeys(("external_id", "tool_call_id", "model"), _name),
        **dict.fromkeys(("sequence", "input_tokens", "output_tokens", "thinking_tokens"), _number),
        "conversation_id": conversation_name,
        "speaker": _speaker,
        "content": _long_text,
        "blocks": _long_json,
        "tool_calls": _long_json,
        "tokens": _count,
        "metadata": _metadata,
        "media": _media,
    },
    FILES: {
        **dict.fromkeys(("recipe", "chunks"), _count),
        "root": partial(_bytes, _LONGEST_ROOT),
        "path": partial(_bytes, _LONGEST_PATH, least=1),
        "kind": partial(_one_of, FILE_KINDS),
        "mime": partial(_fits, re.compile(r"[a-z]+/[a-zA-Z0-9][a-zA-Z0-9.+-]{0,100}")),
        "size": _amount,
        "lines": partial(_whole, _MOST_LINES),
        "digest": partial(_fits, DIGEST),
        "original": partial(_fits, re.compile(f"(?:{DIGEST.pattern})?")),
        "notes": _notes,
        "metadata": _long_json,
    },
    CHUNKS: {
        **dict.fromkeys(("start_line", "end_line", "start_column"), _count),
        "content": _long_text,
        "heading": _long_text,
        "content_hash": partial(_text, MAX_NAME),
        "role": _name,
    },
    FOLDERS: {"root": partial(_bytes, _LONGEST_ROOT, least=1), "rules": _rules, "trouble": _trouble},
    NAMED_PLACES: {
        "folded": partial(_text, 2 * LONGEST_LABEL, least=1),
        "name": partial(_text, LONGEST_LABEL, least=1),
    },
    SPENDING: {
        **dict.fromkeys(("calls", "input_tokens", "output_tokens"), _amount),
        **dict.fromkeys(("purpose", "model"), _name),
        "day": partial(_fits, re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")),
    },
    SEARCH_LOG: {
        **dict.fromkeys(("verb", "degraded"), _name),
        "hits": _count,
        "took_ms": _amount,
        "query": _long_text,
        "user_agent": partial(_text, _LONGEST_NOTE),
        "found": _ids,
    },
    TOMBSTONES: {"fingerprint": partial(_fits, re.compile(r"[0-9a-f]{16}:[0-9a-f]{16,128}"))},
}  # fmt: skip


def check_of(table: TransferTable, column: str) -> RowCheck | None:
    """Give what checks a value of a column further than its kind does."""
    return _CHECKS.get(table, {}).get(column)


def check_whole(table: TransferTable, values: Mapping[str, Any]) -> None:
    """Check what columns of a row say together. Raises ValueError, whose text names the fields."""
    if "lat" in values and (values["lat"] is None) != (values["lng"] is None):
        raise ValueError("has half of a pair of coordinates")
    if table is DERIVATIONS and values["made_id"] == values["source_id"]:
        raise ValueError("says that something was made from itself")
    if table is CHUNKS and not 1 <= values["start_line"] <= values["end_line"] <= _MOST_LINES:
        raise ValueError(f"has the lines {values['start_line']} to {values['end_line']}, which no file has")
