"""What a piece is known and found by.

The invariant: equal headings and contents give equal hashes and terms, in whatever file and place they stand.
"""

from collections.abc import Iterable
from hashlib import blake2b

from recollect.model.files import CutText, IndexedTextPiece, TextPiece
from recollect.text.terms import index_terms


def index(pieces: CutText | Iterable[TextPiece]) -> tuple[IndexedTextPiece, ...]:
    """Give pieces with their hashes and terms."""
    wanted = pieces.pieces if isinstance(pieces, CutText) else pieces
    return tuple(
        IndexedTextPiece(
            piece, _hash(piece.heading, piece.content), " ".join(chunk_terms(piece.heading, piece.content))
        )
        for piece in wanted
    )


def chunk_terms(heading: str, content: str) -> tuple[str, ...]:
    """Give the terms of a piece, those of its heading first."""
    return index_terms(f"{heading}\n{content}" if heading else content)


def _hash(heading: str, content: str) -> str:
    return blake2b(f"{heading}\0{content}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
