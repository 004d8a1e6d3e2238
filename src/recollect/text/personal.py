"""Whether a text is about the user's own world: questions for memory mostly say `my` or `we`, general ones do not."""

import re
from functools import cache
from typing import NamedTuple

from recollect.text.clean import fold
from recollect.text.language import function_words, guess_language, stop_words
from recollect.text.stems import unaccented
from recollect.text.tables import LANGUAGES, read_lines, read_words

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_CODE = re.compile(r"\b(?=\w*\d)(?=\w*[^\W\d_])\w+")  # `a4` is one, and no article
_SENTENCE_MARK = re.compile(r"[!?,;…]")
_MOST_KEYWORDS = 4
_FEW_WORDS = 2
_QUOTED = re.compile(r'"[^"\n]*"|«[^»\n]*»|“[^”\n]*”|„[^“”\n]*[“”]')


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
    phrases = sorted(_listed(heading, *languages))
    return re.compile("_(?:" + "|".join(re.escape(one).replace(r"\*", "[^_]+") for one in phrases) + ")(?=_)")


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
