"""How names of places are compared: by their letters, whatever their case, accents and punctuation."""

import hashlib
import unicodedata
from typing import Final

# Letters that Unicode does not take apart and people do.
_PLAIN: Final = {
    "ø": "o",
    "ł": "l",
    "đ": "d",
    "ð": "d",
    "ħ": "h",
    "\N{LATIN SMALL LETTER DOTLESS I}": "i",
    "æ": "ae",
    "œ": "oe",
    "þ": "th",
}


class _Letters(dict[int, str | None]):
    """What becomes of each letter, found out when it is first seen."""

    def __missing__(self, code: int) -> str | None:
        letter = chr(code)
        if unicodedata.combining(letter):
            kept = None
        elif letter.isalnum() or unicodedata.category(letter).startswith("M"):  # the vowels of some scripts are marks
            kept = _PLAIN.get(letter, letter)
        else:
            kept = " "
        self[code] = kept
        return kept


_LETTERS: Final = _Letters()


def fold(name: str) -> str:
    """Give a name by its letters and digits: in lower case, without accents, its words one space apart."""
    low = name.casefold()
    if low.isascii():
        return low if low.isalnum() else " ".join(low.translate(_LETTERS).split())
    apart = unicodedata.normalize("NFKD", low)
    return " ".join(apart.translate(_LETTERS).split())


def key(folded: str) -> int:
    """Give the number under which a folded name is found."""
    return int.from_bytes(hashlib.blake2b(folded.encode("utf-8", "replace"), digest_size=8).digest(), "little")
