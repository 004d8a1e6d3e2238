# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""Query parser: words, "a phrase", -without, times, and the names of files.

The invariant: whatever is typed is text first. Two signs have a meaning, and only where it cannot be another: quotation
marks in pairs, and a minus before a word after a blank. Everything else, the syntax of any database included, is just
characters.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache

from recollect.text.clean import fold
from recollect.text.language import function_words, guess_language, is_latin, languages_in, stop_words, unaccented
from recollect.text.questions import (
    Party,
    asked_kinds,
    asked_properties,
    asks_assistant,
    asks_for_past,
    compared_parties,
    is_keywords,
    request_form,
    wants_deed,
)
from recollect.text.tables import read_words
from recollect.text.terms import Forms, query_words
from recollect.text.time_expressions import TimeSpan, find_time_spans

_MOST_WORDS = 64
_MARKS = ".,;:!?"
_UNSPACED = "\u0e00"  # from here on there are scripts without blanks between words
_QUOTATION = r'"([^"\n]{2,200})"|«([^»\n]{2,200})»|“([^”\n]{2,200})”|„([^“”\n]{2,200})[“”]'
_QUOTED = re.compile(_QUOTATION)
_WITHOUT = re.compile(rf"(?:(?<=\s)|^)-(?:{_QUOTATION}|(?=[^\W\d_])([^\s\"]+))")
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# A word with a dot and an ending, or with a slash in it; a place such as `:12-30` after it is not part of the name.
_FILE_NAME = re.compile(r"(?:[^\s\"'`<>|:*?()\[\]{},;]*/)?[^\s\"'`<>|:*?()\[\]{},;/]+")
_FILE_ENDING = re.compile(r"\.[^\W_]\w{0,9}$")
_MOST_FILES = 5
_LONGEST_QUERY = 400


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query taken apart.

    `text` is what its meaning is taken from. `words` are looked for; those in `extra`, such as `yesterday`, need
    not be there. A row must hold one form of each word in `required` and none of `excluded`; its text must not hold
    the `unwanted`, and must hold the `phrases` word for word if it is `strict`; otherwise those are preferred.
    `open_ended` asks for whatever happened at a time, or with `about_talk` was said then; with `only_time` for
    nothing else, and in words that no text has for that time. A `request` wants work done or advice; a `personal`
    query is none, and about the user's own, or may be. With `parties` it asks what they have in common, with
    `properties` for what the user is, has or does, as `home`, with `kinds` for all of a kind that someone has, as
    `pet`, and with `of_past` for what was so before. `keywords` are no sentence, and mean the words that they are.
    """

    text: str
    words: tuple[Forms, ...]
    extra: frozenset[Forms] = frozenset()
    phrases: tuple[str, ...] = ()
    strict: bool = False
    required: tuple[Forms, ...] = ()
    excluded: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    language: str | None = None
    spans: tuple[TimeSpan, ...] = ()
    open_ended: bool = False
    only_time: bool = False
    about_talk: bool = False
    asks_assistant: bool = False
    request: bool = False
    personal: bool = True
    keywords: bool = False
    parties: tuple[Party, ...] = ()
    properties: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    of_past: bool = False


def read_query(typed: str, now: datetime | None, *, signs: bool = True) -> ParsedQuery:
    """Take a query apart.

    `now` is the user's clock in the user's time zone; without it, words of time are just words. Without `signs`,
    quotation marks and minuses are just characters too, as in what a user says to an agent.
    """
    text, without = _split(typed) if signs else (typed, [])
    quoted = [next(filter(None, match.groups())) for match in _QUOTED.finditer(text)] if signs else []
    phrases = tuple(phrase for phrase, _ in _bare(quoted) if phrase)
    strict = bool(phrases) and not _is_sentence(text)
    plain = {word: _plain_word(fold(said).strip(_MARKS)) for word, said in _bare(without) if word}
    times = find_time_spans(text, now) if now is not None else ()
    words, rest = query_words(text)[:_MOST_WORDS], _tokens(without_times(text, times))
    vague = [span for span in times if not any(map(str.isdigit, text[span.start : span.end]))]
    asked = frozenset(query_words(without_times(text, vague)) if vague else words)
    request, keywords = wants_deed(text), is_keywords(text)
    open_ended = bool(times) and not phrases and _empty_words().issuperset(rest)
    return ParsedQuery(
        text=text,
        words=words,
        extra=frozenset(words) - asked,
        phrases=phrases,
        strict=strict,
        required=tuple(_required(phrases)) if strict else (),
        excluded=tuple(dict.fromkeys(form for forms in plain.values() for form in forms)),
        unwanted=tuple(plain),
        language=guess_language(text),
        spans=times,
        open_ended=open_ended,
        only_time=open_ended and not any(span.yearly or span not in vague for span in times) and _asks_only(rest),
        about_talk=not read_words("query", "talk").isdisjoint(rest),
        asks_assistant=asks_assistant(text),
        request=request,
        personal=not request and (keywords or request_form(text).own),
        keywords=keywords,
        parties=compared_parties(text),
        properties=asked_properties(text),
        kinds=asked_kinds(text),
        of_past=asks_for_past(text),
    )


@cache
def _empty_words() -> frozenset[str]:
    """Give the words that ask for nothing in particular."""
    return function_words() | read_words("query", "anything") | read_words("query", "talk")


def _split(typed: str) -> tuple[str, list[str]]:
    """Take out what is not wanted. A minus inside of a quotation is part of it; one alone in a query is just text."""
    quotations = [match.span() for match in _QUOTED.finditer(typed)]
    matches = [
        match for match in _WITHOUT.finditer(typed) if not any(start < match.start() < end for start, end in quotations)
    ]
    rest = list(typed)
    for match in matches:
        rest[match.start() : match.end()] = " " * (match.end() - match.start())
    text = " ".join("".join(rest).split())
    if not matches or not any(map(str.isalnum, text)):
        return typed, []
    return text, [next(filter(None, match.groups())) for match in matches]


def _bare(quoted: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Give quoted texts as they are compared, without marks at their ends, and as they were typed."""
    return ((normal(text).strip(f"{_MARKS} "), text) for text in quoted)


