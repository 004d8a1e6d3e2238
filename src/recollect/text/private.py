"""Text that a user marks as private is never kept: `<private>…</private>` is cut out before anything else sees it.

The invariant: nothing between an opening tag and its end survives, nor does a tag; a tag without an end hides the rest.
"""

import re
from collections.abc import Iterator, Sequence

import re2

_TAG = re2.compile(r"(?i)<\s*(/?)\s*private(?:\s[^<>]*)?(/?)>")
HINT = re.compile("private", re.IGNORECASE)
_CLOSING_SIGNS = (",", ".", ";", ":", "!", "?", ")")


def without_private(text: str) -> str:
    """Give the text without its private parts, nested ones included, and without stray tags."""
    if "<" not in text or not HINT.search(text):
        return text
    data = text.encode("utf-8", "surrogatepass")
    spans = list(private_spans(data))
    starts, ends = [start for start, _ in spans], [end for _, end in spans]
    pieces = [data[end:start] for end, start in zip([0, *ends], [*starts, len(data)], strict=True)]
    return join_tidily([piece.decode("utf-8", "surrogatepass") for piece in pieces]) if spans else text


def private_spans(data: bytes) -> Iterator[tuple[int, int]]:
    """Give the private parts with their tags, and tags that stand alone."""
    depth = start = 0
    for tag in _TAG.finditer(data):
        if not depth:
            start = tag.start()
        if tag[1]:
            depth = max(0, depth - 1)
        elif not tag[2]:
            depth += 1
        if not depth:
            yield start, tag.end()
    if depth:
        yield start, len(data)


def join_tidily(pieces: Sequence[str]) -> str:
    """Join what is left around cuts: one blank where there were two, none at the ends or before a comma."""
    joined: list[str] = []
    blank = ""
    for number, piece in enumerate(pieces):
        core = piece.strip()
        if not core:
            blank = _wider(blank, piece)
            continue
        before = piece[: len(piece) - len(piece.lstrip())]
        if number:
            before = _wider(blank, before) if joined else ""
        if core.startswith(_CLOSING_SIGNS) and not before.count("\n") and number:
            before = ""
        joined += (before, core)
        blank = piece[len(piece.rstrip()) :]
    return "".join(joined)


def _wider(one: str, other: str) -> str:
    """Give the blank that stands for two blanks between which nothing is left."""
    if not one or not other:
        return one or other
    return "\n" * max(one.count("\n"), other.count("\n")) or " "
