"""Reads tags as browsers do: whatever is wrong with them, the page is read to its end."""

from html.parser import HTMLParser


class TagReader(HTMLParser):
    """Python's reader of HTML, made to put up with what it gives up on."""

    def __init__(self) -> None:
        """Begin with nothing read."""
        super().__init__(convert_charrefs=True)

    def parse_html_declaration(self, i: int) -> int:
        """Skip declarations; those in square brackets, as word processors write them, are comments to browsers."""
        if self.rawdata.startswith("<![", i):
            return self.parse_bogus_comment(i)
        return super().parse_html_declaration(i)
