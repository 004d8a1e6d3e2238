"""The topic of a question about all that is known: the garage, in "What do I know about the garage?"."""

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Final

from recollect.text.clean import fold
from recollect.text.language import unaccented
from recollect.text.tables import TAUGHT, read_lines

_EDGES: Final = "?!.,:;…\"'«»„“”\u2018\u2019¿¡()"


def topic_of(text: str) -> str:
    """Give what a question asks about, without the words that ask; a text that asks nothing else stays as it is."""
    words = [word for word in (one.strip(_EDGES) for one in text.split()) if word]
    folded = [unaccented(fold(word)) for word in words]
    for before, after in _frames():
        start, end = len(before), len(words) - len(after)
        if start < end and _is(folded[:start], before) and _is(folded[end:], after):
            return " ".join(words[start:end])
    return text


def _is(words: Sequence[str], frame: Sequence[str]) -> bool:
    return all(word == known for word, known in zip(words, frame, strict=True))


@cache
def _frames() -> Sequence[tuple[Sequence[str], Sequence[str]]]:
    """Give the words before and after a topic, the longest first; `a|b` is one word or another."""
    frames: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
    for line in read_lines("language", "asking about", *TAUGHT):
        before, _, after = (unaccented(fold(part)).split() for part in line.partition("…"))
        choices = product(*(word.split("|") for word in (*before, *after)))
        frames.update((chosen[: len(before)], chosen[len(before) :]) for chosen in choices)
    return sorted(frames, key=lambda frame: (-len(frame[0]) - len(frame[1]), frame))
