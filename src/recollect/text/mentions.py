"""Which sentences of a text say something, and the text without them. Words are compared by their stems.

A sentence says something when it has all the words that carry its meaning, in any order and grammatical form.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise

from recollect.model.readings import TextSpan
from recollect.text.clean import fingerprint_text
from recollect.text.terms import every_form, telling_words

_FILLING = " \t,;:-\u2013\u2014"


@dataclass(frozen=True, slots=True)
class Wording:
    """Words that say something, in one or several ways: each is a set of words, and each word a set of stems."""

    ways: tuple[tuple[frozenset[str], ...], ...]

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Wording":
        """Give the words of some texts that say the same."""
        ways = (telling_words(text) for text in texts)
        return cls(tuple(dict.fromkeys(way for way in ways if way)))

    def is_said_with(self, terms: Collection[str]) -> bool:
        """Tell whether a text with these terms may say it."""
        return any(all(not word.isdisjoint(terms) for word in way) for way in self.ways)

    def is_said_in(self, text: str) -> bool:
        """Tell whether a text has all the words, wherever they stand."""
        return self.is_said_with(every_form(text))


def said_in(text: str, wording: Wording) -> list[TextSpan]:
    """Give the sentences of a text that say something."""
    if not text or not wording.is_said_in(text):
        return []
    found = list(sentences(text))
    saying = [sentence for sentence in found if wording.is_said_in(sentence.of(text))]
    if saying:
        return saying
    pairs = (TextSpan(first.start, second.end) for first, second in pairwise(found))  # as where a line was broken
    return [pair for pair in pairs if wording.is_said_in(pair.of(text))]


def sentences(text: str) -> Iterator[TextSpan]:
    """Give the sentences of a text with the blanks around them; lines and semicolons end one, too."""
    from recollect.text.capture.own_words import OwnWords  # noqa: PLC0415 - a search can do without it

    start = 0
    for stop in (*OwnWords.of(text).stops, TextSpan(len(text), len(text))):
        if text[start : stop.end].strip():
            yield TextSpan(start, stop.end)
        start = stop.end


def without(text: str, spans: Iterable[TextSpan], kept: Iterable[TextSpan] = ()) -> str:
    """Cut parts out of a text; of these, what is to be `kept` stays as sentences of its own. Lines stay lines."""
    keeping = sorted(kept)
    pieces: list[str] = []
    start = 0
    for span in joined(spans):
        inside = (part for part in keeping if span.start <= part.start and part.end <= span.end)
        left = (part.of(text).strip(_FILLING).rstrip(".") for part in inside)
        pieces += [text[start : span.start], *(f"{part}. " for part in left if part), "\n" * span.of(text).count("\n")]
        start = span.end
    return "".join((*pieces, text[start:]))


def sentence_marks(text: str) -> dict[str, TextSpan]:
    """Give the fingerprints of a text's sentences, which tell nothing of what they say, and where they stand."""
    return {sentence_mark(sentence.of(text)): sentence for sentence in sentences(text)}


def sentence_mark(sentence: str) -> str:
    """Give the fingerprint of a sentence."""
    words = fingerprint_text(sentence.strip()).encode("utf-8", "surrogatepass")
    return f"sentence:{blake2b(words, digest_size=16).hexdigest()}"


def joined(spans: Iterable[TextSpan]) -> Iterator[TextSpan]:
    """Join parts that overlap."""
    last: TextSpan | None = None
    for span in sorted(spans):
        if last is not None and span.start < last.end:
            last = TextSpan(last.start, max(last.end, span.end))
            continue
        if last is not None:
            yield last
        last = span
    if last is not None:
        yield last
