"""Cuts a text by what kind of text it is, and names what a piece is known and found by.

The invariant: equal headings and contents give equal hashes and terms, in whatever file and place they stand.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final

from recollect.model.files import CutText, IndexedTextPiece, TextPiece
from recollect.model.literals import FileKind
from recollect.text.chunks.assembly import assemble, plain_title
from recollect.text.chunks.csv_tables import columns, look_at_table
from recollect.text.chunks.front_matter import NO_FRONT_MATTER, FrontMatter, read_front_matter
from recollect.text.chunks.layout import Heading, Sizes, SourceLines, lines_of, sizes
from recollect.text.chunks.programs import look_at_program
from recollect.text.chunks.prose import look_at_prose
from recollect.text.terms import index_terms

TOKENS: Final = 400
OVERLAP: Final = 80


def cut(text: str, kind: FileKind, *, tokens: int = TOKENS, overlap: int = OVERLAP) -> CutText:
    """Cut a text into pieces of about so many tokens, each repeating about so many of the one before it."""
    lines = lines_of(text)
    if kind == "csv":
        return _cut_table(lines, tokens)
    if kind == "code":
        return CutText(assemble(lines, look_at_program(lines), sizes(tokens, overlap), by_indent=True), {})
    front = read_front_matter(lines) if kind in ("markdown", "text") else NO_FRONT_MATTER
    return _cut_prose(lines, front, sizes(tokens, overlap))


def _cut_table(lines: SourceLines, tokens: int) -> CutText:
    bounds = sizes(tokens, 0)
    heading = columns(lines)
    pieces = assemble(lines, look_at_table(lines, bounds.most), bounds)
    return CutText(tuple(piece._replace(heading=heading) for piece in pieces), {})


def _cut_prose(lines: SourceLines, front: FrontMatter, bounds: Sizes) -> CutText:
    layout = look_at_prose(lines, bounds.most, front.lines)
    return CutText(assemble(lines, layout, bounds), _metadata(front, layout.headings), front.dated_at)


def _metadata(front: FrontMatter, headings: Sequence[Heading]) -> Mapping[str, Any]:
    metadata = dict(front.values)
    if front.broken:
        metadata["front_matter_error"] = True
    title = metadata.get("title")
    if not isinstance(title, str) or not title.strip():
        first = next((heading.title for heading in headings if heading.depth == 1), "")
        title = plain_title(first)
        if title:
            metadata["title"] = title
    return metadata


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
