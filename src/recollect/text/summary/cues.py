"""Cues: words by which a sentence shows what it is, such as a decision, a preference, a promise or small talk.

All languages are looked for at once: which one a sentence is in need not be known, and people mix them. Each word is
looked up, so that the time hardly grows with the number of cues.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Literal, NamedTuple, TypeAlias, get_args

from recollect.text.tables import read_lines, read_words

Sign: TypeAlias = Literal[
    "chatter", "formula", "decision", "preference", "identity", "fact", "wish", "done", "task", "promise", "request",
    "unsure", "hedge", "failed", "noted", "generic", "laughter", "yes", "no", "if",
]  # fmt: skip
_SIGNS: tuple[Sign, ...] = get_args(Sign)

_WORD = re.compile(r"\w+(?:'\w+)?")
_KEY = 3  # cues are filed under the first letters of their first word
_LONGEST_CACHED = 64  # characters: what is longer is no word, and would be kept as a key
_SPELLINGS = str.maketrans({"\u2019": "'", "\u02bc": "'", "\u0451": "\u0435"})


class _Cue(NamedTuple):
    sign: Sign
    words: tuple[str, ...]
    at_start: bool


class Signs(NamedTuple):
    """What the words of a sentence show. `idle` counts the words that are nothing but politeness."""

    found: frozenset[Sign]
    words: int
    idle: int
    negated: bool


def words_of(text: str) -> list[str]:
    """Give the words of a text without case, as cues are spelled."""
    return _WORD.findall(text.casefold().translate(_SPELLINGS))


def signs_of(text: str) -> Signs:
    """Look for every cue."""
    words = words_of(text)
    found: set[Sign] = set()
    idle: set[int] = set()
    for position, word in enumerate(words):
        for cue in _cues_for(word):
            if _stands_at(cue, words, position):
                found.add(cue.sign)
                if cue.sign == "chatter":
                    idle.update(range(position, position + len(cue.words)))
    return Signs(frozenset(found), len(words), len(idle), not read_words("summary", "negations").isdisjoint(words))


def lead_length(words: Sequence[str]) -> int:
    """Say how many words at the start are politeness that the rest does not need."""
    length = 0
    while length < len(words):
        cues = [cue for cue in _cues_for(words[length]) if cue.sign == "chatter"]
        matching = [len(cue.words) for cue in cues if _stands_at(cue, words, length)]
        if not matching:
            break
        length += max(matching)
    return length


def _cues_for(word: str) -> tuple[_Cue, ...]:
    return (_find_cues if len(word) <= _LONGEST_CACHED else _find_cues.__wrapped__)(word)


@lru_cache(maxsize=20_000)
def _find_cues(word: str) -> tuple[_Cue, ...]:
    return tuple(cue for cue in _cues().get(word[:_KEY], ()) if _agree(cue.words[0], word))


def _stands_at(cue: _Cue, words: Sequence[str], position: int) -> bool:
    if cue.at_start and position:
        return False
    length = len(cue.words)
    if length == 1:
        return True
    rest = words[position + 1 : position + length]
    return len(rest) == length - 1 and all(map(_agree, cue.words[1:], rest))


def _agree(pattern: str, word: str) -> bool:
    if pattern[-1] == "*":
        return word.startswith(pattern[:-1])
    return word.endswith(pattern[1:]) if pattern[0] == "*" else word == pattern


@cache
def _cues() -> Mapping[str, tuple[_Cue, ...]]:
    """Give the cues by the first letters of their first word."""
    cues: defaultdict[str, list[_Cue]] = defaultdict(list)
    for sign in _SIGNS:
        for line in read_lines("summary", sign):
            words = tuple(line.casefold().translate(_SPELLINGS).replace("^", "").replace("-", " ").split())
            cues[words[0].rstrip("*")[:_KEY]].append(_Cue(sign, words, "^" in line))
    return {key: tuple(filed) for key, filed in cues.items()}
