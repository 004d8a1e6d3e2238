"""The one analyser: what a text is indexed under and what a question looks for, the same for every store.

The invariant: whatever language either side is taken for, a word that carries meaning shares a term with its exact
repetition. In Latin script a word is indexed under its English stem, and besides under the stem of the language its
text seems to be in; a question looks for the same forms. So a wrong guess costs some grammatical forms, never a name.

Terms hold letters, digits, marks and `._-@#/:+`, so a store can write them with a blank between and split them again.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, islice
from typing import ClassVar, TypeAlias, TypeVar

from recollect.text.clean import MAX_CHARACTERS, compose, fold
from recollect.text.language import LATIN_LANGUAGES, is_latin, likeliest_latin, stem, stop_words

ANALYSER = 3  # raise it whenever a text may get other terms or another form; `maintain` then brings stores up to it
MAX_TERMS = 40_000
MAX_TERM_CHARACTERS = 64

Forms: TypeAlias = tuple[str, ...]  # any of these terms stands for the same word

T = TypeVar("T")

_DEFAULT = "en"

_TELLING_CHUNKS = 200  # as many show the language
_CACHED_TERMS = 300_000  # in all caches together: some 50 MB
_LONGEST_CACHED = 40

_JOINERS = "._@#/:+-"
_LETTERS = frozenset("LMN")  # the first letter of a Unicode category: letters, marks, numbers

# Two coarse sieves that make chunks small and frequent enough for a cache. What slips through is caught in `_pieces`.
_ASCII = bytes(ord(c.lower()) if c.isalnum() or c in f"{_JOINERS}'" else 0x20 for c in map(chr, range(128))).ljust(256)
_ASCII_SIGNS = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) in _JOINERS)}
_PUNCTUATION = re.compile(r"""[!"$%&()*,;<=>?\[\\\]^`{|}~«»¡¿\u2010-\u2027\u2030-\u206f\u3000-\u3004\u3008-\u3020]+""")
_SPELLINGS = (("\u2019", "'"), ("\u02bc", "'"), ("\u00ad", ""))  # two more apostrophes, the soft hyphen

_ELISION = re.compile(r"'s(?!\w)|'")  # Anna's, l'eau, don't
_CYRILLIC_APOSTROPHE = re.compile(r"(?<=[\u0400-\u04ff])'(?=[\u0400-\u04ff])")  # сім'я is one word
_PIECE = re.compile(rf"[#@]?[^\s{_JOINERS}]+(?:[{_JOINERS}][^\s{_JOINERS}]+)*(?:\+\+?|#)?")
_PART = re.compile(rf"[^{_JOINERS}]+")

# Scripts without blanks between words: Chinese characters and Korean syllables, any of which can be a word; the two
# Japanese syllabaries, apart because words tend to begin where the script changes; Thai, Lao, Burmese, Khmer.
_SYLLABLES = r"\u3005-\u3007\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af"
_HIRAGANA = r"\u3040-\u309f"
_KATAKANA = r"\u30a0-\u30ff\u31f0-\u31ff"
_SOUTHERN = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_UNSPACED = f"[{_SYLLABLES}]+|[{_HIRAGANA}]+|[{_KATAKANA}]+|[{_SOUTHERN}]+"
_RUN = re.compile(f"({_UNSPACED})|[^{_SYLLABLES}{_HIRAGANA}{_KATAKANA}{_SOUTHERN}]+")
_SYLLABLE_RUN = re.compile(f"[{_SYLLABLES}]{{2,}}")


def index_terms(text: str) -> tuple[str, ...]:
    """Give the terms a text is found by, in order and with repeats; function words only if it has nothing else."""
    chunks, language = _split(text)
    terms = tuple(chain.from_iterable(map(_INDEXED[language].__getitem__, chunks)))
    if len(terms) > MAX_TERMS:
        return terms[:MAX_TERMS]
    return terms or tuple(islice(chain.from_iterable(_bare_words(chunks, language)), MAX_TERMS))


def query_words(text: str) -> tuple[Forms, ...]:
    """Give the words of a question, each as the terms it may be indexed under. Function words count only if alone."""
    chunks, language = _split(text)
    words = islice(chain.from_iterable(map(_ASKED[language].__getitem__, chunks)), MAX_TERMS)
    return tuple(dict.fromkeys(words)) or tuple(dict.fromkeys(islice(_bare_words(chunks, language), MAX_TERMS)))


def query_terms(words: Iterable[Forms]) -> tuple[str, ...]:
    """Give the terms of a question's words, each once: a store looks for rows that hold any of them."""
    return tuple(dict.fromkeys(chain.from_iterable(words)))


def count_held(words: Iterable[Forms], text: str) -> int:
    """Count the words of a question that a text holds in one of their forms."""
    terms = frozenset(index_terms(text))
    return sum(not terms.isdisjoint(forms) for forms in words)


def telling_words(text: str) -> tuple[frozenset[str], ...]:
    """Give the words of a text that carry meaning, each once, under its stems in every language.

    A function word counts only if there is no other word.
    """
    chunks, language = _split(text)
    stopped = stop_words(language) | _cyrillic_stop_words()
    words = tuple(dict.fromkeys(_in_every_language(part for part in _parts(chunks) if part not in stopped)))
    return words or tuple(dict.fromkeys(_in_every_language(_parts(chunks))))


