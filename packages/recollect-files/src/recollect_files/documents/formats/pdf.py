"""Reads the text layer of a PDF, page by page.

The invariant: a page is closed before the next one is opened, and no page is read that does not fit any more.
"""

import re
from collections.abc import Iterator
from contextlib import closing

from pypdfium2 import PdfDocument, PdfiumError  # type: ignore[import-untyped]

from recollect_files.documents.extracted import (
    NO_TEXT_LAYER,
    DocumentRefused,
    ExtractedText,
    known_values,
    shortened,
    tidy,
)

_MOST_PAGES = 20_000
_TOLD = {"Title": "title", "Author": "author", "Subject": "subject", "Keywords": "keywords", "Creator": "creator"}
_DATES = {"CreationDate": "created", "ModDate": "modified"}
_DATE = re.compile(r"D?:?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(Z|[+-]\d\d'?(?:\d\d)?)?.{0,10}", re.DOTALL)
_LINE_HYPHEN = re.compile("[\x02\ufffe]\r?\n?")


def read_pdf(data: bytes) -> ExtractedText:
    """Read a PDF. Raises Refused when it is encrypted, damaged, or has too many pages."""
    with closing(_opened(data)) as document:
        count = len(document)
        if count > _MOST_PAGES:
            raise DocumentRefused(
                f"The PDF says that it has {count:,} pages; at most {_MOST_PAGES:,} are read. Split it first."
            )
        parts, notes = shortened(_pages(document, count))
        metadata = {"pages": count, **_metadata(document)}
    if not any(part.strip() for part in parts):
        notes = (*notes, NO_TEXT_LAYER)
    return ExtractedText(parts, known_values(metadata.items()), notes)


def _opened(data: bytes) -> PdfDocument:
    try:
        return PdfDocument(data)
    except PdfiumError as error:
        if "password" in str(error).lower() or "security" in str(error).lower():
            raise DocumentRefused("The PDF is encrypted. Save it without a password, then add it again.") from error
        raise DocumentRefused(f"The PDF is damaged: {error}") from error


def _pages(document: PdfDocument, count: int) -> Iterator[str]:
    for number in range(count):
        try:
            with closing(document[number]) as page, closing(page.get_textpage()) as layer:
                text = layer.get_text_range()
        except PdfiumError:
            text = ""
        yield tidy(_LINE_HYPHEN.sub("", text)).strip("\n")


def _metadata(document: PdfDocument) -> dict[str, str]:
    told = document.get_metadata_dict(skip_empty=True)
    values = {name: told[key] for key, name in _TOLD.items() if key in told}
    return values | {name: _date(told[key]) for key, name in _DATES.items() if key in told}


def _date(written: str) -> str:
    """Give a date of a PDF, `D:20240131120000+01'00'`, as ISO 8601; as it is written when it is none."""
    found = _DATE.fullmatch(written)
    if not found:
        return written
    year, month, day, hour, minute, second, zone = found.groups()
    date = "-".join(part for part in (year, month, day) if part)
    if not hour or not day:
        return date
    offset = (zone or "").replace("'", "")
    if len(offset) > 3:  # noqa: PLR2004 -- +01
        offset = f"{offset[:3]}:{offset[3:]}"
    return f"{date}T{hour}:{minute or '00'}:{second or '00'}{offset}"
