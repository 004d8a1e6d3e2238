"""Titles of conversations: the one that a host gave, or the first line of a user that says something.

The invariant: a title shows neither a secret's gap nor what programs wrap around a user's words.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from recollect.model.literals import KEPT_MARK, REDACTION_MARK
from recollect.text.fence import is_only_wrappers, without_fences
from recollect.text.questions import is_small_talk
from recollect.text.repetition import noise_rule

_LONGEST: Final = 80
_JUDGED: Final = 50  # characters that show whether a line says something; no greeting is longer


def title_of(metadata: Mapping[str, Any], openings: Sequence[str]) -> str:
    """Give a title, made of the metadata and of what users said first; empty when nothing said could be one."""
    named = metadata.get("title")
    if isinstance(named, str) and REDACTION_MARK not in named and (title := " ".join(named.split())):
        return _shortened(title)
    short = ""
    for line in (line for text in openings if not is_only_wrappers(text) for line in _lines(text)):
        rule = noise_rule(line[:_JUDGED])
        if rule not in (None, "short") or (len(line) <= _JUDGED and is_small_talk(line)):
            continue
        if rule is None:
            return _shortened(line)
        short = short or line
    return short


def _lines(text: str) -> Iterator[str]:
    for line in without_fences(text).splitlines():
        plain = " ".join(line.split()).lstrip("#>*- ")
        if not (plain.startswith("```") or REDACTION_MARK in plain or KEPT_MARK in plain):
            yield plain


def _shortened(title: str) -> str:
    if len(title) <= _LONGEST:
        return title
    cut = title[: _LONGEST - 1]
    return f"{(cut.rpartition(' ')[0] if ' ' in cut[_LONGEST // 2 :] else cut).rstrip(' ,;:-')}…"
