"""RE2 patterns: linear time on every text, compiled when a text first meets them."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Protocol

import re2

_MEMORY = 64 << 20  # bytes at most; with too few, RE2 gives up its fast way on the longer tables
_NOTHING = r"[^\x00-\x{10ffff}]"


class RegexMatch(Protocol):
    """A match."""

    def span(self, group: int = 0) -> tuple[int, int]: ...


class Regex(Protocol):
    """A compiled pattern."""

    groupindex: Mapping[str, int]

    def search(self, text: str) -> RegexMatch | None: ...

    def finditer(self, text: str) -> Iterator[RegexMatch]: ...


class LazyRegex:
    """A pattern that is compiled when a text first meets it, so that importing compiles nothing."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern or _NOTHING

    @cached_property
    def _compiled(self) -> Regex:
        return compile_regex(self._pattern)

    @property
    def groupindex(self) -> Mapping[str, int]:
        return self._compiled.groupindex

    def search(self, text: str) -> RegexMatch | None:
        return self._compiled.search(text)

    def finditer(self, text: str) -> Iterator[RegexMatch]:
        return self._compiled.finditer(text)


def compile_regex(pattern: str, *, case_sensitive: bool = True) -> Regex:
    """Compile RE2 syntax. Raises re2.error, silently as far as the terminal is concerned."""
    compiled: Any = re2.compile(pattern, regex_options(case_sensitive=case_sensitive))
    regex: Regex = compiled
    return regex


def regex_options(*, case_sensitive: bool = True) -> Any:  # noqa: ANN401 - re2 has no types
    """Give the options with which patterns are compiled."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    options.case_sensitive = case_sensitive
    return options
