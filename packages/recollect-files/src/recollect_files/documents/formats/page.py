"""A page of text in the making, for formats that mark up what they say.

The invariant: what is written costs time in proportion to its length, however the markup is nested.
"""

from recollect_files.documents.extracted import MOST_CHARACTERS

_DEEPEST_LIST = 8


class MarkdownPage:
    """Takes words and breaks; breaks count only once words follow them, and the strongest of them counts."""

    def __init__(self) -> None:
        """Begin an empty page."""
        self._parts: list[str] = []
        self._length = 0
        self._gap = ""
        self._lead = ""
        self._held = self._fresh = self._begun = False
        self._bars = 0
        self.full = False

    def write(self, text: str) -> None:
        """Add words; blanks at their ends and between them become one blank."""
        words = " ".join(text.split())
        if not words:
            if text:
                self._space()
            return
        if text[0].isspace():
            self._space()
        self._put(words)
        if text[-1].isspace():
            self._space()

    def write_verbatim(self, text: str) -> None:
        """Add text as it stands, its line breaks included."""
        if text:
            self._put(text)

    def line(self) -> None:
        """Go on in a new line."""
        if not self._held and self._gap != "\n\n":
            self._gap = "\n"

    def paragraph(self) -> None:
        """Go on after an empty line."""
        if not self._held and not self._lead:
            self._gap = "\n\n"

    def table(self) -> None:
        """Begin a table."""
        self.paragraph()
        self._fresh = True

    def row(self) -> None:
        """Go on with a new row of a table; the first one stands where the table does."""
        if not self._fresh:
            self._gap = "\n"
        self._held = self._fresh = self._begun = False
        self._bars = 0

    def cell(self, *, first: bool) -> None:
        """Go on with another cell of the row; breaks before its first word do not count, and empty ones are kept."""
        self._bars += not first
        if self._begun:
            self._gap = ""
        self._held = True

    def heading(self, level: int) -> None:
        """Begin a heading."""
        self.paragraph()
        self._lead = "#" * min(max(level, 1), 6) + " "

    def item(self, depth: int, mark: str = "-") -> None:
        """Begin an item of a list that is so deep in others."""
        self.line()
        self._lead = "  " * min(max(depth, 0), _DEEPEST_LIST) + mark + " "

    def end_block(self) -> None:
        """End a heading or an item; what it would have begun with is not for what follows."""
        self._lead = ""

    def text(self) -> str:
        """Give what was written."""
        return "".join(self._parts)

    def _space(self) -> None:
        if not self._gap:
            self._gap = " "

    def _put(self, words: str) -> None:
        if self.full:
            return
        gap = self._gap if self._parts else ""
        if self._bars:
            gap = " |" * self._bars + " " if self._begun else gap + "| " * self._bars
        if self._held:
            self._lead = ""
        for part in (gap, self._lead, words):
            self._parts.append(part)
            self._length += len(part)
        self._gap = self._lead = ""
        self._held, self._begun, self._bars = False, True, 0
        self.full = self._length > MOST_CHARACTERS
