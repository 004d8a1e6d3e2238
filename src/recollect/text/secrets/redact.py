"""Takes secrets out of text before it reaches a disk, an index or a model.

The invariant: redacting is idempotent, takes linear time, and gives a text without a secret back as the same object.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import re2

from recollect.text.secrets.kind import Kind, Span
from recollect.text.secrets.shapes import SHAPES
from recollect.text.secrets.words import WORDS

KINDS: tuple[Kind, ...] = (*SHAPES, *WORDS)

_MEMORY = 64 << 20  # what the automata of one pattern may occupy before they start anew
_MARK = b"[redacted: "
_MARKED = re.compile(rb"\[redacted: [^\[\]\n]{1,40}\]")
MOST_ROUNDS = 5
_LONG = 100_000
_LOOKED_AT = 1_000
_DUMPED, _MOST = 400, 0.9


class Redacted(NamedTuple):
    """A text without its secrets, and of which kind each of them was, in their order."""

    text: str
    found: tuple[str, ...]


class _Find(NamedTuple):
    start: int
    end: int
    kind: int


def redact(text: str) -> Redacted:
    """Replace every secret by `[redacted: <kind>]`."""
    data = text.encode("utf-8", "surrogatepass")
    kinds = hinted(data)
    if not kinds:
        return Redacted(text, ())
    found: list[str] = []
    for _ in range(MOST_ROUNDS):  # what is replaced may have hidden another secret's noun from a pattern
        finds = without_overlaps(sorted(find_all(data, kinds)))
        if not finds:
            break
        data = _replaced(data, finds)
        found += (KINDS[find.kind].name for find in finds)
        kinds = hinted(data)
    return Redacted(data.decode("utf-8", "surrogatepass") if found else text, tuple(found))


def hinted(data: bytes) -> list[int]:
    """Say which kinds a text hints at, in one look."""
    return _hints().Match(data) or []


def look_for(data: bytes, kind: int) -> int:
    """Count the secrets of one kind."""
    return sum(1 for _ in _finds_of(data, kind))


def find_all(data: bytes, kinds: list[int]) -> Iterator[_Find]:
    """Look for the kinds that the text hints at. Marks from before are blanked, so that they are not read as words."""
    data = _MARKED.sub(lambda mark: b"\0" * len(mark[0]), data) if _MARK in data else data
    for kind in kinds:
        yield from _finds_of(data, kind)


def _finds_of(data: bytes, kind: int) -> Iterator[_Find]:
    """Look for one kind. A very long text is judged by its first candidates: it may hold a hundred thousand of them.

    When not one of a thousand was a secret, the text is full of things that only look like it, such as order numbers,
    and the rest is let be. When nearly all were, it is a dump of secrets, and the rest goes as a whole.
    """
    check = KINDS[kind].check
    found = 0
    for looked_at, match in enumerate(_compiled(kind).finditer(data)):
        if looked_at == _LOOKED_AT and not found and len(data) > _LONG:
            return
        if looked_at >= _DUMPED and found >= looked_at * _MOST:
            yield _Find(match.span()[0], len(data), kind)
            return
        span: Span | None = check(match)
        if span is not None and span[0] < span[1] and b"\0" not in data[span[0] : span[1]]:
            found += 1
            yield _Find(*span, kind)


def without_overlaps(finds: list[_Find]) -> list[_Find]:
    """Join what overlaps, under the name of the most specific kind."""
    merged = finds[:1]
    for find in finds[1:]:
        last = merged[-1]
        if find.start < last.end:
            merged[-1] = _Find(last.start, max(last.end, find.end), min(last.kind, find.kind))
        else:
            merged.append(find)
    return merged


def _replaced(data: bytes, finds: list[_Find]) -> bytes:
    pieces: list[bytes] = []
    end = 0
    for find in finds:
        pieces += (data[end : find.start], _MARK, KINDS[find.kind].name.encode(), b"]")
        end = find.end
    return b"".join((*pieces, data[end:]))


@cache
def _hints() -> Any:  # noqa: ANN401 -- re2 has no types
    """Give one automaton for the hints of all kinds: a single look tells which patterns are worth a try."""
    hints = re2.Set.SearchSet(_options())
    for kind in KINDS:
        hints.Add(kind.hint)
    hints.Compile()
    return hints


@cache
def _compiled(kind: int) -> Any:  # noqa: ANN401 -- re2 has no types
    return re2.compile(KINDS[kind].pattern, _options())


def _options() -> Any:  # noqa: ANN401 -- re2 has no types
    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    return options
