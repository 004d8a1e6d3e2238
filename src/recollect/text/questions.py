"""What a question is about: the user's own world or the world at large, and what several people have in common.

Questions for memory mostly say `my` or `we`, general ones do not. The invariant of those that compare: a question is
one only if it names at least two, one of whom may be the user. Names are compared without case, accents and endings,
because a question inflects them otherwise than a memory does.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import NamedTuple

from recollect.text.clean import fold
from recollect.text.language import function_words, guess_language, stop_words, unaccented
from recollect.text.names import same_name
from recollect.text.tables import COMMON, LANGUAGES, TAUGHT, read_lines, read_words

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_CODE = re.compile(r"\b(?=\w*\d)(?=\w*[^\W\d_])\w+")  # `a4` is one, and no article
_SENTENCE_MARK = re.compile(r"[!?,;…]")
_MOST_KEYWORDS = 4
_ASSISTANT = "assistant"  # the table of words that ask for what it said
_FEW_WORDS = 2
_QUOTED = re.compile(r'"[^"\n]*"|«[^»\n]*»|“[^”\n]*”|„[^“”\n]*[“”]')

_TOKEN = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*|[,&]")
_MOST_PARTIES = 4
_LONGEST_NAME = 3  # words, with what stands before it: "my brother Paul"
_FARTHEST = 6  # words between a name and the word that joins it to another
_SHORTEST_TELLING = 3


class RequestForm(NamedTuple):
    """How a request is put: whether users speak of their `own`, or only want something done `for_me`.

    `general` has words of questions about the world, `asks` a question word or mark, and `command` begins with a deed.
    A text in a language without tables is taken for a question about the user's own.
    """

    own: bool
    for_me: bool = False
    general: bool = False
    asks: bool = False
    command: bool = False


def speaks_of_oneself(text: str, language: str) -> bool:
    """Tell whether a text has a word or ending by which users speak of themselves or their own in a language."""
    return any(map(_own(language).fullmatch, _plain_words(text)))


def names_user(text: str) -> bool:
    """Tell whether a query is an agent's about its user, as in "where does the user work?" or "what does he drink?"."""
    return not read_words("query", "user").isdisjoint(_WORD.findall(fold(text).replace("\u2019", "'")))


def is_keywords(text: str) -> bool:
    """Tell whether a text is a list of keywords, as in `dog food`: neither a sentence nor a greeting."""
    words = _WORD.findall(_CODE.sub("code", fold(text)))
    if not 0 < len(words) <= _MOST_KEYWORDS or _SENTENCE_MARK.search(text) or not function_words().isdisjoint(words):
        return False
    return not request_form(text).general and any(map(str.isalpha, _chatter().sub(" ", fold(text))))


def is_small_talk(text: str) -> bool:
    """Tell whether a text is nothing but a greeting, thanks or the like: no word of it says what it is about."""
    greetings = read_words("languages", "greetings", COMMON)
    return all(word in greetings or word in function_words() for word in words_beside_chatter(text))


def words_beside_chatter(text: str) -> Sequence[str]:
    """Give the words of a text that are no phrases of politeness, without case."""
    return _WORD.findall(_chatter().sub(" ", fold(text).replace("\u2019", "'")))


def request_form(text: str) -> RequestForm:
    """Tell what a request speaks of, outside of quotations."""
    unquoted = _QUOTED.sub(" ", text)
    language = guess_language(unquoted)
    if language is not None and language not in LANGUAGES:
        if len(unquoted.split()) > _FEW_WORDS or "?" in unquoted or not unquoted.isascii():
            return RequestForm(own=True, asks=True)
        language = None  # a guess from too little
    languages = () if language is None else (language,)
    words = _plain_words(unquoted)
    is_own = _own(*languages).fullmatch
    personal = any(map(is_own, words))
    own = personal and any(map(is_own, _without_asides(words, languages)))
    general = not own and not _listed("general", *languages).isdisjoint(words)
    asks = "?" in unquoted or not _listed("asking", *languages).isdisjoint(words)
    command = bool(words) and words[0] in _listed("commands", *languages)
    return RequestForm(own, personal and not own, general, asks, command)


def wants_deed(text: str) -> bool:
    """Tell whether a text wants work done or asks for advice: then wishes of the user count, and not what was told."""
    unquoted = _QUOTED.sub(" ", text)
    words, language = _plain_words(unquoted), guess_language(unquoted)
    languages = (language,) if language in LANGUAGES else ()
    begun = any(not _listed(heading, *languages).isdisjoint(words[:1]) for heading in ("commands", "deeds"))
    if not begun and not _phrases("advice", *languages).search(f"_{'_'.join(words)}_"):
        return False
    return text.rstrip().endswith(".") or not is_keywords(text)


def asks_assistant(text: str) -> bool:
    """Tell whether a question asks for what the assistant said or made, as in "what did you recommend?"."""
    words = _plain_words(text)
    if _said_by_assistant().search(f"_{'_'.join(words)}_"):
        return True
    return any(all(not one.isdisjoint(words) for one in both) for both in _assistant_words())


@cache
def _said_by_assistant() -> re.Pattern[str]:
    return _any_of(map(unaccented, read_words(_ASSISTANT, "you told", *TAUGHT)))


