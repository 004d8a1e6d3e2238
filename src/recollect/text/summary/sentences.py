# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""Sentence splitter for messages: without code, quotations and tables, and with one line left of what was pasted.

The invariant: the time is bounded however long the message is, because only its beginning and end are looked at.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from recollect.text.tables import read_words

_FIRST, _LAST = 6_000, 2_000  # characters of a message that are read
_MOST_SENTENCES = 40
_LONGEST_SENTENCE = 600
_LONGEST_LINE = 1_500  # what is longer was not typed
_MOST_LINES = 15  # of a typed paragraph
_LONGEST_TOKEN = 100
_NEAR = 40  # characters around a full stop that say whether it ends a sentence
_WRAPPED = 60  # a line this long may go on in the next one
_MOST_SYMBOLS = 0.12

_RECALLED = "<relevant-context"
_RECALLED_END = re.compile(r"</relevant-context\b[^<>\n]*>")
_SKIPPED = re.compile(r"\s*(?:[>|#]|-{3,}|={3,}|\*{3,}|<[/!a-zA-Z])")
_CODE = re.compile(
    r"\s*(?:import \w+(?:$|[ .,;])|from [\w.]+ import |def \w+\(|class \w+[:(]|(?:const|let|var) \w+ ?=|#include|"
    r"function \w*\(|return\b.*;$|SELECT .+ FROM|\$ |>>> |at [\w.$<>]+\(|File \"|"
    r"(?:sudo|pip|npm|git|docker|cd) [\w-]+(?:$| ))"
)
_EXPLAINED = re.compile(r"(?i)(?:error|exception|failure|fatal|ошибка|chyba|fehler)\"?:\s")
_JSON = re.compile(r"[{}\[\]]|\"(?=\s*[:,}\]])|(?<=[:{,\[ ])\"|\"$")
_SYMBOLS = re.compile(r"[{}()\[\];=<>|\\&*$^~]")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\(?\d{1,2}[.)])\s+(?=\S)")
_MARKUP = re.compile(r"\*\*|__|`")
_TROUBLE = re.compile(r"(?i)(?:error|exception|failed|failure|denied|timeout|not found|fatal|ошибка|chyba|fehler)")

_STOP = re.compile(r"[.!?…]+[\"'”“’»)\]]*(?=\s|$)|[。！？]+")
_LAST_WORD = re.compile(r"[^\s(\"'„“«]+$")


class Passage(NamedTuple):
    """A sentence, or the telling line of something that was pasted."""

    text: str
    pasted: bool = False


def passages(message: str) -> list[Passage]:
    """Give the sentences of a message in order, at most forty: the first thirty and the last ten."""
    text = _excerpt(message)
    while (start := text.find(_RECALLED)) >= 0:  # memories that were put before a prompt are ours, not what was said
        end = _RECALLED_END.search(text, start)
        text = text[:start] + (text[end.end() :] if end else "")
    found = list(_passages(text))
    if len(found) > _MOST_SENTENCES:
        kept = _MOST_SENTENCES * 3 // 4
        found = [*found[:kept], *found[kept - _MOST_SENTENCES :]]
    return found


def split_sentences(text: str) -> Iterator[str]:
    """Split a line where sentences end: not after abbreviations, ordinals and initials, nor inside numbers and URLs."""
    start = 0
    for stop in _STOP.finditer(text):
        if (
            stop[0][0] != "."
            or stop[0].startswith("..")
            or _ends(text[start : stop.start()], text[stop.end() : stop.end() + _NEAR])
        ):
            sentence = text[start : stop.end()].strip()
            start = stop.end()
            if sentence:
                yield sentence[:_LONGEST_SENTENCE]
    rest = text[start:].strip()
    if rest:
        yield rest[:_LONGEST_SENTENCE]


def strip_markup(line: str) -> str:
    """Give a line without bullets and markup."""
    return " ".join(_MARKUP.sub("", _ITEM.sub("", line, count=1)).split())


def error_line(text: str) -> str:
    """Give the last line that names an error and explains it, as in `ValueError: no such room`, or else the first."""
    telling = [line for line in _excerpt(text).split("\n") if _TROUBLE.search(line[:_LONGEST_LINE])]
    explained = [line for line in telling if _EXPLAINED.search(line[:_LONGEST_LINE])]
    line = explained[-1] if explained else next(iter(telling), "")
    line = line[:_LONGEST_SENTENCE]
    return " ".join((_JSON.sub("", line) if '":' in line else line).split())


def _ends(before: str, after: str) -> bool:
    match = _LAST_WORD.search(before[-_NEAR:])
    word = match[0].casefold() if match else ""
    following = after.split(maxsplit=1)[0] if after.strip() else ""
    if not following:
        return True
    if word.isdigit() and len(word) <= len("31"):
        nouns = read_words("summary", "after an ordinal")
        return following[0].isupper() and following.casefold().strip(".,;:!?") not in nouns
    if word in read_words("summary", "abbreviations") or len(word) == 1:
        return False
    return not following[0].islower() or (len(word) > len("ab") and "." not in word)


def _excerpt(text: str) -> str:
    return text if len(text) <= _FIRST + _LAST else f"{text[:_FIRST]}\n{text[-_LAST:]}"


def _passages(text: str) -> Iterator[Passage]:
    for fenced, lines in _fences(text):
        if fenced:
            line = error_line("\n".join(lines))
            if line:
                yield Passage(line, pasted=True)
            continue
        for blank, paragraph in groupby(lines, key=lambda line: not line.strip()):
            if not blank:
                yield from _paragraph(list(paragraph))


def _fences(text: str) -> Iterator[tuple[bool, list[str]]]:
    fenced = False
    run: list[str] = []
    for line in text.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            yield fenced, run
            fenced, run = not fenced, []
        else:
            run.append(line)
    yield fenced, run


def _paragraph(lines: list[str]) -> Iterator[Passage]:
    typed = [line for line in lines if not _is_code(line)]
    items = sum(1 for line in typed if _ITEM.match(line))
    pasted = len(lines) > _MOST_LINES and items < len(lines) // 2
    if pasted or any(len(line) > _LONGEST_LINE for line in typed):
        line = error_line("\n".join(lines)) or next(iter(typed), "")
        first = next(split_sentences(strip_markup(line)), "")
        if first:
            yield Passage(first, pasted=True)
        return
    for line in _unwrapped(typed):
        yield from map(Passage, split_sentences(line))


def _unwrapped(lines: list[str]) -> Iterator[str]:
    """Join lines that were broken only because they were full."""
    open_line = ""
    for line in lines:
        text = strip_markup(line)
        goes_on = len(open_line) >= _WRAPPED and open_line[-1] not in ".!?…:;" and text[:1].islower()
        if open_line and not (goes_on and not _ITEM.match(line)):
            yield open_line
            open_line = text
        else:
            open_line = f"{open_line} {text}".strip()
    if open_line:
        yield open_line


def _is_code(line: str) -> bool:
    if _SKIPPED.match(line) or _CODE.match(line):
        return True
    if any(len(token) > _LONGEST_TOKEN and token.isascii() and "://" not in token for token in line.split()):
        return True
    return len(_SYMBOLS.findall(_MARKUP.sub("", line))) > max(2, len(line) * _MOST_SYMBOLS)
