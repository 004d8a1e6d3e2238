"""Cuts a text by what kind of text it is."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from recollect.model.files import CutText
from recollect.model.literals import FileKind
from recollect_files.chunks.assembly import assemble, plain_title
from recollect_files.chunks.csv_tables import columns, look_at_table
from recollect_files.chunks.front_matter import NO_FRONT_MATTER, FrontMatter, read_front_matter
from recollect_files.chunks.layout import Heading, Sizes, SourceLines, lines_of, sizes
from recollect_files.chunks.programs import look_at_program
from recollect_files.chunks.prose import look_at_prose

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
