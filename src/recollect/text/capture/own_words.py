# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""What of a message the user said, by its layout: not what was quoted, logged, programmed or put there by us.

The invariant: plain functions of the text, in linear time. All offsets are those of the message.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from recollect.model.readings import TextSpan
from recollect.text.capture.words import cues
from recollect.text.clean import fold_spelling
from recollect.text.language import guess_language
from recollect.text.regex import LazyRegex
from recollect.text.tables import read_words

MAX_MESSAGE_CHARACTERS = 20_000
MAX_SENTENCES = 100

_BLOCK = re.compile(r"<relevant-context\b", re.IGNORECASE)
_BLOCK_END = re.compile(r"</relevant-context\b[^<>\n]*>", re.IGNORECASE)
_FENCE = "```"
_START: Final = attrgetter("start")
_END: Final = attrgetter("end")

_QUOTED_LINE = LazyRegex(r"^\s*(?:>|&gt;|\|)")
_WROTE = r"(?:wrote|schrieb|schreibt|napsala?|napsal\(a\)|píše|написала?|написал\(а\)|пишет)"
_MAIL_BEGINS = LazyRegex(
    r"(?i)^\s*(?:"
    r"(?:from|subject|von|betreff|od|předmět|от|тема)\s*:.*"
    rf"|(?:on|am|dne|v|ve|в|во) .{{2,100}}\s{_WROTE}(?:\s.{{0,60}})?:.*"
    rf"|.{{2,100}}\s{_WROTE}\s*:"
    r"|-{2,}\s*(?:original|forwarded|urspr|weitergeleitet|původní|přeposlan|исходное|пересыл).*"
    r"|begin forwarded message.*"
    r")\s*$"
)
_LOGGED = LazyRegex(
    r"^\s*(?:\[?\d{4}-\d\d-\d\d[t ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL|TRACE)\b|"
    r"Traceback|File \"|at [\w.$<>]+\(|Caused by:|\w*(?:Error|Exception|Warning): )|\b(?:ERROR|DEBUG|WARN|INFO)\b[ :\]]"
)
_CODE = LazyRegex(
    r"^\s*(?:def |class \w+[:(]|import \w|from [\w.]+ import|(?:const|let|var) \w+ ?=|function\b.*\(|return\b.*;|"
    r"public |private |#include|#!|SELECT |INSERT |UPDATE |DELETE FROM|CREATE |sudo |git \w+ -|npm |pip |docker |"
    r"kubectl |curl |echo |\$ |>>> |@@ |[+-]{3} |//|/\*|<[/!?a-zA-Z]|\w+\s*[:=]\s*[\[{]\s*$|[\w.]+\s*=\s*\S+\s*$|"
    r"[\"']?\w+[\"']?: [\"{\[])"
    r"|[;{}]\s*$|=>|==|!=|&&|\|\||\(\)|</|::|\w = [\"'\[{(\d]|\w\(.*\)\s*$"
)
_SPEAKER = LazyRegex(r"^\s*(?:\[[^\]]{1,30}\] ?)?\p{Lu}\pL{1,20}(?: \p{Lu}\pL*\.?)?(?: \(?\d\d?:\d\d\)?)?:\s+\S")
_ROLE = LazyRegex(r"(?i)^\s*\W{0,3}(?:user|assistant|system|human|ai|bot|chatgpt|gpt|claude|q|a)\W{0,3}:\s")
_BULLET = LazyRegex(r"^(?:[-*\x{2022}\x{2013}>|]|\d{1,2}[.)]) +")

_STOP = LazyRegex(r"[.!?…]+[\"'»”“)]*(?:\s|$)|;\s|\n")
_PAUSE = LazyRegex(r"[,:](?:\s|$)|[()]|\s[-–—]+\s")
_ANNOUNCES = LazyRegex('[:\n"\u201e\u201c\u201d\u00ab\u00bb]')
_SHORT_TEXT = 300
_ORDINAL_DIGITS = 2
_LONGEST_SHORT_FORM = 12


