"""The patterns that a user adds in the configuration.

The invariant: a pattern that was accepted takes linear time on every text, because RE2 runs it.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import re2

from recollect.errors import InvalidInput
from recollect.model.literals import MEMORY_TYPES, MemoryType
from recollect.model.readings import Captured
from recollect.text.regex import Regex, RegexMatch, compile_regex

_LONGEST = 1_000
_IMPORTANCE = 0.9
_SLOTS = ("subject", "key", "value", "context")


class CapturePattern(NamedTuple):
    """A pattern in RE2 syntax, found without regard to case. Groups named subject, key, value or context fill these."""

    pattern: str
    type: MemoryType


CompiledPatterns: TypeAlias = tuple[tuple[CapturePattern, Regex], ...]

NONE: CompiledPatterns = ()


def compile_patterns(patterns: Sequence[CapturePattern]) -> CompiledPatterns:
    """Compile a user's patterns. Raises InvalidInput for the first that cannot be used."""
    return tuple((pattern, _compiled(pattern)) for pattern in patterns)


def judge_by_patterns(said: str, patterns: CompiledPatterns) -> Captured | None:
    """Give the sentence as the first pattern found in it wants it kept."""
    for pattern, regex in patterns:
        if found := regex.search(said):
            subject, key, value, context = (_slot(said, found, regex.groupindex.get(name)) for name in _SLOTS)
            return Captured(
                said, pattern.type, subject, key, value, context, _IMPORTANCE, rule=f"own {pattern.pattern}"
            )
    return None


def _slot(said: str, found: RegexMatch, group: int | None) -> str:
    start, end = (-1, -1) if group is None else found.span(group)
    return said[start:end] if start >= 0 else ""


def _compiled(pattern: CapturePattern) -> Regex:
    if pattern.type not in MEMORY_TYPES:
        raise InvalidInput(
            f"The pattern {pattern.pattern!r} has the type {pattern.type!r}. Choose one of {', '.join(MEMORY_TYPES)}."
        )
    if not pattern.pattern or len(pattern.pattern) > _LONGEST:
        raise InvalidInput(
            f"The pattern {pattern.pattern[:40]!r} has {len(pattern.pattern):,} characters; 1 to {_LONGEST:,} are "
            "possible. Write it shorter, or as several patterns."
        )
    try:
        regex = compile_regex(pattern.pattern, case_sensitive=False)
    except re2.error as error:
        reason = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else str(error)
        raise InvalidInput(
            f"The pattern {pattern.pattern!r} is no RE2 expression: {reason}. RE2 knows neither look-around nor "
            "back-references; see https://github.com/google/re2/wiki/Syntax."
        ) from error
    if regex.search(""):
        raise InvalidInput(f"The pattern {pattern.pattern!r} is found in every text. Make it require some words.")
    return regex
