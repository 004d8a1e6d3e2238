# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""Words without their endings, so that a question in one grammatical form finds a memory in another.

The invariant: the stem of a word depends on the word and on the language named, never on what else is installed. That
is why the algorithms are taken one by one: the front door of `snowballstemmer` switches to another implementation,
possibly of another version, wherever it finds one.
"""

import unicodedata
from functools import cache, lru_cache
from importlib import import_module
from typing import Protocol


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802  # Snowball's name


_LATIN = {
    "cs": "czech", "da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish", "fr": "french",
    "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese",
    "ro": "romanian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip

# Every other script has one stemmer for all its languages: then a word's stem needs no guess about its text.
_BY_SCRIPT = (
    (0x0370, 0x03FF, "greek"),
    (0x0400, 0x052F, "russian"),
    (0x0530, 0x058F, "armenian"),
    (0x0600, 0x06FF, "arabic"),
    (0x0900, 0x097F, "hindi"),
    (0x0B80, 0x0BFF, "tamil"),
    (0x1F00, 0x1FFF, "greek"),
)

# Snowball has no Ukrainian. Its endings are those of Russian once the vowels are written the Russian way.
_AS_RUSSIAN = str.maketrans("ёіїєґў", "еииегу")

_LAST_LATIN = 0x24F
_LATIN_ADDITIONAL = range(0x1E00, 0x1F00)
_UNDECOMPOSED = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th"})

LATIN_LANGUAGES = tuple(_LATIN)

# No word of a language is longer, and a stemmer's time grows with the word.
_LONGEST_WORD = 32


def is_latin(word: str) -> bool:
    """Tell whether a word is in Latin script, where the text around it must say which language it is in."""
    first = ord(word[0])
    return first <= _LAST_LATIN or first in _LATIN_ADDITIONAL


@cache
def _stemmer(algorithm: str) -> type[_Stemmer]:
    """Load an algorithm at its first use; all of them together take longer to import than most searches."""
    module = import_module(f"snowballstemmer.{algorithm}_stemmer")
    stemmer: type[_Stemmer] = getattr(module, f"{algorithm.capitalize()}Stemmer")
    return stemmer


def stem(word: str, language: str) -> str:
    """Give the stem of a word in lower case. Only a word in Latin script needs the language."""
    return word if len(word) > _LONGEST_WORD else _stem(word, language)


@lru_cache(maxsize=50_000)
def _stem(word: str, language: str) -> str:
    if any(map(str.isnumeric, word)):
        return word
    if is_latin(word):
        # Accents help the stemmer and hinder the searcher, who often leaves them out.
        return unaccented(_stemmer(_LATIN[language])().stemWord(word)) or word
    if word[0] >= "\u0400":
        word = word.translate(_AS_RUSSIAN)
    first = ord(word[0])
    for start, end, algorithm in _BY_SCRIPT:
        if start <= first <= end:
            return _stemmer(algorithm)().stemWord(word) or word
    return word


def unaccented(word: str) -> str:
    """Give a word in Latin script as it is written by those who leave its accents out."""
    if word.isascii():
        return word
    letters = unicodedata.normalize("NFD", word.translate(_UNDECOMPOSED))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
