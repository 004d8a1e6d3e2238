"""What a piece of a text is known and found by, and what is masked in it before it is cut: private parts, and secrets.

The invariant: equal headings and contents give equal hashes and terms, in whatever file and place they stand. What
survives masking stands on the line it stood on, and nothing survives that would not survive in a memory.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from operator import attrgetter
from typing import Final, NamedTuple

from recollect.model.files import CutText, IndexedTextPiece, TextPiece
from recollect.text.private import HINT, private_spans
from recollect.text.secrets.redact import MOST_ROUNDS, find_all, hinted, kinds, without_overlaps
from recollect.text.terms import index_terms

_MOST_TEARS: Final = 10  # how often what was cut out may have torn another mark apart before the rest goes as well

RECIPE: Final = 2  # of what cuts texts, in recollect-files: raised whenever it may give other pieces


class _Gone(NamedTuple):
    """What is taken out, in bytes of the original, and what is written instead."""

    start: int
    end: int
    mark: bytes


class _Part(NamedTuple):
    """A part of what is left: where it begins there and in the original, and how much of the original it stands for."""

    at: int
    start: int
    end: int
    is_mark: bool


def mask(text: str, *, redact: bool) -> str:
    """Give the text without private parts and, if wanted, secrets. What goes leaves its line feeds behind."""
    marked = "<" in text and bool(HINT.search(text))
    if not marked and not redact:
        return text
    data = text.encode("utf-8", "surrogatepass")
    gone = _private(data) if marked else []
    if redact:
        gone = _secrets(data, gone)
    pieces: list[bytes] = []
    end = 0
    for hole in gone:
        pieces += (data[end : hole.start], hole.mark, b"\n" * data.count(b"\n", hole.start, hole.end))
        end = hole.end
    return b"".join((*pieces, data[end:])).decode("utf-8", "surrogatepass") if gone else text


def _private(data: bytes) -> list[_Gone]:
    """Find the private parts, those included that come to light when others are cut out."""
    gone: list[_Gone] = []
    for tear in range(_MOST_TEARS + 1):
        left, parts = _left(data, gone)
        spans = list(private_spans(left))
        if not spans:
            break
        if tear == _MOST_TEARS:
            spans = [(spans[0][0], len(left))]
        gone = _joined(gone, [_in_original(parts, start, end, b"") for start, end in spans])
    return gone


def _secrets(data: bytes, gone: list[_Gone]) -> list[_Gone]:
    """Find the secrets in what is left, as often as those found may have hidden others."""
    left, parts = _left(data, gone) if gone else (data, [])
    for _ in range(MOST_ROUNDS):
        finds = without_overlaps(sorted(find_all(left, hints))) if (hints := hinted(left)) else []
        if not finds:
            break
        parts = parts or [_Part(0, 0, len(data), is_mark=False)]
        found = [
            _in_original(parts, find.start, find.end, b"[redacted: %b]" % kinds()[find.kind].name.encode())
            for find in finds
        ]
        gone = _joined(gone, found)
        left, parts = _left(data, gone)
    return gone


def _left(data: bytes, gone: Sequence[_Gone]) -> tuple[bytes, list[_Part]]:
    """Give what is left, with marks, and what it consists of."""
    pieces: list[bytes] = []
    parts: list[_Part] = []
    at = end = 0
    for hole in (*gone, _Gone(len(data), len(data), b"")):
        if hole.start > end:
            pieces.append(data[end : hole.start])
            parts.append(_Part(at, end, hole.start, is_mark=False))
            at += hole.start - end
        if hole.mark:
            pieces.append(hole.mark)
            parts.append(_Part(at, hole.start, hole.end, is_mark=True))
            at += len(hole.mark)
        end = hole.end
    return b"".join(pieces), parts


def _in_original(parts: Sequence[_Part], start: int, end: int, mark: bytes) -> _Gone:
    """Say where a find in what is left lies in the original. One that reaches into a mark takes it whole."""
    first = parts[bisect_right(parts, start, key=attrgetter("at")) - 1]
    last = parts[bisect_right(parts, end - 1, key=attrgetter("at")) - 1]
    return _Gone(
        first.start if first.is_mark else first.start + start - first.at,
        last.end if last.is_mark else last.start + end - last.at,
        mark,
    )


def _joined(gone: Sequence[_Gone], found: Sequence[_Gone]) -> list[_Gone]:
    """Add what was found; what lies inside of it goes with it."""
    joined: list[_Gone] = []
    for hole in sorted((*gone, *found), key=lambda hole: (hole.start, -hole.end)):
        if joined and hole.start < joined[-1].end:
            last = joined[-1]
            joined[-1] = _Gone(last.start, max(last.end, hole.end), last.mark or hole.mark)
        else:
            joined.append(hole)
    return joined


def index(pieces: CutText | Iterable[TextPiece]) -> tuple[IndexedTextPiece, ...]:
    """Give pieces with their hashes and terms."""
    wanted = pieces.pieces if isinstance(pieces, CutText) else pieces
    return tuple(
        IndexedTextPiece(
            piece,
            blake2b(f"{piece.heading}\0{piece.content}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest(),
            " ".join(chunk_terms(piece.heading, piece.content)),
        )
        for piece in wanted
    )


def chunk_terms(heading: str, content: str) -> tuple[str, ...]:
    """Give the terms of a piece, those of its heading first."""
    return index_terms(f"{heading}\n{content}" if heading else content)
