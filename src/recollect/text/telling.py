# ruff: noqa: RUF001 -- signs of other scripts are meant
"""Which messages tell something: neither only a question nor only an acknowledgement.

The invariant: in doubt a message tells something. A sentence with a question mark may say where its question comes
from: "I moved to Brno, what should I see?" tells where. Without a mark, only what begins with a question word asks.
"""

import re
from collections.abc import Iterator
from functools import cache

from recollect.text.clean import fold
from recollect.text.language import function_words, guess_language
from recollect.text.questions import speaks_of_oneself, words_beside_chatter
from recollect.text.summary.sentences import split_sentences
from recollect.text.tables import COMMON, LANGUAGES, TAUGHT, read_lines, read_words

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_ASKS = re.compile(r"[?？؟][\W_]*\Z")
_ENDS = re.compile(r"[.!。！][\W_]*\Z")
_CLAUSE = re.compile(r"[,;:\u2013\u2014]\s|\s-+\s")
_SAYS = re.compile(r"[\d\"“”„«»‘]|\B'\w")  # a number or a quotation tells something
_LONGEST_IDLE = 80  # characters
_MANY = 4_000  # characters; so long a message is no bare question
_SHORTEST_CLAUSE = 3  # words that may tell something before a question
_LONGEST_BARE = 14  # words of a question without a mark


def says_nothing(text: str) -> bool:
    """Tell whether a text is nothing but a greeting, thanks, assent or an acknowledgement: "Noted, thank you."."""
    if len(text) > _LONGEST_IDLE or _SAYS.search(text):
        return False
    known, beginnings = _polite_words()
    if not all(word in known or word.startswith(beginnings) for word in _words(text)):
        return False  # most texts, and sooner told
    return _idle_words().issuperset(words_beside_chatter(text))


def says_yes_or_no(text: str) -> bool:
    """Tell whether a text assents or denies, as an answer may."""
    return not _yes_and_no().isdisjoint(_words(text))


def only_asks(text: str) -> bool:
    """Tell whether a text asks and tells nothing: what is no question in it is politeness."""
    if len(text) > _MANY or not (ends_as_question(text) or len(text.split()) <= _LONGEST_BARE):
        return False
    said = [sentence for sentence in _sentences(text) if not says_nothing(sentence)]
    return bool(said) and all(map(_is_bare_question, said))


def ends_as_question(text: str) -> bool:
    """Tell whether a text ends with a question mark."""
    return bool(_ASKS.search(text))


def telling_part(text: str, *, questions: bool) -> str:
    """Leave out the sentences that say nothing, and unless `questions` are wanted, those that only ask."""
    kept = [
        [one for one in split_sentences(line) if not says_nothing(one) and (questions or not _is_bare_question(one))]
        for line in text.splitlines()
    ]
    return "\n".join(" ".join(sentences) for sentences in kept if sentences) or text


def _sentences(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield from split_sentences(line)


def _is_bare_question(sentence: str) -> bool:
    words = _words(sentence)
    if not _ASKS.search(sentence):
        return _begins_as_question(words) and not _ENDS.search(sentence) and not _CLAUSE.search(sentence)
    language = guess_language(sentence)
    clauses = [_words(clause) for clause in _CLAUSE.split(sentence)]
    return not any(_tells(clause, language) for clause in clauses[:-1]) and not _tells_at_once(words, language)


def _begins_as_question(words: list[str]) -> bool:
    """Tell whether words without a mark begin as only a question does: not "what I need", nor "when I was"."""
    if not 1 < len(words) <= _LONGEST_BARE:
        return False
    return words[0] in _question_words() and words[1] not in read_words("languages", "after no question word", COMMON)


def _tells(clause: list[str], language: str | None) -> bool:
    """Tell whether what stands before a question tells something, as far as the words of the language are known."""
    if len(clause) < _SHORTEST_CLAUSE or not _asking().isdisjoint(clause[:_SHORTEST_CLAUSE]):
        return False
    return language not in LANGUAGES or speaks_of_oneself(" ".join(clause), language)


def _tells_at_once(words: list[str], language: str | None) -> bool:
    """Tell whether a question begins with a statement about the user: "I moved to Brno so what should I see"."""
    if language not in LANGUAGES or not words or not speaks_of_oneself(words[0], language):
        return False
    return not _asking().isdisjoint(words[_SHORTEST_CLAUSE:])


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text).replace("\u2019", "'"))


@cache
def _asking() -> frozenset[str]:
    return read_words("query", "asking", *LANGUAGES)


@cache
def _question_words() -> frozenset[str]:
    """Give the words that a question begins with and a statement seldom does."""
    return (_asking() | read_words("languages", "question words", COMMON)) - read_words(
        "languages", "also conjunctions", COMMON
    )


@cache
def _idle_words() -> frozenset[str]:
    known = read_words("languages", "acknowledgements", COMMON) | read_words("languages", "greetings", COMMON)
    return known | _yes_and_no() | function_words()


@cache
def _polite_words() -> tuple[frozenset[str], tuple[str, ...]]:
    """Give the words that may stand in a text that says nothing, and the beginnings of others."""
    phrases = " ".join(read_lines("summary", "chatter")).split()
    beginnings = tuple(sorted({word.rstrip("*") for word in phrases if word.endswith("*")}))
    return _idle_words() | {word for phrase in phrases for word in _words(phrase)}, beginnings


@cache
def _yes_and_no() -> frozenset[str]:
    return read_words("replies", "yes", *TAUGHT) | read_words("replies", "no", *TAUGHT)
