"""Makes of what was found in a document the pieces it is kept and found by.

The invariant: nothing leaves here that was not masked: not the text, nor headings, metadata, notes or the name.
"""

import csv
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any

from recollect.model.files import CUT, CutText, TextPiece
from recollect.model.literals import FileKind
from recollect.ports import ChunkingRecipe, FileReading
from recollect.text.chunks import index, mask
from recollect.text.secrets import redact_values
from recollect_files.chunks import cut, cut_session
from recollect_files.documents.decode_text import decode_plain
from recollect_files.documents.extracted import ExtractedText, known_values, one_line

EXTERNAL: frozenset[FileKind] = frozenset({"email", "html"})
_SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_LONGEST_HEADING = 200
_LONGEST_WAY = 300  # to a piece, through headings
_MOST_OF_A_HEADER = 10_000
_MARKUP = 2  # as long as its words is what a log of a session puts around them, or about so


def read_plain(data: bytes, name: str, detected: tuple[FileKind, str], recipe: ChunkingRecipe) -> FileReading:
    """Read what is text as it is."""
    kind, mime = detected
    text, notes = decode_plain(data)
    cuts, lines, cut_notes = cut_plain(text, kind, recipe)
    pieces = cuts.pieces
    if not pieces:
        lines, pieces = _by_name(name, "", recipe)
    return FileReading(
        kind,
        mime,
        index(pieces),
        lines,
        masked_metadata(cuts.metadata, recipe),
        cuts.dated_at,
        (*notes, *cut_notes),
        external=kind in EXTERNAL,
    )


def cut_plain(text: str, kind: FileKind, recipe: ChunkingRecipe) -> tuple[CutText, int, tuple[str, ...]]:
    """Mask and cut a text within its budget; gives how many lines it has there, and a note if that is not all.

    Of a session the last turns count, which are what is going on; of anything else the beginning.
    """
    masked, skipped = text, 0
    if kind == "session":
        skipped = text.count("\n", 0, max(0, len(text) - _MARKUP * recipe.most_characters))
        clean = partial(mask, redact=recipe.redact)
        cuts = cut_session(text, tokens=recipe.tokens, overlap=recipe.overlap, clean=clean, skipped=skipped)
    else:
        masked = mask(text, redact=recipe.redact)
        text = _beginning(masked, recipe)
        cuts = cut(text, kind, tokens=recipe.tokens, overlap=recipe.overlap)
    kept, notes = _within(cuts.pieces, recipe, left_out=skipped > 0 or len(text) < len(masked), last=kind == "session")
    metadata = {**cuts.metadata, **(_table(text) if kind == "csv" else {})}
    return CutText(kept, metadata, cuts.dated_at), _lines(text, cuts.pieces, kept), notes


def _beginning(text: str, recipe: ChunkingRecipe) -> str:
    """Give as many whole lines as there is room for; of one that is longer than that, a part."""
    most = recipe.most_characters
    return text if len(text) <= most else text[: max(text.rfind("\n", 0, most), 0) or most]


def _within(
    pieces: tuple[TextPiece, ...], recipe: ChunkingRecipe, *, left_out: bool, last: bool = False
) -> tuple[tuple[TextPiece, ...], tuple[str, ...]]:
    """Give the pieces there is room for, and a note if they are not all there are."""
    most = recipe.most_pieces
    kept = pieces[-most:] if last else pieces[:most]
    if len(kept) == len(pieces) and not left_out:
        return kept, ()
    which = f"only the {'last' if last else 'first'} {len(kept):,} pieces are searched"
    return kept, (f"{CUT}: {which} (files.most_pieces is {most:,})",)


def _lines(text: str, pieces: tuple[TextPiece, ...], kept: tuple[TextPiece, ...]) -> int:
    """Say how many lines there are to the end of what is kept."""
    return text.count("\n") + 1 if pieces[-1:] == kept[-1:] else kept[-1].end_line


