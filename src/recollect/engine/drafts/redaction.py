"""Redaction before storing: nothing that is marked private and no secrets reach the disk."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from recollect.engine.base.context import Engine
from recollect.engine.drafts import memory_drafts
from recollect.errors import InvalidInput
from recollect.model.geo import CITY, DISTRICT, STREET, Grid
from recollect.model.literals import REDACTION_MARK, SEALED
from recollect.model.memories import NewMemory, OfferedMemory
from recollect.model.places import PlacePrecision, check_coordinates
from recollect.text.private import without_private
from recollect.text.secrets import hints_at_secret, redact, redact_values

_TEXTS = ("content", "subject", "value", "context", "address", "place_label")
_other_fields = attrgetter(*_TEXTS[1:], "metadata", "lat", "media")
_DEFAULT_FIELDS = _other_fields(NewMemory(""))
_LOOKED_AT_ONCE = 8  # texts: of more, one nearly always has a hint
_MAX_DEPTH = 100  # deeper data is refused when it is checked


def public_memories(engine: Engine, memories: Sequence[OfferedMemory]) -> list[OfferedMemory]:
    """Redact memories. Texts are first looked at several in one: most of them hold nothing that looks like a secret."""
    redacted: list[OfferedMemory] = []
    for start in range(0, len(memories), _LOOKED_AT_ONCE):
        several = memories[start : start + _LOOKED_AT_ONCE]
        texts = [text for memory in several if (text := _only_text(memory)) is not None]
        text = "\n".join(texts)
        shows_nothing = "<" not in text and not (engine.settings.redact_secrets and hints_at_secret(text))
        if len(texts) == len(several) and shows_nothing:
            redacted += several
        else:
            redacted += [
                public_text(engine, memory) if isinstance(memory, str) else public(engine, memory) for memory in several
            ]
    return redacted


def _only_text(memory: OfferedMemory) -> str | None:
    """Give the content of a memory without anything else to redact, as in nearly all of a bulk load."""
    if isinstance(memory, str):
        return memory
    is_plain = _other_fields(memory) == _DEFAULT_FIELDS and isinstance(memory.content, str)
    return memory.content if is_plain else None


def public(engine: Engine, memory: NewMemory) -> NewMemory:
    """Redact a memory; usually gives the very same one."""
    if _other_fields(memory) == _DEFAULT_FIELDS and isinstance(memory.content, str):  # as in nearly all of a bulk load
        content = public_text(engine, memory.content)
        return memory if content is memory.content else replace(memory, content=content)
    changed = _redact_fields(engine, {name: getattr(memory, name) for name in (*_TEXTS, "key", "metadata")})
    changed |= public_place(engine, memory.lat, memory.lng)
    return replace(memory, **changed) if changed else memory


_GRIDS: Mapping[PlacePrecision, Grid] = {"street": STREET, "district": DISTRICT, "city": CITY}


def public_place(engine: Engine, lat: float | None, lng: float | None) -> dict[str, Any]:
    """Round coordinates to the precision of the settings; that of a city drops the address, too.

    Invalid ones are left to the check that follows.
    """
    precision = engine.settings.places.precision
    if precision == "exact" or lat is None or lng is None:
        return {}
    try:
        check_coordinates(lat, lng)
    except InvalidInput:
        return {}
    coarse = _GRIDS[precision].rounded(lat, lng)
    return {**coarse._asdict(), **({"address": ""} if precision == "city" else {})}


def public_text(engine: Engine, text: str) -> str:
    """Redact a text."""
    public = without_private_parts(text)
    return redact(public).text if engine.settings.redact_secrets else public


def without_private_parts(text: str) -> str:
    """Give a text without all that is marked private."""
    public = without_private(text)
    while public is not text and "<" in public:  # a cut may have torn another mark apart
        text, public = public, without_private(public)
    return public


def secret_kind(subject: object, key: object, value: object) -> str:
    """Say what kind of secret a value is because of its key, or read with what it is about: `gate code: 4711`."""
    if not (isinstance(subject, str) and isinstance(key, str) and isinstance(value, str) and key and value):
        return ""
    found = redact_values({key: value})[1]
    if not found:
        said = redact(f"{subject} {key.replace('_', ' ')}: {value}")
        found = said.found if value not in said.text else ()
    return found[0] if found else ""


def without_value(text: str, value: str, mark: str) -> str:
    """Put a mark where a text says a value, such as that of a fact whose content repeats it."""
    return re.sub(rf"(?<!\w){re.escape(value.strip())}(?!\w)", lambda _: mark, text) if value.strip() else text


def public_values(engine: Engine, values: Any) -> Any:  # noqa: ANN401 - JSON
    """Redact all texts in some data."""
    public = each_text(values, without_private)
    return redact_values(public)[0] if engine.settings.redact_secrets else public


def each_text(value: Any, change: Callable[[str], str], depth: int = 0) -> Any:  # noqa: ANN401 - JSON
    """Change every text in some data."""
    if isinstance(value, str):
        return change(value)
    if depth > _MAX_DEPTH:
        return value
    if isinstance(value, Mapping):
        return {name: each_text(inner, change, depth + 1) for name, inner in value.items()}
    return [each_text(inner, change, depth + 1) for inner in value] if isinstance(value, list | tuple) else value


def texts_in(value: Any) -> list[str]:  # noqa: ANN401 - JSON
    """Give every text in some data."""
    texts: list[str] = []

    def note(text: str) -> str:
        texts.append(text)
        return text

    each_text(value, note)
    return texts


def change_json(text: str, change: Callable[[Any], Any]) -> str | None:
    """Change values that are written as JSON, so that it stays JSON; None when it is none."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return None
    changed = change(values)
    return text if changed == values else json.dumps(changed, ensure_ascii=False)


def _without_secret_value(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Give the value of a fact, and the texts that repeat it, with a mark instead, when its key makes it a secret."""
    value = fields.get("value")
    kind = secret_kind(fields.get("subject"), fields.get("key"), value)
    if not kind or not isinstance(value, str):
        return {}
    mark = f"{REDACTION_MARK}{kind}]"
    said = {name: fields[name] for name in ("content", "context") if isinstance(fields.get(name), str)}
    return {"value": mark} | {name: without_value(text, value, mark) for name, text in said.items()}


def _redact_fields(engine: Engine, fields: dict[str, Any]) -> dict[str, Any]:
    """Give the fields that redaction changes."""
    changed: dict[str, Any] = {}
    for name in _TEXTS:
        text = fields.get(name)
        if text and isinstance(text, str):
            public = public_text(engine, text)
            if public is not text:
                changed[name] = public
    if engine.settings.redact_secrets:
        changed |= _without_secret_value({**fields, **changed})
    metadata = fields.get("metadata")
    if metadata:
        checked = memory_drafts.checked_mapping("metadata", metadata)
        sealed = {SEALED: checked[SEALED]} if SEALED in checked else {}  # by us, and as good as random
        public_metadata = {**public_values(engine, checked), **sealed}
        if public_metadata != metadata:
            changed["metadata"] = public_metadata
    return changed
