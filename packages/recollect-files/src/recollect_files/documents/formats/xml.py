"""Reads XML as a stream of names and words.

The invariant: no document type, hence no entities; no tree, hence nothing that depth or length could blow up.
"""

from collections.abc import Callable, Mapping
from typing import IO
from xml.parsers import expat

from recollect_files.documents.extracted import DocumentRefused

_AT_ONCE = 65_536
_DEEPEST = 2_000
_MOST_ELEMENTS = 4_000_000  # a thousand pages with a setting for every word have fewer

Begin = Callable[[str, Mapping[str, str]], None]
End = Callable[[str], None]
Words = Callable[[str], None]


def stream(source: IO[bytes], begin: Begin, end: End, words: Words) -> bool:
    """Read XML to its end; names are given without their namespaces. Raises Refused for what is no plain XML.

    Gives False if it was cut, because it has too many elements.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    depth = elements = 0

    def begins(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, elements
        depth += 1
        elements += 1
        if depth > _DEEPEST:
            raise DocumentRefused(f"Its XML is nested more than {_DEEPEST:,} deep, which no document of words needs.")
        begin(_local(name), {_local(key): value for key, value in attributes.items()})

    def ends(name: str) -> None:
        nonlocal depth
        depth -= 1
        end(_local(name))

    def declares(*_: object) -> None:
        raise DocumentRefused(
            "Its XML declares a document type, which a document of words has no use for and bombs are made of."
        )

    parser.StartElementHandler = begins
    parser.EndElementHandler = ends
    parser.CharacterDataHandler = words
    parser.StartDoctypeDeclHandler = declares
    try:
        while block := source.read(_AT_ONCE):
            parser.Parse(block, False)  # noqa: FBT003 -- positional only
            if elements > _MOST_ELEMENTS:
                return False
        parser.Parse(b"", True)  # noqa: FBT003 -- positional only
    except (expat.ExpatError, LookupError, ValueError) as error:  # damaged, or in an unknown encoding
        raise DocumentRefused(f"Its XML is damaged ({error}).") from error
    return True


def _local(name: str) -> str:
    return name.rpartition(" ")[2]
