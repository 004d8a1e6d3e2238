# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""Words without their endings, so that a question in one grammatical form finds a memory in another.

The invariant: the stem of a word depends on the word and on the language named, never on what else is installed. That
is why the algorithms are taken one by one: the front door of `snowballstemmer` switches to another implementation,
possibly of another version, wherever it finds one.
"""

import unicodedata
from functools import lru_cache
from typing import Protocol

from snowballstemmer.arabic_stemmer import ArabicStemmer
from snowballstemmer.armenian_stemmer import ArmenianStemmer
from snowballstemmer.czech_stemmer import CzechStemmer
from snowballstemmer.danish_stemmer import DanishStemmer
from snowballstemmer.dutch_stemmer import DutchStemmer
from snowballstemmer.english_stemmer import EnglishStemmer
from snowballstemmer.finnish_stemmer import FinnishStemmer
from snowballstemmer.french_stemmer import FrenchStemmer
from snowballstemmer.german_stemmer import GermanStemmer
from snowballstemmer.greek_stemmer import GreekStemmer
from snowballstemmer.hindi_stemmer import HindiStemmer
from snowballstemmer.hungarian_stemmer import HungarianStemmer
from snowballstemmer.italian_stemmer import ItalianStemmer
from snowballstemmer.norwegian_stemmer import NorwegianStemmer
from snowballstemmer.polish_stemmer import PolishStemmer
from snowballstemmer.portuguese_stemmer import PortugueseStemmer
from snowballstemmer.romanian_stemmer import RomanianStemmer
from snowballstemmer.russian_stemmer import RussianStemmer
from snowballstemmer.spanish_stemmer import SpanishStemmer
from snowballstemmer.swedish_stemmer import SwedishStemmer
from snowballstemmer.tamil_stemmer import TamilStemmer
from snowballstemmer.turkish_stemmer import TurkishStemmer


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802  # Snowball's name


_LATIN: dict[str, type[_Stemmer]] = {
    "cs": CzechStemmer,
    "da": DanishStemmer,
    "de": GermanStemmer,
    "en": EnglishStemmer,
    "es": SpanishStemmer,
    "fi": FinnishStemmer,
    "fr": FrenchStemmer,
    "hu": HungarianStemmer,
    "it": ItalianStemmer,
    "nl": DutchStemmer,
    "no": NorwegianStemmer,
    "pl": PolishStemmer,
    "pt": PortugueseStemmer,
    "ro": RomanianStemmer,
    "sv": SwedishStemmer,
    "tr": TurkishStemmer,
}

# Every other script has one stemmer for all its languages: then a word's stem needs no guess about its text.
_BY_SCRIPT: tuple[tuple[int, int, type[_Stemmer]], ...] = (
    (0x0370, 0x03FF, GreekStemmer),
    (0x0400, 0x052F, RussianStemmer),
    (0x0530, 0x058F, ArmenianStemmer),
    (0x0600, 0x06FF, ArabicStemmer),
    (0x0900, 0x097F, HindiStemmer),
    (0x0B80, 0x0BFF, TamilStemmer),
    (0x1F00, 0x1FFF, GreekStemmer),
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


@lru_cache(maxsize=50_000)
def stem(word: str, language: str) -> str:
    """Give the stem of a word in lower case. Only a word in Latin script needs the language."""
    if len(word) > _LONGEST_WORD or any(map(str.isnumeric, word)):
        return word
    if is_latin(word):
        # Accents help the stemmer and hinder the searcher, who often leaves them out.
        return unaccented(_LATIN[language]().stemWord(word)) or word
    if word[0] >= "\u0400":
        word = word.translate(_AS_RUSSIAN)
    first = ord(word[0])
    for start, end, stemmer in _BY_SCRIPT:
        if start <= first <= end:
            return stemmer().stemWord(word) or word
    return word


def unaccented(word: str) -> str:
    """Give a word in Latin script as it is written by those who leave its accents out."""
    if word.isascii():
        return word
    letters = unicodedata.normalize("NFD", word.translate(_UNDECOMPOSED))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
