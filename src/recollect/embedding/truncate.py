"""Making texts fit: into what a model takes, and into requests that a provider takes.

A tokenizer takes its time, so it is asked only when it must be: a token has at least one byte, so a text of few bytes
certainly fits. A request that only may be too large is not worth counting; its size says enough.
"""

from collections.abc import Callable, Iterator, Sequence
from math import inf
from typing import Final

_MOST_LETTERS_PER_TOKEN: Final = 16  # more than any language has on average
_MARGIN: Final = 0.97
_BYTES_PER_TOKEN: Final = 1.7  # of the densest there is, such as long hashes


def fitted(text: str, longest_tokens: int | None, count: Callable[[str], int]) -> str:
    """Cut a text to what a model takes, at a character."""
    if longest_tokens is None or _size(text) <= longest_tokens:
        return text
    text = text[: longest_tokens * _MOST_LETTERS_PER_TOKEN]
    while (tokens := count(text)) > longest_tokens:
        text = text[: int(len(text) * longest_tokens / tokens * _MARGIN)]
    return text


def requests(texts: Sequence[str], most_texts: int, most_tokens: int | None) -> Iterator[Sequence[str]]:
    """Split texts into requests, in order."""
    most_bytes = inf if most_tokens is None else most_tokens * _BYTES_PER_TOKEN
    start, size = 0, 0
    for end, text in enumerate(texts):
        size += _size(text)
        if end > start and (end - start == most_texts or size > most_bytes):
            yield texts[start:end]
            start, size = end, _size(text)
    if texts:
        yield texts[start:]


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
