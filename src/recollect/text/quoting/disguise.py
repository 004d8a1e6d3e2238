# ruff: noqa: RUF001 -- characters that look like others are the subject
"""What a text looks like to a reader, in plain ASCII: without what cannot be seen, escapes and look-alikes resolved.

The invariant: every character of the plain text knows which part of the original it stands for.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

_ESCAPE = re.compile(
    r"&(?:amp;)*(?:#0*(?P<decimal>[0-9]{1,6})|#x0*(?P<hex>[0-9a-f]{1,5})|"
    r"(?P<name>lt|gt|sol|bsol|num|lsqb|lbrack|rsqb|rbrack|verbar|vert|colon|lowbar|hyphen|dash|nbsp));?"
    r"|\\u(?:(?P<four>[0-9a-f]{4})|\{0*(?P<braced>[0-9a-f]{1,5})\})"
    r"|\\x(?P<two>[0-9a-f]{2})"
    r"|%(?:25)*(?P<percent>[0-7][0-9a-f])",
    re.IGNORECASE,
)
_NAMED: Final[Mapping[str, str]] = {
    "lt": "<", "gt": ">", "sol": "/", "bsol": "\\", "num": "#", "lsqb": "[", "lbrack": "[", "rsqb": "]", "rbrack": "]",
    "verbar": "|", "vert": "|", "colon": ":", "lowbar": "_", "hyphen": "-", "dash": "-", "nbsp": " ",
}  # fmt: skip
_TWINS: Final[Mapping[str, str]] = {
    "<": "‹〈〈⟨❮❰⧼˂ᐸᚲ≺⋖⦑𐋀", ">": "›〉〉⟩❯❱⧽˃ᐳ≻⋗⦒", "/": "⁄∕⧸╱⟋〳", "|": "∣ǀ│┃❘❙¦ⵏ", "[": "【〖〔⟦", "]": "】〗〕⟧",
    ":": "։׃꞉∶ː˸", "#": "♯⋕", "-": "‐‑‒–—―−⁃", "_": "▁", "\n": "⏎↵␤¶\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029",
    "a": "аɑαᴀ", "b": "ʙЬ", "c": "сϲᴄ", "d": "ԁᴅ", "e": "еҽεᴇ", "f": "ꜰ", "g": "ɡɢ", "h": "һʜ", "i": "іıιɪ", "j": "јᴊ",
    "k": "кκᴋ", "l": "ӏʟ", "m": "мᴍ", "n": "ոпɴ", "o": "оοօᴏ", "p": "рρᴘ", "q": "ԛ", "r": "гʀ", "s": "ѕꜱ", "t": "тτᴛ",
    "u": "ᴜυս", "v": "ѵνᴠ", "w": "ԝᴡ", "x": "хχ", "y": "уүʏ", "z": "ᴢ",
    "A": "АΑᎪ", "B": "ВΒ", "C": "СϹᏟ", "E": "ЕΕᎬ", "H": "НΗᎻ", "I": "ІΙӀ", "J": "Ј", "K": "КΚ", "L": "Ꮮ", "M": "МΜᎷ",
    "N": "Ν", "O": "ОΟ", "P": "РΡ", "R": "Ꮢ", "S": "ЅᏚ", "T": "ТΤᎢ", "V": "Ѵ", "X": "ХΧ", "Y": "УΥҮ", "Z": "Ζ",
}  # fmt: skip
_PLAIN: Final = {twin: plain for plain, twins in _TWINS.items() for twin in twins}
_LETTER_BLOCKS = (0x1F130, 0x1F150, 0x1F170, 0x1F1E6)  # squared, negative and regional letters, from A on
_EMPTY = "\u115f\u1160\u2065\u2800\u3164\uffa0"  # letters without a shape
_LETTERS = 26
_OTHER = "~"


class PlainText(NamedTuple):
    """The plain text, and where each of its characters starts and ends in the original."""

    text: str
    starts: list[int]
    ends: list[int]


def plain(text: str) -> PlainText:
    """Give what a text looks like; characters that look like none of ASCII become a tilde."""
    letters, starts, ends = [], [], []
    for look, start, end in _looks(text):
        for letter in look:
            letters.append(letter)
            starts.append(start)
            ends.append(end)
    return PlainText("".join(letters), starts, ends)


def _looks(text: str) -> Iterator[tuple[str, int, int]]:
    done = 0
    for escape in _ESCAPE.finditer(text):
        yield from ((_look(text[place]), place, place + 1) for place in range(done, escape.start()))
        yield _look(_decoded(escape)), escape.start(), escape.end()
        done = escape.end()
    yield from ((_look(text[place]), place, place + 1) for place in range(done, len(text)))


def _decoded(escape: re.Match[str]) -> str:
    kind = str(escape.lastgroup)
    value = escape[kind]
    if kind == "name":
        return _NAMED[value.lower()]
    code = int(value, 10 if kind == "decimal" else 16)
    return chr(code) if code <= 0x10FFFF else _OTHER  # noqa: PLR2004 -- the last character of Unicode


@lru_cache(maxsize=4_096)
def _look(character: str) -> str:
    """Give the ASCII that a character looks like; nothing for one that is not seen."""
    if " " <= character <= "~" or character == "\t":
        return character
    if character in _PLAIN:
        return _PLAIN[character]
    for first in _LETTER_BLOCKS:
        if first <= ord(character) < first + _LETTERS:
            return chr(ord("A") + ord(character) - first)
    category = unicodedata.category(character)
    if category[0] == "M" or category in ("Cf", "Cc", "Cn") or character in _EMPTY:
        return ""
    shape = "".join(c for c in unicodedata.normalize("NFKD", character) if not unicodedata.combining(c))
    shape = shape.strip("()") or shape  # letters in parentheses
    return " " if category == "Zs" else "".join(c if c.isascii() else _PLAIN.get(c, _OTHER) for c in shape)
