"""Groups of three letters, which words share in other forms, misspelt, or as cognates in another language."""

import unicodedata
from functools import cache
from itertools import islice

_LENGTH = 3
_MOST_GROUPS = 100
_LAST_KEPT = 0x2070  # Latin, Greek, Cyrillic and more letters, and the usual punctuation; others are computed each time


class _PlainLetters(dict[int, str]):
    """What `str.translate` makes of a character: a letter without case and accents, or a blank."""

    def __missing__(self, code: int) -> str:
        """Look a character up, and keep it if it is a common one."""
        base = unicodedata.normalize("NFKD", chr(code).casefold())[:1]
        plain = base if base.isalnum() else " "
        if code < _LAST_KEPT:
            self[code] = plain
        return plain


_PLAIN = _PlainLetters()


def plain_letters(text: str) -> str:
    """Give a text as groups of letters are looked for in it: words between blanks, without case and accents."""
    if text.isascii():  # many times as fast
        return f" {text.encode().translate(_plain_bytes()).decode()} "
    return f" {text.translate(_PLAIN)} "


@cache
def _plain_bytes() -> bytes:
    return "".join(map(_PLAIN.__getitem__, range(128))).encode() + bytes(128)


def letter_groups(text: str) -> tuple[str, ...]:
    """Give groups of three letters from the words of a text, each once; a word begins and ends with a blank.

    Of the groups in a word every second one is enough.
    """
    words = [f" {word} " for word in dict.fromkeys(plain_letters(text).split())]
    groups = (word[start : start + _LENGTH] for word in words for start in range(0, len(word) - 2, 2))
    return tuple(islice(dict.fromkeys(groups), _MOST_GROUPS))
