# ruff: noqa: RUF001  # marks of other scripts are the point here
"""Whether texts say the same, which sentences of a text say something, and which texts say nothing.

The invariant: in doubt a sentence is new, and two texts differ. Keeping or showing both costs a row or a line; leaving
one out may lose a fact. Encoders hardly see what decides here: numbers, names, negation, opposites, and who did it to
whom. Words are compared by their stems: a sentence says something when it has all the words that carry its meaning, in
any order and grammatical form.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from hashlib import blake2b
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from recollect.model.readings import TextSpan
from recollect.text.clean import fingerprint_text, fold
from recollect.text.language import LATIN_LANGUAGES, function_words, guess_language, languages_in, stem, stop_words
from recollect.text.query import holds, normal
from recollect.text.summary.sentences import split_sentences
from recollect.text.tables import read_words
from recollect.text.terms import every_form, index_terms, query_terms, query_words, telling_words

_TOKEN = re.compile(r"[#@+-]?\w+(?:[.@#/:+,'-]\w+)*[%+#]*|[?%€$£¥₽°\u2190-\u2bff\U0001f000-\U0001faff]")
_IDENTIFIER = re.compile(r"[\d_.@#/:+]|^\W")
_LAST_KNOWN_SCRIPT = "\u052f"  # the tables are in Latin and Cyrillic; of other scripts every word must agree
_NEGATION = "not"

_SHORTEST_ROOT = 3
_LONGEST_ENDING = 3
_FILLING = " \t,;:-\u2013\u2014"

_MARKS = ".,;:!?…\"'()-–—•*«»„“” "
_NO_WORD = re.compile(r"[\W_]+")
_ASKS = re.compile(r"[?？][\W_]*\Z")
_LONGEST_COMPARED = 300  # characters of a question
_ALIKE = 0.8  # share of the letters that two questions have in common
_SAME = 0.95
_NEAR = 0.9  # cosine of two questions

NoiseRule = Literal["noise", "short", "system"]

SHORT: Final = 10  # characters; an ideograph says as much as three letters
_WIDE: Final = 3
_SYSTEM: Final = re.compile(r"\[system(?:[ _-]\w+)*\]|\A\s*<system[\w-]*>", re.IGNORECASE)
_FEW_LETTERS: Final = 2
_REPEATED: Final = 4


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


@dataclass(frozen=True, slots=True)
class Wording:
    """Words that say something, in one or several ways: each is a set of words, and each word a set of stems."""

    ways: tuple[tuple[frozenset[str], ...], ...]

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Wording":
        """Give the words of some texts that say the same."""
        ways = (telling_words(text) for text in texts)
        return cls(tuple(dict.fromkeys(way for way in ways if way)))

    def is_said_with(self, terms: Collection[str]) -> bool:
        """Tell whether a text with these terms may say it."""
        return any(all(not word.isdisjoint(terms) for word in way) for way in self.ways)

    def is_said_in(self, text: str) -> bool:
        """Tell whether a text has all the words, wherever they stand."""
        return self.is_said_with(every_form(text))


def said_in(text: str, wording: Wording) -> list[TextSpan]:
    """Give the sentences of a text that say something."""
    if not text or not wording.is_said_in(text):
        return []
    found = list(sentences(text))
    saying = [sentence for sentence in found if wording.is_said_in(sentence.of(text))]
    if saying:
        return saying
    pairs = (TextSpan(first.start, second.end) for first, second in pairwise(found))  # as where a line was broken
    return [pair for pair in pairs if wording.is_said_in(pair.of(text))]


def restated_in(text: str, statement: str, value: str, about: Iterable[str] = ()) -> list[TextSpan]:
    """Give the sentences that say a value again, with a word of its statement in any form: "so you live in Brno".

    Words `about` its property will do. An address, a number or a name of several words needs no other word.
    """
    named = normal(value)
    if not named or not holds(normal(text), named):
        return []
    told = _words_beside(normal(statement), named).union(map(normal, about))
    saying = [one for one in sentences(text) if holds(normal(one.of(text)), named)]
    if " " in named or _IDENTIFIER.search(named):
        return saying
    beside = [(one, _words_beside(normal(one.of(text)), named)) for one in saying]
    return [one for one, others in beside if any(_one_root(word, other) for word in told for other in others)]


def _words_beside(text: str, value: str) -> set[str]:
    return {word.strip(_MARKS) for word in text.split()} - set(value.split()) - function_words() - {""}


def _one_root(word: str, other: str) -> bool:
    """Tell whether two words may be forms of one: by how they begin, but for an ending."""
    short = min(len(word), len(other))
    root = max(_SHORTEST_ROOT, max(len(word), len(other)) - _LONGEST_ENDING)
    return short >= root and word[:root] == other[:root]


def sentences(text: str) -> Iterator[TextSpan]:
    """Give the sentences of a text with the blanks around them; lines and semicolons end one, too."""
    from recollect.text.capture.own_words import OwnWords  # noqa: PLC0415 - a search can do without it

    start = 0
    for stop in (*OwnWords.of(text).stops, TextSpan(len(text), len(text))):
        if text[start : stop.end].strip():
            yield TextSpan(start, stop.end)
        start = stop.end


def without(text: str, spans: Iterable[TextSpan], kept: Iterable[TextSpan] = ()) -> str:
    """Cut parts out of a text; of these, what is to be `kept` stays as sentences of its own. Lines stay lines."""
    keeping = sorted(kept)
    pieces: list[str] = []
    start = 0
    for span in joined(spans):
        inside = (part for part in keeping if span.start <= part.start and part.end <= span.end)
        left = (part.of(text).strip(_FILLING).rstrip(".") for part in inside)
        pieces += [text[start : span.start], *(f"{part}. " for part in left if part), "\n" * span.of(text).count("\n")]
        start = span.end
    return "".join((*pieces, text[start:]))


def sentence_marks(text: str) -> dict[str, TextSpan]:
    """Give the fingerprints of a text's sentences, which tell nothing of what they say, and where they stand."""
    return {sentence_mark(sentence.of(text)): sentence for sentence in sentences(text)}