def every_form(text: str) -> frozenset[str]:
    """Give the stems of all words of a text in every language, those of function words too."""
    return frozenset(chain.from_iterable(_in_every_language(_parts(_split(text)[0]))))


def _parts(chunks: Iterable[str]) -> Iterator[str]:
    """Give the words of chunks; an identifier comes in parts."""
    return chain.from_iterable(map(_PART.findall, chain.from_iterable(map(_pieces, chunks))))


def _in_every_language(parts: Iterable[str]) -> Iterator[frozenset[str]]:
    for part in parts:
        for forms in zip(*(_forms(part, language) for language in LATIN_LANGUAGES), strict=True):
            yield frozenset(chain.from_iterable(forms))


def _split(text: str) -> tuple[list[str], str]:
    """Cut a text at blanks and plain punctuation, and say by which language's rules to stem what is in Latin script."""
    text = text[:MAX_CHARACTERS]
    if text.isascii():
        chunks = text.encode().translate(_ASCII).decode().split()
    else:
        plain = fold(compose(text, "NFKC")[:MAX_CHARACTERS])  # one character can become eighteen
        for spelling, usual in _SPELLINGS:
            plain = plain.replace(spelling, usual)
        chunks = _PUNCTUATION.sub(" ", plain).split()
    language = likeliest_latin(chunks[:_TELLING_CHUNKS])
    return chunks, language if language in _ASKED else _DEFAULT


class _Cache(dict[str, tuple[T, ...]]):
    """What every chunk seen so far was analysed to, in texts of one language.

    All caches have one bound, counted in terms, or many languages and long identifiers would add up to gigabytes.
    """

    held: ClassVar[int] = 0

    def __init__(self, language: str, analyse: Callable[[str, str], Iterator[T]]) -> None:
        super().__init__()
        self._language = language
        self._analyse = analyse

    def __missing__(self, chunk: str) -> tuple[T, ...]:
        found = tuple(islice(self._analyse(chunk, self._language), MAX_TERMS))
        if len(chunk) <= _LONGEST_CACHED:
            if _Cache.held >= _CACHED_TERMS:
                for language in LATIN_LANGUAGES:
                    _INDEXED[language].clear()
                    _ASKED[language].clear()
                _Cache.held = 0
            self[chunk] = found
            _Cache.held += 1 + len(found)
        return found


def _asked(chunk: str, language: str) -> Iterator[Forms]:
    """Give the words of a chunk: identifiers whole and in parts, nothing for a function word."""
    stopped = stop_words(language)
    if chunk in stopped:
        return
    for piece in _pieces(chunk):
        parts = _PART.findall(piece)
        if parts != [piece]:
            yield (_cut(piece),)
        for part in parts:
            if part not in stopped and (part.isascii() or part not in _cyrillic_stop_words()):
                yield from _forms(part, language)


@cache
def _cyrillic_stop_words() -> frozenset[str]:
    return stop_words("ru") | stop_words("uk")


def _indexed(chunk: str, language: str) -> Iterator[str]:
    yield from chain.from_iterable(_asked(chunk, language))
    if not chunk.isascii():
        # A question may be one syllable long, so a text that stands under pairs must stand under their halves too.
        yield from chain.from_iterable(_SYLLABLE_RUN.findall(" ".join(_pieces(chunk))))


def _bare_words(chunks: Sequence[str], language: str) -> Iterator[Forms]:
    for part in _parts(chunks):
        yield from _forms(part, language)


def _pieces(chunk: str) -> list[str]:
    """Give the words and identifiers of a chunk, exactly: letters, marks and digits, single joiners between them."""
    if "'" in chunk:
        chunk = _ELISION.sub(" ", _CYRILLIC_APOSTROPHE.sub("", chunk))
    if chunk.isascii():
        chunk = chunk.translate(_ASCII_SIGNS)
    elif not chunk.isalnum():
        chunk = "".join(c if c in _JOINERS or unicodedata.category(c)[0] in _LETTERS else " " for c in chunk)
    return _PIECE.findall(chunk)


def _forms(part: str, language: str) -> Iterator[Forms]:
    """Give the words of a part, each with the terms that stand for it."""
    if part.isascii():
        yield _word_forms(part, language)
        return
    for run in _RUN.finditer(part):
        word = run[0]
        if run[1]:
            yield from ((word[i : i + 2],) for i in range(max(1, len(word) - 1)))
        else:
            yield _word_forms(word, language)


def _word_forms(word: str, language: str) -> Forms:
    if language != _DEFAULT and is_latin(word):
        return tuple(dict.fromkeys((_cut(stem(word, language)), _cut(stem(word, _DEFAULT)))))
    return (_cut(stem(word, _DEFAULT)),)


def _cut(term: str) -> str:
    return term[:MAX_TERM_CHARACTERS]


_INDEXED = {language: _Cache(language, _indexed) for language in LATIN_LANGUAGES}
_ASKED = {language: _Cache(language, _asked) for language in LATIN_LANGUAGES}
