# ruff: noqa: RUF001  # marks of other scripts are the point here
"""What is said already: sentences that stand in an earlier text, and questions that only ask again.

The invariant: in doubt a sentence is new. Showing it twice costs a line; leaving it out may lose a fact.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from recollect.text.clean import fingerprint_text
from recollect.text.language import function_words
from recollect.text.near_duplicates import same_statement
from recollect.text.query import holds, normal
from recollect.text.summary.sentences import split_sentences
from recollect.text.terms import index_terms, query_terms, query_words

_MARKS = ".,;:!?…\"'()-–—•*«»„“” "
_NO_WORD = re.compile(r"[\W_]+")
_ASKS = re.compile(r"[?？][\W_]*\Z")
_LONGEST_COMPARED = 300  # characters of a question
_ALIKE = 0.8  # share of the letters that two questions have in common
_SAME = 0.95
_NEAR = 0.9  # cosine of two questions


class _Sentence(NamedTuple):
    text: str
    bare: str
    terms: frozenset[str]


def unsaid(texts: Sequence[str]) -> list[str]:
    """Give each text without the sentences that an earlier one says; an empty text when nothing is left of it."""
    said: list[_Sentence] = []
    seen: set[str] = set()
    left = []
    for text in texts:
        rest, cut = text, False
        sentences = list(_sentences(text))
        for sentence in sentences:
            if fingerprint_text(sentence.text) in seen or _is_said(sentence, said):
                rest, cut = rest.replace(sentence.text, "", 1), True
        said += sentences
        seen |= {fingerprint_text(sentence.text) for sentence in sentences}
        left.append(rest.strip() if any(map(str.isalnum, rest)) or not cut else "")
    return left


def asks_again(question: str, text: str, similarity: float | None) -> bool:
    """Tell whether a text is the question itself, or nearly: asked earlier, it is no answer."""
    asked, again = (_NO_WORD.sub(" ", normal(one)[:_LONGEST_COMPARED]).strip() for one in (question, text))
    alike = SequenceMatcher(None, asked, again, autojunk=False).ratio()
    if not _ASKS.search(text):
        return alike >= _SAME
    if len(list(_sentences(text))) > 1:  # it may state something besides
        return alike >= _ALIKE
    same_words = set(query_terms(query_words(question))) == set(query_terms(query_words(text)))
    return same_words or alike >= _ALIKE or (similarity or 0.0) >= _NEAR


def _sentences(text: str) -> Iterator[_Sentence]:
    for line in text.splitlines():
        for sentence in split_sentences(line):
            bare = normal(sentence).strip(_MARKS)
            if any(map(str.isalnum, bare)):
                yield _Sentence(sentence, bare, frozenset(index_terms(sentence)))


def _is_said(sentence: _Sentence, said: Sequence[_Sentence]) -> bool:
    rest = sentence.bare
    telling = query_words(sentence.text)
    for earlier in said:
        if holds(earlier.bare, sentence.bare):
            return True
        covered = telling and all(not earlier.terms.isdisjoint(forms) for forms in telling)
        if covered and same_statement(sentence.text, earlier.text):
            return True
        if holds(rest, earlier.bare):
            rest = rest.replace(earlier.bare, " ")
    return rest != sentence.bare and all(word.strip(_MARKS) in function_words() for word in rest.split())
