"""What is written before a text, so that a model knows a question from what might answer it.

A prefix is part of an embedding space: vectors made with different ones must not be compared. Its name is kept there.
"""

import re
from types import MappingProxyType
from typing import Final, NamedTuple

from recollect.ports import Role

NONE: Final = "none"
GEMINI: Final = "gemini"  # no words: a field of the request says what the text is for
E5: Final = "e5"


class Prefix(NamedTuple):
    """What stands before a question, and before what might answer it."""

    query: str
    passage: str


PREFIXES: Final = MappingProxyType(
    {
        NONE: Prefix("", ""),
        E5: Prefix("query: ", "passage: "),
        "nomic": Prefix("search_query: ", "search_document: "),
        "bge": Prefix("Represent this sentence for searching relevant passages: ", ""),
        "gemma": Prefix("task: search result | query: ", "title: none | text: "),
    }
)
_BY_MODEL: Final = (
    (re.compile(r"(^|[/_-])e5-(?!.*instruct)"), E5),
    (re.compile(r"nomic-embed-text"), "nomic"),
    (re.compile(r"mxbai-embed-large|bge-.*\ben\b"), "bge"),
    (re.compile(r"embeddinggemma|gemini-embedding-2"), "gemma"),
)


def scheme_for(model: str) -> str:
    """Name the prefixes that a model was trained with."""
    return next((scheme for pattern, scheme in _BY_MODEL if pattern.search(model.lower())), NONE)


def prefixed(text: str, role: Role, scheme: str) -> str:
    """Write the prefix before a text. What a server or a field does by itself needs no words."""
    prefix = PREFIXES.get(scheme, PREFIXES[NONE])
    return (prefix.query if role == "query" else prefix.passage) + text
