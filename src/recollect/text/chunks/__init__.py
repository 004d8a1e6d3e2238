"""What a piece of a text is known and found by, and what is masked in it before it is cut.

The invariant: equal headings and contents give equal hashes and terms, in whatever file and place they stand.
"""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

from recollect.model.files import CutText, IndexedTextPiece, TextPiece
from recollect.text.chunks.masking import mask
from recollect.text.terms import index_terms

RECIPE: Final = 2  # of what cuts texts, in recollect-files: raised whenever it may give other pieces

__all__ = ["RECIPE", "chunk_terms", "index", "mask"]


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
