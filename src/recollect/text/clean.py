"""What a text looks like once it is ours: no byte that a database, a terminal or JSON would choke on, one Unicode form.

The invariant: cleaning is idempotent, and so is the fingerprint; neither takes more than linear time on any input.
"""

import re
import unicodedata
from typing import Literal

from recollect.errors import InvalidMemory

MAX_CHARACTERS = 100_000

_SENTENCE_END = ".!?…。 "

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]+")

# `unicodedata` sorts the marks after a letter by insertion, so a hundred thousand of them would keep it busy for ten
# seconds. Unicode's stream-safe format allows thirty; no language needs more than a handful.
_MARKS_IN_A_ROW = 30
_SHORT = 1_000
_LONG_RUN = re.compile(rb"([^\0]{%d})[^\0]+" % _MARKS_IN_A_ROW)
_HIDDEN_MARKS = "\u0f73\u0f75\u0f81"  # Tibetan vowels that count as letters but come apart into marks


def clean(text: str) -> str:
    """Give the text in NFC without control characters (tabs and line feeds stay) and without outer whitespace.

    Raises InvalidMemory for what is not text: another type, or half of a surrogate pair.
    """
    if not isinstance(text, str):
        raise InvalidMemory(f"Expected text, found {type(text).__name__}. Pass a str; decode bytes as UTF-8 first.")
    if not text.isprintable():
        _refuse_surrogates(text)
        text = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return text.strip() if text.isascii() else compose(text, "NFC").strip()


def clean_content(text: str) -> str:
    """Clean the content of a memory. Raises InvalidMemory when nothing is left or it is too long to keep."""
    cleaned = clean(text)
    if not cleaned:
        raise InvalidMemory("The content is empty. Pass the text to remember.")
    if len(cleaned) > MAX_CHARACTERS:
        raise InvalidMemory(
            f"The content has {len(cleaned):,} characters; a memory holds at most {MAX_CHARACTERS:,}. "
            "Split it into several memories, or store it as a file."
        )
    return cleaned


def fingerprint_text(text: str) -> str:
    """Give the form in which two texts that say the same in the same words are equal.

    Case, width, the amount of whitespace and the punctuation at the end do not count; every other character does.
    """
    folded = text.lower() if text.isascii() else fold(text)
    spaced = " ".join(folded.split())
    return spaced.rstrip(_SENTENCE_END) or spaced


def fold(text: str) -> str:
    """Give the text in NFKC and without case, for comparing."""
    if text.isascii():
        return text.lower()
    # Folding case can undo the normal form (the Greek iota below a vowel becomes a letter), hence again and again.
    folded = unicodedata.normalize("NFKC", compose(text, "NFKC").casefold())
    return unicodedata.normalize("NFKC", folded.casefold())


def compose(text: str, form: Literal["NFC", "NFKC"]) -> str:
    """Give the text in a normal form, in linear time: of more than thirty marks in a row the rest are dropped."""
    if len(text) > _SHORT:
        text = _without_piles(text)
    normal = unicodedata.normalize(form, text)
    return _without_piles(normal) if len(normal) > max(len(text), _SHORT) else normal


def _refuse_surrogates(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidMemory(
            f"Character {error.start} is U+{ord(text[error.start]):04X}, half of a surrogate pair, which cannot be "
            "stored. Decode the text with errors='replace' before passing it on."
        ) from error


def _without_piles(text: str) -> str:
    classes = bytes(map(unicodedata.combining, text))
    if any(mark in text for mark in _HIDDEN_MARKS):
        classes = bytes(1 if text[i] in _HIDDEN_MARKS else kind for i, kind in enumerate(classes))
    kept = []
    start = 0
    for pile in _LONG_RUN.finditer(classes):
        kept.append(text[start : pile.end(1)])
        start = pile.end()
    return "".join((*kept, text[start:]))
