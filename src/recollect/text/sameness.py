# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""The form in which two statements are equal that say the same in the same words.

The invariant: in doubt they differ. Keeping both costs a row; dropping the wrong one loses what was told. So every word
counts, with every number, unit and sign. What does not count is case, spacing, the marks around words, another spelling
of the same word, courtesy, and at which end a time stands or in which order the parts of a list. Languages without
tables for this differ in case, spacing and marks only.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from recollect.text.clean import compose
from recollect.text.language import stop_words
from recollect.text.tables import LANGUAGES, read_words

_TOKEN = re.compile(
    r"[^\W\d]\w*(?:['&@./-]\w+)*(?:[+#]+|-(?![\w-]))?"  # C++, A-, we'll, wi-fi, light.office
    r"|(?<![\w)])[+-]?\d+(?:[.,:/]\d+)*|\d+(?:[.,:/]\d+)*"
    r"|[:;=]-?[()]+"  # a smile, or the opposite
    r"|\S"
)
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u02bc\u00b4`\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
        "\u2026": ".",
    }
)
# What NFKC would write beside a number as if it belonged to it: 10² is not 102.
_RAISED = re.compile("[\u00b2\u00b3\u00b9\u2070-\u2079]+|[\u2080-\u2089]+|(?<=\\d)[\u00bc-\u00be\u2150-\u215e]")
# Units of which the case tells a thousandth from a million, and bits from bytes; and codes, such as x7Kq.
_CASED_UNITS = (
    "mW MW mV MV mA MA mJ MJ mN MN mHz MHz mPa MPa Kb KB kb kB Mb MB mb mB Gb GB gb gB Tb TB tb tB "
    "мВт МВт мВ МВ мА МА Кб КБ кб Мб МБ мб Гб ГБ гб"
)
_UNITS = frozenset(_CASED_UNITS.split())
_CODE = re.compile(r"(?=\w*\d)(?=\w*[a-z])\w+[A-Z]\w*")
_BREAKS = {**dict.fromkeys(".;!。", ";"), **dict.fromkeys(",()[]{}\u2014", ","), ":": ":"}
_QUOTES = frozenset("\"'")
_SMILES = frozenset({":)", ":-)", ";)", ";-)", ":))", "=)"})
_PAUSES = frozenset(",;:")
_NOT_RUSSIAN = frozenset("ўіїєґ")
_CZECH_VERB = re.compile(r"(?<=\w[uiyaěe])ju$")  # hraju, hraji: two endings of one form
_CLOSING = " .!\u2026\n\t"
_CACHED_CHUNKS = 50_000
_LONGEST_CACHED = 40
_ANYWHERE, _SOMEWHERE, _ABROAD = "\x1d", "\x1e", "\x1f"
_SHORTEST = 2
_LONGEST = 16  # words of a statement whose order is looked at
_LETTERS = {"de": frozenset("äöüß"), "cs": frozenset("áčďéěíňóřšťúůýž")}
_SUBJECTS = frozenset({"ich", "wir", "er", "du", "man"})  # after the verb when something else stands first


@dataclass(frozen=True, slots=True)
class _SmallWords:
    """What is known of a language."""

    function: frozenset[str]
    spellings: Mapping[str, list[str]]
    courtesy: frozenset[tuple[str, ...]]
    bare: frozenset[tuple[str, ...]]
    moments: frozenset[str]
    leading: frozenset[str]
    before_list: frozenset[str]
    after_comma: frozenset[str]
    joining: frozenset[str]
    binding: frozenset[str]  # what is said beside them hangs on the place where it stands
    dotted: frozenset[str]


@cache
def _small_words(language: str) -> _SmallWords:
    def read(section: str) -> frozenset[str]:
        return read_words("language", section, language)

    def phrases(section: str) -> frozenset[tuple[str, ...]]:
        return frozenset(tuple(words.split("_")) for words in read(section))

    pairs = [pair.partition("=") for pair in read("spellings")]
    return _SmallWords(
        function=stop_words(language),
        spellings={word: usual.split("_") if usual else [] for word, _, usual in pairs},
        courtesy=phrases("courtesy"),
        bare=phrases("bare courtesy"),
        moments=read("moments"),
        leading=read("leading to a time"),
        before_list=read("before a list"),
        after_comma=read("after a comma"),
        joining=read_words("query", "joining", language),
        binding=read("negations") | read("scope"),
        dotted=read("dotted"),
    )


class _Telling(NamedTuple):
    """Words and marks of any language: where none of them stands, the words of a statement are its form."""

    anywhere: frozenset[str]
    somewhere: frozenset[str]
    at_first: frozenset[str]
    at_last: frozenset[str]  # after a comma
    among_first: frozenset[str]
    joining: frozenset[str]
    after_comma: frozenset[str]


@cache
def _telling() -> _Telling:
    known = [_small_words(language) for language in LANGUAGES]
    ambiguous = {word for one in known for word in one.spellings if word not in _spellings()}
    at_first = frozenset(phrase[0] for one in known for phrase in one.courtesy)
    among_first = frozenset[str]().union(*(one.moments for one in known))
    joining = frozenset[str]().union(*(one.joining for one in known))
    return _Telling(
        _UNITS.union(ambiguous, ";:-"),
        at_first.union(",", among_first, (word for word in joining if len(word) > 1 or not word.isascii())),
        at_first,
        frozenset(phrase[-1] for one in known for phrase in one.courtesy),
        among_first,
        joining,
        _PAUSES.union(*(one.after_comma for one in known)),
    )


def _is_usual(tokens: list[str], form: str) -> bool:
    """Tell whether a statement without words that tell anywhere has its form; an error only costs time."""
    telling = _telling()
    if len(tokens) < _SHORTEST:
        return True
    if tokens[0] in telling.at_first or ("," in tokens and tokens[-1] in telling.at_last):
        return False
    if len(tokens) > _LONGEST:
        return " , , " not in f" , {form} , "
    if not telling.among_first.isdisjoint(tokens[:3]):
        return False
    if any(token in telling.joining and (len(token) > 1 or not form.isascii()) for token in (tokens[1], tokens[-2])):
        return False
    pairs = pairwise((",", *tokens, ",")) if "," in tokens else ()
    return tokens[1] != "," and not any(last == "," and token in telling.after_comma for last, token in pairs)


@cache
def _spellings() -> Mapping[str, list[str]]:
    """Give the spellings of words that only one of the languages knows."""
    return {
        word: usual
        for language in LANGUAGES
        for word, usual in _small_words(language).spellings.items()
        if not any(
            word in stop_words(other) or word in _small_words(other).spellings
            for other in LANGUAGES
            if other != language
        )
    }


class _Chunks(dict[str, str]):
    """The words and marks of what stood between blanks, as often as it was seen.

    Before them stands a sign where they may tell more than they say; being one of the blanks, it is in no text.
    """

    def __missing__(self, chunk: str) -> str:
        if chunk.isascii() and chunk.isdigit():
            return chunk
        tokens = _tokens(chunk)
        found = _sign(tokens) + " ".join(tokens)
        if len(chunk) <= _LONGEST_CACHED:
            if len(self) >= _CACHED_CHUNKS:
                self.clear()
            self[chunk] = found
        return found


_CHUNKS = _Chunks()
_words_of = _CHUNKS.__getitem__


def _tokens(chunk: str) -> list[str]:
    if chunk.isascii() and chunk.isalpha() and chunk not in _UNITS:
        lower = chunk.lower()
        return _spellings().get(lower, [lower])
    if not chunk.isascii():
        chunk = unicodedata.normalize("NFKC", compose(_RAISED.sub(_lowered, chunk), "NFC").translate(_SIGNS))
    # ß stays what it is: Maße are no Masse.
    marked = _marked(_TOKEN.findall(chunk))
    cased = (token if token in _UNITS or _CODE.fullmatch(token) else token.lower() for token in marked)
    return [usual for token in cased for usual in _spellings().get(token, (token,))]


def _sign(tokens: list[str]) -> str:
    """Give the sign of words that are not always their own form; most have none."""
    telling = _telling()
    if not telling.anywhere.isdisjoint(tokens) or any("ju" in token or "ё" in token for token in tokens):
        return _ANYWHERE
    if not tokens or not telling.somewhere.isdisjoint(tokens):
        return _SOMEWHERE
    return "" if telling.joining.isdisjoint(tokens) else _ABROAD


def statement_form(text: str) -> str:
    """Give the form of a statement."""
    form = " ".join(map(_words_of, text.rstrip(_CLOSING).split()))
    if _ANYWHERE in form:
        form = " ".join(_usual(form.split()))
    elif _SOMEWHERE in form or (_ABROAD in form and not form.isascii()):
        tokens = form.split()
        form = " ".join(tokens)
        form = form if _is_usual(tokens, form) else " ".join(_usual(tokens))
    return form.replace(_ABROAD, "") or " ".join(text.lower().split())


def _lowered(found: re.Match[str]) -> str:
    digits = unicodedata.normalize("NFKC", found[0])
    return f" {digits}" if "\u2044" in digits else f"^{digits}"


def _usual(tokens: list[str]) -> list[str]:
    """Give the words of a statement in their usual spelling and order."""
    marked = _trimmed(tokens)
    if not _UNITS.isdisjoint(marked):
        marked = [
            token if token not in _UNITS or last[-1].isdigit() else token.lower()
            for last, token in pairwise(("-", *marked))
        ]
    language = _language(marked)
    if language is None:
        return marked
    words = _small_words(language)
    if language == "cs":
        marked = [token if token in words.spellings else _CZECH_VERB.sub("ji", token) for token in marked]
    spelled = [usual for token in marked for usual in words.spellings.get(token, [token])]
    if "ё" in "".join(spelled):
        spelled = [token if token in words.dotted else token.replace("ё", "е") for token in spelled]
    said = _without_courtesy(spelled, words) or spelled
    if len(said) > _LONGEST:
        return said
    loose = [token for place, token in enumerate(said) if not _is_style(said, place, words)]
    return _with_sorted_list(_with_time_last(loose, words), words)


def _marked(tokens: list[str]) -> Iterator[str]:
    """Give words, with one kind of mark where there are several; between numbers each mark has a meaning."""
    for last, token, following in zip(("-", *tokens), tokens, (*tokens[1:], "-"), strict=False):
        if token in _QUOTES or token in _SMILES:
            continue
        numbers = last[-1].isdigit() and following[0].isdigit()
        yield token if numbers else _BREAKS.get(token, token)


def _trimmed(tokens: list[str]) -> list[str]:
    """Leave out marks around the statement, and all but the first of several; a dash between numbers stays."""
    kept: list[str] = []
    for token, following in zip(tokens, (*tokens[1:], "-"), strict=True):
        between = bool(kept) and kept[-1][-1].isdigit() and following[0].isdigit()
        mark = "," if token == "-" and not between else token  # noqa: S105
        if mark not in _PAUSES or (kept and kept[-1] not in _PAUSES):
            kept.append(mark)
    while kept and kept[-1] in _PAUSES:
        kept.pop()
    return kept


def _language(tokens: list[str]) -> str | None:
    """Say whose small words are spoken, if any; of several the first."""
    letters = frozenset("".join(tokens))
    if any("\u0400" <= letter <= "\u04ff" for letter in letters):
        return None if letters & _NOT_RUSSIAN else "ru"
    present = frozenset(tokens)
    heard = {
        language: len(present & stop_words(language)) + len(letters & _LETTERS.get(language, _QUOTES))
        for language in ("en", "de", "cs")
    }
    best = max(heard, key=lambda language: heard[language])
    return best if heard[best] else None


def _without_courtesy(tokens: list[str], words: _SmallWords) -> list[str]:
    """Leave out what is polite at the beginning and, after a comma, at the end."""
    for size in (4, 3, 2, 1):
        start, rest = tuple(tokens[:size]), tokens[size:]
        apart = bool(rest) and rest[0] in _PAUSES
        if start in words.courtesy and rest and (apart or start in words.bare):
            return _without_courtesy(rest[apart:], words)
        if len(tokens) > size and tuple(tokens[-size:]) in words.courtesy and tokens[-size - 1] in _PAUSES:
            return _without_courtesy(tokens[: -size - 1], words)
    return tokens


def _is_style(tokens: list[str], place: int, words: _SmallWords) -> bool:
    """Tell whether a comma is one that some set and some do not: before "but", unless there was a "not"."""
    if tokens[place] != "," or place + 1 == len(tokens) or tokens[place + 1] not in words.after_comma:
        return False
    return words.binding.isdisjoint(tokens[:place])


def _with_time_last(tokens: list[str], words: _SmallWords) -> list[str]:
    """Move the time with which a single clause begins to its end."""
    length = next((place for place, token in enumerate(tokens[:3], 1) if token in words.moments), 0)
    rest = tokens[length:]
    rest = rest[1:] if rest[:1] == [","] else rest
    free = words.binding.isdisjoint(rest) and words.joining.isdisjoint(tokens) and _PAUSES.isdisjoint(rest)
    if not (length and rest and free and words.leading.issuperset(tokens[: length - 1])):
        return tokens
    if sum(token in words.moments for token in tokens) > 1:
        return tokens
    if len(rest) > 1 and rest[1] in _SUBJECTS and rest[0] not in _SUBJECTS:
        rest[:2] = rest[1], rest[0]
    return [*rest, *tokens[:length]]


def _with_sorted_list(tokens: list[str], words: _SmallWords) -> list[str]:
    """Sort the parts of the only list, if each is one word, and nothing belongs to one of them alone."""
    joints = [place for place, token in enumerate(tokens) if token in words.joining]
    if len(joints) != 1 or not 0 < joints[0] < len(tokens) - 1 or not words.binding.isdisjoint(tokens):
        return tokens
    first, last = joints[0] - 1, joints[0] + 1
    while first > 1 and tokens[first - 1] == ",":
        first -= 2
    parts = [*tokens[first : last - 1 : 2], tokens[last]]
    if (
        not all(part not in words.function and part[0].isalpha() for part in parts)
        or sum(token in _PAUSES for token in tokens) != len(parts) - 2
    ):
        return tokens
    opens = first == 0 and tokens[last + 1 : last + 2] and tokens[last + 1] in words.function
    closes = first > 0 and last == len(tokens) - 1 and tokens[first - 1] in words.before_list
    if not (opens or closes) or any(token[-1].isdigit() for token in tokens):
        return tokens
    parts.sort()
    tokens[first : last - 1 : 2], tokens[last] = parts[:-1], parts[-1]
    return tokens
