# letters of other alphabets are the point here
"""Whether two texts whose vectors nearly coincide really say the same, before one of them is dropped as a repetition.

The invariant: in doubt they differ. Keeping both costs a row; dropping the wrong one loses a fact. Encoders hardly see
what decides here: numbers, names, negation, opposites, and who did it to whom.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from recollect.text.clean import fingerprint_text, fold
from recollect.text.language import guess_language, languages_in, stop_words
from recollect.text.stems import LATIN_LANGUAGES, stem
from recollect.text.tables import read_words

_TOKEN = re.compile(r"[#@+-]?\w+(?:[.@#/:+,'-]\w+)*[%+#]*|[?%€$£¥₽°\u2190-\u2bff\U0001f000-\U0001faff]")
_IDENTIFIER = re.compile(r"[\d_.@#/:+]|^\W")
_LAST_KNOWN_SCRIPT = "\u052f"  # the tables are in Latin and Cyrillic; of other scripts every word must agree
_NEGATION = "not"


@dataclass(frozen=True, slots=True)
class _ComparedWord:
    spelled: str
    key: str  # equal for two forms of one word
    decides: bool
    has_content: bool


def same_statement(a: str, b: str) -> bool:
    """Tell whether two texts with nearly equal vectors say the same: no number, name, negation or opposite differs."""
    guess = guess_language(a)
    language = guess if guess in LATIN_LANGUAGES and guess == guess_language(b) else "en"
    ours, theirs = list(_read(a, language)), list(_read(b, language))
    content = {word.key for word in ours if word.has_content} & {word.key for word in theirs if word.has_content}
    decisive = content | {word.key for word in ours + theirs if word.decides}
    if not content or [w.key for w in ours if w.key in decisive] != [w.key for w in theirs if w.key in decisive]:
        return fingerprint_text(a) == fingerprint_text(b)
    return not (_negated(ours, theirs) or _negated(theirs, ours))


def says_more(text: str, known: str) -> bool:
    """Tell whether a text has a word with content, or a negation, that is not in what is known."""
    language = guess_language(text)
    ours, theirs = (_read(one, language if language in LATIN_LANGUAGES else "en") for one in (text, known))
    return not {word.key for word in ours if word.has_content or word.decides} <= {word.key for word in theirs}


def repeats(a: str, b: str) -> bool:
    """Tell whether one text says the other again: the same words in the same order, but for articles and fillers."""
    return wording(a) == wording(b)


def wording(text: str) -> tuple[str, ...]:
    """Give the words of a text in their order, without articles and fillers."""
    fillers = _small_words("fillers")
    return tuple([word for word in _TOKEN.findall(fold(text)) if word not in fillers])


def _read(text: str, language: str) -> Iterator[_ComparedWord]:
    """Give the words of a text, with what each is compared by and whether a difference in it decides."""
    stopped = stop_words(language) | stop_words("ru") | stop_words("uk")
    negations, decisive = _small_words("negations"), _small_words("decisive")
    for token in _TOKEN.findall(text.replace("\u2019", "'")):
        spelled = fold(token).removesuffix("'s")
        if spelled in negations or spelled.endswith("n't"):
            yield _ComparedWord(spelled, _NEGATION, decides=True, has_content=False)
        elif spelled in stopped:
            yield _ComparedWord(spelled, spelled, decides=spelled in decisive, has_content=False)
        elif _IDENTIFIER.search(spelled):
            yield _ComparedWord(spelled, spelled, decides=True, has_content=True)
        else:
            decides = spelled in decisive or token != token.lower() or spelled[0] > _LAST_KNOWN_SCRIPT
            yield _ComparedWord(spelled, stem(spelled, language), decides=decides, has_content=True)


@cache
def _small_words(section: str) -> frozenset[str]:
    return read_words("language", section, *languages_in("latin", "cyrillic"))


def _negated(ours: list[_ComparedWord], theirs: list[_ComparedWord]) -> bool:
    """Tell whether one text has a word that the other has with a negative prefix: má and nemá, happy and unhappy."""
    plain = {word.spelled for word in theirs} | {word.key for word in theirs}
    return any(
        form.startswith(prefix) and form.removeprefix(prefix) in plain
        for word in ours
        for form in (word.spelled, word.key)
        if form not in plain
        for prefix in _small_words("negative prefixes")
    )
