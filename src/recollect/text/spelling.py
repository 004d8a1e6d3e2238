"""One spelling for what people type in many: lower case, no accents, plain quotes and dashes.

The invariant: folding keeps the length, so that a place found in the folded text is the same place in what was said.
"""

import re
import unicodedata
from itertools import chain

_PLAIN = {
    **dict.fromkeys("\u2018\u2019\u02bc\u00b4`", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    "\u00a0": " ",
    "ß": "s",
    "ł": "l",
    "ø": "o",
}
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