@dataclass(frozen=True, slots=True)
class OwnWords:
    """The layout of a message: which parts are not the user's own words, and where sentences and clauses end.

    The parts are in order and disjoint, so that a place among them is found by bisection. `cues` are the
    words that announce text of another person.
    """

    text: str
    foreign: tuple[TextSpan, ...]
    stops: tuple[TextSpan, ...]
    pauses: tuple[TextSpan, ...]
    cues: tuple[TextSpan, ...]
    language: str

    @classmethod
    def of(cls, text: str, handed_over: Sequence[TextSpan] = ()) -> "OwnWords":
        """Lay out a message; `handed_over` are the parts that a reader found not to be the user's own."""
        foreign = tuple(_disjoint(sorted((*handed_over, *_blocks(text), *_foreign_lines(text)))))
        announcing = tuple(TextSpan(*found.span()) for found in cues().finditer(fold_spelling(text)))
        stops = tuple(
            TextSpan(*found.span()) for found in _STOP.finditer(text) if not _is_short_form(text, found.span())
        )
        pauses = tuple(TextSpan(*found.span()) for found in _PAUSE.finditer(text))
        return cls(text, foreign, stops, tuple(sorted((*stops, *pauses))), announcing, guess_language(text) or "")

    def is_foreign(self, span: TextSpan) -> bool:
        """Tell whether most of a part is not the user's own."""
        first = bisect_right(self.foreign, span.start, key=_END)
        last = bisect_left(self.foreign, span.end, key=_START)
        shared = sum(min(span.end, other.end) - max(span.start, other.start) for other in self.foreign[first:last])
        return 2 * shared >= max(1, span.end - span.start)

    def is_announced(self, place: int) -> bool:
        """Tell whether words before a place announce text of another person."""
        return bool(self.cues) and self.cues[0].end <= place

    def is_plain(self) -> bool:
        """Tell whether a message is short and announces no words of others: "My name is Anna. I live in Brno."."""
        return len(self.text) <= _SHORT_TEXT and not self.cues and _ANNOUNCES.search(self.text) is None

    def sentences(self) -> Iterator[TextSpan]:
        """Give the user's own sentences, the first hundred."""
        start, count = 0, 0
        for stop in (*self.stops, TextSpan(len(self.text), len(self.text))):
            sentence = _trimmed(self.text, start, stop.end)
            start = stop.end
            if sentence.end > sentence.start and not self.is_foreign(sentence):
                yield sentence
                count += 1
            if count == MAX_SENTENCES:
                return

    def clause(self, span: TextSpan, low: int, high: int) -> TextSpan:
        """Widen a part to the clause that it stands in, within bounds and the user's own words."""
        before = bisect_right(self.pauses, span.start, key=_END) - 1
        after = bisect_left(self.pauses, span.end, key=_START)
        start = max(low, self.pauses[before].end if before >= 0 else 0)
        end = min(high, self.pauses[after].start if after < len(self.pauses) else len(self.text))
        before = bisect_right(self.foreign, span.start, key=_END) - 1
        after = bisect_left(self.foreign, span.end, key=_START)
        start = max(start, self.foreign[before].end if before >= 0 else 0)
        end = min(end, self.foreign[after].start if after < len(self.foreign) else len(self.text))
        return TextSpan(min(start, span.start), max(end, span.end))

    def stops_in(self, span: TextSpan) -> Sequence[TextSpan]:
        """Give where sentences end inside a part."""
        return self.stops[
            bisect_right(self.stops, span.start, key=_START) : bisect_left(self.stops, span.end, key=_END)
        ]

    def sentence(self, span: TextSpan) -> TextSpan:
        """Give the sentence in which a part begins."""
        after = bisect_right(self.stops, span.start, key=_END)
        start = self.stops[after - 1].end if after else 0
        return TextSpan(start, self.stops[after].end if after < len(self.stops) else len(self.text))


def _disjoint(spans: Iterable[TextSpan]) -> Iterator[TextSpan]:
    """Merge parts, which come in order, where they overlap."""
    merged: TextSpan | None = None
    for span in spans:
        if merged is not None and span.start < merged.end:
            merged = TextSpan(merged.start, max(merged.end, span.end))
            continue
        if merged is not None:
            yield merged
        merged = span
    if merged is not None:
        yield merged


def _trimmed(text: str, start: int, end: int) -> TextSpan:
    while start < end and text[start].isspace():
        start += 1
    if bullet := _BULLET.search(text[start:end]):
        start += bullet.span()[1]
    while end > start and text[end - 1].isspace():
        end -= 1
    return TextSpan(start, end)


def _blocks(text: str) -> Iterator[TextSpan]:
    """Give recalled context and fenced code; what is never closed reaches to the end."""
    place = 0
    while begin := _BLOCK.search(text, place):
        end = _BLOCK_END.search(text, begin.end())
        place = end.end() if end else len(text)
        yield TextSpan(begin.start(), place)
    place = text.find(_FENCE)
    while place >= 0:
        end_of_code = text.find(_FENCE, place + len(_FENCE))
        end_of_code = len(text) if end_of_code < 0 else end_of_code + len(_FENCE)
        yield TextSpan(place, end_of_code)
        place = text.find(_FENCE, end_of_code)


def _foreign_lines(text: str) -> Iterator[TextSpan]:
    lines = text.split("\n")
    speakers = sum(_SPEAKER.search(line) is not None for line in lines)
    start = 0
    for line in lines:
        if _MAIL_BEGINS.search(line):
            yield TextSpan(start, len(text))
            return
        spoken = speakers > 1 and _SPEAKER.search(line)
        if spoken or any(kind.search(line) for kind in (_QUOTED_LINE, _LOGGED, _CODE, _ROLE)):
            yield TextSpan(start, start + len(line))
        start += len(line) + 1


def _is_short_form(text: str, stop: tuple[int, int]) -> bool:
    """Tell whether a full stop belongs to the word: an abbreviation, an initial, the ordinal of a date."""
    place, end = stop
    if text[place:end].strip() != "." or end >= len(text):
        return False
    word = text[max(0, place - _LONGEST_SHORT_FORM) : place].rpartition(" ")[2].lower().lstrip("(\"'„«“")
    following = text[end : end + 1]
    return (
        word in read_words("summary", "abbreviations")
        or (word.isdecimal() and len(word) <= _ORDINAL_DIGITS)
        or (word.replace(".", "").isdecimal() and not following.isupper())
        or (len(word) == 1 and word.isalpha())
    )