def sentence_mark(sentence: str) -> str:
    """Give the fingerprint of a sentence."""
    words = fingerprint_text(sentence.strip()).encode("utf-8", "surrogatepass")
    return f"sentence:{blake2b(words, digest_size=16).hexdigest()}"


def joined(spans: Iterable[TextSpan]) -> list[TextSpan]:
    """Join parts that overlap."""
    merged: list[TextSpan] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            merged[-1] = TextSpan(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


class _Sentence(NamedTuple):
    text: str
    bare: str
    terms: frozenset[str]


def unsaid(texts: Sequence[str]) -> list[str]:
    """Give each text without the sentences that an earlier one says; an empty text when nothing is left of it."""
    said = _Said()
    seen: set[str] = set()
    left = []
    for text in texts:
        rest, cut = text, False
        sentences = list(_sentences(text))
        for sentence in sentences:
            if fingerprint_text(sentence.text) in seen or said.holds(sentence):
                rest, cut = rest.replace(sentence.text, "", 1), True
        for sentence in sentences:
            said.add(sentence)
        seen |= {fingerprint_text(sentence.text) for sentence in sentences}
        left.append(rest.strip() if any(map(str.isalnum, rest)) or not cut else "")
    return left


def asks_again(question: str, text: str, similarity: float | None) -> bool:
    """Tell whether a text is the question itself, or nearly: asked earlier, it is no answer."""
    asked, again = (_NO_WORD.sub(" ", normal(one)[:_LONGEST_COMPARED]).strip() for one in (question, text))
    if not _ASKS.search(text):
        return _is_alike(asked, again, _SAME)
    if len(list(_sentences(text))) > 1:  # it may state something besides
        return _is_alike(asked, again, _ALIKE)
    if (similarity or 0.0) >= _NEAR or _is_alike(asked, again, _ALIKE):
        return True
    return set(query_terms(query_words(question))) == set(query_terms(query_words(text)))


def _is_alike(text: str, other: str, least: float) -> bool:
    """Tell whether two texts share so many of their letters; bounds spare most pairs the comparison."""
    matcher = SequenceMatcher(None, text, other, autojunk=False)
    return matcher.real_quick_ratio() >= least and matcher.quick_ratio() >= least and matcher.ratio() >= least


def _sentences(text: str) -> Iterator[_Sentence]:
    for line in text.splitlines():
        for sentence in split_sentences(line):
            bare = normal(sentence).strip(_MARKS)
            if any(map(str.isalnum, bare)):
                yield _Sentence(sentence, bare, frozenset(index_terms(sentence)))


class _Said:
    """Sentences that were said, and which of them have a term."""

    def __init__(self) -> None:
        self._sentences: list[_Sentence] = []
        self._with_term: defaultdict[str, set[int]] = defaultdict(set)

    def add(self, sentence: _Sentence) -> None:
        for term in sentence.terms:
            self._with_term[term].add(len(self._sentences))
        self._sentences.append(sentence)

    def holds(self, sentence: _Sentence) -> bool:
        """Tell whether a sentence was said, in these words or in others, or by several together."""
        rest = sentence.bare
        for earlier in self._sentences:
            if sentence.bare in earlier.bare and holds(earlier.bare, sentence.bare):
                return True
            if earlier.bare in rest and holds(rest, earlier.bare):
                rest = rest.replace(earlier.bare, " ")
        if any(same_statement(sentence.text, self._sentences[number].text) for number in self._covering(sentence)):
            return True
        return rest != sentence.bare and all(word.strip(_MARKS) in function_words() for word in rest.split())

    def _covering(self, sentence: _Sentence) -> Iterable[int]:
        """Give the sentences that have every telling word of this one, in some form."""
        telling = query_words(sentence.text)
        having = (set().union(*(self._with_term.get(form, ()) for form in forms)) for forms in telling)
        return set.intersection(*having) if telling else ()


def noise_rule(text: str) -> NoiseRule | None:
    """Give the rule by which a text says nothing; None when it may say something."""
    if _SYSTEM.search(text):
        return "system"
    kept = [character for character in text.casefold() if character.isalnum()]
    letters = {character for character in kept if character.isalpha()}
    if not kept or (len(kept) >= _REPEATED and len(letters) == len({*kept}) <= _FEW_LETTERS):
        return "noise"
    wide = (unicodedata.east_asian_width(character) in "WF" for character in text.strip()[:SHORT])
    return "short" if sum(_WIDE if is_wide else 1 for is_wide in wide) < SHORT else None
