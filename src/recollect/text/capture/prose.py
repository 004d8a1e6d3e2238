# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""What of a message the user said: not what was pasted, quoted, logged, programmed or put there by us.

The invariant: every sentence given is a part of the message, with its runs of whitespace as single blanks. All of it
takes linear time; a message over the bound is a paste and says nothing about its user.
"""

import re
from collections.abc import Iterator

from recollect.errors import InvalidMemory
from recollect.text.capture.grammar import LazyRegex
from recollect.text.clean import clean

MAX_MESSAGE_CHARACTERS = 20_000
MAX_SENTENCES = 100

_BLOCK = re.compile(r"<relevant-context\b", re.IGNORECASE)
_BLOCK_END = re.compile(r"</relevant-context\s*>", re.IGNORECASE)
_FENCE = "```"

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
    r"public |private |#include|#!|SELECT |INSERT |UPDATE |DELETE FROM|CREATE |sudo |git \w+ -|npm |pip |docker |curl |"
    r"echo |\$ |>>> |@@ |[+-]{3} |//|/\*|<[/!?a-zA-Z]|\w+\s*[:=]\s*[\[{]\s*$|[\w.]+\s*=\s*\S+\s*$|"
    r"[\"']?\w+[\"']?: [\"{\[])"
    r"|[;{}]\s*$|=>|==|!=|&&|\|\||\(\)|</|::|\w = [\"'\[{(\d]|\w\(.*\)\s*$"
)
_SPEAKER = LazyRegex(r"^\s*(?:\[[^\]]{1,30}\] ?)?\p{Lu}\pL{1,20}(?: \p{Lu}\pL*\.?)?(?: \(?\d\d?:\d\d\)?)?:\s+\S")
_ROLE = LazyRegex(r"(?i)^\s*\W{0,3}(?:user|assistant|system|human|ai|bot|chatgpt|gpt|claude|q|a)\W{0,3}:\s")
_BULLET = re.compile(r"^(?:[-*\u2022\u2013]|\d{1,2}[.)]) +")

_MARGIN = "> |*-\u2022\u2013"

_STOP = LazyRegex(r"[.!?…][\"'»”“)]*\s|;\s")
_ORDINAL_DIGITS = 2
_LONGEST_SHORT_FORM = 12
_SHORT_FORMS = frozenset(
    (
        *("mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "vs", "etc", "e.g", "i.e", "approx"),
        *("ing", "mgr", "bc", "phdr", "mudr", "judr", "p", "sl", "např", "tzv", "tzn", "apod", "atd", "č", "ul", "nám"),
        *("z.b", "d.h", "u.a", "bzw", "ca", "str", "hr", "fr", "nr", "usw", "tel"),
        *("т.е", "т.д", "т.п", "г", "ул", "им", "д", "кв", "см", "напр", "тел"),
    )
)


def sentences(text: str) -> list[str]:
    """Give what the user said, sentence by sentence, and of a long message the first hundred."""
    if len(text) > MAX_MESSAGE_CHARACTERS:
        return []
    try:
        lines = _spoken_lines(_without_blocks(clean(text)))
    except InvalidMemory:  # half a character: what cannot be stored need not be found
        return []
    found = (" ".join(piece.split()).lstrip(_MARGIN) for line in lines for piece in _split(line))
    return [piece for piece in found if piece][:MAX_SENTENCES]


def _without_blocks(text: str) -> str:
    """Leave out recalled context and fenced code; what is never closed reaches to the end."""
    kept = []
    place = 0
    while begin := _BLOCK.search(text, place):
        kept.append(text[place : begin.start()])
        end = _BLOCK_END.search(text, begin.end())
        place = end.end() if end else len(text)
    return "\n".join("\n".join((*kept, text[place:])).split(_FENCE)[::2])


def _spoken_lines(text: str) -> Iterator[str]:
    lines = text.split("\n")
    speakers = sum(_SPEAKER.search(line) is not None for line in lines)
    for line in lines:
        if _MAIL_BEGINS.search(line):
            return
        if speakers > 1 and _SPEAKER.search(line):
            continue
        if not any(kind.search(line) for kind in (_QUOTED_LINE, _LOGGED, _CODE, _ROLE)):
            yield _BULLET.sub("", line.strip())


def _split(line: str) -> Iterator[str]:
    start = 0
    for stop in _STOP.finditer(line):
        place, end = stop.span()
        if not _is_short_form(line[max(start, place - _LONGEST_SHORT_FORM) : place], line[place:end]):
            yield line[start:end]
            start = end
    yield line[start:]


def _is_short_form(before: str, stop: str) -> bool:
    """Tell whether a full stop belongs to the word: an abbreviation, an initial, the ordinal of a date."""
    if stop.strip() != ".":
        return False
    word = before.rpartition(" ")[2].lower().lstrip("(\"'„«“")
    return (
        word in _SHORT_FORMS
        or (word.isdecimal() and len(word) <= _ORDINAL_DIGITS)
        or (len(word) == 1 and word.isalpha())
    )
