"""A word that only one text holds must bring that text, however many other texts hold the rest of the question."""

from collections import Counter
from collections.abc import Callable

import numpy as np

from recollect.engine.search.channels import highest
from recollect.model.memories import TextCandidate, TextCandidates
from recollect.ranking import bm25, fusion
from recollect.text.terms import index_terms, query_terms, query_words
from tests.rows import every

_PLACES = ("harbour", "station", "market", "bridge", "mill")
_THINGS = ("rope", "paint", "tiles", "lamps", "wire", "glass", "cement", "pipes", "nails", "wood", "sand", "stone")
_ASKED = range(0, 400, 5)


def _code(number: int) -> str:
    return f"mark{number}x"


def _word(number: int) -> str:
    return f"mark{''.join('abcdefghij'[int(digit)] for digit in str(number))}x"


def _texts(sign: Callable[[int], str]) -> list[str]:
    return [
        f"The crate with sign {sign(n)} is near the {_PLACES[n % 5]}, it holds {', '.join(_THINGS[n % 7 : n % 7 + 6])}"
        for n in range(400)
    ]


def _bags_of_words(texts: list[str]) -> np.ndarray:
    """Vectors that know of a text only its words, each a random direction."""
    random = np.random.default_rng(7)
    directions: dict[str, np.ndarray] = {}
    sums = [
        sum(directions.setdefault(term, random.standard_normal(16)) for term in sorted(set(index_terms(text))))
        for text in texts
    ]
    return np.array([total / np.linalg.norm(total) for total in sums])


@every(("sign", "among_first"), [(_word, 10), (_code, 1)])
def test_a_rare_word_is_found_beside_a_place_that_many_texts_name(sign: Callable[[int], str], among_first: int) -> None:
    texts = _texts(sign)
    questions = [f"Which crate is {sign(n)} near the {_PLACES[n % 5]}" for n in _ASKED]
    vectors = _bags_of_words(texts + questions)
    cosines = vectors[len(texts) :] @ vectors[: len(texts)].T
    rows = [TextCandidate(str(n), index_terms(text)) for n, text in enumerate(texts)]
    frequencies = Counter(term for row in rows for term in set(row.terms))
    missed, missed_by_vectors = [], 0
    for n, question, near in zip(_ASKED, questions, cosines, strict=True):
        words = query_words(question)
        held = {term: frequencies[term] for term in query_terms(words)}
        scores = bm25.score(TextCandidates(rows, held, len(rows)), words)
        meant = {str(row): float(cosine) for row, cosine in enumerate(near)}
        if str(n) not in highest(fusion.fuse(meant, scores).relevance, among_first):
            missed.append(question)
        missed_by_vectors += str(n) not in highest(meant, 10)
    assert missed == []
    assert missed_by_vectors > len(_ASKED) / 4  # else this would prove nothing about words
