"""Questions about what several people have in common, and whom a text is about.

The invariant: a question is one only if it names at least two, one of whom may be the user. Names are compared without
case, accents and endings, because a question inflects them otherwise than a memory does.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from recollect.text.clean import fold
from recollect.text.language import function_words
from recollect.text.personal import speaks_of_oneself
from recollect.text.stems import unaccented
from recollect.text.tables import LANGUAGES, read_words

_TOKEN = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*|[,&]")
_VOWELS = frozenset("aeiouyаеиоуыэюяйь")  # noqa: RUF001 - Latin and Cyrillic ones
_MOST_PARTIES = 4
_LONGEST_NAME = 3  # words, with what stands before it: "my brother Paul"
_LONGEST_ENDING = 3
_FARTHEST = 6  # words between a name and the word that joins it to another
_SHORTEST_ROOT = 2


@dataclass(frozen=True, slots=True)
class Party:
    """One of those whom a question compares: a person by any of these names, or the user, by the language's `I`."""

    names: frozenset[str]
    language: str = ""

    def is_subject_of(self, text: str) -> bool:
        """Tell whether a text names the person, or lets users speak of themselves."""
        if self.language:
            return speaks_of_oneself(text, self.language)
        return any(same_name(name, word) for word in _capitalised(text) for name in self.names)


def compared_parties(text: str) -> tuple[Party, ...]:
    """Give those of whom a question asks what they have in common, each once; nothing if it asks nothing like that."""
    tokens = _TOKEN.findall(text)
    plain = [_plain(token) for token in tokens]
    if _listed("in common").isdisjoint(plain):
        return ()
    languages = tuple(one for one in LANGUAGES if not _listed("in common", one).isdisjoint(plain))
    found = _Comparison(tokens, plain, languages).parties()
    if len(found) == 1:
        users = [Party(frozenset(), one) for one in languages if speaks_of_oneself(text, one)]
        found = [*found, *(user for user in users[:1] if user not in found)]
    return tuple(found[:_MOST_PARTIES]) if len(found) > 1 else ()


class _Comparison:
    """A question that compares, in tokens; the languages are those in which it does."""

    def __init__(self, tokens: Sequence[str], plain: Sequence[str], languages: Sequence[str]) -> None:
        self._tokens = tokens
        self._plain = plain
        self._joining, self._with = _listed("joining", *languages), _listed("with", *languages)
        self._users = {word: Party(frozenset(), one) for one in languages for word in _listed("oneself", one)}
        self._small = not any(map(self._has_capital, range(len(tokens))))  # all of it is typed in small letters

    def parties(self) -> list[Party]:
        """Give those who stand beside a joining word."""
        found: dict[Party, None] = {}
        for place, word in enumerate(self._plain):
            if word in self._joining or (word == "," and self._has_capital(place - 1) and self._begins(place + 1)):
                found |= dict.fromkeys(filter(None, (self._before(place, 1), self._after(place))))
            elif word in self._with and (other := self._after(place)):
                found |= dict.fromkeys(filter(None, (self._before(place, _FARTHEST), other)))
            if len(found) >= _MOST_PARTIES:
                break
        return list(found)

    def _before(self, place: int, farthest: int) -> Party | None:
        """Give the party that ends before a joining word, or further on: "Co má *Tom* společného s"."""
        for last in range(place - 1, max(-1, place - 1 - farthest), -1):
            if user := self._users.get(self._plain[last]):
                return user
            is_beside = last == place - 1
            if self._has_capital(last) or (is_beside and self._may_be_name(last)):
                first = last
                while last - first < _LONGEST_NAME - 1 and self._has_capital(first - 1):
                    first -= 1
                return Party(frozenset(self._plain[first : last + 1]))
        return None

    def _after(self, place: int) -> Party | None:
        """Give the party that begins after a joining word, maybe behind words such as "my brother"."""
        names: list[str] = []
        for at in range(place + 1, min(place + 2 + _LONGEST_NAME, len(self._tokens))):
            word = self._plain[at]
            if not names and (user := self._users.get(word)):
                return user
            if self._has_capital(at) or (_means_something(word) and not names and self._leads_to_name(at)):
                names.append(word)
            elif names or _means_something(word):
                break
        return Party(frozenset(names)) if names else None

    def _leads_to_name(self, at: int) -> bool:
        """Tell whether a word in small letters is part of a name: as all are, or before one, as in "brother Paul"."""
        return self._small or self._has_capital(at + 1)

    def _begins(self, at: int) -> bool:
        return self._has_capital(at) or (at < len(self._plain) and self._plain[at] in self._users)

    def _may_be_name(self, at: int) -> bool:
        """Tell whether a word beside a joining one may be a name: all is in small letters, or it is the first."""
        return (self._small or at == 0) and _means_something(self._plain[at])

    def _has_capital(self, at: int) -> bool:
        """Tell whether a word has a capital letter, and not because the question begins with it."""
        return 0 < at < len(self._tokens) and self._tokens[at][0].isupper() and _means_something(self._plain[at])


def _means_something(word: str) -> bool:
    return word[0].isalpha() and word not in function_words() and word not in _listed("in common")


def same_name(name: str, other: str) -> bool:
    """Tell whether two plain words may be one name with different endings: Mia, Mií; Тома, Томом."""
    short, long = sorted((name, other), key=len)
    if short == long:
        return True
    root = len(short) - (short[-1:] in _VOWELS)
    return root >= _SHORTEST_ROOT and len(long) - root <= _LONGEST_ENDING and short[:root] == long[:root]


def _capitalised(text: str) -> Iterator[str]:
    for token in _TOKEN.findall(text):
        if token[:1].isupper():
            yield from {_plain(token), _plain(token.removesuffix("s").rstrip("'\u2019"))}


def _plain(token: str) -> str:
    return unaccented(fold(token).replace("\u2019", "'"))


@cache
def _listed(heading: str, *languages: str) -> frozenset[str]:
    return frozenset(map(unaccented, read_words("query", heading, *languages)))
