# ruff: noqa: RUF001 -- words of four languages
"""Secrets in JSON-like values: every string is redacted, and what stands under a telling key goes whole."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from recollect.text.secrets.redact import redact

Found: TypeAlias = tuple[str, ...]

_DEEPEST = 100
_TOO_DEEP = "nested too deeply"
_WORD = re.compile(r"[A-ZА-Я]+(?![a-zа-я])|[A-ZА-Я]?[^\W\d_A-ZА-Я]+")
_SECRET_KEYS = re.compile(
    r"(?:^| )(?:(?:pg|db|my)?pass(?:word|wd|phrase|code|wort)?|pwd|pw|psk|pin|cvv|cvc|secret|token"
    r"|authorization|cookies?"
    r"|credentials?|auth|heslo|пароль|токен|секрет|kennwort|(?:api|access|private|secret|signing|encryption"
    r"|master|auth|app) ?key"
    r"|(?:seed|recovery) phrase|mnemonic)(?: (?:value|prod|production|dev|test|staging|live|old|new|base))?$"
)
_NO_SECRETS = (None, True, False, "", 0)


def redact_values(value: Any) -> tuple[Any, Found]:  # noqa: ANN401 -- JSON
    """Redact the strings in dicts and lists of any depth; gives a new value, and the kinds of what was found."""
    return _walk(value, 0)


def _walk(value: Any, depth: int) -> tuple[Any, Found]:  # noqa: ANN401 -- JSON
    if isinstance(value, str):
        return redact(value)
    if not isinstance(value, Mapping | list | tuple):
        return value, ()
    if depth > _DEEPEST:
        return f"[redacted: {_TOO_DEEP}]", (_TOO_DEEP,)
    if isinstance(value, Mapping):
        pairs = {key: _under(key, content, depth) for key, content in value.items()}
        return {key: content for key, (content, _) in pairs.items()}, _all(found for _, found in pairs.values())
    items = [_walk(item, depth + 1) for item in value]
    return [content for content, _ in items], _all(found for _, found in items)


def _all(founds: Iterable[Found]) -> Found:
    return tuple(kind for found in founds for kind in found)


def _under(key: object, value: Any, depth: int) -> tuple[Any, Found]:  # noqa: ANN401 -- JSON
    if not isinstance(key, str) or isinstance(value, Mapping | list | tuple) or not names_secret(key):
        return _walk(value, depth + 1)
    if value in _NO_SECRETS or (isinstance(value, str) and value.startswith("[redacted: ")):
        return value, ()
    found = redact(value).found if isinstance(value, str) else ()
    kind = found[0] if found else "credential"
    return f"[redacted: {kind}]", (kind,)


def names_secret(key: str) -> bool:
    """Whether a key says that its value is a secret: `password`, `dbPassword`, `X-Api-Key`."""
    return bool(_SECRET_KEYS.search(" ".join(_WORD.findall(key)).lower()))
