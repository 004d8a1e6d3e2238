"""Reads the words of a drawing. SVG is read as browsers read it inside a page, so that entities mean nothing."""

import re

from recollect_files.documents.decode_text import decode_web
from recollect_files.documents.extracted import ExtractedText, known_values, shortened
from recollect_files.documents.formats.web import TagReader

_WORDS = ("text", "title", "desc")
_UNSEEN = ("script", "style", "metadata")
_LENGTH = re.compile(r"\s{0,20}(\d{1,9}(?:\.\d{1,9})?)\s{0,20}(?:px)?\s{0,20}")


class _SvgReader(TagReader):
    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self.titles: list[str] = []
        self.size: tuple[float | None, float | None] | None = None
        self._inside = dict.fromkeys((*_WORDS, *_UNSEEN), 0)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note where words stand."""
        name = tag.rpartition(":")[2]
        if name in self._inside:
            self._inside[name] += 1
            self.said.append("\n")
        if name == "tspan":
            self.said.append(" ")
        if name == "svg" and self.size is None:
            self.size = _size(dict(attrs))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an empty element, in which nothing stands."""
        if tag.rpartition(":")[2] == "svg":
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        """Note where words end."""
        name = tag.rpartition(":")[2]
        if self._inside.get(name, 0):
            self._inside[name] -= 1
            self.said.append("\n")

    def handle_data(self, data: str) -> None:
        """Take in words."""
        if any(self._inside[name] for name in _UNSEEN):
            return
        if any(self._inside[name] for name in _WORDS):
            self.said.append(data.replace("\n", " "))
        if self._inside["title"]:
            self.titles.append(data)


def read_svg(data: bytes) -> ExtractedText:
    """Read a drawing."""
    reader = _SvgReader()
    reader.read_whole(decode_web(data))
    lines = (" ".join(line.split()) for line in "".join(reader.said).split("\n"))
    parts, notes = shortened(("\n".join(line for line in lines if line),))
    width, height = reader.size or (None, None)
    metadata = {"title": "".join(reader.titles), "format": "SVG", "width": width, "height": height}
    return ExtractedText(parts, known_values(metadata.items()), notes)


def _size(attributes: dict[str, str | None]) -> tuple[float | None, float | None]:
    """Give width and height as they are told, or those of the part that is viewed."""
    viewed = re.split(r"[\s,]+", (attributes.get("viewbox") or "")[:200].strip())
    whole = viewed[2:4] if len(viewed) == 4 else ["", ""]  # noqa: PLR2004 -- left, top, width, height
    width, height = (_length(attributes.get(name) or "") for name in ("width", "height"))
    return width or _length(whole[0]), height or _length(whole[1])


def _length(written: str) -> float | None:
    found = _LENGTH.fullmatch(written[:60])
    return float(found[1]) if found else None
