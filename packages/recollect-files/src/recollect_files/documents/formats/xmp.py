"""Reads the words of an XMP packet, which any picture may carry."""

import io
from collections.abc import Mapping
from typing import NamedTuple

from recollect_files.documents.extracted import DocumentRefused
from recollect_files.documents.formats.xml import stream

_BEGIN, _END = b"<x:xmpmeta", b"</x:xmpmeta>"
_MOST_BYTES = 4 * 2**20
_TITLE, _KEYWORDS = "title", "subject"
_TOLD = frozenset(
    {_TITLE, "description", _KEYWORDS, "Headline", "UserComment", "AltTextAccessibility", "ExtDescrAccessibility"}
)


class Xmp(NamedTuple):
    """What a packet says."""

    title: str = ""
    words: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()


def read_xmp(data: bytes) -> Xmp:
    """Read the first packet among the bytes of a picture; one that is damaged says nothing."""
    start = data.find(_BEGIN)
    end = data.find(_END, start)
    if start < 0 or end < 0 or end - start > _MOST_BYTES:
        return Xmp()
    return read_packet(data[start : end + len(_END)])


def read_packet(packet: bytes) -> Xmp:
    """Read a packet."""
    found: dict[str, list[str]] = {}
    inside: list[str] = []

    def begin(name: str, attributes: Mapping[str, str]) -> None:
        inside.append(name)
        for key in _TOLD & attributes.keys():
            found.setdefault(key, []).append(attributes[key])

    def words(text: str) -> None:
        told = next((name for name in reversed(inside[-4:]) if name in _TOLD), "")
        if told and text.strip():
            found.setdefault(told, []).append(text.strip())

    def end(_name: str) -> None:
        inside.pop()

    try:
        stream(io.BytesIO(packet), begin, end, words)
    except DocumentRefused:
        return Xmp()
    said = [text for name in sorted(found, key=lambda name: name != _TITLE) for text in found[name]]
    return Xmp(" ".join(found.get(_TITLE, [])), tuple(said), tuple(found.get(_KEYWORDS, ())))
