"""What a format's reader finds in a document, and how it says that it will not read it.

The invariant: it imports nothing but the standard library, because it is loaded anew for every document.
"""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

MOST_CHARACTERS = 16 * 2**20
MOST_OF_A_VALUE = 2_000
MOST_VALUES = 100

TEXT_WAS_CUT = "text was cut"
NO_TEXT_LAYER = "no text layer"

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]+")
_HALVES = re.compile("[\ud800-\udfff]")


class DocumentRefused(Exception):
    """A document that will not be read. The message is shown to the user who added it."""


class ExtractedText(NamedTuple):
    """What stands in a document.

    `parts` follow each other, separated by one line feed; those of a PDF are its pages. Headings are written as in
    Markdown. `headings` say what each part is, if its text does not. `dated_at` is written as ISO 8601.
    """

    parts: tuple[str, ...]
    metadata: dict[str, Any]
    notes: tuple[str, ...] = ()
    dated_at: str = ""
    headings: tuple[str, ...] = ()


def tidy(text: str) -> str:
    """Give extracted text without control characters and halves of surrogate pairs, its lines ended by line feeds."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.isprintable():
        text = _CONTROL.sub("", text)
        text = _HALVES.sub("\ufffd", text)
    return text


def one_line(text: str) -> str:
    """Give a value for metadata: tidy, on one line and not too long."""
    return " ".join(tidy(text[: 4 * MOST_OF_A_VALUE]).split())[:MOST_OF_A_VALUE]


def shortened(parts: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Take parts while there is room for them; gives them and a note when there was not. Asks for no more than fits."""
    kept: list[str] = []
    room = MOST_CHARACTERS
    for part in parts:
        kept.append(part[:room])
        if len(part) > room:
            return tuple(kept), (TEXT_WAS_CUT,)
        room -= len(part)
    return tuple(kept), ()


def known_values(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Give metadata of what has a value: strings on one line, numbers and lists of strings as they are."""
    known: dict[str, Any] = {}
    for key, value in pairs:
        told = one_line(value) if isinstance(value, str) else value
        if isinstance(told, list):
            told = [one_line(str(item)) for item in told[:MOST_VALUES]]
        if told not in ("", None, []):
            known[key] = told
    return known
