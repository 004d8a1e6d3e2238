"""Reads tags as browsers do: whatever is wrong with them, the page is read to its end.

The invariant: what is marked as private is gone before a tag is read. To the reader `<private>` is a tag like any
other, of which only the words would be left, which later readers could not tell from the rest.
"""

import re
from html.parser import HTMLParser
from typing import Final

_HINT: Final = re.compile("private", re.IGNORECASE)
_MOST_TEARS: Final = 10  # how often what was cut out may have torn another mark apart before nothing is believed


class TagReader(HTMLParser):
    """Python's reader of HTML, made to put up with what it gives up on."""

    def __init__(self) -> None:
        """Begin with nothing read."""
        super().__init__(convert_charrefs=True)

    def read_whole(self, page: str) -> None:
        """Read a page from its beginning to its end, without its private parts."""
        self.feed(_public(page))
        self.close()

    def parse_html_declaration(self, i: int) -> int:
        """Skip declarations; those in square brackets, as word processors write them, are comments to browsers."""
        if self.rawdata.startswith("<![", i):
            return self.parse_bogus_comment(i)
        return super().parse_html_declaration(i)


def _public(page: str) -> str:
    """Cut out private parts, those included that come to light when others are cut out."""
    if not _HINT.search(page):
        return page
    from recollect.text.private import without_private  # noqa: PLC0415 -- most pages need not wait for it to be loaded

    for _ in range(_MOST_TEARS):
        left = without_private(page)
        if left == page:
            return page
        page = left
    return ""
