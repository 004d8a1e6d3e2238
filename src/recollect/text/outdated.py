"""Whether a later statement may outdate an earlier one that answers the same question.

The invariant: this only ever marks and never drops, and in doubt two statements stand beside each other. "Likes tea"
and "likes coffee" are two answers; "uses SQLite for storage" and "uses TiDB for storage" are one that has changed. So
the words must be the same but for one thing, and it must stand where there is one such thing at a time: the tables say
where (`[one at a time]`).
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from recollect.text.clean import fold
from recollect.text.language import function_words, unaccented
from recollect.text.tables import read_words

_TOKEN = re.compile(r"[^\W_]+(?:[.,:@/&'\u2019-][^\W_]+)*[%+#]*")
_LONGEST = 16  # words of a statement
_LONGEST_THING = 4
_SHORTER = {"ve": "v", "\u0432\u043e": "\u0432"}  # one preposition in two forms
_ARTICLES = frozenset({"a", "an", "the", "der", "die", "das", "den", "dem", "ein", "eine", "einen", "einem", "einer"})
_INDEFINITE = frozenset(
    map(
        unaccented,
        (
            *("a", "an", "one", "some", "another", "ein", "eine", "einer", "einige"),
            *("jeden", "jedna", "jedno", "nějaký", "nějaká", "один", "одна", "одно", "одну", "одного"),
        ),
    )
)


def may_outdate(later: str, earlier: str) -> bool:
    """Tell whether a later text says another thing where an earlier one said the one that there is at a time."""
    new, old = _words(later), _words(earlier)
    if not (new and old) or max(len(new), len(old)) > _LONGEST:
        return False
    start = _common(new, old)
    end = _common(new[start:][::-1], old[start:][::-1])
    things = new[start : len(new) - end], old[start : len(old) - end]
    before, after = old[:start], old[len(old) - end :]
    numbered = all(thing and thing[0][0].isdigit() for thing in things)
    return all(map(_is_thing, things)) and _is_one(before) and _is_one_at_a_time(before, after, numbered=numbered)


def names_several(text: str) -> bool:
    """Tell whether a text speaks of another one beside the first: "I also work for Globex"."""
    return not _listed("query", "as well").isdisjoint(_words(text))


def opening(text: str) -> str:
    """Give the word that two statements begin with, if one of them may outdate the other."""
    return next(iter(_words(text)), "")


@lru_cache(maxsize=2_000)
def _words(text: str) -> tuple[str, ...]:
    said, passing = [unaccented(word) for word in _TOKEN.findall(fold(text))], _listed("query", "since then")
    return tuple([_SHORTER.get(word, word) for word in said if word not in passing])


def _common(words: Sequence[str], others: Sequence[str]) -> int:
    pairs = zip(words, others, strict=False)
    return next((place for place, (word, other) in enumerate(pairs) if word != other), min(len(words), len(others)))


def _is_thing(words: Sequence[str]) -> bool:
    """Tell whether words name one thing: none that joins several, denies or only leads to one."""
    if not 0 < len(words) <= _LONGEST_THING or not _several().isdisjoint(words):
        return False
    return any(word not in function_words() for word in words)


def _is_one(about: Sequence[str]) -> bool:
    """Tell whether a statement begins with what there is one of: not one of several, nor a relative or friend."""
    return bool(about) and about[0] not in _INDEFINITE and _listed("capture", "people").isdisjoint(about)


def _is_one_at_a_time(before: Sequence[str], after: Sequence[str], *, numbered: bool) -> bool:
    """Tell whether between these words there is one thing at a time; an article may stand before it, a unit after."""
    while before and before[-1] in _ARTICLES:
        before = before[:-1]
    around = [(before, after), (before, after[1:])]
    around += [(before[:-1], after)] if numbered else []  # "runs on Debian 12"
    return any(_frames().search(f"_{'_'.join((*one, '{}', *other))}_") is not None for one, other in around)


@cache
def _frames() -> re.Pattern[str]:
    frames = sorted(map(unaccented, map(fold, read_words("query", "one at a time"))))
    bare = ("_".join(word for word in frame.split("_") if word not in _ARTICLES) for frame in frames)
    return re.compile("_(?:" + "|".join(re.escape(one).replace(r"\*", "[^_]*") for one in bare) + ")(?=_)")


@cache
def _several() -> frozenset[str]:
    negations = _listed("language", "negations")
    return _listed("query", "joining") | negations | _listed("capture", "other of several")


@cache
def _listed(table: str, heading: str) -> frozenset[str]:
    return frozenset(unaccented(fold(word)) for word in read_words(table, heading))