def normal(text: str) -> str:
    """Give a text as phrases are compared: without case, accents and soft hyphens, with single blanks."""
    plain = fold(text).replace("\u2019", "'").replace("\u02bc", "'").replace("\u00ad", "")
    return " ".join((plain if plain.isascii() else "".join(map(_plain_letter, plain))).split())


@lru_cache(maxsize=1_000)
def _plain_letter(letter: str) -> str:
    """Give a Latin letter without its accents, and the Russian io as ie; elsewhere a mark makes another letter."""
    if is_latin(letter):
        return unaccented(letter)
    return "\u0435" if letter == "\u0451" else letter


def holds(text: str, phrase: str) -> bool:
    """Tell whether a text holds a phrase as whole words; both are given as by `normal`."""
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if not _joined(text[:start][-1:], phrase[:1]) and not _joined(phrase[-1:], text[end : end + 1]):
            return True
        start = text.find(phrase, start + 1)
    return False


def _joined(left: str, right: str) -> bool:
    """Tell whether two characters belong to one word, in scripts that put blanks between words."""
    return left.isalnum() and right.isalnum() and max(left, right) < _UNSPACED


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(fold(text))


def _is_sentence(text: str) -> bool:
    """Tell a question that happens to quote something from keywords, of which a quoted one must be there."""
    outside = _QUOTED.sub(" ", text)
    return "?" in outside or not function_words().isdisjoint(_tokens(outside))


def asks_for_list(text: str) -> bool:
    """Tell whether a question asks for several things, as in "list all my flights"."""
    return not read_words("query", "lists").isdisjoint(_tokens(text))


def _plain_word(text: str) -> Forms:
    """Give the terms of a text that is one word and nothing else; none for what is looked up in the texts instead."""
    words = query_words(text) if text.isalnum() else ()
    return words[0] if len(words) == 1 else ()


def _required(phrases: Iterable[str]) -> Iterable[Forms]:
    """Give the words without which a text cannot hold the phrases, as far as texts are indexed under them."""
    for word in dict.fromkeys(word for phrase in phrases for word in phrase.split()):
        forms = _plain_word(word)
        if forms and not any(word in stop_words(language) for language in languages_in("latin", "cyrillic")):
            yield forms


def _asks_only(rest: Collection[str]) -> bool:
    """Tell whether what a query has beside its times asks for anything at all, or is nothing."""
    return not rest or not (_empty_words() - function_words()).isdisjoint(rest)


def without_times(text: str, times: Sequence[TimeSpan]) -> str:
    """Give a query with blanks where it names times."""
    rest = list(text)
    for span in times:
        rest[span.start : span.end] = " " * (span.end - span.start)
    return "".join(rest)


def file_names(text: str) -> tuple[str, ...]:
    """Give the names and paths of files in a text, without case and without what stands before a relative path."""
    names: dict[str, None] = {}
    for match in _FILE_NAME.finditer(text[:_LONGEST_QUERY]):
        name = match[0].rstrip(".").casefold()
        if "/" in name or _FILE_ENDING.search(name):
            names[name.removeprefix("~").removeprefix("./").lstrip("/")] = None
    names.pop("", None)
    return tuple(names)[:_MOST_FILES]
