"""A sentence as the summariser sees it: its terms, its cues, its numbers and names, and whether it says anything."""

import re
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from recollect.text.summary.cues import Sign, lead_length, signs_of, words_of
from recollect.text.tables import read_words
from recollect.text.terms import Forms, query_words

_FEW = 3  # content words that a polite sentence may have without saying anything
_WORD = re.compile(r"\w+(?:['’]\w+)?")  # noqa: RUF001
_NUMBER = re.compile(r"\d[\d.,:/%-]*")
_IDENTIFIER = re.compile(r"\w+(?:[._@/-]\w+)+|\w*\d\w*[^\W\d_]\w*|[^\W\d_]\w*\d\w*")
_STRONG: frozenset[Sign] = frozenset(("decision", "preference", "identity", "wish", "task", "done", "request"))
_BEGINNING = 5  # letters
_OF_LEAD: frozenset[Sign] = frozenset(("chatter", "laughter", "yes", "no", "noted"))  # what a polite start shows
_SAME = 0.8  # of the words: one sentence repeats the other


class SentenceFeatures(NamedTuple):
    """What a sentence consists of. `idle` means that leaving it out loses nothing."""

    text: str
    words: tuple[Forms, ...]
    terms: frozenset[str]
    signs: frozenset[Sign]
    numbers: frozenset[str]
    names: int
    asks: bool
    idle: bool
    negated: bool


def read_sentence(text: str, *, names_are_capital: bool = True) -> SentenceFeatures:
    """Read a sentence. Where nouns are written with a capital, a capital does not show a name."""
    signs = signs_of(text)
    whole, text = text, _without_lead(text)
    words = query_words(text)
    numbers = frozenset(number.rstrip(".,:/-") for number in _NUMBER.findall(text))
    names = len(_IDENTIFIER.findall(text)) + (_capitals(text) if names_are_capital else 0)
    shown_signs = signs.found if text is whole else (signs.found & _OF_LEAD) | signs_of(text).found
    asks = _asks(text)
    short = signs.words - signs.idle <= len(("do", "it")) and not asks
    polite = short or ("chatter" in shown_signs and len(words) <= _FEW and 2 * signs.idle >= signs.words)
    personal = signs.words > 1 and not shown_signs.isdisjoint(("preference", "identity"))  # I'm vegan
    bare = signs.words == signs.idle or (len(words) <= 1 and not names and not personal and not asks)
    empty = "formula" in shown_signs or bare or (polite and shown_signs.isdisjoint(_STRONG))
    return SentenceFeatures(
        text=text,
        words=words,
        terms=frozenset(chain.from_iterable(words)),
        signs=shown_signs,
        numbers=numbers,
        names=names,
        asks=asks,
        idle=empty and not numbers and ("formula" in shown_signs or not names or not words),
        negated=signs.negated,
    )


def _asks(text: str) -> bool:
    """Tell whether a sentence is a question: by its mark, or without any mark by its first word."""
    end = text.rstrip("\"'”») ")[-1:]
    first = words_of(text)[:1]
    return end in {"?", "？", "؟"} or (  # noqa: RUF001
        end.isalnum() and not read_words("summary", "question words").isdisjoint(first)
    )


def coverage(part: SentenceFeatures, whole: SentenceFeatures) -> float:
    """Say how much of the first sentence's words the second one has, from 0 to 1."""
    if not part.words or part.terms.isdisjoint(whole.terms):
        return 0.0
    return sum(1 for forms in part.words if not whole.terms.isdisjoint(forms)) / len(part.words)


def loosely_covers(part: SentenceFeatures, whole: SentenceFeatures) -> float:
    """Like `coverage`, but it is enough if words begin alike: a plan and its deed differ in the ending."""
    starts = {term[:_BEGINNING] for term in whole.terms}
    shared = sum(1 for forms in part.words if any(form[:_BEGINNING] in starts for form in forms))
    return shared / max(1, len(part.words))


def alike(a: SentenceFeatures, b: SentenceFeatures) -> float:
    """Say how far one of two sentences is contained in the other, from 0 to 1."""
    return max(coverage(a, b), coverage(b, a)) if a.terms and b.terms else 0.0


def repeats(sentence: SentenceFeatures, other: SentenceFeatures) -> bool:
    """Tell whether a sentence adds nothing to another: no word to speak of, no number, and no denial."""
    new = sentence.negated != other.negated or not sentence.numbers <= other.numbers
    return not new and coverage(sentence, other) >= _SAME


def _without_lead(text: str) -> str:
    """Leave out the politeness a sentence starts with, where a comma or the like sets it apart."""
    spans = [match.span() for match in _WORD.finditer(text)]
    lead = lead_length(words_of(text))
    if not 0 < lead < len(spans):
        return text
    between = text[spans[lead - 1][1] : spans[lead][0]]
    rest = text[spans[lead][0] :]
    return rest[:1].upper() + rest[1:] if between.strip() else text


def _capitals(text: str) -> int:
    """Count the words with a capital that do not start the sentence."""
    words: Sequence[str] = _WORD.findall(text)
    return sum(1 for word in words[1:] if word[0].isupper() and len(word) > 1 and not word.startswith(("I'", "I’")))  # noqa: RUF001
