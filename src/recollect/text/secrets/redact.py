# ruff: noqa: RUF001 -- words of four languages
"""Takes secrets out of text before it reaches a disk, an index or a model.

The invariant: redacting is idempotent, takes linear time, and gives a text without a secret back as the same object.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import re2

from recollect.model.literals import KEPT_MARK, REDACTION_MARK
from recollect.text.regex import regex_options
from recollect.text.secrets.checks import ByteSpan, SecretKind
from recollect.text.secrets.kinds import checked_kinds, shapes

_MARKED = re.compile(rb"\[(?:redacted|kept secret): [^\[\]\n]{1,40}\]")
MOST_ROUNDS = 5
_LONG = 100_000
_LOOKED_AT = 1_000
_DUMPED, _MOST = 400, 0.9
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


@cache
def kinds() -> tuple[SecretKind, ...]:
    """Give every kind of secret; a kind is known by its number in this order."""
    return (*shapes(), *checked_kinds())


class Redacted(NamedTuple):
    """A text without its secrets, and of which kind each of them was, in their order."""

    text: str
    found: tuple[str, ...]


class _SecretSpan(NamedTuple):
    start: int
    end: int
    kind: int


def redact(text: str, mark: str = REDACTION_MARK) -> Redacted:
    """Replace every secret by `[redacted: <kind>]`, or by another mark."""
    data = text.encode("utf-8", "surrogatepass")
    hints = hinted(data)
    if not hints:
        return Redacted(text, ())
    found: list[str] = []
    for _ in range(MOST_ROUNDS):  # what is replaced may have hidden another secret's noun from a pattern
        finds = without_overlaps(sorted(find_all(data, hints)))
        if not finds:
            break
        data = _replaced(data, finds, mark.encode())
        found += (kinds()[find.kind].name for find in finds)
        hints = hinted(data)
    return Redacted(data.decode("utf-8", "surrogatepass") if found else text, tuple(found))


def redact_values(value: Any) -> tuple[Any, tuple[str, ...]]:  # noqa: ANN401 -- JSON
    """Redact the strings in dicts and lists of any depth; gives a new value, and the kinds of what was found."""
    return _walk(value, 0)


def _walk(value: Any, depth: int) -> tuple[Any, tuple[str, ...]]:  # noqa: ANN401 -- JSON
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


def _all(founds: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(kind for found in founds for kind in found)


def _under(key: object, value: Any, depth: int) -> tuple[Any, tuple[str, ...]]:  # noqa: ANN401 -- JSON
    words = " ".join(_WORD.findall(key)).lower() if isinstance(key, str) else ""
    if isinstance(value, Mapping | list | tuple) or not _SECRET_KEYS.search(words):  # `dbPassword`, `X-Api-Key`
        return _walk(value, depth + 1)
    if value in _NO_SECRETS or (isinstance(value, str) and value.startswith((REDACTION_MARK, KEPT_MARK))):
        return value, ()
    found = redact(value).found if isinstance(value, str) else ()
    kind = found[0] if found else "credential"
    return f"[redacted: {kind}]", (kind,)


def hints_at_secret(text: str) -> bool:
    """Whether a text may hold a secret. What one of its lines hints at, the whole does."""
    return bool(hinted(text.encode("utf-8", "surrogatepass")))


def hinted(data: bytes) -> list[int]:
    """Say which kinds a text hints at, in one look."""
    return _hints().Match(data) or []


def look_for(data: bytes, kind: int) -> int:
    """Count the secrets of one kind."""
    return sum(1 for _ in _finds_of(data, kind))


def find_all(data: bytes, numbers: list[int]) -> Iterator[_SecretSpan]:
    """Look for the kinds that the text hints at. Marks from before are blanked, so that they are not read as words."""
    data = _MARKED.sub(lambda mark: b"\0" * len(mark[0]), data) if b"[" in data else data
    for kind in numbers:
        yield from _finds_of(data, kind)


def _finds_of(data: bytes, kind: int) -> Iterator[_SecretSpan]:
    """Look for one kind. A very long text is judged by its first candidates: it may hold a hundred thousand of them.

    When not one of a thousand was a secret, the text is full of things that only look like it, such as order numbers,
    and the rest is let be. When nearly all were, it is a dump of secrets, and the rest goes as a whole.
    """
    check = kinds()[kind].check
    found = 0
    for looked_at, match in enumerate(_compiled(kind).finditer(data)):
        if looked_at == _LOOKED_AT and not found and len(data) > _LONG:
            return
        if looked_at >= _DUMPED and found >= looked_at * _MOST:
            yield _SecretSpan(match.span()[0], len(data), kind)
            return
        span: ByteSpan | None = check(match)
        if span is not None and span[0] < span[1] and b"\0" not in data[span[0] : span[1]]:
            found += 1
            yield _SecretSpan(*span, kind)


def without_overlaps(finds: list[_SecretSpan]) -> list[_SecretSpan]:
    """Join what overlaps, under the name of the most specific kind."""
    merged = finds[:1]
    for find in finds[1:]:
        last = merged[-1]
        if find.start < last.end:
            merged[-1] = _SecretSpan(last.start, max(last.end, find.end), min(last.kind, find.kind))
        else:
            merged.append(find)
    return merged


def _replaced(data: bytes, finds: list[_SecretSpan], mark: bytes) -> bytes:
    pieces: list[bytes] = []
    end = 0
    for find in finds:
        pieces += (data[end : find.start], mark, kinds()[find.kind].name.encode(), b"]")
        end = find.end
    return b"".join((*pieces, data[end:]))


@cache
def _hints() -> Any:  # noqa: ANN401 -- re2 has no types
    """Give one automaton for the hints of all kinds: a single look tells which patterns are worth a try."""
    hints = re2.Set.SearchSet(regex_options())
    for kind in kinds():
        hints.Add(kind.hint)
    hints.Compile()
    return hints


@cache
def _compiled(kind: int) -> Any:  # noqa: ANN401 -- re2 has no types
    return re2.compile(kinds()[kind].pattern, regex_options())
