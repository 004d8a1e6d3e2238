"""What a text looks like once it is ours, and the forms in which texts are compared: folded, or in groups of letters.

The invariant: cleaning is idempotent, and so is the fingerprint; neither takes more than linear time on any input.
Folding the spelling keeps the length, so that a place found in the folded text is the same place in what was said.
"""

import re
import unicodedata
from itertools import chain, islice
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

_LENGTH = 3
_MOST_GROUPS = 100
_LAST_KEPT = 0x2070  # Latin, Greek, Cyrillic and more letters, and the usual punctuation; others are computed each time


def clean(text: str) -> str:
    """Give the text in NFC without control characters (tabs and line feeds stay) and without outer whitespace.

    Raises InvalidMemory for what is not text: another type, or half of a surrogate pair.
    """
    if not isinstance(text, str):
        raise InvalidMemory(f"Expected text, found {type(text).__name__}. Pass a str; decode bytes as UTF-8 first.")
    if not text.isprintable():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InvalidMemory(
                f"Character {error.start} is U+{ord(text[error.start]):04X}, half of a surrogate pair, which cannot be "
                "stored. Decode the text with errors='replace' before passing it on."
            ) from error
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


TYPOGRAPHIC = {
    **dict.fromkeys("\u2018\u2019\u02bc\u00b4`", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
}
_PLAIN = {**TYPOGRAPHIC, "\u00a0": " ", "ß": "s", "ł": "l", "ø": "o"}
_ASCII = 0x7F
_KEPT = "й"  # it comes apart into и and a mark, but is a letter of its own

# How a letter of a rule may be typed once the text is folded: with its marks, without them, or spelled out.
_SPELLED_OUT = {"ä": "ae?", "ö": "oe?", "ü": "ue?", "ß": "ss?"}
_DROPPED = re.compile(r"'(?=(?:t|ve|m)\b)|(?<=\blet)'(?=s\b)")  # dont, ive, im, lets: still the same words


def _folded(letter: str) -> str:
    lower = letter.lower()
    if lower in _KEPT or len(lower) != 1:
        return lower if len(lower) == 1 else letter
    return _PLAIN.get(lower) or unicodedata.normalize("NFD", lower)[0]


_LETTERS = map(chr, chain(range(0x41, 0x5B), range(0xC0, 0x250), range(0x400, 0x460), range(0x1E00, 0x1F00)))
_TABLE = str.maketrans({**_PLAIN, **{letter: _folded(letter) for letter in _LETTERS}})
_RULE_TABLE = {code: folded for code, folded in _TABLE.items() if code > _ASCII} | str.maketrans(_SPELLED_OUT)


def fold_spelling(text: str) -> str:
    """Give a composed (NFC) text as rules see it, character for character."""
    return text.translate(_TABLE)


def fold_rule(pattern: str) -> str:
    """Give a rule, written in its language's own spelling, so that it finds folded text."""
    return _DROPPED.sub("'?", pattern.translate(_RULE_TABLE))


class _PlainLetters(dict[int, str]):
    """What `str.translate` makes of a character: a letter without case and accents, or a blank."""

    def __missing__(self, code: int) -> str:
        """Look a character up, and keep it if it is a common one."""
        base = unicodedata.normalize("NFKD", chr(code).casefold())[:1]
        plain = base if base.isalnum() else " "
        if code < _LAST_KEPT:
            self[code] = plain
        return plain


_PLAIN_LETTERS = _PlainLetters()
_PLAIN_BYTES = "".join(map(_PLAIN_LETTERS.__getitem__, range(128))).encode() + bytes(128)


def plain_letters(text: str) -> str:
    """Give a text as groups of letters are looked for in it: words between blanks, without case and accents."""
    if text.isascii():  # many times as fast
        return f" {text.encode().translate(_PLAIN_BYTES).decode()} "
    return f" {text.translate(_PLAIN_LETTERS)} "


def letter_groups(text: str) -> tuple[str, ...]:
    """Give groups of three letters from the words of a text, each once; a word begins and ends with a blank.

    Of the groups in a word every second one is enough.
    """
    words = [f" {word} " for word in dict.fromkeys(plain_letters(text).split())]
    groups = (word[start : start + _LENGTH] for word in words for start in range(0, len(word) - 2, 2))
    return tuple(islice(dict.fromkeys(groups), _MOST_GROUPS))