@cache
def _assistant_words() -> Sequence[tuple[frozenset[str], frozenset[str]]]:
    """Give the words for the assistant in each language, and those of what it did."""
    tables = [[read_words(_ASSISTANT, heading, one) for heading in ("you", "told")] for one in TAUGHT]
    return [(frozenset(map(unaccented, you)), frozenset(map(unaccented, told))) for you, told in tables]


def asks_for_past(text: str) -> bool:
    """Tell whether a question asks for what was so before, as in "what did we use before?"."""
    words = "_".join(_plain_words(_QUOTED.sub(" ", text)))
    return bool(_past().search(f"_{words}_"))


@cache
def _past() -> re.Pattern[str]:
    return _any_of(map(unaccented, read_words("past", "before", COMMON)))


def asked_properties(text: str) -> frozenset[str]:
    """Name the properties of the user's own that a question asks for: `home` for "where do I live?"."""
    unquoted = _QUOTED.sub(" ", text)
    asked = f"_{'_'.join(_plain_words(unquoted))}_"
    if "?" not in unquoted and _listed("asking").isdisjoint(asked.split("_")):
        return frozenset()
    return frozenset(name for name, phrases in _properties().items() if phrases.search(asked))


def asked_kinds(text: str) -> frozenset[str]:
    """Name the properties that a question asks for by their kind: `pet` for "which animals does Tom have?"."""
    unquoted = _QUOTED.sub(" ", text)
    asked, language = f"_{'_'.join(_plain_words(unquoted))}_", guess_language(unquoted)
    if "?" not in unquoted and _listed("asking").isdisjoint(asked.split("_")):
        return frozenset()
    found = (names for names, words in _kinds(language if language in TAUGHT else None) if words.search(asked))
    return frozenset(chain.from_iterable(found))


@cache
def _kinds(language: str | None) -> Sequence[tuple[Sequence[str], re.Pattern[str]]]:
    """Give the properties of each kind, and the words for it in a language, or in all."""
    lines = [line.partition(": ") for line in read_lines("kinds", "kinds", *([language] if language else TAUGHT))]
    return [(names.split(), _any_of(map(unaccented, fold(words).split()))) for names, _, words in lines]


@cache
def property_words(name: str) -> frozenset[str]:
    """Give the words that speak of a property, `live` and `wohne` for `home`; those of all for an unknown one."""
    lines = [line.partition(": ") for line in read_lines("query", "properties")]
    known = [rest for one, _, rest in lines if one == name] or [rest for _, _, rest in lines]
    phrases = chain.from_iterable(fold(rest).split() for rest in known)
    told = ([word for word in phrase.split("_") if word not in function_words()] for phrase in phrases)
    return frozenset(word for words in told if words and len(word := words[-1].strip("*")) >= _SHORTEST_TELLING)


@cache
def _properties() -> Mapping[str, re.Pattern[str]]:
    named: defaultdict[str, set[str]] = defaultdict(set)
    for line in read_lines("query", "properties"):
        name, _, phrases = line.partition(": ")
        named[name].update(map(unaccented, fold(phrases).split()))
    return {name: _any_of(phrases) for name, phrases in named.items()}


def _plain_words(text: str) -> list[str]:
    return [unaccented(word) for word in _WORD.findall(fold(text).replace("\u2019", "'"))]


def _without_asides(words: list[str], languages: tuple[str, ...]) -> list[str]:
    """Leave out `me` as in "read me", and "how do I", which means anyone."""
    kept = words[:1] + words[2:] if len(words) > 1 and words[1] in _listed("to me", *languages) else words
    return _phrases("how to", *languages).sub("_", f"_{'_'.join(kept)}_").split("_")


@cache
def _chatter() -> re.Pattern[str]:
    phrases = sorted(read_lines("summary", "chatter"), key=len, reverse=True)
    return re.compile(r"\b(?:" + "|".join(re.escape(one).replace(r"\*", r"\w*") for one in phrases) + r")\b")


@cache
def _phrases(heading: str, *languages: str) -> re.Pattern[str]:
    return _any_of(_listed(heading, *languages))


def _any_of(phrases: Iterable[str]) -> re.Pattern[str]:
    return re.compile("_(?:" + "|".join(re.escape(one).replace(r"\*", "[^_]+") for one in sorted(phrases)) + ")(?=_)")


@cache
def _listed(heading: str, *languages: str) -> frozenset[str]:
    return frozenset(map(unaccented, read_words("query", heading, *languages)))


@cache
def _own(*languages: str) -> re.Pattern[str]:
    """Compile the words and endings by which users speak of their own in a language.

    When it is not known, these are the words of all that have tables, but for those that mean something else in one of
    the others: `im` is "in the" in German.
    """
    entries = sorted(_listed("own", *languages) - (frozenset() if languages else _ambiguous()))
    words = [re.escape(entry) for entry in entries if not entry.startswith("-")]
    endings = [f".+{re.escape(entry[1:])}" for entry in entries if entry.startswith("-") and languages]
    return re.compile("|".join((*words, *endings)))


@cache
def _ambiguous() -> frozenset[str]:
    return frozenset(
        word for one in LANGUAGES for word in map(unaccented, stop_words(one)) if word not in _listed("own", one)
    )


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


def _capitalised(text: str) -> Iterator[str]:
    for token in _TOKEN.findall(text):
        if token[:1].isupper():
            yield from {_plain(token), _plain(token.removesuffix("s").rstrip("'\u2019"))}


def _plain(token: str) -> str:
    return unaccented(fold(token).replace("\u2019", "'"))
