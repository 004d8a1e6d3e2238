"""What a kind of secret is: a name, a pattern, and a check for what the pattern cannot see."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple, Protocol, TypeAlias

from recollect.text.tables import TableError, read_lines


class SecretMatch(Protocol):
    """What re2 gives for a find in bytes."""

    @property
    def string(self) -> bytes: ...
    def span(self, group: int = 0) -> tuple[int, int]: ...


ByteSpan: TypeAlias = tuple[int, int]
SecretCheck: TypeAlias = Callable[[SecretMatch], ByteSpan | None]

_NOWHERE = (-1, -1)
_TELLING = 4_096


class SecretKind(NamedTuple):
    """A kind of secret. `hint` is cheaper than the pattern and occurs in every text in which the pattern does."""

    name: str
    pattern: str
    check: SecretCheck
    hint: str


@cache
def patterns(section: str) -> str:
    """Give the patterns under a heading of the tables as one choice."""
    lines = read_lines("secrets", section)
    if not lines:
        raise TableError(f"secrets.txt: no language has the section [{section}].")
    return "|".join(lines)


def text_of(match: SecretMatch, span: ByteSpan) -> str:
    """Give the characters in a span, as many as tell what they are."""
    start, end = span
    return match.string[start : min(end, start + _TELLING)].decode("utf-8", "replace")


def first_group(match: SecretMatch, first: int, last: int) -> ByteSpan:
    """Give the span of the first of these groups that took part in the match; of the whole match if none did."""
    spans = (match.span(group) for group in range(first, last + 1))
    return next((span for span in spans if span != _NOWHERE), match.span())


def group(match: SecretMatch) -> ByteSpan:
    """Take the first group."""
    return match.span(1)


def only_if(test: Callable[[str], bool], number: int = 0) -> SecretCheck:
    """Take what was found, or a group of it, if its text passes a test."""

    def check(match: SecretMatch) -> ByteSpan | None:
        span = match.span(number)
        return span if test(text_of(match, span)) else None

    return check