def read_found(found: ExtractedText, name: str, detected: tuple[FileKind, str], recipe: ChunkingRecipe) -> FileReading:
    """Make a reading of what a child has found."""
    kind, mime = detected
    metadata = masked_metadata(found.metadata, recipe)
    title = str(metadata.get("title", ""))[:_LONGEST_HEADING]
    masked = mask("\n".join(found.parts), redact=recipe.redact)
    text = _beginning(masked, recipe)
    all_pieces = tuple(
        piece if piece.heading else piece._replace(heading=title)
        for piece in islice(_part_by_part(text, found, kind, recipe), recipe.most_pieces + 1)
    )
    left_out = CUT in found.notes or len(text) < len(masked)
    pieces, cut_notes = _within(all_pieces, recipe, left_out=left_out)
    lines = _lines(text, all_pieces, pieces)
    if not pieces:
        lines, pieces = _by_name(name, title, recipe)
    notes = (*(mask(note, redact=recipe.redact) for note in found.notes if note != CUT), *cut_notes)
    return FileReading(
        kind, mime, index(pieces), lines, metadata, _moment(found.dated_at), notes, external=kind in EXTERNAL
    )


def _part_by_part(text: str, found: ExtractedText, kind: FileKind, recipe: ChunkingRecipe) -> Iterator[TextPiece]:
    """Cut each part by itself. Masking has moved no line, so a part has as many as before."""
    lines = text.split("\n")
    first = 0
    for number, part in enumerate(found.parts):
        last = first + part.count("\n") + 1
        if first >= len(lines):
            return
        cuts: CutText = cut("\n".join(lines[first:last]), kind, tokens=recipe.tokens, overlap=recipe.overlap)
        of_part = mask(found.headings[number], redact=recipe.redact) if number < len(found.headings) else ""
        for piece in cuts.pieces:
            way = f"page {number + 1}" if kind == "pdf" else " > ".join(filter(None, (of_part, piece.heading)))
            yield piece._replace(
                heading=way[:_LONGEST_WAY], start_line=piece.start_line + first, end_line=piece.end_line + first
            )
        first = last


def _by_name(name: str, title: str, recipe: ChunkingRecipe) -> tuple[int, tuple[TextPiece, ...]]:
    """Give what a document without words is found by: its name, and its title if it has one."""
    shown = mask(one_line(name), redact=recipe.redact)
    told = [line for line in dict.fromkeys((shown, title)) if line.strip()]
    return max(1, len(told)), (TextPiece("\n".join(told), "", 1, len(told)),) if told else ()


def _table(text: str) -> dict[str, Any]:
    """Say how a table is separated, and what its columns are called."""
    header = next((line for line in text.split("\n", 10) if line.strip()), "")[:_MOST_OF_A_HEADER]
    separator = max(_SEPARATORS, key=header.count)
    if separator not in header:
        return {}
    try:
        names = next(csv.reader([header], delimiter=separator), [])
    except csv.Error:
        return {}
    return {"delimiter": _SEPARATORS[separator], **known_values([("columns", names)])}


def masked_metadata(metadata: Mapping[str, Any], recipe: ChunkingRecipe) -> Mapping[str, Any]:
    """Mask what a file says about itself. Only what was parsed shows a secret that was written with escapes."""
    public: dict[str, Any] = _public(metadata, recipe)
    if not recipe.redact:
        return public
    redacted: dict[str, Any] = redact_values(public)[0]
    return redacted


def _public(value: Any, recipe: ChunkingRecipe) -> Any:  # noqa: ANN401 -- JSON
    """Take what is private out of every text of a value, and secrets out of every name."""
    if isinstance(value, str):
        return mask(value, redact=False)
    if isinstance(value, Mapping):
        return {mask(str(key), redact=recipe.redact): _public(item, recipe) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_public(item, recipe) for item in value]
    return value


def _moment(written: str) -> datetime | None:
    """Understand ISO 8601; without a zone it is taken for UTC."""
    try:
        moment = datetime.fromisoformat(written)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
