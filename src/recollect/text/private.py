"""What somebody marks as private is never kept: `<private>…</private>` is cut out before anything else sees the text.

The invariant: nothing between an opening tag and its end survives, nor does a tag; a tag without an end hides the rest.
"""

import re
from collections.abc import Sequence

import re2

TAG = re2.compile(r"(?i)<\s*(/?)\s*private(?:\s[^<>]*)?(/?)>")
HINT = re.compile("private", re.IGNORECASE)
_CLOSING_SIGNS = (",", ".", ";", ":", "!", "?", ")")


def without_private(text: str) -> str:
    """Give the text without its private parts, nested ones included, and without stray tags."""
    if "<" not in text or not HINT.search(text):
        return text
    data = text.encode("utf-8", "surrogatepass")
    pieces, depth, end = [], 0, 0
    for tag in TAG.finditer(data):
        if not depth:
            pieces.append(data[end : tag.start()])
        if tag[1]:
            depth = max(0, depth - 1)
        elif not tag[2]:
            depth += 1
        end = tag.end()
    if not end:
        return text
    if not depth:
        pieces.append(data[end:])
    return join_tidily([piece.decode("utf-8", "surrogatepass") for piece in pieces])


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
