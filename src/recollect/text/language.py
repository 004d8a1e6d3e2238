"""Which language a text is in, so that its words are stemmed by the right rules and its vectors are trusted or not.

The invariant: a guess is either well founded or None. One distinctive letter or function word is enough of a foundation
as long as nothing speaks for another language; a bare name or number is not.
"""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from recollect.text.stopwords import STOP_WORDS

_LOOKED_AT = 400
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")

_CYRILLIC = ("ru", "uk")

# The letters beyond a to z; and for Cyrillic those that a neighbour lacks.
_LATIN_LETTERS = {
    "cs": "áčďéěíňóřšťúůýž",
    "da": "åæø",
    "de": "äöü",
    "es": "áéíñóúü",
    "fi": "äö",
    "fr": "àâçèéêëîïôœùû",
    "hu": "áéíóöőúüű",
    "it": "àèéìòù",
    "nl": "éëï",
    "no": "åæø",
    "pl": "óąćęłńśźż",
    "pt": "àáâãçéêíóôõú",
    "ro": "âîășțşţ",
    "sv": "åäö",
    "tr": "çöüğış",
    "vi": "ăâđêôơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
}
# Function words elsewhere that are words of English with a meaning of their own: alone, they speak for neither.
_ENGLISH_TOO = frozenset(
    {
        "also", "arm", "are", "art", "bad", "come", "den", "die", "do", "door", "due", "fast", "for", "gift", "had",
        "hat", "her", "hand", "list", "man", "me", "men", "more", "name", "no", "note", "of", "on", "or", "over",
        "past", "per", "plus", "pour", "six", "son", "ten", "tot", "under", "via", "want", "war", "was", "will", "wind",
    }
)  # fmt: skip

# The languages in Latin script, the most widely used first.
_BY_USE = ("en", "es", "de", "fr", "pt", "it", "pl", "nl", "cs", "ro", "tr", "vi", "sv", "hu", "da", "no", "fi")

_CYRILLIC_LETTERS = {"ru": "ъыэё", "sr": "ђћџљњј", "uk": "їєґі"}

# Where each script begins, in order; None marks what is no script of a language we name.
_SCRIPTS: tuple[tuple[int, str | None], ...] = (
    (0x0000, "Latin"),
    (0x02B0, None),
    (0x0370, "el"),
    (0x0400, "Cyrillic"),
    (0x0530, "hy"),
    (0x0590, "he"),
    (0x0600, "Arabic"),
    (0x0700, None),
    (0x0750, "Arabic"),
    (0x0780, None),
    (0x0900, "hi"),
    (0x0980, "bn"),
    (0x0A00, "pa"),
    (0x0A80, "gu"),
    (0x0B00, None),
    (0x0B80, "ta"),
    (0x0C00, "te"),
    (0x0C80, "kn"),
    (0x0D00, "ml"),
    (0x0D80, "si"),
    (0x0E00, "th"),
    (0x0E80, "lo"),
    (0x0F00, "bo"),
    (0x1000, "my"),
    (0x10A0, "ka"),
    (0x1100, "ko"),
    (0x1200, "am"),
    (0x13A0, None),
    (0x1780, "km"),
    (0x1800, None),
    (0x1E00, "Latin"),
    (0x1F00, "el"),
    (0x2000, None),
    (0x3040, "ja"),
    (0x3100, None),
    (0x3130, "ko"),
    (0x3190, None),
    (0x3400, "zh"),
    (0xA000, None),
    (0xAC00, "ko"),
    (0xD7B0, None),
    (0xF900, "zh"),
    (0xFB00, None),
    (0x20000, "zh"),
    (0x32000, None),
)
_STARTS = [start for start, _ in _SCRIPTS]
_PERSIAN = frozenset("پچژگیک")

_Voters: TypeAlias = Mapping[str, tuple[str, ...]]


def _voters(signs: Mapping[str, Iterable[str]]) -> _Voters:
    """Say for each word or letter which languages it speaks for."""
    voters: defaultdict[str, list[str]] = defaultdict(list)
    for language, words in signs.items():
        for word in words:
            voters[word].append(language)
    return {word: tuple(languages) for word, languages in voters.items()}


_LATIN_WORD_VOTERS = _voters(
    {
        language: words | _ENGLISH_TOO if language == "en" else words
        for language, words in STOP_WORDS.items()
        if language not in _CYRILLIC
    }
)
_LATIN_LETTER_VOTERS = _voters(_LATIN_LETTERS)
_CYRILLIC_WORD_VOTERS = _voters({language: STOP_WORDS[language] for language in _CYRILLIC})
_CYRILLIC_LETTER_VOTERS = _voters(_CYRILLIC_LETTERS)
_SPECIAL = re.compile(f"[{''.join({*_LATIN_LETTER_VOTERS, *_CYRILLIC_LETTER_VOTERS})}]")
_DISTINCTIVE = {word: languages[0] for word, languages in _LATIN_WORD_VOTERS.items() if len(languages) == 1}


def guess_language(text: str) -> str | None:
    """Give the ISO 639-1 code of the language most of the text is in, or None when that is not clear."""
    sample = unicodedata.normalize("NFC", text[:_LOOKED_AT]).casefold()
    words = _WORD.findall(sample)
    script = _main_script(sample)
    if script == "Latin":
        return guess_latin(words)
    if script == "Cyrillic":
        return _best(_votes(words, _CYRILLIC_WORD_VOTERS, _CYRILLIC_LETTER_VOTERS))
    if script == "Arabic":
        return "fa" if _PERSIAN.intersection(sample) else "ar"
    return script


def guess_latin(words: Sequence[str]) -> str | None:
    """Guess among the languages in Latin script, from words already split and without case. Some have no stemmer."""
    return _distinct(words) or _best(_votes(words, _LATIN_WORD_VOTERS, _LATIN_LETTER_VOTERS))


def likeliest_latin(words: Sequence[str]) -> str | None:
    """Name the language that most speaks for, well founded or not; of several the one that more people write in."""
    guess = _distinct(words)
    if guess is not None:
        return guess
    votes = _votes(words, _LATIN_WORD_VOTERS, _LATIN_LETTER_VOTERS)
    guess = _best(votes)
    if guess is not None:
        return guess
    return max(_BY_USE, key=lambda language: votes.get(language, 0.0)) if votes else None


def _distinct(words: Sequence[str]) -> str | None:
    """Name the language that all distinctive function words are of, if there are several."""
    heard = _DISTINCTIVE.keys() & set(words)
    spoken = {_DISTINCTIVE[word] for word in heard}
    if len(spoken) != 1 or (len(heard) == 1 and words.count(*heard) == 1):
        return None
    return spoken.pop()


def _votes(words: Sequence[str], by_word: _Voters, by_letter: _Voters) -> Mapping[str, float]:
    """Count one vote for each function word and each special letter, divided among the languages that have it."""
    voters = list(filter(None, map(by_word.get, words)))
    joined = " ".join(words)
    if not joined.isascii():  # no special letter is
        voters += [by_letter[letter] for letter in sorted(by_letter.keys() & set(_SPECIAL.findall(joined)))]
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
    scripts = Counter(_SCRIPTS[bisect_right(_STARTS, ord(letter)) - 1][1] for letter in text if letter.isalpha())
    if scripts["ja"]:
        scripts["ja"] += scripts.pop("zh", 0)
    del scripts[None]
    return scripts.most_common(1)[0][0] if scripts else None
