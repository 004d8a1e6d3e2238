"""Looks at tables of values with separators between them: which lines make up a row, and what the columns are called.

The invariant: a row whose quoted values hold line feeds stays whole, unless its quote never ends.
"""

import csv
from typing import Final

from recollect_files.chunks.layout import LINE, NEVER, SourceLines, TextLayout

_LONGEST_HEADER: Final = 2_000
_LONGEST_HEADING: Final = 300
_SEPARATORS: Final = ",;\t|"


def look_at_table(text: SourceLines, most: int) -> TextLayout:
    """Give the layout of a table: every row may begin a piece."""
    ranks = bytearray([LINE]) * len(text.lines)
    number, quoted = 0, True
    while number < len(text.lines):
        line = text.lines[number]
        if not line.strip():
            ranks[number] = NEVER
        elif quoted and line.count('"') % 2:
            end = _row_end(text, number, most)
            quoted = end > 0
            ranks[number + 1 : end] = bytes([NEVER]) * max(0, end - number - 1)
            number = max(number, end - 1)
        number += 1
    return TextLayout(ranks, ())


def _row_end(text: SourceLines, start: int, most: int) -> int:
    """Give the line after a row whose first line ends inside a quote; 0 if the quote does not end in time."""
    for number in range(start + 1, len(text.lines)):
        if text.places[number] - text.places[start] > most:
            return 0
        if text.lines[number].count('"') % 2:
            return number + 1 if text.places[number + 1] - text.places[start] <= most else 0
    return 0


def columns(text: SourceLines) -> str:
    """Give the names of the columns, as a heading for every row."""
    header = next((line for line in text.lines if line.strip()), "")[:_LONGEST_HEADER].strip("\ufeff\r ")
    separator = max(_SEPARATORS, key=header.count)
    try:
        names = next(csv.reader([header], delimiter=separator), [])
    except csv.Error:
        names = header.split(separator)
    heading = ", ".join(" ".join(name.split()) for name in names if name.strip())
    return heading if len(heading) <= _LONGEST_HEADING else heading[: _LONGEST_HEADING - 1] + "…"
