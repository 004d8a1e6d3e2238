# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""Which language a text is in, so that its vectors are trusted or not; and its words without their endings.

The invariant: a guess is either well founded or None. One distinctive letter or function word is enough of a foundation
as long as nothing speaks for another language; a bare name or number is not.

Without endings a question in one grammatical form finds a memory in another. The stem of a word depends on the word and
on the language named, never on what else is installed. That is why the algorithms are taken one by one: the front door
of `snowballstemmer` switches to another implementation, possibly of another version, wherever it finds one.
"""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import NamedTuple, Protocol, TypeAlias

from recollect.text.tables import COMMON, LANGUAGES, read_lines, read_pairs, read_words

_LOOKED_AT = 400
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_Voters: TypeAlias = Mapping[str, tuple[str, ...]]

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


class _Script(NamedTuple):
    """The languages of a script, by what speaks for them: function words and special letters."""

    words: _Voters
    letters: _Voters
    special: re.Pattern[str]
    distinctive: Mapping[str, str]
    distinctive_words: frozenset[str]


@cache
def languages_in(*scripts: str) -> tuple[str, ...]:
    """Give the languages of scripts that are told apart by their words and letters, the most widely used first."""
    return tuple(" ".join(line for script in scripts for line in read_lines("languages", script, COMMON)).split())


@cache
def stop_words(language: str) -> frozenset[str]:
    """Give the function words of a language. First names are left out in every language, so that they can be found."""
    return read_words("language", "function words", language) - read_words("languages", "first names", COMMON)


@cache
def function_words() -> frozenset[str]:
    """Give the stop words of the languages that have every table."""
    return frozenset().union(*map(stop_words, LANGUAGES))


@cache
def _script(name: str) -> _Script:
    words: defaultdict[str, list[str]] = defaultdict(list)
    letters: defaultdict[str, list[str]] = defaultdict(list)
    for language in languages_in(name):
        spoken = stop_words(language)
        if language == "en":  # function words elsewhere that mean something in English
            spoken |= read_words("language", "shared words", "en")
        for word in spoken:
            words[word].append(language)
        for letter in read_words("language", "letters", language):
            letters[letter].append(language)
    distinctive = {word: languages[0] for word, languages in words.items() if len(languages) == 1}
    return _Script(
        words={word: tuple(languages) for word, languages in words.items()},
        letters={letter: tuple(languages) for letter, languages in letters.items()},
        special=re.compile(f"[{''.join(letters)}]"),
        distinctive=distinctive,
        distinctive_words=frozenset(distinctive),
    )


@cache
def _script_starts() -> tuple[list[int], list[str]]:
    """Give where each script begins, in order, and its name."""
    pairs = [(int(start, 16), name) for start, name in read_pairs("languages", "scripts")]
    return [start for start, _ in pairs], [name for _, name in pairs]


def guess_language(text: str) -> str | None:
    """Give the ISO 639-1 code of the language most of the text is in, or None when that is not clear."""
    sample = unicodedata.normalize("NFC", text[:_LOOKED_AT]).casefold()
    words = _WORD.findall(sample)
    script = _main_script(sample)
    if script == "Latin":
        return guess_latin(words)
    if script == "Cyrillic":
        return _best(_votes(words, _script("cyrillic")))
    if script == "Arabic":
        return "ar" if read_words("languages", "persian letters", COMMON).isdisjoint(sample) else "fa"
    return script


def guess_latin(words: Sequence[str]) -> str | None:
    """Guess among the languages in Latin script, from words already split and without case. Some have no stemmer."""
    return _distinct(words) or _best(_votes(words, _script("latin")))


def likeliest_latin(words: Sequence[str]) -> str | None:
    """Name the language that most speaks for, well founded or not; of several the one that more people write in."""
    if guess := _distinct(words):
        return guess
    votes = _votes(words, _script("latin"))
    return _best(votes) or max(languages_in("latin"), key=lambda language: votes.get(language, 0.0)) if votes else None


def _distinct(words: Sequence[str]) -> str | None:
    """Name the language that all distinctive function words are of, if there are several."""
    script = _script("latin")
    heard = script.distinctive_words.intersection(words)
    if not heard:
        return None
    spoken = {script.distinctive[word] for word in heard}
    if len(spoken) != 1 or (len(heard) == 1 and words.count(*heard) == 1):
        return None
    return spoken.pop()


def _votes(words: Sequence[str], script: _Script) -> Mapping[str, float]:
    """Count one vote for each function word and each special letter, divided among the languages that have it."""
    voters = list(filter(None, map(script.words.get, words)))
    joined = " ".join(words)
    if not joined.isascii():  # no special letter is
        voters += [script.letters[letter] for letter in sorted(set(script.special.findall(joined)))]
    votes: defaultdict[str, float] = defaultdict(float)
    for languages in voters:
        share = 1 / len(languages)
        for language in languages:
            votes[language] += share
    return votes


def _best(votes: Mapping[str, float]) -> str | None:
    """Name the language that won by at least half a vote, if it has that much at all."""
    ranked = sorted(votes.values(), reverse=True)
    if not ranked or ranked[0] < 0.5 + (ranked[1] if len(ranked) > 1 else 0):
        return None
    return max(votes, key=lambda language: votes[language])


def _main_script(text: str) -> str | None:
    """Name the script of most letters. Japanese is known by its kana, however many Chinese characters it borrows."""
    if text.isascii():  # as most texts are
        return "Latin" if any(map(str.isalpha, text)) else None
    starts, names = _script_starts()
    scripts = Counter(names[bisect_right(starts, ord(letter)) - 1] for letter in text if letter.isalpha())
    if scripts["ja"]:
        scripts["ja"] += scripts.pop("zh", 0)
    del scripts["-"]
    return scripts.most_common(1)[0][0] if scripts else None


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802  # Snowball's name


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
